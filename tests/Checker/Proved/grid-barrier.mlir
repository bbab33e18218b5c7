// IDIOM: barriers of the whole grid
//
// All CTAs add 1 to a counter and wait until it has counted all of them, round after round: what each has stored
// before is read by all behind it. All of them have to be there at once.
//
// RUN: titan check %s --require=proved | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @once: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @two: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @rounds: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @columns: accepted
// CHECK: {{^}}  proved, for every size
//
// More CTAs than are there at once.
// VARIANT not_resident: drop fits
// RUN: %variant not_resident %s | not titan check - 2>&1 | FileCheck %s --check-prefix=NOT-RESIDENT
// NOT-RESIDENT: [flag-co-residency]
// As many as any device has at once, without asking it.
// VARIANT asked: before fits add %at_once = arith.cmpi ule, %n, %c64 : index
// VARIANT asked: before fits add %c64 = arith.constant 64 : index
// VARIANT asked: in fits `%fits` -> `%at_once`
// RUN: %variant asked %s | titan check - --kernel once --require=proved | FileCheck %s --check-prefix=ASKED
// ASKED: proved, for every size that the launch admits; assumed: {{.*}}the device has at least 64 multiprocessors
// The barrier lets a CTA pass when one has not come yet.
// VARIANT one_less: in all `%odd, %n` -> `%twice, %n`
// RUN: %variant one_less %s | not titan check - --kernel rounds 2>&1 | FileCheck %s --check-prefix=ONE-LESS
// ONE-LESS: [race]
// It is signalled before the store.
// VARIANT early: drop signal
// VARIANT early: before store add titan.flag.signal %count[%c0], %i1 : !word
// RUN: %variant early %s | not titan check - --kernel rounds 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: [race]
// Twice by each CTA: the first half of them passes without the others.
// VARIANT twice: after signal add titan.flag.signal %count[%c0], %i1 : !word
// RUN: %variant twice %s | not titan check - --kernel rounds 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: [race]
// The next round stores what the others still read.
// VARIANT no_second: drop again
// VARIANT no_second: drop rewait
// VARIANT no_second: in all `%odd, %n` -> `%turn, %n`
// VARIANT no_second: before all add %turn = arith.addi %t, %c1 : index
// RUN: %variant no_second %s | not titan check - --kernel rounds 2>&1 | FileCheck %s --check-prefix=NO-SECOND
// NO-SECOND: [race]
// It begins with one signal more.
// VARIANT begun: in attributes `"sm_90a",` -> `"sm_90a", titan.initial = {count = 1},`
// RUN: %variant begun %s | not titan check - --kernel rounds 2>&1 | FileCheck %s --check-prefix=BEGUN
// BEGUN: [race]
// The second one waits for no more than the first one did.
// VARIANT not_twice: in second `%nn32` -> `%n32`
// RUN: %variant not_twice %s | not titan check - --kernel two 2>&1 | FileCheck %s --check-prefix=NOT-TWICE
// NOT-TWICE: [race]
// Each column's counter is taken for the next one's.
// VARIANT other_column: in column `%flags[%y]` -> `%flags[%z]`
// RUN: %variant other_column %s | not titan check - --kernel columns 2>&1 | FileCheck %s --check-prefix=OTHER-COLUMN
// OTHER-COLUMN: [race] 'titan.ld' reads global memory through the generic proxy that 'titan.st' wrote
// RUN: %variant other_column %s | not titan run - --kernel columns --schedule random:1

!word = !titan.global<1xi32>
!words = !titan.global<?xi32>
!data = !titan.global<?xf32>
!table = !titan.global<?x?xf32>

// One round.
titan.kernel @once(%P: !data, %Y: !data, %count: !word) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 5}, P = "M zeros", Y = "M zeros", count = "1 zeros"}} launch {
  %n = titan.dim %P, 0 : !data
  %ny = titan.dim %Y, 0 : !data
  %same = arith.cmpi eq, %n, %ny : index
  titan.require %same, "launch-check", "Y is as long as P"
  %sms = titan.device_property "multiprocessor_count"
  %fits = arith.cmpi ule, %n, %sms : index
  titan.require %fits, "launch-check", "a CTA for each element at once" // @fits
  %most = arith.constant 2147483647 : index
  %few = arith.cmpi ule, %n, %most : index
  titan.require %few, "launch-check", "few signals"
  titan.launch grid(%n) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %next = arith.addi %cta, %c1 : index
  %neighbour = arith.remui %next, %n : index
  %n32 = arith.index_cast %n : index to i32
  titan.elect warp(0) {
    titan.st %f1, %P[%cta] : f32, !data
    titan.flag.signal %count[%c0], %i1 : !word
    titan.flag.wait %count[%c0], %n32 : !word
    %x = titan.ld %P[%neighbour] : !data -> f32
    titan.st %x, %Y[%cta] : f32, !data
  }
  titan.return
}

// Two barriers in a row, of one counter.
titan.kernel @two(%P: !data, %Y: !data, %count: !word) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 5}, P = "M zeros", Y = "M zeros", count = "1 zeros"}} launch {
  %n = titan.dim %P, 0 : !data
  %ny = titan.dim %Y, 0 : !data
  %same = arith.cmpi eq, %n, %ny : index
  titan.require %same, "launch-check", "Y is as long as P"
  %sms = titan.device_property "multiprocessor_count"
  %fits = arith.cmpi ule, %n, %sms : index
  titan.require %fits, "launch-check", "a CTA for each element at once" // @fits
  %most = arith.constant 1073741823 : index
  %few = arith.cmpi ule, %n, %most : index
  titan.require %few, "launch-check", "few signals"
  titan.launch grid(%n) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %next = arith.addi %cta, %c1 : index
  %neighbour = arith.remui %next, %n : index
  %n32 = arith.index_cast %n : index to i32
  %nn = arith.addi %n, %n : index
  %nn32 = arith.index_cast %nn : index to i32
  titan.elect warp(0) {
    titan.st %f1, %P[%cta] : f32, !data
    titan.flag.signal %count[%c0], %i1 : !word
    titan.flag.wait %count[%c0], %n32 : !word
    %x = titan.ld %P[%neighbour] : !data -> f32
    titan.st %x, %Y[%cta] : f32, !data
    titan.flag.signal %count[%c0], %i1 : !word
    titan.flag.wait %count[%c0], %nn32 : !word // @second
    titan.st %x, %P[%cta] : f32, !data
  }
  titan.return
}

// Two barriers a round: the second one keeps the next round's stores behind this one's reads.
titan.kernel @rounds(%X: !data, %P: !data, %Y: !table, %count: !word) warps(1) attributes {titan.target = "sm_90a", // @attributes
  titan.example = {sizes = {M = 5, R = 3}, X = "R", P = "M zeros", Y = "RxM zeros", count = "1 zeros"}} launch {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = titan.dim %X, 0 : !data
  %n = titan.dim %P, 0 : !data
  %rY = titan.dim %Y, 0 : !table
  %nY = titan.dim %Y, 1 : !table
  %is_rY = arith.cmpi eq, %r, %rY : index
  %is_nY = arith.cmpi eq, %n, %nY : index
  titan.require %is_rY, "launch-check", "Y has a row for each round"
  titan.require %is_nY, "launch-check", "and a column for each CTA"
  %sms = titan.device_property "multiprocessor_count"
  %fits = arith.cmpi ule, %n, %sms : index
  titan.require %fits, "launch-check", "a CTA for each element at once" // @fits
  %signals = arith.muli %n, %r : index
  %all = arith.muli %signals, %c2 : index
  %most = arith.constant 2147483647 : index
  %few = arith.cmpi ule, %all, %most : index
  titan.require %few, "launch-check", "few signals"
  titan.launch grid(%n) with(%n, %r : index, index)
} body(%n: index, %r: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %next = arith.addi %cta, %c1 : index
  %neighbour = arith.remui %next, %n : index
  titan.elect warp(0) {
    scf.for %t = %c0 to %r step %c1 {
      titan.st %f1, %P[%cta] : f32, !data // @store
      titan.flag.signal %count[%c0], %i1 : !word // @signal
      %twice = arith.muli %t, %c2 : index
      %odd = arith.addi %twice, %c1 : index
      %even = arith.addi %twice, %c2 : index
      %all0 = arith.muli %odd, %n : index // @all
      %all1 = arith.muli %even, %n : index
      %all32 = arith.index_cast %all0 : index to i32
      titan.flag.wait %count[%c0], %all32 : !word
      %x = titan.ld %P[%neighbour] : !data -> f32
      titan.st %x, %Y[%t, %cta] : f32, !table
      titan.flag.signal %count[%c0], %i1 : !word // @again
      %more32 = arith.index_cast %all1 : index to i32
      titan.flag.wait %count[%c0], %more32 : !word // @rewait
    }
  }
  titan.return
}

// A grid of rows and columns: a counter for each column, of all CTAs in it.
titan.kernel @columns(%P: !table, %Y: !table, %flags: !words) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 3, N = 2}, P = "MxN zeros", Y = "MxN zeros", flags = "N zeros"}} launch {
  %n = titan.dim %P, 0 : !table
  %m = titan.dim %P, 1 : !table
  %nY = titan.dim %Y, 0 : !table
  %mY = titan.dim %Y, 1 : !table
  %is_nY = arith.cmpi eq, %n, %nY : index
  %is_mY = arith.cmpi eq, %m, %mY : index
  titan.require %is_nY, "launch-check", "Y has the rows of P"
  titan.require %is_mY, "launch-check", "and its columns"
  %size = titan.dim %flags, 0 : !words
  %counted = arith.cmpi eq, %size, %m : index
  titan.require %counted, "launch-check", "a counter for each column"
  %most = arith.constant 1073741824 : index
  %all = arith.muli %n, %m : index
  %few = arith.cmpi ule, %all, %most : index
  titan.require %few, "launch-check", "few signals"
  %sms = titan.device_property "multiprocessor_count"
  %fits = arith.cmpi uge, %sms, %all : index
  titan.require %fits, "launch-check", "a CTA for each element at once" // @fits
  titan.launch grid(%n, %m) with(%n, %m : index, index)
} body(%n: index, %m: index) {
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f32
  %x = titan.cta_id 0
  %y = titan.cta_id 1
  %next = arith.addi %x, %c1 : index
  %neighbour = arith.remui %next, %n : index
  %beside = arith.addi %y, %c1 : index
  %z = arith.remui %beside, %m : index
  %n32 = arith.index_cast %n : index to i32
  titan.elect warp(0) {
    titan.st %f1, %P[%x, %y] : f32, !table
    titan.flag.signal %flags[%y], %i1 : !words
    titan.flag.wait %flags[%y], %n32 : !words // @column
    %v = titan.ld %P[%neighbour, %y] : !table -> f32
    titan.st %v, %Y[%x, %y] : f32, !table
  }
  titan.return
}
