// The search takes negative multiples of 16 for a stride, too: rows that lie backwards, and do not or do overlap.
// RUN: titan check --proof=off %s --launch-check "stride <= 0 - 128" | FileCheck %s
// RUN: not titan check --proof=off %s --launch-check "stride <= 0 - 112" 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: titan check --proof=off %s --launch-check "stride >= 128" | FileCheck %s
// CHECK: @rows: accepted: 0 errors
// RACE: [race]
// RUN: %python %S/Inputs/converted.py titan %s --grid 4 y_ptr=640:poison stride=-160 last=3
tt.func public @rows(%y_ptr: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}, %last: i32) {
  %pid = tt.get_program_id x : i32
  %zero = arith.constant 0 : i32
  %row = arith.subi %last, %pid : i32
  %back = arith.subi %zero, %stride : i32
  %first = arith.muli %row, %back : i32
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %f = tt.splat %first : i32 -> tensor<128xi32>
  %sum = arith.addi %f, %i : tensor<128xi32>
  %s = tt.splat %y_ptr : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %p = tt.addptr %s, %sum : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %p, %i : tensor<128x!tt.ptr<i32>>
  tt.return
}
