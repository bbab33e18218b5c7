// TMA: caches, multicast, reductions, ranks; coordinates innermost first.
// RUN: titan compile --check=off %s --emit=ptx -o - | FileCheck %s

!g2 = !titan.global<?x?xf32>
!g3 = !titan.global<?x?x?xbf16>
!map2 = !titan.tensor_map<32x32xf32, swizzle = 128>
!map3 = !titan.tensor_map<2x16x64xbf16, swizzle = 128>
!buf2 = !titan.shared<32x32xf32, swizzle = 128>
!buf3 = !titan.shared<2x16x64xbf16, swizzle = 128>
!bar = !titan.mbarrier

titan.kernel @tma(%A: !g2, %B: !g3) warps(1) cluster(2) launch {
  %c2 = arith.constant 2 : index
  %a = titan.tensor_map %A : !g2 -> !map2
  %b = titan.tensor_map %B : !g3 -> !map3
  titan.launch grid(%c2) with(%a, %b : !map2, !map3)
} body(%a: !map2, %b: !map3) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %both = arith.constant 3 : i16
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 12288 : i32
  %x = titan.shared.alloc : !buf2
  %y = titan.shared.alloc : !buf3
  %bar = titan.mbarrier.alloc : !bar
  titan.elect {
    titan.mbarrier.init %bar count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.elect {
    titan.mbarrier.arrive_expect_tx %bar, %bytes : !bar
    // CHECK: [[EIGHT:%r[0-9]+]], 8;
    // CHECK: .multicast::cluster.L2::cache_hint [%r{{[0-9]+}}], [%rd{{[0-9]+}}, {[[EIGHT]], %r{{[0-9]+}}}], [%r{{[0-9]+}}], %rs{{[0-9]+}}, %rd{{[0-9]+}};
    titan.tma.load %a[%c7, %c8], %x, %bar multicast(%both) cache(evict_last) : !map2, !buf2, !bar
    // CHECK: cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [
    titan.tma.load %b[%c0, %c7, %c8], %y, %bar multicast(%both) : !map3, !buf3, !bar
  }
  titan.mbarrier.wait %bar parity(%i0) : !bar
  titan.elect {
    // CHECK: cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group
    titan.tma.reduce add %x, %a[%c0, %c0] : !buf2, !map2
    // CHECK: cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group.L2::cache_hint
    titan.tma.store %y, %b[%c0, %c0, %c0] cache(evict_first) : !buf3, !map3
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g : !titan.token<bulk>
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}
