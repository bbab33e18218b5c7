// A ring of tiles between two partitions: Y = max(scale * X + shift, 0).
//
// One warp loads tiles with TMA, four warps compute in registers and hand their
// results to a second ring, which goes out by TMA. The loads' pipe is filled by
// transaction bytes; what the consumers wrote with ordinary stores needs a proxy
// fence by every writer before one thread lets TMA read it.

!matrix = !titan.global<?x?xf32>
!map    = !titan.tensor_map<64x32xf32, swizzle = 128>
!ringX  = !titan.shared<64x32xf32, swizzle = 128, slots = 3>
!ringY  = !titan.shared<64x32xf32, swizzle = 128, slots = 2>
!tile   = !titan.shared<64x32xf32, swizzle = 128>
!regs   = tensor<64x32xf32, #titan.blocked<elements = [1, 4], lanes = [4, 8], warps = [4, 1]>>
!bulk   = !titan.token<bulk>

titan.kernel @pipeline(%X: !matrix, %Y: !matrix, %scale: f32, %shift: f32) warps(5) attributes {
  titan.example = {sizes = {M = 150, N = 300}, X = "MxN random:1", Y = "MxN",
                   scale = 0.5 : f32, shift = 0.25 : f32},
  titan.reference = @pipeline_reference
} launch {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %m = titan.dim %X, 0 : !matrix
  %n = titan.dim %X, 1 : !matrix
  %mY = titan.dim %Y, 0 : !matrix
  %nY = titan.dim %Y, 1 : !matrix
  %is_mY = arith.cmpi eq, %mY, %m : index
  %is_nY = arith.cmpi eq, %nY, %n : index
  titan.require %is_mY, "launch-check", "Y has a row for each row of X"
  titan.require %is_nY, "launch-check", "Y has a column for each column of X"
  %rows = arith.ceildivui %m, %c64 : index
  %columns = arith.ceildivui %n, %c32 : index
  %mapX = titan.tensor_map %X : !matrix -> !map
  %mapY = titan.tensor_map %Y : !matrix -> !map
  titan.launch grid(%rows) with(%mapX, %mapY, %columns : !map, !map, index)
} body(%mapX: !map, %mapY: !map, %columns: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %x = titan.shared.alloc : !ringX
  %y = titan.shared.alloc : !ringY
  %pipe = titan.pipe.create "load" -> ["compute"] buffers ["x"](%x : !ringX) : !titan.pipe<3>
  %block = titan.cta_id 0
  %row = arith.muli %block, %c64 : index

  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %i = %c0 to %columns step %c1 {
        %column = arith.muli %i, %c32 : index
        %slot = titan.pipe.acquire %pipe : !titan.pipe<3>
        titan.pipe.load %mapX[%row, %column] -> %slot["x"] : !map
        titan.pipe.commit %slot
      }
    }
    titan.partition "compute" warps(4) {
      %a = titan.splat %scale : f32 -> !regs
      %b = titan.splat %shift : f32 -> !regs
      %z = titan.splat %zero : f32 -> !regs
      %none = titan.token.none : !bulk
      %last:2 = scf.for %i = %c0 to %columns step %c1
          iter_args(%older = %none, %newer = %none) -> (!bulk, !bulk) {
        %slot = titan.pipe.wait %pipe : !titan.pipe<3>
        %in = titan.pipe.buffer %slot["x"] : !tile
        %v = titan.shared.load %in : !tile -> !regs
        titan.pipe.release %slot
        %scaled = arith.mulf %v, %a : !regs
        %shifted = arith.addf %scaled, %b : !regs
        %positive = arith.maximumf %shifted, %z : !regs

        %parity = arith.remui %i, %c2 : index
        %out = titan.shared.slot %y[%parity : index] : !ringY -> !tile
        titan.elect warp(0) {
          titan.bulk.wait %older read : !bulk
        }
        titan.barrier.sync 1 threads(128)
        titan.shared.store %positive, %out : !regs, !tile
        titan.fence.proxy_async shared_cta
        titan.barrier.sync 1 threads(128)
        %column = arith.muli %i, %c32 : index
        %stored = titan.elect warp(0) -> !bulk {
          titan.tma.store %out, %mapY[%row, %column] : !tile, !map
          %group = titan.bulk.commit : !bulk
          titan.yield %group : !bulk
        }
        scf.yield %newer, %stored : !bulk, !bulk
      }
      titan.elect warp(0) {
        titan.bulk.wait %last#1 read : !bulk
      }
    }
  }
  titan.return
}

// What pipeline should compute, in the same order of operations: bit for bit.
func.func private @pipeline_reference(%X: memref<?x?xf32> {titan.input = "X"},
    %scale: f32 {titan.input = "scale"}, %shift: f32 {titan.input = "shift"},
    %Y: memref<?x?xf32> {titan.expected = "Y"}) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%X : memref<?x?xf32>) outs(%Y : memref<?x?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %scale : f32
    %s = arith.addf %p, %shift : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  }
  return
}
