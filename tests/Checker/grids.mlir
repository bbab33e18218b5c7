// MM-122: CTAs that write the same bytes are found wherever they lie in the grid.
//
// RUN: not titan check %s --kernel large_tiles 2>&1 | FileCheck %s --check-prefix=LARGE-TILES
// RUN: not titan check %s --kernel forgot_y 2>&1 | FileCheck %s --check-prefix=FORGOT-Y
// RUN: titan check %s --kernel both_ids
// RUN: titan check %s --kernel several_runs
// RUN: not titan check %s --kernel fourth_tile 2>&1 | FileCheck %s --check-prefix=FOURTH-TILE
// RUN: not titan check %s --kernel by_four 2>&1 | FileCheck %s --check-prefix=BY-FOUR

!global = !titan.global<?x?xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// Two CTAs from 8193 rows on.
// LARGE-TILES: {{\[}}completion-not-observed{{\]}}
titan.kernel @large_tiles(%A: !global, %D: !global) warps(4) launch {
  %c8 = arith.constant 8192 : index
  %m = titan.dim %A, 0 : !global
  %t = arith.ceildivui %m, %c8 : index
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%t) with(%mapD : !map)
} body(%mapD: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%c0, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

// CTAs of one column write the same tile.
// FORGOT-Y: {{\[}}completion-not-observed{{\]}}
titan.kernel @forgot_y(%A: !global, %D: !global) warps(4) launch {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c2, %c4) with(%mapD : !map)
} body(%mapD: !map) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  %id = titan.cta_id 0
  %at = arith.muli %id, %c64 : index
  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

// Every CTA its own tile.
titan.kernel @both_ids(%A: !global, %D: !global) warps(4) launch {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c2, %c4) with(%mapD : !map)
} body(%mapD: !map) {
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  %id = titan.cta_id 0
  %at = arith.muli %id, %c64 : index
  %idY = titan.cta_id 1
  %atY = arith.muli %idY, %c64 : index
  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%at, %atY] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

// From the fourth tile on a CTA writes what the next one does.
// FOURTH-TILE: {{\[}}completion-not-observed{{\]}}
titan.kernel @fourth_tile(%A: !global, %D: !global) warps(4) launch {
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %kk = titan.dim %A, 1 : !global
  %steps = arith.ceildivui %kk, %c64 : index
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c2) with(%mapD, %steps : !map, index)
} body(%mapD: !map, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  %id = titan.cta_id 0
  %at = arith.muli %id, %c3 : index
  titan.elect warp(0) {
    scf.for %k = %c0 to %steps step %c1 {
      %t = arith.addi %at, %k : index
      %r = arith.muli %t, %c64 : index
      titan.tma.store %buf, %mapD[%r, %c0] : !tile, !map
      %g = titan.bulk.commit : !bulk
    }
    titan.bulk.wait_group 0 read
  }
  titan.return
}

// A CTA goes on by four tiles, however many CTAs there are: more than four write some tiles twice.
// BY-FOUR: {{\[}}completion-not-observed{{\]}}
// BY-FOUR: CTA 4, warp 0
titan.kernel @by_four(%A: !global, %D: !global) warps(4) launch {
  %c64 = arith.constant 64 : index
  %m = titan.dim %D, 0 : !global
  %tiles = arith.ceildivui %m, %c64 : index
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %tiles, %sms : index
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapD, %tiles : !map, index)
} body(%mapD: !map, %tiles: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  %id = titan.cta_id 0
  titan.elect warp(0) {
    scf.for %t = %id to %tiles step %c4 {
      %r = arith.muli %t, %c64 : index
      titan.tma.store %buf, %mapD[%r, %c0] : !tile, !map
      %g = titan.bulk.commit : !bulk
    }
    titan.bulk.wait_group 0 read
  }
  titan.return
}

// Each warp has two runs of the CTA's elements, and between them those of the others: no two warps share one, under any number.
#runs = #titan.blocked<elements = [4], lanes = [32], warps = [4]>
titan.kernel @several_runs(%y: !titan.global<?xf32>, %a: f32) warps(4) launch {
  %c1024 = arith.constant 1024 : index
  %n = titan.dim %y, 0 : !titan.global<?xf32>
  %blocks = arith.ceildivui %n, %c1024 : index
  titan.launch grid(%blocks) with(%n : index)
} body(%n: index) {
  %c1024 = arith.constant 1024 : index
  %block = titan.cta_id 0
  %start = arith.muli %block, %c1024 : index
  %start32 = arith.index_cast %start : index to i32
  %n32 = arith.index_cast %n : index to i32
  %first = titan.splat %start32 : i32 -> tensor<1024xi32, #runs>
  %end = titan.splat %n32 : i32 -> tensor<1024xi32, #runs>
  %own = titan.coordinate 0 : tensor<1024xi32, #runs>
  %i = arith.addi %first, %own : tensor<1024xi32, #runs>
  %inside = arith.cmpi slt, %i, %end : tensor<1024xi32, #runs>
  %v = titan.splat %a : f32 -> tensor<1024xf32, #runs>
  titan.global.store %v, %y[%i] mask(%inside : tensor<1024xi1, #runs>)
      : tensor<1024xf32, #runs>, !titan.global<?xf32>, tensor<1024xi32, #runs>
  titan.return
}
