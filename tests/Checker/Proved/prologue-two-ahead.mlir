// IDIOM: prologue and drain
//
// Loads run two steps ahead: two before the loop, each step issues the one after the next as long as there is one, and
// the last two steps drain what is under way. A barrier of all warps frees the slot that is filled next.
//
// RUN: titan check %s --require=searched | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @bare: accepted
// CHECK: {{^}}  proved, for every size
//
// Nobody waits for the other warp.
// VARIANT no_barrier: drop sync
// RUN: %variant no_barrier %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=NO-BARRIER
// NO-BARRIER: [race]
// Three are loaded before the loop, which loads the third one again.
// VARIANT three_ahead: in ahead `%c2` -> `%c3`
// RUN: %variant three_ahead %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=THREE-AHEAD
// THREE-AHEAD: [phase-ambiguous]
// One tile, and two loads: nobody waits for the second one.
// VARIANT two_at_least: in ahead `minui %n` -> `maxui %c1`
// RUN: %variant two_at_least %s > %t.mlir
// RUN: not titan check %t.mlir 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: [exit-with-work-outstanding]
// RUN: titan-mutate %t.mlir --prove --every 1000000 --schedules 0 | FileCheck %s --check-prefix=ASKED
// ASKED: kernels as they are: 1, 1 refused, 0 proved

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [2, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!ring = !titan.shared<8x64xbf16, swizzle = 128, slots = 3>
!bars = !titan.mbarrier<3>
!regs = tensor<8x64xbf16, #rows>
!where = tensor<8x64xi32, #rows>
!yes = tensor<8x64xi1, #rows>

// A slot's uses alternate between parities: use n is in round n div 3.
func.func private @parity(%use: index) -> i32 {
  %two = arith.constant 2 : index
  %depth = arith.constant 3 : index
  %round = arith.divui %use, %depth : index
  %odd = arith.remui %round, %two : index
  %parity = arith.index_cast %odd : index to i32
  return %parity : i32
}

// The consumer waits for a use and reads it.
func.func private @get(%tiles: !ring, %full: !bars, %use: index) -> !regs {
  %depth = arith.constant 3 : index
  %stage = arith.remui %use, %depth : index
  %parity = func.call @parity(%use) : (index) -> i32
  titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars
  %slot = titan.shared.slot %tiles[%stage : index] : !ring -> !tile
  %x = titan.shared.load %slot : !tile -> !regs
  return %x : !regs
}

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
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %bytes = arith.constant 1024 : i32
  %tiles = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %ahead = arith.minui %n, %c2 : index // @ahead
  scf.for %next = %c0 to %ahead step %c1 {
      %row = arith.muli %next, %c8 : index
      %other = arith.remui %next, %c3 : index
      titan.elect warp(0) {
        %slot = titan.shared.slot %tiles[%other : index] : !ring -> !tile
        titan.mbarrier.arrive_expect_tx %full[%other : index], %bytes : !bars
        titan.tma.load %map[%row, %c0], %slot, %full[%other : index] : !map, !tile, !bars
      }
  }
  scf.for %i = %c0 to %n step %c1 {
    %next = arith.addi %i, %c2 : index
    %more = arith.cmpi ult, %next, %n : index
    scf.if %more {
      %row = arith.muli %next, %c8 : index
      %other = arith.remui %next, %c3 : index
      titan.elect warp(0) {
        %slot = titan.shared.slot %tiles[%other : index] : !ring -> !tile
        titan.mbarrier.arrive_expect_tx %full[%other : index], %bytes : !bars
        titan.tma.load %map[%row, %c0], %slot, %full[%other : index] : !map, !tile, !bars
      }
    }
    %x = func.call @get(%tiles, %full, %i) : (!ring, !bars, index) -> !regs
    titan.fence.proxy_async shared_cta
    titan.cta_sync // @sync
    %row = arith.muli %i, %c8 : index
    func.call @put(%x, %Y, %row) : (!regs, !global, index) -> ()
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
