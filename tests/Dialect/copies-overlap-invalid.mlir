// RUN: titan-opt %s --split-input-file --verify-diagnostics
//
// Copies within one buffer: regions that may overlap, and (last) some that do not.

!tile = !titan.shared<16x24xf16>
titan.kernel @rows(%A: !titan.global<16x24xf16>) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = titan.shared.alloc : !tile
  // expected-error @+1 {{[copy-overlap] the source and the target are places of one buffer, and no dimension's constant offsets keep them apart}}
  titan.copy %t[%c0, %c0] to %t[%c1, %c0] extents [15, 24] : !tile, !tile
  titan.return
}

// -----

!tile = !titan.shared<16x24xf16>
titan.kernel @unknown(%A: !titan.global<16x24xf16>) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !tile
  %at = titan.cta_id 0
  // expected-error @+1 {{[copy-overlap]}}
  titan.copy %t[%at, %c0] to %t[%c0, %c0] extents [4, 24] : !tile, !tile
  titan.return
}

// -----

!tile = !titan.shared<16x16xf16>
titan.kernel @relaid(%A: !titan.global<16x16xf16>) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %t = titan.shared.alloc : !tile
  // expected-error @+1 {{[copy-overlap]}}
  titan.copy %t to %t as #titan.layout<"c: 16*b32; r: 16*b2"> : !tile, !tile
  titan.return
}

// -----

!ring = !titan.shared<16x24xf16, slots = 2>
!tile = !titan.shared<16x24xf16>
titan.kernel @slots(%A: !titan.global<16x24xf16>) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %i1 = arith.constant 1 : i32
  %r = titan.shared.alloc : !ring
  %a = titan.slot %r[%i1] : !ring
  %b = titan.slot %r[%i1] : !ring
  // expected-error @+1 {{[copy-overlap]}}
  titan.copy %a to %b : !tile, !tile
  titan.return
}

// -----

!ring = !titan.shared<16x24xf16, slots = 2>
!tile = !titan.shared<16x24xf16>
titan.kernel @apart(%A: !titan.global<16x24xf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %r = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %a = titan.slot %r[%i0] : !ring
  %b = titan.slot %r[%i1] : !ring
  titan.copy %a to %b : !tile, !tile
  titan.copy %a[%c0, %c0] to %a[%c8, %c0] extents [8, 24] : !tile, !tile
  // The peer's buffer of the same name.
  titan.copy_async %a to %a rank(%i1) signals %full : !tile, !tile, !titan.mbarrier
  titan.return
}
