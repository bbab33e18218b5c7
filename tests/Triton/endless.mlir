// A loop without an end is one in the kernel, too; the simulator tells that none of its rounds changes anything.
// RUN: titan compile %s --kernel endless --check=off --emit=ptx -o - | FileCheck %s
// CHECK: .entry endless
// RUN: not titan run %s --kernel endless 2>&1 | FileCheck %s --check-prefix=END
// END: [step-limit] program (0, 0, 0): a round of this loop changes nothing: it never ends
// RUN: sed 's/muli %i, %one/muli %i, %zero/' %s > %t.mlir
// RUN: not titan run %t.mlir --kernel nested 2>&1 | FileCheck %s --check-prefix=END
// A loop in a loop, whose values come again in each round of the outer one.
// RUN: titan run %s --kernel nested
// One that waits for what nobody writes, by loads that are no atomics; one that only reads, and ends.
// RUN: not titan run %s --kernel waits --shape flag=4 --arg flag=zeros 2>&1 | FileCheck %s --check-prefix=WAITS
// WAITS: [step-limit] program (0, 0, 0): a round of this loop changes nothing, and what it loads has stayed the same for 65536 rounds
// RUN: titan run %s --kernel counts --shape flag=4 --arg flag=zeros --arg rounds=200000 | FileCheck %s --check-prefix=COUNTS
// COUNTS: @counts: ran
module {
tt.func public @waits(%flag: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i32
  scf.while : () -> () {
    %is = tt.load %flag : !tt.ptr<i32>
    %waits = arith.cmpi eq, %is, %zero : i32
    scf.condition(%waits)
  } do {
    scf.yield
  }
  tt.return
}
tt.func public @counts(%flag: !tt.ptr<i32>, %rounds: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %all = scf.while (%i = %zero) : (i32) -> i32 {
    %is = tt.load %flag : !tt.ptr<i32>
    %sum = arith.addi %is, %i : i32
    %more = arith.cmpi slt, %sum, %rounds : i32
    scf.condition(%more) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  tt.store %flag, %all : !tt.ptr<i32>
  tt.return
}
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
