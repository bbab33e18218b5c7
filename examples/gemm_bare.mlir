// D = A * B^T: A is M x K, B is N x K, D is M x N, bf16 in and out, f32 sums.
//
// One warp loads, two warpgroups multiply: the classic warp-specialised GEMM of
// Hopper, with every barrier written out. examples/gemm.mlir says the same with
// a pipe.

#acc   = #titan.wgmma<2, 1>

!global = !titan.global<?x?xbf16>
!mapA   = !titan.tensor_map<128x64xbf16, swizzle = 128>
!mapB   = !titan.tensor_map<256x64xbf16, swizzle = 128>
!mapD   = !titan.tensor_map<128x64xbf16, swizzle = 128>
!globalF = !titan.global<?x?xf32>
!vector  = !titan.global<?xf32>
!mapF    = !titan.tensor_map<128x32xf32, swizzle = 128>
!ringF   = !titan.shared<128x32xf32, swizzle = 128, slots = 2>
!tileF   = !titan.shared<128x32xf32, swizzle = 128>
!panelF  = tensor<128x32xf32, #acc>
!indices = tensor<128x32xi32, #acc>
!mask    = tensor<128x32xi1, #acc>
!ringA  = !titan.shared<128x64xbf16, swizzle = 128, slots = 4>
!ringB  = !titan.shared<256x64xbf16, swizzle = 128, slots = 4>
!ringD  = !titan.shared<128x64xbf16, swizzle = 128, slots = 2>
!tileA  = !titan.shared<128x64xbf16, swizzle = 128>
!tileB  = !titan.shared<256x64xbf16, swizzle = 128>
!tileD  = !titan.shared<128x64xbf16, swizzle = 128>
!sums   = tensor<128x256xf32, #acc>
!panel  = tensor<128x64xf32, #acc>
!narrow = tensor<128x64xbf16, #acc>
!flight = !titan.inflight<tensor<128x256xf32, #acc>>
!group  = !titan.token<mma>
!bulk   = !titan.token<bulk>

titan.kernel @gemm(%A: !global, %B: !global, %D: !global) warps(12) registers(168) attributes {
  titan.example = {sizes = {M = 300, N = 520, K = 200}, multiprocessor_count = 4,
                   A = "MxK random:1", B = "NxK random:2", D = "MxN"},
  titan.reference = @gemm_reference
} launch {
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
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
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %depth = arith.constant 4 : i32
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0

  %a = titan.shared.alloc : !ringA
  %b = titan.shared.alloc : !ringB
  %d = titan.shared.alloc : !ringD
  %full = titan.mbarrier.alloc : !titan.mbarrier<4>
  %empty = titan.mbarrier.alloc : !titan.mbarrier<4>
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !titan.mbarrier<4>
    titan.mbarrier.init %empty count(8) : !titan.mbarrier<4>
    titan.fence.mbarrier_init
  }
  titan.cta_sync

  titan.warp_specialize {
    titan.partition "load" warps(1) registers(40) {
      titan.elect {
        %bytes = arith.constant 49152 : i32
        %s:2 = scf.for %tile = %first to %tiles step %ctas
            iter_args(%stage0 = %i0, %parity0 = %i0) -> (i32, i32) {
          %tm = arith.divui %tile, %tilesN : index
          %tn = arith.remui %tile, %tilesN : index
          %m = arith.muli %tm, %c128 : index
          %n = arith.muli %tn, %c256 : index
          %r:2 = scf.for %step = %c0 to %steps step %c1
              iter_args(%stage = %stage0, %parity = %parity0) -> (i32, i32) {
            %k = arith.muli %step, %c64 : index
            %other = arith.xori %parity, %i1 : i32
            titan.mbarrier.wait %empty[%stage : i32] parity(%other) : !titan.mbarrier<4>
            titan.mbarrier.arrive_expect_tx %full[%stage : i32], %bytes : !titan.mbarrier<4>
            %slotA = titan.shared.slot %a[%stage : i32] : !ringA -> !tileA
            %slotB = titan.shared.slot %b[%stage : i32] : !ringB -> !tileB
            titan.tma.load %mapA[%m, %k], %slotA, %full[%stage : i32] : !mapA, !tileA, !titan.mbarrier<4>
            titan.tma.load %mapB[%n, %k], %slotB, %full[%stage : i32] : !mapB, !tileB, !titan.mbarrier<4>
            %next = arith.addi %stage, %i1 : i32
            %wrap = arith.cmpi eq, %next, %depth : i32
            %nextStage = arith.select %wrap, %i0, %next : i32
            %nextParity = arith.select %wrap, %other, %parity : i32
            scf.yield %nextStage, %nextParity : i32, i32
          }
          scf.yield %r#0, %r#1 : i32, i32
        }
      }
    }
    titan.partition "multiply" warps(8) registers(232) {
      %none = titan.inflight.none : !flight
      %noStore = titan.token.none : !bulk
      %s:4 = scf.for %tile = %first to %tiles step %ctas
          iter_args(%stage0 = %i0, %parity0 = %i0, %older0 = %noStore, %newer0 = %noStore)
          -> (i32, i32, !bulk, !bulk) {
        %tm = arith.divui %tile, %tilesN : index
        %tn = arith.remui %tile, %tilesN : index
        %m = arith.muli %tm, %c128 : index
        %n = arith.muli %tn, %c256 : index
        %noGroup = titan.token.none : !group
        %minus = arith.constant -1 : i32
        %r:5 = scf.for %step = %c0 to %steps step %c1
            iter_args(%stage = %stage0, %parity = %parity0, %sum = %none, %group = %noGroup, %last = %minus)
            -> (i32, i32, !flight, !group, i32) {
          titan.mbarrier.wait %full[%stage : i32] parity(%parity) : !titan.mbarrier<4>
          %slotA = titan.shared.slot %a[%stage : i32] : !ringA -> !tileA
          %slotB = titan.shared.slot %b[%stage : i32] : !ringB -> !tileB
          titan.mma.fence
          %more = arith.cmpi ne, %step, %c0 : index
          %sum1 = titan.mma %slotA, %slotB, %sum accumulate(%more) : !tileA, !tileB, !flight -> !flight
          %group1 = titan.mma.commit : !group
          // The product before this one is done: its slot is free.
          titan.mma.wait %group : !group
          %any = arith.cmpi ne, %last, %minus : i32
          scf.if %any {
            titan.elect {
              titan.mbarrier.arrive %empty[%last : i32] : !titan.mbarrier<4>
            }
          }
          %other = arith.xori %parity, %i1 : i32
          %next = arith.addi %stage, %i1 : i32
          %wrap = arith.cmpi eq, %next, %depth : i32
          %nextStage = arith.select %wrap, %i0, %next : i32
          %nextParity = arith.select %wrap, %other, %parity : i32
          scf.yield %nextStage, %nextParity, %sum1, %group1, %stage : i32, i32, !flight, !group, i32
        }
        %result = titan.mma.result %r#2 : !flight -> !sums
        titan.elect {
          titan.mbarrier.arrive %empty[%r#4 : i32] : !titan.mbarrier<4>
        }

        // Four panels of 64 columns leave through two buffers; what is on its way
        // out overlaps the next tile.
        %stores:2 = scf.for %j = %c0 to %c4 step %c1
            iter_args(%older = %older0, %newer = %newer0) -> (!bulk, !bulk) {
          %panel = titan.panel %result[%j] : !sums -> !panel
          %rounded = arith.truncf %panel : !panel to !narrow
          %parity = arith.remui %j, %c2 : index
          %buffer = titan.shared.slot %d[%parity : index] : !ringD -> !tileD
          titan.elect warp(0) {
            titan.bulk.wait %older read : !bulk
          }
          titan.barrier.sync 1 threads(256)
          titan.shared.store %rounded, %buffer matrix : !narrow, !tileD
          titan.fence.proxy_async shared_cta
          titan.barrier.sync 1 threads(256)
          %column = arith.muli %j, %c64 : index
          %at = arith.addi %n, %column : index
          %stored = titan.elect warp(0) -> !bulk {
            titan.tma.store %buffer, %mapD[%m, %at] : !tileD, !mapD
            %group = titan.bulk.commit : !bulk
            titan.yield %group : !bulk
          }
          scf.yield %newer, %stored : !bulk, !bulk
        } {titan.unroll}
        scf.yield %r#0, %r#1, %stores#0, %stores#1 : i32, i32, !bulk, !bulk
      }
      titan.elect warp(0) {
        titan.bulk.wait %s#3 read : !bulk
      }
    }
  }
  titan.return
}

// D = alpha * A * B^T + bias, f32 out; bias has one entry a column of D.
titan.kernel @gemm_f32(%A: !global, %B: !global, %D: !globalF, %alpha: f32, %bias: !vector) warps(12) registers(168) attributes {
  titan.example = {sizes = {M = 300, N = 520, K = 200}, multiprocessor_count = 4,
                   A = "MxK random:1", B = "NxK random:2", D = "MxN",
                   alpha = 0.5 : f32, bias = "N random:3"},
  titan.reference = @gemm_f32_reference
} launch {
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c64 = arith.constant 64 : index
  %m = titan.dim %A, 0 : !global
  %n = titan.dim %B, 0 : !global
  %k = titan.dim %A, 1 : !global
  %kB = titan.dim %B, 1 : !global
  %mD = titan.dim %D, 0 : !globalF
  %nD = titan.dim %D, 1 : !globalF
  %is_kB = arith.cmpi eq, %kB, %k : index
  %is_mD = arith.cmpi eq, %mD, %m : index
  %is_nD = arith.cmpi eq, %nD, %n : index
  titan.require %is_kB, "launch-check", "A and B have the same number of columns"
  titan.require %is_mD, "launch-check", "D has a row for each row of A"
  titan.require %is_nD, "launch-check", "D has a column for each row of B"
  %tilesM = arith.ceildivui %m, %c128 : index
  %tilesN = arith.ceildivui %n, %c256 : index
  %steps = arith.ceildivui %k, %c64 : index
  %tiles = arith.muli %tilesM, %tilesN : index
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %tiles, %sms : index
  %mapA = titan.tensor_map %A : !global -> !mapA
  %mapB = titan.tensor_map %B : !global -> !mapB
  %mapD = titan.tensor_map %D : !globalF -> !mapF
  %entries = titan.dim %bias, 0 : !vector
  %fits = arith.cmpi eq, %entries, %n : index
  titan.require %fits, "launch-check", "bias has one entry for each column of D"
  %most = arith.constant 1073741824 : index
  %few_columns = arith.cmpi ule, %n, %most : index
  titan.require %few_columns, "launch-check", "at most 2^30 columns: their numbers have 32 bits"
  titan.launch grid(%grid) with(%mapA, %mapB, %mapD, %n, %tilesN, %tiles, %steps : !mapA, !mapB, !mapF, index, index, index, index)
} body(%mapA: !mapA, %mapB: !mapB, %mapD: !mapF, %width: index, %tilesN: index, %tiles: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %depth = arith.constant 4 : i32
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0

  %a = titan.shared.alloc : !ringA
  %b = titan.shared.alloc : !ringB
  %d = titan.shared.alloc : !ringF
  %full = titan.mbarrier.alloc : !titan.mbarrier<4>
  %empty = titan.mbarrier.alloc : !titan.mbarrier<4>
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !titan.mbarrier<4>
    titan.mbarrier.init %empty count(8) : !titan.mbarrier<4>
    titan.fence.mbarrier_init
  }
  titan.cta_sync

  titan.warp_specialize {
    titan.partition "load" warps(1) registers(40) {
      titan.elect {
        %bytes = arith.constant 49152 : i32
        %s:2 = scf.for %tile = %first to %tiles step %ctas
            iter_args(%stage0 = %i0, %parity0 = %i0) -> (i32, i32) {
          %tm = arith.divui %tile, %tilesN : index
          %tn = arith.remui %tile, %tilesN : index
          %m = arith.muli %tm, %c128 : index
          %n = arith.muli %tn, %c256 : index
          %r:2 = scf.for %step = %c0 to %steps step %c1
              iter_args(%stage = %stage0, %parity = %parity0) -> (i32, i32) {
            %k = arith.muli %step, %c64 : index
            %other = arith.xori %parity, %i1 : i32
            titan.mbarrier.wait %empty[%stage : i32] parity(%other) : !titan.mbarrier<4>
            titan.mbarrier.arrive_expect_tx %full[%stage : i32], %bytes : !titan.mbarrier<4>
            %slotA = titan.shared.slot %a[%stage : i32] : !ringA -> !tileA
            %slotB = titan.shared.slot %b[%stage : i32] : !ringB -> !tileB
            titan.tma.load %mapA[%m, %k], %slotA, %full[%stage : i32] : !mapA, !tileA, !titan.mbarrier<4>
            titan.tma.load %mapB[%n, %k], %slotB, %full[%stage : i32] : !mapB, !tileB, !titan.mbarrier<4>
            %next = arith.addi %stage, %i1 : i32
            %wrap = arith.cmpi eq, %next, %depth : i32
            %nextStage = arith.select %wrap, %i0, %next : i32
            %nextParity = arith.select %wrap, %other, %parity : i32
            scf.yield %nextStage, %nextParity : i32, i32
          }
          scf.yield %r#0, %r#1 : i32, i32
        }
      }
    }
    titan.partition "multiply" warps(8) registers(232) {
      %none = titan.inflight.none : !flight
      %factor = titan.splat %alpha : f32 -> !panelF
      %width32 = arith.index_cast %width : index to i32
      %limit = titan.splat %width32 : i32 -> !indices
      %noStore = titan.token.none : !bulk
      %s:4 = scf.for %tile = %first to %tiles step %ctas
          iter_args(%stage0 = %i0, %parity0 = %i0, %older0 = %noStore, %newer0 = %noStore)
          -> (i32, i32, !bulk, !bulk) {
        %tm = arith.divui %tile, %tilesN : index
        %tn = arith.remui %tile, %tilesN : index
        %m = arith.muli %tm, %c128 : index
        %n = arith.muli %tn, %c256 : index
        %noGroup = titan.token.none : !group
        %minus = arith.constant -1 : i32
        %r:5 = scf.for %step = %c0 to %steps step %c1
            iter_args(%stage = %stage0, %parity = %parity0, %sum = %none, %group = %noGroup, %last = %minus)
            -> (i32, i32, !flight, !group, i32) {
          titan.mbarrier.wait %full[%stage : i32] parity(%parity) : !titan.mbarrier<4>
          %slotA = titan.shared.slot %a[%stage : i32] : !ringA -> !tileA
          %slotB = titan.shared.slot %b[%stage : i32] : !ringB -> !tileB
          titan.mma.fence
          %more = arith.cmpi ne, %step, %c0 : index
          %sum1 = titan.mma %slotA, %slotB, %sum accumulate(%more) : !tileA, !tileB, !flight -> !flight
          %group1 = titan.mma.commit : !group
          // The product before this one is done: its slot is free.
          titan.mma.wait %group : !group
          %any = arith.cmpi ne, %last, %minus : i32
          scf.if %any {
            titan.elect {
              titan.mbarrier.arrive %empty[%last : i32] : !titan.mbarrier<4>
            }
          }
          %other = arith.xori %parity, %i1 : i32
          %next = arith.addi %stage, %i1 : i32
          %wrap = arith.cmpi eq, %next, %depth : i32
          %nextStage = arith.select %wrap, %i0, %next : i32
          %nextParity = arith.select %wrap, %other, %parity : i32
          scf.yield %nextStage, %nextParity, %sum1, %group1, %stage : i32, i32, !flight, !group, i32
        }
        %result = titan.mma.result %r#2 : !flight -> !sums
        titan.elect {
          titan.mbarrier.arrive %empty[%r#4 : i32] : !titan.mbarrier<4>
        }

        // Eight panels of 32 columns, alpha * sum + bias.
        %stores:2 = scf.for %j = %c0 to %c8 step %c1
            iter_args(%older = %older0, %newer = %newer0) -> (!bulk, !bulk) {
          %panel = titan.panel %result[%j] : !sums -> !panelF
          %column = arith.muli %j, %c32 : index
          %at = arith.addi %n, %column : index
          %at32 = arith.index_cast %at : index to i32
          %base = titan.splat %at32 : i32 -> !indices
          %own = titan.coordinate 1 : !indices
          %columns = arith.addi %base, %own : !indices
          %inside = arith.cmpi slt, %columns, %limit : !indices
          %added = titan.global.load %bias[%columns] mask(%inside : !mask) : !vector, !indices -> !panelF
          %scaled = arith.mulf %panel, %factor : !panelF
          %sum = arith.addf %scaled, %added : !panelF
          %parity = arith.remui %j, %c2 : index
          %buffer = titan.shared.slot %d[%parity : index] : !ringF -> !tileF
          titan.elect warp(0) {
            titan.bulk.wait %older read : !bulk
          }
          titan.barrier.sync 1 threads(256)
          titan.shared.store %sum, %buffer : !panelF, !tileF
          titan.fence.proxy_async shared_cta
          titan.barrier.sync 1 threads(256)
          %stored = titan.elect warp(0) -> !bulk {
            titan.tma.store %buffer, %mapD[%m, %at] : !tileF, !mapF
            %group = titan.bulk.commit : !bulk
            titan.yield %group : !bulk
          }
          scf.yield %newer, %stored : !bulk, !bulk
        } {titan.unroll}
        scf.yield %r#0, %r#1, %stores#0, %stores#1 : i32, i32, !bulk, !bulk
      }
      titan.elect warp(0) {
        titan.bulk.wait %s#3 read : !bulk
      }
    }
  }
  titan.return
}

// What gemm should compute, in f64, and the error allowed: 2^-8 of the result,
// which is rounded to bf16, and 2^-20 of the sum of the products' magnitudes.
func.func private @gemm_reference(
    %A: memref<?x?xbf16> {titan.input = "A"}, %B: memref<?x?xbf16> {titan.input = "B"},
    %D: memref<?x?xf64> {titan.expected = "D"}, %bound: memref<?x?xf64> {titan.bound = "D"})
    attributes {titan.exact} {
  %zero = arith.constant 0.0 : f64
  %e8 = arith.constant 0.00390625 : f64
  %e20 = arith.constant 9.5367431640625e-07 : f64
  linalg.fill ins(%zero : f64) outs(%D : memref<?x?xf64>)
  linalg.fill ins(%zero : f64) outs(%bound : memref<?x?xf64>)
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %B : memref<?x?xbf16>, memref<?x?xbf16>) outs(%D, %bound : memref<?x?xf64>, memref<?x?xf64>) {
  ^bb0(%a: bf16, %b: bf16, %sum: f64, %magnitude: f64):
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %x = arith.extf %a32 : f32 to f64
    %y = arith.extf %b32 : f32 to f64
    %p = arith.mulf %x, %y : f64
    %q = math.absf %p : f64
    %s = arith.addf %sum, %p : f64
    %t = arith.addf %magnitude, %q : f64
    linalg.yield %s, %t : f64, f64
  }
  linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%D : memref<?x?xf64>) outs(%bound : memref<?x?xf64>) {
  ^bb0(%d: f64, %magnitude: f64):
    %size = math.absf %d : f64
    %p = arith.mulf %size, %e8 : f64
    %q = arith.mulf %magnitude, %e20 : f64
    %sum = arith.addf %p, %q : f64
    linalg.yield %sum : f64
  }
  return
}

// What gemm_f32 should compute, and the error allowed: 2^-20 of the result and
// of the sum of the products' magnitudes.
func.func private @gemm_f32_reference(
    %A: memref<?x?xbf16> {titan.input = "A"}, %B: memref<?x?xbf16> {titan.input = "B"},
    %alpha: f32 {titan.input = "alpha"}, %bias: memref<?xf32> {titan.input = "bias"},
    %D: memref<?x?xf64> {titan.expected = "D"}, %bound: memref<?x?xf64> {titan.bound = "D"})
    attributes {titan.exact} {
  %zero = arith.constant 0.0 : f64
  %e20 = arith.constant 9.5367431640625e-07 : f64
  %factor = arith.extf %alpha : f32 to f64
  linalg.fill ins(%zero : f64) outs(%D : memref<?x?xf64>)
  linalg.fill ins(%zero : f64) outs(%bound : memref<?x?xf64>)
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %B : memref<?x?xbf16>, memref<?x?xbf16>) outs(%D, %bound : memref<?x?xf64>, memref<?x?xf64>) {
  ^bb0(%a: bf16, %b: bf16, %sum: f64, %magnitude: f64):
    %a32 = arith.extf %a : bf16 to f32
    %b32 = arith.extf %b : bf16 to f32
    %x = arith.extf %a32 : f32 to f64
    %y = arith.extf %b32 : f32 to f64
    %p = arith.mulf %x, %y : f64
    %q = math.absf %p : f64
    %s = arith.addf %sum, %p : f64
    %t = arith.addf %magnitude, %q : f64
    linalg.yield %s, %t : f64, f64
  }
  linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%bias : memref<?xf32>) outs(%D, %bound : memref<?x?xf64>, memref<?x?xf64>) {
  ^bb0(%b: f32, %sum: f64, %magnitude: f64):
    %b64 = arith.extf %b : f32 to f64
    %scaled = arith.mulf %factor, %sum : f64
    %d = arith.addf %scaled, %b64 : f64
    %size = math.absf %d : f64
    %share = arith.mulf %factor, %magnitude : f64
    %products = math.absf %share : f64
    %all = arith.addf %size, %products : f64
    %error = arith.mulf %all, %e20 : f64
    linalg.yield %d, %error : f64, f64
  }
  return
}
