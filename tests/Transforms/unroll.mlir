// RUN: titan-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(titan.kernel(titan-unroll))' | FileCheck %s

#acc = #titan.wgmma<1, 1>

// CHECK-LABEL: titan.kernel @panels
// CHECK-NOT: scf.for
// CHECK: titan.extract %{{.+}} [0, 0]
// CHECK: titan.extract %{{.+}} [0, 32]
// CHECK-NOT: titan.extract
titan.kernel @panels(%A: !titan.global<?x?xf32>) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f32
  %buffer = titan.shared.alloc : !titan.shared<64x32xf32, swizzle = 128>
  %tile = titan.splat %one : f32 -> tensor<64x64xf32, #acc>
  scf.for %i = %c0 to %c2 step %c1 {
    %panel = titan.panel %tile[%i] : tensor<64x64xf32, #acc> -> tensor<64x32xf32, #acc>
    titan.shared.store %panel, %buffer : tensor<64x32xf32, #acc>, !titan.shared<64x32xf32, swizzle = 128>
  } {titan.unroll}
  titan.return
}

// -----

#acc = #titan.wgmma<1, 1>

titan.kernel @not_unrolled(%n: i32) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f32
  %buffer = titan.shared.alloc : !titan.shared<64x32xf32, swizzle = 128>
  %tile = titan.splat %one : f32 -> tensor<64x64xf32, #acc>
  scf.for %i = %c0 to %c2 step %c1 {
    // expected-error@+1 {{[tile-panel-index] the panel's number is not a constant}}
    %panel = titan.panel %tile[%i] : tensor<64x64xf32, #acc> -> tensor<64x32xf32, #acc>
    titan.shared.store %panel, %buffer : tensor<64x32xf32, #acc>, !titan.shared<64x32xf32, swizzle = 128>
  }
  titan.return
}

// -----

titan.kernel @bounds(%n: i32) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.index_cast %n : i32 to index
  // expected-error@+1 {{[unroll-bounds] a loop marked titan.unroll has constant bounds and step}}
  scf.for %i = %c0 to %count step %c1 {
    titan.print "again"
  } {titan.unroll}
  titan.return
}

// -----

// By an unsigned bound with the highest bit, too: 0, 50, 100, 150.
// CHECK-LABEL: titan.kernel @unsigned
// CHECK-NOT: scf.for
// CHECK-DAG: [[A:%.+]] = arith.constant 0 : i8
// CHECK-DAG: [[B:%.+]] = arith.constant 50 : i8
// CHECK-DAG: [[C:%.+]] = arith.constant 100 : i8
// CHECK-DAG: [[D:%.+]] = arith.constant -106 : i8
// CHECK: titan.st [[A]], %{{.+}}
// CHECK-NEXT: titan.st [[B]], %{{.+}}
// CHECK-NEXT: titan.st [[C]], %{{.+}}
// CHECK-NEXT: titan.st [[D]], %{{.+}}
// CHECK-NOT: titan.st
titan.kernel @unsigned(%Y: !titan.global<1xi8>) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %lower = arith.constant 0 : i8
  %upper = arith.constant -100 : i8
  %step = arith.constant 50 : i8
  scf.for unsigned %i = %lower to %upper step %step : i8 {
    titan.st %i, %Y[%c0] : i8, !titan.global<1xi8>
  } {titan.unroll}
  titan.return
}

// -----

titan.kernel @too_many(%Y: !titan.global<1xi8>) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %lower = arith.constant 0 : i16
  %upper = arith.constant -1 : i16
  %step = arith.constant 1 : i16
  // expected-error@+1 {{[unroll-bounds] a loop marked titan.unroll has at most 256 iterations, not 65535}}
  scf.for unsigned %i = %lower to %upper step %step : i16 {
    titan.print "again"
  } {titan.unroll}
  titan.return
}
