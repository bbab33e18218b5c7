// D = A * B^T by clusters of two CTAs that share everything they load.
//
// A pair computes 256 x 256 of D as four quadrants of 128 x 128, one a
// warpgroup: CTA 0 those on the diagonal, CTA 1 those off it. So both need all
// of A's 256 rows and all of B's. CTA r loads rows [128 r, 128 r + 128) of each
// and multicasts them to both: every operand crosses the L2 cache once a pair.
//
//          n half 0      n half 1
//   m 0   CTA 0, wg 0   CTA 1, wg 0
//   m 1   CTA 1, wg 1   CTA 0, wg 1
//
// A slot is filled by both producers, so it is released to both: each warp
// that has read it arrives at the `empty` barrier of either CTA.

#acc    = #titan.wgmma<1, 1>

!global = !titan.global<?x?xbf16>
!map    = !titan.tensor_map<128x64xbf16, swizzle = 128>
// Two halves a stage, three stages.
!ring   = !titan.shared<128x64xbf16, swizzle = 128, slots = 6>
!panels = !titan.shared<128x64xbf16, swizzle = 128, slots = 2>
!tile   = !titan.shared<128x64xbf16, swizzle = 128>
!bars   = !titan.mbarrier<3>
!remote = !titan.mbarrier<3, cluster>
!sums   = tensor<128x128xf32, #acc>
!panel  = tensor<128x64xf32, #acc>
!half   = tensor<128x64xbf16, #acc>
!flight = !titan.inflight<tensor<128x128xf32, #acc>>
!group  = !titan.token<mma>
!bulk   = !titan.token<bulk>

titan.kernel @gemm_cluster(%A: !global, %B: !global, %D: !global) warps(12) registers(168) cluster(2)
    attributes {titan.target = "sm_90a"} launch {
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %m = titan.dim %A, 0 : !global
  %n = titan.dim %B, 0 : !global
  %k = titan.dim %A, 1 : !global
  %kB = titan.dim %B, 1 : !global
  %mD = titan.dim %D, 0 : !global
  %nD = titan.dim %D, 1 : !global
  %is_kB = arith.cmpi eq, %kB, %k : index
  %is_mD = arith.cmpi eq, %mD, %m : index
  %is_nD = arith.cmpi eq, %nD, %n : index
  titan.require %is_kB, "launch-check", "A and B have the same number of columns"
  titan.require %is_mD, "launch-check", "D has a row for each row of A"
  titan.require %is_nD, "launch-check", "D has a column for each row of B"
  %tilesM = arith.ceildivui %m, %c256 : index
  %tilesN = arith.ceildivui %n, %c256 : index
  %steps = arith.ceildivui %k, %c64 : index
  %tiles = arith.muli %tilesM, %tilesN : index
  %grid = arith.muli %tiles, %c2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapB = titan.tensor_map %B : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapB, %mapD, %tilesN, %steps : !map, !map, !map, index, index)
} body(%mapA: !map, %mapB: !map, %mapD: !map, %tilesN: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %depth = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %i3 = arith.constant 3 : i32
  %cta = titan.cta_id 0
  %rank32 = titan.cluster_rank
  %rank = arith.index_cast %rank32 : i32 to index
  %tile = arith.divui %cta, %c2 : index
  %tm = arith.divui %tile, %tilesN : index
  %tn = arith.remui %tile, %tilesN : index
  %m = arith.muli %tm, %c256 : index
  %n = arith.muli %tn, %c256 : index

  %a = titan.shared.alloc : !ring
  %b = titan.shared.alloc : !ring
  %d = titan.shared.alloc : !panels
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    // Four warps of two warpgroups of two CTAs.
    titan.mbarrier.init %empty count(16) : !bars
    titan.fence.mbarrier_init
  }
  // The peer must have its barriers before anything is sent to it.
  titan.cluster.arrive
  titan.cluster.wait

  titan.warp_specialize {
    titan.partition "load" warps(1) registers(40) {
      titan.elect {
        %bytes = arith.constant 65536 : i32
        %both = arith.constant 3 : i16
        %offset = arith.muli %rank, %c128 : index
        %rowsA = arith.addi %m, %offset : index
        %rowsB = arith.addi %n, %offset : index
        scf.for %step = %c0 to %steps step %c1 {
          %stage = arith.remui %step, %depth : index
          %round = arith.divui %step, %depth : index
          %next = arith.addi %round, %c1 : index
          %odd = arith.remui %next, %c2 : index
          %parity = arith.index_cast %odd : index to i32
          %twice = arith.muli %stage, %c2 : index
          %part = arith.addi %twice, %rank : index
          %k = arith.muli %step, %c64 : index
          titan.mbarrier.wait %empty[%stage : index] parity(%parity) scope(cluster) : !bars
          titan.mbarrier.arrive_expect_tx %full[%stage : index], %bytes : !bars
          %slotA = titan.shared.slot %a[%part : index] : !ring -> !tile
          %slotB = titan.shared.slot %b[%part : index] : !ring -> !tile
          titan.tma.load %mapA[%rowsA, %k], %slotA, %full[%stage : index] multicast(%both) : !map, !tile, !bars
          titan.tma.load %mapB[%rowsB, %k], %slotB, %full[%stage : index] multicast(%both) : !map, !tile, !bars
        }
      }
    }

    titan.partition "upper" warps(4) registers(232) {
      %empty0 = titan.map_rank %empty, %i0 : !bars -> !remote
      %empty1 = titan.map_rank %empty, %i1 : !bars -> !remote
      %none = titan.inflight.none : !flight
      %end:3 = scf.for %step = %c0 to %steps step %c1
          iter_args(%stage = %i0, %parity = %i0, %acc = %none) -> (i32, i32, !flight) {
        %twice = arith.muli %stage, %i2 : i32
        // Upper rows; of B the half that is this CTA's.
        %partB = arith.addi %twice, %rank32 : i32
        titan.mbarrier.wait %full[%stage : i32] parity(%parity) scope(cluster) : !bars
        %slotA = titan.shared.slot %a[%twice : i32] : !ring -> !tile
        %slotB = titan.shared.slot %b[%partB : i32] : !ring -> !tile
        titan.mma.fence
        %more = arith.cmpi ne, %step, %c0 : index
        %acc1 = titan.mma %slotA, %slotB, %acc accumulate(%more) : !tile, !tile, !flight -> !flight
        %group = titan.mma.commit : !group
        titan.mma.wait %group : !group
        titan.elect {
          titan.mbarrier.arrive %empty0[%stage : i32] scope(cluster) : !remote
          titan.mbarrier.arrive %empty1[%stage : i32] scope(cluster) : !remote
        }
        %following = arith.addi %stage, %i1 : i32
        %wrap = arith.cmpi eq, %following, %i3 : i32
        %nextStage = arith.select %wrap, %i0, %following : i32
        %flipped = arith.xori %parity, %i1 : i32
        %nextParity = arith.select %wrap, %flipped, %parity : i32
        scf.yield %nextStage, %nextParity, %acc1 : i32, i32, !flight
      }
      %result = titan.mma.result %end#2 : !flight -> !sums

      %offset = arith.muli %rank, %c128 : index
      %n0 = arith.addi %n, %offset : index
      %n1 = arith.addi %n0, %c64 : index
      %panel = titan.shared.slot %d[%c0 : index] : !panels -> !tile
      %p0 = titan.extract %result [0, 0] : !sums -> !panel
      %q0 = arith.truncf %p0 : !panel to !half
      titan.shared.store %q0, %panel matrix : !half, !tile
      titan.fence.proxy_async shared_cta
      titan.barrier.sync 1 threads(128)
      titan.elect warp(0) {
        titan.tma.store %panel, %mapD[%m, %n0] : !tile, !map
        %g = titan.bulk.commit : !bulk
        titan.bulk.wait %g read : !bulk
      }
      titan.barrier.sync 1 threads(128)
      %p1 = titan.extract %result [0, 64] : !sums -> !panel
      %q1 = arith.truncf %p1 : !panel to !half
      titan.shared.store %q1, %panel matrix : !half, !tile
      titan.fence.proxy_async shared_cta
      titan.barrier.sync 1 threads(128)
      titan.elect warp(0) {
        titan.tma.store %panel, %mapD[%m, %n1] : !tile, !map
        %g = titan.bulk.commit : !bulk
        titan.bulk.wait %g read : !bulk
      }
    }

    titan.partition "lower" warps(4) registers(232) {
      %empty0 = titan.map_rank %empty, %i0 : !bars -> !remote
      %empty1 = titan.map_rank %empty, %i1 : !bars -> !remote
      %none = titan.inflight.none : !flight
      %other = arith.subi %c1, %rank : index
      %other32 = arith.subi %i1, %rank32 : i32
      %end:3 = scf.for %step = %c0 to %steps step %c1
          iter_args(%stage = %i0, %parity = %i0, %acc = %none) -> (i32, i32, !flight) {
        %twice = arith.muli %stage, %i2 : i32
        // Lower rows; of B the half that is the peer's.
        %partA = arith.addi %twice, %i1 : i32
        %partB = arith.addi %twice, %other32 : i32
        titan.mbarrier.wait %full[%stage : i32] parity(%parity) scope(cluster) : !bars
        %slotA = titan.shared.slot %a[%partA : i32] : !ring -> !tile
        %slotB = titan.shared.slot %b[%partB : i32] : !ring -> !tile
        titan.mma.fence
        %more = arith.cmpi ne, %step, %c0 : index
        %acc1 = titan.mma %slotA, %slotB, %acc accumulate(%more) : !tile, !tile, !flight -> !flight
        %group = titan.mma.commit : !group
        titan.mma.wait %group : !group
        titan.elect {
          titan.mbarrier.arrive %empty0[%stage : i32] scope(cluster) : !remote
          titan.mbarrier.arrive %empty1[%stage : i32] scope(cluster) : !remote
        }
        %following = arith.addi %stage, %i1 : i32
        %wrap = arith.cmpi eq, %following, %i3 : i32
        %nextStage = arith.select %wrap, %i0, %following : i32
        %flipped = arith.xori %parity, %i1 : i32
        %nextParity = arith.select %wrap, %flipped, %parity : i32
        scf.yield %nextStage, %nextParity, %acc1 : i32, i32, !flight
      }
      %result = titan.mma.result %end#2 : !flight -> !sums

      %m1 = arith.addi %m, %c128 : index
      %offset = arith.muli %other, %c128 : index
      %n0 = arith.addi %n, %offset : index
      %n1 = arith.addi %n0, %c64 : index
      %panel = titan.shared.slot %d[%c1 : index] : !panels -> !tile
      %p0 = titan.extract %result [0, 0] : !sums -> !panel
      %q0 = arith.truncf %p0 : !panel to !half
      titan.shared.store %q0, %panel matrix : !half, !tile
      titan.fence.proxy_async shared_cta
      titan.barrier.sync 2 threads(128)
      titan.elect warp(0) {
        titan.tma.store %panel, %mapD[%m1, %n0] : !tile, !map
        %g = titan.bulk.commit : !bulk
        titan.bulk.wait %g read : !bulk
      }
      titan.barrier.sync 2 threads(128)
      %p1 = titan.extract %result [0, 64] : !sums -> !panel
      %q1 = arith.truncf %p1 : !panel to !half
      titan.shared.store %q1, %panel matrix : !half, !tile
      titan.fence.proxy_async shared_cta
      titan.barrier.sync 2 threads(128)
      titan.elect warp(0) {
        titan.tma.store %panel, %mapD[%m1, %n1] : !tile, !map
        %g = titan.bulk.commit : !bulk
        titan.bulk.wait %g read : !bulk
      }
    }
  }

  // No CTA leaves while its peer may still multicast to it or arrive at it.
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}
