// The elements of a relabelled tile are those of the tile in the same registers (RelabelPlaces in
// lib/Dialect/Titan/ExchangeOps.cpp): indices may be.
//
// RUN: titan check %s | FileCheck %s
// CHECK: @turned: accepted
// The last one is 1023.
// RUN: sed 's/global<1024xf32>/global<1023xf32>/; s/, <1024xf32>/, <1023xf32>/' %s > %t.outside.mlir
// RUN: not titan check %t.outside.mlir 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: [out-of-bounds]{{.*}}1023
// Of a shorter step two elements are in one place.
// RUN: sed 's/dense<16>/dense<15>/' %s > %t.twice.mlir
// RUN: not titan check %t.twice.mlir 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: [race]
#columns = #titan.layout<"reg: 4*r1, 2*c32; lane: 4*r4, 8*c1; warp: 4*c8">
#rows = #titan.layout<"reg: 4*c1, 2*r32; lane: 4*c4, 8*r1; warp: 4*r8">
titan.kernel @turned(%x: !titan.global<1024xf32>) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1, %c1, %c1)
} body() {
  %row = titan.coordinate 0 : tensor<16x64xi32, #columns>
  %column = titan.coordinate 1 : tensor<16x64xi32, #columns>
  %step = arith.constant dense<16> : tensor<16x64xi32, #columns>
  %begin = arith.muli %column, %step : tensor<16x64xi32, #columns>
  %at = arith.addi %begin, %row : tensor<16x64xi32, #columns>
  %turned = titan.relabel %at : tensor<16x64xi32, #columns> -> tensor<64x16xi32, #rows>
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #rows>
  titan.global.store %zero, %x[%turned] : tensor<64x16xf32, #rows>, <1024xf32>, tensor<64x16xi32, #rows>
  titan.return
}
