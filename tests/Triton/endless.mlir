// A loop without an end is one in the kernel, too; the simulator tells that none of its rounds changes anything.
// RUN: titan compile %s --kernel endless --check=off --emit=ptx -o - | FileCheck %s
// CHECK: .entry endless
// RUN: not titan run %s --kernel endless 2>&1 | FileCheck %s --check-prefix=END
// END: [step-limit] program (0, 0, 0): a round of this loop changes nothing: it never ends
// RUN: sed 's/muli %i, %one/muli %i, %zero/' %s > %t.mlir
// RUN: not titan run %t.mlir --kernel nested 2>&1 | FileCheck %s --check-prefix=END
// A loop in a loop, whose values come again in each round of the outer one.
// RUN: titan run %s --kernel nested
module {
tt.func public @endless() {
  cf.br ^again
^again:
  cf.br ^again
}
tt.func public @nested() {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %rounds = arith.constant 700 : i32
  cf.br ^outer(%zero : i32)
^outer(%j: i32):
  cf.br ^inner(%zero : i32)
^inner(%i: i32):
  %kept = arith.muli %i, %one : i32
  %next = arith.addi %kept, %one : i32
  %more = arith.cmpi slt, %next, %rounds : i32
  cf.cond_br %more, ^inner(%next : i32), ^latch
^latch:
  %k = arith.addi %j, %one : i32
  %again = arith.cmpi slt, %k, %rounds : i32
  cf.cond_br %again, ^outer(%k : i32), ^end
^end:
  tt.return
}
}
