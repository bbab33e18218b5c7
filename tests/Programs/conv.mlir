// A convolution through im2col: how its copies are lowered, the checker, the simulator against
// the definition.
// RUN: titan explain tma %examples/programs/conv.mlir | FileCheck %s --check-prefix=TMA
// TMA: kernel @conv, line {{.*}}: %X to {{.*}}; strong: titan.mma reduces dimension 1, which may have holes
// TMA: im2col: 128 pixels of M{{.*}} (partitioning), 64 channels of C{C} (partitioning)
// TMA: copy, level 1
// TMA: tma.load.im2col [{{.*}}] offsets [r, s]{{.*}} (16384 bytes)
//
// RUN: titan check %examples/programs/conv.mlir
// RUN: for s in eager lazy random:1; do titan run %examples/programs/conv.mlir --schedule $s || exit 1; done | FileCheck %s
// CHECK-COUNT-3: elements equal to the reference
// RUN: titan run %examples/programs/conv.mlir --hazards=off | FileCheck %s --check-prefix=OFF
// OFF: elements equal to the reference
