// A quotient that four elements of a thread have in common is computed once; where the dividend may be negative, each.
// RUN: titan compile %s --num-warps 1 --check=off --emit=ptx -o - | FileCheck %s
// RUN: titan-opt %s --triton-to-titan=num-warps=1 | FileCheck %s --check-prefix=KERNEL
// RUN: %python %S/Inputs/converted.py titan %s --num-warps 1 --grid 3 x_ptr=768:steps:256 y_ptr=768:poison width=32
// RUN: %python %S/Inputs/converted.py titan %s --num-warps 4 --grid 3 x_ptr=768:steps:256 y_ptr=768:poison width=48

// CHECK: .entry rows
// CHECK-COUNT-2: div.s32
// CHECK-NOT: div.s32
// CHECK: ret;
// KERNEL: arith.divsi {{.*}} : tensor<64x1xi32,
// KERNEL-NOT: arith.divsi
tt.func public @rows(%x_ptr: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %y_ptr: !tt.ptr<i32> {tt.divisibility = 16 : i32},
                     %width: i32 {tt.divisibility = 16 : i32}) {
  %c256 = arith.constant 256 : i32
  %pid = tt.get_program_id x : i32
  %first = arith.muli %pid, %c256 : i32
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %start = tt.splat %first : i32 -> tensor<256xi32>
  %at = arith.addi %start, %i : tensor<256xi32>
  %w = tt.splat %width : i32 -> tensor<256xi32>
  %row = arith.divsi %at, %w : tensor<256xi32>
  %x = tt.splat %x_ptr : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %px = tt.addptr %x, %at : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %v = tt.load %px : tensor<256x!tt.ptr<i32>>
  %sum = arith.addi %v, %row : tensor<256xi32>
  %y = tt.splat %y_ptr : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %py = tt.addptr %y, %at : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.store %py, %sum : tensor<256x!tt.ptr<i32>>
  tt.return
}
