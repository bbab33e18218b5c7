// MM-92: a map that the launch made is a parameter: it needs no acquire.
//
// A tile is loaded through a map that is a parameter, or in memory.
//
// RUN: titan check %s --kernel parameter
// RUN: not titan check %s --kernel in_memory 2>&1 | FileCheck %s --check-prefix=IN-MEMORY
// RUN: titan check %s --kernel acquired_in_memory
// RUN: titan check %s --kernel copied_from
// RUN: not titan check %s --kernel edited_used 2>&1 | FileCheck %s --check-prefix=EDITED-USED

!global = !titan.global<64x64xbf16>
!maps   = !titan.global<4x128xi8>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// Nobody acquires it.
titan.kernel @parameter(%A: !global, %maps: !maps) warps(4) launch {
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
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// IN-MEMORY: [tensormap-acquire-missing]
// The same in memory is not known to be what it was.
titan.kernel @in_memory(%A: !global, %maps: !maps) warps(4) launch {
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

// Until it is acquired.
titan.kernel @acquired_in_memory(%A: !global, %maps: !maps) warps(4) launch {
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

// To copy from a parameter what is then edited does not change the parameter.
titan.kernel @copied_from(%A: !global, %maps: !maps) warps(4) launch {
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
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
    }
    titan.tensormap.copy %mapA, %edit : !map, !map
    titan.syncwarp
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %rows : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// EDITED-USED: [tensormap-acquire-missing]
// But what was made of it has changed.
titan.kernel @edited_used(%A: !global, %maps: !maps) warps(4) launch {
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
