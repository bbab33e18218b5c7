// D[g] = A[g] * B[g]^T for several groups of different height (a mixture of
// experts): rows offsets[g] to offsets[g + 1] of A and D belong to group g, and
// rows g * N to (g + 1) * N of B.
//
// A tile at a group's end must neither read the next group's rows nor write
// them. So for each group the maps of A and D are changed: they begin at the
// group's first row and end at its last; TMA then clips the boxes by itself.
// Each CTA has maps of its own, two rows of `maps`. What `offsets` holds the
// program takes for granted, and says so (titan.assume): groups lie one behind
// the other in A, and may be empty.
//
// How a map changes, in a warp of which one thread copies through it:
//   1. nothing uses it any more: the thread's bulk groups have read theirs;
//   2. the thread edits the copy in shared memory (tensormap.replace);
//   3. syncwarp: the warp sees the edits;
//   4. the warp copies it to global memory and releases it (cp_fenceproxy);
//   5. the warp acquires it (fence.tensormap_acquire), and the thread copies.

#acc    = #titan.wgmma<2, 1>

!global = !titan.global<?x?xbf16>
!offsets = !titan.global<?xi32>
!maps   = !titan.global<?x128xi8>
!mapA   = !titan.tensor_map<128x64xbf16, swizzle = 128>
!mapB   = !titan.tensor_map<256x64xbf16, swizzle = 128>
!ringA  = !titan.shared<128x64xbf16, swizzle = 128, slots = 4>
!ringB  = !titan.shared<256x64xbf16, swizzle = 128, slots = 4>
!ringD  = !titan.shared<128x64xbf16, swizzle = 128, slots = 2>
!tileA  = !titan.shared<128x64xbf16, swizzle = 128>
!tileB  = !titan.shared<256x64xbf16, swizzle = 128>
!bars   = !titan.mbarrier<4>
!sums   = tensor<128x256xf32, #acc>
!panel  = tensor<128x64xf32, #acc>
!half   = tensor<128x64xbf16, #acc>
!flight = !titan.inflight<tensor<128x256xf32, #acc>>
!group  = !titan.token<mma>
!bulk   = !titan.token<bulk>

titan.kernel @gemm_grouped(%A: !global, %B: !global, %D: !global, %offsets: !offsets, %maps: !maps)
    warps(12) registers(168) attributes {
  titan.target = "sm_90a",
  titan.example = {sizes = {M = 300, N = 264, K = 200, NB = 792}, A = "MxK random:1", B = "NBxK random:2",
                   D = "MxN", offsets = "4 steps:100", maps = "8x128", multiprocessor_count = 4},
  titan.reference = @grouped_reference
} launch {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %n = titan.dim %D, 1 : !global
  %k = titan.dim %A, 1 : !global
  %kB = titan.dim %B, 1 : !global
  %is_kB = arith.cmpi eq, %kB, %k : index
  titan.require %is_kB, "launch-check", "A and B have the same number of columns"
  %tilesN = arith.ceildivui %n, %c256 : index
  %steps = arith.ceildivui %k, %c64 : index
  %bounds = titan.dim %offsets, 0 : !offsets
  %groups = arith.subi %bounds, %c1 : index
  %some = arith.cmpi uge, %bounds, %c2 : index
  titan.require %some, "launch-check", "there is a group: offsets has its first row and its end"
  %m = titan.dim %A, 0 : !global
  %mD = titan.dim %D, 0 : !global
  %nB = titan.dim %B, 0 : !global
  %nAll = arith.muli %groups, %n : index
  %is_mD = arith.cmpi eq, %mD, %m : index
  %is_nB = arith.cmpi eq, %nB, %nAll : index
  titan.require %is_mD, "launch-check", "D has a row for each row of A"
  titan.require %is_nB, "launch-check", "B has a row for each column of D and each group"
  %most = arith.constant 2147483647 : index
  %few = arith.cmpi ule, %m, %most : index
  titan.require %few, "launch-check", "A has fewer than 2^31 rows"
  %sms = titan.device_property "multiprocessor_count"
  %rows = titan.dim %maps, 0 : !maps
  %needed = arith.muli %sms, %c2 : index
  %enough = arith.cmpi uge, %rows, %needed : index
  titan.require %enough, "launch-check", "maps needs two rows a CTA"
  %mapA = titan.tensor_map %A : !global -> !mapA
  %mapB = titan.tensor_map %B : !global -> !mapB
  %mapD = titan.tensor_map %D : !global -> !mapA
  titan.launch grid(%sms) with(%mapA, %mapB, %mapD, %tilesN, %steps, %groups, %n : !mapA, !mapB, !mapA, index, index, index, index)
} body(%mapA: !mapA, %mapB: !mapB, %mapD: !mapA, %tilesN: index, %steps: index, %groups: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %i0 = arith.constant 0 : i32
  %rows = titan.dim %A, 0 : !global
  %rows32 = arith.index_cast %rows : index to i32
  %cta = titan.cta_id 0
  %ctas = titan.num_ctas 0
  %rowA = arith.muli %cta, %c2 : index
  %rowD = arith.addi %rowA, %c1 : index

  %a = titan.shared.alloc : !ringA
  %b = titan.shared.alloc : !ringB
  %d = titan.shared.alloc : !ringD
  %editA = titan.tensormap.alloc : !mapA
  %editD = titan.tensormap.alloc : !mapA
  %groupA = titan.tensormap.at %maps[%rowA] over %A : !maps, !global -> !mapA
  %groupD = titan.tensormap.at %maps[%rowD] over %D : !maps, !global -> !mapA
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(8) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync

  titan.warp_specialize {
    titan.partition "load" warps(1) registers(40) {
      %bytes = arith.constant 49152 : i32
      titan.tensormap.copy %mapA, %editA : !mapA, !mapA
      titan.syncwarp
      %end:2 = scf.for %g = %c0 to %groups step %c1
          iter_args(%tile0 = %c0, %base = %c0) -> (index, index) {
        %g1 = arith.addi %g, %c1 : index
        %begin32 = titan.ld %offsets[%g] : !offsets -> i32
        %end32 = titan.ld %offsets[%g1] : !offsets -> i32
        %low = arith.cmpi sge, %begin32, %i0 : i32
        %high = arith.cmpi sle, %end32, %rows32 : i32
        %rising = arith.cmpi sge, %end32, %begin32 : i32
        %within = arith.andi %low, %high : i1
        %inside = arith.andi %within, %rising : i1
        titan.assume %inside, "the rows of a group lie in A, and end where they begin or behind"
        %height32 = arith.subi %end32, %begin32 : i32
        %begin = arith.index_cast %begin32 : i32 to index
        %height = arith.index_cast %height32 : i32 to index
        %tilesM = arith.ceildivui %height, %c128 : index
        %tiles = arith.muli %tilesM, %tilesN : index
        // Tiles of all groups are dealt out in turn: this CTA's first in here.
        %dealt = arith.remui %tile0, %ctas : index
        %turn = arith.addi %cta, %ctas : index
        %wait = arith.subi %turn, %dealt : index
        %mine = arith.remui %wait, %ctas : index
        %some = arith.cmpi ult, %mine, %tiles : index
        %uses = scf.if %some -> (index) {
          titan.elect {
            %readers = titan.bulk.commit : !bulk
            titan.bulk.wait %readers read : !bulk
            titan.tensormap.replace_address %editA, %A[%begin, %c0] : !mapA, !global
            titan.tensormap.replace_dim %editA, 0, %height32 : !mapA
          }
          titan.syncwarp
          titan.tensormap.cp_fenceproxy %editA, %groupA gpu : !mapA, !mapA
          titan.fence.tensormap_acquire %groupA gpu : !mapA

          %rowsB = arith.muli %g, %n : index
          %after = scf.for %tile = %mine to %tiles step %ctas iter_args(%use0 = %base) -> (index) {
            %tm = arith.divui %tile, %tilesN : index
            %tn = arith.remui %tile, %tilesN : index
            %m = arith.muli %tm, %c128 : index
            %column = arith.muli %tn, %c256 : index
            %rowB = arith.addi %rowsB, %column : index
            titan.elect {
              scf.for %step = %c0 to %steps step %c1 {
                %use = arith.addi %use0, %step : index
                %stage = arith.remui %use, %c4 : index
                %round = arith.divui %use, %c4 : index
                %later = arith.addi %round, %c1 : index
                %odd = arith.remui %later, %c2 : index
                %parity = arith.index_cast %odd : index to i32
                %k = arith.muli %step, %c64 : index
                titan.mbarrier.wait %empty[%stage : index] parity(%parity) : !bars
                titan.mbarrier.arrive_expect_tx %full[%stage : index], %bytes : !bars
                %slotA = titan.shared.slot %a[%stage : index] : !ringA -> !tileA
                %slotB = titan.shared.slot %b[%stage : index] : !ringB -> !tileB
                titan.tma.load %groupA[%m, %k], %slotA, %full[%stage : index] : !mapA, !tileA, !bars
                titan.tma.load %mapB[%rowB, %k], %slotB, %full[%stage : index] : !mapB, !tileB, !bars
              }
            }
            %use1 = arith.addi %use0, %steps : index
            scf.yield %use1 : index
          }
          scf.yield %after : index
        } else {
          scf.yield %base : index
        }
        %tile1 = arith.addi %tile0, %tiles : index
        scf.yield %tile1, %uses : index, index
      }
      titan.elect {
        %g = titan.bulk.commit : !bulk
        titan.bulk.wait %g read : !bulk
      }
    }

    titan.partition "multiply" warps(8) registers(232) {
      %none = titan.inflight.none : !flight
      %warp = titan.warp_id
      %stores = arith.cmpi eq, %warp, %i0 : i32
      scf.if %stores {
        titan.tensormap.copy %mapD, %editD : !mapA, !mapA
        titan.syncwarp
      }
      %end:2 = scf.for %g = %c0 to %groups step %c1
          iter_args(%tile0 = %c0, %base = %c0) -> (index, index) {
        %g1 = arith.addi %g, %c1 : index
        %begin32 = titan.ld %offsets[%g] : !offsets -> i32
        %end32 = titan.ld %offsets[%g1] : !offsets -> i32
        %low = arith.cmpi sge, %begin32, %i0 : i32
        %high = arith.cmpi sle, %end32, %rows32 : i32
        %rising = arith.cmpi sge, %end32, %begin32 : i32
        %within = arith.andi %low, %high : i1
        %inside = arith.andi %within, %rising : i1
        titan.assume %inside, "the rows of a group lie in A, and end where they begin or behind"
        %height32 = arith.subi %end32, %begin32 : i32
        %begin = arith.index_cast %begin32 : i32 to index
        %height = arith.index_cast %height32 : i32 to index
        %tilesM = arith.ceildivui %height, %c128 : index
        %tiles = arith.muli %tilesM, %tilesN : index
        %dealt = arith.remui %tile0, %ctas : index
        %turn = arith.addi %cta, %ctas : index
        %wait = arith.subi %turn, %dealt : index
        %mine = arith.remui %wait, %ctas : index
        %some = arith.cmpi ult, %mine, %tiles : index
        %uses = scf.if %some -> (index) {
          // Warp 0 stores, so warp 0 changes the map of D.
          scf.if %stores {
            titan.elect {
              titan.bulk.wait_group 0 read
              titan.tensormap.replace_address %editD, %D[%begin, %c0] : !mapA, !global
              titan.tensormap.replace_dim %editD, 0, %height32 : !mapA
            }
            titan.syncwarp
            titan.tensormap.cp_fenceproxy %editD, %groupD gpu : !mapA, !mapA
            titan.fence.tensormap_acquire %groupD gpu : !mapA
          }

          %after = scf.for %tile = %mine to %tiles step %ctas iter_args(%use0 = %base) -> (index) {
            %tm = arith.divui %tile, %tilesN : index
            %tn = arith.remui %tile, %tilesN : index
            %m = arith.muli %tm, %c128 : index
            %column = arith.muli %tn, %c256 : index
            %sum = scf.for %step = %c0 to %steps step %c1 iter_args(%acc = %none) -> (!flight) {
              %use = arith.addi %use0, %step : index
              %stage = arith.remui %use, %c4 : index
              %round = arith.divui %use, %c4 : index
              %odd = arith.remui %round, %c2 : index
              %parity = arith.index_cast %odd : index to i32
              titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars
              %slotA = titan.shared.slot %a[%stage : index] : !ringA -> !tileA
              %slotB = titan.shared.slot %b[%stage : index] : !ringB -> !tileB
              titan.mma.fence
              %more = arith.cmpi ne, %step, %c0 : index
              %acc1 = titan.mma %slotA, %slotB, %acc accumulate(%more) : !tileA, !tileB, !flight -> !flight
              %group = titan.mma.commit : !group
              titan.mma.wait %group : !group
              titan.elect {
                titan.mbarrier.arrive %empty[%stage : index] : !bars
              }
              scf.yield %acc1 : !flight
            }
            %result = titan.mma.result %sum : !flight -> !sums

            // Four panels through two buffers.
            scf.for %p = %c0 to %c4 step %c1 {
              %which = arith.remui %p, %c2 : index
              %buffer = titan.shared.slot %d[%which : index] : !ringD -> !tileA
              titan.elect warp(0) {
                titan.bulk.wait_group 1 read
              }
              titan.barrier.sync 1 threads(256)
              %panel = titan.panel %result[%p] : !sums -> !panel
              %panel16 = arith.truncf %panel : !panel to !half
              titan.shared.store %panel16, %buffer matrix : !half, !tileA
              titan.fence.proxy_async shared_cta
              titan.barrier.sync 1 threads(256)
              titan.elect warp(0) {
                %offset = arith.muli %p, %c64 : index
                %at = arith.addi %column, %offset : index
                titan.tma.store %buffer, %groupD[%m, %at] : !tileA, !mapA
                %stored = titan.bulk.commit : !bulk
              }
            } {titan.unroll}
            %use1 = arith.addi %use0, %steps : index
            scf.yield %use1 : index
          }
          scf.yield %after : index
        } else {
          scf.yield %base : index
        }
        %tile1 = arith.addi %tile0, %tiles : index
        scf.yield %tile1, %uses : index, index
      }
      titan.elect warp(0) {
        titan.bulk.wait_group 0 read
      }
    }
  }
  titan.return
}

// What it should compute, group by group. The error allowed: 2^-8 of the
// result, which is rounded to bf16, and 2^-20 of the sum of the products'
// magnitudes for the sums.
func.func private @grouped_reference(
    %A: memref<?x?xbf16> {titan.input = "A"}, %B: memref<?x?xbf16> {titan.input = "B"},
    %offsets: memref<?xi32> {titan.input = "offsets"},
    %D: memref<?x?xf64> {titan.expected = "D"}, %bound: memref<?x?xf64> {titan.bound = "D"})
    attributes {titan.exact} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %e8 = arith.constant 0.00390625 : f64
  %e20 = arith.constant 9.5367431640625e-07 : f64
  %n = memref.dim %D, %c1 : memref<?x?xf64>
  %k = memref.dim %A, %c1 : memref<?x?xbf16>
  %bounds = memref.dim %offsets, %c0 : memref<?xi32>
  %groups = arith.subi %bounds, %c1 : index
  linalg.fill ins(%zero : f64) outs(%D : memref<?x?xf64>)
  linalg.fill ins(%zero : f64) outs(%bound : memref<?x?xf64>)
  scf.for %g = %c0 to %groups step %c1 {
    %g1 = arith.addi %g, %c1 : index
    %begin32 = memref.load %offsets[%g] : memref<?xi32>
    %end32 = memref.load %offsets[%g1] : memref<?xi32>
    %begin = arith.index_cast %begin32 : i32 to index
    %end = arith.index_cast %end32 : i32 to index
    %height = arith.subi %end, %begin : index
    %rowB = arith.muli %g, %n : index
    %a = memref.subview %A[%begin, 0] [%height, %k] [1, 1] : memref<?x?xbf16> to memref<?x?xbf16, strided<[?, 1], offset: ?>>
    %b = memref.subview %B[%rowB, 0] [%n, %k] [1, 1] : memref<?x?xbf16> to memref<?x?xbf16, strided<[?, 1], offset: ?>>
    %d = memref.subview %D[%begin, 0] [%height, %n] [1, 1] : memref<?x?xf64> to memref<?x?xf64, strided<[?, 1], offset: ?>>
    %e = memref.subview %bound[%begin, 0] [%height, %n] [1, 1] : memref<?x?xf64> to memref<?x?xf64, strided<[?, 1], offset: ?>>
    linalg.generic {
        indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                         affine_map<(m, n, k) -> (m, n)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : memref<?x?xbf16, strided<[?, 1], offset: ?>>, memref<?x?xbf16, strided<[?, 1], offset: ?>>)
        outs(%d, %e : memref<?x?xf64, strided<[?, 1], offset: ?>>, memref<?x?xf64, strided<[?, 1], offset: ?>>) {
    ^bb0(%x: bf16, %y: bf16, %sum: f64, %magnitude: f64):
      %x32 = arith.extf %x : bf16 to f32
      %y32 = arith.extf %y : bf16 to f32
      %x64 = arith.extf %x32 : f32 to f64
      %y64 = arith.extf %y32 : f32 to f64
      %p = arith.mulf %x64, %y64 : f64
      %q = math.absf %p : f64
      %s = arith.addf %sum, %p : f64
      %t = arith.addf %magnitude, %q : f64
      linalg.yield %s, %t : f64, f64
    }
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
