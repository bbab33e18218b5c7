// titan.initial: what flags and counters hold at the launch. The checker counts from it; a run fills with it, and refuses
// other contents; the package says it.
//
// RUN: titan check %s | FileCheck %s --check-prefix=ACCEPTED
// ACCEPTED: accepted: 0 errors
// RUN: titan run %s
// RUN: not titan run %s --arg turn=fill:-1 2>&1 | FileCheck %s --check-prefix=CONTENTS
// RUN: not titan run %s --arg turn=zeros 2>&1 | FileCheck %s --check-prefix=ZEROS
// CONTENTS: error: [initial-value] element [0] of 'turn' is -1 at the launch, and begins with 7
// ZEROS: error: [initial-value] element [0] of 'turn' is 0 at the launch, and begins with 7
// RUN: titan run %s --arg turn=fill:7
//
// RUN: titan compile %s -o %t.titanpkg
// RUN: titan inspect %t.titanpkg | FileCheck %s --check-prefix=INSPECT
// INSPECT: turn: i32[4], {{.*}}, each element 7 at the launch
// RUN: titan inspect --json %t.titanpkg | FileCheck %s --check-prefix=JSON
// JSON: "initial": 7
//
// Nobody brings the flag to 9.
// VARIANT nine: replace awaited with %awaited = arith.constant 9 : i32
// RUN: %variant nine %s | not titan check - 2>&1 | FileCheck %s --check-prefix=NINE
// NINE: [deadlock]
// NINE: all signals together bring it to 8
//
// What the signal brings is known behind it: without it the flag holds 7, and a wait for 7 orders nothing.
// VARIANT seven: replace awaited with %awaited = arith.constant 7 : i32
// RUN: %variant seven %s | not titan check - 2>&1 | FileCheck %s --check-prefix=SEVEN
// SEVEN: [race]

// The flag is a number of 32 bits.
// VARIANT large: replace initial with titan.initial = {turn = 2147483647}, titan.example = {data = "4 zeros", result = "4"}
// VARIANT large: replace awaited with %awaited = arith.constant 2147483647 : i32
// RUN: %variant large %s | not titan check - 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: [undecided] with this the flag is 2147483648, which 32 bits do not hold
//
// A run that shows what is refused begins as the kernel says.
// RUN: %variant seven %s > %t.seven.mlir
// RUN: not titan check %t.seven.mlir --replay-out=%t.replay
// RUN: not titan run %t.seven.mlir --replay=%t.replay 2>&1 | FileCheck %s --check-prefix=SEVEN-SHOWN
// SEVEN-SHOWN: error: [race]
//
// A flag starts at 0 where nothing is said.
// VARIANT unsaid: replace initial with titan.example = {data = "4 zeros", result = "4"}
// VARIANT unsaid: replace awaited with %awaited = arith.constant 1 : i32
// RUN: %variant unsaid %s | titan check - | FileCheck %s --check-prefix=ACCEPTED
// RUN: %variant unsaid %s > %t.mlir
// RUN: titan run %t.mlir
// RUN: not titan run %t.mlir --arg turn=fill:1 2>&1 | FileCheck %s --check-prefix=UNSAID
// UNSAID: error: [initial-value] element [0] of 'turn' is 1 at the launch, and begins with 0

!data = !titan.global<4xf32>
!turn = !titan.global<4xi32>

titan.kernel @turns(%data: !data, %result: !data, %turn: !turn) warps(1) attributes {
  titan.initial = {turn = 7}, titan.example = {data = "4 zeros", result = "4"} // @initial
} launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %i1 = arith.constant 1 : i32
  %awaited = arith.constant 8 : i32 // @awaited
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  titan.elect {
    scf.if %first {
      titan.st %f1, %data[%c0] : f32, !data
      titan.flag.signal %turn[%c0], %i1 : !turn
    } else {
      titan.flag.wait %turn[%c0], %awaited : !turn
      %x = titan.ld %data[%c0] : !data -> f32
      titan.st %x, %result[%c0] : f32, !data
    }
  }
  titan.return
}
