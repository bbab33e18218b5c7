// A number of 2^13 nodes, written out, from 13 operations.
// RUN: not titan check %s 2>&1 | FileCheck %s
// RUN: not titan compile --check=off %s -o %t.titanpkg 2>&1 | FileCheck %s
// RUN: not titan run %s --shape X=1 2>&1 | FileCheck %s
// CHECK: [[#@LINE+18]]:{{.*}}error: [not-supported-yet] {{.*}}more than 4096 operations
!data = !titan.global<?xf32>
titan.kernel @k(%X: !data) warps(1) launch {
  %one = arith.constant 1 : index
  %v0 = titan.dim %X, 0 : !data
  %v1 = arith.addi %v0, %v0 : index
  %v2 = arith.addi %v1, %v1 : index
  %v3 = arith.addi %v2, %v2 : index
  %v4 = arith.addi %v3, %v3 : index
  %v5 = arith.addi %v4, %v4 : index
  %v6 = arith.addi %v5, %v5 : index
  %v7 = arith.addi %v6, %v6 : index
  %v8 = arith.addi %v7, %v7 : index
  %v9 = arith.addi %v8, %v8 : index
  %v10 = arith.addi %v9, %v9 : index
  %v11 = arith.addi %v10, %v10 : index
  %v12 = arith.addi %v11, %v11 : index
  %v13 = arith.addi %v12, %v12 : index
  titan.launch grid(%one) with(%v13 : index)
} body(%n: index) {
  titan.return
}
