// tile-ai/tilelang#3087: a barrier with one slot is waited for with the parity of a ring of several.
//
// CODES: phase-parity phase-ambiguous
// RUN: %python %S/Inputs/bug_and_fix.py %s --shape A=64x64 --arg A=random:1 --shape D=64x64 --shape S=5 --arg S=zeros

!global = !titan.global<?x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
!sequence = !titan.global<?xf32>

titan.kernel @bug(%A: !global, %D: !global, %S: !sequence) warps(4) launch {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  %rounds = titan.dim %S, 0 : !sequence
  titan.launch grid(%c1) with(%mapA, %mapD, %rounds : !map, !map, index)
} body(%mapA: !map, %mapD: !map, %rounds: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %ring = titan.mbarrier.alloc : !titan.mbarrier<2>
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  scf.for %i = %c0 to %rounds step %c1 {
    titan.elect warp(0) {
      titan.fence.proxy_async shared_cta
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
    }
    %use = arith.divui %i, %c2 : index
    %odd = arith.remui %use, %c2 : index
    %parity = arith.index_cast %odd : index to i32
    // BUG
    titan.mbarrier.wait %full parity(%parity) : !bar
    %x = titan.shared.load %buf : !tile -> !reg
    titan.cta_sync
  }
  titan.return
}

titan.kernel @fix(%A: !global, %D: !global, %S: !sequence) warps(4) launch {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  %rounds = titan.dim %S, 0 : !sequence
  titan.launch grid(%c1) with(%mapA, %mapD, %rounds : !map, !map, index)
} body(%mapA: !map, %mapD: !map, %rounds: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %ring = titan.mbarrier.alloc : !titan.mbarrier<2>
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  scf.for %i = %c0 to %rounds step %c1 {
    titan.elect warp(0) {
      titan.fence.proxy_async shared_cta
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
    }
    %odd = arith.remui %i, %c2 : index
    %parity = arith.index_cast %odd : index to i32
    titan.mbarrier.wait %full parity(%parity) : !bar
    %x = titan.shared.load %buf : !tile -> !reg
    titan.cta_sync
  }
  titan.return
}
