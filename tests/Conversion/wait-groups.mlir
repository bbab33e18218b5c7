// The number in wait_group: groups that the waiting thread committed since.
// RUN: titan compile --check=off %s --emit=ptx -o - | FileCheck %s

!matrix = !titan.global<?x?xf32>
!map = !titan.tensor_map<64x32xf32, swizzle = 128>
!ring = !titan.shared<64x32xf32, swizzle = 128, slots = 3>
!tile = !titan.shared<64x32xf32, swizzle = 128>
!bulk = !titan.token<bulk>

titan.kernel @groups(%Y: !matrix) warps(3) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %Y : !matrix -> !map
  %n = titan.dim %Y, 0 : !matrix
  titan.launch grid(%c1) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %y = titan.shared.alloc : !ring
  %slot = titan.shared.slot %y[%i0 : i32] : !ring -> !tile
  %none = titan.token.none : !bulk
  %nothing = arith.cmpi eq, %n, %c0 : index
  // Round a loop: two groups stay pending, the third newest is waited for.
  // CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
  // CHECK: cp.async.bulk.wait_group.read 2;
  titan.elect warp(0) {
    %r:2 = scf.for %i = %c0 to %n step %c1
        iter_args(%older = %none, %newer = %none) -> (!bulk, !bulk) {
      titan.tma.store %slot, %map[%i, %c0] : !tile, !map
      %group = titan.bulk.commit : !bulk
      titan.bulk.wait %older read : !bulk
      scf.yield %newer, %group : !bulk, !bulk
    }
    // Nothing at all to wait for on any path.
    // CHECK-NOT: cp.async.bulk.wait_group
    titan.bulk.wait %none : !bulk
    // A commit on one branch only does not count.
    // CHECK: cp.async.bulk.wait_group 0;
    scf.if %nothing {
      %group = titan.bulk.commit : !bulk
    }
    titan.bulk.wait %r#1 : !bulk
  }
  // What warp 1 commits is no group of warp 0's thread.
  // CHECK: cp.async.bulk.wait_group 0;
  %mine = titan.elect warp(0) -> !bulk {
    titan.tma.store %slot, %map[%c0, %c0] : !tile, !map
    %group = titan.bulk.commit : !bulk
    titan.yield %group : !bulk
  }
  titan.elect warp(1) {
    titan.tma.store %slot, %map[%c0, %c0] : !tile, !map
    %group = titan.bulk.commit : !bulk
  }
  titan.elect warp(0) {
    titan.bulk.wait %mine : !bulk
  }
  titan.elect warp(1) {
    titan.bulk.wait_group 0
  }
  titan.return
}

// Warp 0 of a partition is not warp 0 of the CTA: of the latter's group it has
// none pending.
// CHECK-LABEL: .entry by_warp
// CHECK: cp.async.bulk.wait_group.read 0;
// CHECK-NOT: cp.async.bulk.wait_group.read 1;
titan.kernel @by_warp(%Y: !matrix) warps(4) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %Y : !matrix -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %i0 = arith.constant 0 : i32
  %y = titan.shared.alloc : !ring
  %slot = titan.shared.slot %y[%i0 : i32] : !ring -> !tile
  %mine = titan.elect warp(2) -> !bulk {
    titan.tma.store %slot, %map[%c0, %c0] : !tile, !map
    %group = titan.bulk.commit : !bulk
    titan.yield %group : !bulk
  }
  %other = titan.elect warp(0) -> !bulk {
    titan.tma.store %slot, %map[%c64, %c0] : !tile, !map
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group read : !bulk
    titan.yield %group : !bulk
  }
  titan.warp_specialize {
    titan.partition "a" warps(2) {
    }
    titan.partition "b" warps(2) {
      titan.elect warp(0) {
        titan.bulk.wait %mine read : !bulk
      }
    }
  }
  titan.return
}
