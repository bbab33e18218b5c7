// O = softmax(Q K^T / sqrt(128)) V, one head a grid row, head size 128.
//
// The way of FlashAttention-3: a warp loads, two warpgroups each own 64 rows of
// queries, and while one multiplies the other does its softmax. Inside each
// warpgroup the product Q K_j^T is issued together with P_{j-1} V_{j-1}, and
// the softmax of block j runs while the latter is still under way: `after` on
// titan.mma.result waits for the older product alone.
//
// Turns at the tensor cores are passed on by named barriers 2 and 3: who has
// issued its products arrives at the other's barrier and goes on.
//
// P, the softmax of one product, is the A operand of the next straight from the
// registers it lies in: the layouts are the same function.

#acc    = #titan.wgmma<1, 1>
#row    = #titan.slice<1, #acc>

!global = !titan.global<?x?xbf16>
!mapQ   = !titan.tensor_map<64x64xbf16, swizzle = 128>
!mapKV  = !titan.tensor_map<128x64xbf16, swizzle = 128>
!queries = !titan.shared<64x128xbf16, swizzle = 128, slots = 2>
!ring   = !titan.shared<128x128xbf16, swizzle = 128, slots = 2>
!q      = !titan.shared<64x128xbf16, swizzle = 128>
!kv     = !titan.shared<128x128xbf16, swizzle = 128>
!q64    = !titan.shared<64x64xbf16, swizzle = 128>
!kv64   = !titan.shared<128x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bars   = !titan.mbarrier<2>
!tile   = tensor<64x128xf32, #acc>
!probs  = tensor<64x128xbf16, #acc>
!row    = tensor<64xf32, #row>
!flight = !titan.inflight<tensor<64x128xf32, #acc>>
!group  = !titan.token<mma>
!bulk   = !titan.token<bulk>

// Q, K, V and O are (sequence, head * 128): a head is a band of columns.
titan.kernel @attention(%Q: !global, %K: !global, %V: !global, %O: !global) warps(12) registers(168)
    attributes {titan.target = "sm_90a"} launch {
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %queries = titan.dim %Q, 0 : !global
  %keys = titan.dim %K, 0 : !global
  %width = titan.dim %Q, 1 : !global
  %values = titan.dim %V, 0 : !global
  %rowsO = titan.dim %O, 0 : !global
  %widthK = titan.dim %K, 1 : !global
  %widthV = titan.dim %V, 1 : !global
  %widthO = titan.dim %O, 1 : !global
  %is_values = arith.cmpi eq, %values, %keys : index
  %is_rowsO = arith.cmpi eq, %rowsO, %queries : index
  %is_widthK = arith.cmpi eq, %widthK, %width : index
  %is_widthV = arith.cmpi eq, %widthV, %width : index
  %is_widthO = arith.cmpi eq, %widthO, %width : index
  titan.require %is_values, "launch-check", "V has a row for each row of K"
  titan.require %is_rowsO, "launch-check", "O has a row for each row of Q"
  titan.require %is_widthK, "launch-check", "Q and K have the same number of columns"
  titan.require %is_widthV, "launch-check", "Q and V have the same number of columns"
  titan.require %is_widthO, "launch-check", "Q and O have the same number of columns"
  %heads = arith.divui %width, %c128 : index
  %rows = arith.ceildivui %queries, %c128 : index
  %blocks = arith.ceildivui %keys, %c128 : index
  %whole = arith.muli %heads, %c128 : index
  %is_whole = arith.cmpi eq, %whole, %width : index
  titan.require %is_whole, "launch-check", "a head has 128 columns"
  %some = arith.cmpi uge, %keys, %c1 : index
  titan.require %some, "launch-zero-dim", "attention over no keys"
  %mapQ = titan.tensor_map %Q : !global -> !mapQ
  %mapK = titan.tensor_map %K : !global -> !mapKV
  %mapV = titan.tensor_map %V : !global -> !mapKV
  %mapO = titan.tensor_map %O : !global -> !mapQ
  titan.launch grid(%rows, %heads) with(%mapQ, %mapK, %mapV, %mapO, %blocks, %keys : !mapQ, !mapKV, !mapKV, !mapQ, index, index)
} body(%mapQ: !mapQ, %mapK: !mapKV, %mapV: !mapKV, %mapO: !mapQ, %blocks: index, %keys: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %i0 = arith.constant 0 : i32
  %rowBlock = titan.cta_id 0
  %head = titan.cta_id 1
  %row0 = arith.muli %rowBlock, %c128 : index
  %row1 = arith.addi %row0, %c64 : index
  %left = arith.muli %head, %c128 : index
  %right = arith.addi %left, %c64 : index

  %q = titan.shared.alloc : !queries
  %k = titan.shared.alloc : !ring
  %v = titan.shared.alloc : !ring
  %q0 = titan.shared.slot %q[%c0 : index] : !queries -> !q
  %q1 = titan.shared.slot %q[%c1 : index] : !queries -> !q
  %fullQ = titan.mbarrier.alloc : !bar
  %fullK = titan.mbarrier.alloc : !bars
  %fullV = titan.mbarrier.alloc : !bars
  %emptyK = titan.mbarrier.alloc : !bars
  %emptyV = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %fullQ count(1) : !bar
    titan.mbarrier.init %fullK count(1) : !bars
    titan.mbarrier.init %fullV count(1) : !bars
    titan.mbarrier.init %emptyK count(8) : !bars
    titan.mbarrier.init %emptyV count(8) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync

  titan.warp_specialize {
    titan.partition "load" warps(1) registers(24) {
      titan.elect {
        %bytes = arith.constant 32768 : i32
        %q0left = titan.shared.view %q0 [0, 0] : !q -> !q64
        %q0right = titan.shared.view %q0 [0, 64] : !q -> !q64
        %q1left = titan.shared.view %q1 [0, 0] : !q -> !q64
        %q1right = titan.shared.view %q1 [0, 64] : !q -> !q64
        titan.mbarrier.arrive_expect_tx %fullQ, %bytes : !bar
        titan.tma.load %mapQ[%row0, %left], %q0left, %fullQ : !mapQ, !q64, !bar
        titan.tma.load %mapQ[%row0, %right], %q0right, %fullQ : !mapQ, !q64, !bar
        titan.tma.load %mapQ[%row1, %left], %q1left, %fullQ : !mapQ, !q64, !bar
        titan.tma.load %mapQ[%row1, %right], %q1right, %fullQ : !mapQ, !q64, !bar
        scf.for %j = %c0 to %blocks step %c1 {
          %stage = arith.remui %j, %c2 : index
          %round = arith.divui %j, %c2 : index
          %next = arith.addi %round, %c1 : index
          %odd = arith.remui %next, %c2 : index
          %parity = arith.index_cast %odd : index to i32
          %key = arith.muli %j, %c128 : index

          titan.mbarrier.wait %emptyK[%stage : index] parity(%parity) : !bars
          titan.mbarrier.arrive_expect_tx %fullK[%stage : index], %bytes : !bars
          %kj = titan.shared.slot %k[%stage : index] : !ring -> !kv
          %kleft = titan.shared.view %kj [0, 0] : !kv -> !kv64
          %kright = titan.shared.view %kj [0, 64] : !kv -> !kv64
          titan.tma.load %mapK[%key, %left], %kleft, %fullK[%stage : index] : !mapKV, !kv64, !bars
          titan.tma.load %mapK[%key, %right], %kright, %fullK[%stage : index] : !mapKV, !kv64, !bars

          titan.mbarrier.wait %emptyV[%stage : index] parity(%parity) : !bars
          titan.mbarrier.arrive_expect_tx %fullV[%stage : index], %bytes : !bars
          %vj = titan.shared.slot %v[%stage : index] : !ring -> !kv
          %vleft = titan.shared.view %vj [0, 0] : !kv -> !kv64
          %vright = titan.shared.view %vj [0, 64] : !kv -> !kv64
          titan.tma.load %mapV[%key, %left], %vleft, %fullV[%stage : index] : !mapKV, !kv64, !bars
          titan.tma.load %mapV[%key, %right], %vright, %fullV[%stage : index] : !mapKV, !kv64, !bars
        }
      }
    }

    titan.partition "first" warps(4) registers(240) {
      %none = titan.inflight.none : !flight
      // log2(e) / sqrt(128): the softmax is in powers of two.
      %factor = arith.constant 0.12751743 : f32
      %minus = arith.constant 0xFF800000 : f32
      %zero = arith.constant 0.0 : f32
      %scale = titan.splat %factor : f32 -> !tile
      %scaleRow = titan.splat %factor : f32 -> !row
      %infinity = titan.splat %minus : f32 -> !tile
      %column = titan.coordinate 1 : tensor<64x128xi32, #acc>
      %keys32 = arith.index_cast %keys : index to i32
      %lastBlock = arith.subi %blocks, %c1 : index

      // Block 0: Q K_0^T alone.
      titan.mbarrier.wait %fullQ parity(%i0) : !bar
      titan.mbarrier.wait %fullK[%c0 : index] parity(%i0) : !bars
      // The first turn is free.
      %k0 = titan.shared.slot %k[%c0 : index] : !ring -> !kv
      titan.mma.fence
      %s0 = titan.mma %q0, %k0, %none : !q, !kv, !flight -> !flight
      %g0 = titan.mma.commit : !group
      titan.barrier.arrive 3 threads(256)
      %raw0 = titan.mma.result %s0 after(%g0 : !group) : !flight -> !tile
      titan.elect {
        titan.mbarrier.arrive %emptyK[%c0 : index] : !bars
      }
      // Keys past the end weigh nothing.
      %limit0 = titan.splat %keys32 : i32 -> tensor<64x128xi32, #acc>
      %inside0 = arith.cmpi slt, %column, %limit0 : tensor<64x128xi32, #acc>
      %t0 = arith.select %inside0, %raw0, %infinity : tensor<64x128xi1, #acc>, !tile
      %max0 = titan.reduce max %t0 : !tile -> !row
      %top0 = arith.mulf %max0, %scaleRow : !row
      %tops0 = titan.broadcast %top0 : !row -> !tile
      %u0 = arith.mulf %t0, %scale : !tile
      %e0 = arith.subf %u0, %tops0 : !tile
      // Beside the row's largest weight, 1, those below 2^-126 may be zeros.
      %p0 = math.exp2 %e0 fastmath<afn> : !tile
      %sum0 = titan.reduce add %p0 : !tile -> !row
      %probs0 = arith.truncf %p0 : !tile to !probs

      %r:4 = scf.for %j = %c1 to %blocks step %c1
          iter_args(%probs = %probs0, %max = %max0, %sum = %sum0, %acc = %none)
          -> (!probs, !row, !row, !flight) {
        %stage = arith.remui %j, %c2 : index
        %round = arith.divui %j, %c2 : index
        %odd = arith.remui %round, %c2 : index
        %parity = arith.index_cast %odd : index to i32
        %before = arith.subi %j, %c1 : index
        %stageV = arith.remui %before, %c2 : index
        %roundV = arith.divui %before, %c2 : index
        %oddV = arith.remui %roundV, %c2 : index
        %parityV = arith.index_cast %oddV : index to i32

        titan.mbarrier.wait %fullK[%stage : index] parity(%parity) : !bars
        titan.barrier.sync 2 threads(256)
        %kj = titan.shared.slot %k[%stage : index] : !ring -> !kv
        titan.mma.fence
        %s = titan.mma %q0, %kj, %none : !q, !kv, !flight -> !flight
        %gs = titan.mma.commit : !group
        titan.mbarrier.wait %fullV[%stageV : index] parity(%parityV) : !bars
        %vj = titan.shared.slot %v[%stageV : index] : !ring -> !kv
        %more = arith.cmpi ne, %j, %c1 : index
        titan.mma.fence
        %acc1 = titan.mma %probs, %vj transpose_b, %acc accumulate(%more) : !probs, !kv, !flight -> !flight
        %go = titan.mma.commit : !group
        titan.barrier.arrive 3 threads(256)

        // P V of the block before goes on during the softmax of this one.
        %raw = titan.mma.result %s after(%gs : !group) : !flight -> !tile
        titan.elect {
          titan.mbarrier.arrive %emptyK[%stage : index] : !bars
        }
        %key = arith.muli %j, %c128 : index
        %rest = arith.subi %keys, %key : index
        %rest32 = arith.index_cast %rest : index to i32
        %limit = titan.splat %rest32 : i32 -> tensor<64x128xi32, #acc>
        %inside = arith.cmpi slt, %column, %limit : tensor<64x128xi32, #acc>
        %t = arith.select %inside, %raw, %infinity : tensor<64x128xi1, #acc>, !tile
        %highest = titan.reduce max %t : !tile -> !row
        %max1 = arith.maximumf %max, %highest : !row
        %top = arith.mulf %max1, %scaleRow : !row
        %tops = titan.broadcast %top : !row -> !tile
        %u = arith.mulf %t, %scale : !tile
        %e = arith.subf %u, %tops : !tile
        %p = math.exp2 %e fastmath<afn> : !tile
        %bottom = arith.mulf %max, %scaleRow : !row
        %drop = arith.subf %bottom, %top : !row
        %decay = math.exp2 %drop fastmath<afn> : !row
        %kept = arith.mulf %sum, %decay : !row
        %here = titan.reduce add %p : !tile -> !row
        %sum1 = arith.addf %kept, %here : !row

        %o = titan.mma.result %acc1 after(%go : !group) : !flight -> !tile
        titan.elect {
          titan.mbarrier.arrive %emptyV[%stageV : index] : !bars
        }
        %decays = titan.broadcast %decay : !row -> !tile
        %o1 = arith.mulf %o, %decays : !tile
        %acc2 = titan.inflight.start %o1 : !tile -> !flight
        %probs1 = arith.truncf %p : !tile to !probs
        scf.yield %probs1, %max1, %sum1, %acc2 : !probs, !row, !row, !flight
      }

      // P V of the last block.
      %stageV = arith.remui %lastBlock, %c2 : index
      %roundV = arith.divui %lastBlock, %c2 : index
      %oddV = arith.remui %roundV, %c2 : index
      %parityV = arith.index_cast %oddV : index to i32
      titan.mbarrier.wait %fullV[%stageV : index] parity(%parityV) : !bars
      %vn = titan.shared.slot %v[%stageV : index] : !ring -> !kv
      titan.mma.fence
      %several = arith.cmpi ne, %lastBlock, %c0 : index
      %accn = titan.mma %r#0, %vn transpose_b, %r#3 accumulate(%several) : !probs, !kv, !flight -> !flight
      %gn = titan.mma.commit : !group
      %on = titan.mma.result %accn after(%gn : !group) : !flight -> !tile
      titan.elect {
        titan.mbarrier.arrive %emptyV[%stageV : index] : !bars
      }

      // Once all four warps have read the queries, their slot takes the output.
      %sums = titan.broadcast %r#2 : !row -> !tile
      %out = arith.divf %on, %sums : !tile
      %out16 = arith.truncf %out : !tile to !probs
      titan.barrier.sync 4 threads(128)
      titan.shared.store %out16, %q0 matrix : !probs, !q
      titan.fence.proxy_async shared_cta
      titan.barrier.sync 4 threads(128)
      titan.elect warp(0) {
        %outLeft = titan.shared.view %q0 [0, 0] : !q -> !q64
        %outRight = titan.shared.view %q0 [0, 64] : !q -> !q64
        titan.tma.store %outLeft, %mapO[%row0, %left] : !q64, !mapQ
        titan.tma.store %outRight, %mapO[%row0, %right] : !q64, !mapQ
        %g = titan.bulk.commit : !bulk
        titan.bulk.wait %g read : !bulk
      }
    }

    titan.partition "second" warps(4) registers(240) {
      %none = titan.inflight.none : !flight
      // log2(e) / sqrt(128): the softmax is in powers of two.
      %factor = arith.constant 0.12751743 : f32
      %minus = arith.constant 0xFF800000 : f32
      %zero = arith.constant 0.0 : f32
      %scale = titan.splat %factor : f32 -> !tile
      %scaleRow = titan.splat %factor : f32 -> !row
      %infinity = titan.splat %minus : f32 -> !tile
      %column = titan.coordinate 1 : tensor<64x128xi32, #acc>
      %keys32 = arith.index_cast %keys : index to i32
      %lastBlock = arith.subi %blocks, %c1 : index

      // Block 0: Q K_0^T alone.
      titan.mbarrier.wait %fullQ parity(%i0) : !bar
      titan.mbarrier.wait %fullK[%c0 : index] parity(%i0) : !bars
      titan.barrier.sync 3 threads(256)
      %k0 = titan.shared.slot %k[%c0 : index] : !ring -> !kv
      titan.mma.fence
      %s0 = titan.mma %q1, %k0, %none : !q, !kv, !flight -> !flight
      %g0 = titan.mma.commit : !group
      // After the last block nobody waits for the turn.
      %goesOn = arith.cmpi ugt, %blocks, %c1 : index
      scf.if %goesOn {
        titan.barrier.arrive 2 threads(256)
      }
      %raw0 = titan.mma.result %s0 after(%g0 : !group) : !flight -> !tile
      titan.elect {
        titan.mbarrier.arrive %emptyK[%c0 : index] : !bars
      }
      // Keys past the end weigh nothing.
      %limit0 = titan.splat %keys32 : i32 -> tensor<64x128xi32, #acc>
      %inside0 = arith.cmpi slt, %column, %limit0 : tensor<64x128xi32, #acc>
      %t0 = arith.select %inside0, %raw0, %infinity : tensor<64x128xi1, #acc>, !tile
      %max0 = titan.reduce max %t0 : !tile -> !row
      %top0 = arith.mulf %max0, %scaleRow : !row
      %tops0 = titan.broadcast %top0 : !row -> !tile
      %u0 = arith.mulf %t0, %scale : !tile
      %e0 = arith.subf %u0, %tops0 : !tile
      %p0 = math.exp2 %e0 fastmath<afn> : !tile
      %sum0 = titan.reduce add %p0 : !tile -> !row
      %probs0 = arith.truncf %p0 : !tile to !probs

      %r:4 = scf.for %j = %c1 to %blocks step %c1
          iter_args(%probs = %probs0, %max = %max0, %sum = %sum0, %acc = %none)
          -> (!probs, !row, !row, !flight) {
        %stage = arith.remui %j, %c2 : index
        %round = arith.divui %j, %c2 : index
        %odd = arith.remui %round, %c2 : index
        %parity = arith.index_cast %odd : index to i32
        %before = arith.subi %j, %c1 : index
        %stageV = arith.remui %before, %c2 : index
        %roundV = arith.divui %before, %c2 : index
        %oddV = arith.remui %roundV, %c2 : index
        %parityV = arith.index_cast %oddV : index to i32

        titan.mbarrier.wait %fullK[%stage : index] parity(%parity) : !bars
        titan.barrier.sync 3 threads(256)
        %kj = titan.shared.slot %k[%stage : index] : !ring -> !kv
        titan.mma.fence
        %s = titan.mma %q1, %kj, %none : !q, !kv, !flight -> !flight
        %gs = titan.mma.commit : !group
        titan.mbarrier.wait %fullV[%stageV : index] parity(%parityV) : !bars
        %vj = titan.shared.slot %v[%stageV : index] : !ring -> !kv
        %more = arith.cmpi ne, %j, %c1 : index
        titan.mma.fence
        %acc1 = titan.mma %probs, %vj transpose_b, %acc accumulate(%more) : !probs, !kv, !flight -> !flight
        %go = titan.mma.commit : !group
        %another = arith.cmpi ult, %j, %lastBlock : index
        scf.if %another {
          titan.barrier.arrive 2 threads(256)
        }

        // P V of the block before goes on during the softmax of this one.
        %raw = titan.mma.result %s after(%gs : !group) : !flight -> !tile
        titan.elect {
          titan.mbarrier.arrive %emptyK[%stage : index] : !bars
        }
        %key = arith.muli %j, %c128 : index
        %rest = arith.subi %keys, %key : index
        %rest32 = arith.index_cast %rest : index to i32
        %limit = titan.splat %rest32 : i32 -> tensor<64x128xi32, #acc>
        %inside = arith.cmpi slt, %column, %limit : tensor<64x128xi32, #acc>
        %t = arith.select %inside, %raw, %infinity : tensor<64x128xi1, #acc>, !tile
        %highest = titan.reduce max %t : !tile -> !row
        %max1 = arith.maximumf %max, %highest : !row
        %top = arith.mulf %max1, %scaleRow : !row
        %tops = titan.broadcast %top : !row -> !tile
        %u = arith.mulf %t, %scale : !tile
        %e = arith.subf %u, %tops : !tile
        %p = math.exp2 %e fastmath<afn> : !tile
        %bottom = arith.mulf %max, %scaleRow : !row
        %drop = arith.subf %bottom, %top : !row
        %decay = math.exp2 %drop fastmath<afn> : !row
        %kept = arith.mulf %sum, %decay : !row
        %here = titan.reduce add %p : !tile -> !row
        %sum1 = arith.addf %kept, %here : !row

        %o = titan.mma.result %acc1 after(%go : !group) : !flight -> !tile
        titan.elect {
          titan.mbarrier.arrive %emptyV[%stageV : index] : !bars
        }
        %decays = titan.broadcast %decay : !row -> !tile
        %o1 = arith.mulf %o, %decays : !tile
        %acc2 = titan.inflight.start %o1 : !tile -> !flight
        %probs1 = arith.truncf %p : !tile to !probs
        scf.yield %probs1, %max1, %sum1, %acc2 : !probs, !row, !row, !flight
      }

      // P V of the last block.
      %stageV = arith.remui %lastBlock, %c2 : index
      %roundV = arith.divui %lastBlock, %c2 : index
      %oddV = arith.remui %roundV, %c2 : index
      %parityV = arith.index_cast %oddV : index to i32
      titan.mbarrier.wait %fullV[%stageV : index] parity(%parityV) : !bars
      %vn = titan.shared.slot %v[%stageV : index] : !ring -> !kv
      titan.mma.fence
      %several = arith.cmpi ne, %lastBlock, %c0 : index
      %accn = titan.mma %r#0, %vn transpose_b, %r#3 accumulate(%several) : !probs, !kv, !flight -> !flight
      %gn = titan.mma.commit : !group
      %on = titan.mma.result %accn after(%gn : !group) : !flight -> !tile
      titan.elect {
        titan.mbarrier.arrive %emptyV[%stageV : index] : !bars
      }

      // Once all four warps have read the queries, their slot takes the output.
      %sums = titan.broadcast %r#2 : !row -> !tile
      %out = arith.divf %on, %sums : !tile
      %out16 = arith.truncf %out : !tile to !probs
      titan.barrier.sync 5 threads(128)
      titan.shared.store %out16, %q1 matrix : !probs, !q
      titan.fence.proxy_async shared_cta
      titan.barrier.sync 5 threads(128)
      titan.elect warp(0) {
        %outLeft = titan.shared.view %q1 [0, 0] : !q -> !q64
        %outRight = titan.shared.view %q1 [0, 64] : !q -> !q64
        titan.tma.store %outLeft, %mapO[%row1, %left] : !q64, !mapQ
        titan.tma.store %outRight, %mapO[%row1, %right] : !q64, !mapQ
        %g = titan.bulk.commit : !bulk
        titan.bulk.wait %g read : !bulk
      }
    }
  }
  titan.return
}
