// D = A * B^T on Blackwell: products accumulate in tensor memory, and the
// epilogue of one tile overlaps the products of the next.
//
// One thread loads, one thread multiplies, four warps store. The accumulators
// take all 512 columns of tensor memory as two slots of 256: while one slot is
// being stored the other is being summed. tcgen05.commit makes a barrier tell
// when the products issued so far are done: that a slot of the ring has been
// read, and, after a tile's last step, that its accumulators are there.
//
// Tensor memory has no proxy fences. What orders an access by one thread before
// that of another is: its completion (commit, or tcgen05.wait), the halves of
// tcgen05.fence around the signal and the wait.

#row    = #titan.tmem<"32x32b">

!global = !titan.global<?x?xbf16>
!mapA   = !titan.tensor_map<128x64xbf16, swizzle = 128>
!mapB   = !titan.tensor_map<256x64xbf16, swizzle = 128>
!ringA  = !titan.shared<128x64xbf16, swizzle = 128, slots = 4>
!ringB  = !titan.shared<256x64xbf16, swizzle = 128, slots = 4>
!ringD  = !titan.shared<128x64xbf16, swizzle = 128, slots = 2>
!tileA  = !titan.shared<128x64xbf16, swizzle = 128>
!tileB  = !titan.shared<256x64xbf16, swizzle = 128>
!sums   = !titan.tensor_memory<128x256xf32, slots = 2>
!sum    = !titan.tensor_memory<128x256xf32>
!cells  = !titan.tensor_memory<128x64xf32>
!bars4  = !titan.mbarrier<4>
!bars2  = !titan.mbarrier<2>
!panel  = tensor<128x64xf32, #row>
!half   = tensor<128x64xbf16, #row>
!flight = !titan.inflight<tensor<128x64xf32, #row>>
!bulk   = !titan.token<bulk>

titan.kernel @gemm_blackwell(%A: !global, %B: !global, %D: !global) warps(8)
    attributes {titan.target = "sm_100a"} launch {
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
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
  %tilesM = arith.ceildivui %m, %c128 : index
  %tilesN = arith.ceildivui %n, %c256 : index
  %steps = arith.ceildivui %k, %c64 : index
  %tiles = arith.muli %tilesM, %tilesN : index
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %tiles, %sms : index
  %mapA = titan.tensor_map %A : !global -> !mapA
  %mapB = titan.tensor_map %B : !global -> !mapB
  %mapD = titan.tensor_map %D : !global -> !mapA
  titan.launch grid(%grid) with(%mapA, %mapB, %mapD, %tilesN, %tiles, %steps : !mapA, !mapB, !mapA, index, index, index)
} body(%mapA: !mapA, %mapB: !mapB, %mapD: !mapA, %tilesN: index, %tiles: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0

  %a = titan.shared.alloc : !ringA
  %b = titan.shared.alloc : !ringB
  %d = titan.shared.alloc : !ringD
  %acc = titan.tmem.alloc : !sums
  %full = titan.mbarrier.alloc : !bars4
  %empty = titan.mbarrier.alloc : !bars4
  %summed = titan.mbarrier.alloc : !bars2
  %stored = titan.mbarrier.alloc : !bars2
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars4
    titan.mbarrier.init %empty count(1) : !bars4
    titan.mbarrier.init %summed count(1) : !bars2
    titan.mbarrier.init %stored count(4) : !bars2
    titan.fence.mbarrier_init
  }
  titan.cta_sync

  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %bytes = arith.constant 49152 : i32
        %uses = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (index) {
          %tm = arith.divui %tile, %tilesN : index
          %tn = arith.remui %tile, %tilesN : index
          %m = arith.muli %tm, %c128 : index
          %n = arith.muli %tn, %c256 : index
          scf.for %step = %c0 to %steps step %c1 {
            %use = arith.addi %base, %step : index
            %stage = arith.remui %use, %c4 : index
            %round = arith.divui %use, %c4 : index
            %later = arith.addi %round, %c1 : index
            %odd = arith.remui %later, %c2 : index
            %parity = arith.index_cast %odd : index to i32
            %k = arith.muli %step, %c64 : index
            titan.mbarrier.wait %empty[%stage : index] parity(%parity) : !bars4
            titan.mbarrier.arrive_expect_tx %full[%stage : index], %bytes : !bars4
            %slotA = titan.shared.slot %a[%stage : index] : !ringA -> !tileA
            %slotB = titan.shared.slot %b[%stage : index] : !ringB -> !tileB
            titan.tma.load %mapA[%m, %k], %slotA, %full[%stage : index] : !mapA, !tileA, !bars4
            titan.tma.load %mapB[%n, %k], %slotB, %full[%stage : index] : !mapB, !tileB, !bars4
          }
          %after = arith.addi %base, %steps : index
          scf.yield %after : index
        }
      }
    }

    titan.partition "multiply" warps(1) {
      // This warp gets the columns; barrier 1 lets the storing warps know.
      titan.tcgen05.alloc %acc : !sums
      titan.tcgen05.relinquish
      titan.tcgen05.fence_before
      titan.barrier.sync 1 threads(160)
      titan.tcgen05.fence_after
      titan.elect {
        %end:2 = scf.for %tile = %first to %tiles step %ctas
            iter_args(%i = %c0, %base = %c0) -> (index, index) {
          %slot = arith.remui %i, %c2 : index
          %turn = arith.divui %i, %c2 : index
          %laterTurn = arith.addi %turn, %c1 : index
          %oddTurn = arith.remui %laterTurn, %c2 : index
          %parityD = arith.index_cast %oddTurn : index to i32
          %sum = titan.tmem.slot %acc[%slot : index] : !sums -> !sum
          // The tile before last has left these columns.
          titan.mbarrier.wait %stored[%slot : index] parity(%parityD) : !bars2
          titan.tcgen05.fence_after
          scf.for %step = %c0 to %steps step %c1 {
            %use = arith.addi %base, %step : index
            %stage = arith.remui %use, %c4 : index
            %round = arith.divui %use, %c4 : index
            %odd = arith.remui %round, %c2 : index
            %parity = arith.index_cast %odd : index to i32
            titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars4
            %slotA = titan.shared.slot %a[%stage : index] : !ringA -> !tileA
            %slotB = titan.shared.slot %b[%stage : index] : !ringB -> !tileB
            %more = arith.cmpi ne, %step, %c0 : index
            titan.tcgen05.mma %slotA, %slotB, %sum accumulate(%more) : !tileA, !tileB, !sum
            titan.tcgen05.commit %empty[%stage : index] : !bars4
          }
          titan.tcgen05.commit %summed[%slot : index] : !bars2
          %i1 = arith.addi %i, %c1 : index
          %after = arith.addi %base, %steps : index
          scf.yield %i1, %after : index, index
        }
      }
      // Everything has been stored: the columns go back.
      titan.barrier.sync 1 threads(160)
      titan.tcgen05.fence_after
      titan.tcgen05.dealloc %acc : !sums
    }

    titan.partition "store" warps(4) {
      titan.barrier.sync 1 threads(160)
      titan.tcgen05.fence_after
      %tilesDone = scf.for %tile = %first to %tiles step %ctas iter_args(%i = %c0) -> (index) {
        %tm = arith.divui %tile, %tilesN : index
        %tn = arith.remui %tile, %tilesN : index
        %m = arith.muli %tm, %c128 : index
        %n = arith.muli %tn, %c256 : index
        %slot = arith.remui %i, %c2 : index
        %turn = arith.divui %i, %c2 : index
        %oddTurn = arith.remui %turn, %c2 : index
        %parity = arith.index_cast %oddTurn : index to i32
        titan.mbarrier.wait %summed[%slot : index] parity(%parity) : !bars2
        titan.tcgen05.fence_after
        %sum = titan.tmem.slot %acc[%slot : index] : !sums -> !sum
        scf.for %p = %c0 to %c4 step %c1 {
          %column = arith.muli %p, %c64 : index
          %cells = titan.tmem.view %sum[%column] : !sum -> !cells
          %coming = titan.tmem.load %cells : !cells -> !flight
          %panel = titan.tmem.wait_load %coming : !flight -> !panel
          %panel16 = arith.truncf %panel : !panel to !half
          // The store before the last one has read its buffer.
          %which = arith.remui %p, %c2 : index
          %buffer = titan.shared.slot %d[%which : index] : !ringD -> !tileA
          titan.elect warp(0) {
            titan.bulk.wait_group 1 read
          }
          titan.barrier.sync 2 threads(128)
          titan.shared.store %panel16, %buffer : !half, !tileA
          titan.fence.proxy_async shared_cta
          titan.barrier.sync 2 threads(128)
          titan.elect warp(0) {
            %at = arith.addi %n, %column : index
            titan.tma.store %buffer, %mapD[%m, %at] : !tileA, !mapA
            %g = titan.bulk.commit : !bulk
          }
        }
        // Every load has arrived: the columns may be summed into again.
        titan.tcgen05.fence_before
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %stored[%slot : index] : !bars2
        }
        %i1 = arith.addi %i, %c1 : index
        scf.yield %i1 : index
      }
      titan.elect warp(0) {
        titan.bulk.wait_group 0 read
      }
      titan.tcgen05.fence_before
      titan.barrier.sync 1 threads(160)
    }
  }
  titan.return
}
