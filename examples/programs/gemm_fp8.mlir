// D = A * B^T: A is M x K, B is N x K, e4m3; D is M x N, f32.
//
// Sums of fp8 products keep 13 bits of fraction in the tensor core's accumulators, after each instruction of
// K = 32 (docs/hardware-mma.md). So @gemm_fp8 starts a product anew every 128 of K and adds what came out to sums of its
// own, in f32: four instructions' cuts, and not K / 32 of them. @gemm_fp8_plain leaves all to the tensor core. Otherwise
// the two are one kernel: one warp loads, a warpgroup multiplies.

#acc = #titan.wgmma<1, 1>

!matrix = !titan.global<?x?xf8E4M3FN>
!out    = !titan.global<?x?xf32>
!map    = !titan.tensor_map<64x128xf8E4M3FN, swizzle = 128>
!ring   = !titan.shared<64x128xf8E4M3FN, swizzle = 128, slots = 3>
!tile   = !titan.shared<64x128xf8E4M3FN, swizzle = 128>
!sums   = tensor<64x64xf32, #acc>
!index  = tensor<64x64xi32, #acc>
!bits   = tensor<64x64xi1, #acc>
!flight = !titan.inflight<tensor<64x64xf32, #acc>>
!group  = !titan.token<mma>

titan.kernel @gemm_fp8(%A: !matrix, %B: !matrix, %D: !out) warps(8) attributes {
  titan.example = {sizes = {M = 100, N = 72, K = 1040}, A = "MxK random:1", B = "NxK random:2", D = "MxN"},
  titan.reference = @gemm_fp8_reference
} launch {
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %m = titan.dim %A, 0 : !matrix
  %n = titan.dim %B, 0 : !matrix
  %k = titan.dim %A, 1 : !matrix
  %kB = titan.dim %B, 1 : !matrix
  %mD = titan.dim %D, 0 : !out
  %nD = titan.dim %D, 1 : !out
  %is_kB = arith.cmpi eq, %kB, %k : index
  %is_mD = arith.cmpi eq, %mD, %m : index
  %is_nD = arith.cmpi eq, %nD, %n : index
  titan.require %is_kB, "launch-check", "A and B have the same number of columns"
  titan.require %is_mD, "launch-check", "D has a row for each row of A"
  titan.require %is_nD, "launch-check", "D has a column for each row of B"
  %most = arith.constant 1073741824 : index
  %few_rows = arith.cmpi ule, %m, %most : index
  titan.require %few_rows, "launch-check", "at most 2^30 rows: their numbers have 32 bits"
  %few_columns = arith.cmpi ule, %n, %most : index
  titan.require %few_columns, "launch-check", "at most 2^30 columns: their numbers have 32 bits"
  %tilesM = arith.ceildivui %m, %c64 : index
  %tilesN = arith.ceildivui %n, %c64 : index
  %steps = arith.ceildivui %k, %c128 : index
  %mapA = titan.tensor_map %A : !matrix -> !map
  %mapB = titan.tensor_map %B : !matrix -> !map
  titan.launch grid(%tilesN, %tilesM) with(%mapA, %mapB, %m, %n, %steps : !map, !map, index, index, index)
} body(%mapA: !map, %mapB: !map, %height: index, %width: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %tn = titan.cta_id 0
  %tm = titan.cta_id 1
  %m = arith.muli %tm, %c64 : index
  %n = arith.muli %tn, %c64 : index
  %a = titan.shared.alloc : !ring
  %b = titan.shared.alloc : !ring
  %ab = titan.pipe.create "load" -> ["multiply"] buffers ["a", "b"](%a, %b : !ring, !ring) : !titan.pipe<3>

  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %step = %c0 to %steps step %c1 {
        %k = arith.muli %step, %c128 : index
        %slot = titan.pipe.acquire %ab : !titan.pipe<3>
        titan.pipe.load %mapA[%m, %k] -> %slot["a"] : !map
        titan.pipe.load %mapB[%n, %k] -> %slot["b"] : !map
        titan.pipe.commit %slot
      }
    }
    titan.partition "multiply" warps(4) {
      %none = titan.inflight.none : !flight
      %zero = arith.constant 0.0 : f32
      %start = titan.splat %zero : f32 -> !sums
      %sums = scf.for %step = %c0 to %steps step %c1 iter_args(%sum = %start) -> (!sums) {
        %slot = titan.pipe.wait %ab : !titan.pipe<3>
        %slotA = titan.pipe.buffer %slot["a"] : !tile
        %slotB = titan.pipe.buffer %slot["b"] : !tile
        titan.mma.fence
        %product = titan.mma %slotA, %slotB, %none : !tile, !tile, !flight -> !flight
        %group = titan.mma.commit : !group
        %partial = titan.mma.result %product after(%group : !group) : !flight -> !sums
        titan.pipe.release %slot
        %next = arith.addf %sum, %partial : !sums
        scf.yield %next : !sums
      }
      %row0 = titan.coordinate 0 : !index
      %column0 = titan.coordinate 1 : !index
      %m32 = arith.index_cast %m : index to i32
      %n32 = arith.index_cast %n : index to i32
      %height32 = arith.index_cast %height : index to i32
      %width32 = arith.index_cast %width : index to i32
      %down = titan.splat %m32 : i32 -> !index
      %across = titan.splat %n32 : i32 -> !index
      %rows = titan.splat %height32 : i32 -> !index
      %columns = titan.splat %width32 : i32 -> !index
      %row = arith.addi %row0, %down : !index
      %column = arith.addi %column0, %across : !index
      %low = arith.cmpi slt, %row, %rows : !index
      %left = arith.cmpi slt, %column, %columns : !index
      %inside = arith.andi %low, %left : !bits
      titan.global.store %sums, %D[%row, %column] mask(%inside : !bits) : !sums, !out, !index, !index
    }
  }
  titan.return
}

titan.kernel @gemm_fp8_plain(%A: !matrix, %B: !matrix, %D: !out) warps(8) attributes {
  titan.example = {sizes = {M = 100, N = 72, K = 1040}, A = "MxK random:1", B = "NxK random:2", D = "MxN"},
  titan.reference = @gemm_fp8_reference
} launch {
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %m = titan.dim %A, 0 : !matrix
  %n = titan.dim %B, 0 : !matrix
  %k = titan.dim %A, 1 : !matrix
  %kB = titan.dim %B, 1 : !matrix
  %mD = titan.dim %D, 0 : !out
  %nD = titan.dim %D, 1 : !out
  %is_kB = arith.cmpi eq, %kB, %k : index
  %is_mD = arith.cmpi eq, %mD, %m : index
  %is_nD = arith.cmpi eq, %nD, %n : index
  titan.require %is_kB, "launch-check", "A and B have the same number of columns"
  titan.require %is_mD, "launch-check", "D has a row for each row of A"
  titan.require %is_nD, "launch-check", "D has a column for each row of B"
  %most = arith.constant 1073741824 : index
  %few_rows = arith.cmpi ule, %m, %most : index
  titan.require %few_rows, "launch-check", "at most 2^30 rows: their numbers have 32 bits"
  %few_columns = arith.cmpi ule, %n, %most : index
  titan.require %few_columns, "launch-check", "at most 2^30 columns: their numbers have 32 bits"
  %tilesM = arith.ceildivui %m, %c64 : index
  %tilesN = arith.ceildivui %n, %c64 : index
  %steps = arith.ceildivui %k, %c128 : index
  %mapA = titan.tensor_map %A : !matrix -> !map
  %mapB = titan.tensor_map %B : !matrix -> !map
  titan.launch grid(%tilesN, %tilesM) with(%mapA, %mapB, %m, %n, %steps : !map, !map, index, index, index)
} body(%mapA: !map, %mapB: !map, %height: index, %width: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %tn = titan.cta_id 0
  %tm = titan.cta_id 1
  %m = arith.muli %tm, %c64 : index
  %n = arith.muli %tn, %c64 : index
  %a = titan.shared.alloc : !ring
  %b = titan.shared.alloc : !ring
  %ab = titan.pipe.create "load" -> ["multiply"] buffers ["a", "b"](%a, %b : !ring, !ring) : !titan.pipe<3>

  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %step = %c0 to %steps step %c1 {
        %k = arith.muli %step, %c128 : index
        %slot = titan.pipe.acquire %ab : !titan.pipe<3>
        titan.pipe.load %mapA[%m, %k] -> %slot["a"] : !map
        titan.pipe.load %mapB[%n, %k] -> %slot["b"] : !map
        titan.pipe.commit %slot
      }
    }
    titan.partition "multiply" warps(4) {
      %none = titan.inflight.none : !flight
      %last = scf.for %step = %c0 to %steps step %c1 iter_args(%sum = %none) -> (!flight) {
        %slot = titan.pipe.wait %ab : !titan.pipe<3>
        %slotA = titan.pipe.buffer %slot["a"] : !tile
        %slotB = titan.pipe.buffer %slot["b"] : !tile
        %more = arith.cmpi ne, %step, %c0 : index
        titan.mma.fence
        %next = titan.mma %slotA, %slotB, %sum accumulate(%more) : !tile, !tile, !flight -> !flight
        %group = titan.mma.commit : !group
        titan.mma.wait %group : !group
        titan.pipe.release %slot
        scf.yield %next : !flight
      }
      %sums = titan.mma.result %last : !flight -> !sums
      %row0 = titan.coordinate 0 : !index
      %column0 = titan.coordinate 1 : !index
      %m32 = arith.index_cast %m : index to i32
      %n32 = arith.index_cast %n : index to i32
      %height32 = arith.index_cast %height : index to i32
      %width32 = arith.index_cast %width : index to i32
      %down = titan.splat %m32 : i32 -> !index
      %across = titan.splat %n32 : i32 -> !index
      %rows = titan.splat %height32 : i32 -> !index
      %columns = titan.splat %width32 : i32 -> !index
      %row = arith.addi %row0, %down : !index
      %column = arith.addi %column0, %across : !index
      %low = arith.cmpi slt, %row, %rows : !index
      %left = arith.cmpi slt, %column, %columns : !index
      %inside = arith.andi %low, %left : !bits
      titan.global.store %sums, %D[%row, %column] mask(%inside : !bits) : !sums, !out, !index, !index
    }
  }
  titan.return
}

// What both should compute, and the error allowed. An instruction cuts off less than 2^-13 of its largest term from each of
// 33 terms, and as much of its sum; no term of a product's four instructions is larger than the sum of its products'
// magnitudes: 4 * 34 * 2^-13 of that sum, all K together, bounds @gemm_fp8's error. (@gemm_fp8_plain has no such bound: K / 32
// instructions, and not 4.)
func.func private @gemm_fp8_reference(
    %A: memref<?x?xf8E4M3FN> {titan.input = "A"}, %B: memref<?x?xf8E4M3FN> {titan.input = "B"},
    %D: memref<?x?xf64> {titan.expected = "D"}, %bound: memref<?x?xf64> {titan.bound = "D"}) {
  %zero = arith.constant 0.0 : f64
  %share = arith.constant 0.0166015625 : f64
  linalg.fill ins(%zero : f64) outs(%D : memref<?x?xf64>)
  linalg.fill ins(%zero : f64) outs(%bound : memref<?x?xf64>)
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %B : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>) outs(%D, %bound : memref<?x?xf64>, memref<?x?xf64>) {
  ^bb0(%a: f8E4M3FN, %b: f8E4M3FN, %sum: f64, %magnitude: f64):
    %x = arith.extf %a : f8E4M3FN to f64
    %y = arith.extf %b : f8E4M3FN to f64
    %p = arith.mulf %x, %y : f64
    %size = math.absf %p : f64
    %q = arith.mulf %size, %share : f64
    %s = arith.addf %sum, %p : f64
    %t = arith.addf %magnitude, %q : f64
    linalg.yield %s, %t : f64, f64
  }
  return
}
