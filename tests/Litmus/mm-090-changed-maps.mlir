// MM-39, MM-90: a tensor map that has changed is released by who changed it, and acquired by who copies through it.
//
// A copy of a map is edited in shared memory, published in global memory, and
// a tile is loaded through it.
//
// RUN: titan check %s --kernel one_warp --undecided=warning
// RUN: not titan check %s --kernel no_acquire 2>&1 | FileCheck %s --check-prefix=NO-ACQUIRE
// RUN: not titan check %s --kernel acquired_before 2>&1 | FileCheck %s --check-prefix=ACQUIRED-BEFORE
// RUN: not titan check %s --kernel acquired_after 2>&1 | FileCheck %s --check-prefix=ACQUIRED-AFTER
// RUN: not titan check %s --kernel acquired_other 2>&1 | FileCheck %s --check-prefix=ACQUIRED-OTHER
// RUN: titan check %s --kernel issuer_acquires --undecided=warning
// RUN: titan check %s --kernel other_warp --undecided=warning
// RUN: not titan check %s --kernel other_warp_acquires 2>&1 | FileCheck %s --check-prefix=OTHER-WARP-ACQUIRES
// RUN: not titan check %s --kernel writer_acquires 2>&1 | FileCheck %s --check-prefix=WRITER-ACQUIRES
// RUN: not titan check %s --kernel acquired_too_early 2>&1 | FileCheck %s --check-prefix=ACQUIRED-TOO-EARLY
// RUN: not titan check %s --kernel no_barrier 2>&1 | FileCheck %s --check-prefix=NO-BARRIER
// RUN: not titan check %s --kernel no_syncwarp 2>&1 | FileCheck %s --check-prefix=NO-SYNCWARP
// RUN: titan check %s --kernel stored
// RUN: not titan check %s --kernel stored_not_released 2>&1 | FileCheck %s --check-prefix=STORED-NOT-RELEASED
// RUN: not titan check %s --kernel released_before 2>&1 | FileCheck %s --check-prefix=RELEASED-BEFORE
// RUN: not titan check %s --kernel async_fence 2>&1 | FileCheck %s --check-prefix=ASYNC-FENCE
// RUN: titan check %s --kernel earlier_kernel
// RUN: not titan check %s --kernel earlier_kernel_no_acquire 2>&1 | FileCheck %s --check-prefix=EARLIER-KERNEL-NO-ACQUIRE
// RUN: titan check %s --kernel twice --undecided=warning

!global = !titan.global<64x64xbf16>
!maps   = !titan.global<4x128xi8>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// A warp edits, publishes and acquires; one of its threads copies.
titan.kernel @one_warp(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %edit = titan.tensormap.alloc : !map
  %map = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tensormap.copy %mapA, %edit : !map, !map
    titan.syncwarp
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %rows : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
    titan.fence.tensormap_acquire %map gpu : !map
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// NO-ACQUIRE: [tensormap-acquire-missing]
// Published, and not acquired.
titan.kernel @no_acquire(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %edit = titan.tensormap.alloc : !map
  %map = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tensormap.copy %mapA, %edit : !map, !map
    titan.syncwarp
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %rows : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// ACQUIRED-BEFORE: [tensormap-acquire-missing]
// What is acquired is what has been released before.
titan.kernel @acquired_before(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %edit = titan.tensormap.alloc : !map
  %map = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tensormap.copy %mapA, %edit : !map, !map
    titan.syncwarp
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %rows : !map
    }
    titan.syncwarp
    titan.fence.tensormap_acquire %map gpu : !map
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// ACQUIRED-AFTER: [tensormap-acquire-missing]
// The copy may read the map before the acquire.
titan.kernel @acquired_after(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %edit = titan.tensormap.alloc : !map
  %map = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tensormap.copy %mapA, %edit : !map, !map
    titan.syncwarp
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %rows : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
    titan.fence.tensormap_acquire %map gpu : !map
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// ACQUIRED-OTHER: [tensormap-acquire-missing]
// An acquire names 128 bytes: those of another map.
titan.kernel @acquired_other(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %edit = titan.tensormap.alloc : !map
  %c1 = arith.constant 1 : index
  %other = titan.tensormap.at %maps[%c1] over %A : !maps, !global -> !map
  %map = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tensormap.copy %mapA, %edit : !map, !map
    titan.syncwarp
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %rows : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
    titan.fence.tensormap_acquire %other gpu : !map
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// The thread that copies acquires, that is enough.
titan.kernel @issuer_acquires(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %edit = titan.tensormap.alloc : !map
  %map = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tensormap.copy %mapA, %edit : !map, !map
    titan.syncwarp
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %rows : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
    titan.elect {
      titan.fence.tensormap_acquire %map gpu : !map
    }
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// Another warp copies: it comes after the release, and acquires.
titan.kernel @other_warp(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %edit = titan.tensormap.alloc : !map
  %map = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tensormap.copy %mapA, %edit : !map, !map
    titan.syncwarp
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %rows : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
  }
  titan.cta_sync
  scf.if %is1 {
    titan.fence.tensormap_acquire %map gpu : !map
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// OTHER-WARP-ACQUIRES: [tensormap-acquire-missing]
// The acquire is for the thread that executes it.
titan.kernel @other_warp_acquires(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %edit = titan.tensormap.alloc : !map
  %map = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tensormap.copy %mapA, %edit : !map, !map
    titan.syncwarp
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %rows : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
  }
  titan.cta_sync
  scf.if %is1 {
    titan.fence.tensormap_acquire %map gpu : !map
  }
  titan.cta_sync
  scf.if %is0 {
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// WRITER-ACQUIRES: [tensormap-acquire-missing]
// The same, the other way round.
titan.kernel @writer_acquires(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %edit = titan.tensormap.alloc : !map
  %map = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tensormap.copy %mapA, %edit : !map, !map
    titan.syncwarp
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %rows : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
    titan.fence.tensormap_acquire %map gpu : !map
  }
  titan.cta_sync
  scf.if %is1 {
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// ACQUIRED-TOO-EARLY: [tensormap-acquire-missing]
// Acquired before the barrier that comes after the release.
titan.kernel @acquired_too_early(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %edit = titan.tensormap.alloc : !map
  %map = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tensormap.copy %mapA, %edit : !map, !map
    titan.syncwarp
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %rows : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
  }
  scf.if %is1 {
    titan.fence.tensormap_acquire %map gpu : !map
  }
  titan.cta_sync
  scf.if %is1 {
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// NO-BARRIER: [{{race|tensormap-acquire-missing}}]
// Nothing orders the release before the acquire.
titan.kernel @no_barrier(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %edit = titan.tensormap.alloc : !map
  %map = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tensormap.copy %mapA, %edit : !map, !map
    titan.syncwarp
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %rows : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
  }
  scf.if %is1 {
    titan.fence.tensormap_acquire %map gpu : !map
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// NO-SYNCWARP: [race]
// One thread edits; the warp that copies the map does not see it yet.
titan.kernel @no_syncwarp(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %edit = titan.tensormap.alloc : !map
  %map = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tensormap.copy %mapA, %edit : !map, !map
    titan.syncwarp
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %rows : !map
    }
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
    titan.fence.tensormap_acquire %map gpu : !map
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// A map changed by ordinary stores: released by a fence of the storing thread.
titan.kernel @stored(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %edit = titan.tensormap.alloc : !map
  %map = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  %c3 = arith.constant 3 : index
  scf.if %is0 {
    titan.elect {
      %byte = titan.ld %maps[%c0, %c3] : !maps -> i8
      titan.st %byte, %maps[%c0, %c3] : i8, !maps
      titan.fence.tensormap_release gpu
    }
    titan.elect {
      titan.fence.tensormap_acquire %map gpu : !map
    }
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// STORED-NOT-RELEASED: [tensormap-acquire-missing]
// Nothing makes the store visible to the tensormap proxy.
titan.kernel @stored_not_released(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %edit = titan.tensormap.alloc : !map
  %map = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  %c3 = arith.constant 3 : index
  scf.if %is0 {
    titan.elect {
      %byte = titan.ld %maps[%c0, %c3] : !maps -> i8
      titan.st %byte, %maps[%c0, %c3] : i8, !maps
    }
    titan.elect {
      titan.fence.tensormap_acquire %map gpu : !map
    }
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// RELEASED-BEFORE: [tensormap-acquire-missing]
// The release stands before the store.
titan.kernel @released_before(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %edit = titan.tensormap.alloc : !map
  %map = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  %c3 = arith.constant 3 : index
  scf.if %is0 {
    titan.elect {
      titan.fence.tensormap_release gpu
      %byte = titan.ld %maps[%c0, %c3] : !maps -> i8
      titan.st %byte, %maps[%c0, %c3] : i8, !maps
    }
    titan.elect {
      titan.fence.tensormap_acquire %map gpu : !map
    }
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// ASYNC-FENCE: [tensormap-acquire-missing]
// fence.proxy.async is of another proxy.
titan.kernel @async_fence(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %edit = titan.tensormap.alloc : !map
  %map = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  %c3 = arith.constant 3 : index
  scf.if %is0 {
    titan.elect {
      %byte = titan.ld %maps[%c0, %c3] : !maps -> i8
      titan.st %byte, %maps[%c0, %c3] : i8, !maps
      titan.fence.proxy_async global
    }
    titan.elect {
      titan.fence.tensormap_acquire %map gpu : !map
    }
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// A map that an earlier kernel or the host has left in memory is acquired, too.
titan.kernel @earlier_kernel(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %edit = titan.tensormap.alloc : !map
  %map = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.fence.tensormap_acquire %map gpu : !map
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// EARLIER-KERNEL-NO-ACQUIRE: [tensormap-acquire-missing]
// A kernel's start does not acquire it.
titan.kernel @earlier_kernel_no_acquire(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %edit = titan.tensormap.alloc : !map
  %map = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// One acquire serves for many copies, while the map stays as it is.
titan.kernel @twice(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %edit = titan.tensormap.alloc : !map
  %map = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  %is1 = arith.cmpi eq, %warp, %i1 : i32
  scf.if %is0 {
    titan.tensormap.copy %mapA, %edit : !map, !map
    titan.syncwarp
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %rows : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
    titan.fence.tensormap_acquire %map gpu : !map
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  scf.if %is0 {
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.mbarrier.wait %full parity(%i1) : !bar
  %y = titan.shared.load %buf : !tile -> !reg
  titan.return
}
