// D = A * B^T: A is M x K, B is N x K, D is M x N, bf16 in and out, f32 sums.
//
// One warp loads, two warpgroups multiply: the classic warp-specialised GEMM of
// Hopper. A pipe carries the tiles from the one to the others; examples/
// gemm_bare.mlir says the same with every barrier written out.

#acc   = #titan.wgmma<2, 1>

!global = !titan.global<?x?xbf16>
!mapA   = !titan.tensor_map<128x64xbf16, swizzle = 128>
!mapB   = !titan.tensor_map<256x64xbf16, swizzle = 128>
!mapD   = !titan.tensor_map<128x64xbf16, swizzle = 128>
!ringA  = !titan.shared<128x64xbf16, swizzle = 128, slots = 4>
!ringB  = !titan.shared<256x64xbf16, swizzle = 128, slots = 4>
!ringD  = !titan.shared<128x64xbf16, swizzle = 128, slots = 2>
!tileA  = !titan.shared<128x64xbf16, swizzle = 128>
!tileB  = !titan.shared<256x64xbf16, swizzle = 128>
!tileD  = !titan.shared<128x64xbf16, swizzle = 128>
!sums   = tensor<128x256xf32, #acc>
!panel  = tensor<128x64xf32, #acc>
!flight = !titan.inflight<tensor<128x256xf32, #acc>>
!group  = !titan.token<mma>
!bulk   = !titan.token<bulk>

titan.kernel @gemm(%A: !global, %B: !global, %D: !global) warps(12) registers(168) launch {
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %m = titan.dim %A, 0 : !global
  %n = titan.dim %B, 0 : !global
  %k = titan.dim %A, 1 : !global
  %tilesM = arith.ceildivui %m, %c128 : index
  %tilesN = arith.ceildivui %n, %c256 : index
  %steps = arith.ceildivui %k, %c64 : index
  %tiles = arith.muli %tilesM, %tilesN : index
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %tiles, %sms : index
  %mapA = titan.tensor_map %A : !global -> !mapA
  %mapB = titan.tensor_map %B : !global -> !mapB
  %mapD = titan.tensor_map %D : !global -> !mapD
  titan.launch grid(%grid) with(%mapA, %mapB, %mapD, %tilesN, %tiles, %steps : !mapA, !mapB, !mapD, index, index, index)
} body(%mapA: !mapA, %mapB: !mapB, %mapD: !mapD, %tilesN: index, %tiles: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0

  %a = titan.shared.alloc : !ringA
  %b = titan.shared.alloc : !ringB
  %d = titan.shared.alloc : !ringD
  %ab = titan.pipe.create "load" -> ["multiply"] buffers ["a", "b"](%a, %b : !ringA, !ringB) : !titan.pipe<4>

  titan.warp_specialize {
    titan.partition "load" warps(1) registers(40) {
      scf.for %tile = %first to %tiles step %ctas {
        %tm = arith.divui %tile, %tilesN : index
        %tn = arith.remui %tile, %tilesN : index
        %m = arith.muli %tm, %c128 : index
        %n = arith.muli %tn, %c256 : index
        scf.for %step = %c0 to %steps step %c1 {
          %k = arith.muli %step, %c64 : index
          %slot = titan.pipe.acquire %ab : !titan.pipe<4>
          titan.pipe.load %mapA[%m, %k] -> %slot["a"] : !mapA
          titan.pipe.load %mapB[%n, %k] -> %slot["b"] : !mapB
          titan.pipe.commit %slot
        }
      }
    }
    titan.partition "multiply" warps(8) registers(232) {
      %none = titan.inflight.none : !flight
      scf.for %tile = %first to %tiles step %ctas {
        %tm = arith.divui %tile, %tilesN : index
        %tn = arith.remui %tile, %tilesN : index
        %m = arith.muli %tm, %c128 : index
        %n = arith.muli %tn, %c256 : index
        %noGroup = titan.token.none : !group
        %noSlot = titan.token.none : !titan.slot
        %r:3 = scf.for %step = %c0 to %steps step %c1
            iter_args(%sum = %none, %group = %noGroup, %last = %noSlot) -> (!flight, !group, !titan.slot) {
          %slot = titan.pipe.wait %ab : !titan.pipe<4>
          %slotA = titan.pipe.buffer %slot["a"] : !tileA
          %slotB = titan.pipe.buffer %slot["b"] : !tileB
          titan.mma.fence
          %more = arith.cmpi ne, %step, %c0 : index
          %sum1 = titan.mma %slotA, %slotB, %sum accumulate(%more) : !tileA, !tileB, !flight -> !flight
          %group1 = titan.mma.commit : !group
          // The product before this one is done: its slot is free.
          titan.mma.wait %group : !group
          titan.pipe.release %last
          scf.yield %sum1, %group1, %slot : !flight, !group, !titan.slot
        }
        %result = titan.mma.result %r#0 : !flight -> !sums
        titan.pipe.release %r#2

        // Four panels of 64 columns through two buffers.
        %noBulk = titan.token.none : !bulk
        %d0 = titan.shared.slot %d[%i0 : i32] : !ringD -> !tileD
        %d1 = titan.shared.slot %d[%i1 : i32] : !ringD -> !tileD

        %p0 = titan.extract %result [0, 0] : !sums -> !panel
        %q0 = arith.truncf %p0 : !panel to tensor<128x64xbf16, #acc>
        titan.shared.store %q0, %d0 matrix : tensor<128x64xbf16, #acc>, !tileD
        titan.fence.proxy_async shared_cta
        titan.barrier.sync 1 threads(256)
        %g0 = titan.elect warp(0) -> !bulk {
          titan.tma.store %d0, %mapD[%m, %n] : !tileD, !mapD
          %g = titan.bulk.commit : !bulk
          titan.yield %g : !bulk
        }
        %n1 = arith.addi %n, %c64 : index
        %p1 = titan.extract %result [0, 64] : !sums -> !panel
        %q1 = arith.truncf %p1 : !panel to tensor<128x64xbf16, #acc>
        titan.shared.store %q1, %d1 matrix : tensor<128x64xbf16, #acc>, !tileD
        titan.fence.proxy_async shared_cta
        titan.barrier.sync 1 threads(256)
        %g1 = titan.elect warp(0) -> !bulk {
          titan.tma.store %d1, %mapD[%m, %n1] : !tileD, !mapD
          %g = titan.bulk.commit : !bulk
          titan.bulk.wait %g0 read : !bulk
          titan.yield %g : !bulk
        }
        titan.barrier.sync 1 threads(256)
        %n2 = arith.addi %n1, %c64 : index
        %p2 = titan.extract %result [0, 128] : !sums -> !panel
        %q2 = arith.truncf %p2 : !panel to tensor<128x64xbf16, #acc>
        titan.shared.store %q2, %d0 matrix : tensor<128x64xbf16, #acc>, !tileD
        titan.fence.proxy_async shared_cta
        titan.barrier.sync 1 threads(256)
        %g2 = titan.elect warp(0) -> !bulk {
          titan.tma.store %d0, %mapD[%m, %n2] : !tileD, !mapD
          %g = titan.bulk.commit : !bulk
          titan.bulk.wait %g1 read : !bulk
          titan.yield %g : !bulk
        }
        titan.barrier.sync 1 threads(256)
        %n3 = arith.addi %n2, %c64 : index
        %p3 = titan.extract %result [0, 192] : !sums -> !panel
        %q3 = arith.truncf %p3 : !panel to tensor<128x64xbf16, #acc>
        titan.shared.store %q3, %d1 matrix : tensor<128x64xbf16, #acc>, !tileD
        titan.fence.proxy_async shared_cta
        titan.barrier.sync 1 threads(256)
        titan.elect warp(0) {
          titan.tma.store %d1, %mapD[%m, %n3] : !tileD, !mapD
          %g = titan.bulk.commit : !bulk
          titan.bulk.wait %g read : !bulk
        }
        titan.barrier.sync 1 threads(256)
      }
    }
  }
  titan.return
}
