// RUN: titan-opt %s --pass-pipeline='builtin.module(titan.kernel(titan-lower-copies))' --split-input-file --verify-diagnostics
//
// What the verifier of a copy does not see: what its buffer is used for.

// A product sums over the rows of the tile, every third of 47: no predicate separates
// them.
#tile = #titan.schedule<tensor K x M
  J, B = split(K, 47) T, S = split(B, 3)
  Mo, Mi = split(M, 64)
  bulk T, Mi>
!x = !titan.global<640x64xbf16>
!a = !titan.shared<16x64xbf16, swizzle = 128>
!b = !titan.shared<64x16xbf16, swizzle = 32>
!sums = !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
titan.kernel @product(%X: !x) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %ring = titan.shared.alloc : !titan.shared<16x64xbf16, swizzle = 128, slots = 2>
  %b = titan.shared.alloc : !b
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %a = titan.shared.slot %ring[%c0 : index] : !titan.shared<16x64xbf16, swizzle = 128, slots = 2> -> !a
  titan.elect warp(0) {
    // expected-error @+2 {{[tma-strong] dimension 1, K{640}: boxes of 47 with element stride 3: the tile at coordinate 2 holds element 2 and, in a hole that has to be filled, element 47}}
    // expected-note @+1 {{fix: take boxes of 45 or 48 instead of 47, which the element stride 3 divides; or ask for weak, where no reduction reads the holes}}
    titan.copy_async %X at(J = %c0, S = %c0) to %a signals %full schedule(#tile) : !x, !a, !titan.mbarrier
  }
  %none = titan.inflight.none : !sums
  %sums = titan.mma %a transpose_a, %b, %none : !a, !b, !sums -> !sums
  titan.return
}

// -----

// A maximum wants minus infinity in its holes: `weak`, and a mask in registers.
#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 16) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xf32>
!a = !titan.shared<16x64xf32>
!regs = tensor<16x64xf32, #titan.blocked<elements = [1, 4], lanes = [2, 16], warps = [1, 1]>>
titan.kernel @maximum(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %a = titan.shared.alloc : !a
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    // expected-error @+1 {{[tma-fill-value] titan.reduce max wants holes to be a value that is neither zero nor NaN; TMA fills with zero or NaN}}
    titan.copy_async %X at(Mo = %c0, Ko = %c0) to %a signals %full schedule(#tile) : !x, !a, !titan.mbarrier
    titan.copy_async %X at(Mo = %c0, Ko = %c0) to %a signals %full schedule(#tile) weak : !x, !a, !titan.mbarrier
  }
  %v = titan.shared.load %a : !a -> !regs
  %m = titan.reduce max %v : !regs -> !regs
  titan.return
}

// -----

// A sum along K has no use for NaN.
#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 16) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xf32>
!a = !titan.shared<16x64xf32>
!regs = tensor<16x64xf32, #titan.blocked<elements = [1, 4], lanes = [2, 16], warps = [1, 1]>>
titan.kernel @nan(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %a = titan.shared.alloc : !a
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    // expected-error @+1 {{[tma-fill-value] the attribute wants holes to be NaN, titan.reduce add wants zero}}
    titan.copy_async %X at(Mo = %c0, Ko = %c0) to %a signals %full schedule(#tile) fill(nan) : !x, !a, !titan.mbarrier
  }
  %v = titan.shared.load %a : !a -> !regs
  %m = titan.reduce add %v : !regs -> !regs
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 130) bulk Mi, K>
!x = !titan.global<?x288xf32>
!a = !titan.shared<130x288xf32>
titan.kernel @boxes(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %a = titan.shared.alloc : !a
  titan.elect {
    // expected-error @+1 {{[not-supported-yet] a tile of more than 256 boxes}}
    titan.copy_async %a to %X at(Mo = %c0) schedule(#tile) : !a, !x
  }
  titan.return
}

// -----

// A box of 200 rows of 4 is no part of an array of 32 x 75.
#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 600) bulk Mi, K>
!x = !titan.global<?x4xf32>
!a = !titan.shared<32x75xf32>
titan.kernel @part(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %a = titan.shared.alloc : !a
  titan.elect {
    // expected-error @+1 {{[not-supported-yet] a box at byte 0 of the buffer, which is no view of it}}
    titan.copy_async %a to %X at(Mo = %c0) schedule(#tile) : !a, !x
  }
  titan.return
}

// -----

// What is left of a tile ends where the next one begins, which has to be a multiple of
// 128 bytes.
#tile = #titan.schedule<tensor N x M x J bulk N, M, J>
!x = !titan.global<2x257x4xf32, strides = [2048, 4, 1]>
!a = !titan.shared<2x257x4xf32>
titan.kernel @rest(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !a
  titan.elect {
    // expected-error @+1 {{[tma-schedule] boxDim: no boxes make up the tile M{257}. A box has at most 256 elements. Each box begins at a multiple of 128 bytes: all but the last have a multiple of 8 elements. So has the tile: boxes of the next one follow. 256 or 264 elements would do}}
    titan.copy_async %a to %X schedule(#tile) : !a, !x
  }
  titan.return
}

// -----

// Rows that overlap are loaded, and not stored to.
#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 8) bulk Mi, K>
!x = !titan.global<32x8xf32, strides = [4, 1]>
!a = !titan.shared<8x8xf32>
!full = !titan.mbarrier
titan.kernel @overlap(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %a = titan.shared.alloc : !a
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.copy_async %X at(Mo = %c0) to %a signals %full schedule(#tile) : !x, !a, !full
    // expected-error @+1 {{[tma-store-overlap] globalStrides: two elements share bytes, the second one 1 along M{32} (stride 16 bytes), -4 along K{8} (stride 4 bytes) from the first}}
    titan.copy_async %a to %X at(Mo = %c0) schedule(#tile) : !a, !x
  }
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 8) bulk Mi, K>
!x = !titan.global<32x8xi32, strides = [0, 1]>
!a = !titan.shared<8x8xi32>
titan.kernel @all_in_one(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %a = titan.shared.alloc : !a
  titan.elect {
    // expected-error @+1 {{[tma-store-overlap] globalStrides: two elements share bytes, the second one 1 along M{32} (stride 0 bytes) from the first}}
    titan.copy_async %a to %X at(Mo = %c0) schedule(#tile) reduce(add) : !a, !x
  }
  titan.return
}
