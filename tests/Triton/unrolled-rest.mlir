// tl.range(0, n, 1, loop_unroll_factor=4): behind the unrolled loop another runs from n - n % 4 to n, as the front end counts it, at most
// three times. No launch is sought in which it runs more often.
// RUN: titan check %s | FileCheck %s
// CHECK: @rest: accepted: 0 errors

module {
  tt.func public @rest(%x: !tt.ptr<f32>, %n: i32) {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %length = arith.subi %n, %c0 : i32
    %less = arith.subi %c1, %c1 : i32
    %up = arith.addi %length, %less : i32
    %count = arith.divui %up, %c1 : i32
    %over = arith.remsi %count, %c4 : i32
    %whole = arith.subi %count, %over : i32
    %rounds = arith.muli %whole, %c1 : i32
    %begin = arith.addi %c0, %rounds : i32
    %sum = scf.for %k = %begin to %n step %c1 iter_args(%s = %zero) -> (f32) : i32 {
      %at = tt.addptr %x, %k : !tt.ptr<f32>, i32
      %v = tt.load %at : !tt.ptr<f32>
      %next = arith.addf %s, %v : f32
      scf.yield %next : f32
    }
    tt.store %x, %sum : !tt.ptr<f32>
    tt.return
  }
}
