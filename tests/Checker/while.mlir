// scf.while in check, run and compile: a loop that counts is an scf.for, one whose condition
// the checker computes is followed; on data and schedules it says so.
// RUN: titan check %s --kernel counts | FileCheck %s --check-prefix=COUNTS
// COUNTS: @counts: accepted: 0 errors
// COUNTS: trip counts checked
// RUN: titan check %s --kernel halves | FileCheck %s --check-prefix=HALVES
// HALVES: @halves: accepted: 0 errors
// RUN: titan run %s --kernel counts | FileCheck %s --check-prefix=RUNS
// RUN: titan run %s --kernel halves | FileCheck %s --check-prefix=RUNS
// RUN: titan run %s --kernel collatz | FileCheck %s --check-prefix=RUNS
// RUNS: verified
// RUN: %if ptxas %{ titan compile --emit=cubin %s -o %t.cubin %}
// RUN: not titan check %s --kernel collatz 2>&1 | FileCheck %s --check-prefix=DATA
// DATA: error: [undecided] how often this loop runs depends on data
// Silenced, that is still not accepted, nor searched, nor proved: nothing was looked at.
// RUN: not titan check %s --kernel collatz --undecided=off | FileCheck %s --check-prefix=OFF
// OFF: @collatz: undecided: 0 errors, 0 warnings; 0 events
// OFF-NEXT: nothing was executed: the kernel was not checked
// OFF-NOT: searched
// RUN: not titan check %s --kernel collatz --undecided=warning --json | FileCheck %s --check-prefix=OFF-JSON
// OFF-JSON: "kernel": "collatz"
// OFF-JSON: "verdict": "undecided"
// OFF-JSON: "verdict": "undecided"
// OFF-JSON-NOT: "searched"
// RUN: titan compile %s --kernel collatz --emit=manifest 2>/dev/null | FileCheck %s --check-prefix=OFF-MANIFEST
// OFF-MANIFEST: "verified":"undecided"
// RUN: not titan check %s --kernel collatz --undecided=off --require=proved 2>&1 | FileCheck %s --check-prefix=ASKED
// ASKED: error: [undecided] not proved
//
// The barrier's parity does not follow: a bug in a loop that counts is found.
// VARIANT parity: replace parity with %parity = arith.constant 0 : i32
// RUN: %variant parity %s | not titan check - --kernel counts 2>&1 | FileCheck %s --check-prefix=PARITY
// PARITY: error: [
// By ult and by ne it is the same loop where n is 0 or more; by ult, else, the search alone has seen it.
// VARIANT slt: before launch add %i0 = arith.constant 0 : i32 %good = arith.cmpi sge, %n, %i0 : i32 titan.require %good, "launch-check", "n counts"
// VARIANT slt: drop store
// RUN: %variant slt %s | titan check - --kernel counts --require=proved | FileCheck %s --check-prefix=PROVED
// VARIANT ult: as slt
// VARIANT ult: in more `slt` -> `ult`
// RUN: %variant ult %s | titan check - --kernel counts --require=proved | FileCheck %s --check-prefix=PROVED
// VARIANT by_ult: in more `slt` -> `ult`
// RUN: %variant by_ult %s | titan run - --kernel counts | FileCheck %s --check-prefix=RUNS
// VARIANT ugt: as slt
// VARIANT ugt: in more `slt, %i, %n` -> `ugt, %n, %i`
// RUN: %variant ugt %s | titan check - --kernel counts --require=proved | FileCheck %s --check-prefix=PROVED
// VARIANT ne: as slt
// VARIANT ne: in more `slt` -> `ne`
// RUN: %variant ne %s | titan check - --kernel counts --require=proved | FileCheck %s --check-prefix=PROVED
// VARIANT by_ne: in more `slt` -> `ne`
// RUN: %variant by_ne %s | titan run - --kernel counts | FileCheck %s --check-prefix=RUNS
// PROVED: @counts: accepted: 0 errors
// PROVED: {{^}}  proved, for every size
// RUN: %variant by_ult %s | titan check - --kernel counts | FileCheck %s --check-prefix=FREE
// FREE: searched, not proved: {{.*}}the bounds of this loop are compared as unsigned numbers, and not shown to be 0 or more (titan.require in the launch region that says so, or a signed comparison)
// By ne a step of more than 1 may go past the bound, as a first number may be behind it.
// VARIANT past: as ne
// VARIANT past: in next `%i1` -> `%n`
// RUN: %variant past %s | not titan check - --kernel counts 2>&1 | FileCheck %s --check-prefix=PAST
// PAST: error: [undecided] how often this loop runs the launch decides, and it is not known to count by steps: by ne it ends only where its counter meets the bound
// PAST: fix: write an scf.for, or a loop whose condition is arith.cmpi slt (or ult) of a counter
// VARIANT from: as ne
// VARIANT from: in loop `%i = %i0` -> `%i = %i1`
// RUN: %variant from %s | not titan check - --kernel counts 2>&1 | FileCheck %s --check-prefix=PAST
// VARIANT sle: in more `slt` -> `sle`
// RUN: %variant sle %s | not titan check - --kernel counts 2>&1 | FileCheck %s --check-prefix=SLE
// SLE: it is not known to count by steps: its counter is compared by sle, and not by slt or ult
//
// The loop has no end.
// VARIANT endless: replace half with %half = arith.ori %n, %i1 : i32
// RUN: %variant endless %s | not titan check - --kernel halves 2>&1 | FileCheck %s --check-prefix=ENDLESS
// ENDLESS: error: [undecided] one warp executes more than

!bar = !titan.mbarrier
!vector = !titan.global<?xi32>

func.func private @expect_n(%n: i32 {titan.input = "n"}, %Y: memref<?xi32> {titan.expected = "Y"}) {
  linalg.fill ins(%n : i32) outs(%Y : memref<?xi32>)
  return
}
func.func private @expect_7(%Y: memref<?xi32> {titan.expected = "Y"}) {
  %seven = arith.constant 7 : i32
  linalg.fill ins(%seven : i32) outs(%Y : memref<?xi32>)
  return
}
func.func private @expect_111(%n: i32 {titan.input = "n"}, %Y: memref<?xi32> {titan.expected = "Y"}) {
  %steps = arith.constant 111 : i32
  linalg.fill ins(%steps : i32) outs(%Y : memref<?xi32>)
  return
}

// A barrier's phases, as many as the launch says.
titan.kernel @counts(%n: i32, %Y: !vector) warps(1) attributes {
  titan.example = {n = 5 : i32, Y = "1"}, titan.reference = @expect_n
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1) // @launch
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %bar count(1) : !bar
    titan.fence.mbarrier_init
    %end:2 = scf.while (%i = %i0, %sum = %i0) : (i32, i32) -> (i32, i32) { // @loop
      %more = arith.cmpi slt, %i, %n : i32 // @more
      scf.condition(%more) %i, %sum : i32, i32
    } do {
    ^bb0(%i: i32, %sum: i32):
      %parity = arith.andi %i, %i1 : i32 // @parity
      titan.mbarrier.arrive %bar : !bar
      titan.mbarrier.wait %bar parity(%parity) : !bar
      %next = arith.addi %i, %i1 : i32 // @next
      %sum2 = arith.addi %sum, %i1 : i32
      scf.yield %next, %sum2 : i32, i32
    }
    titan.st %end#1, %Y[%c0] : i32, !vector // @store
  }
  titan.return
}

// Known by computing it: 100, 50, 25, ..., 0.
titan.kernel @halves(%Y: !vector) warps(1) attributes {
  titan.example = {Y = "1"}, titan.reference = @expect_7
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i100 = arith.constant 100 : i32
  %bar = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %bar count(1) : !bar
    titan.fence.mbarrier_init
    %end:2 = scf.while (%n = %i100, %steps = %i0) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi ne, %n, %i0 : i32
      scf.condition(%more) %n, %steps : i32, i32
    } do {
    ^bb0(%n: i32, %steps: i32):
      %parity = arith.andi %steps, %i1 : i32
      titan.mbarrier.arrive %bar : !bar
      titan.mbarrier.wait %bar parity(%parity) : !bar
      %half = arith.shrui %n, %i1 : i32 // @half
      %steps2 = arith.addi %steps, %i1 : i32
      scf.yield %half, %steps2 : i32, i32
    }
    titan.st %end#1, %Y[%c0] : i32, !vector
  }
  titan.return
}

// Nobody knows; a run does.
titan.kernel @collatz(%n: i32, %Y: !vector) warps(1) attributes {
  titan.example = {n = 27 : i32, Y = "1"}, titan.reference = @expect_111
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i3 = arith.constant 3 : i32
  %bar = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %bar count(1) : !bar
    titan.fence.mbarrier_init
    titan.st %n, %Y[%c0] : i32, !vector
    %first = titan.ld %Y[%c0] : !vector -> i32
    %end:2 = scf.while (%x = %first, %steps = %i0) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi ne, %x, %i1 : i32
      scf.condition(%more) %x, %steps : i32, i32
    } do {
    ^bb0(%x: i32, %steps: i32):
      %parity = arith.andi %steps, %i1 : i32
      titan.mbarrier.arrive %bar : !bar
      titan.mbarrier.wait %bar parity(%parity) : !bar
      %bit = arith.andi %x, %i1 : i32
      %odd = arith.cmpi ne, %bit, %i0 : i32
      %half = arith.shrui %x, %i1 : i32
      %triple = arith.muli %x, %i3 : i32
      %up = arith.addi %triple, %i1 : i32
      %next = arith.select %odd, %up, %half : i32
      %steps2 = arith.addi %steps, %i1 : i32
      scf.yield %next, %steps2 : i32, i32
    }
    titan.st %end#1, %Y[%c0] : i32, !vector
  }
  titan.return
}
