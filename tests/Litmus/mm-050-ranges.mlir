// MM-50: the counts of an mbarrier have 20 bits, and its ring has so many slots.
//
// RUN: titan-opt %s -split-input-file -verify-diagnostics

titan.kernel @largest() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %bar count(1048575) : !titan.mbarrier
  }
  titan.return
}

// -----

titan.kernel @none() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    // expected-error @+2 {{[barrier-range]}}
    // expected-note @below {{fix: give count(n), where n arrivals are made}}
    titan.mbarrier.init %bar count(0) : !titan.mbarrier
  }
  titan.return
}

// -----

titan.kernel @one_too_many() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    // expected-error @+2 {{[barrier-range]}}
    // expected-note @below {{fix: give count(n), where n arrivals are made in each phase: at most 1048575}}
    titan.mbarrier.init %bar count(1048576) : !titan.mbarrier
  }
  titan.return
}

// -----

titan.kernel @slot_past_the_ring() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i4 = arith.constant 4 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier<4>
  titan.elect {
    // expected-error @+2 {{[out-of-bounds]}}
    // expected-note @below {{fix: slots count from 0 to 3}}
    titan.mbarrier.arrive %bar[%i4 : i32] : !titan.mbarrier<4>
  }
  titan.return
}
