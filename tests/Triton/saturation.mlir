// Conversions of floats that do not fit, of a scalar, too: the nearest integer, 0 for a NaN; towards zero, the neighbour that is.
// RUN: %python %S/Inputs/converted.py titan %s y_ptr=8:poison h_ptr=256:poison b_ptr=256:poison x_ptr=256:random:1 big=3e10 low=-1e30 none=nan
// RUN: %python %S/Inputs/converted.py titan %s y_ptr=8:poison h_ptr=256:poison b_ptr=256:poison x_ptr=256:ints:3 big=300.5 low=-129.9 none=-0.9
// RUN: titan compile %s --check=off --emit=ptx -o %t.ptx
tt.func public @saturate(%y_ptr: !tt.ptr<i32>, %h_ptr: !tt.ptr<f16>, %b_ptr: !tt.ptr<bf16>, %x_ptr: !tt.ptr<f32>, %big: f32, %low: f32, %none: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
  %c6 = arith.constant 6 : i32
  %c7 = arith.constant 7 : i32
  %y0 = tt.addptr %y_ptr, %c0 : !tt.ptr<i32>, i32
  %y1 = tt.addptr %y_ptr, %c1 : !tt.ptr<i32>, i32
  %y2 = tt.addptr %y_ptr, %c2 : !tt.ptr<i32>, i32
  %y3 = tt.addptr %y_ptr, %c3 : !tt.ptr<i32>, i32
  %y4 = tt.addptr %y_ptr, %c4 : !tt.ptr<i32>, i32
  %y5 = tt.addptr %y_ptr, %c5 : !tt.ptr<i32>, i32
  %y6 = tt.addptr %y_ptr, %c6 : !tt.ptr<i32>, i32
  %y7 = tt.addptr %y_ptr, %c7 : !tt.ptr<i32>, i32
  %s0 = arith.fptosi %big : f32 to i32
  tt.store %y0, %s0 : !tt.ptr<i32>
  %s1 = arith.fptosi %low : f32 to i32
  tt.store %y1, %s1 : !tt.ptr<i32>
  %s2 = arith.fptosi %none : f32 to i32
  tt.store %y2, %s2 : !tt.ptr<i32>
  %u3 = arith.fptoui %low : f32 to i32
  tt.store %y3, %u3 : !tt.ptr<i32>
  %u4 = arith.fptoui %big : f32 to i32
  tt.store %y4, %u4 : !tt.ptr<i32>
  %b5 = arith.fptosi %big : f32 to i8
  %e5 = arith.extsi %b5 : i8 to i32
  tt.store %y5, %e5 : !tt.ptr<i32>
  %b6 = arith.fptosi %low : f32 to i8
  %e6 = arith.extsi %b6 : i8 to i32
  tt.store %y6, %e6 : !tt.ptr<i32>
  %b7 = arith.fptoui %big : f32 to i8
  %e7 = arith.extui %b7 : i8 to i32
  tt.store %y7, %e7 : !tt.ptr<i32>
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %xs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %x = tt.load %xp : tensor<256x!tt.ptr<f32>>
  %h = tt.fp_to_fp %x, rounding = rtz : tensor<256xf32> -> tensor<256xf16>
  %hs = tt.splat %h_ptr : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>>
  %hp = tt.addptr %hs, %i : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
  tt.store %hp, %h : tensor<256x!tt.ptr<f16>>
  %b = tt.fp_to_fp %x, rounding = rtz : tensor<256xf32> -> tensor<256xbf16>
  %bs = tt.splat %b_ptr : !tt.ptr<bf16> -> tensor<256x!tt.ptr<bf16>>
  %bp = tt.addptr %bs, %i : tensor<256x!tt.ptr<bf16>>, tensor<256xi32>
  tt.store %bp, %b : tensor<256x!tt.ptr<bf16>>
  tt.return
}
