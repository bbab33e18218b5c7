// Two buffers over the same bytes (titan.shared.reuse): who fills one waits for who has used the other, or is refused.
//
// RUN: titan check %s
// RUN: titan run %s --kernel once --shape A=64x200 --arg A=ints:1 --shape B=64x200 --arg B=ints:2 --shape D=64x64 --schedule eager --out D=%t.1.npy
// RUN: titan run %s --kernel held --shape A=64x200 --arg A=ints:1 --shape B=64x200 --arg B=ints:2 --shape D=64x64 --schedule random:7 --out D=%t.2.npy
// RUN: cmp %t.1.npy %t.2.npy
// RUN: titan run %s --kernel held --shape A=320x200 --arg A=ints:1 --shape B=192x200 --arg B=ints:2 --shape D=320x192 --schedule random:3 --sms 2
// RUN: titan compile %s --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=PTX
// PTX-LABEL: .entry once
// PTX-LABEL: .entry held
//
// The tile goes back to the loads before its memory has been used for D.
// VARIANT early: drop release
// VARIANT early: before stage add titan.pipe.release %r#2
// RUN: %variant early %s | not titan check - --kernel held 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: [race]
// Before the stores have read it.
// VARIANT unread: drop read
// RUN: %variant unread %s | not titan check - --kernel held 2>&1 | FileCheck %s --check-prefix=UNREAD
// UNREAD: error: [completion-not-observed]
// Ordinary stores, and nothing tells the bulk stores.
// VARIANT no_fence: drop fence
// RUN: %variant no_fence %s | not titan check - --kernel held 2>&1 | FileCheck %s --check-prefix=FENCE
// FENCE: error: [proxy-fence-missing]

#acc = #titan.wgmma<1, 1>
!global = !titan.global<?x?xbf16>
!globalF = !titan.global<?x?xf32>
!map = !titan.tensor_map<64x64xbf16, swizzle = 128>
!mapF = !titan.tensor_map<64x32xf32, swizzle = 128>
!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
!tile = !titan.shared<64x64xbf16, swizzle = 128>
!ringF = !titan.shared<64x32xf32, swizzle = 128, slots = 2>
!tileF = !titan.shared<64x32xf32, swizzle = 128>
!sums = tensor<64x64xf32, #acc>
!panel = tensor<64x32xf32, #acc>
!flight = !titan.inflight<tensor<64x64xf32, #acc>>
!group = !titan.token<mma>
!bulk = !titan.token<bulk>
!pipe = !titan.pipe<2>

// One tile a CTA: when its products are done, no load comes any more, and both slots of A are D's.
titan.kernel @once(%A: !global, %B: !global, %D: !globalF) warps(5) launch {
  %c64 = arith.constant 64 : index
  %m = titan.dim %A, 0 : !global
  %n = titan.dim %B, 0 : !global
  %k = titan.dim %A, 1 : !global
  %kB = titan.dim %B, 1 : !global
  %same = arith.cmpi eq, %k, %kB : index
  titan.require %same, "launch-check", "A and B have the same number of columns"
  %tilesM = arith.ceildivui %m, %c64 : index
  %tilesN = arith.ceildivui %n, %c64 : index
  %tiles = arith.muli %tilesM, %tilesN : index
  %steps = arith.ceildivui %k, %c64 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapB = titan.tensor_map %B : !global -> !map
  %mapD = titan.tensor_map %D : !globalF -> !mapF
  titan.launch grid(%tiles) with(%mapA, %mapB, %mapD, %tilesN, %steps : !map, !map, !mapF, index, index)
} body(%mapA: !map, %mapB: !map, %mapD: !mapF, %tilesN: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %a = titan.shared.alloc : !ring
  %b = titan.shared.alloc : !ring
  %d = titan.shared.reuse %a : !ring -> !ringF
  %ab = titan.pipe.create "load" -> ["multiply"] buffers ["a", "b"](%a, %b : !ring, !ring) : !pipe
  %out = titan.pipe.create "multiply" -> ["multiply"] buffers ["d"](%d : !ringF) fill(arrive) release(bulk_read) : !pipe
  %cta = titan.cta_id 0
  %tm = arith.divui %cta, %tilesN : index
  %tn = arith.remui %cta, %tilesN : index
  %m = arith.muli %tm, %c64 : index
  %n = arith.muli %tn, %c64 : index
  titan.warp_specialize {
    titan.partition "multiply" warps(4) {
      %none = titan.inflight.none : !flight
      %sum = scf.for %step = %c0 to %steps step %c1 iter_args(%acc = %none) -> (!flight) {
        %slot = titan.pipe.wait %ab : !pipe
        %slotA = titan.pipe.buffer %slot["a"] : !tile
        %slotB = titan.pipe.buffer %slot["b"] : !tile
        titan.mma.fence
        %more = arith.cmpi ne, %step, %c0 : index
        %acc1 = titan.mma %slotA, %slotB, %acc accumulate(%more) : !tile, !tile, !flight -> !flight
        %group = titan.mma.commit : !group
        titan.mma.wait %group : !group
        titan.pipe.release %slot
        scf.yield %acc1 : !flight
      }
      %result = titan.mma.result %sum : !flight -> !sums
      scf.for %p = %c0 to %c2 step %c1 {
        %panel = titan.panel %result[%p] : !sums -> !panel
        %slot = titan.pipe.acquire %out : !pipe
        %buffer = titan.pipe.buffer %slot["d"] : !tileF
        titan.shared.store %panel, %buffer : !panel, !tileF
        titan.pipe.commit %slot
        titan.elect warp(0) {
          %offset = arith.muli %p, %c32 : index
          %column = arith.addi %n, %offset : index
          titan.tma.store %buffer, %mapD[%m, %column] : !tileF, !mapF
          titan.pipe.release %slot
        }
      } {titan.unroll}
    }
    titan.partition "load" warps(1) {
      titan.elect {
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
  titan.return
}

// Tile after tile: the loads go on meanwhile, so D takes the memory of the last slot, which is held until its
// stores have read.
titan.kernel @held(%A: !global, %B: !global, %D: !globalF) warps(5) launch {
  %c64 = arith.constant 64 : index
  %m = titan.dim %A, 0 : !global
  %n = titan.dim %B, 0 : !global
  %k = titan.dim %A, 1 : !global
  %kB = titan.dim %B, 1 : !global
  %same = arith.cmpi eq, %k, %kB : index
  titan.require %same, "launch-check", "A and B have the same number of columns"
  %c0 = arith.constant 0 : index
  %some = arith.cmpi ugt, %k, %c0 : index
  titan.require %some, "launch-check", "A has columns"
  %tilesM = arith.ceildivui %m, %c64 : index
  %tilesN = arith.ceildivui %n, %c64 : index
  %tiles = arith.muli %tilesM, %tilesN : index
  %steps = arith.ceildivui %k, %c64 : index
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %tiles, %sms : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapB = titan.tensor_map %B : !global -> !map
  %mapD = titan.tensor_map %D : !globalF -> !mapF
  titan.launch grid(%grid) with(%mapA, %mapB, %mapD, %tilesN, %tiles, %steps : !map, !map, !mapF, index, index, index)
} body(%mapA: !map, %mapB: !map, %mapD: !mapF, %tilesN: index, %tiles: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %a = titan.shared.alloc : !ring
  %b = titan.shared.alloc : !ring
  %ab = titan.pipe.create "load" -> ["multiply"] buffers ["a", "b"](%a, %b : !ring, !ring) : !pipe
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0
  titan.warp_specialize {
    titan.partition "multiply" warps(4) {
      %none = titan.inflight.none : !flight
      scf.for %t = %first to %tiles step %ctas {
        %tm = arith.divui %t, %tilesN : index
        %tn = arith.remui %t, %tilesN : index
        %m = arith.muli %tm, %c64 : index
        %n = arith.muli %tn, %c64 : index
        %noGroup = titan.token.none : !group
        %noSlot = titan.token.none : !titan.slot
        %r:3 = scf.for %step = %c0 to %steps step %c1
            iter_args(%sum = %none, %group = %noGroup, %last = %noSlot) -> (!flight, !group, !titan.slot) {
          %slot = titan.pipe.wait %ab : !pipe
          %slotA = titan.pipe.buffer %slot["a"] : !tile
          %slotB = titan.pipe.buffer %slot["b"] : !tile
          titan.mma.fence
          %more = arith.cmpi ne, %step, %c0 : index
          %sum1 = titan.mma %slotA, %slotB, %sum accumulate(%more) : !tile, !tile, !flight -> !flight
          %group1 = titan.mma.commit : !group
          titan.mma.wait %group : !group
          titan.pipe.release %last
          scf.yield %sum1, %group1, %slot : !flight, !group, !titan.slot
        }
        %result = titan.mma.result %r#0 : !flight -> !sums
        %slotA = titan.pipe.buffer %r#2["a"] : !tile // @stage
        %d = titan.shared.reuse %slotA : !tile -> !tileF
        scf.for %p = %c0 to %c64 step %c32 {
          %q = arith.divui %p, %c32 : index
          %panel = titan.panel %result[%q] : !sums -> !panel
          titan.shared.store %panel, %d : !panel, !tileF
          titan.fence.proxy_async shared_cta // @fence
          titan.barrier.sync 1 threads(128)
          titan.elect warp(0) {
            %column = arith.addi %n, %p : index
            titan.tma.store %d, %mapD[%m, %column] : !tileF, !mapF
            %group = titan.bulk.commit : !bulk
            titan.bulk.wait %group read : !bulk // @read
          }
          titan.barrier.sync 1 threads(128)
        } {titan.unroll}
        titan.pipe.release %r#2 // @release
      }
    }
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %t = %first to %tiles step %ctas {
          %tm = arith.divui %t, %tilesN : index
          %tn = arith.remui %t, %tilesN : index
          %m = arith.muli %tm, %c64 : index
          %n = arith.muli %tn, %c64 : index
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
  }
  titan.return
}
