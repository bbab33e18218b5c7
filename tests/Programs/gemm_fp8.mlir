// fp8 products, promoted every 128 of K, and not.
// RUN: titan check --proof=off %examples/programs/gemm_fp8.mlir | FileCheck %s --check-prefix=CHECKED
// CHECKED: @gemm_fp8: accepted
// CHECKED: @gemm_fp8_plain: accepted
//
// RUN: for s in eager lazy random:1; do titan run %examples/programs/gemm_fp8.mlir --kernel gemm_fp8 --schedule $s || exit 1; done | FileCheck %s
// CHECK-COUNT-3: elements agree with the reference
// RUN: titan run %examples/programs/gemm_fp8.mlir --kernel gemm_fp8 --hazards=off | FileCheck %s --check-prefix=OFF
// OFF: elements agree with the reference
//
// The tensor core's own sums lose a bit more with each instruction.
// RUN: titan run %examples/programs/gemm_fp8.mlir --kernel gemm_fp8 --size K=4112 | FileCheck %s --check-prefix=PROMOTED
// PROMOTED: largest error 0.0333
// RUN: titan run %examples/programs/gemm_fp8.mlir --kernel gemm_fp8_plain --size K=4112 | FileCheck %s --check-prefix=PLAIN
// PLAIN: largest error 0.824
