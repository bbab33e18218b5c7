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
