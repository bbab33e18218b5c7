// triton-lang/triton#9413: a CTA ends while a peer still reads its shared memory.
//
// CODES: cluster-exit
// RUN: %python %S/Inputs/bug_and_fix.py %s --shape A=64x64 --arg A=random:1 --shape D=64x64

!global = !titan.global<?x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
!peer = !titan.shared<64x64xbf16, swizzle = 128, cluster>

titan.kernel @bug(%A: !global, %D: !global) warps(4) cluster(2) launch {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c2) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %rank = titan.cluster_rank
  titan.elect warp(0) {
    titan.st %one, %buf[%c0, %c0] : bf16, !tile
  }
  titan.cluster.arrive
  titan.cluster.wait
  %other = arith.subi %i1, %rank : i32
  titan.elect warp(0) {
    %peer = titan.map_rank %buf, %other : !tile -> !peer
    // BUG
    %x = titan.ld %peer[%c0, %c0] : !peer -> bf16
  }
  titan.return
}

titan.kernel @fix(%A: !global, %D: !global) warps(4) cluster(2) launch {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c2) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %rank = titan.cluster_rank
  titan.elect warp(0) {
    titan.st %one, %buf[%c0, %c0] : bf16, !tile
  }
  titan.cluster.arrive
  titan.cluster.wait
  %other = arith.subi %i1, %rank : i32
  titan.elect warp(0) {
    %peer = titan.map_rank %buf, %other : !tile -> !peer
    %x = titan.ld %peer[%c0, %c0] : !peer -> bf16
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}
