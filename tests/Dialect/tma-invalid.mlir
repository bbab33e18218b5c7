// RUN: titan-opt --split-input-file --verify-diagnostics %s
//
// What the verifiers of tensor maps, TMA copies and bulk groups refuse.

titan.kernel @k(%A: !titan.global<?x?xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  // expected-error@+1 {{[tma-map-type] the box is '!titan.tensor_map<64x64xbf16>', the tensor}}
  %m = titan.tensor_map %A : !titan.global<?x?xf32> -> !titan.tensor_map<64x64xbf16>
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?xbf16>) warps(4) launch {
  %one = arith.constant 1 : index
  // expected-error@+1 {{[tma-map-type] the box is '!titan.tensor_map<64x64xbf16>', the tensor}}
  %m = titan.tensor_map %A : !titan.global<?xbf16> -> !titan.tensor_map<64x64xbf16>
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<64x60xbf16, strides = [60, 1]>) warps(4) launch {
  %one = arith.constant 1 : index
  // expected-error@+1 {{[tma-stride-alignment] globalStrides[0]: stride of 120 bytes is 8 past a multiple of}}
  %m = titan.tensor_map %A : !titan.global<64x60xbf16, strides = [60, 1]> -> !titan.tensor_map<64x32xbf16>
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xi32>) warps(4) launch {
  %one = arith.constant 1 : index
  // expected-error@+1 {{[tma-fill-type] oobFill: elements of s32 cannot be filled with NaN}}
  %m = titan.tensor_map %A {fill = #titan<fill nan>} : !titan.global<?x?xi32> -> !titan.tensor_map<64x32xi32>
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(4) launch {
  %one = arith.constant 1 : index
  // expected-error@+1 {{[tma-l2-promotion] L2 promotion is 0, 64, 128 or 256 bytes}}
  %m = titan.tensor_map %A {l2_promotion = 100 : i64} : !titan.global<?x?xbf16> -> !titan.tensor_map<64x32xbf16>
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(4) launch {
  %one = arith.constant 1 : index
  // expected-error@+1 {{[tma-box-range] boxDim[1]: box extent 512 is not in 1 .. 256 (cuTensorMapEncodeTiled;}}
  %m = titan.tensor_map %A : !titan.global<?x?xbf16> -> !titan.tensor_map<512x64xbf16>
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(4) launch {
  %one = arith.constant 1 : index
  // expected-error@+1 {{[tma-box-bytes] boxDim[0]: 4 elements of bf16 are 8 bytes, no multiple of 16}}
  %m = titan.tensor_map %A : !titan.global<?x?xbf16> -> !titan.tensor_map<64x4xbf16>
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(4) launch {
  %one = arith.constant 1 : index
  // expected-error@+1 {{[tma-box-swizzle] boxDim[0]: 128 elements of bf16 are 256 bytes, but swizzle 128B}}
  %m = titan.tensor_map %A : !titan.global<?x?xbf16> -> !titan.tensor_map<64x128xbf16, swizzle = 128>
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(4) launch {
  %one = arith.constant 1 : index
  // expected-error@+1 {{[tma-rank] a tensor map has 1 to 5 dimensions (cuTensorMapEncodeTiled)}}
  %m = titan.tensor_map %A : !titan.global<?x?xbf16> -> !titan.tensor_map<1x1x1x1x1x64xbf16>
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(4) launch {
  %one = arith.constant 1 : index
  %m = titan.tensor_map %A : !titan.global<?x?xbf16> -> !titan.tensor_map<64x64xbf16, swizzle = 128>
  titan.launch grid(%one) with(%m : !titan.tensor_map<64x64xbf16, swizzle = 128>)
} body(%map: !titan.tensor_map<64x64xbf16, swizzle = 128>) {
  %c = arith.constant 0 : index
  %b = titan.mbarrier.alloc : !titan.mbarrier
  %s = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  // expected-error@+1 {{[tma-coordinate-count] a map of rank 2 needs as many coordinates, not 1}}
  titan.tma.load %map[%c], %s, %b : !titan.tensor_map<64x64xbf16, swizzle = 128>, !titan.shared<64x64xbf16, swizzle = 128>, !titan.mbarrier
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(4) launch {
  %one = arith.constant 1 : index
  %m = titan.tensor_map %A : !titan.global<?x?xbf16> -> !titan.tensor_map<64x64xbf16, swizzle = 128>
  titan.launch grid(%one) with(%m : !titan.tensor_map<64x64xbf16, swizzle = 128>)
} body(%map: !titan.tensor_map<64x64xbf16, swizzle = 128>) {
  %c = arith.constant 0 : index
  %b = titan.mbarrier.alloc : !titan.mbarrier
  %r = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  // expected-error@+1 {{[shared-ring] the buffer is a ring: take a slot first}}
  titan.tma.load %map[%c, %c], %r, %b : !titan.tensor_map<64x64xbf16, swizzle = 128>, !titan.shared<64x64xbf16, swizzle = 128, slots = 2>, !titan.mbarrier
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(4) launch {
  %one = arith.constant 1 : index
  %m = titan.tensor_map %A : !titan.global<?x?xbf16> -> !titan.tensor_map<64x64xbf16, swizzle = 128>
  titan.launch grid(%one) with(%m : !titan.tensor_map<64x64xbf16, swizzle = 128>)
} body(%map: !titan.tensor_map<64x64xbf16, swizzle = 128>) {
  %c = arith.constant 0 : index
  %b = titan.mbarrier.alloc : !titan.mbarrier
  %s = titan.shared.alloc : !titan.shared<64x64xbf16>
  // expected-error@+1 {{[tma-box-mismatch] a copy through '!titan.tensor_map<64x64xbf16, swizzle = 128>'}}
  titan.tma.load %map[%c, %c], %s, %b : !titan.tensor_map<64x64xbf16, swizzle = 128>, !titan.shared<64x64xbf16>, !titan.mbarrier
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(4) launch {
  %one = arith.constant 1 : index
  %m = titan.tensor_map %A : !titan.global<?x?xbf16> -> !titan.tensor_map<64x64xbf16, swizzle = 128>
  titan.launch grid(%one) with(%m : !titan.tensor_map<64x64xbf16, swizzle = 128>)
} body(%map: !titan.tensor_map<64x64xbf16, swizzle = 128>) {
  %c = arith.constant 0 : index
  %b = titan.mbarrier.alloc : !titan.mbarrier
  %s = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %four = arith.constant 4 : index
  // expected-error@+1 {{[tma-coordinate-alignment] tensorCoords[0]: coordinate 4 of bf16 is 8 bytes from the}}
  titan.tma.load %map[%c, %four], %s, %b : !titan.tensor_map<64x64xbf16, swizzle = 128>, !titan.shared<64x64xbf16, swizzle = 128>, !titan.mbarrier
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(4) launch {
  %one = arith.constant 1 : index
  %m = titan.tensor_map %A : !titan.global<?x?xbf16> -> !titan.tensor_map<64x64xbf16, swizzle = 128>
  titan.launch grid(%one) with(%m : !titan.tensor_map<64x64xbf16, swizzle = 128>)
} body(%map: !titan.tensor_map<64x64xbf16, swizzle = 128>) {
  %c = arith.constant 0 : index
  %b = titan.mbarrier.alloc : !titan.mbarrier<4>
  %s = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  // expected-error@+1 {{[barrier-slot] a ring of 4 barriers needs an index}}
  titan.tma.load %map[%c, %c], %s, %b : !titan.tensor_map<64x64xbf16, swizzle = 128>, !titan.shared<64x64xbf16, swizzle = 128>, !titan.mbarrier<4>
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(4) launch {
  %one = arith.constant 1 : index
  %m = titan.tensor_map %A : !titan.global<?x?xbf16> -> !titan.tensor_map<64x64xbf16, swizzle = 128>
  titan.launch grid(%one) with(%m : !titan.tensor_map<64x64xbf16, swizzle = 128>)
} body(%map: !titan.tensor_map<64x64xbf16, swizzle = 128>) {
  %c = arith.constant 0 : index
  %b = titan.mbarrier.alloc : !titan.mbarrier
  %s = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %i = arith.constant 0 : i32
  %p = titan.map_rank %b, %i : !titan.mbarrier -> !titan.mbarrier<cluster>
  // expected-error@+1 {{[tma-load-remote] the buffer and the barrier are the executing CTA's; a peer is}}
  titan.tma.load %map[%c, %c], %s, %p : !titan.tensor_map<64x64xbf16, swizzle = 128>, !titan.shared<64x64xbf16, swizzle = 128>, !titan.mbarrier<cluster>
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(4) launch {
  %one = arith.constant 1 : index
  %m = titan.tensor_map %A : !titan.global<?x?xbf16> -> !titan.tensor_map<64x64xbf16, swizzle = 128>
  titan.launch grid(%one) with(%m : !titan.tensor_map<64x64xbf16, swizzle = 128>)
} body(%map: !titan.tensor_map<64x64xbf16, swizzle = 128>) {
  %n = arith.constant -8 : index
  %s = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  // expected-error@+1 {{[tma-store-negative] tensorCoords[0]: a store starts at coordinate -8 (PTX ISA,}}
  titan.tma.store %s, %map[%n, %n] : !titan.shared<64x64xbf16, swizzle = 128>, !titan.tensor_map<64x64xbf16, swizzle = 128>
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(4) launch {
  %one = arith.constant 1 : index
  %m = titan.tensor_map %A : !titan.global<?x?xbf16> -> !titan.tensor_map<64x64xbf16, swizzle = 128>
  titan.launch grid(%one) with(%m : !titan.tensor_map<64x64xbf16, swizzle = 128>)
} body(%map: !titan.tensor_map<64x64xbf16, swizzle = 128>) {
  %c = arith.constant 0 : index
  %i = arith.constant 0 : i32
  %s = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %q = titan.map_rank %s, %i : !titan.shared<64x64xbf16, swizzle = 128> -> !titan.shared<64x64xbf16, swizzle = 128, cluster>
  // expected-error@+1 {{[tma-store-remote] the source of a store is the executing CTA's shared memory}}
  titan.tma.store %q, %map[%c, %c] : !titan.shared<64x64xbf16, swizzle = 128, cluster>, !titan.tensor_map<64x64xbf16, swizzle = 128>
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(4) launch {
  %one = arith.constant 1 : index
  %m = titan.tensor_map %A : !titan.global<?x?xbf16> -> !titan.tensor_map<64x64xbf16, swizzle = 128>
  titan.launch grid(%one) with(%m : !titan.tensor_map<64x64xbf16, swizzle = 128>)
} body(%map: !titan.tensor_map<64x64xbf16, swizzle = 128>) {
  %c = arith.constant 0 : index
  %s = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  // expected-error@+1 {{[tma-reduce-type] no reduction 'exch' of 'bf16' (PTX ISA, cp.reduce.async.bulk.tensor)}}
  titan.tma.reduce exch %s, %map[%c, %c] : !titan.shared<64x64xbf16, swizzle = 128>, !titan.tensor_map<64x64xbf16, swizzle = 128>
  titan.return
}

// -----

// expected-error@+1 {{[token-kind] the token is of kind 'mma', and this operation's are of kind 'bulk'}}
%t = titan.bulk.commit : !titan.token<mma>
// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %t = titan.token.none : !titan.token<mma>
  // expected-error@+1 {{[token-kind] the token is of kind 'mma', and this operation's are of kind 'bulk'}}
  titan.bulk.wait %t : !titan.token<mma>
  titan.return
}

// -----

// expected-error@+1 {{[group-pending] the number of pending groups is 0 to 2^31 - 1}}
titan.bulk.wait_group -1