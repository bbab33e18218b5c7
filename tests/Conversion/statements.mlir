// What LLVM may do with inline PTX: docs/lowering.md, "What LLVM may do with inline PTX".
//
// RUN: titan compile --check=off %s --emit=ptx -o - | FileCheck %s

!bars = !titan.mbarrier<2>
!remote = !titan.mbarrier<2, cluster>
!ints = !titan.global<?xi32>
!f16s = !titan.global<?x?xf16>

// A peer's address is computed once, before the loop; each arrival is one.
// CHECK-LABEL: .entry addresses(
// CHECK: mapa.shared::cluster.u32
// CHECK-NOT: mapa
// CHECK: $L__BB0_{{[0-9]+}}:
// CHECK-COUNT-2: mbarrier.arrive
// CHECK-NOT: mapa
// CHECK: bra
// CHECK: ret;
titan.kernel @addresses(%flags: !ints) warps(1) cluster(2) launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %i1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = titan.mbarrier.alloc : !bars
  %n = titan.num_ctas 0
  scf.for %i = %c0 to %n step %c1 {
    %peer = titan.map_rank %b, %i1 : !bars -> !remote
    titan.mbarrier.arrive %peer[%i1 : i32] scope(cluster) : !remote
    %same = titan.map_rank %b, %i1 : !bars -> !remote
    titan.mbarrier.arrive %same[%i1 : i32] scope(cluster) : !remote
    // Nobody uses it.
    %none = titan.map_rank %b, %i1 : !bars -> !remote
  }
  titan.return
}

// Matrices are read once for each time that memory may have changed.
// CHECK-LABEL: .entry matrices(
// CHECK-COUNT-4: ldmatrix
// CHECK-NOT: ldmatrix
// CHECK: barrier.sync
// CHECK-COUNT-4: ldmatrix
// CHECK-NOT: ldmatrix
// CHECK: ret;
#acc = #titan.wgmma<1, 1>
!tile = !titan.shared<64x64xf16, swizzle = 128>
!part = tensor<64x64xf16, #acc>
!at = tensor<64x64xi32, #acc>
titan.kernel @matrices(%Y: !f16s) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %s = titan.shared.alloc : !tile
  %x = titan.shared.load %s : !tile -> !part
  %y = titan.shared.load %s : !tile -> !part
  titan.cta_sync
  %z = titan.shared.load %s : !tile -> !part
  %unused = titan.shared.load %s : !tile -> !part
  %xy = arith.mulf %x, %y : !part
  %xyz = arith.addf %xy, %z : !part
  %i = titan.coordinate 0 : !at
  %j = titan.coordinate 1 : !at
  titan.global.store %xyz, %Y[%i, %j] : !part, !f16s, !at, !at
  titan.return
}

// So are integers of global memory, but where the program says that order counts.
// CHECK-LABEL: .entry integers(
// CHECK: ld.global.b32
// CHECK-NOT: ld.global
// CHECK: fence.acq_rel.gpu
// CHECK: fence.acq_rel.gpu
// CHECK: ld.global.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-2: ld.relaxed.gpu.global.b32
// CHECK: ret;
#line = #titan.blocked<elements = [1], lanes = [32], warps = [1]>
!line = tensor<32xi32, #line>
titan.kernel @integers(%A: !ints, %B: !ints) warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %i = titan.coordinate 0 : !line
  %x = titan.global.load %A[%i] : !ints, !line -> !line
  %y = titan.global.load %A[%i] : !ints, !line -> !line
  titan.fence acq_rel gpu
  titan.fence acq_rel gpu
  %z = titan.global.load %A[%i] : !ints, !line -> !line
  %unused = titan.global.load %A[%i] : !ints, !line -> !line
  %xy = arith.muli %x, %y : !line
  %xyz = arith.addi %xy, %z : !line
  %asked = titan.ld %A[%c0] sem(relaxed) scope(gpu) : !ints -> i32
  %again = titan.ld %A[%c0] sem(relaxed) scope(gpu) : !ints -> i32
  titan.global.store %xyz, %B[%i] : !line, !ints, !line
  titan.return
}
