// A policy of a fraction is made once, where the kernel begins, whatever uses it; the others are constants.
//
// RUN: titan compile --check=off --emit=ptx %s | FileCheck %s
// RUN: titan compile --check=off --emit=cubin -o %t.cubin %s
// REQUIRES: ptxas

!g = !titan.global<?x?xf32>
!map = !titan.tensor_map<32x32xf32, swizzle = 128>
!buffer = !titan.shared<32x32xf32, swizzle = 128>
!row = tensor<1x32xf32, #titan.blocked<elements = [1, 1], lanes = [1, 32], warps = [1, 1]>>
!at = tensor<1x32xi32, #titan.blocked<elements = [1, 1], lanes = [1, 32], warps = [1, 1]>>
!bar = !titan.mbarrier

// CHECK-LABEL: .entry policies
titan.kernel @policies(%A: !g, %B: !g) warps(1) launch {
  %one = arith.constant 1 : index
  %map = titan.tensor_map %A : !g -> !map
  titan.launch grid(%one) with(%map : !map)
} body(%map: !map) {
  // CHECK-NOT: createpolicy
  // CHECK-DAG: createpolicy.fractional.L2::evict_last.b64 [[HALF:%rd[0-9]+]], 0f3F000000;
  // CHECK-DAG: createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 [[QUARTER:%rd[0-9]+]], 0f3E800000;
  // CHECK-DAG: createpolicy.fractional.L2::evict_normal.L2::evict_first.b64 [[ALL:%rd[0-9]+]];
  // CHECK-NOT: createpolicy
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 16384 : i32
  %x = titan.shared.alloc : !buffer
  %bar = titan.mbarrier.alloc : !bar
  titan.elect {
    titan.mbarrier.init %bar count(1) : !bar
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %bar, %bytes : !bar
    scf.for %n = %c0 to %c4 step %c1 {
      // CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint {{.*}}, [[HALF]];
      titan.tma.load %map[%c0, %n], %x, %bar cache(evict_last, fraction = 0.5) : !map, !buffer, !bar
    }
  }
  titan.mbarrier.wait %bar parity(%i0) : !bar
  %i = titan.coordinate 0 : !at
  %j = titan.coordinate 1 : !at
  // CHECK: ld.global.L2::cache_hint.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}], [[HALF]];
  %0 = titan.global.load %A[%i, %j] cache(evict_last, fraction = 0.5) : !g, !at, !at -> !row
  // CHECK: st.global.L2::cache_hint.b32 [{{%rd[0-9]+}}], {{%r[0-9]+}}, [[QUARTER]];
  titan.global.store %0, %B[%i, %j] cache(evict_first, fraction = 0.25, secondary = evict_unchanged) : !row, !g, !at, !at
  titan.elect {
    // CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group.L2::cache_hint {{.*}}, [[QUARTER]];
    titan.tma.store %x, %map[%c0, %c0] cache(evict_first, fraction = 0.25, secondary = evict_unchanged) : !buffer, !map
    // CHECK: cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group.L2::cache_hint {{.*}}, [[ALL]];
    titan.tma.reduce add %x, %map[%c0, %c0] cache(evict_normal, secondary = evict_first) : !buffer, !map
    // CHECK-NOT: createpolicy
    // CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group.L2::cache_hint {{.*}}, {{%rd[0-9]+}};
    titan.tma.store %x, %map[%c0, %c0] cache(evict_first) : !buffer, !map
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g : !titan.token<bulk>
  }
  // CHECK: ret;
  titan.return
}
