// RUN: titan check %s
// RUN: titan run %s --schedule=random:3
//
// Two tiles go through one scratch: the stores of the second wait for the loads of the first.
// VARIANT early: drop between
// RUN: %variant early %s | not titan check - 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: %variant early %s | not titan run - 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: [race]
//
// A barrier of fewer threads than those that exchange.
// VARIANT few: replace second with %v = titan.convert_layout %x2 through %scratch barrier(1) threads(64) : !rows, !scratch -> !columns
// RUN: %variant few %s | not titan check - 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: [exchange-scratch] the tile lies over 4 warps, which all hand on their parts: threads(128), not threads(64)

#rows = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [4, 1]>
#columns = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [1, 4]>
!rows = tensor<32x128xf16, #rows>
!columns = tensor<32x128xf16, #columns>
!scratch = !titan.shared<4096xf16>
!i = tensor<32x128xi32, #rows>
!j = tensor<32x128xi32, #columns>
!global = !titan.global<?x?xf16>

titan.kernel @twice(%X: !global, %Y: !global) warps(4) attributes {
  titan.example = {sizes = {M = 64, N = 128}, X = "MxN random:1", Y = "MxN"},
  titan.reference = @copied
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c32 = arith.constant 32 : i32
  %scratch = titan.shared.alloc : !scratch
  %r = titan.coordinate 0 : !i
  %c = titan.coordinate 1 : !i
  %down = titan.splat %c32 : i32 -> !i
  %r2 = arith.addi %r, %down : !i
  %x = titan.global.load %X[%r, %c] : !global, !i, !i -> !rows
  %x2 = titan.global.load %X[%r2, %c] : !global, !i, !i -> !rows
  %w = titan.convert_layout %x through %scratch : !rows, !scratch -> !columns
  titan.cta_sync // @between
  %v = titan.convert_layout %x2 through %scratch barrier(1) threads(128) : !rows, !scratch -> !columns // @second
  %i = titan.coordinate 0 : !j
  %j = titan.coordinate 1 : !j
  %below = titan.splat %c32 : i32 -> !j
  %i2 = arith.addi %i, %below : !j
  titan.global.store %w, %Y[%i, %j] : !columns, !global, !j, !j
  titan.global.store %v, %Y[%i2, %j] : !columns, !global, !j, !j
  titan.return
}

func.func private @copied(%X: memref<?x?xf16> {titan.input = "X"}, %Y: memref<?x?xf64> {titan.expected = "Y"}) {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%X : memref<?x?xf16>) outs(%Y : memref<?x?xf64>) {
  ^bb0(%x: f16, %y: f64):
    %e = arith.extf %x : f16 to f64
    linalg.yield %e : f64
  }
  return
}
