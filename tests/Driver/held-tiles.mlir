// Tiles whose extents only the launch knows: `bulk N{64}` holds up to 64 elements of a row, the rest is fill for
// loads and is left alone by stores; a launch that has more is refused. And a promise, `size N multiple 4`.
//
// RUN: titan check %s
// RUN: titan run %s | FileCheck %s
// RUN: titan run %s --size N=4 --hazards=off | FileCheck %s
// RUN: titan run %s --size N=64 --size M=3 | FileCheck %s
// CHECK: elements equal to the reference, bit for bit
//
// RUN: not titan run %s --size N=68 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: error: [tma-schedule] X: the tile holds 64 elements of N{{[({]N[)}]}} (X[1] is 68)
// MORE: fix: pass sizes that fit, or let the tile hold more
//
// A promise that a launch breaks is named before what builds on it, the map's stride of 24 bytes.
// RUN: not titan run %s --size N=6 2>&1 | FileCheck %s --check-prefix=PROMISE --implicit-check-not=tma-stride
// PROMISE: error: [launch-check] X: N is a multiple of 4 (X[1] is 6)
// RUN: titan compile %s -o %t.pkg
// RUN: not titan-launch %t.pkg --dry-run --arg X=zeros,shape=8x6 --shape Y=8x6 2>&1 | FileCheck %s --check-prefix=PROMISE --implicit-check-not=tma-stride
// RUN: not titan-launch %t.pkg --dry-run --arg X=zeros,shape=8x68 --shape Y=8x68 2>&1 | FileCheck %s --check-prefix=MORE
//
// What holds no number says what would do.
// VARIANT open: replace tile with #row = #titan.schedule<size N multiple 4 tensor M x N  bulk N>
// RUN: %variant open %s > %t.open.mlir && not titan check %t.open.mlir 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: [tma-schedule] the tile N{N} has an extent that only a launch knows
// OPEN: fix: say how many elements of it the tile holds, `bulk N{256}`: a launch that has more is refused; or split it

#row = #titan.schedule<size N multiple 4 tensor M x N  bulk N{64}> // @tile
!matrix = !titan.global<?x?xf32>
!tile = !titan.shared<64xf32>

titan.kernel @copy(%X: !matrix, %Y: !matrix) warps(1) attributes {
  titan.example = {sizes = {M = 8, N = 20}, X = "MxN ints:1", Y = "MxN"},
  titan.reference = @reference
} launch {
  %m = titan.dim %X, 0 : !matrix
  %n = titan.dim %X, 1 : !matrix
  %mY = titan.dim %Y, 0 : !matrix
  %nY = titan.dim %Y, 1 : !matrix
  %sameM = arith.cmpi eq, %mY, %m : index
  %sameN = arith.cmpi eq, %nY, %n : index
  titan.require %sameM, "launch-check", "X and Y have as many rows"
  titan.require %sameN, "launch-check", "X and Y have as many columns"
  titan.launch grid(%m)
} body() {
  %i0 = arith.constant 0 : i32
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %row = titan.cta_id 0
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.copy_async %X at(M = %row) to %tile signals %full schedule(#row) strong
        : !matrix, !tile, !titan.mbarrier
    titan.mbarrier.arrive %full : !titan.mbarrier
    titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier
    titan.copy_async %tile to %Y at(M = %row) schedule(#row) : !tile, !matrix
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g read : !titan.token<bulk>
  }
  titan.return
}

func.func private @reference(%X: memref<?x?xf32> {titan.input = "X"},
                             %Y: memref<?x?xf32> {titan.expected = "Y"}) {
  memref.copy %X, %Y : memref<?x?xf32> to memref<?x?xf32>
  return
}
