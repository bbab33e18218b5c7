// IDIOM: bytes that are chosen
//
// A step brings a block of X and, of some steps alone, one of S: the slot's bytes are one of two numbers, chosen by a
// parity of the step, by a comparison of it, or by the launch (docs/checker.md, Bytes of some steps).
//
// RUN: titan check %s --kernel second --require=proved > %t
// RUN: titan check %s --kernel tail --require=proved >> %t
// RUN: titan check %s --kernel half --require=proved >> %t
// RUN: titan check %s --kernel launch --require=proved >> %t
// RUN: titan check %s --kernel pipe_second --require=proved >> %t
// RUN: titan check %s --kernel pipe_half --require=proved >> %t
// RUN: titan check %s --kernel pipe_launch --require=proved >> %t
// RUN: FileCheck %s < %t
// RUN: titan run %s --kernel second --schedule random:1
// RUN: titan run %s --kernel tail --schedule skew:2 --size M=200
// RUN: titan run %s --kernel pipe_half --schedule random:3
// CHECK: @second: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @tail: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @half: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @launch: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @pipe_second: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @pipe_half: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @pipe_launch: accepted
// CHECK: {{^}}  proved, for every size
//
// By another size than the loop's: the search looks at some of its sizes, and the proof is for all.
// RUN: titan check %s --kernel below --require=proved --search-steps=10000000
//
// Each twin is refused, and a run shows it.
// VARIANT swapped: in bytes `%two, %one` -> `%one, %two`
// RUN: %variant swapped %s > %t.mlir
// RUN: not titan check %t.mlir --kernel second --replay-out=%t.r 2>&1 | FileCheck %s --check-prefix=SWAPPED
// RUN: not titan run %t.mlir --replay=%t.r 2>&1 | FileCheck %s --check-prefix=REPLAYED
// SWAPPED: error: [barrier-bytes] phase 0 of barrier %full[0] expects 2048 bytes
// SWAPPED: fix: expect 1024 bytes at %full[0] here in iteration 0, 1024 fewer: what the copies of this phase bring
// SWAPPED: shows line {{[0-9]+}}: [deadlock]
// REPLAYED: [deadlock]
// VARIANT always: in bytes `%two, %one` -> `%two, %two`
// RUN: %variant always %s > %t.mlir
// RUN: not titan check %t.mlir --kernel tail --replay-out=%t.r 2>&1 | FileCheck %s --check-prefix=ALWAYS
// RUN: not titan check %t.mlir --kernel launch --replay-out=%t.r 2>&1 | FileCheck %s --check-prefix=ALWAYS
// ALWAYS: error: [barrier-bytes] phase 0 of barrier %full[{{[01]}}] expects 2048 bytes
// ALWAYS: fix: expect 1024 bytes at %full[{{[01]}}] here in iteration {{[0-9]+}}, 1024 fewer: what the copies of this phase bring
// ALWAYS: shows line {{[0-9]+}}: [deadlock]
// VARIANT never: in bytes `%two, %one` -> `%one, %one`
// RUN: %variant never %s | not titan check - --kernel half --replay-out=%t.r 2>&1 | FileCheck %s --check-prefix=NEVER
// RUN: %variant never %s | not titan check - --kernel below --search-steps=10000000 --replay-out=%t.r 2>&1 | FileCheck %s --check-prefix=NEVER
// NEVER: error: [barrier-bytes] phase 0 of barrier %full[{{[01]}}] expects 1024 bytes
// NEVER: fix: expect 2048 bytes at %full[{{[01]}}] here in iteration {{[0-9]+}}, 1024 more: what the copies of this phase bring
// NEVER: shows line {{[0-9]+}}: [completion-not-observed]
// The block of S that is read has not been brought.
// VARIANT reads_last: in reads_tail `%next` -> `%i`
// RUN: %variant reads_last %s | not titan check - --kernel tail --replay-out=%t.r 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// VARIANT without: in fills_launch `cmpi ne` -> `cmpi eq`
// RUN: %variant without %s | not titan check - --kernel launch --replay-out=%t.r 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// VARIANT unscaled: drop scale
// RUN: %variant unscaled %s | not titan check - --kernel pipe_second --replay-out=%t.r 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// VARIANT one_more: in reads_half `ult` -> `ule`
// RUN: %variant one_more %s | not titan check - --kernel pipe_half --replay-out=%t.r 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// VARIANT pipe_without: in fills_pipe `cmpi ne` -> `cmpi eq`
// RUN: %variant pipe_without %s | not titan check - --kernel pipe_launch --replay-out=%t.r 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// UNWRITTEN: error: [undefined-read]
// UNWRITTEN: shows line {{[0-9]+}}: [undefined-read]

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!ring = !titan.shared<8x64xbf16, swizzle = 128, slots = 2>
!bars = !titan.mbarrier<2>
!regs = tensor<8x64xbf16, #rows>
!where = tensor<8x64xi32, #rows>
!yes = tensor<8x64xi1, #rows>

// A slot's uses alternate between parities: use n is in round n div 2.
func.func private @parity(%use: index) -> i32 {
  %two = arith.constant 2 : index
  %round = arith.divui %use, %two : index
  %odd = arith.remui %round, %two : index
  %parity = arith.index_cast %odd : index to i32
  return %parity : i32
}

// A step's block of X, and, of some steps, that of S: the slot expects the bytes of one, or of both.
func.func private @fill(%map: !map, %mapS: !map, %xs: !ring, %ss: !ring, %full: !bars, %empty: !bars, %use: index, %both: i1) {
  %zero = arith.constant 0 : index
  %depth = arith.constant 2 : index
  %eight = arith.constant 8 : index
  %one = arith.constant 1024 : i32
  %two = arith.constant 2048 : i32
  %stage = arith.remui %use, %depth : index
  %next = arith.addi %use, %depth : index
  %free = func.call @parity(%next) : (index) -> i32
  %row = arith.muli %use, %eight : index
  titan.mbarrier.wait %empty[%stage : index] parity(%free) : !bars
  %bytes = arith.select %both, %two, %one : i32 // @bytes
  titan.mbarrier.arrive_expect_tx %full[%stage : index], %bytes : !bars
  %x = titan.shared.slot %xs[%stage : index] : !ring -> !tile
  titan.tma.load %map[%row, %zero], %x, %full[%stage : index] : !map, !tile, !bars
  scf.if %both {
    %s = titan.shared.slot %ss[%stage : index] : !ring -> !tile
    titan.tma.load %mapS[%row, %zero], %s, %full[%stage : index] : !map, !tile, !bars
  }
  return
}

func.func private @add(%x: !tile, %s: !tile, %both: i1, %sofar: !regs) -> !regs {
  %block = titan.shared.load %x : !tile -> !regs
  %sum = arith.addf %sofar, %block : !regs
  %more = scf.if %both -> (!regs) {
    %other = titan.shared.load %s : !tile -> !regs
    %all = arith.addf %sum, %other : !regs
    scf.yield %all : !regs
  } else {
    scf.yield %sum : !regs
  }
  return %more : !regs
}

// What a step has brought is added, and its slot given back.
func.func private @take(%xs: !ring, %ss: !ring, %full: !bars, %empty: !bars, %use: index, %both: i1, %sofar: !regs) -> !regs {
  %depth = arith.constant 2 : index
  %stage = arith.remui %use, %depth : index
  %parity = func.call @parity(%use) : (index) -> i32
  titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars
  %x = titan.shared.slot %xs[%stage : index] : !ring -> !tile
  %s = titan.shared.slot %ss[%stage : index] : !ring -> !tile
  %more = func.call @add(%x, %s, %both, %sofar) : (!tile, !tile, i1, !regs) -> !regs
  titan.fence.proxy_async shared_cta
  titan.syncwarp
  titan.elect {
    titan.mbarrier.arrive %empty[%stage : index] : !bars
  }
  return %more : !regs
}

// A tile that holds a number everywhere.
func.func private @number(%i: index) -> !regs {
  %i32 = arith.index_cast %i : index to i32
  %value = arith.sitofp %i32 : i32 to bf16
  %x = titan.splat %value : bf16 -> !regs
  return %x : !regs
}

// A tile goes to the first rows of Y, as far as there are such.
func.func private @put(%x: !regs, %Y: !global) {
  %i = titan.coordinate 0 : !where
  %j = titan.coordinate 1 : !where
  %most = arith.constant 8 : index
  %rows = titan.dim %Y, 0 : !global
  %m = arith.minui %rows, %most : index
  %m32 = arith.index_cast %m : index to i32
  %end = titan.splat %m32 : i32 -> !where
  %inside = arith.cmpi slt, %i, %end : !where
  titan.global.store %x, %Y[%i, %j] mask(%inside : !yes) : !regs, !global, !where, !where
  return
}

// Of each second block.
titan.kernel @second(%X: !global, %S: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", S = "Mx64 ints:2", Y = "Mx64"}} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %mapS = titan.tensor_map %S : !global -> !map
  titan.launch grid(%one) with(%map, %mapS, %n : !map, !map, index)
} body(%map: !map, %mapS: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %xs = titan.shared.alloc : !ring
  %ss = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %c2 = arith.constant 2 : index
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
          %rest = arith.remui %i, %c2 : index
          %both = arith.cmpi eq, %rest, %c1 : index
          func.call @fill(%map, %mapS, %xs, %ss, %full, %empty, %i, %both) : (!map, !map, !ring, !ring, !bars, !bars, index, i1) -> ()
        }
      }
    }
    titan.partition "use" warps(1) {
      %zero = func.call @number(%c0) : (index) -> !regs
      %sum = scf.for %i = %c0 to %n step %c1 iter_args(%sofar = %zero) -> (!regs) {
        %rest = arith.remui %i, %c2 : index
        %both = arith.cmpi eq, %rest, %c1 : index
        %more = func.call @take(%xs, %ss, %full, %empty, %i, %both, %sofar) : (!ring, !ring, !bars, !bars, index, i1, !regs) -> !regs
        scf.yield %more : !regs
      }
      func.call @put(%sum, %Y) : (!regs, !global) -> ()
    }
  }
  titan.return
}

// Of all blocks but the last one.
titan.kernel @tail(%X: !global, %S: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", S = "Mx64 ints:2", Y = "Mx64"}} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %mapS = titan.tensor_map %S : !global -> !map
  titan.launch grid(%one) with(%map, %mapS, %n : !map, !map, index)
} body(%map: !map, %mapS: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %xs = titan.shared.alloc : !ring
  %ss = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
          %next = arith.addi %i, %c1 : index
          %both = arith.cmpi ult, %next, %n : index
          func.call @fill(%map, %mapS, %xs, %ss, %full, %empty, %i, %both) : (!map, !map, !ring, !ring, !bars, !bars, index, i1) -> ()
        }
      }
    }
    titan.partition "use" warps(1) {
      %zero = func.call @number(%c0) : (index) -> !regs
      %sum = scf.for %i = %c0 to %n step %c1 iter_args(%sofar = %zero) -> (!regs) {
        %next = arith.addi %i, %c1 : index
        %both = arith.cmpi ult, %next, %n : index // @reads_tail
        %more = func.call @take(%xs, %ss, %full, %empty, %i, %both, %sofar) : (!ring, !ring, !bars, !bars, index, i1, !regs) -> !regs
        scf.yield %more : !regs
      }
      func.call @put(%sum, %Y) : (!regs, !global) -> ()
    }
  }
  titan.return
}

// Of the first half of all blocks.
titan.kernel @half(%X: !global, %S: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", S = "Mx64 ints:2", Y = "Mx64"}} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %mapS = titan.tensor_map %S : !global -> !map
  titan.launch grid(%one) with(%map, %mapS, %n : !map, !map, index)
} body(%map: !map, %mapS: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %xs = titan.shared.alloc : !ring
  %ss = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %c2 = arith.constant 2 : index
  %half = arith.divui %n, %c2 : index
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
          %both = arith.cmpi ult, %i, %half : index
          func.call @fill(%map, %mapS, %xs, %ss, %full, %empty, %i, %both) : (!map, !map, !ring, !ring, !bars, !bars, index, i1) -> ()
        }
      }
    }
    titan.partition "use" warps(1) {
      %zero = func.call @number(%c0) : (index) -> !regs
      %sum = scf.for %i = %c0 to %n step %c1 iter_args(%sofar = %zero) -> (!regs) {
        %both = arith.cmpi ult, %i, %half : index
        %more = func.call @take(%xs, %ss, %full, %empty, %i, %both, %sofar) : (!ring, !ring, !bars, !bars, index, i1, !regs) -> !regs
        scf.yield %more : !regs
      }
      func.call @put(%sum, %Y) : (!regs, !global) -> ()
    }
  }
  titan.return
}

// Of blocks as long as there are such.
titan.kernel @below(%X: !global, %S: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", S = "Mx64 ints:2", Y = "Mx64"}} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %rowsS = titan.dim %S, 0 : !global
  %m = arith.ceildivui %rowsS, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %mapS = titan.tensor_map %S : !global -> !map
  titan.launch grid(%one) with(%map, %mapS, %n, %m : !map, !map, index, index)
} body(%map: !map, %mapS: !map, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %xs = titan.shared.alloc : !ring
  %ss = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
          %both = arith.cmpi ult, %i, %m : index
          func.call @fill(%map, %mapS, %xs, %ss, %full, %empty, %i, %both) : (!map, !map, !ring, !ring, !bars, !bars, index, i1) -> ()
        }
      }
    }
    titan.partition "use" warps(1) {
      %zero = func.call @number(%c0) : (index) -> !regs
      %sum = scf.for %i = %c0 to %n step %c1 iter_args(%sofar = %zero) -> (!regs) {
        %both = arith.cmpi ult, %i, %m : index
        %more = func.call @take(%xs, %ss, %full, %empty, %i, %both, %sofar) : (!ring, !ring, !bars, !bars, index, i1, !regs) -> !regs
        scf.yield %more : !regs
      }
      func.call @put(%sum, %Y) : (!regs, !global) -> ()
    }
  }
  titan.return
}

// Of all blocks, or of none.
titan.kernel @launch(%X: !global, %S: !global, %Y: !global, %with: i32) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", S = "Mx64 ints:2", Y = "Mx64", with = 1}} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %mapS = titan.tensor_map %S : !global -> !map
  titan.launch grid(%one) with(%map, %mapS, %n : !map, !map, index)
} body(%map: !map, %mapS: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %xs = titan.shared.alloc : !ring
  %ss = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %none = arith.constant 0 : i32
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
          %both = arith.cmpi ne, %with, %none : i32 // @fills_launch
          func.call @fill(%map, %mapS, %xs, %ss, %full, %empty, %i, %both) : (!map, !map, !ring, !ring, !bars, !bars, index, i1) -> ()
        }
      }
    }
    titan.partition "use" warps(1) {
      %zero = func.call @number(%c0) : (index) -> !regs
      %sum = scf.for %i = %c0 to %n step %c1 iter_args(%sofar = %zero) -> (!regs) {
        %both = arith.cmpi ne, %with, %none : i32
        %more = func.call @take(%xs, %ss, %full, %empty, %i, %both, %sofar) : (!ring, !ring, !bars, !bars, index, i1, !regs) -> !regs
        scf.yield %more : !regs
      }
      func.call @put(%sum, %Y) : (!regs, !global) -> ()
    }
  }
  titan.return
}

// By pipes a slot is acquired, filled and committed on each side of a branch.
titan.kernel @pipe_second(%X: !global, %S: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", S = "Mx64 ints:2", Y = "Mx64"}} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %mapS = titan.tensor_map %S : !global -> !map
  titan.launch grid(%one) with(%map, %mapS, %n : !map, !map, index)
} body(%map: !map, %mapS: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %xs = titan.shared.alloc : !ring
  %ss = titan.shared.alloc : !ring
  %c8 = arith.constant 8 : index
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x", "s"](%xs, %ss : !ring, !ring) : !titan.pipe<2>
  %c2 = arith.constant 2 : index
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %row = arith.muli %i, %c8 : index
        %rest = arith.remui %i, %c2 : index
        %both = arith.cmpi eq, %rest, %c1 : index
        scf.if %both {
          %slot = titan.pipe.acquire %pipe : !titan.pipe<2>
          titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map
          titan.pipe.load %mapS[%row, %c0] -> %slot["s"] : !map // @scale
          titan.pipe.commit %slot
        } else {
          %slot = titan.pipe.acquire %pipe : !titan.pipe<2>
          titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map
          titan.pipe.commit %slot
        }
      }
    }
    titan.partition "use" warps(1) {
      %zero = func.call @number(%c0) : (index) -> !regs
      %sum = scf.for %i = %c0 to %n step %c1 iter_args(%sofar = %zero) -> (!regs) {
        %rest = arith.remui %i, %c2 : index
        %both = arith.cmpi eq, %rest, %c1 : index
        %slot = titan.pipe.wait %pipe : !titan.pipe<2>
        %x = titan.pipe.buffer %slot["x"] : !tile
        %s = titan.pipe.buffer %slot["s"] : !tile
        %more = func.call @add(%x, %s, %both, %sofar) : (!tile, !tile, i1, !regs) -> !regs
        titan.pipe.release %slot
        scf.yield %more : !regs
      }
      func.call @put(%sum, %Y) : (!regs, !global) -> ()
    }
  }
  titan.return
}

titan.kernel @pipe_half(%X: !global, %S: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", S = "Mx64 ints:2", Y = "Mx64"}} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %mapS = titan.tensor_map %S : !global -> !map
  titan.launch grid(%one) with(%map, %mapS, %n : !map, !map, index)
} body(%map: !map, %mapS: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %xs = titan.shared.alloc : !ring
  %ss = titan.shared.alloc : !ring
  %c8 = arith.constant 8 : index
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x", "s"](%xs, %ss : !ring, !ring) : !titan.pipe<2>
  %c2 = arith.constant 2 : index
  %half = arith.divui %n, %c2 : index
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %row = arith.muli %i, %c8 : index
        %both = arith.cmpi ult, %i, %half : index
        scf.if %both {
          %slot = titan.pipe.acquire %pipe : !titan.pipe<2>
          titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map
          titan.pipe.load %mapS[%row, %c0] -> %slot["s"] : !map
          titan.pipe.commit %slot
        } else {
          %slot = titan.pipe.acquire %pipe : !titan.pipe<2>
          titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map
          titan.pipe.commit %slot
        }
      }
    }
    titan.partition "use" warps(1) {
      %zero = func.call @number(%c0) : (index) -> !regs
      %sum = scf.for %i = %c0 to %n step %c1 iter_args(%sofar = %zero) -> (!regs) {
        %both = arith.cmpi ult, %i, %half : index // @reads_half
        %slot = titan.pipe.wait %pipe : !titan.pipe<2>
        %x = titan.pipe.buffer %slot["x"] : !tile
        %s = titan.pipe.buffer %slot["s"] : !tile
        %more = func.call @add(%x, %s, %both, %sofar) : (!tile, !tile, i1, !regs) -> !regs
        titan.pipe.release %slot
        scf.yield %more : !regs
      }
      func.call @put(%sum, %Y) : (!regs, !global) -> ()
    }
  }
  titan.return
}

titan.kernel @pipe_launch(%X: !global, %S: !global, %Y: !global, %with: i32) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", S = "Mx64 ints:2", Y = "Mx64", with = 1}} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %mapS = titan.tensor_map %S : !global -> !map
  titan.launch grid(%one) with(%map, %mapS, %n : !map, !map, index)
} body(%map: !map, %mapS: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %xs = titan.shared.alloc : !ring
  %ss = titan.shared.alloc : !ring
  %c8 = arith.constant 8 : index
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x", "s"](%xs, %ss : !ring, !ring) : !titan.pipe<2>
  %none = arith.constant 0 : i32
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %row = arith.muli %i, %c8 : index
        %both = arith.cmpi ne, %with, %none : i32 // @fills_pipe
        scf.if %both {
          %slot = titan.pipe.acquire %pipe : !titan.pipe<2>
          titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map
          titan.pipe.load %mapS[%row, %c0] -> %slot["s"] : !map
          titan.pipe.commit %slot
        } else {
          %slot = titan.pipe.acquire %pipe : !titan.pipe<2>
          titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map
          titan.pipe.commit %slot
        }
      }
    }
    titan.partition "use" warps(1) {
      %zero = func.call @number(%c0) : (index) -> !regs
      %sum = scf.for %i = %c0 to %n step %c1 iter_args(%sofar = %zero) -> (!regs) {
        %both = arith.cmpi ne, %with, %none : i32
        %slot = titan.pipe.wait %pipe : !titan.pipe<2>
        %x = titan.pipe.buffer %slot["x"] : !tile
        %s = titan.pipe.buffer %slot["s"] : !tile
        %more = func.call @add(%x, %s, %both, %sofar) : (!tile, !tile, i1, !regs) -> !regs
        titan.pipe.release %slot
        scf.yield %more : !regs
      }
      func.call @put(%sum, %Y) : (!regs, !global) -> ()
    }
  }
  titan.return
}
