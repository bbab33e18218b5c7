// --redundant: fences, waits and arrivals that order nothing (docs/fences.md).
//
// RUN: titan check %s --redundant | FileCheck %s --check-prefix=GOOD --implicit-check-not=warning
// GOOD: @store: 0 of 4 fences and waits order nothing
//
// A second fence: the later one stays.
// VARIANT twice: before sync add titan.fence.proxy_async shared_cta
// RUN: %variant twice %s | titan check - --redundant 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: warning: [orders-nothing] 'titan.fence.proxy_async' of @store orders nothing: the accesses that it would order the fence of line
// TWICE: @store: 1 of 5 fences and waits order nothing
//
// One of the wrong space; and one behind the barrier, which would do for the one thread that copies, and not for others.
// VARIANT other: before sync add titan.fence.proxy_async global
// VARIANT other: after sync add titan.fence.proxy_async shared_cta
// RUN: %variant other %s | titan check - --redundant 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: [orders-nothing] 'titan.fence.proxy_async' of @store orders nothing: no access before it meets one behind it that asks for such a fence
// OTHER: [orders-nothing] 'titan.fence.proxy_async' of @store orders nothing: the accesses that it would order the fence of line {{[0-9]+}} does
// OTHER: @store: 2 of 6 fences and waits order nothing
//
// A barrier too many, and a wait for what is over. The last one of two stays.
// VARIANT waits: before sync add titan.cta_sync
// VARIANT waits: after wait add titan.bulk.wait %g read : !bulk
// RUN: %variant waits %s | titan check - --redundant 2>&1 | FileCheck %s --check-prefix=WAITS
// WAITS-DAG: [orders-nothing] 'titan.cta_sync' of @store orders nothing: without this wait the checker finds the same
// WAITS-DAG: [orders-nothing] 'titan.bulk.wait' of @store orders nothing
// WAITS: @store: 2 of 6 fences and waits order nothing
//
// A group of nothing: nobody needs the wait, and then nobody its commit. (The group that a wait needs keeps its own.)
// VARIANT nothing: after wait add %h = titan.bulk.commit : !bulk titan.bulk.wait %h read : !bulk
// RUN: %variant nothing %s | titan check - --redundant 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: [orders-nothing] 'titan.bulk.commit' of @store orders nothing: without this commit the checker finds the same
// NOTHING: [orders-nothing] 'titan.bulk.wait' of @store orders nothing
// NOTHING: @store: 2 of 6 fences and waits order nothing
//
// A fence that only spares a warning orders something.
// RUN: titan check %S/../../examples/groups.mlir --redundant | FileCheck %s --check-prefix=GROUPS --implicit-check-not=warning
// GROUPS: @groups: 0 of
//
// Halves of tcgen05.fence: nothing of tensor memory stands before the one, or behind the other. (Arrivals for which nobody waits:
// dropped-lines-full.test, attention.)
// RUN: titan check %S/../../examples/programs/gemm_blackwell.mlir --redundant 2>&1 | FileCheck %s --check-prefix=HALVES
// HALVES-COUNT-2: [orders-nothing] 'titan.tcgen05.fence_after' of @gemm_blackwell orders nothing: without this fence
// HALVES: [orders-nothing] 'titan.tcgen05.fence_before' of @gemm_blackwell orders nothing: without this fence
// HALVES: @gemm_blackwell: 3 of 27 fences and waits order nothing
//
// An arrival for which nobody waits.
// VARIANT nobody: after sync add %none = titan.mbarrier.alloc : !titan.mbarrier titan.elect warp(0) { titan.mbarrier.init %none count(1) : !titan.mbarrier titan.mbarrier.arrive %none : !titan.mbarrier }
// RUN: %variant nobody %s | titan check - --redundant 2>&1 | FileCheck %s --check-prefix=NOBODY
// NOBODY: [orders-nothing] 'titan.mbarrier.arrive' of @store orders nothing: without this arrival the checker finds the same
//
// A wait that orders nothing, before the arrival that it waits for: without the wait the arrival is not needed, either, nor the barrier
// before it. What is left is as few as in any other order.
// VARIANT waited: after sync add %none = titan.mbarrier.alloc : !titan.mbarrier titan.elect warp(0) { titan.mbarrier.init %none count(1) : !titan.mbarrier } titan.cta_sync titan.elect warp(0) { titan.mbarrier.wait %none parity(%phase) : !titan.mbarrier } titan.elect warp(1) { titan.mbarrier.arrive %none : !titan.mbarrier }
// VARIANT waited: before sync add %phase = arith.constant 0 : i32
// RUN: %variant waited %s | titan check - --redundant 2>&1 | FileCheck %s --check-prefix=WAITED
// WAITED-DAG: [orders-nothing] 'titan.mbarrier.wait' of @store orders nothing
// WAITED-DAG: [orders-nothing] 'titan.mbarrier.arrive' of @store orders nothing
// WAITED-DAG: [orders-nothing] 'titan.cta_sync' of @store orders nothing
// WAITED: @store: 3 of 7 fences and waits order nothing
//
// RUN: %variant twice %s | titan check - --redundant --json | FileCheck %s --check-prefix=JSON
// JSON: "code": "orders-nothing"
// JSON: "redundant": 1
//
// RUN: not titan check %s --redundant --insert-fences 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: [bad-argument]

!global = !titan.global<?x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

titan.kernel @store(%D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync // @sync
  titan.elect warp(0) {
    titan.tma.store %buf, %map[%c0, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk // @wait
  }
  titan.cta_sync
  titan.shared.store %v, %buf : !reg, !tile
  titan.return
}
