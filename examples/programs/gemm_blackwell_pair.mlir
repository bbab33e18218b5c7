// D = A * B^T on Blackwell by pairs of CTAs: one product spans both.
//
// A pair computes 256 x 256 of D. Each CTA loads its 128 rows of A and its 128
// rows of B, into its own shared memory, and holds its 128 rows of D in its own
// tensor memory; the leader (rank 0) issues products that read both CTAs' tiles.
// So half of B is loaded by each instead of all of it by both.
//
//   - `pair` on a load: its complete_tx goes to the leader's barrier, wherever
//     the data goes; the leader expects the bytes of both CTAs.
//   - `multicast` on a commit: both CTAs' barriers learn that the slot has been
//     read, and that the sums are there.
//   - the storing warps of both CTAs tell the leader that the columns are free.

#row    = #titan.tmem<"32x32b">

!global = !titan.global<?x?xbf16>
!map    = !titan.tensor_map<128x64xbf16, swizzle = 128>
!ring   = !titan.shared<128x64xbf16, swizzle = 128, slots = 5>
!ringD  = !titan.shared<128x64xbf16, swizzle = 128, slots = 2>
!tile   = !titan.shared<128x64xbf16, swizzle = 128>
!sums   = !titan.tensor_memory<128x256xf32, slots = 2>
!sum    = !titan.tensor_memory<128x256xf32>
!cells  = !titan.tensor_memory<128x64xf32>
!bars5  = !titan.mbarrier<5>
!bars2  = !titan.mbarrier<2>
!leader5 = !titan.mbarrier<5, cluster>
!leader2 = !titan.mbarrier<2, cluster>
!panel  = tensor<128x64xf32, #row>
!half   = tensor<128x64xbf16, #row>
!flight = !titan.inflight<tensor<128x64xf32, #row>>
!bulk   = !titan.token<bulk>

titan.kernel @gemm_blackwell_pair(%A: !global, %B: !global, %D: !global) warps(8) cluster(2)
    attributes {titan.target = "sm_100a"} launch {
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
  %sms = titan.device_property "multiprocessor_count"
  %pairsFit = arith.divui %sms, %c2 : index
  %pairs = arith.minui %tiles, %pairsFit : index
  %grid = arith.muli %pairs, %c2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapB = titan.tensor_map %B : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapB, %mapD, %tilesN, %tiles, %steps : !map, !map, !map, index, index, index)
} body(%mapA: !map, %mapB: !map, %mapD: !map, %tilesN: index, %tiles: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %i0 = arith.constant 0 : i32
  %cta = titan.cta_id 0
  %ctas = titan.num_ctas 0
  %first = arith.divui %cta, %c2 : index
  %pairs = arith.divui %ctas, %c2 : index
  %rank32 = titan.cluster_rank
  %rank = arith.index_cast %rank32 : i32 to index
  %leads = arith.cmpi eq, %rank32, %i0 : i32
  %half = arith.muli %rank, %c128 : index

  %a = titan.shared.alloc : !ring
  %b = titan.shared.alloc : !ring
  %d = titan.shared.alloc : !ringD
  %acc = titan.tmem.alloc : !sums
  %full = titan.mbarrier.alloc : !bars5
  %empty = titan.mbarrier.alloc : !bars5
  %summed = titan.mbarrier.alloc : !bars2
  %stored = titan.mbarrier.alloc : !bars2
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars5
    titan.mbarrier.init %empty count(1) : !bars5
    titan.mbarrier.init %summed count(1) : !bars2
    // Four warps of two CTAs.
    titan.mbarrier.init %stored count(8) : !bars2
    titan.fence.mbarrier_init
  }
  titan.cluster.arrive
  titan.cluster.wait
  // The leader's barriers, seen from either CTA.
  %fullL = titan.map_rank %full, %i0 : !bars5 -> !leader5
  %storedL = titan.map_rank %stored, %i0 : !bars2 -> !leader2

  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %bytes = arith.constant 65536 : i32
        %uses = scf.for %tile = %first to %tiles step %pairs iter_args(%base = %c0) -> (index) {
          %tm = arith.divui %tile, %tilesN : index
          %tn = arith.remui %tile, %tilesN : index
          %mPair = arith.muli %tm, %c256 : index
          %nPair = arith.muli %tn, %c256 : index
          %m = arith.addi %mPair, %half : index
          %n = arith.addi %nPair, %half : index
          scf.for %step = %c0 to %steps step %c1 {
            %use = arith.addi %base, %step : index
            %stage = arith.remui %use, %c5 : index
            %round = arith.divui %use, %c5 : index
            %later = arith.addi %round, %c1 : index
            %odd = arith.remui %later, %c2 : index
            %parity = arith.index_cast %odd : index to i32
            %k = arith.muli %step, %c64 : index
            titan.mbarrier.wait %empty[%stage : index] parity(%parity) scope(cluster) : !bars5
            scf.if %leads {
              titan.mbarrier.arrive_expect_tx %full[%stage : index], %bytes : !bars5
            }
            %slotA = titan.shared.slot %a[%stage : index] : !ring -> !tile
            %slotB = titan.shared.slot %b[%stage : index] : !ring -> !tile
            titan.tma.load %mapA[%m, %k], %slotA, %fullL[%stage : index] pair : !map, !tile, !leader5
            titan.tma.load %mapB[%n, %k], %slotB, %fullL[%stage : index] pair : !map, !tile, !leader5
          }
          %after = arith.addi %base, %steps : index
          scf.yield %after : index
        }
      }
    }

    titan.partition "multiply" warps(1) {
      // A warp of either CTA gets the columns.
      titan.tcgen05.alloc %acc pair : !sums
      titan.tcgen05.relinquish pair
      titan.tcgen05.fence_before
      titan.barrier.sync 1 threads(160)
      titan.tcgen05.fence_after
      scf.if %leads {
        titan.elect {
          %both = arith.constant 3 : i16
          %end:2 = scf.for %tile = %first to %tiles step %pairs
              iter_args(%i = %c0, %base = %c0) -> (index, index) {
            %slot = arith.remui %i, %c2 : index
            %turn = arith.divui %i, %c2 : index
            %laterTurn = arith.addi %turn, %c1 : index
            %oddTurn = arith.remui %laterTurn, %c2 : index
            %parityD = arith.index_cast %oddTurn : index to i32
            %sum = titan.tmem.slot %acc[%slot : index] : !sums -> !sum
            titan.mbarrier.wait %stored[%slot : index] parity(%parityD) scope(cluster) : !bars2
            titan.tcgen05.fence_after
            scf.for %step = %c0 to %steps step %c1 {
              %use = arith.addi %base, %step : index
              %stage = arith.remui %use, %c5 : index
              %round = arith.divui %use, %c5 : index
              %odd = arith.remui %round, %c2 : index
              %parity = arith.index_cast %odd : index to i32
              titan.mbarrier.wait %full[%stage : index] parity(%parity) scope(cluster) : !bars5
              %slotA = titan.shared.slot %a[%stage : index] : !ring -> !tile
              %slotB = titan.shared.slot %b[%stage : index] : !ring -> !tile
              %more = arith.cmpi ne, %step, %c0 : index
              titan.tcgen05.mma %slotA, %slotB, %sum accumulate(%more) pair : !tile, !tile, !sum
              titan.tcgen05.commit %empty[%stage : index] multicast(%both) pair : !bars5
            }
            titan.tcgen05.commit %summed[%slot : index] multicast(%both) pair : !bars2
            %i1 = arith.addi %i, %c1 : index
            %after = arith.addi %base, %steps : index
            scf.yield %i1, %after : index, index
          }
        }
      }
    }

    titan.partition "store" warps(4) {
      titan.barrier.sync 1 threads(160)
      titan.tcgen05.fence_after
      %tilesDone = scf.for %tile = %first to %tiles step %pairs iter_args(%i = %c0) -> (index) {
        %tm = arith.divui %tile, %tilesN : index
        %tn = arith.remui %tile, %tilesN : index
        %mPair = arith.muli %tm, %c256 : index
        %n = arith.muli %tn, %c256 : index
        %m = arith.addi %mPair, %half : index
        %slot = arith.remui %i, %c2 : index
        %turn = arith.divui %i, %c2 : index
        %oddTurn = arith.remui %turn, %c2 : index
        %parity = arith.index_cast %oddTurn : index to i32
        titan.mbarrier.wait %summed[%slot : index] parity(%parity) scope(cluster) : !bars2
        titan.tcgen05.fence_after
        %sum = titan.tmem.slot %acc[%slot : index] : !sums -> !sum
        scf.for %p = %c0 to %c4 step %c1 {
          %column = arith.muli %p, %c64 : index
          %cells = titan.tmem.view %sum[%column] : !sum -> !cells
          %coming = titan.tmem.load %cells : !cells -> !flight
          %panel = titan.tmem.wait_load %coming : !flight -> !panel
          %panel16 = arith.truncf %panel : !panel to !half
          %which = arith.remui %p, %c2 : index
          %buffer = titan.shared.slot %d[%which : index] : !ringD -> !tile
          titan.elect warp(0) {
            titan.bulk.wait_group 1 read
          }
          titan.barrier.sync 2 threads(128)
          titan.shared.store %panel16, %buffer : !half, !tile
          titan.fence.proxy_async shared_cta
          titan.barrier.sync 2 threads(128)
          titan.elect warp(0) {
            %at = arith.addi %n, %column : index
            titan.tma.store %buffer, %mapD[%m, %at] : !tile, !map
            %g = titan.bulk.commit : !bulk
          }
        }
        titan.tcgen05.fence_before
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %storedL[%slot : index] scope(cluster) : !leader2
        }
        %i1 = arith.addi %i, %c1 : index
        scf.yield %i1 : index
      }
      titan.elect warp(0) {
        titan.bulk.wait_group 0 read
      }
    }
  }

  // Neither CTA gives its columns back, or leaves, while the other still uses
  // the pair.
  titan.tcgen05.fence_before
  titan.cluster.arrive
  titan.cluster.wait
  titan.tcgen05.fence_after
  %warp = titan.warp_id
  %gives = arith.cmpi eq, %warp, %i0 : i32
  scf.if %gives {
    titan.tcgen05.dealloc %acc pair : !sums
  }
  titan.return
}
