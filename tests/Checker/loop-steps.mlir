// What goes by a step goes up, and the step is a signed number wherever it stands: MLIR takes a loop by another one for no
// iteration at all, though it compares as unsigned; marked titan.unroll it would leave nothing to refuse.
//
// RUN: titan check %s --require=proved | FileCheck %s --check-prefix=GOOD
// GOOD: @unrolled: accepted
// GOOD: proved
// GOOD: @launched: accepted
// GOOD: proved
// GOOD: @far: accepted
// GOOD: proved
// RUN: titan run %s --kernel far
// RUN: titan run %s --kernel unrolled --out Y=%t.npy
// RUN: %python -c "import struct; print(struct.unpack('<i', open(r'%t.npy', 'rb').read()[-4:]))" | FileCheck %s --check-prefix=ROUNDS
// ROUNDS: (2,)
// RUN: titan run %s --kernel launched
//
// VARIANT zero: in step `100` -> `0`
// RUN: %variant zero %s | not titan check - --kernel unrolled 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: %variant zero %s | not titan run - --kernel unrolled 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: %variant zero %s | not titan compile - --check=off --kernel unrolled --emit=ptx -o /dev/null 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: <stdin>:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}[invalid-op] the step of the loop is 0: it must be positive, as a signed number
// ZERO: fix: count up by a positive number
// VARIANT high: in step `100` -> `-56`
// RUN: %variant high %s | not titan check - --kernel unrolled 2>&1 | FileCheck %s --check-prefix=HIGH
// RUN: %variant high %s | not titan run - --kernel unrolled 2>&1 | FileCheck %s --check-prefix=HIGH
// RUN: %variant high %s | not titan compile - --check=off --kernel unrolled --emit=ptx -o /dev/null 2>&1 | FileCheck %s --check-prefix=HIGH
// HIGH: error: {{.*}}[invalid-op] the step of the loop is -56: it must be positive, as a signed number
// Unmarked, and signed.
// VARIANT plain: as high
// VARIANT plain: in mark ` {titan.unroll}` -> ``
// RUN: %variant plain %s | not titan check - --kernel unrolled 2>&1 | FileCheck %s --check-prefix=HIGH
// RUN: %variant plain %s | not titan run - --kernel unrolled 2>&1 | FileCheck %s --check-prefix=HIGH
// VARIANT back: as high
// VARIANT back: in loop `scf.for unsigned` -> `scf.for`
// RUN: %variant back %s | not titan check - --kernel unrolled 2>&1 | FileCheck %s --check-prefix=HIGH
//
// A step that the launch decides: the run says so, of unsigned numbers, too; the check finds a launch, and the proof wants to know.
// VARIANT any: drop bounded
// RUN: %variant any %s | not titan run - --kernel launched --arg n=0 2>&1 | FileCheck %s --check-prefix=LAUNCH-ZERO
// LAUNCH-ZERO: [invalid-op] the step of the loop is 0: it must be positive, as a signed number
// RUN: %variant any %s | not titan run - --kernel launched --arg n=-2147483648 2>&1 | FileCheck %s --check-prefix=LAUNCH-HIGH
// LAUNCH-HIGH: [invalid-op] the step of the loop is -2147483648: it must be positive, as a signed number
// RUN: %variant any %s | not titan check - --kernel launched 2>&1 | FileCheck %s --check-prefix=ANY
// ANY: error: [undecided] the step of the loop is {{(0|-[0-9]+)}}: it must be positive, as a signed number (n is {{(0|-[0-9]+)}})
// ANY: fix: say in the launch region, by titan.require, that the step is 1 or more
// RUN: %variant any %s | not titan check - --kernel launched --undecided=warning --require=proved 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: the step of this loop is not shown to be positive

!data = !titan.global<1xi32>

titan.kernel @unrolled(%Y: !data) warps(1) attributes {titan.example = {Y = "1 zeros"}} launch {
  %g = arith.constant 1 : index
  titan.launch grid(%g)
} body() {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %from = arith.constant 0 : i8
  %to = arith.constant -56 : i8
  %step = arith.constant 100 : i8 // @step
  titan.elect warp(0) {
    %rounds = scf.for unsigned %i = %from to %to step %step iter_args(%n = %zero) -> (i32) : i8 { // @loop
      %more = arith.addi %n, %one : i32
      scf.yield %more : i32
    } {titan.unroll} // @mark
    titan.st %rounds, %Y[%c0] : i32, !data
  }
  titan.return
}

titan.kernel @launched(%Y: !data, %n: i32) warps(1) attributes {titan.example = {Y = "1 zeros", n = 3 : i32}} launch {
  %g = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %high = arith.cmpi sle, %n, %ten : i32
  %low = arith.cmpi sge, %n, %one : i32
  %both = arith.andi %high, %low : i1
  titan.require %both, "launch-check", "n is 1 to 10" // @bounded
  titan.launch grid(%g)
} body() {
  %c0 = arith.constant 0 : index
  %from = arith.constant 0 : i32
  %to = arith.constant 100 : i32
  titan.elect warp(0) {
    scf.for unsigned %i = %from to %to step %n : i32 {
      titan.st %i, %Y[%c0] : i32, !data
    }
  }
  titan.return
}

// Seven steps over all numbers of the type: their sum does not fit into it.
titan.kernel @far(%Y: !titan.global<8xi32>) warps(1) attributes {titan.example = {Y = "8 zeros"}} launch {
  %g = arith.constant 1 : index
  titan.launch grid(%g)
} body() {
  %i0 = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %to = arith.constant 9223372036854775807 : index
  %step = arith.constant 1317624576693539401 : index
  titan.elect warp(0) {
    %last = scf.for %i = %c0 to %to step %step iter_args(%k = %c0) -> (index) {
      titan.st %i0, %Y[%k] : i32, !titan.global<8xi32>
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    titan.st %i0, %Y[%last] : i32, !titan.global<8xi32>
  }
  titan.return
}
