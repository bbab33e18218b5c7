// MM-5, MM-122: what an argument, a size or a CTA id decides is tried with each outcome that
// matters, or the kernel is undecided.
//
// RUN: not titan check %s --kernel index_any 2>&1 | FileCheck %s --check-prefix=INDEX-ANY
// RUN: not titan check %s --kernel index_hit 2>&1 | FileCheck %s --check-prefix=INDEX-HIT
// RUN: titan check %s --kernel index_missed
// RUN: not titan check %s --kernel parity 2>&1 | FileCheck %s --check-prefix=PARITY
// RUN: titan check %s --kernel parity_required
// RUN: not titan check %s --kernel yielded 2>&1 | FileCheck %s --check-prefix=YIELDED
// RUN: titan check %s --kernel yielded_same
// RUN: not titan check %s --kernel hundred 2>&1 | FileCheck %s --check-prefix=HUNDRED
// RUN: titan check %s --kernel hundred_waits
// RUN: not titan check %s --kernel shared_size 2>&1 | FileCheck %s --check-prefix=SHARED-SIZE
// RUN: not titan check %s --kernel other_count 2>&1 | FileCheck %s --check-prefix=OTHER-COUNT
// RUN: not titan check %s --kernel second_loop 2>&1 | FileCheck %s --check-prefix=SECOND-LOOP
// RUN: not titan check %s --kernel through_loop 2>&1 | FileCheck %s --check-prefix=THROUGH-LOOP
// RUN: not titan check %s --kernel multiple 2>&1 | FileCheck %s --check-prefix=MULTIPLE
// RUN: not titan check %s --kernel last_cta 2>&1 | FileCheck %s --check-prefix=LAST-CTA
// RUN: titan check %s --kernel beyond_last
// RUN: not titan check %s --kernel five 2>&1 | FileCheck %s --check-prefix=FIVE
// RUN: titan check %s --kernel five_waits
// RUN: titan check %s --kernel chain
// RUN: not titan check %s --kernel hidden_block 2>&1 | FileCheck %s --check-prefix=HIDDEN-BLOCK

!global = !titan.global<?x?xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// The element may be any, the one that warp 1 writes among them.
// INDEX-ANY: {{\[}}out-of-bounds{{\]}} index -1 of dimension 0 of %buf, which has 64 elements
titan.kernel @index_any(%A: !global, %D: !global, %s: i32) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c3 = arith.constant 3 : index
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %buf = titan.shared.alloc : !titan.shared<64xi32>
  %x = arith.index_cast %s : i32 to index
  titan.elect warp(0) {
    titan.st %i1, %buf[%x] : i32, !titan.shared<64xi32>
  }
  titan.elect warp(1) {
    titan.st %i2, %buf[%c3] : i32, !titan.shared<64xi32>
  }
  titan.return
}

// One of four elements, of which warp 1 writes one.
// INDEX-HIT: {{\[}}race{{\]}}
titan.kernel @index_hit(%A: !global, %D: !global, %s: i32) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c3 = arith.constant 3 : index
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %buf = titan.shared.alloc : !titan.shared<64xi32>
  %c4b = arith.constant 4 : i32
  %r = arith.remui %s, %c4b : i32
  %x = arith.index_cast %r : i32 to index
  titan.elect warp(0) {
    titan.st %i1, %buf[%x] : i32, !titan.shared<64xi32>
  }
  titan.elect warp(1) {
    titan.st %i2, %buf[%c3] : i32, !titan.shared<64xi32>
  }
  titan.return
}

// One of three elements, and warp 1 writes the fourth.
titan.kernel @index_missed(%A: !global, %D: !global, %s: i32) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c3 = arith.constant 3 : index
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %buf = titan.shared.alloc : !titan.shared<64xi32>
  %three = arith.constant 3 : i32
  %r = arith.remui %s, %three : i32
  %x = arith.index_cast %r : i32 to index
  titan.elect warp(0) {
    titan.st %i1, %buf[%x] : i32, !titan.shared<64xi32>
  }
  titan.elect warp(1) {
    titan.st %i2, %buf[%c3] : i32, !titan.shared<64xi32>
  }
  titan.return
}

// Waits for the wrong phase unless 4 <= s < 8.
// PARITY: error: [phase-parity]
titan.kernel @parity(%A: !global, %D: !global, %s: i32) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  %e = arith.constant 4 : i32
  %z = arith.divui %s, %e : i32
  %zz = arith.xori %z, %i1 : i32
  titan.mbarrier.wait %full parity(%zz) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// The launch admits 4 to 7.
titan.kernel @parity_required(%A: !global, %D: !global, %s: i32) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %four = arith.constant 4 : i32
  %seven = arith.constant 7 : i32
  %low = arith.cmpi uge, %s, %four : i32
  %high = arith.cmpi ule, %s, %seven : i32
  titan.require %high, "launch-check", "s is at most 7"
  titan.require %low, "launch-check", "s is at least 4"
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  %e = arith.constant 4 : i32
  %z = arith.divui %s, %e : i32
  %zz = arith.xori %z, %i1 : i32
  titan.mbarrier.wait %full parity(%zz) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// A branch without effects yields the parity.
// YIELDED: error: [phase-parity]
titan.kernel @yielded(%A: !global, %D: !global, %s: i32) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  %c = arith.cmpi eq, %s, %i0 : i32
  %p = scf.if %c -> (i32) {
    scf.yield %i1 : i32
  } else {
    scf.yield %i0 : i32
  }
  titan.mbarrier.wait %full parity(%p) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// The same parity on both sides.
titan.kernel @yielded_same(%A: !global, %D: !global, %s: i32) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  %c = arith.cmpi eq, %s, %i0 : i32
  %p = scf.if %c -> (i32) {
    scf.yield %i0 : i32
  } else {
    scf.yield %i0 : i32
  }
  titan.mbarrier.wait %full parity(%p) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// Nobody waits when s is 100.
// HUNDRED: {{\[}}completion-not-observed{{\]}}
titan.kernel @hundred(%A: !global, %D: !global, %s: i32) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  %h = arith.constant 100 : i32
  %c = arith.cmpi eq, %s, %h : i32
  scf.if %c {
  } else {
    titan.mbarrier.wait %full parity(%i0) : !bar
  }
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// On each side somebody waits.
titan.kernel @hundred_waits(%A: !global, %D: !global, %s: i32) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  %h = arith.constant 100 : i32
  %c = arith.cmpi eq, %s, %h : i32
  scf.if %c {
    titan.mbarrier.wait %full parity(%i0) : !bar
  } else {
    titan.mbarrier.wait %full parity(%i0) : !bar
  }
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// The size that says how often the loop runs says, too, whether it waits.
// SHARED-SIZE: {{\[}}completion-not-observed{{\]}}
titan.kernel @shared_size(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %kk = titan.dim %A, 1 : !global
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA, %kk : !map, index)
} body(%mapA: !map, %kk: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %steps = arith.ceildivui %kk, %c64 : index
  %rest = arith.remui %kk, %c64 : index
  %even = arith.cmpi eq, %rest, %c0 : index
  %r = scf.for %k = %c0 to %steps step %c1 iter_args(%p = %i0) -> (i32) {
    titan.elect warp(0) {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
    }
    scf.if %even {
    } else {
      titan.mbarrier.wait %full parity(%p) : !bar
    }
    %x = titan.shared.load %buf : !tile -> !reg
    titan.fence.proxy_async shared_cta
    titan.cta_sync
    %q = arith.xori %p, %i1 : i32
    scf.yield %q : i32
  }
  titan.return
}

// The loop runs as often as some pair of counts, and the branch asks for another.
// OTHER-COUNT: {{\[}}completion-not-observed{{\]}}
titan.kernel @other_count(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %kk = titan.dim %A, 1 : !global
  %steps = arith.ceildivui %kk, %c64 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA, %steps : !map, index)
} body(%mapA: !map, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %r = scf.for %k = %c0 to %steps step %c1 iter_args(%p = %i0) -> (i32) {
    titan.elect warp(0) {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
    }
    titan.mbarrier.wait %full parity(%p) : !bar
    %x = titan.shared.load %buf : !tile -> !reg
    titan.fence.proxy_async shared_cta
    titan.cta_sync
    %q = arith.xori %p, %i1 : i32
    scf.yield %q : i32
  }
  %c8 = arith.constant 8 : index
  %many = arith.cmpi eq, %steps, %c8 : index
  scf.if %many {
    titan.elect warp(0) {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
    }
    %x = titan.shared.load %buf : !tile -> !reg
  }
  titan.return
}

// The second loop runs once in eight iterations of the first.
// SECOND-LOOP: {{\[}}race{{\]}}
titan.kernel @second_loop(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %m = titan.dim %A, 1 : !global
  %n = arith.addi %m, %c1 : index
  titan.launch grid(%c1) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %buf = titan.shared.alloc : !titan.shared<64xi32>
  %c8 = arith.constant 8 : index
  %n8 = arith.divui %n, %c8 : index
  scf.for %k = %c0 to %n step %c1 {
    titan.cta_sync
  }
  scf.for %k = %c0 to %n8 step %c1 {
    titan.elect {
      titan.st %i1, %buf[%c0] : i32, !titan.shared<64xi32>
    }
  }
  titan.return
}

// The argument goes through a loop.
// THROUGH-LOOP: {{\[}}completion-not-observed{{\]}}
titan.kernel @through_loop(%A: !global, %D: !global, %s: i32) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  %a = scf.for %i = %c0 to %c1 step %c1 iter_args(%q = %s) -> (i32) {
    scf.yield %q : i32
  }
  %c = arith.cmpi eq, %a, %i0 : i32
  scf.if %c {
  } else {
    titan.mbarrier.wait %full parity(%i0) : !bar
  }
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// The loop may run zero times: where the size is a multiple of 64.
// MULTIPLE: {{\[}}deadlock{{\]}}
titan.kernel @multiple(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %m = titan.dim %A, 1 : !global
  %n = arith.remui %m, %c64 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA, %n : !map, index)
} body(%mapA: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  scf.for %k = %c0 to %n step %c1 {
    %f = arith.cmpi eq, %k, %c0 : index
    scf.if %f {
    titan.elect warp(0) {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
    }
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// Only the last CTA does not wait.
// LAST-CTA: {{\[}}completion-not-observed{{\]}}
titan.kernel @last_cta(%A: !global, %D: !global) warps(4) launch {
  %c16 = arith.constant 16 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c16) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  %id = titan.cta_id 0
  %n = titan.num_ctas 0
  %l = arith.subi %n, %c1 : index
  %last = arith.cmpi eq, %id, %l : index
  scf.if %last {
  } else {
    titan.mbarrier.wait %full parity(%i0) : !bar
  }
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// The side that no CTA takes.
titan.kernel @beyond_last(%A: !global, %D: !global) warps(4) launch {
  %c16 = arith.constant 16 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c16) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  %id = titan.cta_id 0
  %n = titan.num_ctas 0
  %l = arith.addi %n, %c1 : index
  %last = arith.cmpi eq, %id, %l : index
  scf.if %last {
  } else {
    titan.mbarrier.wait %full parity(%i0) : !bar
  }
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// Only if all five branches are passed by does nobody wait.
// FIVE: {{\[}}completion-not-observed{{\]}}
titan.kernel @five(%A: !global, %D: !global, %s0: i32, %s1: i32, %s2: i32, %s3: i32, %s4: i32) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  %f0 = arith.cmpi eq, %s0, %i0 : i32
  scf.if %f0 {
    titan.mbarrier.wait %full parity(%i0) : !bar
  }
  %f1 = arith.cmpi eq, %s1, %i0 : i32
  scf.if %f1 {
    titan.mbarrier.wait %full parity(%i0) : !bar
  }
  %f2 = arith.cmpi eq, %s2, %i0 : i32
  scf.if %f2 {
    titan.mbarrier.wait %full parity(%i0) : !bar
  }
  %f3 = arith.cmpi eq, %s3, %i0 : i32
  scf.if %f3 {
    titan.mbarrier.wait %full parity(%i0) : !bar
  }
  %f4 = arith.cmpi eq, %s4, %i0 : i32
  scf.if %f4 {
    titan.mbarrier.wait %full parity(%i0) : !bar
  }
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// The last branch waits on its other side.
titan.kernel @five_waits(%A: !global, %D: !global, %s0: i32, %s1: i32, %s2: i32, %s3: i32, %s4: i32) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  %f0 = arith.cmpi eq, %s0, %i0 : i32
  scf.if %f0 {
    titan.mbarrier.wait %full parity(%i0) : !bar
  }
  %f1 = arith.cmpi eq, %s1, %i0 : i32
  scf.if %f1 {
    titan.mbarrier.wait %full parity(%i0) : !bar
  }
  %f2 = arith.cmpi eq, %s2, %i0 : i32
  scf.if %f2 {
    titan.mbarrier.wait %full parity(%i0) : !bar
  }
  %f3 = arith.cmpi eq, %s3, %i0 : i32
  scf.if %f3 {
    titan.mbarrier.wait %full parity(%i0) : !bar
  }
  %f4 = arith.cmpi eq, %s4, %i0 : i32
  scf.if %f4 {
    titan.mbarrier.wait %full parity(%i0) : !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// Expressions share their parts: 2 to the power of 22 paths, 22 numbers.
titan.kernel @chain(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %m = titan.dim %A, 1 : !global
  %n = arith.addi %m, %c1 : index
  titan.launch grid(%c1) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x0 = arith.addi %n, %c1 : index
  %x1 = arith.muli %x0, %x0 : index
  %x2 = arith.muli %x1, %x1 : index
  %x3 = arith.muli %x2, %x2 : index
  %x4 = arith.muli %x3, %x3 : index
  %x5 = arith.muli %x4, %x4 : index
  %x6 = arith.muli %x5, %x5 : index
  %x7 = arith.muli %x6, %x6 : index
  %x8 = arith.muli %x7, %x7 : index
  %x9 = arith.muli %x8, %x8 : index
  %x10 = arith.muli %x9, %x9 : index
  %x11 = arith.muli %x10, %x10 : index
  %x12 = arith.muli %x11, %x11 : index
  %x13 = arith.muli %x12, %x12 : index
  %x14 = arith.muli %x13, %x13 : index
  %x15 = arith.muli %x14, %x14 : index
  %x16 = arith.muli %x15, %x15 : index
  %x17 = arith.muli %x16, %x16 : index
  %x18 = arith.muli %x17, %x17 : index
  %x19 = arith.muli %x18, %x18 : index
  %x20 = arith.muli %x19, %x19 : index
  %x21 = arith.muli %x20, %x20 : index
  %x22 = arith.muli %x21, %x21 : index
  %lim = arith.andi %x22, %c1 : index
  scf.for %k = %c0 to %lim step %c1 {
    titan.cta_sync
  }
  titan.return
}

// A block that the checker does not walk.
// HIDDEN-BLOCK: {{\[}}undecided{{\]}} the checker does not follow
titan.kernel @hidden_block(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %i1 = arith.constant 1 : i32
  %buf = titan.shared.alloc : !titan.shared<64xi32>
  scf.execute_region {
    cf.br ^bb1
  ^bb1:
    titan.st %i1, %buf[%c0] : i32, !titan.shared<64xi32>
    titan.barrier.sync 1 threads(512)
    scf.yield
  }
  titan.return
}
