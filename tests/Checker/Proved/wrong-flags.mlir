// Programs that were proved once, and are wrong: signals that never come, or come too early, were counted.
// (Of beyond the search finds what is wrong in a grid of 64 CTAs: those up to 6 show no second piece of what is waited for.)
// RUN: not titan check %s --kernel beyond 2>&1 | FileCheck %s --check-prefix=STUCK
// VARIANT no_more: in wanted `%n, %more` -> `%n, %c0`
// RUN: %variant no_more %s | titan check - --kernel beyond --require=proved
// VARIANT far: in more `%c16` -> `%c512`
// RUN: %variant far %s | not titan check - --kernel beyond 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: %variant far %s | not titan check - --kernel beyond --undecided=warning --require=proved 2>&1 | FileCheck %s --check-prefix=COUNT
// ONE: error: [undecided] what this waits for is computed by a quotient, a remainder or a minimum, and the [[#]] launches that were looked at as a whole show one piece of it alone
// RUN: not titan run %s --kernel beyond --size M=17 2>&1 | FileCheck %s --check-prefix=STUCK
// RUN: not titan check %s --kernel unequal --require=proved 2>&1 | FileCheck %s --check-prefix=UNPROVED
// RUN: not titan run %s --kernel unequal --size M=29 --schedule lazy 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not titan check %s --kernel wraps --require=proved 2>&1 | FileCheck %s --check-prefix=WRAPS
// RUN: not titan run %s --kernel wraps --size M=20 2>&1 | FileCheck %s --check-prefix=STUCK
// RUN: not titan check %s --kernel promised --require=proved 2>&1 | FileCheck %s --check-prefix=UNPROVED
// RUN: not titan run %s --kernel promised 2>&1 | FileCheck %s --check-prefix=STUCK
// RUN: not titan check %s --kernel later_signals --require=proved 2>&1 | FileCheck %s --check-prefix=UNPROVED
// RUN: not titan run %s --kernel later_signals --size R=1060 --schedule random:1 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not titan check %s --kernel own_gate --undecided=warning --require=proved 2>&1 | FileCheck %s --check-prefix=COME
// RUN: not titan run %s --kernel own_gate --size N=128 2>&1 | FileCheck %s --check-prefix=STUCK
// COUNT: is not shown to be all that can be added to the flag before it
// COME: not all signals that this waits for are shown to come
// WRAPS: is not shown to fit into 32 bits
// UNPROVED: {{\[undecided\]|\[not-proved\]}}
// STUCK: [deadlock]
// EARLY: [race]

!word = !titan.global<1xi32>
!data = !titan.global<?xf32>

// n signals, and 1 more waited for in every 16: no CTA there signals them.
titan.kernel @beyond(%Y: !data, %count: !word) warps(1) attributes {titan.target = "sm_90a", titan.initial = {count = 0 : i32},
  titan.example = {sizes = {M = 5}, Y = "M zeros", count = "1 zeros", multiprocessor_count = 4096}} launch {
  %n = titan.dim %Y, 0 : !data
  %sms = titan.device_property "multiprocessor_count"
  %fits = arith.cmpi ule, %n, %sms : index
  titan.require %fits, "launch-check", "all CTAs at once"
  %most = arith.constant 20000 : index
  %few = arith.cmpi ule, %n, %most : index
  titan.require %few, "launch-check", "few signals"
  titan.launch grid(%n) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c512 = arith.constant 512 : index
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  titan.elect warp(0) {
    titan.flag.signal %count[%c0], %i1 : !word
    %more = arith.divui %n, %c16 : index // @more
    %wanted = arith.addi %n, %more : index // @wanted
    %wanted32 = arith.index_cast %wanted : index to i32
    titan.flag.wait %count[%c0], %wanted32 : !word
    titan.st %f1, %Y[%cta] : f32, !data
  }
  titan.return
}

// CTAs from 20 on add 2: n has come before all have signalled. (Stores on one side make two cases.)
titan.kernel @unequal(%P: !data, %Y: !data, %Z: !data, %count: !word) warps(1) attributes {titan.target = "sm_90a", titan.initial = {count = 0 : i32},
  titan.example = {sizes = {M = 5}, P = "M zeros", Y = "M zeros", Z = "M zeros", count = "1 zeros", multiprocessor_count = 4096}} launch {
  %n = titan.dim %P, 0 : !data
  %ny = titan.dim %Y, 0 : !data
  %same = arith.cmpi eq, %n, %ny : index
  titan.require %same, "launch-check", "Y is as long as P"
  %nz = titan.dim %Z, 0 : !data
  %sameZ = arith.cmpi eq, %n, %nz : index
  titan.require %sameZ, "launch-check", "Z is as long as P"
  %sms = titan.device_property "multiprocessor_count"
  %fits = arith.cmpi ule, %n, %sms : index
  titan.require %fits, "launch-check", "all CTAs at once"
  %most = arith.constant 20000 : index
  %few = arith.cmpi ule, %n, %most : index
  titan.require %few, "launch-check", "few signals"
  titan.launch grid(%n) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %next = arith.addi %cta, %c1 : index
  %neighbour = arith.remui %next, %n : index
  %n32 = arith.index_cast %n : index to i32
  %low = arith.cmpi ult, %cta, %c20 : index
  %added = arith.select %low, %i1, %i2 : i32
  titan.elect warp(0) {
    scf.if %low {
      titan.st %f1, %Z[%cta] : f32, !data
    }
    titan.st %f1, %P[%cta] : f32, !data
    titan.flag.signal %count[%c0], %added : !word
    titan.flag.wait %count[%c0], %n32 : !word
    %x = titan.ld %P[%neighbour] : !data -> f32
    titan.st %x, %Y[%cta] : f32, !data
  }
  titan.return
}

// What is added behind the first iteration is much more: 20 CTAs of it wrap round, and a wait that had its number has it no more.
titan.kernel @wraps(%P: !data, %Y: !data, %count: !word) warps(1) attributes {titan.target = "sm_90a", titan.initial = {count = 0 : i32},
  titan.example = {sizes = {M = 5}, P = "M zeros", Y = "M zeros", count = "1 zeros", multiprocessor_count = 4096}} launch {
  %n = titan.dim %P, 0 : !data
  %ny = titan.dim %Y, 0 : !data
  %same = arith.cmpi eq, %n, %ny : index
  titan.require %same, "launch-check", "Y is as long as P"
  %sms = titan.device_property "multiprocessor_count"
  %fits = arith.cmpi ule, %n, %sms : index
  titan.require %fits, "launch-check", "all CTAs at once"
  %most = arith.constant 20000 : index
  %few = arith.cmpi ule, %n, %most : index
  titan.require %few, "launch-check", "few signals"
  titan.launch grid(%n) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %i1 = arith.constant 1 : i32
  %much = arith.constant 134217728 : i32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %next = arith.addi %cta, %c1 : index
  %neighbour = arith.remui %next, %n : index
  %n32 = arith.index_cast %n : index to i32
  titan.elect warp(0) {
    titan.st %f1, %P[%cta] : f32, !data
    titan.flag.signal %count[%c0], %i1 : !word
    titan.flag.wait %count[%c0], %n32 : !word
    %x = titan.ld %P[%neighbour] : !data -> f32
    titan.st %x, %Y[%cta] : f32, !data
    scf.for %i = %c0 to %c3 step %c1 iter_args(%added = %i1) -> i32 {
      titan.flag.signal %count[%c0], %added : !word
      scf.yield %much : i32
    }
  }
  titan.return
}

// Behind a wait that never returns no promise is kept: the wait must not rest on it.
!words = !titan.global<?xi32>
titan.kernel @promised(%X: !words, %Y: !data) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {X = "1 zeros", Y = "1 zeros"}} launch {
  %c1 = arith.constant 1 : index
  %words = titan.dim %X, 0 : !words
  %some = arith.cmpi uge, %words, %c1 : index
  titan.require %some, "launch-check", "an element"
  %results = titan.dim %Y, 0 : !data
  %room = arith.cmpi uge, %results, %c1 : index
  titan.require %room, "launch-check", "an element"
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f1 = arith.constant 1.0 : f32
  %i0 = arith.constant 0 : i32
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "a" warps(1) {
      titan.elect {
        %x = titan.ld %X[%c0] : !words -> i32
        %number = arith.index_cast %x : i32 to index
        %positive = arith.cmpi sge, %number, %c0 : index
        %small = arith.cmpi sle, %number, %c1 : index
        %bit = arith.andi %positive, %small : i1
        titan.assume %bit, "0 or 1"
        %set = arith.cmpi sge, %number, %c1 : index
        scf.if %set {
          titan.mbarrier.arrive %full : !titan.mbarrier
        }
      }
    }
    titan.partition "b" warps(1) {
      titan.elect {
        titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier
        titan.st %f1, %Y[%c0] : f32, !data
        %x = titan.ld %X[%c0] : !words -> i32
        %number = arith.index_cast %x : i32 to index
        %set = arith.cmpi sge, %number, %c1 : index
        titan.assume %set, "1"
      }
    }
  }
  titan.return
}

!flags = !titan.global<?x?xi32>
!table = !titan.global<?x1024xf32>

// A line of CTAs, each of which signals many times: who waits for the first signal of the CTA before knows nothing of the
// later ones, nor of what those before it have done behind theirs.
titan.kernel @later_signals(%Z: !table, %Y: !data, %flags: !flags) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 4, R = 6}, Z = "Mx1024 zeros", Y = "M zeros", flags = "MxR zeros"}} launch {
  %c1 = arith.constant 1 : index
  %n = titan.dim %flags, 0 : !flags
  %r = titan.dim %flags, 1 : !flags
  %z = titan.dim %Z, 0 : !table
  %zFits = arith.cmpi uge, %z, %n : index
  titan.require %zFits, "launch-check", "a row for each CTA"
  %y = titan.dim %Y, 0 : !data
  %yFits = arith.cmpi uge, %y, %n : index
  titan.require %yFits, "launch-check", "an element for each CTA"
  %some = arith.cmpi uge, %r, %c1 : index
  titan.require %some, "launch-check", "a signal"
  %most = arith.constant 10000 : index
  %few = arith.cmpi ule, %n, %most : index
  titan.require %few, "launch-check", "few CTAs"
  %fewSignals = arith.cmpi ule, %r, %most : index
  titan.require %fewSignals, "launch-check", "few signals"
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %n, %sms : index
  titan.launch grid(%grid) with(%r : index)
} body(%r: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.constant 1023 : index
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %behind = arith.cmpi ugt, %cta, %c0 : index
  %before = arith.subi %cta, %c1 : index
  titan.elect warp(0) {
    scf.if %behind {
      titan.flag.wait %flags[%before, %c0], %i1 : !flags
      %old = titan.ld %Z[%before, %c0] : !table -> f32
      titan.st %old, %Y[%cta] : f32, !data
    }
    titan.st %f1, %Z[%cta, %c0] : f32, !table
    scf.for %t = %c0 to %r step %c1 {
      %column = arith.minui %t, %last : index
      %at = arith.subi %last, %column : index
      titan.st %f1, %Z[%cta, %at] : f32, !table
      titan.flag.signal %flags[%cta, %t], %i1 : !flags
    }
  }
  titan.return
}

// Turns, in which each CTA of a large grid waits for its own signal, too.
titan.kernel @own_gate(%P: !data, %S: !data, %turn: !words) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {N = 5}, P = "1 zeros", S = "N zeros", turn = "1 zeros", multiprocessor_count = 132}} launch {
  %c1 = arith.constant 1 : index
  %n = titan.dim %S, 0 : !data
  %p = titan.dim %P, 0 : !data
  %pFits = arith.cmpi uge, %p, %c1 : index
  titan.require %pFits, "launch-check", "an element"
  %t = titan.dim %turn, 0 : !words
  %tFits = arith.cmpi uge, %t, %c1 : index
  titan.require %tFits, "launch-check", "a flag"
  %some = arith.cmpi uge, %n, %c1 : index
  titan.require %some, "launch-check", "a CTA"
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %n, %sms : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %many = arith.constant 128 : index
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %ctas = titan.num_ctas 0
  %large = arith.divui %ctas, %many : index
  %one = arith.minui %large, %c1 : index
  %own = arith.addi %cta, %one : index
  %turn32 = arith.index_cast %cta : index to i32
  %own32 = arith.index_cast %own : index to i32
  titan.elect warp(0) {
    titan.flag.wait %turn[%c0], %turn32 : !words
    titan.flag.wait %turn[%c0], %own32 : !words
    %x = titan.ld %P[%c0] : !data -> f32
    %y = arith.addf %x, %f1 : f32
    titan.st %y, %P[%c0] : f32, !data
    titan.flag.signal %turn[%c0], %i1 : !words
  }
  titan.return
}
