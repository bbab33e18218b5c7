// Sines and cosines of all f32: from 2^50 on, multiples of pi/2 are taken off by the digits of 2/pi that count (the simulator of tt
// computes in f64 with the C library).
// RUN: %python %S/Inputs/converted.py titan %s --num-warps 1 --bound 3e-7 sine=64:poison cosine=64:poison one=1:poison sum=64:poison some=1 x=-3.0e38
// RUN: %python %S/Inputs/converted.py titan %s --num-warps 2 --bound 3e-7 sine=64:poison cosine=64:poison one=1:poison sum=64:poison some=0 x=1.5
// RUN: titan compile %s --num-warps 1 --emit=titan -o - --check=off | FileCheck %s
// RUN: titan check --proof=off %s
// A warp without such numbers goes on.
// CHECK: titan.any
// CHECK: scf.if
// What a branch takes off is not there behind it.
// CHECK: scf.if %some
// CHECK: titan.any
// CHECK: } else {
// CHECK: titan.any
tt.func public @angles(%sine: !tt.ptr<f32>, %cosine: !tt.ptr<f32>, %one: !tt.ptr<f32>, %sum: !tt.ptr<f32>, %some: i1, %x: f32) {
  %v = arith.constant dense<[0.0, -0.0, 0.5, -1.0, 3.0e+0, 1.0e+1, 1.0e+2, 1.0e+3, 1.0e+4, 1.0e+5, 1.0e+6, -1.0e+7, 1.0e+8, 1.0e+9,
    1.0e+10, 1.0e+11, -1.0e+12, 1.0e+13, 1.0e+14, 1.0e+15, 0x587FFFFF, 0x58800000, 0x58800001, 0xD8800000, 1.0e+16, -1.0e+17, 1.0e+18,
    1.0e+19, 1.0e+20, 1.0e+21, 1.0e+22, -1.0e+23, 1.0e+24, 1.0e+25, 1.0e+26, 1.0e+27, 1.0e+28, -1.0e+29, 1.0e+30, 1.0e+31, 1.0e+32,
    1.0e+33, 1.0e+34, 1.0e+35, -1.0e+36, 1.0e+37, 1.0e+38, 3.0e+38, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000,
    0x5D4AABB5, 0x6F5AABCD, 0x7A0DC9A0, 0x6115CB11, 0x40490FDB, 0x4096CBE4, 0x4B800000, 0x7F000000, 0x5F000000, 0x00000001, 0x60800000]>
    : tensor<64xf32>
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %s = math.sin %v : tensor<64xf32>
  %c = math.cos %v : tensor<64xf32>
  %ps = tt.splat %sine : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %qs = tt.addptr %ps, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %qs, %s : tensor<64x!tt.ptr<f32>>
  %pc = tt.splat %cosine : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %qc = tt.addptr %pc, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %qc, %c : tensor<64x!tt.ptr<f32>>
  %w = arith.addf %v, %v : tensor<64xf32>
  %part = scf.if %some -> tensor<64xf32> {
    %sw = math.sin %w : tensor<64xf32>
    scf.yield %sw : tensor<64xf32>
  } else {
    scf.yield %v : tensor<64xf32>
  }
  %cw = math.cos %w : tensor<64xf32>
  %both = arith.addf %part, %cw : tensor<64xf32>
  %pb = tt.splat %sum : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %qb = tt.addptr %pb, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %qb, %both : tensor<64x!tt.ptr<f32>>
  %scalar = math.sin %x : f32
  tt.store %one, %scalar : !tt.ptr<f32>
  tt.return
}
