// A copy between the CTAs of a cluster: two CTAs exchange their tiles, and each half of the columns crosses over.
//
//            CTA 0                     CTA 1
//
//   A  -->  %mine   [ L0 | R0 ]       %mine   [ L1 | R1 ]  <--  A        titan.copy
//                            \         /
//                             \       /
//                              \     /
//                               \   /   copy_async, two halves each way
//                                \ /
//                                 X
//                                / \
//                               v   v
//   B  <--  %theirs [ R1 | L1 ]       %theirs [ R0 | L0 ]  -->  B        titan.copy
//
// A copy_async says what moves (columns 32 to 63 of %mine, to columns 0 to 31 of what the peer calls %theirs) and
// whose memory it goes to. That it is 128 bulk copies of 64 bytes, and why, `titan explain copy` prints
// (docs/dispatch.md). Three things are the program's:
//
//   arrive_expect_tx   whoever waits says how many bytes will come: both halves
//   cluster barrier    before: the peer has started, and its barrier is initialised
//                      behind: the peer has got what it waited for, so %mine has been read, and the CTA may exit
//   proxy fence        threads stored what the copies read through the async proxy

!matrix = !titan.global<?x64xf16, strides = [64, 1]>
!tile = !titan.shared<128x64xf16>

titan.kernel @cluster_copy(%A: !matrix, %B: !matrix) warps(4) cluster(2, 1) attributes {
  titan.alignment = {A = 16, B = 16},
  titan.example = {sizes = {M = 512}, A = "Mx64 random:1", B = "Mx64"},
  titan.reference = @crossed
} launch {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %m = titan.dim %A, 0 : !matrix
  %mB = titan.dim %B, 0 : !matrix
  %same = arith.cmpi eq, %m, %mB : index
  titan.require %same, "launch-check", "B has a row for each row of A"
  %left = arith.remui %m, %c256 : index
  %pairs = arith.cmpi eq, %left, %c0 : index
  titan.require %pairs, "launch-check", "rows go by pairs of tiles of 128"
  %most = arith.constant 1073741824 : index
  %few_rows = arith.cmpi ule, %m, %most : index
  titan.require %few_rows, "launch-check", "at most 2^30 rows: their numbers have 32 bits"
  %tiles = arith.divui %m, %c128 : index
  titan.launch grid(%tiles)
} body() {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 16384 : i32
  %mine = titan.shared.alloc : !tile
  %theirs = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %tile = titan.cta_id 0
  %row = arith.muli %tile, %c128 : index
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
  }
  titan.copy %A[%row, %c0] to %mine : !matrix, !tile
  titan.fence.proxy_async shared_cta
  titan.cluster.arrive
  titan.cluster.wait

  %rank = titan.cluster_rank
  %peer = arith.xori %rank, %i1 : i32
  titan.elect warp(0) {
    titan.copy_async %mine[%c0, %c32] to %theirs[%c0, %c0] extents [128, 32] rank(%peer) signals %full
        : !tile, !tile, !titan.mbarrier
    titan.copy_async %mine[%c0, %c0] to %theirs[%c0, %c32] extents [128, 32] rank(%peer) signals %full
        : !tile, !tile, !titan.mbarrier
  }
  titan.mbarrier.wait %full parity(%i0) scope(cluster) : !titan.mbarrier
  titan.copy %theirs to %B[%row, %c0] : !tile, !matrix

  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// B[m, n] = A[m with its tile and the next one exchanged, n + 32 mod 64], bit for bit.
func.func private @crossed(%A: memref<?x64xf16> {titan.input = "A"}, %B: memref<?x64xf32> {titan.expected = "B"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %rows = memref.dim %A, %c0 : memref<?x64xf16>
  scf.for %m = %c0 to %rows step %c1 {
    scf.for %n = %c0 to %c64 step %c1 {
      %from = arith.xori %m, %c128 : index
      %column = arith.xori %n, %c32 : index
      %a = memref.load %A[%from, %column] : memref<?x64xf16>
      %x = arith.extf %a : f16 to f32
      memref.store %x, %B[%m, %n] : memref<?x64xf32>
    }
  }
  return
}
