// A number of 40 operations, each of which uses the one before twice: written out, as in a package, it has 2^40 nodes.
// RUN: titan run %s --shape X=1 | FileCheck %s --check-prefix=RAN
// RAN: n 1099511627776
// RUN: titan check %s --require=proved
// RUN: not titan compile --check=off %s -o %t.titanpkg 2>&1 | FileCheck %s
// CHECK: [[#@LINE+44]]:{{.*}}error: [not-supported-yet] arith.addi takes more than 4096 nodes
!data = !titan.global<?xf32>
titan.kernel @k(%X: !data) warps(1) launch {
  %c4 = arith.constant 4 : index
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
  %v14 = arith.addi %v13, %v13 : index
  %v15 = arith.addi %v14, %v14 : index
  %v16 = arith.addi %v15, %v15 : index
  %v17 = arith.addi %v16, %v16 : index
  %v18 = arith.addi %v17, %v17 : index
  %v19 = arith.addi %v18, %v18 : index
  %v20 = arith.addi %v19, %v19 : index
  %v21 = arith.addi %v20, %v20 : index
  %v22 = arith.addi %v21, %v21 : index
  %v23 = arith.addi %v22, %v22 : index
  %v24 = arith.addi %v23, %v23 : index
  %v25 = arith.addi %v24, %v24 : index
  %v26 = arith.addi %v25, %v25 : index
  %v27 = arith.addi %v26, %v26 : index
  %v28 = arith.addi %v27, %v27 : index
  %v29 = arith.addi %v28, %v28 : index
  %v30 = arith.addi %v29, %v29 : index
  %v31 = arith.addi %v30, %v30 : index
  %v32 = arith.addi %v31, %v31 : index
  %v33 = arith.addi %v32, %v32 : index
  %v34 = arith.addi %v33, %v33 : index
  %v35 = arith.addi %v34, %v34 : index
  %v36 = arith.addi %v35, %v35 : index
  %v37 = arith.addi %v36, %v36 : index
  %v38 = arith.addi %v37, %v37 : index
  %v39 = arith.addi %v38, %v38 : index
  %v40 = arith.addi %v39, %v39 : index
  %grid = arith.minui %v40, %c4 : index
  titan.launch grid(%grid) with(%v40 : index)
} body(%n: index) {
  titan.elect warp(0) {
    titan.print "n", %n : index
  }
  titan.return
}
