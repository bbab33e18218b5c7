// MM-39, MM-90: a map that another CTA has changed.
//
// CTA 0 edits a map and publishes it, CTA 1 copies through it.
//
// RUN: titan check %s --kernel flag --undecided=warning --scope=error
// RUN: not titan check %s --kernel no_acquire 2>&1 | FileCheck %s --check-prefix=NO-ACQUIRE
// RUN: not titan check %s --kernel acquired_before_wait 2>&1 | FileCheck %s --check-prefix=ACQUIRED-BEFORE-WAIT
// RUN: not titan check %s --kernel no_flag 2>&1 | FileCheck %s --check-prefix=NO-FLAG
// RUN: not titan check %s --kernel changed_after_signal 2>&1 | FileCheck %s --check-prefix=CHANGED-AFTER-SIGNAL
// RUN: titan check %s --kernel one_lane_signals --undecided=warning --scope=error
// RUN: not titan check %s --kernel cta_release --undecided=warning --scope=error 2>&1 | FileCheck %s --check-prefix=CTA-RELEASE
// RUN: titan check %s --kernel cta_acquire --undecided=warning 2>&1 | FileCheck %s --check-prefix=CTA-ACQUIRE
// RUN: not titan check %s --kernel cta_acquire --undecided=warning --scope=error 2>&1 | FileCheck %s --check-prefix=CTA-ACQUIRE

!global = !titan.global<64x64xbf16>
!maps   = !titan.global<4x128xi8>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
!flags  = !titan.global<4xi32>

// Release, signal, wait, acquire.
titan.kernel @flag(%A: !global, %maps: !maps, %flags: !flags) warps(4) launch {
  %grid = arith.constant 2 : index
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
  %cta = titan.cta_id 0
  %writes = arith.cmpi eq, %cta, %c0 : index
  scf.if %writes {
    scf.if %is0 {
      titan.tensormap.copy %mapA, %edit : !map, !map
      titan.syncwarp
      titan.elect {
        titan.tensormap.replace_dim %edit, 0, %rows : !map
      }
      titan.syncwarp
      titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
      titan.syncwarp
      titan.elect {
        titan.flag.signal %flags[%c0], %i1 : !flags
      }
    }
  } else {
    scf.if %is0 {
      titan.elect {
        titan.flag.wait %flags[%c0], %i1 : !flags
        titan.fence.tensormap_acquire %map gpu : !map
        titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
        titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
        %g = titan.bulk.commit : !bulk
        titan.bulk.wait %g read : !bulk
      }
    }
    titan.mbarrier.wait %full parity(%i0) : !bar
    %x = titan.shared.load %buf : !tile -> !reg
  }
  titan.return
}

// NO-ACQUIRE: [tensormap-acquire-missing]
// Not acquired.
titan.kernel @no_acquire(%A: !global, %maps: !maps, %flags: !flags) warps(4) launch {
  %grid = arith.constant 2 : index
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
  %cta = titan.cta_id 0
  %writes = arith.cmpi eq, %cta, %c0 : index
  scf.if %writes {
    scf.if %is0 {
      titan.tensormap.copy %mapA, %edit : !map, !map
      titan.syncwarp
      titan.elect {
        titan.tensormap.replace_dim %edit, 0, %rows : !map
      }
      titan.syncwarp
      titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
      titan.syncwarp
      titan.elect {
        titan.flag.signal %flags[%c0], %i1 : !flags
      }
    }
  } else {
    scf.if %is0 {
      titan.elect {
        titan.flag.wait %flags[%c0], %i1 : !flags
        titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
        titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
        %g = titan.bulk.commit : !bulk
        titan.bulk.wait %g read : !bulk
      }
    }
    titan.mbarrier.wait %full parity(%i0) : !bar
    %x = titan.shared.load %buf : !tile -> !reg
  }
  titan.return
}

// ACQUIRED-BEFORE-WAIT: [tensormap-acquire-missing]
// The acquire comes before the wait that tells of the release.
titan.kernel @acquired_before_wait(%A: !global, %maps: !maps, %flags: !flags) warps(4) launch {
  %grid = arith.constant 2 : index
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
  %cta = titan.cta_id 0
  %writes = arith.cmpi eq, %cta, %c0 : index
  scf.if %writes {
    scf.if %is0 {
      titan.tensormap.copy %mapA, %edit : !map, !map
      titan.syncwarp
      titan.elect {
        titan.tensormap.replace_dim %edit, 0, %rows : !map
      }
      titan.syncwarp
      titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
      titan.syncwarp
      titan.elect {
        titan.flag.signal %flags[%c0], %i1 : !flags
      }
    }
  } else {
    scf.if %is0 {
      titan.elect {
        titan.fence.tensormap_acquire %map gpu : !map
        titan.flag.wait %flags[%c0], %i1 : !flags
        titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
        titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
        %g = titan.bulk.commit : !bulk
        titan.bulk.wait %g read : !bulk
      }
    }
    titan.mbarrier.wait %full parity(%i0) : !bar
    %x = titan.shared.load %buf : !tile -> !reg
  }
  titan.return
}

// NO-FLAG: [{{race|tensormap-acquire-missing}}]
// Nothing orders the two CTAs.
titan.kernel @no_flag(%A: !global, %maps: !maps, %flags: !flags) warps(4) launch {
  %grid = arith.constant 2 : index
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
  %cta = titan.cta_id 0
  %writes = arith.cmpi eq, %cta, %c0 : index
  scf.if %writes {
    scf.if %is0 {
      titan.tensormap.copy %mapA, %edit : !map, !map
      titan.syncwarp
      titan.elect {
        titan.tensormap.replace_dim %edit, 0, %rows : !map
      }
      titan.syncwarp
      titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
      titan.syncwarp
      titan.elect {
        titan.flag.signal %flags[%c0], %i1 : !flags
      }
    }
  } else {
    scf.if %is0 {
      titan.elect {
        titan.fence.tensormap_acquire %map gpu : !map
        titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
        titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
        %g = titan.bulk.commit : !bulk
        titan.bulk.wait %g read : !bulk
      }
    }
    titan.mbarrier.wait %full parity(%i0) : !bar
    %x = titan.shared.load %buf : !tile -> !reg
  }
  titan.return
}

// CHANGED-AFTER-SIGNAL: [{{race|tensormap-acquire-missing}}]
// The signal is given before the map is published.
titan.kernel @changed_after_signal(%A: !global, %maps: !maps, %flags: !flags) warps(4) launch {
  %grid = arith.constant 2 : index
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
  %cta = titan.cta_id 0
  %writes = arith.cmpi eq, %cta, %c0 : index
  scf.if %writes {
    scf.if %is0 {
      titan.tensormap.copy %mapA, %edit : !map, !map
      titan.syncwarp
      titan.elect {
        titan.tensormap.replace_dim %edit, 0, %rows : !map
      }
      titan.syncwarp
      titan.elect {
        titan.flag.signal %flags[%c0], %i1 : !flags
      }
      titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
      titan.syncwarp
    }
  } else {
    scf.if %is0 {
      titan.elect {
        titan.flag.wait %flags[%c0], %i1 : !flags
        titan.fence.tensormap_acquire %map gpu : !map
        titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
        titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
        %g = titan.bulk.commit : !bulk
        titan.bulk.wait %g read : !bulk
      }
    }
    titan.mbarrier.wait %full parity(%i0) : !bar
    %x = titan.shared.load %buf : !tile -> !reg
  }
  titan.return
}

// cp_fenceproxy is of the whole warp: one of its lanes signals at once.
titan.kernel @one_lane_signals(%A: !global, %maps: !maps, %flags: !flags) warps(4) launch {
  %grid = arith.constant 2 : index
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
  %cta = titan.cta_id 0
  %writes = arith.cmpi eq, %cta, %c0 : index
  scf.if %writes {
    scf.if %is0 {
      titan.tensormap.copy %mapA, %edit : !map, !map
      titan.syncwarp
      titan.elect {
        titan.tensormap.replace_dim %edit, 0, %rows : !map
      }
      titan.syncwarp
      titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
      titan.elect {
        titan.flag.signal %flags[%c0], %i1 : !flags
      }
    }
  } else {
    scf.if %is0 {
      titan.elect {
        titan.flag.wait %flags[%c0], %i1 : !flags
        titan.fence.tensormap_acquire %map gpu : !map
        titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
        titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
        %g = titan.bulk.commit : !bulk
        titan.bulk.wait %g read : !bulk
      }
    }
    titan.mbarrier.wait %full parity(%i0) : !bar
    %x = titan.shared.load %buf : !tile -> !reg
  }
  titan.return
}

// CTA-RELEASE: [scope-too-narrow]
// The release names a scope that the reader is not in.
titan.kernel @cta_release(%A: !global, %maps: !maps, %flags: !flags) warps(4) launch {
  %grid = arith.constant 2 : index
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
  %cta = titan.cta_id 0
  %writes = arith.cmpi eq, %cta, %c0 : index
  scf.if %writes {
    scf.if %is0 {
      titan.tensormap.copy %mapA, %edit : !map, !map
      titan.syncwarp
      titan.elect {
        titan.tensormap.replace_dim %edit, 0, %rows : !map
      }
      titan.syncwarp
      titan.tensormap.cp_fenceproxy %edit, %map cta : !map, !map
      titan.syncwarp
      titan.elect {
        titan.flag.signal %flags[%c0], %i1 : !flags
      }
    }
  } else {
    scf.if %is0 {
      titan.elect {
        titan.flag.wait %flags[%c0], %i1 : !flags
        titan.fence.tensormap_acquire %map gpu : !map
        titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
        titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
        %g = titan.bulk.commit : !bulk
        titan.bulk.wait %g read : !bulk
      }
    }
    titan.mbarrier.wait %full parity(%i0) : !bar
    %x = titan.shared.load %buf : !tile -> !reg
  }
  titan.return
}

// CTA-ACQUIRE: [scope-too-narrow]
// Nor the writer in that of the acquire.
titan.kernel @cta_acquire(%A: !global, %maps: !maps, %flags: !flags) warps(4) launch {
  %grid = arith.constant 2 : index
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
  %cta = titan.cta_id 0
  %writes = arith.cmpi eq, %cta, %c0 : index
  scf.if %writes {
    scf.if %is0 {
      titan.tensormap.copy %mapA, %edit : !map, !map
      titan.syncwarp
      titan.elect {
        titan.tensormap.replace_dim %edit, 0, %rows : !map
      }
      titan.syncwarp
      titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
      titan.syncwarp
      titan.elect {
        titan.flag.signal %flags[%c0], %i1 : !flags
      }
    }
  } else {
    scf.if %is0 {
      titan.elect {
        titan.flag.wait %flags[%c0], %i1 : !flags
        titan.fence.tensormap_acquire %map cta : !map
        titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
        titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
        %g = titan.bulk.commit : !bulk
        titan.bulk.wait %g read : !bulk
      }
    }
    titan.mbarrier.wait %full parity(%i0) : !bar
    %x = titan.shared.load %buf : !tile -> !reg
  }
  titan.return
}
