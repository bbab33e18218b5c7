// IDIOM: a single buffer
//
// One buffer: full and empty in turn, the parity of each flips with every use.
//
// RUN: titan check %s --require=searched | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @bare: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @pipe: accepted
// CHECK: {{^}}  proved, for every size
//
// It begins with the parity of the phase before the first.
// VARIANT wrong_parity: in from `%p = %i0` -> `%p = %i1`
// RUN: %variant wrong_parity %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=WRONG-PARITY
// WRONG-PARITY: [phase-parity]
// Never given back.
// VARIANT never: drop prelease
// RUN: %variant never %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=NEVER
// NEVER: [pipe-release]

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!bar = !titan.mbarrier
!turn = !titan.pipe<1>
!regs = tensor<8x64xbf16, #rows>
!where = tensor<8x64xi32, #rows>
!yes = tensor<8x64xi1, #rows>
!single = !titan.shared<8x64xbf16, swizzle = 128, slots = 1>

// A tile goes to rows of Y, as far as there are such.
func.func private @put(%x: !regs, %Y: !global, %row: index) {
  %row32 = arith.index_cast %row : index to i32
  %at = titan.splat %row32 : i32 -> !where
  %in = titan.coordinate 0 : !where
  %i = arith.addi %at, %in : !where
  %j = titan.coordinate 1 : !where
  %m = titan.dim %Y, 0 : !global
  %m32 = arith.index_cast %m : index to i32
  %end = titan.splat %m32 : i32 -> !where
  %inside = arith.cmpi slt, %i, %end : !where
  titan.global.store %x, %Y[%i, %j] mask(%inside : !yes) : !regs, !global, !where, !where
  return
}

// Parities are carried.
titan.kernel @bare(%X: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64"},
  titan.reference = @same} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %most = arith.constant 1073741824 : index
  %few0 = arith.cmpi ule, %rows, %most : index
  titan.require %few0, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  %sizeY0 = titan.dim %Y, 0 : !global
  %few1 = arith.cmpi ule, %sizeY0, %most : index
  titan.require %few1, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  titan.launch grid(%one) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 1024 : i32
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %empty = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.mbarrier.init %empty count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %end = scf.for %i = %c0 to %n step %c1 iter_args(%p = %i1) -> (i32) {
          %row = arith.muli %i, %c8 : index
          titan.mbarrier.wait %empty parity(%p) : !bar
          titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
          titan.tma.load %map[%row, %c0], %tile, %full : !map, !tile, !bar
          %q = arith.xori %p, %i1 : i32
          scf.yield %q : i32
        }
      }
    }
    titan.partition "use" warps(1) {
      %end = scf.for %i = %c0 to %n step %c1 iter_args(%p = %i0) -> (i32) { // @from
        titan.mbarrier.wait %full parity(%p) : !bar
        %x = titan.shared.load %tile : !tile -> !regs
        titan.fence.proxy_async shared_cta
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty : !bar
        }
        %row = arith.muli %i, %c8 : index
        func.call @put(%x, %Y, %row) : (!regs, !global, index) -> ()
        %q = arith.xori %p, %i1 : i32
        scf.yield %q : i32
      }
    }
  }
  titan.return
}

titan.kernel @pipe(%X: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64"},
  titan.reference = @same} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %most = arith.constant 1073741824 : index
  %few0 = arith.cmpi ule, %rows, %most : index
  titan.require %few0, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  %sizeY0 = titan.dim %Y, 0 : !global
  %few1 = arith.cmpi ule, %sizeY0, %most : index
  titan.require %few1, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  titan.launch grid(%one) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %tile = titan.shared.alloc : !single
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%tile : !single) : !turn
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %row = arith.muli %i, %c8 : index
        %slot = titan.pipe.acquire %pipe : !turn
        titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map
        titan.pipe.commit %slot
      }
    }
    titan.partition "use" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %slot = titan.pipe.wait %pipe : !turn
        %in = titan.pipe.buffer %slot["x"] : !tile
        %x = titan.shared.load %in : !tile -> !regs
        titan.pipe.release %slot // @prelease
        %row = arith.muli %i, %c8 : index
        func.call @put(%x, %Y, %row) : (!regs, !global, index) -> ()
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
