// RUN: titan-opt --split-input-file --verify-diagnostics %s
//
// What the verifiers of mbarriers, thread barriers and fences refuse.

// expected-error@+1 {{[alloc-cluster] allocates the CTA's own barriers; a peer's are reached by}}
%b = titan.mbarrier.alloc : !titan.mbarrier<cluster>
// -----

titan.elect {
// expected-error@+1 {{[alloc-place] stands in a kernel's body, outside of partitions, loops and branches:}}
%b = titan.mbarrier.alloc : !titan.mbarrier
}
// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %b = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+2 {{[barrier-range]}}
  // expected-note @+1 {{fix: give count(n), where n arrivals are made}}
  titan.mbarrier.init %b count(0) : !titan.mbarrier
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %b = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+2 {{[barrier-range]}}
  // expected-note @+1 {{fix: give count(n), where n arrivals are made}}
  titan.mbarrier.init %b count(1048576) : !titan.mbarrier
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %b = titan.mbarrier.alloc : !titan.mbarrier
  %i = arith.constant 0 : i32
  %p = titan.map_rank %b, %i : !titan.mbarrier -> !titan.mbarrier<cluster>
  // expected-error@+1 {{[barrier-remote] not possible on a peer CTA's barrier (PTX ISA, mbarrier:}}
  titan.mbarrier.init %p count(1) : !titan.mbarrier<cluster>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %b = titan.mbarrier.alloc : !titan.mbarrier<4>
  // expected-error@+1 {{[barrier-slot] a ring of 4 barriers needs an index}}
  titan.mbarrier.arrive %b : !titan.mbarrier<4>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %b = titan.mbarrier.alloc : !titan.mbarrier<4>
  %four = arith.constant 4 : i32
  // expected-error@+2 {{[out-of-bounds] slot 4 of a ring of 4}}
  // expected-note@+1 {{fix: slots count from 0 to 3: take the index modulo 4}}
  titan.mbarrier.arrive %b[%four : i32] : !titan.mbarrier<4>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %b = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+2 {{[barrier-range]}}
  // expected-note @+1 {{fix: leave the count away}}
  titan.mbarrier.arrive %b {count = 0 : i64} : !titan.mbarrier
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %b = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error@+1 {{[barrier-sem] 'acquire': an arrive releases, or is relaxed (PTX ISA, mbarrier)}}
  titan.mbarrier.arrive %b sem(acquire) : !titan.mbarrier
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %b = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error@+1 {{[barrier-scope] the scope is cta or cluster (PTX ISA, mbarrier)}}
  titan.mbarrier.arrive %b scope(gpu) : !titan.mbarrier
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %b = titan.mbarrier.alloc : !titan.mbarrier
  %i = arith.constant 0 : i32
  %p = titan.map_rank %b, %i : !titan.mbarrier -> !titan.mbarrier<cluster>
  // expected-error@+1 {{[barrier-remote] not possible on a peer CTA's barrier (PTX ISA, mbarrier:}}
  %s = titan.mbarrier.arrive %p : !titan.mbarrier<cluster> -> !titan.phase
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %b = titan.mbarrier.alloc : !titan.mbarrier
  %i = arith.constant 0 : i32
  %p = titan.map_rank %b, %i : !titan.mbarrier -> !titan.mbarrier<cluster>
  // expected-error@+1 {{[barrier-remote] not possible on a peer CTA's barrier (PTX ISA, mbarrier:}}
  %s = titan.mbarrier.arrive_expect_tx %p, %i : !titan.mbarrier<cluster> -> !titan.phase
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %b = titan.mbarrier.alloc : !titan.mbarrier<4>
  %i = arith.constant 0 : i32
  // expected-error@+1 {{[barrier-slot] a ring of 4 barriers needs an index}}
  titan.mbarrier.arrive_expect_tx %b, %i : !titan.mbarrier<4>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %b = titan.mbarrier.alloc : !titan.mbarrier
  %i = arith.constant 0 : i32
  // expected-error@+1 {{[barrier-sem] 'acquire': an arrive releases, or is relaxed (PTX ISA, mbarrier)}}
  titan.mbarrier.arrive_expect_tx %b, %i sem(acquire) : !titan.mbarrier
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %b = titan.mbarrier.alloc : !titan.mbarrier
  %i = arith.constant 0 : i32
  %p = titan.map_rank %b, %i : !titan.mbarrier -> !titan.mbarrier<cluster>
  // expected-error@+1 {{[barrier-remote] not possible on a peer CTA's barrier (PTX ISA, mbarrier:}}
  titan.mbarrier.wait %p parity(%i) : !titan.mbarrier<cluster>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %b = titan.mbarrier.alloc : !titan.mbarrier
  %i = arith.constant 0 : i32
  // expected-error@+1 {{[barrier-sem] 'release': a wait acquires, or is relaxed (PTX ISA, mbarrier)}}
  titan.mbarrier.wait %b parity(%i) sem(release) : !titan.mbarrier
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %b = titan.mbarrier.alloc : !titan.mbarrier<4>
  %i = arith.constant 0 : i32
  // expected-error@+1 {{[barrier-slot] a ring of 4 barriers needs an index}}
  titan.mbarrier.wait %b parity(%i) : !titan.mbarrier<4>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %b = titan.mbarrier.alloc : !titan.mbarrier<4>
  %i = arith.constant 0 : i32
  // expected-error@+1 {{[barrier-slot] a ring of 4 barriers needs an index}}
  %d = titan.mbarrier.test_wait %b parity(%i) : !titan.mbarrier<4>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %b = titan.mbarrier.alloc : !titan.mbarrier<4>
  %i = arith.constant 0 : i32
  %s = titan.mbarrier.arrive %b[%i : i32] : !titan.mbarrier<4> -> !titan.phase
  // expected-error@+1 {{[barrier-scope] the scope is cta or cluster (PTX ISA, mbarrier)}}
  titan.mbarrier.wait_state %b[%i : i32] state(%s) scope(sys) : !titan.mbarrier<4>
  titan.return
}

// -----

// expected-error@+1 {{[named-barrier] named barriers are 1 to 15 (0 is titan.cta_sync), not 0 (PTX ISA,}}
titan.barrier.sync 0 threads(64)
// -----

// expected-error@+1 {{[named-barrier] named barriers are 1 to 15 (0 is titan.cta_sync), not 16 (PTX ISA,}}
titan.barrier.arrive 16 threads(64)
// -----

// expected-error@+1 {{[named-barrier] the threads of a barrier are a multiple of the warp size up to 1024,}}
titan.barrier.sync 1 threads(48)
// -----

// expected-error@+1 {{[named-barrier] the threads of a barrier are a multiple of the warp size up to 1024,}}
titan.barrier.arrive 1 threads(1056)
// -----

// expected-error@+1 {{[fence-sem] a fence is acquire, release, acq_rel or sc (PTX ISA, membar / fence)}}
titan.fence relaxed gpu
// -----

// expected-error @+1 {{a ring has 1 to 4096 barriers}}
%b = titan.mbarrier.alloc : !titan.mbarrier<0>
// -----

func.func @bytes(%b: !titan.mbarrier) {
  %negative = arith.constant -16 : i32
  // expected-error @+1 {{[barrier-range] bytes are 0 to 2^20 - 1, not -16}}
  titan.mbarrier.expect_tx %b, %negative : !titan.mbarrier
  return
}

// -----

func.func @many(%b: !titan.mbarrier) {
  %many = arith.constant 1048576 : i32
  // expected-error @+1 {{[barrier-range] bytes are 0 to 2^20 - 1, not 1048576}}
  titan.mbarrier.arrive_expect_tx %b, %many : !titan.mbarrier
  return
}

// -----

func.func @minus(%b: !titan.mbarrier) {
  // expected-error @+2 {{[barrier-range] the count of an arrive is 1 to 2^20 - 1, not -1}}
  // expected-note @+1 {{fix: leave the count away}}
  titan.mbarrier.arrive %b {count = -1 : i64} : !titan.mbarrier
  return
}
