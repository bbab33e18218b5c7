// MoonshotAI/FlashKDA#24: the only fence stands in a loop that an empty sequence never enters.
//
// CODES: proxy-fence-missing
// RUN: %python %S/Inputs/bug_and_fix.py %s --shape A=64x64 --arg A=random:1 --shape D=64x64 --scalar length=0

!global = !titan.global<?x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

titan.kernel @bug(%A: !global, %D: !global, %length: i32) warps(4) launch {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  %chunks = arith.index_cast %length : i32 to index
  titan.launch grid(%c1) with(%mapA, %mapD, %chunks : !map, !map, index)
} body(%mapA: !map, %mapD: !map, %chunks: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  scf.for %i = %c0 to %chunks step %c1 {
    %old = titan.shared.load %buf : !tile -> !reg
    %new = arith.addf %old, %v : !reg
    titan.shared.store %new, %buf : !reg, !tile
    titan.fence.proxy_async shared_cta
  }
  titan.cta_sync
  titan.elect warp(0) {
    // BUG
    titan.tma.store %buf, %mapD[%c0, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

titan.kernel @fix(%A: !global, %D: !global, %length: i32) warps(4) launch {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  %chunks = arith.index_cast %length : i32 to index
  titan.launch grid(%c1) with(%mapA, %mapD, %chunks : !map, !map, index)
} body(%mapA: !map, %mapD: !map, %chunks: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  scf.for %i = %c0 to %chunks step %c1 {
    %old = titan.shared.load %buf : !tile -> !reg
    %new = arith.addf %old, %v : !reg
    titan.shared.store %new, %buf : !reg, !tile
    titan.fence.proxy_async shared_cta
  }
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%c0, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}
