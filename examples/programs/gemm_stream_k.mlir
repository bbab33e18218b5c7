// D = A * B^T, stream-K: every CTA gets the same number of steps, whatever the
// number of tiles, and tiles that begin in one CTA and end in another are
// summed through global memory.
//
// All steps of all tiles lie on one line, tile after tile, and each CTA has a
// piece of it. Whoever has a tile's first step owns the tile. A CTA whose piece
// begins inside a tile writes its partial sums to its own page of `partial`
// and counts the tile's flag up; the owner waits until the flag has counted the
// helpers of its tile, and adds their pages in order of the CTAs (the result
// does not depend on who was first). A CTA helps only the tile that its piece
// begins with, so it needs one page; an owner waits for CTAs of higher rank
// only, whose pages need nobody: no circle. All CTAs must run at once: the grid
// is at most the number of SMs, one CTA each.
//
// `flags`, one a tile, holds zeros at the launch (titan.initial).

#acc    = #titan.wgmma<2, 1>

!global = !titan.global<?x?xbf16>
!out    = !titan.global<?x?xf32>
!pages  = !titan.global<?x128x128xf32, strides = [16384, 128, 1]>
!flags  = !titan.global<?xi32>
!map    = !titan.tensor_map<128x64xbf16, swizzle = 128>
!ring   = !titan.shared<128x64xbf16, swizzle = 128, slots = 6>
!tile   = !titan.shared<128x64xbf16, swizzle = 128>
!bars   = !titan.mbarrier<6>
!sums   = tensor<128x128xf32, #acc>
!where  = tensor<128x128xi32, #acc>
!yes    = tensor<128x128xi1, #acc>
!flight = !titan.inflight<tensor<128x128xf32, #acc>>
!group  = !titan.token<mma>

titan.kernel @gemm_stream_k(%A: !global, %B: !global, %D: !out, %partial: !pages, %flags: !flags)
    warps(12) registers(168) attributes {titan.target = "sm_90a", titan.initial = {flags = 0}} launch {
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %m = titan.dim %A, 0 : !global
  %n = titan.dim %B, 0 : !global
  %k = titan.dim %A, 1 : !global
  %kB = titan.dim %B, 1 : !global
  %mD = titan.dim %D, 0 : !out
  %nD = titan.dim %D, 1 : !out
  %is_kB = arith.cmpi eq, %kB, %k : index
  %is_mD = arith.cmpi eq, %mD, %m : index
  %is_nD = arith.cmpi eq, %nD, %n : index
  titan.require %is_kB, "launch-check", "A and B have the same number of columns"
  titan.require %is_mD, "launch-check", "D has a row for each row of A"
  titan.require %is_nD, "launch-check", "D has a column for each row of B"
  %most = arith.constant 1073741824 : index
  %fewM = arith.cmpi ule, %m, %most : index
  %fewN = arith.cmpi ule, %n, %most : index
  titan.require %fewM, "launch-check", "at most 2^30 rows of D, whose numbers have 32 bits"
  titan.require %fewN, "launch-check", "at most 2^30 columns of D"
  %tilesM = arith.ceildivui %m, %c128 : index
  %tilesN = arith.ceildivui %n, %c128 : index
  %steps = arith.ceildivui %k, %c64 : index
  %tiles = arith.muli %tilesM, %tilesN : index
  %all = arith.muli %tiles, %steps : index
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %all, %sms : index
  %pages = titan.dim %partial, 0 : !pages
  %enough = arith.cmpi uge, %pages, %grid : index
  titan.require %enough, "launch-check", "partial needs one page a CTA"
  %count = titan.dim %flags, 0 : !flags
  %counted = arith.cmpi uge, %count, %tiles : index
  titan.require %counted, "launch-check", "flags needs one element a tile"
  %mapA = titan.tensor_map %A : !global -> !map
  %mapB = titan.tensor_map %B : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapB, %tilesN, %steps, %all, %m, %n : !map, !map, index, index, index, index, index)
} body(%mapA: !map, %mapB: !map, %tilesN: index, %steps: index, %all: index, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %depth = arith.constant 6 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %i1 = arith.constant 1 : i32
  %cta = titan.cta_id 0
  %ctas = titan.num_ctas 0
  // This CTA's piece of the line of steps; the next CTA's begins where it ends.
  %next = arith.addi %cta, %c1 : index
  %begins = arith.muli %cta, %all : index
  %ends = arith.muli %next, %all : index
  %begin = arith.divui %begins, %ctas : index
  %end = arith.divui %ends, %ctas : index

  %a = titan.shared.alloc : !ring
  %b = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(8) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync

  titan.warp_specialize {
    titan.partition "load" warps(1) registers(40) {
      titan.elect {
        %bytes = arith.constant 32768 : i32
        // The producer needs no tiles: steps are steps.
        scf.for %at = %begin to %end step %c1 {
          %use = arith.subi %at, %begin : index
          %stage = arith.remui %use, %depth : index
          %round = arith.divui %use, %depth : index
          %later = arith.addi %round, %c1 : index
          %odd = arith.remui %later, %c2 : index
          %parity = arith.index_cast %odd : index to i32
          %tile = arith.divui %at, %steps : index
          %step = arith.remui %at, %steps : index
          %tm = arith.divui %tile, %tilesN : index
          %tn = arith.remui %tile, %tilesN : index
          %row = arith.muli %tm, %c128 : index
          %column = arith.muli %tn, %c128 : index
          %k = arith.muli %step, %c64 : index
          titan.mbarrier.wait %empty[%stage : index] parity(%parity) : !bars
          titan.mbarrier.arrive_expect_tx %full[%stage : index], %bytes : !bars
          %slotA = titan.shared.slot %a[%stage : index] : !ring -> !tile
          %slotB = titan.shared.slot %b[%stage : index] : !ring -> !tile
          titan.tma.load %mapA[%row, %k], %slotA, %full[%stage : index] : !map, !tile, !bars
          titan.tma.load %mapB[%column, %k], %slotB, %full[%stage : index] : !map, !tile, !bars
        }
      }
    }

    titan.partition "multiply" warps(8) registers(232) {
      %none = titan.inflight.none : !flight
      %rowIn = titan.coordinate 0 : !where
      %columnIn = titan.coordinate 1 : !where
      %m32 = arith.index_cast %m : index to i32
      %n32 = arith.index_cast %n : index to i32
      %rows = titan.splat %m32 : i32 -> !where
      %columns = titan.splat %n32 : i32 -> !where

      // Tiles of which this CTA has a part.
      %firstTile = arith.divui %begin, %steps : index
      %lastTile = arith.ceildivui %end, %steps : index
      scf.for %tile = %firstTile to %lastTile step %c1 {
        %following = arith.addi %tile, %c1 : index
        %tileBegin = arith.muli %tile, %steps : index
        %tileEnd = arith.muli %following, %steps : index
        %from = arith.maxui %begin, %tileBegin : index
        %to = arith.minui %end, %tileEnd : index
        %sum = scf.for %at = %from to %to step %c1 iter_args(%acc = %none) -> (!flight) {
          %use = arith.subi %at, %begin : index
          %stage = arith.remui %use, %depth : index
          %round = arith.divui %use, %depth : index
          %odd = arith.remui %round, %c2 : index
          %parity = arith.index_cast %odd : index to i32
          titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars
          %slotA = titan.shared.slot %a[%stage : index] : !ring -> !tile
          %slotB = titan.shared.slot %b[%stage : index] : !ring -> !tile
          titan.mma.fence
          %more = arith.cmpi ne, %at, %from : index
          %acc1 = titan.mma %slotA, %slotB, %acc accumulate(%more) : !tile, !tile, !flight -> !flight
          %group = titan.mma.commit : !group
          titan.mma.wait %group : !group
          titan.elect {
            titan.mbarrier.arrive %empty[%stage : index] : !bars
          }
          scf.yield %acc1 : !flight
        }
        %mine = titan.mma.result %sum : !flight -> !sums

        %owner = arith.cmpi eq, %from, %tileBegin : index
        scf.if %owner {
          // Helpers: the CTAs after this one up to that of the tile's last
          // step, c * all / ctas < tileEnd.
          %scaled = arith.muli %tileEnd, %ctas : index
          %upTo = arith.ceildivui %scaled, %all : index
          %more = arith.subi %upTo, %next : index
          %helpers = arith.index_cast %more : index to i32
          // One thread sees the flag; the barrier hands on what it has seen.
          titan.elect warp(0) {
            titan.flag.wait %flags[%tile], %helpers : !flags
          }
          titan.barrier.sync 1 threads(256)
          %total = scf.for %helper = %next to %upTo step %c1 iter_args(%before = %mine) -> (!sums) {
            %helper32 = arith.index_cast %helper : index to i32
            %page = titan.splat %helper32 : i32 -> !where
            %part = titan.global.load %partial[%page, %rowIn, %columnIn] : !pages, !where, !where, !where -> !sums
            %after = arith.addf %before, %part : !sums
            scf.yield %after : !sums
          }
          %tm = arith.divui %tile, %tilesN : index
          %tn = arith.remui %tile, %tilesN : index
          %row = arith.muli %tm, %c128 : index
          %column = arith.muli %tn, %c128 : index
          %row32 = arith.index_cast %row : index to i32
          %column32 = arith.index_cast %column : index to i32
          %row0 = titan.splat %row32 : i32 -> !where
          %column0 = titan.splat %column32 : i32 -> !where
          %i = arith.addi %row0, %rowIn : !where
          %j = arith.addi %column0, %columnIn : !where
          %insideM = arith.cmpi slt, %i, %rows : !where
          %insideN = arith.cmpi slt, %j, %columns : !where
          %inside = arith.andi %insideM, %insideN : !yes
          titan.global.store %total, %D[%i, %j] mask(%inside : !yes) : !sums, !out, !where, !where
        } else {
          %cta32 = arith.index_cast %cta : index to i32
          %page = titan.splat %cta32 : i32 -> !where
          titan.global.store %mine, %partial[%page, %rowIn, %columnIn] : !sums, !pages, !where, !where, !where
          // All 256 threads have stored before one of them says so.
          titan.barrier.sync 1 threads(256)
          titan.elect warp(0) {
            titan.flag.signal %flags[%tile], %i1 : !flags
          }
        }
      }
    }
  }
  titan.return
}
