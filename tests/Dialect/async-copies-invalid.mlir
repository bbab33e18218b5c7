// RUN: titan-opt --split-input-file --verify-diagnostics %s
//
// What the verifiers of cp.async, bulk copies, st.async and red.async refuse.

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  // expected-error@+1 {{[cp-async-size] a thread copies 4, 8 or 16 bytes, not 12 (PTX ISA, cp.async)}}
  titan.cp_async %A[%i, %j], %buf bytes(12) : !titan.global<?x?xbf16>, tensor<64x64xi32, #rows>, tensor<64x64xi32, #rows> -> !titan.shared<64x64xbf16>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  // expected-error@+1 {{[cp-async-size] `cg` copies 16 bytes, not 8 (PTX ISA, cp.async)}}
  titan.cp_async %A[%i, %j], %buf bytes(8) cg : !titan.global<?x?xbf16>, tensor<64x64xi32, #rows>, tensor<64x64xi32, #rows> -> !titan.shared<64x64xbf16>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %r1 = arith.constant 1 : i32
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  // expected-error@+1 {{[cp-async-remote] the destination is the executing CTA's shared memory (PTX ISA,}}
  titan.cp_async %A[%i, %j], %peer bytes(16) : !titan.global<?x?xbf16>, tensor<64x64xi32, #rows>, tensor<64x64xi32, #rows> -> !titan.shared<64x64xbf16, cluster>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  %ring = titan.shared.alloc : !titan.shared<64x64xbf16, slots = 2>
  // expected-error@+1 {{[shared-ring] the buffer is a ring: take a slot first}}
  titan.cp_async %A[%i, %j], %ring bytes(16) : !titan.global<?x?xbf16>, tensor<64x64xi32, #rows>, tensor<64x64xi32, #rows> -> !titan.shared<64x64xbf16, slots = 2>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  // expected-error@+1 {{[global-rank] a tensor of rank 2 needs as many index tensors, not 1}}
  titan.cp_async %A[%i], %buf bytes(16) : !titan.global<?x?xbf16>, tensor<64x64xi32, #rows> -> !titan.shared<64x64xbf16>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  %half = titan.shared.alloc : !titan.shared<32x64xbf16>
  // expected-error@+1 {{[shared-tile-type] the tile is 'tensor<64x64xbf16, #titan.blocked<elements = [1, 8],}}
  titan.cp_async %A[%i, %j], %half bytes(16) : !titan.global<?x?xbf16>, tensor<64x64xi32, #rows>, tensor<64x64xi32, #rows> -> !titan.shared<32x64xbf16>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  // expected-error@+2 {{[global-element-type] the tile holds 'bf16', the tensor 'i32'}}
  // expected-note@+1 {{fix: move a tile of the tensor's type}}
  titan.cp_async %C[%i, %j], %buf bytes(16) : !titan.global<?x?xi32>, tensor<64x64xi32, #rows>, tensor<64x64xi32, #rows> -> !titan.shared<64x64xbf16>
  titan.return
}

// -----

#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %k = titan.coordinate 0 : tensor<64x64xi32, #lone>
  // expected-error@+2 {{[cp-async-layout] 4 bytes are copied at a time, and the layout gives each thread 1}}
  // expected-note @+1 {{fix: choose a layout whose registers begin with 2 elements}}
  titan.cp_async %A[%k, %k], %buf bytes(4) : !titan.global<?x?xbf16>, tensor<64x64xi32, #lone>, tensor<64x64xi32, #lone> -> !titan.shared<64x64xbf16>
  titan.return
}

// -----

titan.kernel @k() warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  // expected-error@+1 {{[token-kind] the token is of kind 'bulk', and this operation's are of kind 'async'}}
  %g = titan.cp_async.commit : !titan.token<bulk>
  titan.return
}

// -----

titan.kernel @k() warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  // expected-error@+1 {{[barrier-remote] not possible on a peer CTA's barrier (PTX ISA,}}
  titan.cp_async.mbarrier_arrive %there : !titan.mbarrier<cluster>
  titan.return
}

// -----

titan.kernel @k() warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %two = titan.mbarrier.alloc : !titan.mbarrier<2>
  // expected-error@+1 {{[barrier-slot] a ring of 2 barriers needs an index}}
  titan.cp_async.mbarrier_arrive %two noinc : !titan.mbarrier<2>
  titan.return
}

// -----

titan.kernel @k() warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %r0 = arith.constant 0 : i32
  %two = titan.mbarrier.alloc : !titan.mbarrier<2>
  // expected-error@+1 {{[barrier-slot] a ring of 2 barriers needs an index}}
  titan.mbarrier.complete_tx %two, %r0 : !titan.mbarrier<2>
  titan.return
}

// -----

titan.kernel @k() warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error@+2 {{[barrier-range] the count of an arrive is 1 to 2^20 - 1, not 0}}
  // expected-note @+1 {{fix: leave the count away}}
  titan.mbarrier.arrive_drop %bar {count = 0 : i64} : !titan.mbarrier
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  // expected-error@+1 {{[bulk-run] the box takes 64 elements of dimension 1 and more than one of a dimension}}
  titan.bulk.load %A[%c0, %c0], %buf, %bar : !titan.global<?x?xbf16>, !titan.shared<64x64xbf16>, !titan.mbarrier
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x64xbf16>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  // expected-error@+1 {{[bulk-run] the tensor's type does not say that its dimension 0 is packed (a stride of}}
  titan.bulk.load %A[%c0, %c0], %buf, %bar : !titan.global<?x64xbf16>, !titan.shared<64x64xbf16>, !titan.mbarrier
  titan.return
}

// -----

titan.kernel @k(%B: !titan.global<?x64xbf16, strides = [64, 1]>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %part = titan.shared.alloc : !titan.shared<4x32xbf16>
  // expected-error@+1 {{[bulk-run] the box takes 32 elements of dimension 1 and more than one of a dimension}}
  titan.bulk.store %part, %B[%c0, %c0] : !titan.shared<4x32xbf16>, !titan.global<?x64xbf16, strides = [64, 1]>
  titan.return
}

// -----

titan.kernel @k(%B: !titan.global<?x64xbf16, strides = [64, 1]>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %sw = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  // expected-error@+1 {{[bulk-run] a bulk copy moves bytes as they are, and the buffer has a swizzle: copy}}
  titan.bulk.load %B[%c0, %c0], %sw, %bar : !titan.global<?x64xbf16, strides = [64, 1]>, !titan.shared<64x64xbf16, swizzle = 128>, !titan.mbarrier
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %odd = titan.shared.alloc : !titan.shared<4xbf16>
  // expected-error@+1 {{[bulk-alignment] a bulk copy moves a multiple of 16 bytes, not 8 (PTX ISA,}}
  titan.bulk.load %A[%c0, %c0], %odd, %bar : !titan.global<?x?xbf16>, !titan.shared<4xbf16>, !titan.mbarrier
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %line = titan.shared.alloc : !titan.shared<32xbf16>
  // expected-error@+1 {{[bulk-alignment] coordinate 1 is 1: the run begins at a byte that is no multiple of}}
  titan.bulk.load %A[%c0, %c1], %line, %bar : !titan.global<?x?xbf16>, !titan.shared<32xbf16>, !titan.mbarrier
  titan.return
}

// -----

titan.kernel @k(%B: !titan.global<?x64xbf16, strides = [64, 1]>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %line = titan.shared.alloc : !titan.shared<64xbf16>
  %c8 = arith.constant 8 : index
  // expected-error@+1 {{[out-of-bounds] dimension 1: 8 + 64 leaves the tensor's 64}}
  titan.bulk.store %line, %B[%c0, %c8] : !titan.shared<64xbf16>, !titan.global<?x64xbf16, strides = [64, 1]>
  titan.return
}

// -----

titan.kernel @k(%B: !titan.global<?x64xbf16, strides = [64, 1]>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  // expected-error@+1 {{[bulk-remote] the buffer is the executing CTA's: a peer is reached by `multicast`, or}}
  titan.bulk.load %B[%c0, %c0], %peer, %bar : !titan.global<?x64xbf16, strides = [64, 1]>, !titan.shared<64x64xbf16, cluster>, !titan.mbarrier
  titan.return
}

// -----

titan.kernel @k(%B: !titan.global<?x64xbf16, strides = [64, 1]>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  // expected-error@+1 {{[bulk-remote] the barrier is the executing CTA's: that of a peer is signalled by}}
  titan.bulk.load %B[%c0, %c0], %buf, %there : !titan.global<?x64xbf16, strides = [64, 1]>, !titan.shared<64x64xbf16>, !titan.mbarrier<cluster>
  titan.return
}

// -----

titan.kernel @k(%B: !titan.global<?x64xbf16, strides = [64, 1]>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  // expected-error@+1 {{[bulk-reduce-type] no reduction 'xor' of 'bf16' in global memory (PTX ISA,}}
  titan.bulk.reduce xor %buf, %B[%c0, %c0] : !titan.shared<64x64xbf16>, !titan.global<?x64xbf16, strides = [64, 1]>
  titan.return
}

// -----

titan.kernel @k() warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  // expected-error@+1 {{[peer-place] the destination and its barrier are a peer CTA's: reach both by}}
  titan.bulk.copy_to_peer %buf, %peer, %bar : !titan.shared<64x64xbf16>, !titan.shared<64x64xbf16, cluster>, !titan.mbarrier
  titan.return
}

// -----

titan.kernel @k() warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %here = titan.map_rank %bar, %r0 : !titan.mbarrier -> !titan.mbarrier<cluster>
  // expected-error@+1 {{[peer-place] the destination is in CTA 1 of the cluster, and its barrier in CTA 0}}
  titan.bulk.copy_to_peer %buf, %peer, %here : !titan.shared<64x64xbf16>, !titan.shared<64x64xbf16, cluster>, !titan.mbarrier<cluster>
  titan.return
}

// -----

titan.kernel @k() warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  // expected-error@+1 {{[peer-place] the source is the executing CTA's shared memory}}
  titan.bulk.copy_to_peer %peer, %peer, %there : !titan.shared<64x64xbf16, cluster>, !titan.shared<64x64xbf16, cluster>, !titan.mbarrier<cluster>
  titan.return
}

// -----

titan.kernel @k() warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %half = titan.shared.alloc : !titan.shared<32x64xbf16>
  // expected-error@+1 {{[shared-tile-type] the source is '!titan.shared<32x64xbf16>', the destination}}
  titan.bulk.copy_to_peer %half, %peer, %there : !titan.shared<32x64xbf16>, !titan.shared<64x64xbf16, cluster>, !titan.mbarrier<cluster>
  titan.return
}

// -----

titan.kernel @k() warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  // expected-error@+1 {{[bulk-reduce-type] no reduction 'add' of 'bf16' in shared memory (PTX ISA,}}
  titan.bulk.reduce_to_peer add %buf, %peer, %there : !titan.shared<64x64xbf16>, !titan.shared<64x64xbf16, cluster>, !titan.mbarrier<cluster>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k() warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %x = titan.shared.load %buf : !titan.shared<64x64xbf16> -> tensor<64x64xbf16, #rows>
  // expected-error@+1 {{[peer-place] the destination and its barrier are a peer CTA's: reach both by}}
  titan.st_async %x, %buf, %there : tensor<64x64xbf16, #rows>, !titan.shared<64x64xbf16>, !titan.mbarrier<cluster>
  titan.return
}

// -----

#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k() warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %x = titan.shared.load %buf : !titan.shared<64x64xbf16> -> tensor<64x64xbf16, #lone>
  // expected-error@+2 {{[st-async-layout] a thread stores 4 bytes at least, and the layout gives it 1}}
  // expected-note @+1 {{fix: choose a layout whose registers begin with 2 elements}}
  titan.st_async %x, %peer, %there : tensor<64x64xbf16, #lone>, !titan.shared<64x64xbf16, cluster>, !titan.mbarrier<cluster>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k() warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %x = titan.shared.load %buf : !titan.shared<64x64xbf16> -> tensor<64x64xbf16, #rows>
  // expected-error@+1 {{[bulk-reduce-type] no reduction 'add' of 'bf16' in shared memory (PTX ISA, red.async)}}
  titan.red_async add %x, %peer, %there : tensor<64x64xbf16, #rows>, !titan.shared<64x64xbf16, cluster>, !titan.mbarrier<cluster>
  titan.return
}

// -----

// What is asked for stays: `cg` copies 16 bytes, and no fix leads to another size and back.
#down = #titan.blocked<elements = [8, 1], lanes = [1, 32], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xf16>) warps(4) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %buf = titan.shared.alloc : !titan.shared<64x64xf16>
  %k = titan.coordinate 0 : tensor<64x64xi32, #down>
  // expected-error@+2 {{[cp-async-layout] 16 bytes are copied at a time, and the layout gives each thread 1}}
  // expected-note @+1 {{fix: choose a layout whose registers begin with 8 elements of a row (elements = [.., 8])}}
  titan.cp_async %A[%k, %k], %buf bytes(16) cg : !titan.global<?x?xf16>, tensor<64x64xi32, #down>, tensor<64x64xi32, #down> -> !titan.shared<64x64xf16>
  titan.return
}

// -----

#pairs = #titan.blocked<elements = [1, 2], lanes = [1, 32], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xf16>) warps(4) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %buf = titan.shared.alloc : !titan.shared<64x64xf16>
  %k = titan.coordinate 0 : tensor<64x64xi32, #pairs>
  // expected-error@+2 {{[cp-async-layout] 16 bytes are copied at a time, and the layout gives each thread 2}}
  // expected-note @+1 {{fix: bytes(4), or a layout whose registers begin with 8 elements of a row (elements = [.., 8])}}
  titan.cp_async %A[%k, %k], %buf bytes(16) : !titan.global<?x?xf16>, tensor<64x64xi32, #pairs>, tensor<64x64xi32, #pairs> -> !titan.shared<64x64xf16>
  titan.return
}
