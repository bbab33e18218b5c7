// IDIOM: flags in global memory
//
// CTAs order their work by flags in global memory: whoever has stored signals, and whoever reads waits until as many have.
//
// RUN: titan check %s --require=proved | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @turns: accepted
// CHECK: {{^}}  proved, for every size
// CHECK-SAME: CTAs are started in the order of their ids
// CHECK: @tiles: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @line: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @fixup: accepted
// CHECK: {{^}}  proved, for every size
//
// Each CTA waits for one turn fewer: two may have theirs at a time.
// VARIANT early_turn: in before `%cta ` -> `%early `
// VARIANT early_turn: before before add %early = arith.subi %cta, %c1 : index
// RUN: %variant early_turn %s | not titan check - --kernel turns 2>&1 | FileCheck %s --check-prefix=EARLY-TURN
// EARLY-TURN: [race]
// Nobody waits for its turn.
// VARIANT no_turn: drop turn
// RUN: %variant no_turn %s | not titan check - --kernel turns 2>&1 | FileCheck %s --check-prefix=NO-TURN
// NO-TURN: [race]
// Of several tiles each waits for one turn fewer, or for that of its own CTA, or signals twice.
// VARIANT early_tile: in tile `%tile ` -> `%sooner `
// VARIANT early_tile: before tile add %sooner = arith.subi %tile, %c1 : index
// RUN: %variant early_tile %s | not titan check - --kernel tiles 2>&1 | FileCheck %s --check-prefix=EARLY-TILE
// EARLY-TILE: [race]
// VARIANT own_tile: in tile `%tile ` -> `%cta `
// RUN: %variant own_tile %s | not titan check - --kernel tiles 2>&1 | FileCheck %s --check-prefix=OWN-TILE
// OWN-TILE: [race]
// VARIANT twice_a_tile: after tile_signal add titan.flag.signal %flags[%c0], %i1 : !words
// RUN: %variant twice_a_tile %s | not titan check - --kernel tiles 2>&1 | FileCheck %s --check-prefix=TWICE-A-TILE
// TWICE-A-TILE: [race]
// Who waits once more waits for what has come. (Launches of many tiles, where the search does not follow that, are no mistakes.)
// VARIANT waits_twice: after tile add titan.elect warp(0) { titan.flag.wait %flags[%c0], %before : !words }
// RUN: %variant waits_twice %s | titan check - --kernel tiles --require=proved | FileCheck %s --check-prefix=WAITS-TWICE
// WAITS-TWICE: @tiles: accepted
// One lane signals what the others may not have stored.
// VARIANT no_sync: drop all
// RUN: %variant no_sync %s | not titan check - --kernel line 2>&1 | FileCheck %s --check-prefix=NO-SYNC
// NO-SYNC: [race]
// Signalled before the store, and after it: whoever waits for one signal has not waited for both.
// VARIANT two_signals: before store add titan.elect warp(0) { titan.flag.signal %flags[%cta], %i1 : !words }
// RUN: %variant two_signals %s | not titan check - --kernel line 2>&1 | FileCheck %s --check-prefix=TWO-SIGNALS
// TWO-SIGNALS: [race]
// Two signallers of one flag.
// VARIANT two_signallers: before signal add %second = arith.shrui %cta, %c1 : index
// VARIANT two_signallers: in signal `%flags[%cta]` -> `%flags[%second]`
// RUN: %variant two_signallers %s | not titan check - --kernel line 2>&1 | FileCheck %s --check-prefix=TWO-SIGNALLERS
// TWO-SIGNALLERS: error: [{{race|deadlock}}]
// The next CTA's flag: all wait for one another, and the last one for nobody.
// VARIANT next_one: in previous `subi` -> `addi`
// RUN: %variant next_one %s | not titan check - --kernel line 2>&1 | FileCheck %s --check-prefix=NEXT-ONE
// NEXT-ONE: error: [
// To its own CTA alone.
// VARIANT narrow: in signal `%i1 :` -> `%i1 scope(cta) :`
// RUN: %variant narrow %s | not titan check - --kernel line --scope=error 2>&1 | FileCheck %s --check-prefix=NARROW
// NARROW: error: [scope-too-narrow]
// RUN: %variant narrow %s | not titan check - --kernel line --require=proved 2>&1 | FileCheck %s --check-prefix=NARROW-NOT-PROVED
// NARROW-NOT-PROVED: this flag is not released to the other CTAs
// The owner does not wait for its helpers.
// VARIANT not_awaited: drop helped
// RUN: %variant not_awaited %s | not titan check - --kernel fixup 2>&1 | FileCheck %s --check-prefix=NOT-AWAITED
// NOT-AWAITED: [race]
// It waits for one of them fewer.
// VARIANT one_fewer: in others `%ctas, %c1` -> `%ctas, %c2`
// RUN: %variant one_fewer %s | not titan check - --kernel fixup 2>&1 | FileCheck %s --check-prefix=ONE-FEWER
// ONE-FEWER: error: [{{race|undecided}}]
// The grid is larger than what is there at once.
// VARIANT larger: in grid `%some, %sms` -> `%some, %some`
// VARIANT larger: in some `%n, %sixteen` -> `%n, %n`
// RUN: %variant larger %s | not titan check - --kernel fixup 2>&1 | FileCheck %s --check-prefix=LARGER
// LARGER: error: [flag-co-residency]

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!regs = tensor<8x64xbf16, #rows>
!where = tensor<8x64xi32, #rows>
!yes = tensor<8x64xi1, #rows>
!words = !titan.global<?xi32>
!pages = !titan.global<?x8x64xbf16, strides = [512, 64, 1]>

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

// CTA after CTA adds to the first page; one flag counts them.
titan.kernel @turns(%X: !global, %Y: !global, %P: !pages, %flags: !words) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64", P = "8x8x64 zeros", flags = "8 zeros"}} launch {
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %n, %sms : index
  %count = titan.dim %P, 0 : !pages
  %enough = arith.cmpi uge, %count, %grid : index
  titan.require %enough, "launch-check", "P has a page for each CTA"
  %flagged = titan.dim %flags, 0 : !words
  %each = arith.cmpi uge, %flagged, %grid : index
  titan.require %each, "launch-check", "a flag for each CTA"
  titan.launch grid(%grid) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %cta = titan.cta_id 0
  %before = arith.index_cast %cta : index to i32 // @before
  titan.elect warp(0) {
    titan.flag.wait %flags[%c0], %before : !words // @turn
  }
  titan.cta_sync
  %i = titan.coordinate 0 : !where
  %j = titan.coordinate 1 : !where
  %zeros = titan.splat %i0 : i32 -> !where
  %x = titan.global.load %P[%zeros, %i, %j] : !pages, !where, !where, !where -> !regs
  %one = func.call @number(%c1) : (index) -> !regs
  %y = arith.addf %x, %one : !regs
  titan.global.store %y, %P[%zeros, %i, %j] : !regs, !pages, !where, !where, !where
  titan.cta_sync // @all
  titan.elect warp(0) {
    titan.flag.signal %flags[%c0], %i1 : !words
  }
  titan.return
}

// The same for all tiles, of which each CTA has several: tile after tile.
titan.kernel @tiles(%X: !global, %Y: !global, %P: !pages, %flags: !words) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64", P = "8x8x64 zeros", flags = "8 zeros"}} launch {
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %n, %sms : index
  %count = titan.dim %P, 0 : !pages
  %enough = arith.cmpi uge, %count, %grid : index
  titan.require %enough, "launch-check", "P has a page for each CTA"
  %flagged = titan.dim %flags, 0 : !words
  %each = arith.cmpi uge, %flagged, %grid : index
  titan.require %each, "launch-check", "a flag for each CTA"
  titan.launch grid(%grid) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %cta = titan.cta_id 0
  %ctas = titan.num_ctas 0
  scf.for %tile = %cta to %n step %ctas {
    %before = arith.index_cast %tile : index to i32 // @tile
    titan.elect warp(0) {
      titan.flag.wait %flags[%c0], %before : !words
    }
    titan.cta_sync
    %i = titan.coordinate 0 : !where
    %j = titan.coordinate 1 : !where
    %zeros = titan.splat %i0 : i32 -> !where
    %x = titan.global.load %P[%zeros, %i, %j] : !pages, !where, !where, !where -> !regs
    %one = func.call @number(%c1) : (index) -> !regs
    %y = arith.addf %x, %one : !regs
    titan.global.store %y, %P[%zeros, %i, %j] : !regs, !pages, !where, !where, !where
    titan.cta_sync
    titan.elect warp(0) {
      titan.flag.signal %flags[%c0], %i1 : !words // @tile_signal
    }
  }
  titan.return
}

// The same with a flag for each CTA: each waits for the one before it.
titan.kernel @line(%X: !global, %Y: !global, %P: !pages, %flags: !words) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64", P = "8x8x64 zeros", flags = "8 zeros"}} launch {
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %n, %sms : index
  %count = titan.dim %P, 0 : !pages
  %enough = arith.cmpi uge, %count, %grid : index
  titan.require %enough, "launch-check", "P has a page for each CTA"
  %flagged = titan.dim %flags, 0 : !words
  %each = arith.cmpi uge, %flagged, %grid : index
  titan.require %each, "launch-check", "a flag for each CTA"
  titan.launch grid(%grid) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %cta = titan.cta_id 0
  %later = arith.cmpi ne, %cta, %c0 : index
  scf.if %later {
    %previous = arith.subi %cta, %c1 : index // @previous
    titan.elect warp(0) {
      titan.flag.wait %flags[%previous], %i1 : !words
    }
  }
  titan.cta_sync
  %i = titan.coordinate 0 : !where
  %j = titan.coordinate 1 : !where
  %zeros = titan.splat %i0 : i32 -> !where
  %x = titan.global.load %P[%zeros, %i, %j] : !pages, !where, !where, !where -> !regs
  %one = func.call @number(%c1) : (index) -> !regs
  %y = arith.addf %x, %one : !regs
  titan.global.store %y, %P[%zeros, %i, %j] : !regs, !pages, !where, !where, !where // @store
  titan.cta_sync // @all
  titan.elect warp(0) {
    titan.flag.signal %flags[%cta], %i1 : !words // @signal
  }
  titan.return
}

// CTA 0 adds up what the others left in pages of their own.
titan.kernel @fixup(%X: !global, %Y: !global, %P: !pages, %flags: !words) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64", P = "8x8x64 zeros", flags = "8 zeros"}} launch {
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %sms = titan.device_property "multiprocessor_count"
  %sixteen = arith.constant 16 : index
  %some = arith.minui %n, %sixteen : index // @some
  %grid = arith.minui %some, %sms : index // @grid
  %count = titan.dim %P, 0 : !pages
  %enough = arith.cmpi uge, %count, %grid : index
  titan.require %enough, "launch-check", "P has a page for each CTA"
  %one = arith.constant 1 : index
  %flagged = titan.dim %flags, 0 : !words
  %some_flag = arith.cmpi uge, %flagged, %one : index
  titan.require %some_flag, "launch-check", "a flag"
  %most = arith.constant 1073741824 : index
  %sizeY = titan.dim %Y, 0 : !global
  %few = arith.cmpi ule, %sizeY, %most : index
  titan.require %few, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  titan.launch grid(%grid) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i1 = arith.constant 1 : i32
  %cta = titan.cta_id 0
  %ctas = titan.num_ctas 0
  %i = titan.coordinate 0 : !where
  %j = titan.coordinate 1 : !where
  %owner = arith.cmpi eq, %cta, %c0 : index
  scf.if %owner {
    %others = arith.subi %ctas, %c1 : index // @others
    %helpers = arith.index_cast %others : index to i32
    titan.elect warp(0) {
      titan.flag.wait %flags[%c0], %helpers : !words // @helped
    }
    titan.cta_sync
    %zero = func.call @number(%c0) : (index) -> !regs
    %sum = scf.for %h = %c1 to %ctas step %c1 iter_args(%sofar = %zero) -> (!regs) {
      %h32 = arith.index_cast %h : index to i32
      %page = titan.splat %h32 : i32 -> !where
      %x = titan.global.load %P[%page, %i, %j] : !pages, !where, !where, !where -> !regs
      %more = arith.addf %sofar, %x : !regs
      scf.yield %more : !regs
    }
    func.call @put(%sum, %Y, %c0) : (!regs, !global, index) -> ()
  } else {
    %x = func.call @number(%cta) : (index) -> !regs
    %cta32 = arith.index_cast %cta : index to i32
    %page = titan.splat %cta32 : i32 -> !where
    titan.global.store %x, %P[%page, %i, %j] : !regs, !pages, !where, !where, !where
    titan.cta_sync
    titan.elect warp(0) {
      titan.flag.signal %flags[%c0], %i1 : !words
    }
  }
  titan.return
}
