// A counted loop counts in its type: the distance of its bounds fits it, and so does the number that it ends with. Where
// constants say otherwise nothing is compiled; where a launch does, its run says so, and the check of that launch.
//
// RUN: titan check %s | FileCheck %s --check-prefix=GOOD
// GOOD: @constants: accepted: 0 errors
// GOOD: @by_launch: accepted: 0 errors
// RUN: titan run %s --kernel constants
// RUN: titan run %s --kernel by_launch
// RUN: titan run %s --kernel as_while
//
// Further apart than the type holds: -100 to 100 in 8 bits.
// VARIANT apart: in lower `-27` -> `-100`
// RUN: %variant apart %s | not titan check - 2>&1 | FileCheck %s --check-prefix=APART
// RUN: %variant apart %s | not titan run - --kernel constants 2>&1 | FileCheck %s --check-prefix=APART
// RUN: %variant apart %s | not titan compile - --check=off --kernel constants --emit=ptx -o /dev/null 2>&1 | FileCheck %s --check-prefix=APART
// APART: <stdin>:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}[loop-overflow] the bounds of this loop, -100 and 100, are 200 apart: 8 bits hold at most 127
// APART: fix: count by index
//
// The counter comes past 127 before it comes to the bound.
// VARIANT past: in upper `100` -> `120`
// VARIANT past: in lower `-27` -> `0`
// RUN: %variant past %s | not titan check - 2>&1 | FileCheck %s --check-prefix=PAST
// PAST: [loop-overflow] the counter of this loop goes from 0 to 120 by 50 and comes to 150: 8 bits hold at most 127
//
// A launch that does it.
// RUN: not titan run %s --kernel by_launch --arg n=2147483647 2>&1 | FileCheck %s --check-prefix=LAUNCH
// RUN: not titan run %s --kernel as_while --arg n=2147483647 2>&1 | FileCheck %s --check-prefix=LAUNCH
// LAUNCH: error: [loop-overflow] the counter of this loop goes from 0 to 2147483647 by 3 and comes to 2147483649: 32 bits hold at most 2147483647
// The check executes it, where nothing else is admitted.
// VARIANT large: before launch add %most = arith.constant 2147483647 : i32 %is = arith.cmpi eq, %n, %most : i32 titan.require %is, "launch-check", "n is the largest"
// RUN: %variant large %s | not titan check - --kernel by_launch 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: error: [loop-overflow]
//
// The proof asks for a bound, and is content with it.
// RUN: not titan check %s --kernel by_launch --require=proved 2>&1 | FileCheck %s --check-prefix=UNPROVED
// UNPROVED: the counter of this loop is not shown to fit into 32 bits
// VARIANT bounded: before launch add %most = arith.constant 1000 : i32 %is = arith.cmpi sle, %n, %most : i32 titan.require %is, "launch-check", "n is small"
// RUN: %variant bounded %s | titan check - --kernel by_launch --require=proved
// Of a lower bound that may be negative, the distance, too: each bound alone fits.
// VARIANT around: before counts add %neg = arith.subi %i0, %n : i32
// VARIANT around: in counts `%i0 to` -> `%neg to`
// VARIANT far: as around
// VARIANT far: before launch add %i0 = arith.constant 0 : i32 %most = arith.constant 1500000000 : i32 %is = arith.cmpi ule, %n, %most : i32 titan.require %is, "launch-check", "n is not negative"
// RUN: %variant far %s | not titan check - --kernel by_launch --require=proved 2>&1 | FileCheck %s --check-prefix=UNPROVED
// VARIANT near: as around
// VARIANT near: before launch add %i0 = arith.constant 0 : i32 %most = arith.constant 1000000000 : i32 %is = arith.cmpi ule, %n, %most : i32 titan.require %is, "launch-check", "n is not negative"
// RUN: %variant near %s | titan check - --kernel by_launch --require=proved

titan.kernel @constants() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %lower = arith.constant -27 : i8 // @lower
  %upper = arith.constant 100 : i8 // @upper
  %step = arith.constant 50 : i8
  scf.for %i = %lower to %upper step %step : i8 {
    titan.cta_sync
  }
  titan.return
}

titan.kernel @by_launch(%n: i32) warps(1) attributes {titan.example = {n = 7 : i32}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1) // @launch
} body() {
  %i0 = arith.constant 0 : i32
  %i3 = arith.constant 3 : i32
  scf.for %i = %i0 to %n step %i3 : i32 { // @counts
    titan.cta_sync
  }
  titan.return
}

titan.kernel @as_while(%n: i32) warps(1) attributes {titan.example = {n = 7 : i32}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i3 = arith.constant 3 : i32
  %last = scf.while (%i = %i0) : (i32) -> i32 {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %i : i32
  } do {
  ^bb0(%i: i32):
    titan.cta_sync
    %next = arith.addi %i, %i3 : i32
    scf.yield %next : i32
  }
  titan.return
}
