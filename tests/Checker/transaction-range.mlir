// MM-50: the transaction count of an mbarrier stays within 2^20-1 bytes of either sign, under every schedule: what a phase
// expects counts together, whoever expects it, until something that is known to come before has brought bytes.
//
// RUN: titan check %s | FileCheck %s --check-prefix=GOOD
// GOOD: @lanes: accepted: 0 errors
// GOOD: @warps: accepted: 0 errors
// GOOD: @turns: accepted: 0 errors
// RUN: titan run %s --kernel lanes
// RUN: titan run %s --kernel warps
// RUN: titan run %s --kernel turns
//
// By 32 lanes.
// VARIANT many: in bytes `30000` -> `40000`
// RUN: %variant many %s | not titan check - --kernel lanes 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: %variant many %s | not titan run - --kernel lanes 2>&1 | FileCheck %s --check-prefix=MANY-RAN
// MANY: error: [barrier-range] the transaction count of barrier %b can become 1280000 bytes in phase 0
// MANY-NOT: error:
// MANY-RAN: error: [barrier-range] the transaction count becomes 1280000 bytes
//
// Each lane in turn, twice: no lane has more under way than once.
// VARIANT twice: after lanes_complete add titan.mbarrier.expect_tx %b, %n : !titan.mbarrier titan.mbarrier.complete_tx %b, %n : !titan.mbarrier
// RUN: %variant twice %s | titan check - --kernel lanes
// RUN: %variant twice %s | titan run - --kernel lanes
//
// Bytes that come before they are expected.
// VARIANT negative: as many
// VARIANT negative: in lanes_expect `expect_tx` -> `complete_tx`
// VARIANT negative: in lanes_complete `complete_tx` -> `expect_tx`
// RUN: %variant negative %s | not titan check - --kernel lanes 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: [barrier-range] the transaction count of barrier %b can become -1280000 bytes in phase 0
//
// By two warps: nothing says that the first one's bytes have come when the second one expects its own.
// VARIANT two: in half `500000` -> `600000`
// RUN: %variant two %s | not titan check - --kernel warps 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error: [barrier-range] the transaction count of barrier %b can become 1200000 bytes in phase 0
//
// One thread that expects, brings, and expects again stays in range; in a loop that expects first it does not.
// VARIANT loop: in brings `titan.mbarrier.complete_tx %b, %n : !titan.mbarrier` -> ``
// VARIANT loop: before signals add scf.for %q = %c0 to %c32 step %c1 { titan.mbarrier.complete_tx %b, %n : !titan.mbarrier }
// RUN: %variant loop %s | not titan check - --kernel turns 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: %variant loop %s | not titan run - --kernel turns 2>&1 | FileCheck %s --check-prefix=LOOP-RAN
// LOOP: error: [barrier-range] the transaction count of barrier %b can become 1080000 bytes in phase 0
// LOOP-RAN: error: [barrier-range]

titan.kernel @lanes() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %n = arith.constant 30000 : i32 // @bytes
  %b = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect warp(0) {
    titan.mbarrier.init %b count(32) : !titan.mbarrier
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.mbarrier.expect_tx %b, %n : !titan.mbarrier // @lanes_expect
  titan.mbarrier.complete_tx %b, %n : !titan.mbarrier // @lanes_complete
  titan.mbarrier.arrive %b : !titan.mbarrier
  titan.mbarrier.wait %b parity(%i0) : !titan.mbarrier
  titan.return
}

titan.kernel @warps() warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %n = arith.constant 500000 : i32 // @half
  %b = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect warp(0) {
    titan.mbarrier.init %b count(2) : !titan.mbarrier
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect {
    titan.mbarrier.expect_tx %b, %n : !titan.mbarrier
    titan.mbarrier.complete_tx %b, %n : !titan.mbarrier
    titan.mbarrier.arrive %b : !titan.mbarrier
  }
  titan.mbarrier.wait %b parity(%i0) : !titan.mbarrier
  titan.return
}

titan.kernel @turns() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %i0 = arith.constant 0 : i32
  %n = arith.constant 60000 : i32
  %b = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect warp(0) {
    titan.mbarrier.init %b count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    scf.for %q = %c0 to %c32 step %c1 {
      titan.mbarrier.expect_tx %b, %n : !titan.mbarrier
      titan.mbarrier.complete_tx %b, %n : !titan.mbarrier // @brings
    }
    titan.mbarrier.arrive %b : !titan.mbarrier // @signals
  }
  titan.mbarrier.wait %b parity(%i0) : !titan.mbarrier
  titan.return
}
