// D = A * B^T on CDNA3: four waves, loads to LDS, counters, s_barrier, mfma.
//
// Every wave does everything: it loads its share of the next step's tiles to
// LDS, waits for its share of this step's, meets the others at a barrier,
// reads its operands and multiplies. Waves are 64 lanes wide; they stand in a
// grid of 2 x 2, 64 x 64 of D each.
//
// A wave can wait for its own accesses alone, and a barrier waits for none. So
// what one wave must know of another's takes two steps: each waits for its own
// (a token of vmcnt; lgkmcnt), then all meet. This holds in both directions:
//
//   tiles arrive:     loads to LDS, wait for them, barrier, reads
//   slot is reused:   reads, wait for them, barrier, loads to LDS

#a      = #titan.mfma_a<32, 8, 2, 2>
#b      = #titan.mfma_b<32, 8, 2, 2>
#acc    = #titan.mfma<32, 2, 2>

!global = !titan.global<?x?xf16>
!out    = !titan.global<?x?xf32>
!ring   = !titan.shared<128x32xf16, slots = 2>
!tile   = !titan.shared<128x32xf16>
!regsA  = tensor<128x32xf16, #a>
!regsB  = tensor<128x32xf16, #b>
!comingA = !titan.inflight<tensor<128x32xf16, #a>>
!comingB = !titan.inflight<tensor<128x32xf16, #b>>
!sums   = tensor<128x128xf32, #acc>
!where  = tensor<128x128xi32, #acc>
!yes    = tensor<128x128xi1, #acc>
!loads  = !titan.token<counter>

titan.kernel @gemm_gfx942(%A: !global, %B: !global, %D: !out) warps(4)
    attributes {titan.target = "gfx942"} launch {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
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
  %few_rows = arith.cmpi ule, %m, %most : index
  titan.require %few_rows, "launch-check", "at most 2^30 rows: their numbers have 32 bits"
  %few_columns = arith.cmpi ule, %n, %most : index
  titan.require %few_columns, "launch-check", "at most 2^30 columns: their numbers have 32 bits"
  %tilesM = arith.ceildivui %m, %c128 : index
  %tilesN = arith.ceildivui %n, %c128 : index
  %steps = arith.divui %k, %c32 : index
  %rest = arith.remui %k, %c32 : index
  %whole = arith.cmpi eq, %rest, %c0 : index
  titan.require %whole, "launch-check", "K is a multiple of 32: a load does not stop at the end of a row"
  %some = arith.cmpi uge, %k, %c1 : index
  titan.require %some, "launch-zero-dim", "K is 0"
  titan.launch grid(%tilesN, %tilesM) with(%steps, %m, %n : index, index, index)
} body(%steps: index, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %tm = titan.cta_id 1
  %tn = titan.cta_id 0
  %row = arith.muli %tm, %c128 : index
  %column = arith.muli %tn, %c128 : index
  %last = arith.subi %steps, %c1 : index

  %ldsA = titan.shared.alloc : !ring
  %ldsB = titan.shared.alloc : !ring

  %a0 = titan.shared.slot %ldsA[%c0 : index] : !ring -> !tile
  %b0 = titan.shared.slot %ldsB[%c0 : index] : !ring -> !tile
  %loadA = titan.buffer_load_lds %A[%row, %c0], %a0 : !global, !tile -> !loads
  %loadB = titan.buffer_load_lds %B[%column, %c0], %b0 : !global, !tile -> !loads
  %zero = arith.constant 0.0 : f32
  %zeros = titan.splat %zero : f32 -> !sums

  %r:2 = scf.for %step = %c0 to %steps step %c1
      iter_args(%sum = %zeros, %load = %loadB) -> (!sums, !loads) {
    // The next step's tiles, into the slot that was read a step ago; the last
    // step loads itself again, so that each step has as many loads.
    %next = arith.addi %step, %c1 : index
    %ahead = arith.minui %next, %last : index
    %kAhead = arith.muli %ahead, %c32 : index
    %other = arith.remui %next, %c2 : index
    %toA = titan.shared.slot %ldsA[%other : index] : !ring -> !tile
    %toB = titan.shared.slot %ldsB[%other : index] : !ring -> !tile
    %nextA = titan.buffer_load_lds %A[%row, %kAhead], %toA : !global, !tile -> !loads
    %nextB = titan.buffer_load_lds %B[%column, %kAhead], %toB : !global, !tile -> !loads

    // This step's tiles: the loads just issued stay under way.
    titan.counter.wait %load : !loads
    titan.s_barrier
    %this = arith.remui %step, %c2 : index
    %fromA = titan.shared.slot %ldsA[%this : index] : !ring -> !tile
    %fromB = titan.shared.slot %ldsB[%this : index] : !ring -> !tile
    %comingA = titan.ds_read %fromA : !tile -> !comingA
    %comingB = titan.ds_read %fromB : !tile -> !comingB
    %a, %b = titan.s_waitcnt lgkmcnt(0) arrive(%comingA, %comingB : !comingA, !comingB -> !regsA, !regsB)
    // All waves have read this slot: the next step loads into it.
    titan.s_barrier
    %sum1 = titan.mfma %a, %b, %sum : !regsA, !regsB, !sums -> !sums
    scf.yield %sum1, %nextB : !sums, !loads
  }
  titan.s_waitcnt vmcnt(0)

  %rowIn = titan.coordinate 0 : !where
  %columnIn = titan.coordinate 1 : !where
  %row32 = arith.index_cast %row : index to i32
  %column32 = arith.index_cast %column : index to i32
  %m32 = arith.index_cast %m : index to i32
  %n32 = arith.index_cast %n : index to i32
  %row0 = titan.splat %row32 : i32 -> !where
  %column0 = titan.splat %column32 : i32 -> !where
  %rows = titan.splat %m32 : i32 -> !where
  %columns = titan.splat %n32 : i32 -> !where
  %i = arith.addi %row0, %rowIn : !where
  %j = arith.addi %column0, %columnIn : !where
  %insideM = arith.cmpi slt, %i, %rows : !where
  %insideN = arith.cmpi slt, %j, %columns : !where
  %inside = arith.andi %insideM, %insideN : !yes
  titan.global.store %r#0, %D[%i, %j] mask(%inside : !yes) : !sums, !out, !where, !where
  titan.return
}
