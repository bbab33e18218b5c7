// IDIOM: epilogue rings by bulk groups
//
// An epilogue's ring: tiles are written by threads and leave by TMA stores; a buffer is free when the group of its last
// store has read it. Bare: each buffer's token goes around the loop. By a pipe: its release waits for the group.
//
// RUN: titan check %s --require=searched | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @bare: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @pipe: accepted
// CHECK: {{^}}  proved, for every size
//
// No wait before a buffer is written again.
// VARIANT no_wait: drop older
// RUN: %variant no_wait %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=NO-WAIT
// NO-WAIT: [completion-not-observed]
// Slots are kept.
// VARIANT kept: drop gone
// RUN: %variant kept %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: [pipe-release]

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!ring = !titan.shared<8x64xbf16, swizzle = 128, slots = 2>
!pipe = !titan.pipe<2>
!regs = tensor<8x64xbf16, #rows>
!bulk = !titan.token<bulk>

// A tile that holds a number everywhere.
func.func private @number(%i: index) -> !regs {
  %i32 = arith.index_cast %i : index to i32
  %value = arith.sitofp %i32 : i32 to bf16
  %x = titan.splat %value : bf16 -> !regs
  return %x : !regs
}

titan.kernel @bare(%X: !global, %Y: !global) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64"}} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %rowsY = titan.dim %Y, 0 : !global
  %same = arith.cmpi eq, %rows, %rowsY : index
  titan.require %same, "launch-check", "Y has a row for each row of X"
  %mapY = titan.tensor_map %Y : !global -> !map
  titan.launch grid(%one) with(%map, %mapY, %n : !map, !map, index)
} body(%map: !map, %mapY: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %tiles = titan.shared.alloc : !ring
  %none = titan.token.none : !bulk
  %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%older = %none, %newer = %none) -> (!bulk, !bulk) {
    %row = arith.muli %i, %c8 : index
    %half = arith.remui %i, %c2 : index
    %out = titan.shared.slot %tiles[%half : index] : !ring -> !tile
    titan.elect warp(0) {
      titan.bulk.wait %older read : !bulk // @older
    }
    titan.syncwarp
    %x = func.call @number(%i) : (index) -> !regs
    titan.shared.store %x, %out : !regs, !tile
    titan.fence.proxy_async shared_cta
    titan.syncwarp
    %stored = titan.elect warp(0) -> !bulk {
      titan.tma.store %out, %mapY[%row, %c0] : !tile, !map
      %group = titan.bulk.commit : !bulk
      titan.yield %group : !bulk
    }
    scf.yield %newer, %stored : !bulk, !bulk
  }
  titan.elect warp(0) {
    titan.bulk.wait %last#1 read : !bulk
  }
  titan.return
}

titan.kernel @pipe(%X: !global, %Y: !global) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64"}} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %rowsY = titan.dim %Y, 0 : !global
  %same = arith.cmpi eq, %rows, %rowsY : index
  titan.require %same, "launch-check", "Y has a row for each row of X"
  %mapY = titan.tensor_map %Y : !global -> !map
  titan.launch grid(%one) with(%map, %mapY, %n : !map, !map, index)
} body(%map: !map, %mapY: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %tiles = titan.shared.alloc : !ring
  %outs = titan.pipe.create "work" -> ["work"] buffers ["d"](%tiles : !ring) fill(arrive) release(bulk_read) : !pipe
  titan.warp_specialize {
    titan.partition "work" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %row = arith.muli %i, %c8 : index
        %x = func.call @number(%i) : (index) -> !regs
        %slot = titan.pipe.acquire %outs : !pipe
        %out = titan.pipe.buffer %slot["d"] : !tile
        titan.shared.store %x, %out : !regs, !tile
        titan.pipe.commit %slot
        titan.elect warp(0) {
          titan.tma.store %out, %mapY[%row, %c0] : !tile, !map
          titan.pipe.release %slot // @gone
        }
      }
    }
  }
  titan.return
}
