// Y = conv(X, F): 3 x 3 filters, a border of zeros, bf16 in and out, f32 sums.
//
// The convolution is the product of a matrix of pixels with the filters: a row for each
// pixel of Y, a column for each of 9 x C values below the filter. That matrix never stands in memory.
// `#pixels` says which elements of X its tiles hold, and becomes TMA's im2col mode:
// borders, ends of rows and ends of images are the hardware's (docs/tma.md).
// Otherwise this is examples/gemm.mlir, with copies by schedule into the pipe.

#pixels = #titan.schedule<
  tensor N x H x W x C
  Hp = resize(H, 1, 1)        // the border
  Wp = resize(W, 1, 1)
  P, R = window(Hp, 3)        // row P of Y, row R of the filter: row P + R of Hp
  Q, S = window(Wp, 3)
  NP = merge(N, P)
  M = merge(NP, Q)            // pixels of Y
  Mo, Mi = split(M, 128)
  Co, Ci = split(C, 64)
  bulk Mi, Ci>

#filters = #titan.schedule<
  tensor K x R x S x C
  Ko, Ki = split(K, 256)
  Co, Ci = split(C, 64)
  bulk Ki, Ci>

#result = #titan.schedule<
  tensor N x P x Q x K
  NP = merge(N, P)
  M = merge(NP, Q)
  Mo, Mi = split(M, 128)
  Ko, Kt = split(K, 256)
  Kp, Ki = split(Kt, 64)      // four panels
  bulk Mi, Ki>

#acc    = #titan.wgmma<2, 1>
!images  = !titan.global<?x?x?x?xbf16>
!weights = !titan.global<?x3x3x?xbf16>
!ringX  = !titan.shared<128x64xbf16, swizzle = 128, slots = 4>
!ringF  = !titan.shared<256x64xbf16, swizzle = 128, slots = 4>
!ringY  = !titan.shared<128x64xbf16, swizzle = 128, slots = 2>
!tileX  = !titan.shared<128x64xbf16, swizzle = 128>
!tileF  = !titan.shared<256x64xbf16, swizzle = 128>
!tileY  = !titan.shared<128x64xbf16, swizzle = 128>
!sums   = tensor<128x256xf32, #acc>
!panel  = tensor<128x64xf32, #acc>
!narrow = tensor<128x64xbf16, #acc>
!flight = !titan.inflight<tensor<128x256xf32, #acc>>
!group  = !titan.token<mma>
!bulk   = !titan.token<bulk>

titan.kernel @conv(%X: !images, %F: !weights, %Y: !images) warps(12) registers(168) attributes {
  titan.example = {sizes = {N = 2, H = 9, W = 13, C = 72, K = 264}, multiprocessor_count = 3,
                   X = "NxHxWxC random:1", F = "Kx3x3xC random:2", Y = "NxHxWxK"},
  titan.reference = @conv_reference
} launch {
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %n = titan.dim %X, 0 : !images
  %h = titan.dim %X, 1 : !images
  %w = titan.dim %X, 2 : !images
  %c = titan.dim %X, 3 : !images
  %k = titan.dim %F, 0 : !weights
  %cF = titan.dim %F, 3 : !weights
  %nY = titan.dim %Y, 0 : !images
  %hY = titan.dim %Y, 1 : !images
  %wY = titan.dim %Y, 2 : !images
  %kY = titan.dim %Y, 3 : !images
  %is_c = arith.cmpi eq, %cF, %c : index
  %is_n = arith.cmpi eq, %nY, %n : index
  %is_h = arith.cmpi eq, %hY, %h : index
  %is_w = arith.cmpi eq, %wY, %w : index
  %is_k = arith.cmpi eq, %kY, %k : index
  titan.require %is_c, "launch-check", "X and F have the same number of channels"
  titan.require %is_n, "launch-check", "Y has as many images as X"
  titan.require %is_h, "launch-check", "Y has as many rows as X"
  titan.require %is_w, "launch-check", "Y has as many columns as X"
  titan.require %is_k, "launch-check", "Y has a channel for each filter"
  %rows = arith.muli %n, %h : index
  %pixels = arith.muli %rows, %w : index
  %tilesM = arith.ceildivui %pixels, %c128 : index
  %tilesK = arith.ceildivui %k, %c256 : index
  %blocks = arith.ceildivui %c, %c64 : index
  %tiles = arith.muli %tilesM, %tilesK : index
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %tiles, %sms : index
  titan.launch grid(%grid) with(%tilesK, %tiles, %blocks : index, index, index)
} body(%tilesK: index, %tiles: index, %blocks: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c9 = arith.constant 9 : index
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0

  %x = titan.shared.alloc : !ringX
  %f = titan.shared.alloc : !ringF
  %y = titan.shared.alloc : !ringY
  %xf = titan.pipe.create "load" -> ["multiply"] buffers ["x", "f"](%x, %f : !ringX, !ringF) : !titan.pipe<4>

  titan.warp_specialize {
    titan.partition "load" warps(1) registers(40) {
      scf.for %tile = %first to %tiles step %ctas {
        %tm = arith.divui %tile, %tilesK : index
        %tk = arith.remui %tile, %tilesK : index
        scf.for %r = %c0 to %c3 step %c1 {
          scf.for %s = %c0 to %c3 step %c1 {
            scf.for %block = %c0 to %blocks step %c1 {
              %slot = titan.pipe.acquire %xf : !titan.pipe<4>
              titan.pipe.copy_async %X at(Mo = %tm, R = %r, S = %s, Co = %block) -> %slot["x"]
                  schedule(#pixels) : !images
              titan.pipe.copy_async %F at(Ko = %tk, R = %r, S = %s, Co = %block) -> %slot["f"]
                  schedule(#filters) : !weights
              titan.pipe.commit %slot
            }
          }
        }
      }
    }
    titan.partition "multiply" warps(8) registers(232) {
      %none = titan.inflight.none : !flight
      %noStore = titan.token.none : !bulk
      %last:2 = scf.for %tile = %first to %tiles step %ctas
          iter_args(%older0 = %noStore, %newer0 = %noStore) -> (!bulk, !bulk) {
        %tm = arith.divui %tile, %tilesK : index
        %tk = arith.remui %tile, %tilesK : index
        %noGroup = titan.token.none : !group
        %noSlot = titan.token.none : !titan.slot
        %r:3 = scf.for %rs = %c0 to %c9 step %c1
            iter_args(%sum0 = %none, %group0 = %noGroup, %before0 = %noSlot) -> (!flight, !group, !titan.slot) {
          %inner:3 = scf.for %block = %c0 to %blocks step %c1
              iter_args(%sum = %sum0, %group = %group0, %before = %before0) -> (!flight, !group, !titan.slot) {
            %slot = titan.pipe.wait %xf : !titan.pipe<4>
            %slotX = titan.pipe.buffer %slot["x"] : !tileX
            %slotF = titan.pipe.buffer %slot["f"] : !tileF
            titan.mma.fence
            %notFirstTap = arith.cmpi ne, %rs, %c0 : index
            %notFirstBlock = arith.cmpi ne, %block, %c0 : index
            %more = arith.ori %notFirstTap, %notFirstBlock : i1
            %sum1 = titan.mma %slotX, %slotF, %sum accumulate(%more) : !tileX, !tileF, !flight -> !flight
            %group1 = titan.mma.commit : !group
            // The product before this one is done: its slot is free.
            titan.mma.wait %group : !group
            titan.pipe.release %before
            scf.yield %sum1, %group1, %slot : !flight, !group, !titan.slot
          }
          scf.yield %inner#0, %inner#1, %inner#2 : !flight, !group, !titan.slot
        }
        %sums = titan.mma.result %r#0 : !flight -> !sums
        titan.pipe.release %r#2

        %stores:2 = scf.for %j = %c0 to %c4 step %c1
            iter_args(%older = %older0, %newer = %newer0) -> (!bulk, !bulk) {
          %panel = titan.panel %sums[%j] : !sums -> !panel
          %rounded = arith.truncf %panel : !panel to !narrow
          %parity = arith.remui %j, %c2 : index
          %buffer = titan.shared.slot %y[%parity : index] : !ringY -> !tileY
          titan.elect warp(0) {
            titan.bulk.wait %older read : !bulk
          }
          titan.barrier.sync 1 threads(256)
          titan.shared.store %rounded, %buffer matrix : !narrow, !tileY
          titan.fence.proxy_async shared_cta
          titan.barrier.sync 1 threads(256)
          %stored = titan.elect warp(0) -> !bulk {
            titan.copy_async %buffer to %Y at(Mo = %tm, Ko = %tk, Kp = %j) schedule(#result) : !tileY, !images
            %group = titan.bulk.commit : !bulk
            titan.yield %group : !bulk
          }
          scf.yield %newer, %stored : !bulk, !bulk
        } {titan.unroll}
        scf.yield %stores#0, %stores#1 : !bulk, !bulk
      }
      titan.elect warp(0) {
        titan.bulk.wait %last#1 read : !bulk
      }
    }
  }
  titan.return
}

// What conv should compute: Y(n, p, q, k) = the sum of X(n, p + r - 1, q + s - 1, c) * F(k, r, s, c),
// and how far from it sums in f32, rounded to bf16, may be.
func.func private @conv_reference(
    %X: memref<?x?x?x?xbf16> {titan.input = "X"}, %F: memref<?x3x3x?xbf16> {titan.input = "F"},
    %Y: memref<?x?x?x?xf64> {titan.expected = "Y"}, %bound: memref<?x?x?x?xf64> {titan.bound = "Y"})
    attributes {titan.exact} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f64
  %e8 = arith.constant 0.00390625 : f64
  %e20 = arith.constant 9.5367431640625e-07 : f64
  %n = memref.dim %X, %c0 : memref<?x?x?x?xbf16>
  %h = memref.dim %X, %c1 : memref<?x?x?x?xbf16>
  %w = memref.dim %X, %c2 : memref<?x?x?x?xbf16>
  %c = memref.dim %X, %c3 : memref<?x?x?x?xbf16>
  %k = memref.dim %F, %c0 : memref<?x3x3x?xbf16>
  linalg.fill ins(%zero : f64) outs(%Y : memref<?x?x?x?xf64>)
  linalg.fill ins(%zero : f64) outs(%bound : memref<?x?x?x?xf64>)
  scf.for %image = %c0 to %n step %c1 {
    scf.for %p = %c0 to %h step %c1 {
      scf.for %q = %c0 to %w step %c1 {
        scf.for %r = %c0 to %c3 step %c1 {
          scf.for %s = %c0 to %c3 step %c1 {
            %below = arith.addi %p, %r : index
            %right = arith.addi %q, %s : index
            %y = arith.subi %below, %c1 : index
            %x = arith.subi %right, %c1 : index
            // What is below 0 is a large number, too.
            %inY = arith.cmpi ult, %y, %h : index
            %inX = arith.cmpi ult, %x, %w : index
            %inside = arith.andi %inY, %inX : i1
            scf.if %inside {
              scf.for %filter = %c0 to %k step %c1 {
                scf.for %channel = %c0 to %c step %c1 {
                  %u = memref.load %X[%image, %y, %x, %channel] : memref<?x?x?x?xbf16>
                  %v = memref.load %F[%filter, %r, %s, %channel] : memref<?x3x3x?xbf16>
                  %uw = arith.extf %u : bf16 to f64
                  %vw = arith.extf %v : bf16 to f64
                  %product = arith.mulf %uw, %vw : f64
                  %size = math.absf %product : f64
                  %sum = memref.load %Y[%image, %p, %q, %filter] : memref<?x?x?x?xf64>
                  %sizes = memref.load %bound[%image, %p, %q, %filter] : memref<?x?x?x?xf64>
                  %sum1 = arith.addf %sum, %product : f64
                  %sizes1 = arith.addf %sizes, %size : f64
                  memref.store %sum1, %Y[%image, %p, %q, %filter] : memref<?x?x?x?xf64>
                  memref.store %sizes1, %bound[%image, %p, %q, %filter] : memref<?x?x?x?xf64>
                }
              }
            }
          }
        }
        scf.for %filter = %c0 to %k step %c1 {
          %sum = memref.load %Y[%image, %p, %q, %filter] : memref<?x?x?x?xf64>
          %sizes = memref.load %bound[%image, %p, %q, %filter] : memref<?x?x?x?xf64>
          %size = math.absf %sum : f64
          %rounding = arith.mulf %size, %e8 : f64
          %summing = arith.mulf %sizes, %e20 : f64
          %error = arith.addf %rounding, %summing : f64
          memref.store %error, %bound[%image, %p, %q, %filter] : memref<?x?x?x?xf64>
        }
      }
    }
  }
  return
}
