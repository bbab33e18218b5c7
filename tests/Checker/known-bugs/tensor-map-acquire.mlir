// triton-lang/triton#4342: a tensor map lies in memory that the host or an earlier kernel has rewritten, and the reader does not acquire it.
//
// RUN: titan check %s --kernel fix
// RUN: not titan check %s --kernel bug 2>&1 | FileCheck %s --check-prefix=BUG

!global = !titan.global<?x64xbf16>
!maps   = !titan.global<?x128xi8>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>

titan.kernel @bug(%A: !global, %maps: !maps) warps(4) launch {
  %c1 = arith.constant 1 : index
  %rows = titan.dim %A, 0 : !global
  titan.launch grid(%c1) with(%rows : index)
} body(%rows: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %m = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %last = scf.for %row = %c0 to %rows step %c64 iter_args(%parity = %i0) -> (i32) {
    titan.elect warp(0) {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      // BUG: [[@LINE+1]]:{{.*}}[tensormap-acquire-missing]
      titan.tma.load %m[%row, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
    titan.mbarrier.wait %full parity(%parity) : !bar
    titan.cta_sync
    %next = arith.xori %parity, %i1 : i32
    scf.yield %next : i32
  }
  titan.return
}

titan.kernel @fix(%A: !global, %maps: !maps) warps(4) launch {
  %c1 = arith.constant 1 : index
  %rows = titan.dim %A, 0 : !global
  titan.launch grid(%c1) with(%rows : index)
} body(%rows: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %m = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %last = scf.for %row = %c0 to %rows step %c64 iter_args(%parity = %i0) -> (i32) {
    titan.elect warp(0) {
      titan.fence.tensormap_acquire %m gpu : !map
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %m[%row, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
    titan.mbarrier.wait %full parity(%parity) : !bar
    titan.cta_sync
    %next = arith.xori %parity, %i1 : i32
    scf.yield %next : i32
  }
  titan.return
}
