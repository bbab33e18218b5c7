// A convolution through im2col: how its copies are lowered, the simulator against the reference.
// RUN: titan explain tma %examples/programs/conv.mlir | FileCheck %s --check-prefix=TMA
// TMA: kernel @conv, line {{.*}}: %X to {{.*}}; strong: titan.mma
// TMA: im2col: 128 pixels of M{{.*}} (partitioning), 64 channels of C{C} (partitioning)
// TMA: copy, level 1
// TMA: tma.load.im2col [{{.*}}] offsets [r, s]{{.*}} (16384 bytes)
//
// RUN: for s in eager lazy random:1; do titan run %examples/programs/conv.mlir --schedule $s || exit 1; done | FileCheck %s
// CHECK-COUNT-3: elements agree with the reference
// RUN: titan run %examples/programs/conv.mlir --hazards=off | FileCheck %s --check-prefix=OFF
// OFF: elements agree with the reference
// RUN: titan run %examples/programs/conv.mlir --size N=1 --size H=1 --size W=3 --size C=8 --size K=8 | FileCheck %s --check-prefix=OFF

// RUN: titan check --proof=off %examples/programs/conv.mlir | FileCheck %s --check-prefix=CHECKED
// CHECKED: @conv: accepted

// A buffer that is stored from while the next panel is written.
// LABEL older: titan.bulk.wait %older read
// VARIANT reuse: drop older
// RUN: %variant reuse %s %examples/programs/conv.mlir > %t.reuse.mlir
// RUN: %if full %{ not titan check --proof=off %t.reuse.mlir 2>&1 | FileCheck %s --check-prefix=REUSE %}
// REUSE: error: [completion-not-observed]

// Filters that are read one step to the right, and a border that is forgotten.
// LABEL filters: S = %s, Co = %block) -> %slot["f"]
// VARIANT filter: in filters `S = %s` -> `S = %r`
// RUN: %variant filter %s %examples/programs/conv.mlir > %t.filter.mlir
// RUN: not titan run %t.filter.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: [reference-mismatch]
