// MM-39, MM-40, MM-90, MM-91: a map that changes in each round of a loop, and the copies of the round before.
//
// In each round a warp changes a map and loads a tile through it.
//
// RUN: titan check %s --kernel each_round --undecided=warning
// RUN: titan check %s --kernel complete --undecided=warning
// RUN: titan check %s --kernel read_in_the_next --undecided=warning
// RUN: titan check %s --kernel edited_before --undecided=warning
// RUN: not titan check %s --kernel acquired_once 2>&1 | FileCheck %s --check-prefix=ACQUIRED-ONCE
// RUN: titan check %s --kernel acquired_once_unchanged --undecided=warning
// RUN: not titan check %s --kernel never_read 2>&1 | FileCheck %s --check-prefix=NEVER-READ

!global = !titan.global<64x64xbf16>
!maps   = !titan.global<4x128xi8>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// Changed, released, acquired, used; and read before the next change.
titan.kernel @each_round(%A: !global, %maps: !maps, %rounds: i32) warps(4) launch {
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
  }
  %end = scf.for %i = %i0 to %rounds step %i1 iter_args(%parity = %i0) -> (i32) : i32 {
    scf.if %is0 {
      titan.elect {
        titan.tensormap.replace_dim %edit, 0, %fewer : !map
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
    titan.mbarrier.wait %full parity(%parity) : !bar
    %x = titan.shared.load %buf : !tile -> !reg
    titan.fence.proxy_async shared_cta
    titan.cta_sync
    %next = arith.xori %parity, %i1 : i32
    scf.yield %next : i32
  }
  titan.return
}

// The load of the round before is complete, and has read the map.
titan.kernel @complete(%A: !global, %maps: !maps, %rounds: i32) warps(4) launch {
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
  }
  %end = scf.for %i = %i0 to %rounds step %i1 iter_args(%parity = %i0) -> (i32) : i32 {
    scf.if %is0 {
      titan.elect {
        titan.tensormap.replace_dim %edit, 0, %fewer : !map
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
    titan.mbarrier.wait %full parity(%parity) : !bar
    %x = titan.shared.load %buf : !tile -> !reg
    titan.fence.proxy_async shared_cta
    titan.cta_sync
    %next = arith.xori %parity, %i1 : i32
    scf.yield %next : i32
  }
  titan.elect warp(0) {
    titan.bulk.wait_group 0 read
  }
  titan.return
}

// The next round waits for that before it changes the map.
titan.kernel @read_in_the_next(%A: !global, %maps: !maps, %rounds: i32) warps(4) launch {
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
  }
  %end = scf.for %i = %i0 to %rounds step %i1 iter_args(%parity = %i0) -> (i32) : i32 {
    scf.if %is0 {
      titan.elect {
        titan.bulk.wait_group 0 read
      }
      titan.syncwarp
      titan.elect {
        titan.tensormap.replace_dim %edit, 0, %fewer : !map
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
    titan.mbarrier.wait %full parity(%parity) : !bar
    %x = titan.shared.load %buf : !tile -> !reg
    titan.fence.proxy_async shared_cta
    titan.cta_sync
    %next = arith.xori %parity, %i1 : i32
    scf.yield %next : i32
  }
  titan.elect warp(0) {
    titan.bulk.wait_group 0 read
  }
  titan.return
}

// It may edit the copy in shared memory before.
titan.kernel @edited_before(%A: !global, %maps: !maps, %rounds: i32) warps(4) launch {
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
  }
  %end = scf.for %i = %i0 to %rounds step %i1 iter_args(%parity = %i0) -> (i32) : i32 {
    scf.if %is0 {
      titan.elect {
        titan.tensormap.replace_dim %edit, 0, %fewer : !map
      }
      titan.syncwarp
      titan.elect {
        titan.bulk.wait_group 0 read
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
    titan.mbarrier.wait %full parity(%parity) : !bar
    %x = titan.shared.load %buf : !tile -> !reg
    titan.fence.proxy_async shared_cta
    titan.cta_sync
    %next = arith.xori %parity, %i1 : i32
    scf.yield %next : i32
  }
  titan.elect warp(0) {
    titan.bulk.wait_group 0 read
  }
  titan.return
}

// ACQUIRED-ONCE: [tensormap-acquire-missing]
// Each change is acquired anew.
titan.kernel @acquired_once(%A: !global, %maps: !maps, %rounds: i32) warps(4) launch {
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
      titan.tensormap.replace_dim %edit, 0, %fewer : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
    titan.fence.tensormap_acquire %map gpu : !map
  }
  %end = scf.for %i = %i0 to %rounds step %i1 iter_args(%parity = %i0) -> (i32) : i32 {
    scf.if %is0 {
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
    titan.mbarrier.wait %full parity(%parity) : !bar
    %x = titan.shared.load %buf : !tile -> !reg
    titan.fence.proxy_async shared_cta
    titan.cta_sync
    %next = arith.xori %parity, %i1 : i32
    scf.yield %next : i32
  }
  titan.return
}

// While it stays as it is, once is enough.
titan.kernel @acquired_once_unchanged(%A: !global, %maps: !maps, %rounds: i32) warps(4) launch {
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
      titan.tensormap.replace_dim %edit, 0, %fewer : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
    titan.fence.tensormap_acquire %map gpu : !map
  }
  %end = scf.for %i = %i0 to %rounds step %i1 iter_args(%parity = %i0) -> (i32) : i32 {
    scf.if %is0 {
      titan.elect {
        titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
        titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
        %g = titan.bulk.commit : !bulk
        titan.bulk.wait %g read : !bulk
      }
    }
    titan.mbarrier.wait %full parity(%parity) : !bar
    %x = titan.shared.load %buf : !tile -> !reg
    titan.fence.proxy_async shared_cta
    titan.cta_sync
    %next = arith.xori %parity, %i1 : i32
    scf.yield %next : i32
  }
  titan.return
}

// NEVER-READ: [tensormap-in-use]
// The map of the next round is made while the load of this one may read it.
titan.kernel @never_read(%A: !global, %maps: !maps, %rounds: i32) warps(4) launch {
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
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
  }
  %end = scf.for %i = %i0 to %rounds step %i1 iter_args(%parity = %i0) -> (i32) : i32 {
    scf.if %is0 {
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
    titan.mbarrier.wait %full parity(%parity) : !bar
    %x = titan.shared.load %buf : !tile -> !reg
    titan.fence.proxy_async shared_cta
    titan.cta_sync
    %next = arith.xori %parity, %i1 : i32
    scf.yield %next : i32
  }
  titan.elect warp(0) {
    titan.bulk.wait_group 0 read
  }
  titan.return
}
