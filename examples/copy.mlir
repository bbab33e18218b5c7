// The smallest lesson: one tile of a matrix goes through shared memory.
//
// A TMA load completes on an mbarrier, in bytes; the store completes in a bulk
// group of the thread that issued it. Tiles at the edge need no care: a load
// fills what lies outside with zeros and counts it all the same, a store leaves
// it out. Between the two there is no fence: load and store both go through the
// async proxy, and the wait has observed that the load is complete.

!matrix = !titan.global<?x?xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bulk   = !titan.token<bulk>

titan.kernel @copy(%X: !matrix, %Y: !matrix) warps(1) attributes {
  titan.example = {sizes = {M = 150, N = 200}, X = "MxN random:1", Y = "MxN"},
  titan.reference = @copy_reference
} launch {
  %c64 = arith.constant 64 : index
  %m = titan.dim %X, 0 : !matrix
  %n = titan.dim %X, 1 : !matrix
  %mY = titan.dim %Y, 0 : !matrix
  %nY = titan.dim %Y, 1 : !matrix
  %is_mY = arith.cmpi eq, %mY, %m : index
  %is_nY = arith.cmpi eq, %nY, %n : index
  titan.require %is_mY, "launch-check", "Y has a row for each row of X"
  titan.require %is_nY, "launch-check", "Y has a column for each column of X"
  %rows = arith.ceildivui %m, %c64 : index
  %columns = arith.ceildivui %n, %c64 : index
  %mapX = titan.tensor_map %X : !matrix -> !map
  %mapY = titan.tensor_map %Y : !matrix -> !map
  titan.launch grid(%columns, %rows) with(%mapX, %mapY : !map, !map)
} body(%mapX: !map, %mapY: !map) {
  %c64 = arith.constant 64 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %column = titan.cta_id 0
  %row = titan.cta_id 1
  %x = arith.muli %column, %c64 : index
  %y = arith.muli %row, %c64 : index

  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.tma.load %mapX[%y, %x], %tile, %full : !map, !tile, !titan.mbarrier
    titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier
    titan.tma.store %tile, %mapY[%y, %x] : !tile, !map
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group read : !bulk
  }
  titan.return
}

// What copy should compute: Y = X, bit for bit.
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
