// Constant tiles, splats and others, in a partition: also where folding has moved them
// out of it (the unrolled loop makes it fold): three warps would not hold tiles of two.
// RUN: titan check %s | FileCheck %s --check-prefix=GOOD
// GOOD: @constants: accepted
// RUN: titan run %s | FileCheck %s --check-prefix=RUNS
// RUNS: verified
// RUNS: bit for bit
// Where all threads hold the same, registers are constants; else a table is.
// RUN: titan compile --emit=ptx %s -o - | FileCheck %s --check-prefix=PTX
// PTX: .const .align 16 .b8 constants_tile0[256]
// RUN: %if ptxas %{ titan compile --emit=cubin %s -o %t.cubin %}
//
// A layout of four warps in a partition of two says where.
// VARIANT layout: before splat add %wide = arith.constant dense<2> : !wide
// VARIANT layout: after splat add titan.global.store %wide, %Y[%wide, %wide] : !wide, !matrix, !wide, !wide
// RUN: %variant layout %s | not titan run - --no-reference 2>&1 | FileCheck %s --check-prefix=LAYOUT
// LAYOUT: <stdin>:[[#SPLAT:]]:{{[0-9]+}}: error: [layout-mismatch] the tile's layout is for 4 warps, and 2 execute this

#row = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [2, 1]>
!tile = tensor<8x8xi32, #row>
!wide = tensor<8x8xi32, #titan.layout<"lane: 8*c1, 2*r1, 2*rep; warp: 4*r2; shape: r8, c8">>
!matrix = !titan.global<?x?xi32>

func.func private @reference(%Y: memref<?x?xi32> {titan.expected = "Y"}) {
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      outs(%Y : memref<?x?xi32>) {
  ^bb0(%y: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c8 = arith.constant 8 : index
    %c6 = arith.constant 6 : index
    %c9 = arith.constant 9 : index
    %row = arith.muli %i, %c8 : index
    %ramp = arith.addi %row, %j : index
    %columns = arith.muli %j, %c9 : index
    %sum = arith.addi %ramp, %columns : index
    %all = arith.addi %sum, %c6 : index
    %value = arith.index_cast %all : index to i32
    linalg.yield %value : i32
  }
  return
}

titan.kernel @constants(%Y: !matrix) warps(3) attributes {
  titan.example = {Y = "8x8"}, titan.reference = @reference
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  titan.warp_specialize {
    titan.partition "left" warps(1) {
    }
    titan.partition "right" warps(2) {
      // 0, 1, 2, ...: each thread another part.
      %ramp = arith.constant dense<[[0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14, 15],
        [16, 17, 18, 19, 20, 21, 22, 23], [24, 25, 26, 27, 28, 29, 30, 31], [32, 33, 34, 35, 36, 37, 38, 39],
        [40, 41, 42, 43, 44, 45, 46, 47], [48, 49, 50, 51, 52, 53, 54, 55], [56, 57, 58, 59, 60, 61, 62, 63]]> : !tile
      // The same in each row.
      %columns = arith.constant dense<[[0, 9, 18, 27, 36, 45, 54, 63], [0, 9, 18, 27, 36, 45, 54, 63],
        [0, 9, 18, 27, 36, 45, 54, 63], [0, 9, 18, 27, 36, 45, 54, 63], [0, 9, 18, 27, 36, 45, 54, 63],
        [0, 9, 18, 27, 36, 45, 54, 63], [0, 9, 18, 27, 36, 45, 54, 63], [0, 9, 18, 27, 36, 45, 54, 63]]> : !tile
      %two = arith.constant dense<2> : !tile // @splat
      %start = arith.addi %ramp, %columns : !tile
      %sum2 = scf.for %n = %c0 to %c3 step %c1 iter_args(%s = %start) -> (!tile) {
        %t = arith.addi %s, %two : !tile
        scf.yield %t : !tile
      } {titan.unroll}
      %i = titan.coordinate 0 : !tile
      %j = titan.coordinate 1 : !tile
      titan.global.store %sum2, %Y[%i, %j] : !tile, !matrix, !tile, !tile
    }
  }
  titan.return
}
