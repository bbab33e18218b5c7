// A shift by the width or more and the least number by -1 have no result, as a quotient by 0 has none: what is made of them is
// undefined, and told, with its cause, where it reaches memory. Masked elements may be such.
// RUN: titan run %s --shape x=8 --arg x=zeros --scalar n=3 --scalar d=-1 --scalar m=8
// RUN: not titan run %s --shape x=8 --arg x=zeros --scalar n=32 --scalar d=1 --scalar m=8 2>&1 | FileCheck %s
// RUN: not titan run %s --shape x=8 --arg x=zeros --scalar n=1 --scalar d=0 --scalar m=8 2>&1 | FileCheck %s
// RUN: sed 's/dense<-2147483647>/dense<-2147483648>/' %s > %t.mlir
// RUN: not titan run %t.mlir --shape x=8 --arg x=zeros --scalar n=1 --scalar d=-1 --scalar m=8 2>&1 | FileCheck %s
// RUN: titan run %t.mlir --shape x=8 --arg x=zeros --scalar n=1 --scalar d=-1 --scalar m=0
// CHECK: .mlir:[[#@LINE+16]]:{{[0-9]+}}: error: [undefined-read] program (0, 0, 0): writes an undefined value at element [0]: it comes from a quotient or a shift that has no result
// RUN: sed -E 's/%v = arith.addi %moved, %q/%v = ub.poison/; s/^ *%(moved|q) = .*//' %s > %t.poison.mlir
// RUN: not titan run %t.poison.mlir --shape x=8 --arg x=zeros --scalar n=1 --scalar d=1 --scalar m=8 2>&1 | FileCheck %s --check-prefix=POISON
// POISON: [undefined-read] program (0, 0, 0): writes an undefined value at element [0]: it comes from ub.poison, a value that nothing gives
tt.func public @shifted(%x: !tt.ptr<i32>, %n: i32, %d: i32, %m: i32) {
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %least = arith.constant dense<-2147483647> : tensor<8xi32>
  %by = tt.splat %n : i32 -> tensor<8xi32>
  %moved = arith.shli %i, %by : tensor<8xi32>
  %divisor = tt.splat %d : i32 -> tensor<8xi32>
  %q = arith.divsi %least, %divisor : tensor<8xi32>
  %v = arith.addi %moved, %q : tensor<8xi32>
  %limit = tt.splat %m : i32 -> tensor<8xi32>
  %mask = arith.cmpi slt, %i, %limit : tensor<8xi32>
  %p = tt.splat %x : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %at = tt.addptr %p, %i : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %at, %v, %mask : tensor<8x!tt.ptr<i32>>
  tt.return
}
