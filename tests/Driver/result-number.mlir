// RUN: not titan check %s 2>&1 | FileCheck %s
// MLIR's parser makes a table of as many entries as the number says: it is refused before.
// CHECK: result-number.mlir:[[@LINE+3]]:27: error: [parse-error] no operation has so many results
module {
  tt.func @f(%a: i32) {
    %b = arith.addi %a, %a#4000000000 : i32
    tt.return
  }
}
