// Which warps execute an operation, and what there has to be of them.
//
// RUN: titan check %s --kernel later_partitions
// RUN: titan check %s --kernel after_partitions
// RUN: titan check %s --kernel slot_by_warp
// RUN: not titan check %s --kernel one_slot 2>&1 | FileCheck %s --check-prefix=ONE-SLOT
// RUN: titan check %s --kernel select_barrier
// RUN: not titan check %s --kernel two_of_four 2>&1 | FileCheck %s --check-prefix=TWO-OF-FOUR
// RUN: not titan check %s --kernel four_of_eight 2>&1 | FileCheck %s --check-prefix=FOUR-OF-EIGHT
// RUN: not titan check %s --kernel too_much 2>&1 | FileCheck %s --check-prefix=TOO-MUCH
// RUN: not titan check %s --kernel signed_i1 2>&1 | FileCheck %s --check-prefix=SIGNED-I1

!global = !titan.global<?x?xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
!group  = !titan.token<mma>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
!sums   = tensor<64x64xf32, #titan.wgmma<1, 1>>
!flight = !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>

// One partition of four warps, later others.
titan.kernel @later_partitions(%A: !global, %D: !global) warps(4) launch {
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
  titan.warp_specialize {
    titan.partition "a" warps(4) {
    titan.mma.fence
    %s0 = titan.mma %a, %b, %none : !tile, !tile, !flight -> !flight
    %g0 = titan.mma.commit : !group
    %d = titan.mma.result %s0 : !flight -> !sums
    }
  }
  titan.warp_specialize {
    titan.partition "x" warps(1) {
    }
    titan.partition "y" warps(3) {
    }
  }
  titan.return
}

// All four warps, after partitions.
titan.kernel @after_partitions(%A: !global, %D: !global) warps(4) launch {
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
  titan.warp_specialize {
    titan.partition "x" warps(1) {
    }
    titan.partition "y" warps(3) {
    }
  }
    titan.mma.fence
    %s0 = titan.mma %a, %b, %none : !tile, !tile, !flight -> !flight
    %g0 = titan.mma.commit : !group
    %d = titan.mma.result %s0 : !flight -> !sums
  titan.return
}

// A slot chosen by the warp.
titan.kernel @slot_by_warp(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %w = titan.warp_id
  %z = arith.cmpi eq, %w, %i0 : i32
  %s = arith.select %z, %a, %b : !tile
  %t = arith.select %z, %b, %b : !tile
  titan.elect warp(0) {
    titan.st %one, %s[%c0, %c0] : bf16, !tile
  }
  titan.elect warp(1) {
    titan.st %one, %s[%c0, %c0] : bf16, !tile
  }
  titan.return
}

// Both warps write one slot.
// ONE-SLOT: {{\[}}race{{\]}}
titan.kernel @one_slot(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %w = titan.warp_id
  %z = arith.cmpi eq, %w, %i0 : i32
  %s = arith.select %z, %a, %b : !tile
  %t = arith.select %z, %b, %b : !tile
  titan.elect warp(0) {
    titan.st %one, %t[%c0, %c0] : bf16, !tile
  }
  titan.elect warp(1) {
    titan.st %one, %t[%c0, %c0] : bf16, !tile
  }
  titan.return
}

// One of two barriers, known.
titan.kernel @select_barrier(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %true = arith.constant true
  %b = titan.mbarrier.alloc : !bar
 %d = titan.mbarrier.alloc : !bar
 %s = arith.select %true, %b, %d : !bar
 titan.elect warp(0) {
 titan.mbarrier.init %s count(1) : !bar
 }
  titan.return
}

// A tile of four warps is loaded by two.
// TWO-OF-FOUR: {{\[}}layout-mismatch{{\]}}
titan.kernel @two_of_four(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  %y = arith.addf %x, %x : !reg
  titan.cta_sync
  titan.shared.store %y, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%c0, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

// A product laid out for eight warps, executed by four.
// FOUR-OF-EIGHT: {{\[}}layout-mismatch{{\]}}
titan.kernel @four_of_eight(%A: !global, %D: !global) warps(4) launch {
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
  %none = titan.inflight.none : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 2>>>
    titan.mma.fence
    %s0 = titan.mma %a, %b, %none : !tile, !tile, !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 2>>> -> !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 2>>>
    %g0 = titan.mma.commit : !group
    %d = titan.mma.result %s0 : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 2>>> -> tensor<64x64xf32, #titan.wgmma<1, 2>>
  titan.return
}

// More shared memory than there is.
// TOO-MUCH: {{\[}}shared-memory-limit{{\]}}
titan.kernel @too_much(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 64>
  titan.return
}

// i1 is signed: true is less than false, and the barrier waits for more warps than come.
// SIGNED-I1: {{\[}}deadlock{{\]}}
titan.kernel @signed_i1(%A: !titan.global<?xi32>, %s: i32) warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %t = arith.constant true
  %f = arith.constant false
  %x = arith.cmpi slt, %t, %f : i1
  scf.if %x {
    titan.barrier.sync 1 threads(64)
  }
  titan.return
}
