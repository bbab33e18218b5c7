// A loop that may begin below 0: of what it takes the numbers from there on nothing else counts. The search tries such a launch, too
// (none of the counts of these loops asks for one).
//
// RUN: titan check %s | FileCheck %s
// CHECK: @k: accepted
// CHECK: proved, for every size
// VARIANT negative: in from `0 : i64` -> `-5 : i64`
// RUN: %variant negative %s | not titan check - 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: [{{phase-parity|undefined-read|deadlock}}]
// RUN: titan run %s --schedule random:1
// RUN: %variant negative %s | not titan run - --scalar a=-5 --scalar b=0

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
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

// The producer: block after block of rows, each once the slot's use before it is over.
func.func private @load(%map: !map, %tiles: !ring, %full: !bars, %empty: !bars, %uses: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %depth = arith.constant 3 : index
  %bytes = arith.constant 1024 : i32
  scf.for %use = %zero to %uses step %one {
    %row = arith.muli %use, %eight : index
    %stage = arith.remui %use, %depth : index
    %next = arith.addi %use, %depth : index
    %free = func.call @parity(%next) : (index) -> i32
    titan.mbarrier.wait %empty[%stage : index] parity(%free) : !bars
    titan.mbarrier.arrive_expect_tx %full[%stage : index], %bytes : !bars
    %slot = titan.shared.slot %tiles[%stage : index] : !ring -> !tile
    titan.tma.load %map[%row, %zero], %slot, %full[%stage : index] : !map, !tile, !bars
  }
  return
}

// The consumer's step: it waits for a use, adds what has come, and frees the slot.
func.func private @add(%tiles: !ring, %full: !bars, %empty: !bars, %use: index, %sofar: !regs) -> !regs {
  %depth = arith.constant 3 : index
  %stage = arith.remui %use, %depth : index
  %parity = func.call @parity(%use) : (index) -> i32
  titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars
  %slot = titan.shared.slot %tiles[%stage : index] : !ring -> !tile
  %x = titan.shared.load %slot : !tile -> !regs
  titan.fence.proxy_async shared_cta
  titan.syncwarp
  titan.elect {
    titan.mbarrier.arrive %empty[%stage : index] : !bars
  }
  %sum = arith.addf %sofar, %x : !regs
  return %sum : !regs
}

func.func private @put(%x: !regs, %Y: !global) {
  %i = titan.coordinate 0 : !where
  %j = titan.coordinate 1 : !where
  %m = titan.dim %Y, 0 : !global
  %m32 = arith.index_cast %m : index to i32
  %end = titan.splat %m32 : i32 -> !where
  %inside = arith.cmpi slt, %i, %end : !where
  titan.global.store %x, %Y[%i, %j] mask(%inside : !yes) : !regs, !global, !where, !where
  return
}

// The uses up to the lesser number, then those up to b.
titan.kernel @k(%X: !global, %Y: !global, %a: i64, %b: i64) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64", a = 3 : i64, b = 8 : i64}} launch {
  %la = arith.constant 0 : i64 // @from
  %lb = arith.constant 0 : i64
  %most = arith.constant 4096 : i64
  %largest = arith.constant 1073741824 : index
  %rows = titan.dim %Y, 0 : !global
  %few = arith.cmpi ule, %rows, %largest : index
  titan.require %few, "launch-check", "at most 2^30 rows"
  %a0 = arith.cmpi sge, %a, %la : i64
  %b0 = arith.cmpi sge, %b, %lb : i64
  %a1 = arith.cmpi sle, %a, %most : i64
  %b1 = arith.cmpi sle, %b, %most : i64
  titan.require %a0, "launch-check", "a"
  titan.require %b0, "launch-check", "b"
  titan.require %a1, "launch-check", "a"
  titan.require %b1, "launch-check", "b"
  %one = arith.constant 1 : index
  %map = titan.tensor_map %X : !global -> !map
  %na = arith.index_cast %a : i64 to index
  %nb = arith.index_cast %b : i64 to index
  titan.launch grid(%one) with(%map, %na, %nb : !map, index, index)
} body(%map: !map, %na: index, %nb: index) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : index
  %tiles = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %lesser = arith.minsi %nb, %na : index
  %end = arith.maxsi %nb, %lesser : index
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        func.call @load(%map, %tiles, %full, %empty, %nb) : (!map, !ring, !bars, !bars, index) -> ()
      }
    }
    titan.partition "use" warps(1) {
      %f0 = arith.constant 0.0 : bf16
      %zero = titan.splat %f0 : bf16 -> !regs
      %s0 = scf.for %i = %c0 to %lesser step %one iter_args(%sofar = %zero) -> (!regs) {
        %next = func.call @add(%tiles, %full, %empty, %i, %sofar) : (!ring, !bars, !bars, index, !regs) -> !regs
        scf.yield %next : !regs
      }
      %s1 = scf.for %i = %lesser to %end step %one iter_args(%sofar = %s0) -> (!regs) {
        %next = func.call @add(%tiles, %full, %empty, %i, %sofar) : (!ring, !bars, !bars, index, !regs) -> !regs
        scf.yield %next : !regs
      }
      func.call @put(%s1, %Y) : (!regs, !global) -> ()
    }
  }
  titan.return
}
