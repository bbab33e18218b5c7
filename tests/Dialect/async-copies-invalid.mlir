// RUN: titan-opt --split-input-file --verify-diagnostics %s
//
// What the verifiers of cp.async, bulk copies, st.async and red.async refuse.

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  // expected-error @+1 {{[cp-async-size]}}
  titan.cp_async %A[%i, %j], %buf bytes(12) : !titan.global<?x?xbf16>, tensor<64x64xi32, #rows>, tensor<64x64xi32, #rows> -> !titan.shared<64x64xbf16>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  // expected-error @+1 {{[cp-async-size]}}
  titan.cp_async %A[%i, %j], %buf bytes(8) cg : !titan.global<?x?xbf16>, tensor<64x64xi32, #rows>, tensor<64x64xi32, #rows> -> !titan.shared<64x64xbf16>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  // expected-error @+1 {{[cp-async-remote]}}
  titan.cp_async %A[%i, %j], %peer bytes(16) : !titan.global<?x?xbf16>, tensor<64x64xi32, #rows>, tensor<64x64xi32, #rows> -> !titan.shared<64x64xbf16, cluster>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  %ring = titan.shared.alloc : !titan.shared<64x64xbf16, slots = 2>
  // expected-error @+1 {{[shared-ring]}}
  titan.cp_async %A[%i, %j], %ring bytes(16) : !titan.global<?x?xbf16>, tensor<64x64xi32, #rows>, tensor<64x64xi32, #rows> -> !titan.shared<64x64xbf16, slots = 2>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  // expected-error @+1 {{[global-rank]}}
  titan.cp_async %A[%i], %buf bytes(16) : !titan.global<?x?xbf16>, tensor<64x64xi32, #rows> -> !titan.shared<64x64xbf16>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  %half = titan.shared.alloc : !titan.shared<32x64xbf16>
  // expected-error @+1 {{[shared-tile-type]}}
  titan.cp_async %A[%i, %j], %half bytes(16) : !titan.global<?x?xbf16>, tensor<64x64xi32, #rows>, tensor<64x64xi32, #rows> -> !titan.shared<32x64xbf16>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  // expected-error @+1 {{[global-element-type]}}
  titan.cp_async %C[%i, %j], %buf bytes(16) : !titan.global<?x?xi32>, tensor<64x64xi32, #rows>, tensor<64x64xi32, #rows> -> !titan.shared<64x64xbf16>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  %k = titan.coordinate 0 : tensor<64x64xi32, #lone>
  // expected-error @+2 {{[cp-async-layout]}}
  // expected-note @+1 {{fix: choose a layout whose registers begin with 2 elements}}
  titan.cp_async %A[%k, %k], %buf bytes(4) : !titan.global<?x?xbf16>, tensor<64x64xi32, #lone>, tensor<64x64xi32, #lone> -> !titan.shared<64x64xbf16>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  // expected-error @+1 {{[token-kind]}}
  %g = titan.cp_async.commit : !titan.token<bulk>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  // expected-error @+1 {{[barrier-remote]}}
  titan.cp_async.mbarrier_arrive %there : !titan.mbarrier<cluster>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  %two = titan.mbarrier.alloc : !titan.mbarrier<2>
  // expected-error @+1 {{[barrier-slot]}}
  titan.cp_async.mbarrier_arrive %two noinc : !titan.mbarrier<2>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  %two = titan.mbarrier.alloc : !titan.mbarrier<2>
  // expected-error @+1 {{[barrier-slot]}}
  titan.mbarrier.complete_tx %two, %r0 : !titan.mbarrier<2>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  // expected-error @+2 {{[barrier-range]}}
  // expected-note @+1 {{fix: leave the count away}}
  titan.mbarrier.arrive_drop %bar {count = 0 : i64} : !titan.mbarrier
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  // expected-error @+1 {{[bulk-run]}}
  titan.bulk.load %A[%c0, %c0], %buf, %bar : !titan.global<?x?xbf16>, !titan.shared<64x64xbf16>, !titan.mbarrier
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  %part = titan.shared.alloc : !titan.shared<4x32xbf16>
  // expected-error @+1 {{[bulk-run]}}
  titan.bulk.store %part, %B[%c0, %c0] : !titan.shared<4x32xbf16>, !titan.global<?x64xbf16, strides = [64, 1]>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  %sw = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  // expected-error @+1 {{[bulk-run]}}
  titan.bulk.load %B[%c0, %c0], %sw, %bar : !titan.global<?x64xbf16, strides = [64, 1]>, !titan.shared<64x64xbf16, swizzle = 128>, !titan.mbarrier
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  %odd = titan.shared.alloc : !titan.shared<4xbf16>
  // expected-error @+1 {{[bulk-alignment]}}
  titan.bulk.load %A[%c0, %c0], %odd, %bar : !titan.global<?x?xbf16>, !titan.shared<4xbf16>, !titan.mbarrier
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  %line = titan.shared.alloc : !titan.shared<32xbf16>
  // expected-error @+1 {{[bulk-alignment]}}
  titan.bulk.load %A[%c0, %c1], %line, %bar : !titan.global<?x?xbf16>, !titan.shared<32xbf16>, !titan.mbarrier
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  %line = titan.shared.alloc : !titan.shared<64xbf16>
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{[out-of-bounds]}}
  titan.bulk.store %line, %B[%c0, %c8] : !titan.shared<64xbf16>, !titan.global<?x64xbf16, strides = [64, 1]>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  // expected-error @+1 {{[bulk-remote]}}
  titan.bulk.load %B[%c0, %c0], %peer, %bar : !titan.global<?x64xbf16, strides = [64, 1]>, !titan.shared<64x64xbf16, cluster>, !titan.mbarrier
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  // expected-error @+1 {{[bulk-remote]}}
  titan.bulk.load %B[%c0, %c0], %buf, %there : !titan.global<?x64xbf16, strides = [64, 1]>, !titan.shared<64x64xbf16>, !titan.mbarrier<cluster>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  // expected-error @+1 {{[bulk-reduce-type]}}
  titan.bulk.reduce xor %buf, %B[%c0, %c0] : !titan.shared<64x64xbf16>, !titan.global<?x64xbf16, strides = [64, 1]>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  // expected-error @+1 {{[peer-place]}}
  titan.bulk.copy_to_peer %buf, %peer, %bar : !titan.shared<64x64xbf16>, !titan.shared<64x64xbf16, cluster>, !titan.mbarrier
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  %here = titan.map_rank %bar, %r0 : !titan.mbarrier -> !titan.mbarrier<cluster>
  // expected-error @+1 {{[peer-place]}}
  titan.bulk.copy_to_peer %buf, %peer, %here : !titan.shared<64x64xbf16>, !titan.shared<64x64xbf16, cluster>, !titan.mbarrier<cluster>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  // expected-error @+1 {{[peer-place]}}
  titan.bulk.copy_to_peer %peer, %peer, %there : !titan.shared<64x64xbf16, cluster>, !titan.shared<64x64xbf16, cluster>, !titan.mbarrier<cluster>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  %half = titan.shared.alloc : !titan.shared<32x64xbf16>
  // expected-error @+1 {{[shared-tile-type]}}
  titan.bulk.copy_to_peer %half, %peer, %there : !titan.shared<32x64xbf16>, !titan.shared<64x64xbf16, cluster>, !titan.mbarrier<cluster>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  // expected-error @+1 {{[bulk-reduce-type]}}
  titan.bulk.reduce_to_peer add %buf, %peer, %there : !titan.shared<64x64xbf16>, !titan.shared<64x64xbf16, cluster>, !titan.mbarrier<cluster>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  %x = titan.shared.load %buf : !titan.shared<64x64xbf16> -> tensor<64x64xbf16, #rows>
  // expected-error @+1 {{[peer-place]}}
  titan.st_async %x, %buf, %there : tensor<64x64xbf16, #rows>, !titan.shared<64x64xbf16>, !titan.mbarrier<cluster>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  %x = titan.shared.load %buf : !titan.shared<64x64xbf16> -> tensor<64x64xbf16, #lone>
  // expected-error @+2 {{[st-async-layout]}}
  // expected-note @+1 {{fix: choose a layout whose registers begin with 2 elements}}
  titan.st_async %x, %peer, %there : tensor<64x64xbf16, #lone>, !titan.shared<64x64xbf16, cluster>, !titan.mbarrier<cluster>
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#lone = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>, %B: !titan.global<?x64xbf16, strides = [64, 1]>, %C: !titan.global<?x?xi32>) warps(4) cluster(2, 1) launch {
  %one = arith.constant 2 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = arith.constant 0 : i32
  %r1 = arith.constant 1 : i32
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %there = titan.map_rank %bar, %r1 : !titan.mbarrier -> !titan.mbarrier<cluster>
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16>
  %peer = titan.map_rank %buf, %r1 : !titan.shared<64x64xbf16> -> !titan.shared<64x64xbf16, cluster>
  %i = titan.coordinate 0 : tensor<64x64xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x64xi32, #rows>
  %x = titan.shared.load %buf : !titan.shared<64x64xbf16> -> tensor<64x64xbf16, #rows>
  // expected-error @+1 {{[bulk-reduce-type]}}
  titan.red_async add %x, %peer, %there : tensor<64x64xbf16, #rows>, !titan.shared<64x64xbf16, cluster>, !titan.mbarrier<cluster>
  titan.return
}
