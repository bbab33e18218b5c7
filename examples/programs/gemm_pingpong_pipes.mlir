// examples/programs/gemm_pingpong.mlir by pipes: D = A * B^T, persistent, and the
// epilogue of one tile overlaps the products of the next.
//
// Three kinds of pipe say all of its synchronisation:
//
//   %ab        slots of A and B. Each is one warpgroup's (exclusive): a warpgroup skips
//              the slots of the other's tile.
//   %turn...   turns at the tensor cores. The first one is there from the beginning.
//   %out...    panels that a warpgroup fills and stores: free again when its bulk stores
//              have read them.

#acc    = #titan.wgmma<1, 1>

!global = !titan.global<?x?xbf16>
!map    = !titan.tensor_map<128x64xbf16, swizzle = 128>
!ring   = !titan.shared<128x64xbf16, swizzle = 128, slots = 5>
!panels = !titan.shared<128x64xbf16, swizzle = 128, slots = 2>
!tile   = !titan.shared<128x64xbf16, swizzle = 128>
!pipe   = !titan.pipe<5>
!turn   = !titan.pipe<1>
!out    = !titan.pipe<2>
!slot   = !titan.slot
!sums   = tensor<128x128xf32, #acc>
!panel  = tensor<128x64xf32, #acc>
!half   = tensor<128x64xbf16, #acc>
!flight = !titan.inflight<tensor<128x128xf32, #acc>>
!group  = !titan.token<mma>

titan.kernel @gemm_pingpong_pipes(%A: !global, %B: !global, %D: !global) warps(12) registers(168)
    attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 264, N = 264, K = 200}, multiprocessor_count = 2, A = "MxK ints:1", B = "NxK ints:2",
    D = "MxN"}} launch {
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
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0
  %second = arith.addi %first, %ctas : index
  %stride = arith.muli %ctas, %c2 : index

  %a = titan.shared.alloc : !ring
  %b = titan.shared.alloc : !ring
  %dEven = titan.shared.alloc : !panels
  %dOdd = titan.shared.alloc : !panels
  %ab = titan.pipe.create "load" -> ["even", "odd"] buffers ["a", "b"](%a, %b : !ring, !ring) exclusive : !pipe
  %turnEven = titan.pipe.create "odd" -> ["even"] credit(1) : !turn
  %turnOdd = titan.pipe.create "even" -> ["odd"] : !turn
  %outEven = titan.pipe.create "even" -> ["even"] buffers ["d"](%dEven : !panels) fill(arrive) release(bulk_read) : !out
  %outOdd = titan.pipe.create "odd" -> ["odd"] buffers ["d"](%dOdd : !panels) fill(arrive) release(bulk_read) : !out

  titan.warp_specialize {
    titan.partition "load" warps(1) registers(40) {
      titan.elect {
        scf.for %tile = %first to %tiles step %ctas {
          %tm = arith.divui %tile, %tilesN : index
          %tn = arith.remui %tile, %tilesN : index
          %m = arith.muli %tm, %c128 : index
          %n = arith.muli %tn, %c128 : index
          scf.for %step = %c0 to %steps step %c1 {
            %k = arith.muli %step, %c64 : index
            %slot = titan.pipe.acquire %ab : !pipe
            titan.pipe.load %mapA[%m, %k] -> %slot["a"] : !map
            titan.pipe.load %mapB[%n, %k] -> %slot["b"] : !map
            titan.pipe.commit %slot
          }
        }
      }
    }

    titan.partition "even" warps(4) registers(232) {
      %none = titan.inflight.none : !flight
      %noSlot = titan.token.none : !slot
      %noGroup = titan.token.none : !group
      scf.for %tile = %first to %tiles step %stride {
        %tm = arith.divui %tile, %tilesN : index
        %tn = arith.remui %tile, %tilesN : index
        %m = arith.muli %tm, %c128 : index
        %n = arith.muli %tn, %c128 : index

        %mine = titan.pipe.wait %turnEven : !turn
        %r:3 = scf.for %step = %c0 to %steps step %c1
            iter_args(%sum = %none, %group = %noGroup, %last = %noSlot) -> (!flight, !group, !slot) {
          %slot = titan.pipe.wait %ab : !pipe
          %slotA = titan.pipe.buffer %slot["a"] : !tile
          %slotB = titan.pipe.buffer %slot["b"] : !tile
          titan.mma.fence
          %more = arith.cmpi ne, %step, %c0 : index
          %sum1 = titan.mma %slotA, %slotB, %sum accumulate(%more) : !tile, !tile, !flight -> !flight
          %group1 = titan.mma.commit : !group
          // The product before this one is done: its slot is free.
          titan.mma.wait %group : !group
          titan.pipe.release %last
          scf.yield %sum1, %group1, %slot : !flight, !group, !slot
        }
        %result = titan.mma.result %r#0 : !flight -> !sums
        titan.pipe.release %r#2
        titan.pipe.signal %turnOdd : !turn
        titan.pipe.skip %ab, %steps : !pipe

        // The epilogue: two panels of 64 columns.
        scf.for %p = %c0 to %c2 step %c1 {
          %panel = titan.panel %result[%p] : !sums -> !panel
          %half = arith.truncf %panel : !panel to !half
          %slot = titan.pipe.acquire %outEven : !out
          %buffer = titan.pipe.buffer %slot["d"] : !tile
          titan.shared.store %half, %buffer matrix : !half, !tile
          titan.pipe.commit %slot
          titan.elect warp(0) {
            %at = arith.muli %p, %c64 : index
            %column = arith.addi %n, %at : index
            titan.tma.store %buffer, %mapD[%m, %column] : !tile, !map
            titan.pipe.release %slot
          }
        } {titan.unroll}
      }
    }

    titan.partition "odd" warps(4) registers(232) {
      %none = titan.inflight.none : !flight
      %noSlot = titan.token.none : !slot
      %noGroup = titan.token.none : !group
      // The first tile is the other one's.
      titan.pipe.skip %ab, %steps : !pipe
      scf.for %tile = %second to %tiles step %stride {
        %tm = arith.divui %tile, %tilesN : index
        %tn = arith.remui %tile, %tilesN : index
        %m = arith.muli %tm, %c128 : index
        %n = arith.muli %tn, %c128 : index

        %mine = titan.pipe.wait %turnOdd : !turn
        %r:3 = scf.for %step = %c0 to %steps step %c1
            iter_args(%sum = %none, %group = %noGroup, %last = %noSlot) -> (!flight, !group, !slot) {
          %slot = titan.pipe.wait %ab : !pipe
          %slotA = titan.pipe.buffer %slot["a"] : !tile
          %slotB = titan.pipe.buffer %slot["b"] : !tile
          titan.mma.fence
          %more = arith.cmpi ne, %step, %c0 : index
          %sum1 = titan.mma %slotA, %slotB, %sum accumulate(%more) : !tile, !tile, !flight -> !flight
          %group1 = titan.mma.commit : !group
          // The product before this one is done: its slot is free.
          titan.mma.wait %group : !group
          titan.pipe.release %last
          scf.yield %sum1, %group1, %slot : !flight, !group, !slot
        }
        %result = titan.mma.result %r#0 : !flight -> !sums
        titan.pipe.release %r#2
        titan.pipe.signal %turnEven : !turn
        titan.pipe.skip %ab, %steps : !pipe

        // The epilogue: two panels of 64 columns.
        scf.for %p = %c0 to %c2 step %c1 {
          %panel = titan.panel %result[%p] : !sums -> !panel
          %half = arith.truncf %panel : !panel to !half
          %slot = titan.pipe.acquire %outOdd : !out
          %buffer = titan.pipe.buffer %slot["d"] : !tile
          titan.shared.store %half, %buffer matrix : !half, !tile
          titan.pipe.commit %slot
          titan.elect warp(0) {
            %at = arith.muli %p, %c64 : index
            %column = arith.addi %n, %at : index
            titan.tma.store %buffer, %mapD[%m, %column] : !tile, !map
            titan.pipe.release %slot
          }
        } {titan.unroll}
      }
    }
  }
  titan.return
}
