// IDIOM: a tile that leaves from where it came to
//
// A result takes the place of the operand that it was computed from, and leaves by a TMA store: the one thread that
// issued the store frees the buffer, for all who have read it. What it knows of them is what a barrier of those
// threads, twice a tile, has told. Of the buffers each consumer has one, whichever tile it is. By a pipe: a ring of three,
// which the warp that stores releases for all four.
//
// RUN: titan check %s --require=searched | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @bare: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @pipe: accepted
// CHECK: {{^}}  proved, for every size
//
// Who issues the store does not wait for those who read.
// VARIANT unread: drop read
// RUN: %variant unread %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=UNREAD
// UNREAD: [race]
// Freed before the store has read it.
// VARIANT early: drop gone
// RUN: %variant early %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: [completion-not-observed]
// The same of the pipe.
// VARIANT untold: drop told
// RUN: %variant untold %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=UNTOLD
// UNTOLD: [race]
// VARIANT kept: drop over
// RUN: %variant kept %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: [completion-not-observed]
// One bug at a time: none that is proved fails, and one that frees nothing too early is proved.
// RUN: titan-mutate %s --prove --undecided --seed 1 --schedules 2 --per-class 4 --at M=1 --at M=9 | FileCheck %s --check-prefix=MUTANTS
// MUTANTS-NOT: PROVED AND WRONG
// MUTANTS-NOT: ACCEPTED AND FAILS
// MUTANTS: proved: {{[1-9][0-9]*}}, of which 0 are refused or fail
// MUTANTS: kernels as they are: 2, 0 refused, 2 proved, of which 0 are refused or fail

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [2, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!ring = !titan.shared<8x64xbf16, swizzle = 128, slots = 2>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!bar = !titan.mbarrier
!regs = tensor<8x64xbf16, #rows>
!bulk = !titan.token<bulk>
#quarters = #titan.blocked<elements = [1, 4], lanes = [2, 16], warps = [4, 1]>
!quarters = tensor<8x64xbf16, #quarters>
!deep = !titan.shared<8x64xbf16, swizzle = 128, slots = 3>
!pipe = !titan.pipe<3>

titan.kernel @bare(%X: !global, %Y: !global) warps(3) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64"}, titan.reference = @same} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %rowsY = titan.dim %Y, 0 : !global
  %same = arith.cmpi eq, %rows, %rowsY : index
  titan.require %same, "launch-check", "Y has a row for each row of X"
  %mapY = titan.tensor_map %Y : !global -> !map
  titan.launch grid(%one) with(%map, %mapY, %n : !map, !map, index)
} body(%map: !map, %mapY: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %bytes = arith.constant 1024 : i32
  %ring = titan.shared.alloc : !ring
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
        scf.for %i = %c0 to %n step %c1 {
          %row = arith.muli %i, %c8 : index
          %next = arith.addi %i, %c1 : index
          %odd = arith.remui %next, %c2 : index
          %free = arith.index_cast %odd : index to i32
          titan.mbarrier.wait %empty parity(%free) : !bar
          %mine = titan.shared.slot %ring[%c1 : index] : !ring -> !tile
          titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
          titan.tma.load %map[%row, %c0], %mine, %full : !map, !tile, !bar
        }
      }
    }
    titan.partition "use" warps(2) {
      %mine = titan.shared.slot %ring[%c1 : index] : !ring -> !tile
      scf.for %i = %c0 to %n step %c1 {
        %row = arith.muli %i, %c8 : index
        %odd = arith.remui %i, %c2 : index
        %parity = arith.index_cast %odd : index to i32
        titan.mbarrier.wait %full parity(%parity) : !bar
        %x = titan.shared.load %mine : !tile -> !regs
        titan.barrier.sync 1 threads(64)
        titan.shared.store %x, %mine : !regs, !tile
        titan.fence.proxy_async shared_cta
        titan.barrier.sync 1 threads(64) // @read
        titan.elect warp(0) {
          titan.tma.store %mine, %mapY[%row, %c0] : !tile, !map
          %bulk = titan.bulk.commit : !bulk
          titan.bulk.wait %bulk read : !bulk // @gone
          titan.mbarrier.arrive %empty : !bar
        }
      }
    }
  }
  titan.return
}

titan.kernel @pipe(%X: !global, %Y: !global) warps(5) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64"}, titan.reference = @twice} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %rowsY = titan.dim %Y, 0 : !global
  %same = arith.cmpi eq, %rows, %rowsY : index
  titan.require %same, "launch-check", "Y has a row for each row of X"
  %mapY = titan.tensor_map %Y : !global -> !map
  titan.launch grid(%one) with(%map, %mapY, %n : !map, !map, index)
} body(%map: !map, %mapY: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %tiles = titan.shared.alloc : !deep
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%tiles : !deep) : !pipe
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %row = arith.muli %i, %c8 : index
        %slot = titan.pipe.acquire %pipe : !pipe
        titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map
        titan.pipe.commit %slot
      }
    }
    titan.partition "use" warps(4) {
      // Each lane stores what it has loaded: one barrier is enough.
      scf.for %i = %c0 to %n step %c1 {
        %row = arith.muli %i, %c8 : index
        %slot = titan.pipe.wait %pipe : !pipe
        %mine = titan.pipe.buffer %slot["x"] : !tile
        %x = titan.shared.load %mine : !tile -> !quarters
        %y = arith.addf %x, %x : !quarters
        titan.shared.store %y, %mine : !quarters, !tile
        titan.fence.proxy_async shared_cta
        titan.barrier.sync 1 threads(128) // @told
        titan.elect warp(0) {
          titan.tma.store %mine, %mapY[%row, %c0] : !tile, !map
          %bulk = titan.bulk.commit : !bulk
          titan.bulk.wait %bulk read : !bulk // @over
          titan.pipe.release %slot
        }
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

func.func private @twice(%X: memref<?x64xbf16> {titan.input = "X"}, %Y: memref<?x64xf32> {titan.expected = "Y"}) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%X : memref<?x64xbf16>) outs(%Y : memref<?x64xf32>) {
  ^bb0(%x: bf16, %y: f32):
    %wide = arith.extf %x : bf16 to f32
    %sum = arith.addf %wide, %wide : f32
    linalg.yield %sum : f32
  }
  return
}
