// The program parses, verifies, and prints back to itself.
// RUN: titan-opt %examples/programs/gemm_blackwell.mlir -o %t.1
// RUN: titan-opt %t.1 -o %t.2
// RUN: diff %t.1 %t.2
// RUN: FileCheck %s < %t.1

// CHECK: titan.tmem.alloc : <128x256xf32, slots = 2>
// CHECK: titan.tcgen05.alloc
// CHECK: titan.tcgen05.mma %{{.*}}, %{{.*}}, %{{.*}} accumulate(%{{.*}})
// CHECK: titan.tcgen05.commit
// CHECK: titan.tmem.load {{.*}} -> <tensor<128x64xf32, #titan.tmem<"32x32b">>>

// What it does, and where the ISA says so.
// RUN: titan explain effects %examples/programs/gemm_blackwell.mlir | FileCheck %s --check-prefix=EFFECTS
// EFFECTS: titan.tcgen05.alloc, warp
// EFFECTS-NEXT: alloc %acc  [PTX ISA, tcgen05.alloc]
// EFFECTS: titan.tcgen05.mma, exactly one thread
// EFFECTS-NEXT: read all of %slotA, async proxy, tcgen05.commit  [PTX ISA, tcgen05: Async proxy]
// EFFECTS-NEXT: read all of %slotB, async proxy, tcgen05.commit  [PTX ISA, tcgen05: Async proxy]
// EFFECTS-NEXT: read possibly all of %sum, tensor memory proxy, tcgen05.commit  [PTX ISA, tcgen05.mma]
// EFFECTS-NEXT: write all of %sum, tensor memory proxy, tcgen05.commit  [PTX ISA, tcgen05.mma]
// EFFECTS: titan.tcgen05.commit, exactly one thread
// EFFECTS-NEXT: tcgen05.fence::before_thread_sync  [PTX ISA, tcgen05.commit]
// EFFECTS-NEXT: arrive 1 on %empty[%stage] after tcgen05.commit, .release.cluster  [PTX ISA, tcgen05.commit]
// EFFECTS: free %acc  [PTX ISA, tcgen05.dealloc]
// EFFECTS: titan.tmem.load, warpgroup
// EFFECTS-NEXT: read a tile's elements of %cells, tensor memory proxy, tcgen05.wait::ld  [PTX ISA, tcgen05.ld]
// EFFECTS: registers in flight: %coming  [PTX ISA, tcgen05.ld]
// EFFECTS: titan.tmem.wait_load, warp
// EFFECTS: registers arrived: %panel  [PTX ISA, tcgen05.wait]

// It is accepted; bugs seeded in it are not.
// RUN: titan check --proof=off %examples/programs/gemm_blackwell.mlir | FileCheck %s --check-prefix=ACCEPTED
// ACCEPTED: @gemm_blackwell: accepted: 0 errors, 0 warnings
// An arrive instead of a commit: it does not wait for the product that reads the slot.
// LABEL commit: titan.tcgen05.commit %empty
// VARIANT commit: in commit `tcgen05.commit` -> `mbarrier.arrive`
// RUN: %variant commit %s %examples/programs/gemm_blackwell.mlir > %t.commit.mlir
// RUN: not titan check --proof=off %t.commit.mlir 2>&1 | FileCheck %s --check-prefix=COMMIT
// COMMIT: commit.mlir:110:13: error: [mma-slot-reuse] 'titan.tma.load' writes shared memory
// The columns are told free before their last loads.
// LABEL panels: scf.for %p = %c0 to %c4
// LABEL arrival +1..5: // Every load has arrived
// VARIANT early: before panels add titan.tcgen05.fence_before titan.syncwarp titan.elect { titan.mbarrier.arrive %stored[%slot : index] : !bars2 }
// VARIANT early: drop arrival
// RUN: %variant early %s %examples/programs/gemm_blackwell.mlir > %t.early.mlir
// RUN: not titan check --proof=off %t.early.mlir 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: early.mlir:148:13: error: [race] 'titan.tcgen05.mma' writes tensor memory through the tensor memory proxy that 'titan.tmem.load' reads
// They go back while others load from them.
// LABEL stored +1: // Everything has been stored
// VARIANT dealloc: drop stored
// RUN: %variant dealloc %s %examples/programs/gemm_blackwell.mlir > %t.dealloc.mlir
// RUN: not titan check --proof=off %t.dealloc.mlir 2>&1 | FileCheck %s --check-prefix=DEALLOC
// DEALLOC-DAG: dealloc.mlir:160:7: error: [mma-order] 'titan.tcgen05.dealloc' writes tensor memory
// DEALLOC-DAG: dealloc.mlir:181:21: error: [tmem-alloc] 'titan.tmem.load'
// Sums are loaded without fence::after behind the wait: practice leaves it out, the ISA does not.
// LABEL after +1: titan.mbarrier.wait %summed
// VARIANT after: drop after
// RUN: %variant after %s %examples/programs/gemm_blackwell.mlir > %t.after.mlir
// RUN: titan check --proof=off %t.after.mlir 2>&1 | FileCheck %s --check-prefix=AFTER
// RUN: not titan check --proof=off --strict %t.after.mlir 2>&1 | FileCheck %s --check-prefix=STRICT
// AFTER: after.mlir:181:21: warning: [tmem-fence-missing]
// STRICT: after.mlir:181:21: error: [tmem-fence-missing]
