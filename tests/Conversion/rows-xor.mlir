// Reductions, scans and gathers along a dimension that the layout mixes with the other one by
// exclusive or (swizzled bases): conversions within the warp stand around them.
// RUN: titan-opt %s --pass-pipeline='builtin.module(titan.kernel(titan-expand-exchanges))' | FileCheck %s
// RUN: titan check %s
// RUN: for s in eager random:1; do titan run %s --schedule $s || exit 1; done | FileCheck %s --check-prefix=EQUAL
// RUN: titan compile --emit=ptx %s -o %t.ptx
// RUN: %if ptxas %{ titan compile --emit=cubin %s -o %t.cubin %}
// EQUAL-COUNT-10: elements equal to the reference, bit for bit

#x = #titan.layout<"reg: 4*^r1^c1, 2*r4; lane: 4*c1, 8*r8">
#row = #titan.slice<1, #x>
!x = tensor<64x4xi32, #x>
!row = tensor<64xi32, #row>
!g = !titan.global<64x4xi32>

// By digits: rows in registers, columns in lanes.
// CHECK-LABEL: titan.kernel @sums
// CHECK: titan.convert_layout %{{.*}} -> tensor<64x4xi32, #titan.layout<"reg: 8*r1; lane: 4*c1, 8*r8
// CHECK-NEXT: titan.reduce add {{.*}} : tensor<64x4xi32, #titan.layout<"reg: 8*r1; lane: 4*c1, 8*r8
// CHECK-NEXT: titan.convert_layout
titan.kernel @sums(%X: !g, %Y: !g) warps(1) attributes {
  titan.example = {sizes = {}, X = "64x4 ints:1", Y = "64x4"}, titan.reference = @expect_sums
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %r = titan.coordinate 0 : !x
  %c = titan.coordinate 1 : !x
  %x = titan.global.load %X[%r, %c] : !g, !x, !x -> !x
  %s = titan.reduce add %x : !x -> !x
  titan.global.store %s, %Y[%r, %c] : !x, !g, !x, !x
  titan.return
}

// Into rows of the same layout without columns.
// CHECK-LABEL: titan.kernel @rows
// CHECK: titan.convert_layout
// CHECK-NEXT: titan.reduce max
titan.kernel @rows(%X: !g, %Y: !g) warps(1) attributes {
  titan.example = {sizes = {}, X = "64x4 ints:2", Y = "64x4"}, titan.reference = @expect_rows
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %r = titan.coordinate 0 : !x
  %c = titan.coordinate 1 : !x
  %x = titan.global.load %X[%r, %c] : !g, !x, !x -> !x
  %s = titan.reduce max %x : !x -> !row
  %all = titan.broadcast %s : !row -> !x
  titan.global.store %all, %Y[%r, %c] : !x, !g, !x, !x
  titan.return
}

// CHECK-LABEL: titan.kernel @scans
// CHECK: titan.convert_layout
// CHECK-NEXT: titan.scan add
// CHECK-NEXT: titan.convert_layout
titan.kernel @scans(%X: !g, %Y: !g) warps(1) attributes {
  titan.example = {sizes = {}, X = "64x4 ints:3", Y = "64x4"}, titan.reference = @expect_scans
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %r = titan.coordinate 0 : !x
  %c = titan.coordinate 1 : !x
  %x = titan.global.load %X[%r, %c] : !g, !x, !x -> !x
  %s = titan.scan add %x dimension(1) : !x
  titan.global.store %s, %Y[%r, %c] : !x, !g, !x, !x
  titan.return
}

// The row's elements in the opposite order; the result lies where the indices do.
// CHECK-LABEL: titan.kernel @gathers
// CHECK: titan.convert_layout
// CHECK-NEXT: titan.gather
// CHECK-NOT: titan.convert_layout
// CHECK: titan.return
titan.kernel @gathers(%X: !g, %Y: !g) warps(1) attributes {
  titan.example = {sizes = {}, X = "64x4 ints:4", Y = "64x4"}, titan.reference = @expect_gathers
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %r = titan.coordinate 0 : !x
  %c = titan.coordinate 1 : !x
  %x = titan.global.load %X[%r, %c] : !g, !x, !x -> !x
  %three = arith.constant 3 : i32
  %last = titan.splat %three : i32 -> !x
  %i = arith.subi %last, %c : !x
  %s = titan.gather %x[%i] dimension(1) : !x, !x -> !x
  titan.global.store %s, %Y[%r, %c] : !x, !g, !x, !x
  titan.return
}

// Rows in two warps, which exchange what is left of them; registers and lanes mix.
#w = #titan.layout<"reg: 4*^r1^c1; lane: 4*c1, 8*r4; warp: 2*c4">
!w = tensor<32x8xi32, #w>
!h = !titan.global<32x8xi32>
// CHECK-LABEL: titan.kernel @between
// CHECK: titan.convert_layout %{{.*}} -> tensor<32x8xi32, #titan.layout<"reg: 4*r1; lane: 4*c1, 8*r4; warp: 2*c4">>
// CHECK: titan.reduce add
// CHECK: titan.shared.store
// CHECK: titan.reduce add
// CHECK: titan.convert_layout %{{.*}} -> tensor<32x8xi32, #titan.layout<"reg: 4*^r1^c1; lane: 4*c1, 8*r4; warp: 2*c4">>
titan.kernel @between(%X: !h, %Y: !h) warps(2) attributes {
  titan.example = {sizes = {}, X = "32x8 ints:5", Y = "32x8"}, titan.reference = @expect_between
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %scratch = titan.shared.alloc : !titan.shared<64xi32>
  %r = titan.coordinate 0 : !w
  %c = titan.coordinate 1 : !w
  %x = titan.global.load %X[%r, %c] : !h, !w, !w -> !w
  %s = titan.reduce add %x through %scratch : !w, !titan.shared<64xi32> -> !w
  titan.global.store %s, %Y[%r, %c] : !w, !h, !w, !w
  titan.return
}

func.func private @expect_between(%X: memref<32x8xi32> {titan.input = "X"}, %Y: memref<32x8xi32> {titan.expected = "Y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0 : i32
  scf.for %m = %c0 to %c32 step %c1 {
    %sum = scf.for %n = %c0 to %c8 step %c1 iter_args(%s = %zero) -> i32 {
      %x = memref.load %X[%m, %n] : memref<32x8xi32>
      %t = arith.addi %s, %x : i32
      scf.yield %t : i32
    }
    scf.for %n = %c0 to %c8 step %c1 {
      memref.store %sum, %Y[%m, %n] : memref<32x8xi32>
    }
  }
  return
}
func.func private @expect_sums(%X: memref<64x4xi32> {titan.input = "X"}, %Y: memref<64x4xi32> {titan.expected = "Y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  scf.for %m = %c0 to %c64 step %c1 {
    %sum = scf.for %n = %c0 to %c4 step %c1 iter_args(%s = %zero) -> i32 {
      %x = memref.load %X[%m, %n] : memref<64x4xi32>
      %t = arith.addi %s, %x : i32
      scf.yield %t : i32
    }
    scf.for %n = %c0 to %c4 step %c1 {
      memref.store %sum, %Y[%m, %n] : memref<64x4xi32>
    }
  }
  return
}
func.func private @expect_rows(%X: memref<64x4xi32> {titan.input = "X"}, %Y: memref<64x4xi32> {titan.expected = "Y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  scf.for %m = %c0 to %c64 step %c1 {
    %first = memref.load %X[%m, %c0] : memref<64x4xi32>
    %most = scf.for %n = %c1 to %c4 step %c1 iter_args(%s = %first) -> i32 {
      %x = memref.load %X[%m, %n] : memref<64x4xi32>
      %t = arith.maxsi %s, %x : i32
      scf.yield %t : i32
    }
    scf.for %n = %c0 to %c4 step %c1 {
      memref.store %most, %Y[%m, %n] : memref<64x4xi32>
    }
  }
  return
}
func.func private @expect_scans(%X: memref<64x4xi32> {titan.input = "X"}, %Y: memref<64x4xi32> {titan.expected = "Y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  scf.for %m = %c0 to %c64 step %c1 {
    %sum = scf.for %n = %c0 to %c4 step %c1 iter_args(%s = %zero) -> i32 {
      %x = memref.load %X[%m, %n] : memref<64x4xi32>
      %t = arith.addi %s, %x : i32
      memref.store %t, %Y[%m, %n] : memref<64x4xi32>
      scf.yield %t : i32
    }
  }
  return
}
func.func private @expect_gathers(%X: memref<64x4xi32> {titan.input = "X"}, %Y: memref<64x4xi32> {titan.expected = "Y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  scf.for %m = %c0 to %c64 step %c1 {
    scf.for %n = %c0 to %c4 step %c1 {
      %i = arith.subi %c3, %n : index
      %x = memref.load %X[%m, %i] : memref<64x4xi32>
      memref.store %x, %Y[%m, %n] : memref<64x4xi32>
    }
  }
  return
}
