// Counts that are the least or the greatest of two numbers, which is one of the two: cases in which it would be neither
// are no launch's. And a count that is shown to be 0 as a number that is at most 0, and at least 0, is 0 for the slots that
// are computed from it. What is taken of two numbers again, where it is known which one it is, is what it was before.
//
// RUN: titan check %s --kernel greatest --require=proved | FileCheck %s
// RUN: titan check %s --kernel rounds --require=proved | FileCheck %s
// RUN: titan check %s --kernel again --require=proved | FileCheck %s
// CHECK: proved, for every size
// RUN: titan run %s --schedule random:1
// RUN: titan run %s --kernel greatest --schedule random:2 --scalar a=9 --scalar b=4
// RUN: titan run %s --kernel greatest --schedule random:3 --scalar a=17 --scalar b=17
// RUN: titan run %s --kernel rounds --schedule random:4 --scalar a=17 --scalar b=17
// RUN: titan run %s --kernel again --schedule random:5 --scalar a=9 --scalar b=4
// RUN: titan run %s --kernel again --schedule skew:6 --scalar a=4 --scalar b=17
//
// One use more than the greater one: both loops have it.
// VARIANT more: in count `%more` -> `%one`
// RUN: %variant more %s | not titan check - --kernel greatest --require=proved 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: %variant more %s | not titan run - --kernel greatest --scalar a=9 --scalar b=4
// MORE: error: [{{.*}}]
// The first loop is as long as the greater number.
// VARIANT least: in least `minsi` -> `maxsi`
// RUN: %variant least %s | not titan check - --kernel greatest --require=proved 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: %variant least %s | not titan run - --kernel greatest --scalar a=9 --scalar b=4
// Between the loops the slot that comes next is read.
// VARIANT next: in between `%u` -> `%after`
// RUN: %variant next %s | not titan check - --kernel rounds --require=proved 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: %variant next %s | not titan run - --kernel rounds --scalar a=17 --scalar b=17
// The greater number of uses is taken where the lesser one is known.
// VARIANT greater: in uses `minsi` -> `maxsi`
// RUN: %variant greater %s | not titan check - --kernel again --require=proved 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: %variant greater %s | not titan run - --kernel again --scalar a=4 --scalar b=17
// It is the least of another two: nor does a proof alone take it for that of the launch.
// VARIANT another: in otherwise `%nb` -> `%limit`
// RUN: %variant another %s | not titan check - --kernel again --require=proved 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: %variant another %s | not titan run - --kernel again --scalar a=9 --scalar b=4
// RUN: %variant another %s > %t.another.mlir
// RUN: titan-mutate %t.another.mlir --kernel again --prove --every 1000 --schedules 1 | FileCheck %s --check-prefix=ANOTHER
// ANOTHER: kernels as they are: 1, 1 refused, 0 proved
//
// The search alone cannot decide @rounds: where a proof does, that is no error, and nothing wrong is proved (titan-mutate).
// RUN: titan-mutate %s --kernel rounds --prove --every 30 --schedules 1 | FileCheck %s --check-prefix=MUTANTS
// RUN: titan-mutate %S/causal.mlir --kernel persistent --prove --every 30 --schedules 1 | FileCheck %s --check-prefix=MUTANTS
// MUTANTS-NOT: PROVED AND WRONG
// MUTANTS: kernels as they are: 1, 0 refused, 1 proved, of which 0 are refused or fail; 1 launches

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

// The uses up to the lesser number, then from each of the two on to the greater one: one of these loops has none.
titan.kernel @greatest(%X: !global, %Y: !global, %a: i64, %b: i64) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64", a = 3 : i64, b = 8 : i64}} launch {
  %least = arith.constant 1 : i64
  %most = arith.constant 4096 : i64
  %largest = arith.constant 1073741824 : index
  %rows = titan.dim %Y, 0 : !global
  %few = arith.cmpi ule, %rows, %largest : index
  titan.require %few, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  %a0 = arith.cmpi sge, %a, %least : i64
  %b0 = arith.cmpi sge, %b, %least : i64
  %a1 = arith.cmpi sle, %a, %most : i64
  %b1 = arith.cmpi sle, %b, %most : i64
  titan.require %a0, "launch-check", "a is 1 or more"
  titan.require %b0, "launch-check", "b is 1 or more"
  titan.require %a1, "launch-check", "a is at most 4096"
  titan.require %b1, "launch-check", "b is at most 4096"
  %one = arith.constant 1 : index
  %map = titan.tensor_map %X : !global -> !map
  %na = arith.index_cast %a : i64 to index
  %nb = arith.index_cast %b : i64 to index
  titan.launch grid(%one) with(%map, %na, %nb : !map, index, index)
} body(%map: !map, %na: index, %nb: index) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : index
  %more = arith.constant 0 : index
  %tiles = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %greater = arith.maxsi %na, %nb : index
  %n = arith.addi %greater, %more : index // @count
  %lesser = arith.minsi %na, %nb : index // @least
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        func.call @load(%map, %tiles, %full, %empty, %n) : (!map, !ring, !bars, !bars, index) -> ()
      }
    }
    titan.partition "use" warps(1) {
      %f0 = arith.constant 0.0 : bf16
      %zero = titan.splat %f0 : bf16 -> !regs
      // (What the launch decides: by cases from here on, of which "both" is none.)
      %aIsLess = arith.cmpi slt, %na, %n : index
      scf.if %aIsLess {
        titan.syncwarp
      }
      %bIsLess = arith.cmpi slt, %nb, %n : index
      scf.if %bIsLess {
        titan.syncwarp
      }
      %sum = scf.for %i = %c0 to %lesser step %one iter_args(%sofar = %zero) -> (!regs) {
        %next = func.call @add(%tiles, %full, %empty, %i, %sofar) : (!ring, !bars, !bars, index, !regs) -> !regs
        scf.yield %next : !regs
      }
      %sumA = scf.for %i = %na to %n step %one iter_args(%sofar = %sum) -> (!regs) {
        %next = func.call @add(%tiles, %full, %empty, %i, %sofar) : (!ring, !bars, !bars, index, !regs) -> !regs
        scf.yield %next : !regs
      }
      %sumB = scf.for %i = %nb to %n step %one iter_args(%sofar = %sumA) -> (!regs) {
        %next = func.call @add(%tiles, %full, %empty, %i, %sofar) : (!ring, !bars, !bars, index, !regs) -> !regs
        scf.yield %next : !regs
      }
      func.call @put(%sumB, %Y) : (!regs, !global) -> ()
    }
  }
  titan.return
}

// The launch takes the least of the two for the producer; the consumer takes it again where it knows which one that is.
titan.kernel @again(%X: !global, %Y: !global, %a: i64, %b: i64) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64", a = 3 : i64, b = 8 : i64}} launch {
  %least = arith.constant 1 : i64
  %most = arith.constant 4096 : i64
  %largest = arith.constant 1073741824 : index
  %rows = titan.dim %Y, 0 : !global
  %few = arith.cmpi ule, %rows, %largest : index
  titan.require %few, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  %a0 = arith.cmpi sge, %a, %least : i64
  %b0 = arith.cmpi sge, %b, %least : i64
  %a1 = arith.cmpi sle, %a, %most : i64
  %b1 = arith.cmpi sle, %b, %most : i64
  titan.require %a0, "launch-check", "a is 1 or more"
  titan.require %b0, "launch-check", "b is 1 or more"
  titan.require %a1, "launch-check", "a is at most 4096"
  titan.require %b1, "launch-check", "b is at most 4096"
  %one = arith.constant 1 : index
  %map = titan.tensor_map %X : !global -> !map
  %na = arith.index_cast %a : i64 to index
  %nb = arith.index_cast %b : i64 to index
  %blocks = arith.minsi %na, %nb : index
  titan.launch grid(%one) with(%map, %na, %nb, %blocks : !map, index, index, index)
} body(%map: !map, %na: index, %nb: index, %blocks: index) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : index
  %limit = arith.constant 4096 : index
  %tiles = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %f0 = arith.constant 0.0 : bf16
  %zero = titan.splat %f0 : bf16 -> !regs
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        func.call @load(%map, %tiles, %full, %empty, %blocks) : (!map, !ring, !bars, !bars, index) -> ()
      }
    }
    titan.partition "use" warps(1) {
      %aIsLess = arith.cmpi slt, %na, %nb : index
      scf.if %aIsLess {
        %uses = arith.minsi %na, %nb : index // @uses
        %sum = scf.for %i = %c0 to %uses step %one iter_args(%sofar = %zero) -> (!regs) {
          %next = func.call @add(%tiles, %full, %empty, %i, %sofar) : (!ring, !bars, !bars, index, !regs) -> !regs
          scf.yield %next : !regs
        }
        func.call @put(%sum, %Y) : (!regs, !global) -> ()
      } else {
        %uses = arith.minsi %na, %nb : index // @otherwise
        %sum = scf.for %i = %c0 to %uses step %one iter_args(%sofar = %zero) -> (!regs) {
          %next = func.call @add(%tiles, %full, %empty, %i, %sofar) : (!ring, !bars, !bars, index, !regs) -> !regs
          scf.yield %next : !regs
        }
        %twice = arith.addf %sum, %sum : !regs
        func.call @put(%twice, %Y) : (!regs, !global) -> ()
      }
    }
  }
  titan.return
}

// Blocks of 8: those that b does not fill, one between, and the rest.
titan.kernel @rounds(%X: !global, %Y: !global, %a: i64, %b: i64) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64", a = 33 : i64, b = 8 : i64}} launch {
  %least = arith.constant 1 : i64
  %most = arith.constant 4096 : i64
  %largest = arith.constant 1073741824 : index
  %rows = titan.dim %Y, 0 : !global
  %few = arith.cmpi ule, %rows, %largest : index
  titan.require %few, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  %b0 = arith.cmpi sge, %b, %least : i64
  %a0 = arith.cmpi sge, %a, %b : i64
  %a1 = arith.cmpi sle, %a, %most : i64
  titan.require %b0, "launch-check", "b is 1 or more"
  titan.require %a0, "launch-check", "a is no less than b"
  titan.require %a1, "launch-check", "a is at most 4096"
  %one = arith.constant 1 : index
  %map = titan.tensor_map %X : !global -> !map
  %na = arith.index_cast %a : i64 to index
  %nb = arith.index_cast %b : i64 to index
  titan.launch grid(%one) with(%map, %na, %nb : !map, index, index)
} body(%map: !map, %na: index, %nb: index) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %tiles = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %n = arith.ceildivui %na, %c8 : index
  %filled = arith.ceildivui %nb, %c8 : index
  %u = arith.subi %n, %filled : index
  %after = arith.addi %u, %one : index
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        func.call @load(%map, %tiles, %full, %empty, %n) : (!map, !ring, !bars, !bars, index) -> ()
      }
    }
    titan.partition "use" warps(1) {
      %f0 = arith.constant 0.0 : bf16
      %zero = titan.splat %f0 : bf16 -> !regs
      %sum = scf.for %i = %c0 to %u step %one iter_args(%sofar = %zero) -> (!regs) {
        %next = func.call @add(%tiles, %full, %empty, %i, %sofar) : (!ring, !bars, !bars, index, !regs) -> !regs
        scf.yield %next : !regs
      }
      %between = func.call @add(%tiles, %full, %empty, %u, %sum) : (!ring, !bars, !bars, index, !regs) -> !regs // @between
      %rest = scf.for %i = %after to %n step %one iter_args(%sofar = %between) -> (!regs) {
        %next = func.call @add(%tiles, %full, %empty, %i, %sofar) : (!ring, !bars, !bars, index, !regs) -> !regs
        scf.yield %next : !regs
      }
      func.call @put(%rest, %Y) : (!regs, !global) -> ()
    }
  }
  titan.return
}
