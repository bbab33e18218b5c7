// RUN: titan-opt --split-input-file --verify-diagnostics %s
//
// What the verifiers of mbarriers, thread barriers and fences refuse.

// expected-error @+1 {{[alloc-cluster]}}
%b = titan.mbarrier.alloc : !titan.mbarrier<cluster>
// -----

titan.elect {
// expected-error @+1 {{[alloc-place]}}
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
  // expected-error @+1 {{[barrier-remote]}}
  titan.mbarrier.init %p count(1) : !titan.mbarrier<cluster>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %b = titan.mbarrier.alloc : !titan.mbarrier<4>
  // expected-error @+1 {{[barrier-slot]}}
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
  // expected-error @+1 {{[out-of-bounds]}}
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
  // expected-error @+1 {{[barrier-sem]}}
  titan.mbarrier.arrive %b sem(acquire) : !titan.mbarrier
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %b = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[barrier-scope]}}
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
  // expected-error @+1 {{[barrier-remote]}}
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
  // expected-error @+1 {{[barrier-remote]}}
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
  // expected-error @+1 {{[barrier-slot]}}
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
  // expected-error @+1 {{[barrier-sem]}}
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
  // expected-error @+1 {{[barrier-remote]}}
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
  // expected-error @+1 {{[barrier-sem]}}
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
  // expected-error @+1 {{[barrier-slot]}}
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
  // expected-error @+1 {{[barrier-slot]}}
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
  // expected-error @+1 {{[barrier-scope]}}
  titan.mbarrier.wait_state %b[%i : i32] state(%s) scope(sys) : !titan.mbarrier<4>
  titan.return
}

// -----

// expected-error @+1 {{[named-barrier]}}
titan.barrier.sync 0 threads(64)
// -----

// expected-error @+1 {{[named-barrier]}}
titan.barrier.arrive 16 threads(64)
// -----

// expected-error @+1 {{[named-barrier]}}
titan.barrier.sync 1 threads(48)
// -----

// expected-error @+1 {{[named-barrier]}}
titan.barrier.arrive 1 threads(1056)
// -----

// expected-error @+1 {{[fence-sem]}}
titan.fence relaxed gpu
// -----

// expected-error @+1 {{a ring has 1 to 4096 barriers}}
%b = titan.mbarrier.alloc : !titan.mbarrier<0>