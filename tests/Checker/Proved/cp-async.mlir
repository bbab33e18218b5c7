// IDIOM: rings filled by cp.async
//
// A ring that threads fill by cp.async: each thread's copies arrive at the barrier when they are there (noinc: they count
// among its arrivals); and the form without a producer, whose threads leave one group pending (`wait_group 1`).
//
// RUN: titan check %s --require=searched | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @bare: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @groups: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @pipe: accepted
// CHECK: {{^}}  proved, for every size
//
// It copies into slots that are being read, and arrives in phases that are not over.
// VARIANT no_room: drop room
// RUN: %variant no_room %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=NO-ROOM
// NO-ROOM: [phase-ambiguous] the arrival at barrier %full[0] is meant for its phase 1
// Its arrivals count for nothing.
// VARIANT adds_its_own: in arrives ` noinc` -> ``
// RUN: %variant adds_its_own %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=ADDS-ITS-OWN
// ADDS-ITS-OWN: [deadlock]
// Two groups left pending are all there are.
// VARIANT two_pending: in one `1` -> `2`
// RUN: %variant two_pending %s | not titan check - --kernel groups 2>&1 | FileCheck %s --check-prefix=TWO-PENDING
// TWO-PENDING: [group-wait-count]
// Committed before it is copied.
// VARIANT too_late: drop commit
// VARIANT too_late: before copy add titan.pipe.commit %slot
// RUN: %variant too_late %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=TOO-LATE
// TOO-LATE: [token-not-discharged]

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!bars = !titan.mbarrier<2>
!pipe = !titan.pipe<2>
!regs = tensor<8x64xbf16, #rows>
!where = tensor<8x64xi32, #rows>
!yes = tensor<8x64xi1, #rows>
!plain = !titan.shared<8x64xbf16, slots = 2>
!flat = !titan.shared<8x64xbf16>
!copies = !titan.token<async>

// A slot's uses alternate between parities: use n is in round n div 2.
func.func private @parity(%use: index) -> i32 {
  %two = arith.constant 2 : index
  %depth = arith.constant 2 : index
  %round = arith.divui %use, %depth : index
  %odd = arith.remui %round, %two : index
  %parity = arith.index_cast %odd : index to i32
  return %parity : i32
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
  titan.example = {sizes = {M = 56}, X = "Mx64 ints:1", Y = "Mx64"},
  titan.reference = @same} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %zero = arith.constant 0 : index
  %rest = arith.remui %rows, %eight : index
  %whole = arith.cmpi eq, %rest, %zero : index
  titan.require %whole, "launch-check", "whole blocks of rows"
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
  %tiles = titan.shared.alloc : !plain
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(32) : !bars
    titan.mbarrier.init %empty count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "copy" warps(1) {
      %in = titan.coordinate 0 : !where
      %j = titan.coordinate 1 : !where
      scf.for %i = %c0 to %n step %c1 {
        %stage = arith.remui %i, %c2 : index
        %next = arith.addi %i, %c2 : index
        %free = func.call @parity(%next) : (index) -> i32
        titan.mbarrier.wait %empty[%stage : index] parity(%free) : !bars // @room
        %slot = titan.shared.slot %tiles[%stage : index] : !plain -> !flat
        %row = arith.muli %i, %c8 : index
        %row32 = arith.index_cast %row : index to i32
        %at = titan.splat %row32 : i32 -> !where
        %r = arith.addi %at, %in : !where
        titan.cp_async %X[%r, %j], %slot bytes(16) : !global, !where, !where -> !flat
        titan.cp_async.mbarrier_arrive %full[%stage : index] noinc : !bars // @arrives
      }
    }
    titan.partition "use" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %stage = arith.remui %i, %c2 : index
        %parity = func.call @parity(%i) : (index) -> i32
        titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars
        %slot = titan.shared.slot %tiles[%stage : index] : !plain -> !flat
        %x = titan.shared.load %slot : !flat -> !regs
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty[%stage : index] : !bars
        }
        %row = arith.muli %i, %c8 : index
        func.call @put(%x, %Y, %row) : (!regs, !global, index) -> ()
      }
    }
  }
  titan.return
}

// One warp, two slots: the copies of the next step are under way while this one is read.
titan.kernel @groups(%X: !global, %Y: !global) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 56}, X = "Mx64 ints:1", Y = "Mx64"},
  titan.reference = @same} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %zero = arith.constant 0 : index
  %rest = arith.remui %rows, %eight : index
  %whole = arith.cmpi eq, %rest, %zero : index
  titan.require %whole, "launch-check", "whole blocks of rows"
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
  %tiles = titan.shared.alloc : !plain
  %in = titan.coordinate 0 : !where
  %j = titan.coordinate 1 : !where
  %first = titan.shared.slot %tiles[%c0 : index] : !plain -> !flat
  titan.cp_async %X[%in, %j], %first bytes(16) : !global, !where, !where -> !flat
  %g0 = titan.cp_async.commit : !copies
  scf.for %k = %c1 to %n step %c1 {
    %i = arith.subi %k, %c1 : index
    %other = arith.remui %k, %c2 : index
    %to = titan.shared.slot %tiles[%other : index] : !plain -> !flat
    %krow = arith.muli %k, %c8 : index
    %krow32 = arith.index_cast %krow : index to i32
    %at = titan.splat %krow32 : i32 -> !where
    %r = arith.addi %at, %in : !where
    titan.cp_async %X[%r, %j], %to bytes(16) : !global, !where, !where -> !flat
    %g = titan.cp_async.commit : !copies
    titan.cp_async.wait_group 1 // @one
    titan.syncwarp
    %stage = arith.remui %i, %c2 : index
    %slot = titan.shared.slot %tiles[%stage : index] : !plain -> !flat
    %x = titan.shared.load %slot : !flat -> !regs
    titan.syncwarp
    %row = arith.muli %i, %c8 : index
    func.call @put(%x, %Y, %row) : (!regs, !global, index) -> ()
  }
  titan.cp_async.wait_group 0
  titan.syncwarp
  %last = arith.subi %n, %c1 : index
  %stage = arith.remui %last, %c2 : index
  %slot = titan.shared.slot %tiles[%stage : index] : !plain -> !flat
  %x = titan.shared.load %slot : !flat -> !regs
  %row = arith.muli %last, %c8 : index
  func.call @put(%x, %Y, %row) : (!regs, !global, index) -> ()
  titan.return
}

titan.kernel @pipe(%X: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 56}, X = "Mx64 ints:1", Y = "Mx64"},
  titan.reference = @same} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %zero = arith.constant 0 : index
  %rest = arith.remui %rows, %eight : index
  %whole = arith.cmpi eq, %rest, %zero : index
  titan.require %whole, "launch-check", "whole blocks of rows"
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
  %tiles = titan.shared.alloc : !plain
  %pipe = titan.pipe.create "copy" -> ["use"] buffers ["x"](%tiles : !plain) fill(cp_async) : !pipe
  titan.warp_specialize {
    titan.partition "copy" warps(1) {
      %in = titan.coordinate 0 : !where
      %j = titan.coordinate 1 : !where
      scf.for %i = %c0 to %n step %c1 {
        %row = arith.muli %i, %c8 : index
        %row32 = arith.index_cast %row : index to i32
        %at = titan.splat %row32 : i32 -> !where
        %r = arith.addi %at, %in : !where
        %slot = titan.pipe.acquire %pipe : !pipe
        %out = titan.pipe.buffer %slot["x"] : !flat
        titan.cp_async %X[%r, %j], %out bytes(16) : !global, !where, !where -> !flat // @copy
        titan.pipe.commit %slot // @commit
      }
    }
    titan.partition "use" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %slot = titan.pipe.wait %pipe : !pipe
        %in = titan.pipe.buffer %slot["x"] : !flat
        %x = titan.shared.load %in : !flat -> !regs
        titan.pipe.release %slot
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
