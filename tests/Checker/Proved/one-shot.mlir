// IDIOM: one-shot barriers
//
// Barriers that are used once: each has one phase, of parity 0, and nothing is freed.
//
// RUN: titan check %s --require=searched | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @together: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @each: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @pipe: accepted
// CHECK: {{^}}  proved, for every size
//
// It expects the bytes of one of them.
// VARIANT half_the_bytes: in bytes `2048` -> `1024`
// RUN: %variant half_the_bytes %s | not titan check - --kernel together 2>&1 | FileCheck %s --check-prefix=HALF-THE-BYTES
// HALF-THE-BYTES: [barrier-bytes]
// Nobody waits.
// VARIANT no_wait: drop wait1
// RUN: %variant no_wait %s | not titan check - --kernel together 2>&1 | FileCheck %s --check-prefix=NO-WAIT
// NO-WAIT: [completion-not-observed]
// It waits for the phase before the first one, which is over.
// VARIANT before_it: in asked `%i0` -> `%odd`
// VARIANT before_it: before asked add %odd = arith.constant 1 : i32
// RUN: %variant before_it %s | not titan check - --kernel each 2>&1 | FileCheck %s --check-prefix=BEFORE-IT
// BEFORE-IT: [phase-parity]
// The last tile is not loaded.
// VARIANT one_fewer: in once `%c4` -> `%c1`
// RUN: %variant one_fewer %s | not titan check - --kernel each 2>&1 | FileCheck %s --check-prefix=ONE-FEWER
// ONE-FEWER: [deadlock]
// One slot is not filled.
// VARIANT one_load: in loads `%c2` -> `%c1`
// RUN: %variant one_load %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=ONE-LOAD
// ONE-LOAD: [deadlock]

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!ring = !titan.shared<8x64xbf16, swizzle = 128, slots = 2>
!bar = !titan.mbarrier
!pipe = !titan.pipe<2>
!regs = tensor<8x64xbf16, #rows>
!where = tensor<8x64xi32, #rows>
!yes = tensor<8x64xi1, #rows>
!four = !titan.shared<8x64xbf16, swizzle = 128, slots = 4>
!bars4 = !titan.mbarrier<4>

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

// Three blocks of rows on one barrier, which expects all of their bytes.
titan.kernel @together(%X: !global, %Y: !global) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64"}} launch {
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
  titan.launch grid(%n) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 0 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %cta = titan.cta_id 0
  %row = arith.muli %cta, %c8 : index
  %below = arith.addi %row, %c8 : index
  %both = arith.constant 2048 : i32 // @bytes
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %both : !bar
    titan.tma.load %map[%row, %c0], %a, %full : !map, !tile, !bar
    titan.tma.load %map[%below, %c0], %b, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar // @wait1
  %x = titan.shared.load %a : !tile -> !regs
  %y = titan.shared.load %b : !tile -> !regs
  %z = arith.addf %x, %y : !regs
  func.call @put(%z, %Y, %row) : (!regs, !global, index) -> ()
  titan.return
}

// A barrier for each of four tiles; the consumer follows from tile to tile.
titan.kernel @each(%X: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
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
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 1024 : i32
  %four = titan.shared.alloc : !four
  %full = titan.mbarrier.alloc : !bars4
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars4
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %c4 step %c1 { // @once
          %row = arith.muli %i, %c8 : index
          titan.mbarrier.arrive_expect_tx %full[%i : index], %bytes : !bars4
          %slot = titan.shared.slot %four[%i : index] : !four -> !tile
          titan.tma.load %map[%row, %c0], %slot, %full[%i : index] : !map, !tile, !bars4
        }
      }
    }
    titan.partition "use" warps(1) {
      scf.for %i = %c0 to %c4 step %c1 {
        titan.mbarrier.wait %full[%i : index] parity(%i0) : !bars4 // @asked
        %slot = titan.shared.slot %four[%i : index] : !four -> !tile
        %x = titan.shared.load %slot : !tile -> !regs
        %row = arith.muli %i, %c8 : index
        func.call @put(%x, %Y, %row) : (!regs, !global, index) -> ()
      }
    }
  }
  titan.return
}

// As many slots as uses: no slot is waited for.
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
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %tiles = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%tiles : !ring) : !pipe
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %i = %c0 to %c2 step %c1 { // @loads
        %row = arith.muli %i, %c8 : index
        %slot = titan.pipe.acquire %pipe : !pipe
        titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map
        titan.pipe.commit %slot
      }
    }
    titan.partition "use" warps(1) {
      scf.for %i = %c0 to %c2 step %c1 {
        %slot = titan.pipe.wait %pipe : !pipe
        %in = titan.pipe.buffer %slot["x"] : !tile
        %x = titan.shared.load %in : !tile -> !regs
        titan.pipe.release %slot
        %row = arith.muli %i, %c8 : index
        func.call @put(%x, %Y, %row) : (!regs, !global, index) -> ()
      }
    }
  }
  titan.return
}
