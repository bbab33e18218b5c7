// A loop counts in its counter's type, and ends within it; one of which a round changes nothing never ends.
// RUN: not titan run %s --kernel last --shape x=1 --arg x=zeros 2>&1 | FileCheck %s --check-prefix=LAST
// LAST: ends-of-loops.mlir:[[#@LINE+21]]:{{[0-9]+}}: error: [loop-overflow] program (0, 0, 0): the counter of this loop goes from 2147483640 to 2147483647 by 5 and comes to 2147483650: 32 bits hold at most 2147483647
// RUN: sed 's/ 2147483640 / -2147483648 /; s/ 5 : i32/ 1073741824 : i32/' %s > %t.range.mlir
// RUN: not titan run %t.range.mlir --kernel last --shape x=1 --arg x=zeros 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: [loop-overflow] program (0, 0, 0): the bounds of this loop, -2147483648 and 2147483647, are 4294967295 apart: 32 bits hold at most 2147483647
// RUN: sed 's/ 5 : i32/ 0 : i32/' %s > %t.step.mlir
// RUN: not titan run %t.step.mlir --kernel last --shape x=1 --arg x=zeros 2>&1 | FileCheck %s --check-prefix=STEP
// STEP: [invalid-op] program (0, 0, 0): the step of the loop is 0: it must be positive
// Of unsigned numbers that is a loop of four rounds.
// RUN: sed 's/ 2147483640 / 0 /; s/ 2147483647 / -1073741824 /; s/ 5 : i32/ 1073741824 : i32/; s/scf.for/scf.for unsigned/' %s > %t.unsigned.mlir
// RUN: titan run %t.unsigned.mlir --kernel last --shape x=1 --arg x=zeros --out x=%t.npy
// RUN: %python -c "import struct; print(struct.unpack('<i', open(r'%t.npy', 'rb').read()[-4:]))" | FileCheck %s --check-prefix=ROUNDS
// ROUNDS: (3,)
// RUN: not titan run %s --kernel still --shape x=1 --arg x=zeros 2>&1 | FileCheck %s --check-prefix=STILL
// STILL: [step-limit] program (0, 0, 0): a round of this loop changes nothing: it never ends
module {
tt.func public @last(%x: !tt.ptr<i32>) {
  %from = arith.constant 2147483640 : i32
  %to = arith.constant 2147483647 : i32
  %by = arith.constant 5 : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %from to %to step %by iter_args(%q = %zero) -> (i32) : i32 {
    %w = arith.addi %q, %one : i32
    scf.yield %w : i32
  }
  tt.store %x, %r : !tt.ptr<i32>
  tt.return
}
tt.func public @still(%x: !tt.ptr<i32>) {
  %true = arith.constant true
  scf.while : () -> () {
    scf.condition(%true)
  } do {
    scf.yield
  }
  tt.return
}
}
