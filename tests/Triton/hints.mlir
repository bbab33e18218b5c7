// What tl.multiple_of, tl.max_contiguous and tl.max_constancy say is held against the values: a kernel believes it.
// RUN: titan run %s --kernel hints --shape x=64 --arg x=zeros --scalar n=16
// RUN: not titan run %s --kernel hints --shape x=64 --arg x=zeros --scalar n=17 2>&1 | FileCheck %s --check-prefix=SCALAR
// SCALAR: hints.mlir:[[#@LINE+29]]:{{[0-9]+}}: error: [assert-failed] program (0, 0, 0): what tl.multiple_of(16) says is false: it is 34
// RUN: sed 's/%apart = arith.constant dense<1>/%apart = arith.constant dense<2>/' %s > %t.apart.mlir
// RUN: not titan run %t.apart.mlir --kernel hints --shape x=64 --arg x=zeros --scalar n=0 2>&1 | FileCheck %s --check-prefix=WALK
// WALK: [assert-failed] program (0, 0, 0): what tl.max_contiguous(8) says is false: element [0] is 0, element [1] is 2
// RUN: sed 's/tt.contiguity = dense<8>/tt.contiguity = dense<1>/; s/%apart = arith.constant dense<1>/%apart = arith.constant dense<2>/' %s > %t.first.mlir
// RUN: not titan run %t.first.mlir --kernel hints --shape x=64 --arg x=zeros --scalar n=0 2>&1 | FileCheck %s --check-prefix=FIRST
// FIRST: [assert-failed] program (0, 0, 0): what tl.multiple_of(8) says is false: element [0] is 0, element [1] is 2
// RUN: sed 's/%limit = arith.constant dense<16>/%limit = arith.constant dense<11>/' %s > %t.mask.mlir
// RUN: not titan run %t.mask.mlir --kernel hints --shape x=64 --arg x=zeros --scalar n=0 2>&1 | FileCheck %s --check-prefix=MASK
// MASK: [assert-failed] program (0, 0, 0): what tl.max_constancy(8) says is false: element [10] is 1, element [11] is 0
// Of what is loaded no runs are known: each number is to be a multiple. One number is for all dimensions.
// RUN: titan run %s --kernel loaded --shape x=64 --arg x=zeros
// RUN: not titan run %s --kernel loaded --shape x=64 --arg x=steps:1 2>&1 | FileCheck %s --check-prefix=LOADED
// LOADED: [assert-failed] program (0, 0, 0): what tl.multiple_of(16) says is false: element [0] is 0, element [1] is 1
module {
tt.func public @loaded(%x: !tt.ptr<i32>) {
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %p = tt.splat %x : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %px = tt.addptr %p, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %r = tt.load %px {tt.divisibility = 16 : i32} : tensor<32x!tt.ptr<i32>>
  %pr = tt.addptr %p, %r : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %v = tt.load %pr : tensor<32x!tt.ptr<i32>>
  %half = arith.constant dense<32> : tensor<32xi32>
  %py = tt.addptr %px, %half : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  tt.store %py, %v : tensor<32x!tt.ptr<i32>>
  tt.return
}
tt.func public @hints(%x: !tt.ptr<i32>, %n: i32) {
  %c2 = arith.constant 2 : i32
  %first = arith.muli %n, %c2 {tt.divisibility = dense<16> : tensor<1xi32>} : i32
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %apart = arith.constant dense<1> : tensor<32xi32>
  %at = arith.muli %i, %apart {tt.contiguity = dense<8> : tensor<1xi32>, tt.divisibility = dense<8> : tensor<1xi32>} : tensor<32xi32>
  %limit = arith.constant dense<16> : tensor<32xi32>
  %mask = arith.cmpi slt, %i, %limit {tt.constancy = dense<8> : tensor<1xi32>} : tensor<32xi32>
  %start = tt.splat %first : i32 -> tensor<32xi32>
  %all = arith.addi %start, %at : tensor<32xi32>
  %p = tt.splat %x : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %px = tt.addptr %p, %all : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  tt.store %px, %i, %mask : tensor<32x!tt.ptr<i32>>
  tt.return
}
}
