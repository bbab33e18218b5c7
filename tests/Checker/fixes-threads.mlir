// What a message advises about who executes an operation, and what a loop or a wait goes on by.
//
// RUN: titan check %s --kernel product
//
// A product takes a warpgroup: in the check as in a run, whatever its registers are for after it.
// VARIANT elected: replace product with %sum = titan.elect warp(0) -> !flight { %of_one = titan.mma %a, %b, %none : !tile, !tile, !flight -> !flight titan.yield %of_one : !flight }
// RUN: %variant elected %s | not titan check - --kernel product 2>&1 | FileCheck %s --check-prefix=ELECTED
// ELECTED: error: [issue-cardinality] 'titan.mma' is executed by one lane of warp 0, and takes the whole warpgroup
// ELECTED: fix: take it out of titan.elect: all four warps of the warpgroup issue it together
// RUN: %variant elected %s | not titan run - --kernel product 2>&1 | FileCheck %s --check-prefix=RAN
// RAN: error: [issue-cardinality] 'titan.mma' is for the whole warpgroup, and one thread executes it
//
// RUN: not titan check %s --kernel state 2>&1 | FileCheck %s --check-prefix=STATE
// STATE: error: [undecided] the checker does not follow the states of arrivals yet
// STATE: fix: wait by titan.mbarrier.wait with a parity: phase n of a barrier, counted from 0, has parity n mod 2
//
// A loop that goes on by what memory brings does not count: no step helps.
// RUN: not titan check %s --kernel brought 2>&1 | FileCheck %s --check-prefix=BROUGHT
// BROUGHT: error: [undecided] how often this loop runs
// BROUGHT: fix: numbers that an atom add of 1 brings

!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!reg    = tensor<64x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
!flight = !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
!sums   = tensor<64x64xf32, #titan.wgmma<1, 1>>
!number = !titan.global<1xi32>

titan.kernel @product() warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %one = arith.constant 1.0 : bf16
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %a : !reg, !tile
  titan.shared.store %v, %b : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  %none = titan.inflight.none : !flight
  titan.mma.fence
  %sum = titan.mma %a, %b, %none : !tile, !tile, !flight -> !flight // @product
  %group = titan.mma.commit : !titan.token<mma>
  %d = titan.mma.result %sum : !flight -> !sums
  titan.return
}

titan.kernel @state() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %b = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %b count(1) : !titan.mbarrier
    %s = titan.mbarrier.arrive %b : !titan.mbarrier -> !titan.phase
    titan.mbarrier.wait_state %b state(%s) : !titan.mbarrier
  }
  titan.return
}

titan.kernel @brought(%X: !number, %n: i32) warps(1) attributes {
  titan.example = {X = "1 ints:9", n = 3 : i32}
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %last = scf.while (%at = %i0) : (i32) -> i32 {
    %more = arith.cmpi slt, %at, %n : i32
    scf.condition(%more) %at : i32
  } do {
  ^bb0(%at: i32):
    titan.cta_sync
    %next = titan.ld %X[%c0] : !number -> i32
    scf.yield %next : i32
  }
  titan.return
}
