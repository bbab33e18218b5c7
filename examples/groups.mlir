// Copies by schedule: sums over groups of 320 columns, of a matrix of any size.
//
// What moves is said by a schedule of the tensor, and how it moves is inferred
// (docs/tma.md): no tensor map, no coordinate, no count of bytes is written here.
// A group is five tiles of 64 columns, and a step takes two of them: the last step of
// each group has one too many. That tile holds data, of the next group, where the sum
// wants nothing: it lies inside of the tensor, so that TMA would not fill it by itself.
// Because the tile is summed along its columns the copy has to be strongly correct, and
// becomes two: the tile, or a box from outside of the tensor, all zeros, where
// Ks*2 + Ku is not below 5. `titan explain tma examples/groups.mlir` prints it.

#tile = #titan.schedule<
  tensor M x K
  Mo, Mi = split(M, 64)       // a CTA sums 64 rows
  Ko, Ki = split(K, 64)       // in tiles of 64 columns,
  Kg, Kt = split(Ko, 5)       // five of them a group,
  Ks, Ku = split(Kt, 2)       // two of them a step
  bulk Mi, Ki>

!matrix = !titan.global<?x?xbf16>
!sums   = !titan.global<?x?xf32>
!ring   = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!in     = tensor<64x64xbf16, #rows>
!wide   = tensor<64x64xf32, #rows>
!where  = tensor<64x64xi32, #rows>
!yes    = tensor<64x64xi1, #rows>

titan.kernel @groups(%X: !matrix, %S: !sums) warps(4) attributes {
  titan.example = {sizes = {M = 100, K = 1000, G = 4}, X = "MxK ints:1", S = "MxG"},
  titan.reference = @groups_reference
} launch {
  %c64 = arith.constant 64 : index
  %c320 = arith.constant 320 : index
  %m = titan.dim %X, 0 : !matrix
  %k = titan.dim %X, 1 : !matrix
  %mS = titan.dim %S, 0 : !sums
  %gS = titan.dim %S, 1 : !sums
  %groups = arith.ceildivui %k, %c320 : index
  %is_m = arith.cmpi eq, %mS, %m : index
  %is_g = arith.cmpi eq, %gS, %groups : index
  titan.require %is_m, "launch-check", "S has a row for each row of X"
  titan.require %is_g, "launch-check", "S has a column for each 320 columns of X"
  %most = arith.constant 1073741824 : index
  %few_rows = arith.cmpi ule, %m, %most : index
  titan.require %few_rows, "launch-check", "at most 2^30 rows: their numbers have 32 bits"
  %few_groups = arith.cmpi ule, %groups, %most : index
  titan.require %few_groups, "launch-check", "at most 2^30 groups: their numbers have 32 bits"
  %blocks = arith.ceildivui %m, %c64 : index
  titan.launch grid(%blocks) with(%groups : index)
} body(%groups: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %i0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %none = titan.splat %zero : f32 -> !wide
  %ring = titan.shared.alloc : !ring
  %first = titan.shared.slot %ring[%c0 : index] : !ring -> !tile
  %second = titan.shared.slot %ring[%c1 : index] : !ring -> !tile
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %block = titan.cta_id 0

  // Where each element of a tile of sums goes: one column of S.
  %row0 = arith.muli %block, %c64 : index
  %row32 = arith.index_cast %row0 : index to i32
  %rowStart = titan.splat %row32 : i32 -> !where
  %rowIn = titan.coordinate 0 : !where
  %i = arith.addi %rowStart, %rowIn : !where
  %m = titan.dim %X, 0 : !matrix
  %m32 = arith.index_cast %m : index to i32
  %rows = titan.splat %m32 : i32 -> !where
  %inside = arith.cmpi slt, %i, %rows : !where
  %columnIn = titan.coordinate 1 : !where
  %zeros = titan.splat %i0 : i32 -> !where
  %once = arith.cmpi eq, %columnIn, %zeros : !where
  %mine = arith.andi %inside, %once : !yes

  scf.for %g = %c0 to %groups step %c1 {
    %before = arith.muli %g, %c3 : index
    %sum = scf.for %s = %c0 to %c3 step %c1 iter_args(%sofar = %none) -> (!wide) {
      titan.elect warp(0) {
        titan.copy_async %X at(Mo = %block, Kg = %g, Ks = %s, Ku = %c0) to %first signals %full
            schedule(#tile) : !matrix, !tile, !titan.mbarrier
        titan.copy_async %X at(Mo = %block, Kg = %g, Ks = %s, Ku = %c1) to %second signals %full
            schedule(#tile) : !matrix, !tile, !titan.mbarrier
        titan.mbarrier.arrive %full : !titan.mbarrier
      }
      %step = arith.addi %before, %s : index
      %parity = arith.remui %step, %c2 : index
      %parity32 = arith.index_cast %parity : index to i32
      titan.mbarrier.wait %full parity(%parity32) : !titan.mbarrier
      %a = titan.shared.load %first : !tile -> !in
      %b = titan.shared.load %second : !tile -> !in
      // The next step's copies overwrite what was read here.
      titan.fence.proxy_async shared_cta
      titan.cta_sync
      %aWide = arith.extf %a : !in to !wide
      %bWide = arith.extf %b : !in to !wide
      %both = arith.addf %aWide, %bWide : !wide
      %part = titan.reduce add %both : !wide -> !wide
      %more = arith.addf %sofar, %part : !wide
      scf.yield %more : !wide
    }
    %g32 = arith.index_cast %g : index to i32
    %j = titan.splat %g32 : i32 -> !where
    titan.global.store %sum, %S[%i, %j] mask(%mine : !yes) : !wide, !sums, !where, !where
  }
  titan.return
}

// What groups should compute: S(m, g) = the sum of X(m, k) over k / 320 = g.
func.func private @groups_reference(%X: memref<?x?xbf16> {titan.input = "X"},
                                    %S: memref<?x?xf32> {titan.expected = "S"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c320 = arith.constant 320 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %X, %c0 : memref<?x?xbf16>
  %k = memref.dim %X, %c1 : memref<?x?xbf16>
  linalg.fill ins(%zero : f32) outs(%S : memref<?x?xf32>)
  scf.for %row = %c0 to %m step %c1 {
    scf.for %column = %c0 to %k step %c1 {
      %g = arith.divui %column, %c320 : index
      %x = memref.load %X[%row, %column] : memref<?x?xbf16>
      %wide = arith.extf %x : bf16 to f32
      %before = memref.load %S[%row, %g] : memref<?x?xf32>
      %after = arith.addf %before, %wide : f32
      memref.store %after, %S[%row, %g] : memref<?x?xf32>
    }
  }
  return
}
