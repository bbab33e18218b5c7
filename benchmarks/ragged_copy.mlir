// What strong correctness costs: Y = X through shared memory, three times the same
// kernel. Row tiles are dealt out in chunks of 32 among three CTAs, eleven each, so that
// the last CTA of a chunk has one too many, whose rows belong to the next chunk: a hole
// with data (level 2). @strong fills it, with a predicate and a box from outside; @weak
// does not look. @level_1 deals out all row tiles by elevens, where TMA fills by itself.
// benchmarks/ragged_copy.py times them.

#dealt = #titan.schedule<
  tensor M x K
  Mo, Mi = split(M, 64)
  Mc, Mw = split(Mo, 32)
  Ma, Mb = split(Mw, 11)
  Ko, Ki = split(K, 64)
  bulk Mi, Ki>
#even = #titan.schedule<
  tensor M x K
  Mo, Mi = split(M, 64)
  Mg, Mb = split(Mo, 11)
  Ko, Ki = split(K, 64)
  bulk Mi, Ki>

!matrix = !titan.global<?x?xbf16>
!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 4>
!tile = !titan.shared<64x64xbf16, swizzle = 128>
!full = !titan.mbarrier<4>
!bulk = !titan.token<bulk>

titan.kernel @strong(%X: !matrix, %Y: !matrix) warps(1) attributes {
  titan.example = {sizes = {M = 2300, K = 200}, X = "MxK random:1", Y = "MxK"},
  titan.reference = @copy_reference
} launch {
  %c64 = arith.constant 64 : index
  %c32 = arith.constant 32 : index
  %c3 = arith.constant 3 : index
  %m = titan.dim %X, 0 : !matrix
  %k = titan.dim %X, 1 : !matrix
  %mY = titan.dim %Y, 0 : !matrix
  %kY = titan.dim %Y, 1 : !matrix
  %is_m = arith.cmpi eq, %mY, %m : index
  %is_k = arith.cmpi eq, %kY, %k : index
  titan.require %is_m, "launch-check", "Y has a row for each row of X"
  titan.require %is_k, "launch-check", "Y has a column for each column of X"
  %tiles = arith.ceildivui %m, %c64 : index
  %x = arith.ceildivui %k, %c64 : index
  %chunks = arith.ceildivui %tiles, %c32 : index
  %y = arith.muli %chunks, %c3 : index
  titan.launch grid(%x, %y)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c11 = arith.constant 11 : index
  %ring = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !full
  %column = titan.cta_id 0
  %y = titan.cta_id 1
  %chunk = arith.divui %y, %c3 : index
  %part = arith.remui %y, %c3 : index

  titan.elect {
    titan.mbarrier.init %full count(1) : !full
    titan.fence.mbarrier_init
    // Two loads are under way before the first store.
    scf.for %i = %c0 to %c2 step %c1 {
      %slot = titan.shared.slot %ring[%i : index] : !ring -> !tile
      titan.copy_async %X at(Mc = %chunk, Ma = %part, Mb = %i, Ko = %column) to %slot signals %full[%i : index]
          schedule(#dealt) strong : !matrix, !tile, !full
      titan.mbarrier.arrive %full[%i : index] : !full
    }
    scf.for %i = %c0 to %c11 step %c1 {
      %next = arith.addi %i, %c2 : index
      %more = arith.cmpi ult, %next, %c11 : index
      scf.if %more {
        // The slot was stored from two rounds ago.
        titan.bulk.wait_group 1 read
        %at = arith.remui %next, %c4 : index
        %slot = titan.shared.slot %ring[%at : index] : !ring -> !tile
        titan.copy_async %X at(Mc = %chunk, Ma = %part, Mb = %next, Ko = %column) to %slot signals %full[%at : index]
            schedule(#dealt) strong : !matrix, !tile, !full
        titan.mbarrier.arrive %full[%at : index] : !full
      }
      %at = arith.remui %i, %c4 : index
      %slot = titan.shared.slot %ring[%at : index] : !ring -> !tile
      %round = arith.divui %i, %c4 : index
      %parity = arith.remui %round, %c2 : index
      %parity32 = arith.index_cast %parity : index to i32
      titan.mbarrier.wait %full[%at : index] parity(%parity32) : !full
      titan.copy_async %slot to %Y at(Mc = %chunk, Ma = %part, Mb = %i, Ko = %column) schedule(#dealt)
          : !tile, !matrix
      %stored = titan.bulk.commit : !bulk
    }
    titan.bulk.wait_group 0 read
  }
  titan.return
}

titan.kernel @weak(%X: !matrix, %Y: !matrix) warps(1) attributes {
  titan.example = {sizes = {M = 2300, K = 200}, X = "MxK random:1", Y = "MxK"},
  titan.reference = @copy_reference
} launch {
  %c64 = arith.constant 64 : index
  %c32 = arith.constant 32 : index
  %c3 = arith.constant 3 : index
  %m = titan.dim %X, 0 : !matrix
  %k = titan.dim %X, 1 : !matrix
  %mY = titan.dim %Y, 0 : !matrix
  %kY = titan.dim %Y, 1 : !matrix
  %is_m = arith.cmpi eq, %mY, %m : index
  %is_k = arith.cmpi eq, %kY, %k : index
  titan.require %is_m, "launch-check", "Y has a row for each row of X"
  titan.require %is_k, "launch-check", "Y has a column for each column of X"
  %tiles = arith.ceildivui %m, %c64 : index
  %x = arith.ceildivui %k, %c64 : index
  %chunks = arith.ceildivui %tiles, %c32 : index
  %y = arith.muli %chunks, %c3 : index
  titan.launch grid(%x, %y)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c11 = arith.constant 11 : index
  %ring = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !full
  %column = titan.cta_id 0
  %y = titan.cta_id 1
  %chunk = arith.divui %y, %c3 : index
  %part = arith.remui %y, %c3 : index

  titan.elect {
    titan.mbarrier.init %full count(1) : !full
    titan.fence.mbarrier_init
    // Two loads are under way before the first store.
    scf.for %i = %c0 to %c2 step %c1 {
      %slot = titan.shared.slot %ring[%i : index] : !ring -> !tile
      titan.copy_async %X at(Mc = %chunk, Ma = %part, Mb = %i, Ko = %column) to %slot signals %full[%i : index]
          schedule(#dealt) weak : !matrix, !tile, !full
      titan.mbarrier.arrive %full[%i : index] : !full
    }
    scf.for %i = %c0 to %c11 step %c1 {
      %next = arith.addi %i, %c2 : index
      %more = arith.cmpi ult, %next, %c11 : index
      scf.if %more {
        // The slot was stored from two rounds ago.
        titan.bulk.wait_group 1 read
        %at = arith.remui %next, %c4 : index
        %slot = titan.shared.slot %ring[%at : index] : !ring -> !tile
        titan.copy_async %X at(Mc = %chunk, Ma = %part, Mb = %next, Ko = %column) to %slot signals %full[%at : index]
            schedule(#dealt) weak : !matrix, !tile, !full
        titan.mbarrier.arrive %full[%at : index] : !full
      }
      %at = arith.remui %i, %c4 : index
      %slot = titan.shared.slot %ring[%at : index] : !ring -> !tile
      %round = arith.divui %i, %c4 : index
      %parity = arith.remui %round, %c2 : index
      %parity32 = arith.index_cast %parity : index to i32
      titan.mbarrier.wait %full[%at : index] parity(%parity32) : !full
      titan.copy_async %slot to %Y at(Mc = %chunk, Ma = %part, Mb = %i, Ko = %column) schedule(#dealt)
          : !tile, !matrix
      %stored = titan.bulk.commit : !bulk
    }
    titan.bulk.wait_group 0 read
  }
  titan.return
}

titan.kernel @level_1(%X: !matrix, %Y: !matrix) warps(1) attributes {
  titan.example = {sizes = {M = 2300, K = 200}, X = "MxK random:1", Y = "MxK"},
  titan.reference = @copy_reference
} launch {
  %c64 = arith.constant 64 : index
  %c11 = arith.constant 11 : index
  %m = titan.dim %X, 0 : !matrix
  %k = titan.dim %X, 1 : !matrix
  %mY = titan.dim %Y, 0 : !matrix
  %kY = titan.dim %Y, 1 : !matrix
  %is_m = arith.cmpi eq, %mY, %m : index
  %is_k = arith.cmpi eq, %kY, %k : index
  titan.require %is_m, "launch-check", "Y has a row for each row of X"
  titan.require %is_k, "launch-check", "Y has a column for each column of X"
  %tiles = arith.ceildivui %m, %c64 : index
  %x = arith.ceildivui %k, %c64 : index
  %y = arith.ceildivui %tiles, %c11 : index
  titan.launch grid(%x, %y)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c11 = arith.constant 11 : index
  %ring = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !full
  %column = titan.cta_id 0
  %group = titan.cta_id 1

  titan.elect {
    titan.mbarrier.init %full count(1) : !full
    titan.fence.mbarrier_init
    // Two loads are under way before the first store.
    scf.for %i = %c0 to %c2 step %c1 {
      %slot = titan.shared.slot %ring[%i : index] : !ring -> !tile
      titan.copy_async %X at(Mg = %group, Mb = %i, Ko = %column) to %slot signals %full[%i : index]
          schedule(#even) strong : !matrix, !tile, !full
      titan.mbarrier.arrive %full[%i : index] : !full
    }
    scf.for %i = %c0 to %c11 step %c1 {
      %next = arith.addi %i, %c2 : index
      %more = arith.cmpi ult, %next, %c11 : index
      scf.if %more {
        // The slot was stored from two rounds ago.
        titan.bulk.wait_group 1 read
        %at = arith.remui %next, %c4 : index
        %slot = titan.shared.slot %ring[%at : index] : !ring -> !tile
        titan.copy_async %X at(Mg = %group, Mb = %next, Ko = %column) to %slot signals %full[%at : index]
            schedule(#even) strong : !matrix, !tile, !full
        titan.mbarrier.arrive %full[%at : index] : !full
      }
      %at = arith.remui %i, %c4 : index
      %slot = titan.shared.slot %ring[%at : index] : !ring -> !tile
      %round = arith.divui %i, %c4 : index
      %parity = arith.remui %round, %c2 : index
      %parity32 = arith.index_cast %parity : index to i32
      titan.mbarrier.wait %full[%at : index] parity(%parity32) : !full
      titan.copy_async %slot to %Y at(Mg = %group, Mb = %i, Ko = %column) schedule(#even)
          : !tile, !matrix
      %stored = titan.bulk.commit : !bulk
    }
    titan.bulk.wait_group 0 read
  }
  titan.return
}

func.func private @copy_reference(%X: memref<?x?xbf16> {titan.input = "X"},
                                  %Y: memref<?x?xf32> {titan.expected = "Y"}) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%X : memref<?x?xbf16>) outs(%Y : memref<?x?xf32>) {
  ^bb0(%x: bf16, %y: f32):
    %e = arith.extf %x : bf16 to f32
    linalg.yield %e : f32
  }
  return
}
