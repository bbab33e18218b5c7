// RUN: titan-opt %s --split-input-file --verify-diagnostics
//
// Copies between two places, and runs of elements, that break a rule.

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[copy-form] both places are tensors in global memory: copy to a tile, in shared memory or in registers, and on}}
  titan.copy %A to %A : !matrix, !matrix
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[shared-ring] the source is a ring: take a slot first}}
  titan.copy %r to %A : !ring, !matrix
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[copy-region] the source has elements of f16, the target of bf16: a copy moves them as they are}}
  titan.copy %a to %C : !tile, !titan.global<128x64xbf16>
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[copy-region] the source has 2 dimensions and 1 offsets}}
  titan.copy %A[%c0] to %a : !matrix, !tile
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[copy-region] both places have offsets: say how large the region is, extents [128, 32]}}
  titan.copy_async %a[%c0, %c0] to %b[%c0, %c0] rank(%i1) signals %full : !tile, !tile, !titan.mbarrier
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[copy-region] a region of 3 dimensions, and the source has 2}}
  titan.copy_async %a to %b extents [1, 8, 8] rank(%i1) signals %full : !tile, !tile, !titan.mbarrier
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[copy-region] extent 0}}
  titan.copy_async %a to %b extents [0, 8] rank(%i1) signals %full : !tile, !tile, !titan.mbarrier
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+2 {{[copy-region] `extents []` says no region}}
  // expected-note @+1 {{fix: give one extent a dimension, extents [128, 32], or leave `extents` out}}
  titan.copy_async %a to %b extents [] rank(%i1) signals %full : !tile, !tile, !titan.mbarrier
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %half = titan.shared.alloc : !titan.shared<64x64xf16>
  // expected-error @+2 {{[copy-region] the source is 64x64, the target 128x64, and nothing says which part}}
  // expected-note @+1 {{fix: say which region, extents [64, 64], or give both one shape, by the type or by `as`}}
  titan.copy %half to %a : !titan.shared<64x64xf16>, !tile
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %room = titan.shared.alloc : !titan.shared<8192xf16>
  // expected-error @+2 {{[copy-region] the source is 128x64, the target 8192, and nothing says which part}}
  // expected-note @+1 {{fix: give both one shape, by the type or by `as`}}
  titan.copy %a to %room : !tile, !titan.shared<8192xf16>
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // Registers are copied whole.
  %half = titan.shared.alloc : !titan.shared<64x64xf16>
  // expected-error @+2 {{[copy-region] the source is 64x64, the target 128x64, and nothing says which part}}
  // expected-note @+1 {{fix: give both one shape, by the type or by `as`}}
  %v = titan.copy %half : !titan.shared<64x64xf16> -> tensor<128x64xf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>>
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // The region is the whole operand's.
  %half = titan.shared.alloc : !titan.shared<64x64xf16>
  // expected-error @+2 {{[out-of-bounds] dimension 0 of the target: 0 + 128 leaves its 64: the region is 128x64, and the target 64x64}}
  // expected-note @+1 {{fix: let the region lie in the target: smaller extents, or another offset}}
  titan.copy %a to %half[%c0, %c0] : !tile, !titan.shared<64x64xf16>
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+2 {{[out-of-bounds] dimension 1 of the source: 32 + 64 leaves its 64}}
  // expected-note @+1 {{fix: let the region lie in the source: smaller extents, or another offset}}
  titan.copy_async %a[%c0, %c32] to %b extents [128, 64] rank(%i1) signals %full : !tile, !tile, !titan.mbarrier
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+2 {{[out-of-bounds] dimension 0 of the source: 0 + 256 leaves its 128}}
  // expected-note @+1 {{fix: let the region lie in the source: smaller extents, or another offset}}
  titan.copy_async %a to %b extents [256, 8] rank(%i1) signals %full : !tile, !tile, !titan.mbarrier
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[copy-region] a tensor in global memory has its own layout}}
  titan.copy %A as #titan.layout<"r: 128*b128; c: 64*b2"> to %a : !matrix, !tile
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[layout-syntax]}}
  titan.copy_async %a as #titan.layout<"r: 128*"> to %b rank(%i1) signals %full : !tile, !tile, !titan.mbarrier
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[copy-region] the layout of the source has an axis a dimension of the tile, and sends elements to bytes, one dimension}}
  titan.copy_async %a as #titan.layout<"reg: 2*c1; lane: 4*c2, 8*r1"> to %b rank(%i1) signals %full : !tile, !tile, !titan.mbarrier
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[copy-region] the layout of the target steps by bytes that are no multiples of an element's 2}}
  titan.copy_async %a to %b as #titan.layout<"r: 128*b64; c: 64*b1"> rank(%i1) signals %full : !tile, !tile, !titan.mbarrier
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[copy-region] the layout of the target reaches byte 32639 of a buffer of 16384}}
  titan.copy_async %a to %b as #titan.layout<"r: 128*b256; c: 64*b2"> rank(%i1) signals %full : !tile, !tile, !titan.mbarrier
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[copy-region] the target's layout sends two elements to one byte}}
  titan.copy_async %a to %b as #titan.layout<"r: 128*b64; c: 64*b2"> rank(%i1) signals %full : !tile, !tile, !titan.mbarrier
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[copy-form] `at` gives the loops of a schedule their indices, and there is no schedule}}
  titan.copy_async %a at(M = %c0) to %b rank(%i1) signals %full : !tile, !tile, !titan.mbarrier
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[not-supported-yet] weak, strong and fill of a copy without a schedule}}
  titan.copy_async %a to %b rank(%i1) signals %full strong : !tile, !tile, !titan.mbarrier
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %far = titan.map_rank %full, %i1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  // expected-error @+1 {{[copy-form] `signals` names the barrier as the executing CTA does; `rank` says whose it is}}
  titan.copy_async %a to %b rank(%i1) signals %far : !tile, !tile, !titan.mbarrier<cluster>
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[copy-form] offsets, `as`, `extents` and `rank` are of copies between two places}}
  titan.copy_async %a to %A extents [128, 64] schedule(#titan.schedule<tensor M x N bulk M, N>) : !tile, !matrix
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[shared-ring] the buffer is a ring: take a slot first}}
  %x = titan.shared.run %r[%c0 : index] : !ring -> !titan.shared<32xf16>
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[shared-run] a run of '!titan.shared<128x64xf16>' is '!titan.shared<16xf16>', of as many elements as it has, not '!titan.shared<16x16xf16>'}}
  %x = titan.shared.run %a[%c0 : index] : !tile -> !titan.shared<16x16xf16>
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+2 {{[out-of-bounds] a run of 32 elements from element 8192 on leaves the buffer, of 8192}}
  // expected-note@+1 {{fix: a run of 32 elements begins at 0 to 8160}}
  %x = titan.shared.run %a[%c8192 : index] : !tile -> !titan.shared<32xf16>
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %d = titan.cta_id 0
  // expected-error @+2 {{[out-of-bounds] a run of 8200 elements leaves the buffer, of 8192}}
  // expected-note@+1 {{fix: a run has at most the buffer's 8192 elements}}
  %x = titan.shared.run %a[%d : index] : !tile -> !titan.shared<8200xf16>
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[bulk-alignment] the run begins at byte 8, no multiple of 16 (PTX ISA, cp.async.bulk)}}
  %x = titan.shared.run %a[%c4 : index] : !tile -> !titan.shared<32xf16>
  titan.return
}

// -----

!matrix = !titan.global<128x64xf16>
!tile = !titan.shared<128x64xf16>
!ring = !titan.shared<128x64xf16, slots = 2>
titan.kernel @k(%A: !matrix, %C: !titan.global<128x64xbf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c8192 = arith.constant 8192 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %r = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !titan.shared<128x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[shared-run] only bulk copies take a run, and titan.shared.load is none}}
  %x = titan.shared.run %a[%c0 : index] : !tile -> !titan.shared<32xf16>
  %y = titan.shared.load %x : !titan.shared<32xf16> -> tensor<32xf16, #titan.blocked<elements = [1], lanes = [32], warps = [1]>>
  titan.return
}
