// IDIOM: turns by order pipes
//
// Two partitions take turns at a tile: a turn is passed on by an mbarrier, or by a pipe without buffers, an order pipe. The
// first turn is a credit.
//
// RUN: titan check %s --require=searched | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @bare: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @pipe: accepted
// CHECK: {{^}}  proved, for every size
//
// Nobody waits for the turn.
// VARIANT no_turn: drop turn
// RUN: %variant no_turn %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=NO-TURN
// NO-TURN: [barrier-unobserved]
// The turn is not passed on.
// VARIANT kept: drop passed
// RUN: %variant kept %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: [pipe-fill]

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!bar = !titan.mbarrier
!turn = !titan.pipe<1>
!regs = tensor<8x64xbf16, #rows>
!where = tensor<8x64xi32, #rows>
!yes = tensor<8x64xi1, #rows>

// A tile that holds a number everywhere.
func.func private @number(%i: index) -> !regs {
  %i32 = arith.index_cast %i : index to i32
  %value = arith.sitofp %i32 : i32 to bf16
  %x = titan.splat %value : bf16 -> !regs
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
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64"}} launch {
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
  %c8 = arith.constant 8 : index
  %tile = titan.shared.alloc : !tile
  %even = titan.mbarrier.alloc : !bar
  %odd = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %even count(1) : !bar
    titan.mbarrier.init %odd count(1) : !bar
    titan.fence.mbarrier_init
    }
  %zero = func.call @number(%c0) : (index) -> !regs
  titan.shared.store %zero, %tile : !regs, !tile
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "even" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %round = arith.addi %i, %c1 : index
        %half = arith.remui %round, %c2 : index
        %parity = arith.index_cast %half : index to i32
        titan.mbarrier.wait %even parity(%parity) : !bar // @turn
        %x = titan.shared.load %tile : !tile -> !regs
        %one = func.call @number(%c1) : (index) -> !regs
        %y = arith.addf %x, %one : !regs
        titan.shared.store %y, %tile : !regs, !tile
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %odd : !bar
        }
      }
    }
    titan.partition "odd" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %half = arith.remui %i, %c2 : index
        %parity = arith.index_cast %half : index to i32
        titan.mbarrier.wait %odd parity(%parity) : !bar
        %x = titan.shared.load %tile : !tile -> !regs
        %one = func.call @number(%c1) : (index) -> !regs
        %y = arith.addf %x, %one : !regs
        titan.shared.store %y, %tile : !regs, !tile
        %row = arith.muli %i, %c8 : index
        func.call @put(%y, %Y, %row) : (!regs, !global, index) -> ()
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %even : !bar
        }
      }
    }
  }
  titan.return
}

titan.kernel @pipe(%X: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64"}} launch {
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
  %tile = titan.shared.alloc : !tile
  %zero = func.call @number(%c0) : (index) -> !regs
  titan.shared.store %zero, %tile : !regs, !tile
  titan.cta_sync
  %even = titan.pipe.create "odd" -> ["even"] credit(1) : !turn
  %odd = titan.pipe.create "even" -> ["odd"] : !turn
  titan.warp_specialize {
    titan.partition "even" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %mine = titan.pipe.wait %even : !turn
        %x = titan.shared.load %tile : !tile -> !regs
        %one = func.call @number(%c1) : (index) -> !regs
        %y = arith.addf %x, %one : !regs
        titan.shared.store %y, %tile : !regs, !tile
        titan.pipe.signal %odd : !turn
      }
    }
    titan.partition "odd" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %mine = titan.pipe.wait %odd : !turn
        %x = titan.shared.load %tile : !tile -> !regs
        %one = func.call @number(%c1) : (index) -> !regs
        %y = arith.addf %x, %one : !regs
        titan.shared.store %y, %tile : !regs, !tile
        %row = arith.muli %i, %c8 : index
        func.call @put(%y, %Y, %row) : (!regs, !global, index) -> ()
        titan.pipe.signal %even : !turn // @passed
      }
    }
  }
  titan.return
}
