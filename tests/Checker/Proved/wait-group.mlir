// IDIOM: groups left pending
//
// Two buffers that leave by TMA stores, the last group left pending: `wait_group 1` says that the one before it, which
// used the buffer that comes next, has read it.
//
// RUN: titan check %s --require=searched | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @bare: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @pipe: accepted
// CHECK: {{^}}  proved, for every size
//
// Two groups left pending are one too many for two buffers.
// VARIANT two_pending: in group `1` -> `2`
// RUN: %variant two_pending %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=TWO-PENDING
// TWO-PENDING: [group-wait-count]
// One lane stores what the others may not have written yet.
// VARIANT no_lanes: drop lanes
// RUN: %variant no_lanes %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=NO-LANES
// NO-LANES: [race]
// Nobody waits before a buffer is written again.
// VARIANT not_read: drop pgroup
// RUN: %variant not_read %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=NOT-READ
// NOT-READ: [completion-not-observed]

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
  scf.for %i = %c0 to %n step %c1 {
    %row = arith.muli %i, %c8 : index
    %half = arith.remui %i, %c2 : index
    %out = titan.shared.slot %tiles[%half : index] : !ring -> !tile
    %x = func.call @number(%i) : (index) -> !regs
    titan.elect warp(0) {
      titan.bulk.wait_group 1 read // @group
    }
    titan.syncwarp
    titan.shared.store %x, %out : !regs, !tile
    titan.fence.proxy_async shared_cta
    titan.syncwarp // @lanes
    titan.elect warp(0) {
      titan.tma.store %out, %mapY[%row, %c0] : !tile, !map
      %g = titan.bulk.commit : !bulk
    }
  }
  titan.elect warp(0) {
    titan.bulk.wait_group 0 read
  }
  titan.return
}

// What comes through a pipe leaves so.
titan.kernel @pipe(%X: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64"},
  titan.reference = @same} launch {
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
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%tiles : !ring) : !pipe
  %outs = titan.shared.alloc : !ring
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %row = arith.muli %i, %c8 : index
        %slot = titan.pipe.acquire %pipe : !pipe
        titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map
        titan.pipe.commit %slot
      }
    }
    titan.partition "use" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %slot = titan.pipe.wait %pipe : !pipe
        %in = titan.pipe.buffer %slot["x"] : !tile
        %x = titan.shared.load %in : !tile -> !regs
        titan.pipe.release %slot
        %row = arith.muli %i, %c8 : index
        %half = arith.remui %i, %c2 : index
        %out = titan.shared.slot %outs[%half : index] : !ring -> !tile
        titan.elect warp(0) {
          titan.bulk.wait_group 1 read // @pgroup
        }
        titan.syncwarp
        titan.shared.store %x, %out : !regs, !tile
        titan.fence.proxy_async shared_cta
        titan.syncwarp 
        titan.elect warp(0) {
          titan.tma.store %out, %mapY[%row, %c0] : !tile, !map
          %g = titan.bulk.commit : !bulk
        }
      }
      titan.elect warp(0) {
        titan.bulk.wait_group 0 read
      }
    }
  }
  titan.return
}

func.func private @same(%X: memref<?x64xbf16> {titan.input = "X"}, %Y: memref<?x64xf32> {titan.expected = "Y"}) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%X : memref<?x64xbf16>) outs(%Y : memref<?x64xf32>) {
  ^bb0(%x: bf16, %y: f32):
    %wide = arith.extf %x : bf16 to f32
    linalg.yield %wide : f32
  }
  return
}
