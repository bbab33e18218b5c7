// Rows of 392 bytes, 400 apart: a TMA store writes 8 bytes behind each row, the last one too. Where
// the schedule says that they are nobody's (`padded`) they are no guard.
//
// RUN: titan check %s
// RUN: titan run %s | FileCheck %s
// RUN: titan run %s --size M=7 --hazards=off | FileCheck %s
// RUN: titan run %s --rowstride Y=200 | FileCheck %s
// CHECK: elements equal to the reference, bit for bit
//
// The launch knows it, too.
// RUN: titan compile %s --emit=manifest | FileCheck %s --check-prefix=MANIFEST --implicit-check-not=padded
// MANIFEST: "tensor_maps":[{"argument":"X"
// MANIFEST-SAME: {"argument":"Y"
// MANIFEST-SAME: "name":"Y_map","padded":true,
//
// VARIANT tail: in tile ` padded` -> ``
// RUN: %variant tail %s > %t.mlir
// RUN: not titan run %t.mlir 2>&1 | FileCheck %s --check-prefix=TAIL
// TAIL: error: [tma-store-tail] rows of 392 bytes, which is no multiple of 16, are stored by TMA: 8 bytes behind each are overwritten
// TAIL: fix: pad the rows of the output and say so (`padded` in the schedule, or titan.tensor_map ... {padded} : ...)

#t = #titan.schedule<tensor M x K  Mo, Mi = split(M, 300)  Ko, Ki = split(K, 64)  bulk Mi, Ki padded> // @tile
!matrix = !titan.global<?x?xf32>
!tile = !titan.shared<300x64xf32>

titan.kernel @copy(%X: !matrix, %Y: !matrix) warps(1) attributes {
  titan.example = {sizes = {M = 700, K = 98}, X = "MxK ints:1 rowstride=100", Y = "MxK rowstride=100"},
  titan.reference = @reference
} launch {
  %c64 = arith.constant 64 : index
  %c300 = arith.constant 300 : index
  %m = titan.dim %X, 0 : !matrix
  %k = titan.dim %X, 1 : !matrix
  %rows = arith.ceildivui %m, %c300 : index
  %columns = arith.ceildivui %k, %c64 : index
  %mY = titan.dim %Y, 0 : !matrix
  %kY = titan.dim %Y, 1 : !matrix
  %sameM = arith.cmpi eq, %mY, %m : index
  %sameK = arith.cmpi eq, %kY, %k : index
  titan.require %sameM, "launch-check", "X and Y have as many rows"
  titan.require %sameK, "launch-check", "X and Y have as many columns"
  titan.launch grid(%columns, %rows)
} body() {
  %i0 = arith.constant 0 : i32
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %col = titan.cta_id 0
  %row = titan.cta_id 1
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.copy_async %X at(Mo = %row, Ko = %col) to %tile signals %full schedule(#t)
        : !matrix, !tile, !titan.mbarrier
    titan.mbarrier.arrive %full : !titan.mbarrier
    titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier
    titan.copy_async %tile to %Y at(Mo = %row, Ko = %col) schedule(#t) : !tile, !matrix
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
