// MM-59: on a peer's barrier a thread arrives and expects, and nothing else.
//
// RUN: titan-opt %s -split-input-file -verify-diagnostics

titan.kernel @arrive() warps(1) cluster(2) launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %i0 = arith.constant 0 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %peer = titan.map_rank %bar, %i0 : !titan.mbarrier -> !titan.mbarrier<1, cluster>
  titan.mbarrier.arrive %peer : !titan.mbarrier<1, cluster>
  titan.return
}

// -----

titan.kernel @arrive_state() warps(1) cluster(2) launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %i0 = arith.constant 0 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %peer = titan.map_rank %bar, %i0 : !titan.mbarrier -> !titan.mbarrier<1, cluster>
  // expected-error @below {{[barrier-remote]}}
  %state = titan.mbarrier.arrive %peer : !titan.mbarrier<1, cluster> -> !titan.phase
  titan.return
}

// -----

titan.kernel @wait() warps(1) cluster(2) launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %i0 = arith.constant 0 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %peer = titan.map_rank %bar, %i0 : !titan.mbarrier -> !titan.mbarrier<1, cluster>
  // expected-error @below {{[barrier-remote]}}
  titan.mbarrier.wait %peer parity(%i0) : !titan.mbarrier<1, cluster>
  titan.return
}

// -----

titan.kernel @init() warps(1) cluster(2) launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %i0 = arith.constant 0 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %peer = titan.map_rank %bar, %i0 : !titan.mbarrier -> !titan.mbarrier<1, cluster>
  titan.elect {
    // expected-error @below {{[barrier-remote]}}
    titan.mbarrier.init %peer count(1) : !titan.mbarrier<1, cluster>
  }
  titan.return
}
