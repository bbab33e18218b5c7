// Maxima and minima of floats that leave NaNs out, or not, of signed and unsigned integers; and what is left of
// a tile of one dimension, as a scalar that decides what the warps do.
//
// RUN: titan run %s --kernel floats | FileCheck %s --check-prefix=FLOATS
// FLOATS: 4 elements equal to the reference, bit for bit
// RUN: titan run %s --kernel integers | FileCheck %s --check-prefix=INTEGERS
// INTEGERS: 4 elements equal to the reference, bit for bit
// RUN: titan check %s
// RUN: titan compile %s --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// PTX-LABEL: .entry floats
// PTX: max.NaN.f32
// PTX: max.f32
// PTX-LABEL: .entry integers
// PTX: max.u32
// PTX: min.u32

#line = #titan.blocked<elements = [1], lanes = [32], warps = [1]>
!f = tensor<32xf32, #line>
!i = tensor<32xi32, #line>
!sumf = tensor<f32, #titan.slice<0, #line>>
!sumi = tensor<i32, #titan.slice<0, #line>>
!floats = !titan.global<4xf32>
!integers = !titan.global<4xi32>

// 0, 1, ..., 30, and a NaN.
titan.kernel @floats(%D: !floats) warps(1) attributes {
  titan.example = {D = "4"}, titan.reference = @floats_reference
} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %i = titan.coordinate 0 : !i
  %x = arith.sitofp %i : !i to !f
  %last = arith.constant dense<31.0> : !f
  %nan = arith.constant dense<0x7FC00000> : !f
  %is = arith.cmpf oeq, %x, %last : !f
  %y = arith.select %is, %nan, %x : tensor<32xi1, #line>, !f
  %max = titan.reduce max %y : !f -> !sumf
  %maxnum = titan.reduce maxnum %y : !f -> !sumf
  %minnum = titan.reduce minnum %y : !f -> !sumf
  %a = titan.unsplat %max : !sumf -> f32
  %b = titan.unsplat %maxnum : !sumf -> f32
  %c = titan.unsplat %minnum : !sumf -> f32
  %limit = arith.constant 30.0 : f32
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %known = arith.cmpf oge, %b, %limit : f32
  %d = scf.if %known -> f32 {
    scf.yield %one : f32
  } else {
    scf.yield %two : f32
  }
  titan.elect {
    titan.st %a, %D[%c0] : f32, !floats
    titan.st %b, %D[%c1] : f32, !floats
    titan.st %c, %D[%c2] : f32, !floats
    titan.st %d, %D[%c3] : f32, !floats
  }
  titan.return
}

func.func private @floats_reference(%D: memref<4xf32> {titan.expected = "D"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %a = arith.constant 0x7FC00000 : f32
  %b = arith.constant 30.0 : f32
  %c = arith.constant 0.0 : f32
  %d = arith.constant 1.0 : f32
  memref.store %a, %D[%c0] : memref<4xf32>
  memref.store %b, %D[%c1] : memref<4xf32>
  memref.store %c, %D[%c2] : memref<4xf32>
  memref.store %d, %D[%c3] : memref<4xf32>
  return
}

// -4, -3, ..., 27.
titan.kernel @integers(%D: !integers) warps(1) attributes {
  titan.example = {D = "4"}, titan.reference = @integers_reference
} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %i = titan.coordinate 0 : !i
  %four = arith.constant dense<4> : !i
  %x = arith.subi %i, %four : !i
  %max = titan.reduce max %x : !i -> !sumi
  %maxu = titan.reduce maxu %x : !i -> !sumi
  %min = titan.reduce min %x : !i -> !sumi
  %minu = titan.reduce minu %x : !i -> !sumi
  %a = titan.unsplat %max : !sumi -> i32
  %b = titan.unsplat %maxu : !sumi -> i32
  %c = titan.unsplat %min : !sumi -> i32
  %d = titan.unsplat %minu : !sumi -> i32
  titan.elect {
    titan.st %a, %D[%c0] : i32, !integers
    titan.st %b, %D[%c1] : i32, !integers
    titan.st %c, %D[%c2] : i32, !integers
    titan.st %d, %D[%c3] : i32, !integers
  }
  titan.return
}

func.func private @integers_reference(%D: memref<4xi32> {titan.expected = "D"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %a = arith.constant 27 : i32
  %b = arith.constant -1 : i32
  %c = arith.constant -4 : i32
  %d = arith.constant 0 : i32
  memref.store %a, %D[%c0] : memref<4xi32>
  memref.store %b, %D[%c1] : memref<4xi32>
  memref.store %c, %D[%c2] : memref<4xi32>
  memref.store %d, %D[%c3] : memref<4xi32>
  return
}
