// Quotients round towards zero: those of -16 and -15 by 16 are two, so that runs that may be negative have none in common.
// RUN: titan-opt %s --triton-to-titan=num-warps=1 | FileCheck %s
// RUN: %python %S/Inputs/converted.py titan %s --num-warps 1 --grid 1 y_ptr=256:poison sixteenths=-4
// CHECK: arith.divsi {{.*}} : tensor<256xi32,
tt.func public @rows(%y_ptr: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %sixteenths: i32) {
  %c16 = arith.constant 16 : i32
  %first = arith.muli %sixteenths, %c16 : i32
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %start = tt.splat %first : i32 -> tensor<256xi32>
  %at = arith.addi %start, %i : tensor<256xi32>
  %w = arith.constant dense<16> : tensor<256xi32>
  %row = arith.divsi %at, %w : tensor<256xi32>
  %y = tt.splat %y_ptr : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %py = tt.addptr %y, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.store %py, %row : tensor<256x!tt.ptr<i32>>
  tt.return
}
