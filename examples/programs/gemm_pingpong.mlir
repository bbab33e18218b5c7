// D = A * B^T, persistent, and the epilogue of one tile overlaps the products
// of the next: two warpgroups take turns at the tensor cores.
//
// Warpgroup 0 multiplies tiles 0, 2, 4, ... of its CTA, warpgroup 1 tiles
// 1, 3, 5, ...: while one converts and stores, the other multiplies. Slots of
// the ring are numbered from the kernel's start to its end: step s of the
// CTA's i-th tile is use i * steps + s, whoever consumes it. The stage is that
// number modulo the depth, and the parity tells even rounds from odd ones.
//
// A turn is passed on by a named barrier: 128 threads sync, the 128 of the
// other warpgroup arrive and go on.

#acc    = #titan.wgmma<1, 1>

!global = !titan.global<?x?xbf16>
!map    = !titan.tensor_map<128x64xbf16, swizzle = 128>
!ring   = !titan.shared<128x64xbf16, swizzle = 128, slots = 5>
!panels = !titan.shared<128x64xbf16, swizzle = 128, slots = 4>
!tile   = !titan.shared<128x64xbf16, swizzle = 128>
!bars   = !titan.mbarrier<5>
!sums   = tensor<128x128xf32, #acc>
!panel  = tensor<128x64xf32, #acc>
!half   = tensor<128x64xbf16, #acc>
!flight = !titan.inflight<tensor<128x128xf32, #acc>>
!group  = !titan.token<mma>
!bulk   = !titan.token<bulk>

// What both warpgroups do: the sums of a tile, whose steps are uses %base, %base + 1, ...
// of the ring. Functions go where they are called before anything looks.
func.func private @multiply(%a: !ring, %b: !ring, %full: !bars, %empty: !bars, %base: index, %steps: index) -> !sums {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %depth = arith.constant 5 : index
  %none = titan.inflight.none : !flight
  %noGroup = titan.token.none : !group
  %r:2 = scf.for %step = %c0 to %steps step %c1
      iter_args(%sum = %none, %group = %noGroup) -> (!flight, !group) {
    %use = arith.addi %base, %step : index
    %stage = arith.remui %use, %depth : index
    %round = arith.divui %use, %depth : index
    %odd = arith.remui %round, %c2 : index
    %parity = arith.index_cast %odd : index to i32
    titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars
    %slotA = titan.shared.slot %a[%stage : index] : !ring -> !tile
    %slotB = titan.shared.slot %b[%stage : index] : !ring -> !tile
    titan.mma.fence
    %more = arith.cmpi ne, %step, %c0 : index
    %sum1 = titan.mma %slotA, %slotB, %sum accumulate(%more) : !tile, !tile, !flight -> !flight
    %group1 = titan.mma.commit : !group
    // The product before this one is done: its slot is free.
    titan.mma.wait %group : !group
    scf.if %more {
      %previous = arith.subi %use, %c1 : index
      %last = arith.remui %previous, %depth : index
      titan.elect {
        titan.mbarrier.arrive %empty[%last : index] : !bars
      }
    }
    scf.yield %sum1, %group1 : !flight, !group
  }
  %result = titan.mma.result %r#0 : !flight -> !sums
  %uses = arith.addi %base, %steps : index
  %previous = arith.subi %uses, %c1 : index
  %last = arith.remui %previous, %depth : index
  titan.elect {
    titan.mbarrier.arrive %empty[%last : index] : !bars
  }
  return %result : !sums
}

// A tile as two panels of 64 columns.
func.func private @panels(%sums: !sums, %d0: !tile, %d1: !tile) {
  %p0 = titan.extract %sums [0, 0] : !sums -> !panel
  %p1 = titan.extract %sums [0, 64] : !sums -> !panel
  %q0 = arith.truncf %p0 : !panel to !half
  %q1 = arith.truncf %p1 : !panel to !half
  titan.shared.store %q0, %d0 matrix : !half, !tile
  titan.shared.store %q1, %d1 matrix : !half, !tile
  return
}

titan.kernel @gemm_pingpong(%A: !global, %B: !global, %D: !global) warps(12) registers(168)
    attributes {titan.target = "sm_90a"} launch {
  %c128 = arith.constant 128 : index
  %c64 = arith.constant 64 : index
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
  %tilesN = arith.ceildivui %n, %c128 : index
  %steps = arith.ceildivui %k, %c64 : index
  %tiles = arith.muli %tilesM, %tilesN : index
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %tiles, %sms : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapB = titan.tensor_map %B : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapB, %mapD, %tilesN, %tiles, %steps : !map, !map, !map, index, index, index)
} body(%mapA: !map, %mapB: !map, %mapD: !map, %tilesN: index, %tiles: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %depth = arith.constant 5 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0
  %second = arith.addi %first, %ctas : index
  %stride = arith.muli %ctas, %c2 : index

  %a = titan.shared.alloc : !ring
  %b = titan.shared.alloc : !ring
  %d = titan.shared.alloc : !panels
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(4) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync

  titan.warp_specialize {
    titan.partition "load" warps(1) registers(40) {
      titan.elect {
        %bytes = arith.constant 32768 : i32
        %uses = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (index) {
          %tm = arith.divui %tile, %tilesN : index
          %tn = arith.remui %tile, %tilesN : index
          %m = arith.muli %tm, %c128 : index
          %n = arith.muli %tn, %c128 : index
          scf.for %step = %c0 to %steps step %c1 {
            %use = arith.addi %base, %step : index
            %stage = arith.remui %use, %depth : index
            %round = arith.divui %use, %depth : index
            %next = arith.addi %round, %c1 : index
            %odd = arith.remui %next, %c2 : index
            %parity = arith.index_cast %odd : index to i32
            %k = arith.muli %step, %c64 : index
            titan.mbarrier.wait %empty[%stage : index] parity(%parity) : !bars
            titan.mbarrier.arrive_expect_tx %full[%stage : index], %bytes : !bars
            %slotA = titan.shared.slot %a[%stage : index] : !ring -> !tile
            %slotB = titan.shared.slot %b[%stage : index] : !ring -> !tile
            titan.tma.load %mapA[%m, %k], %slotA, %full[%stage : index] : !map, !tile, !bars
            titan.tma.load %mapB[%n, %k], %slotB, %full[%stage : index] : !map, !tile, !bars
          }
          %after = arith.addi %base, %steps : index
          scf.yield %after : index
        }
      }
    }

    titan.partition "even" warps(4) registers(232) {
      %noBulk = titan.token.none : !bulk
      %end:2 = scf.for %tile = %first to %tiles step %stride
          iter_args(%i = %c0, %stores = %noBulk) -> (index, !bulk) {
        %tm = arith.divui %tile, %tilesN : index
        %tn = arith.remui %tile, %tilesN : index
        %m = arith.muli %tm, %c128 : index
        %n = arith.muli %tn, %c128 : index
        %base = arith.muli %i, %steps : index

        // Its turn at the tensor cores; the first one is free.
        %notFirst = arith.cmpi ne, %tile, %first : index
        scf.if %notFirst {
          titan.barrier.sync 2 threads(256)
        }
        %result = func.call @multiply(%a, %b, %full, %empty, %base, %steps)
            : (!ring, !ring, !bars, !bars, index, index) -> !sums
        // The other warpgroup's turn, if it has a tile left.
        %following = arith.addi %tile, %ctas : index
        %another = arith.cmpi ult, %following, %tiles : index
        scf.if %another {
          titan.barrier.arrive 3 threads(256)
        }

        // The epilogue: two panels of 64 columns. The last tile's stores must
        // have read the panels before they are written again.
        titan.elect warp(0) {
          titan.bulk.wait %stores read : !bulk
        }
        titan.barrier.sync 4 threads(128)
        %d0 = titan.shared.slot %d[%c0 : index] : !panels -> !tile
        %d1 = titan.shared.slot %d[%c1 : index] : !panels -> !tile
        func.call @panels(%result, %d0, %d1) : (!sums, !tile, !tile) -> ()
        titan.fence.proxy_async shared_cta
        titan.barrier.sync 4 threads(128)
        %n1 = arith.addi %n, %c64 : index
        %stores1 = titan.elect warp(0) -> !bulk {
          titan.tma.store %d0, %mapD[%m, %n] : !tile, !map
          titan.tma.store %d1, %mapD[%m, %n1] : !tile, !map
          %g = titan.bulk.commit : !bulk
          titan.yield %g : !bulk
        }
        %i2 = arith.addi %i, %c2 : index
        scf.yield %i2, %stores1 : index, !bulk
      }
      titan.elect warp(0) {
        titan.bulk.wait %end#1 read : !bulk
      }
    }

    titan.partition "odd" warps(4) registers(232) {
      %noBulk = titan.token.none : !bulk
      %end:2 = scf.for %tile = %second to %tiles step %stride
          iter_args(%i = %c1, %stores = %noBulk) -> (index, !bulk) {
        %tm = arith.divui %tile, %tilesN : index
        %tn = arith.remui %tile, %tilesN : index
        %m = arith.muli %tm, %c128 : index
        %n = arith.muli %tn, %c128 : index
        %base = arith.muli %i, %steps : index

        titan.barrier.sync 3 threads(256)
        %result = func.call @multiply(%a, %b, %full, %empty, %base, %steps)
            : (!ring, !ring, !bars, !bars, index, index) -> !sums
        %following = arith.addi %tile, %ctas : index
        %another = arith.cmpi ult, %following, %tiles : index
        scf.if %another {
          titan.barrier.arrive 2 threads(256)
        }

        titan.elect warp(0) {
          titan.bulk.wait %stores read : !bulk
        }
        titan.barrier.sync 5 threads(128)
        %d2 = titan.shared.slot %d[%c2 : index] : !panels -> !tile
        %d3 = titan.shared.slot %d[%c3 : index] : !panels -> !tile
        func.call @panels(%result, %d2, %d3) : (!sums, !tile, !tile) -> ()
        titan.fence.proxy_async shared_cta
        titan.barrier.sync 5 threads(128)
        %n1 = arith.addi %n, %c64 : index
        %stores1 = titan.elect warp(0) -> !bulk {
          titan.tma.store %d2, %mapD[%m, %n] : !tile, !map
          titan.tma.store %d3, %mapD[%m, %n1] : !tile, !map
          %g = titan.bulk.commit : !bulk
          titan.yield %g : !bulk
        }
        %i2 = arith.addi %i, %c2 : index
        scf.yield %i2, %stores1 : index, !bulk
      }
      titan.elect warp(0) {
        titan.bulk.wait %end#1 read : !bulk
      }
    }
  }
  titan.return
}
