// A loop over a row whose length the launch checks to be a multiple of 16, and other arguments with checks of their own: the search takes
// such lengths, and does not go through the others for it.
// RUN: titan check --proof=off %s | FileCheck %s
// CHECK: @copy: accepted: 0 errors, 0 warnings
// CHECK-NEXT: trip counts checked: n 0; n 1; n 2; n 5
// What a check of an argument leaves of a loop is all that is asked for.
// RUN: titan check --proof=off %s --launch-check "n <= 900" | FileCheck %s --check-prefix=FEW
// FEW: @copy: accepted: 0 errors, 0 warnings
// FEW-NEXT: trip counts checked: n 0; n 1; n 2; n 4
// A fix says what a program of Triton's has for a launch region.
// RUN: not titan check --proof=off %S/Inputs/ttir/matmul.ttir 2>&1 | FileCheck %s --check-prefix=FIX
// FIX: fix: say of arguments by tl.assume, or by --launch-check, that the divisor is not 0
tt.func public @copy(%x_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %zero = arith.constant 0 : i32
  %block = arith.constant 256 : i32
  scf.for %at = %zero to %n step %block : i32 {
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %a = tt.splat %at : i32 -> tensor<256xi32>
    %o = arith.addi %a, %i : tensor<256xi32>
    %e = tt.splat %n : i32 -> tensor<256xi32>
    %m = arith.cmpi slt, %o, %e : tensor<256xi32>
    %xs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %o : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %v = tt.load %xp, %m : tensor<256x!tt.ptr<f32>>
    %ys = tt.splat %y_ptr : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %yp = tt.addptr %ys, %o : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    tt.store %yp, %v, %m : tensor<256x!tt.ptr<f32>>
  } {tt.num_stages = 2 : i32}
  tt.return
}
