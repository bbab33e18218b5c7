// MM-40, MM-91: a map changes when the copies that use it have read it.
//
// A tile is loaded through a map in memory, which then changes.
//
// RUN: titan check %s --kernel read --undecided=warning
// RUN: not titan check %s --kernel not_read 2>&1 | FileCheck %s --check-prefix=NOT-READ
// RUN: not titan check %s --kernel not_committed 2>&1 | FileCheck %s --check-prefix=NOT-COMMITTED
// RUN: not titan check %s --kernel waited_too_late 2>&1 | FileCheck %s --check-prefix=WAITED-TOO-LATE
// RUN: titan check %s --kernel edited_meanwhile --undecided=warning
// RUN: not titan check %s --kernel one_stays_pending 2>&1 | FileCheck %s --check-prefix=ONE-STAYS-PENDING
// RUN: titan check %s --kernel both_read --undecided=warning
// RUN: titan check %s --kernel other_map --undecided=warning
// RUN: titan check %s --kernel other_warp --undecided=warning
// RUN: not titan check %s --kernel other_warp_not_read 2>&1 | FileCheck %s --check-prefix=OTHER-WARP-NOT-READ
// RUN: not titan check %s --kernel other_warp_waits 2>&1 | FileCheck %s --check-prefix=OTHER-WARP-WAITS
// RUN: not titan check %s --kernel other_warp_no_barrier 2>&1 | FileCheck %s --check-prefix=OTHER-WARP-NO-BARRIER
// RUN: not titan check %s --kernel stored_over 2>&1 | FileCheck %s --check-prefix=STORED-OVER
// RUN: titan check %s --kernel stored_over_read --undecided=warning
// RUN: not titan check %s --kernel read_no_syncwarp 2>&1 | FileCheck %s --check-prefix=READ-NO-SYNCWARP

!global = !titan.global<64x64xbf16>
!maps   = !titan.global<4x128xi8>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// A bulk group tells that the map has been read.
titan.kernel @read(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %fewer = arith.constant 16 : i32
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
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %fewer : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// NOT-READ: [tensormap-in-use]
// Nobody waits for it.
titan.kernel @not_read(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %fewer = arith.constant 16 : i32
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
    }
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %fewer : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.elect warp(0) {
    titan.bulk.wait_group 0 read
  }
  titan.return
}

// NOT-COMMITTED: [tensormap-in-use]
// A wait covers what was committed.
titan.kernel @not_committed(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %fewer = arith.constant 16 : i32
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
    }
    titan.elect {
      titan.bulk.wait_group 0 read
    }
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %fewer : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// WAITED-TOO-LATE: [tensormap-in-use]
// The wait stands behind the change.
titan.kernel @waited_too_late(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %fewer = arith.constant 16 : i32
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
    }
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %fewer : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
  }
  titan.elect warp(0) {
    titan.bulk.wait_group 0 read
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// The copy in shared memory is edited meanwhile: nothing copies through that one.
titan.kernel @edited_meanwhile(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %fewer = arith.constant 16 : i32
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
    }
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %fewer : !map
    }
    titan.syncwarp
    titan.elect {
      titan.bulk.wait_group 0 read
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// ONE-STAYS-PENDING: [tensormap-in-use]
// Two copies use the map; one may still read it.
titan.kernel @one_stays_pending(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %fewer = arith.constant 16 : i32
  %bytes = arith.constant 16384 : i32
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
  %second = titan.shared.alloc : !tile
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
    }
    titan.elect {
      titan.tma.load %map[%c0, %c0], %second, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
    }
    titan.elect {
      titan.bulk.wait_group 1 read
    }
    titan.syncwarp
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %fewer : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
  }
  titan.elect warp(0) {
    titan.bulk.wait_group 0 read
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// Both have read it.
titan.kernel @both_read(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %fewer = arith.constant 16 : i32
  %bytes = arith.constant 16384 : i32
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
  %second = titan.shared.alloc : !tile
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
    }
    titan.elect {
      titan.tma.load %map[%c0, %c0], %second, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
    }
    titan.elect {
      titan.bulk.wait_group 0 read
    }
    titan.syncwarp
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %fewer : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// Another map changes.
titan.kernel @other_map(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %fewer = arith.constant 16 : i32
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
    titan.fence.tensormap_acquire %map gpu : !map
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
    }
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %fewer : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %other gpu : !map, !map
  }
  titan.elect warp(0) {
    titan.bulk.wait_group 0 read
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// Another warp changes it, told by a barrier.
titan.kernel @other_warp(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %fewer = arith.constant 16 : i32
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
  titan.cta_sync
  scf.if %is1 {
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %fewer : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// OTHER-WARP-NOT-READ: [tensormap-in-use]
// The barrier does not wait for the copy.
titan.kernel @other_warp_not_read(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %fewer = arith.constant 16 : i32
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
    }
  }
  titan.cta_sync
  scf.if %is1 {
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %fewer : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.elect warp(0) {
    titan.bulk.wait_group 0 read
  }
  titan.return
}

// OTHER-WARP-WAITS: [{{tensormap-in-use|token-agent}}]
// Who did not commit waits for nothing.
titan.kernel @other_warp_waits(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %fewer = arith.constant 16 : i32
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
    }
  }
  titan.cta_sync
  scf.if %is1 {
    titan.elect {
      titan.bulk.wait_group 0 read
    }
    titan.syncwarp
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %fewer : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.elect warp(0) {
    titan.bulk.wait_group 0 read
  }
  titan.return
}

// OTHER-WARP-NO-BARRIER: [{{tensormap-in-use|race}}]
// It has been read, but the other warp does not know.
titan.kernel @other_warp_no_barrier(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %fewer = arith.constant 16 : i32
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
    titan.tensormap.copy %mapA, %edit : !map, !map
    titan.syncwarp
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %rows : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
    titan.fence.tensormap_acquire %map gpu : !map
    titan.syncwarp
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
  scf.if %is1 {
    titan.elect {
      %byte = titan.ld %maps[%c0, %c3] : !maps -> i8
      titan.st %byte, %maps[%c0, %c3] : i8, !maps
      titan.fence.tensormap_release gpu
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// STORED-OVER: [tensormap-in-use]
// A store to the map is a change, too.
titan.kernel @stored_over(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %fewer = arith.constant 16 : i32
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
    }
    titan.elect {
      %byte = titan.ld %maps[%c0, %c3] : !maps -> i8
      titan.st %byte, %maps[%c0, %c3] : i8, !maps
      titan.fence.tensormap_release gpu
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.elect warp(0) {
    titan.bulk.wait_group 0 read
  }
  titan.return
}

// It waits as well.
titan.kernel @stored_over_read(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %fewer = arith.constant 16 : i32
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
    titan.elect {
      %byte = titan.ld %maps[%c0, %c3] : !maps -> i8
      titan.st %byte, %maps[%c0, %c3] : i8, !maps
      titan.fence.tensormap_release gpu
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// READ-NO-SYNCWARP: [{{race|tensormap-in-use}}]
// One thread has waited; the warp that publishes does not know.
titan.kernel @read_no_syncwarp(%A: !global, %maps: !maps) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%grid) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %fewer = arith.constant 16 : i32
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
    }
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %fewer : !map
    }
    titan.syncwarp
    titan.elect {
      titan.bulk.wait_group 0 read
    }
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}
