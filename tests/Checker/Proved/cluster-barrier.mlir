// IDIOM: rounds of the cluster's barrier
//
// Arrivals at the cluster's barrier and waits alternate. What a CTA has stored before a round its peer reads behind it;
// and none ends while its memory is read: one round more.
//
// RUN: titan check %s --kernel pairs --require=proved
// RUN: titan check %s --kernel swaps --require=proved
// RUN: titan check %s --kernel pipe --require=proved
// RUN: titan run %s --kernel swaps --schedule random:1 | FileCheck %s --check-prefix=RIGHT
// RUN: titan run %s --kernel pipe --schedule random:1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: elements equal to the reference
//
// For one arrival.
// VARIANT waits_twice: drop other
// RUN: %variant waits_twice %s | not titan check - --kernel pairs --require=proved 2>&1 | FileCheck %s
// The second wait comes before its arrival.
// VARIANT waits_first: replace other with titan.cluster.wait
// VARIANT waits_first: replace end with titan.cluster.arrive
// RUN: %variant waits_first %s | not titan check - --kernel pairs --require=proved 2>&1 | FileCheck %s
// Before it has waited.
// VARIANT arrives_twice: drop one
// RUN: %variant arrives_twice %s | not titan check - --kernel pairs --require=proved 2>&1 | FileCheck %s
// CHECK: [cluster-barrier]
//
// An arrival that tells nothing of the stores.
// VARIANT relaxed: in stored `arrive` -> `arrive relaxed`
// RUN: %variant relaxed %s | not titan check - --kernel swaps 2>&1 | FileCheck %s --check-prefix=RELAXED
// RELAXED: [race]
// A CTA may end before its peer has loaded.
// VARIANT ends: drop loaded
// RUN: %variant ends %s | not titan check - --kernel swaps 2>&1 | FileCheck %s --check-prefix=ENDS
// ENDS: [cluster-exit]
// Nor has anybody waited before the peer's sums are read.
// VARIANT early: drop added
// RUN: %variant early %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: [cluster-barrier]

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [2, 1]>
#warp = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16>
!ring = !titan.shared<8x64xbf16, slots = 3>
!pipe = !titan.pipe<3>
!tile = !titan.shared<8x64xbf16>
!peer = !titan.shared<8x64xbf16, cluster>
!regs = tensor<8x64xbf16, #rows>
!where = tensor<8x64xi32, #rows>
!yes = tensor<8x64xi1, #rows>
!sums = tensor<8x64xbf16, #warp>

// Two rounds.
titan.kernel @pairs() warps(2) cluster(2) attributes {titan.target = "sm_90a", titan.example = {}} launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  titan.cluster.arrive
  titan.cluster.wait // @one
  titan.cluster.arrive // @other
  titan.cluster.wait // @end
  titan.return
}

// The CTAs of a cluster change blocks: one round behind the stores, one behind the loads.
titan.kernel @swaps(%X: !global, %Y: !global) warps(2) cluster(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64"}, titan.reference = @swapped} launch {
  %two = arith.constant 2 : index
  %sixteen = arith.constant 16 : index
  %rows = titan.dim %X, 0 : !global
  %rowsY = titan.dim %Y, 0 : !global
  %same = arith.cmpi eq, %rows, %rowsY : index
  titan.require %same, "launch-check", "Y has a row for each row of X"
  %most = arith.constant 1073741824 : index
  %few = arith.cmpi ule, %rows, %most : index
  titan.require %few, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  %pairs = arith.ceildivui %rows, %sixteen : index
  %ctas = arith.muli %pairs, %two : index
  titan.launch grid(%ctas) with(%rows : index)
} body(%rows: index) {
  %c8 = arith.constant 8 : index
  %i1 = arith.constant 1 : i32
  %rank = titan.cluster_rank
  %other = arith.xori %rank, %i1 : i32
  %mine = titan.shared.alloc : !tile
  %theirs = titan.map_rank %mine, %other : !tile -> !peer
  %cta = titan.cta_id 0
  %row = arith.muli %cta, %c8 : index
  %row32 = arith.index_cast %row : index to i32
  %at = titan.splat %row32 : i32 -> !where
  %in = titan.coordinate 0 : !where
  %i = arith.addi %at, %in : !where
  %j = titan.coordinate 1 : !where
  %m32 = arith.index_cast %rows : index to i32
  %end = titan.splat %m32 : i32 -> !where
  %inside = arith.cmpi slt, %i, %end : !where
  %x = titan.global.load %X[%i, %j] mask(%inside : !yes) : !global, !where, !where -> !regs
  titan.shared.store %x, %mine : !regs, !tile
  titan.cluster.arrive // @stored
  titan.cluster.wait
  %y = titan.shared.load %theirs : !peer -> !regs
  titan.cluster.arrive
  titan.global.store %y, %Y[%i, %j] mask(%inside : !yes) : !regs, !global, !where, !where
  titan.cluster.wait // @loaded
  titan.return
}

// Each CTA adds up every second block, which come through a pipe, and then what its peer has added up.
titan.kernel @pipe(%X: !global, %Y: !global) warps(2) cluster(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "16x64"}, titan.reference = @sums} launch {
  %two = arith.constant 2 : index
  %sixteen = arith.constant 16 : index
  %rows = titan.dim %X, 0 : !global
  %rowsY = titan.dim %Y, 0 : !global
  %all = arith.cmpi eq, %rowsY, %sixteen : index
  titan.require %all, "launch-check", "Y has a block for each CTA"
  %n = arith.ceildivui %rows, %sixteen : index
  %map = titan.tensor_map %X : !global -> !map
  titan.launch grid(%two) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : bf16
  %rank = titan.cluster_rank
  %other = arith.xori %rank, %i1 : i32
  %tiles = titan.shared.alloc : !ring
  %mine = titan.shared.alloc : !tile
  %theirs = titan.map_rank %mine, %other : !tile -> !peer
  %cta = arith.index_cast %rank : i32 to index
  %offset = arith.muli %cta, %c8 : index
  %pipe = titan.pipe.create "load" -> ["add"] buffers ["x"](%tiles : !ring) : !pipe
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %pair = arith.muli %i, %c16 : index
        %row = arith.addi %pair, %offset : index
        %slot = titan.pipe.acquire %pipe : !pipe
        titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map
        titan.pipe.commit %slot
      }
    }
    titan.partition "add" warps(1) {
      %zeros = titan.splat %zero : bf16 -> !sums
      %sum = scf.for %i = %c0 to %n step %c1 iter_args(%sofar = %zeros) -> (!sums) {
        %slot = titan.pipe.wait %pipe : !pipe
        %tile = titan.pipe.buffer %slot["x"] : !tile
        %x = titan.shared.load %tile : !tile -> !sums
        titan.pipe.release %slot
        %more = arith.addf %sofar, %x : !sums
        scf.yield %more : !sums
      }
      titan.shared.store %sum, %mine : !sums, !tile
    }
  }
  titan.cluster.arrive
  titan.cluster.wait // @added
  %half = titan.shared.load %mine : !tile -> !regs
  %rest = titan.shared.load %theirs : !peer -> !regs
  titan.cluster.arrive
  %sum = arith.addf %half, %rest : !regs
  %offset32 = arith.index_cast %offset : index to i32
  %at = titan.splat %offset32 : i32 -> !where
  %in = titan.coordinate 0 : !where
  %i = arith.addi %at, %in : !where
  %j = titan.coordinate 1 : !where
  titan.global.store %sum, %Y[%i, %j] : !regs, !global, !where, !where
  titan.cluster.wait
  titan.return
}

// Both blocks are the sum of all of X.
func.func private @sums(%X: memref<?x64xbf16> {titan.input = "X"}, %Y: memref<?x64xf32> {titan.expected = "Y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %X, %c0 : memref<?x64xbf16>
  %rows = memref.dim %Y, %c0 : memref<?x64xf32>
  scf.for %i = %c0 to %rows step %c1 {
    %first = arith.remui %i, %c8 : index
    scf.for %j = %c0 to %c64 step %c1 {
      %sum = scf.for %row = %first to %m step %c8 iter_args(%sofar = %zero) -> (f32) {
        %x = memref.load %X[%row, %j] : memref<?x64xbf16>
        %wide = arith.extf %x : bf16 to f32
        %more = arith.addf %sofar, %wide : f32
        scf.yield %more : f32
      }
      memref.store %sum, %Y[%i, %j] : memref<?x64xf32>
    }
  }
  return
}

// Row i changes places with row i + 8 of a pair of blocks; behind the last row are zeros.
func.func private @swapped(%X: memref<?x64xbf16> {titan.input = "X"}, %Y: memref<?x64xf32> {titan.expected = "Y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %X, %c0 : memref<?x64xbf16>
  scf.for %i = %c0 to %m step %c1 {
    %other = arith.xori %i, %c8 : index
    %there = arith.cmpi ult, %other, %m : index
    scf.for %j = %c0 to %c64 step %c1 {
      %x = scf.if %there -> (f32) {
        %value = memref.load %X[%other, %j] : memref<?x64xbf16>
        %wide = arith.extf %value : bf16 to f32
        scf.yield %wide : f32
      } else {
        scf.yield %zero : f32
      }
      memref.store %x, %Y[%i, %j] : memref<?x64xf32>
    }
  }
  return
}
