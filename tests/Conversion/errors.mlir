// What does not compile says so, with a code and a place.
// RUN: split-file %s %t
// RUN: not titan compile %t/shared.mlir --emit=ptx -o - 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not titan compile %t/launch.mlir --emit=ptx -o - 2>&1 | FileCheck %s --check-prefix=LAUNCH
// RUN: not titan compile %t/budget.mlir --emit=ptx -o - 2>&1 | FileCheck %s --check-prefix=BUDGET
// RUN: not titan compile %t/scan.mlir --emit=ptx -o - 2>&1 | FileCheck %s --check-prefix=SCAN
// RUN: not titan compile %t/three.mlir --emit=ptx -o - 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: not titan check %t/three.mlir 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: not titan run %t/three.mlir 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: not titan compile %t/waves.mlir --emit=ptx -o - 2>&1 | FileCheck %s --check-prefix=WAVES
// RUN: not titan check %t/waves.mlir 2>&1 | FileCheck %s --check-prefix=WAVES
// RUN: not titan run %t/waves.mlir 2>&1 | FileCheck %s --check-prefix=WAVES
// RUN: not titan compile %t/budget.mlir --target sm_75 --emit=ptx -o - 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not titan compile %t/budget.mlir --emit=nothing -o - 2>&1 | FileCheck %s --check-prefix=EMIT
// RUN: not titan compile %t/shared.mlir --emit=ptx -o %t/no/such/folder 2>&1 | FileCheck %s --check-prefix=FOLDER

// FOLDER: no/such/folder: No such file or directory [file-write]
// SHARED: shared.mlir:5:8: error:
// SHARED-SAME: [shared-memory-limit]
// SHARED-SAME: 262144 bytes of shared memory
// SHARED-SAME: 232448
// LAUNCH: launch.mlir:3:8: error:
// LAUNCH-SAME: [not-supported-yet]
// LAUNCH-SAME: arith.shli
// BUDGET: budget.mlir:6:5: error:
// BUDGET-SAME: [setmaxnreg-operand]
// SCAN: scan.mlir:11:8: error: [not-supported-yet] a scan of f8E4M3FN
// THREE: three.mlir:6:8: error: [layout-mismatch] the tile's layout is for 2 warps, and 3 execute this
// THREE: fix: give the layout warps that multiply to 3, or to a divisor of it; or the kernel or partition warps(2)
// WAVES: waves.mlir:6:8: error: [layout-mismatch] the tile's layout is for warps of 64 lanes, and those here have 32
// WAVES: fix: give the layout lanes that multiply to 32
// TARGET: error: {{.*}}[unknown-target]
// TARGET-SAME: 'sm_75', and code for sm_90a alone
// TARGET: fix: --target sm_90a
// EMIT: error: {{.*}}[bad-argument]

//--- shared.mlir
titan.kernel @shared() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %x = titan.shared.alloc : !titan.shared<128x128xf32, slots = 4>
  titan.return
}
//--- launch.mlir
titan.kernel @launch() warps(1) launch {
  %c1 = arith.constant 1 : index
  %n = arith.shli %c1, %c1 : index
  titan.launch grid(%n) with(%n : index)
} body(%n: index) {
  titan.return
}
//--- budget.mlir
titan.kernel @budget() warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.warp_specialize {
    titan.partition "all" warps(4) registers(64) {
      titan.syncwarp
    }
  }
  titan.return
}

//--- scan.mlir
#rows = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [1, 1]>
titan.kernel @scan(%X: !titan.global<?x?xf32>) warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %r = titan.coordinate 0 : tensor<64x32xi32, #rows>
  %c = titan.coordinate 1 : tensor<64x32xi32, #rows>
  %x = titan.global.load %X[%r, %c] : !titan.global<?x?xf32>, tensor<64x32xi32, #rows>, tensor<64x32xi32, #rows>
      -> tensor<64x32xf32, #rows>
  %0 = arith.truncf %x : tensor<64x32xf32, #rows> to tensor<64x32xf8E4M3FN, #rows>
  %1 = titan.scan add %0 dimension(1) : tensor<64x32xf8E4M3FN, #rows>
  titan.return
}

//--- three.mlir
#rows = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [2, 1]>
titan.kernel @three() warps(3) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %r = titan.coordinate 0 : tensor<8x8xi32, #rows>
  %s = titan.shared.alloc : !titan.shared<8x8xi32>
  titan.shared.store %r, %s : tensor<8x8xi32, #rows>, !titan.shared<8x8xi32>
  titan.return
}

//--- waves.mlir
#rows = #titan.blocked<elements = [1, 1], lanes = [8, 8], warps = [1, 1]>
titan.kernel @waves() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %r = titan.coordinate 0 : tensor<8x8xi32, #rows>
  %s = titan.shared.alloc : !titan.shared<8x8xi32>
  titan.shared.store %r, %s : tensor<8x8xi32, #rows>, !titan.shared<8x8xi32>
  titan.return
}
