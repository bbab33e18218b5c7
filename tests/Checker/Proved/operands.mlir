// What an operation asks of its operands is proved, or the program is not: nothing clips a bulk copy, a divisor is not
// 0, a shift is by less than the bits, in bodies that touch nothing, too.
//
// RUN: titan check %s --kernel within --require=proved
// RUN: titan check %s --kernel divided --require=proved
// RUN: titan check %s --kernel anywhere --require=searched | FileCheck %s --check-prefix=ANYWHERE
// RUN: not titan check %s --kernel zero 2>&1 | FileCheck %s --check-prefix=FOUND
// RUN: titan check %s --kernel by_zero --require=searched --undecided=warning | FileCheck %s --check-prefix=ZERO
// RUN: titan check %s --kernel in_a_loop --require=searched --undecided=warning | FileCheck %s --check-prefix=LOOP
// RUN: titan check %s --kernel too_far --require=searched --undecided=warning | FileCheck %s --check-prefix=FAR
// ANYWHERE: searched, not proved: {{.*}}dimension 0 of what this copies is not shown to lie inside of the tensor
// FOUND: error: [undecided] 'arith.divui' of 1 and 0 has no result
// ZERO: searched, not proved: {{.*}}the divisor is not shown to be positive
// LOOP: searched, not proved: {{.*}}the divisor is not shown to be positive
// FAR: searched, not proved: {{.*}}by how much this shifts is not shown

!vec = !titan.global<?xf32>
!row = !titan.shared<512xf32>

// As long as it has to be.
titan.kernel @within(%X: !vec, %Y: !vec, %s: i32) warps(1) attributes {titan.alignment = {X = 16, Y = 16}} launch {
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %n = titan.dim %X, 0 : !vec
  %long = arith.cmpi uge, %n, %c512 : index
  titan.require %long, "launch-check", "X has 512 elements"
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %bytes = arith.constant 2048 : i32
  %mine = titan.shared.alloc : !row
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.bulk.load %X[%c0], %mine, %full : !vec, !row, !titan.mbarrier
    titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier
  }
  titan.return
}

// Of any length.
titan.kernel @anywhere(%X: !vec, %Y: !vec, %s: i32) warps(1) attributes {titan.alignment = {X = 16, Y = 16}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %bytes = arith.constant 2048 : i32
  %mine = titan.shared.alloc : !row
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.bulk.load %X[%c0], %mine, %full : !vec, !row, !titan.mbarrier
    titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier
  }
  titan.return
}

// By at least 1.
titan.kernel @divided(%X: !vec, %Y: !vec, %s: i32) warps(1) attributes {titan.alignment = {X = 16, Y = 16}} launch {
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %some = arith.cmpi sge, %s, %i1 : i32
  titan.require %some, "launch-check", "s is at least 1"
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %bytes = arith.constant 2048 : i32
  %q = arith.divui %i1, %s : i32
  titan.print "q", %q : i32
  titan.return
}

// s may be 0.
titan.kernel @zero(%X: !vec, %Y: !vec, %s: i32) warps(1) attributes {titan.alignment = {X = 16, Y = 16}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %bytes = arith.constant 2048 : i32
  %q = arith.divui %i1, %s : i32
  titan.print "q", %q : i32
  titan.return
}

// No launch has it 0, and the proof does not see that.
titan.kernel @by_zero(%X: !vec, %Y: !vec, %s: i32) warps(1) attributes {titan.alignment = {X = 16, Y = 16}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %bytes = arith.constant 2048 : i32
  %odd = arith.ori %s, %i1 : i32
  %q = arith.divui %i1, %odd : i32
  titan.print "q", %q : i32
  titan.return
}

// In a loop that does nothing else.
titan.kernel @in_a_loop(%X: !vec, %Y: !vec, %s: i32) warps(1) attributes {titan.alignment = {X = 16, Y = 16}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %bytes = arith.constant 2048 : i32
  %c1b = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1b {
    %odd = arith.ori %s, %i1 : i32
    %q = arith.remui %i1, %odd : i32
  }
  titan.return
}

// By less than 32 bits, which the proof does not see.
titan.kernel @too_far(%X: !vec, %Y: !vec, %s: i32) warps(1) attributes {titan.alignment = {X = 16, Y = 16}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %bytes = arith.constant 2048 : i32
  %i27 = arith.constant 27 : i32
  %odd = arith.ori %s, %i1 : i32
  %some = arith.shrui %odd, %i27 : i32
  %q = arith.shli %i1, %some : i32
  titan.print "q", %q : i32
  titan.return
}
