// MM-122: a loop is right for each count that the checker takes, or the program is refused.
//
// A ring of two slots is filled and read in a loop that runs once less than the list is long.
//
// RUN: titan check %s --kernel all_counts
// RUN: not titan check %s --kernel zero_trips 2>&1 | FileCheck %s --check-prefix=ZERO-TRIPS
// RUN: not titan check %s --kernel second_use 2>&1 | FileCheck %s --check-prefix=SECOND-USE
// RUN: not titan check %s --kernel reused_slot 2>&1 | FileCheck %s --check-prefix=REUSED-SLOT

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
#columns = #titan.blocked<elements = [8, 1], lanes = [8, 4], warps = [1, 4]>
!regC   = tensor<64x64xbf16, #columns>
!list   = !titan.global<?xf32>
!ring   = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
!bars   = !titan.mbarrier<2>

// Right for every count.
titan.kernel @all_counts(%A: !global, %L: !list) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %length = titan.dim %L, 0 : !list
  %n = arith.subi %length, %c1 : index
  titan.launch grid(%c1) with(%mapA, %n : !map, index)
} body(%mapA: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %ring = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %first = titan.shared.slot %ring[%c0 : index] : !ring -> !tile
  scf.for %i = %c0 to %n step %c1 {
    %slot = arith.remui %i, %c2 : index
    %round = arith.divui %i, %c2 : index
    %odd = arith.remui %round, %c2 : index
    %parity = arith.index_cast %odd : index to i32
    %buf = titan.shared.slot %ring[%slot : index] : !ring -> !tile
    titan.elect warp(0) {
      titan.fence.proxy_async shared_cta
      titan.mbarrier.arrive_expect_tx %full[%slot : index], %bytes : !bars
      titan.tma.load %mapA[%c0, %c0], %buf, %full[%slot : index] : !map, !tile, !bars
    }
    titan.mbarrier.wait %full[%slot : index] parity(%parity) : !bars
    %x = titan.shared.load %buf : !tile -> !reg
    titan.cta_sync
  }
  titan.return
}

// ZERO-TRIPS: [undefined-read]
// What stands after the loop assumes that it ran.
titan.kernel @zero_trips(%A: !global, %L: !list) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %length = titan.dim %L, 0 : !list
  %n = arith.subi %length, %c1 : index
  titan.launch grid(%c1) with(%mapA, %n : !map, index)
} body(%mapA: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %ring = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %first = titan.shared.slot %ring[%c0 : index] : !ring -> !tile
  scf.for %i = %c0 to %n step %c1 {
    %slot = arith.remui %i, %c2 : index
    %round = arith.divui %i, %c2 : index
    %odd = arith.remui %round, %c2 : index
    %parity = arith.index_cast %odd : index to i32
    %buf = titan.shared.slot %ring[%slot : index] : !ring -> !tile
    titan.elect warp(0) {
      titan.fence.proxy_async shared_cta
      titan.mbarrier.arrive_expect_tx %full[%slot : index], %bytes : !bars
      titan.tma.load %mapA[%c0, %c0], %buf, %full[%slot : index] : !map, !tile, !bars
    }
    titan.mbarrier.wait %full[%slot : index] parity(%parity) : !bars
    %x = titan.shared.load %buf : !tile -> !reg
    titan.cta_sync
  }
  %y = titan.shared.load %first : !tile -> !reg
  %z = arith.addf %y, %y : !reg
  titan.return
}

// SECOND-USE: [{{phase-parity|phase-ambiguous|completion-not-observed|race}}]
// The parity of the first use: wrong from the third iteration on.
titan.kernel @second_use(%A: !global, %L: !list) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %length = titan.dim %L, 0 : !list
  %n = arith.subi %length, %c1 : index
  titan.launch grid(%c1) with(%mapA, %n : !map, index)
} body(%mapA: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %ring = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %first = titan.shared.slot %ring[%c0 : index] : !ring -> !tile
  scf.for %i = %c0 to %n step %c1 {
    %slot = arith.remui %i, %c2 : index
    %round = arith.divui %i, %c2 : index
    %odd = arith.remui %round, %c2 : index
    %parity = arith.index_cast %odd : index to i32
    %buf = titan.shared.slot %ring[%slot : index] : !ring -> !tile
    titan.elect warp(0) {
      titan.fence.proxy_async shared_cta
      titan.mbarrier.arrive_expect_tx %full[%slot : index], %bytes : !bars
      titan.tma.load %mapA[%c0, %c0], %buf, %full[%slot : index] : !map, !tile, !bars
    }
    titan.mbarrier.wait %full[%slot : index] parity(%i0) : !bars
    %x = titan.shared.load %buf : !tile -> !reg
    titan.cta_sync
  }
  titan.return
}

// REUSED-SLOT: [race]
// Nothing holds the refill back until the slot has been read: it shows when a slot is used again.
titan.kernel @reused_slot(%A: !global, %L: !list) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %length = titan.dim %L, 0 : !list
  %n = arith.subi %length, %c1 : index
  titan.launch grid(%c1) with(%mapA, %n : !map, index)
} body(%mapA: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %ring = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %first = titan.shared.slot %ring[%c0 : index] : !ring -> !tile
  scf.for %i = %c0 to %n step %c1 {
    %slot = arith.remui %i, %c2 : index
    %round = arith.divui %i, %c2 : index
    %odd = arith.remui %round, %c2 : index
    %parity = arith.index_cast %odd : index to i32
    %buf = titan.shared.slot %ring[%slot : index] : !ring -> !tile
    titan.elect warp(0) {
      titan.fence.proxy_async shared_cta
      titan.mbarrier.arrive_expect_tx %full[%slot : index], %bytes : !bars
      titan.tma.load %mapA[%c0, %c0], %buf, %full[%slot : index] : !map, !tile, !bars
    }
    titan.mbarrier.wait %full[%slot : index] parity(%parity) : !bars
    %x = titan.shared.load %buf : !tile -> !reg
  }
  titan.return
}
