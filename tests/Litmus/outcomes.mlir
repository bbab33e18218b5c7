// MM-1: what the rules promise is what happens, and what they refuse does go wrong.
//
// Run with --hazards=off: separate views of memory, and neither effects nor the
// proxy table. The accepted kernels keep their promise under every schedule; of
// the refused ones a schedule is named that breaks it.
//
// RUN: titan check %s --kernel message
// RUN: titan run %s --kernel message --arg A=zeros --arg D=zeros --hazards=off --schedule eager
// RUN: titan run %s --kernel message --arg A=zeros --arg D=zeros --hazards=off --schedule lazy
// RUN: titan run %s --kernel message --arg A=zeros --arg D=zeros --hazards=off --schedule random:1
// RUN: titan run %s --kernel message --arg A=zeros --arg D=zeros --hazards=off --schedule random:2
// RUN: titan run %s --kernel message --arg A=zeros --arg D=zeros --hazards=off --schedule random:3
// RUN: not titan check %s --kernel message_relaxed
// RUN: not titan run %s --kernel message_relaxed --arg A=zeros --arg D=zeros --hazards=off --schedule lazy 2>&1 | FileCheck %s --check-prefix=MESSAGE-RELAXED
// RUN: titan check %s --kernel message_fenced
// RUN: titan run %s --kernel message_fenced --arg A=zeros --arg D=zeros --hazards=off --schedule eager
// RUN: titan run %s --kernel message_fenced --arg A=zeros --arg D=zeros --hazards=off --schedule lazy
// RUN: titan run %s --kernel message_fenced --arg A=zeros --arg D=zeros --hazards=off --schedule random:1
// RUN: titan run %s --kernel message_fenced --arg A=zeros --arg D=zeros --hazards=off --schedule random:2
// RUN: titan run %s --kernel message_fenced --arg A=zeros --arg D=zeros --hazards=off --schedule random:3
// RUN: not titan check %s --kernel message_no_wait
// RUN: not titan run %s --kernel message_no_wait --arg A=zeros --arg D=zeros --hazards=off --schedule eager 2>&1 | FileCheck %s --check-prefix=MESSAGE-NO-WAIT
// RUN: titan check %s --kernel load
// RUN: titan run %s --kernel load --arg A=zeros --arg D=zeros --hazards=off --schedule eager
// RUN: titan run %s --kernel load --arg A=zeros --arg D=zeros --hazards=off --schedule lazy
// RUN: titan run %s --kernel load --arg A=zeros --arg D=zeros --hazards=off --schedule random:1
// RUN: titan run %s --kernel load --arg A=zeros --arg D=zeros --hazards=off --schedule random:2
// RUN: titan run %s --kernel load --arg A=zeros --arg D=zeros --hazards=off --schedule random:3
// RUN: not titan check %s --kernel load_not_waited
// RUN: not titan run %s --kernel load_not_waited --arg A=zeros --arg D=zeros --hazards=off --schedule lazy 2>&1 | FileCheck %s --check-prefix=LOAD-NOT-WAITED
// RUN: titan check %s --kernel store
// RUN: titan run %s --kernel store --arg A=zeros --arg D=zeros --hazards=off --schedule eager
// RUN: titan run %s --kernel store --arg A=zeros --arg D=zeros --hazards=off --schedule lazy
// RUN: titan run %s --kernel store --arg A=zeros --arg D=zeros --hazards=off --schedule random:1
// RUN: titan run %s --kernel store --arg A=zeros --arg D=zeros --hazards=off --schedule random:2
// RUN: titan run %s --kernel store --arg A=zeros --arg D=zeros --hazards=off --schedule random:3
// RUN: not titan check %s --kernel store_not_fenced
// RUN: not titan run %s --kernel store_not_fenced --arg A=zeros --arg D=zeros --hazards=off --schedule lazy 2>&1 | FileCheck %s --check-prefix=STORE-NOT-FENCED
// RUN: titan check %s --kernel store_source_kept
// RUN: titan run %s --kernel store_source_kept --arg A=zeros --arg D=zeros --hazards=off --schedule eager
// RUN: titan run %s --kernel store_source_kept --arg A=zeros --arg D=zeros --hazards=off --schedule lazy
// RUN: titan run %s --kernel store_source_kept --arg A=zeros --arg D=zeros --hazards=off --schedule random:1
// RUN: titan run %s --kernel store_source_kept --arg A=zeros --arg D=zeros --hazards=off --schedule random:2
// RUN: titan run %s --kernel store_source_kept --arg A=zeros --arg D=zeros --hazards=off --schedule random:3
// RUN: not titan check %s --kernel store_source_lost
// RUN: not titan run %s --kernel store_source_lost --arg A=zeros --arg D=zeros --hazards=off --schedule lazy 2>&1 | FileCheck %s --check-prefix=STORE-SOURCE-LOST
// RUN: titan check %s --kernel map_changed --undecided=warning
// RUN: titan run %s --kernel map_changed --arg A=poison --arg maps=zeros --hazards=off --schedule eager
// RUN: titan run %s --kernel map_changed --arg A=poison --arg maps=zeros --hazards=off --schedule lazy
// RUN: titan run %s --kernel map_changed --arg A=poison --arg maps=zeros --hazards=off --schedule random:1
// RUN: titan run %s --kernel map_changed --arg A=poison --arg maps=zeros --hazards=off --schedule random:2
// RUN: titan run %s --kernel map_changed --arg A=poison --arg maps=zeros --hazards=off --schedule random:3
// RUN: not titan check %s --kernel map_stale
// RUN: not titan run %s --kernel map_stale --arg A=poison --arg maps=zeros --hazards=off --schedule eager 2>&1 | FileCheck %s --check-prefix=MAP-STALE
// RUN: not titan run %s --kernel map_stale --arg A=poison --arg maps=zeros --hazards=off --schedule lazy 2>&1 | FileCheck %s --check-prefix=MAP-STALE
// RUN: not titan run %s --kernel map_stale --arg A=poison --arg maps=zeros --hazards=off --schedule random:1 2>&1 | FileCheck %s --check-prefix=MAP-STALE
// RUN: titan check %s --kernel map_kept --undecided=warning
// RUN: titan run %s --kernel map_kept --arg A=poison --arg maps=zeros --hazards=off --schedule eager
// RUN: titan run %s --kernel map_kept --arg A=poison --arg maps=zeros --hazards=off --schedule lazy
// RUN: titan run %s --kernel map_kept --arg A=poison --arg maps=zeros --hazards=off --schedule random:1
// RUN: titan run %s --kernel map_kept --arg A=poison --arg maps=zeros --hazards=off --schedule random:2
// RUN: titan run %s --kernel map_kept --arg A=poison --arg maps=zeros --hazards=off --schedule random:3
// RUN: not titan check %s --kernel map_lost
// RUN: not titan run %s --kernel map_lost --arg A=poison --arg maps=zeros --hazards=off --schedule lazy 2>&1 | FileCheck %s --check-prefix=MAP-LOST

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!maps   = !titan.global<4x128xi8>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// MM-58: the arrive releases, the wait acquires.
titan.kernel @message(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %zero = arith.constant 0.0 : bf16
  %buf = titan.shared.alloc : !tile
  titan.elect warp(0) {
    titan.st %zero, %buf[%c0, %c0] : bf16, !tile
  }
  titan.cta_sync
  %ping = titan.mbarrier.alloc : !bar
  %pong = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %ping count(1) : !bar
    titan.mbarrier.init %pong count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "a" warps(1) {
      titan.elect {
        titan.st %one, %buf[%c0, %c0] : bf16, !tile
        titan.mbarrier.arrive %ping : !bar
      }
      titan.mbarrier.wait %pong parity(%i0) : !bar
    }
    titan.partition "b" warps(1) {
      titan.mbarrier.wait %ping parity(%i0) : !bar
      titan.elect {
        %seen = titan.ld %buf[%c0, %c0] : !tile -> bf16
        %good = arith.cmpf oeq, %seen, %one : bf16
        titan.assert %good, "the value of one"
      }
      titan.elect {
        titan.mbarrier.arrive %pong : !bar
      }
    }
  }
  titan.return
}

// MESSAGE-RELAXED: [{{assert-failed|undefined-read}}]
// A relaxed arrive leaves the store in its thread's buffer.
titan.kernel @message_relaxed(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %zero = arith.constant 0.0 : bf16
  %buf = titan.shared.alloc : !tile
  titan.elect warp(0) {
    titan.st %zero, %buf[%c0, %c0] : bf16, !tile
  }
  titan.cta_sync
  %ping = titan.mbarrier.alloc : !bar
  %pong = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %ping count(1) : !bar
    titan.mbarrier.init %pong count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "a" warps(1) {
      titan.elect {
        titan.st %one, %buf[%c0, %c0] : bf16, !tile
        titan.mbarrier.arrive %ping {sem = #titan<sem relaxed>} : !bar
      }
      titan.mbarrier.wait %pong parity(%i0) : !bar
    }
    titan.partition "b" warps(1) {
      titan.mbarrier.wait %ping parity(%i0) : !bar
      titan.elect {
        %seen = titan.ld %buf[%c0, %c0] : !tile -> bf16
        %good = arith.cmpf oeq, %seen, %one : bf16
        titan.assert %good, "the value of one"
      }
      titan.elect {
        titan.mbarrier.arrive %pong : !bar
      }
    }
  }
  titan.return
}

// MM-21: a release fence before it does not.
titan.kernel @message_fenced(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %zero = arith.constant 0.0 : bf16
  %buf = titan.shared.alloc : !tile
  titan.elect warp(0) {
    titan.st %zero, %buf[%c0, %c0] : bf16, !tile
  }
  titan.cta_sync
  %ping = titan.mbarrier.alloc : !bar
  %pong = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %ping count(1) : !bar
    titan.mbarrier.init %pong count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "a" warps(1) {
      titan.elect {
        titan.st %one, %buf[%c0, %c0] : bf16, !tile
        titan.fence release cta
        titan.mbarrier.arrive %ping {sem = #titan<sem relaxed>} : !bar
      }
      titan.mbarrier.wait %pong parity(%i0) : !bar
    }
    titan.partition "b" warps(1) {
      titan.mbarrier.wait %ping parity(%i0) : !bar
      titan.elect {
        %seen = titan.ld %buf[%c0, %c0] : !tile -> bf16
        %good = arith.cmpf oeq, %seen, %one : bf16
        titan.assert %good, "the value of one"
      }
      titan.elect {
        titan.mbarrier.arrive %pong : !bar
      }
    }
  }
  titan.return
}

// MESSAGE-NO-WAIT: [{{assert-failed|undefined-read}}]
// The reader does not wait.
titan.kernel @message_no_wait(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %zero = arith.constant 0.0 : bf16
  %buf = titan.shared.alloc : !tile
  titan.elect warp(0) {
    titan.st %zero, %buf[%c0, %c0] : bf16, !tile
  }
  titan.cta_sync
  %ping = titan.mbarrier.alloc : !bar
  %pong = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %ping count(1) : !bar
    titan.mbarrier.init %pong count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "a" warps(1) {
      titan.elect {
        %seen = titan.ld %buf[%c0, %c0] : !tile -> bf16
        %good = arith.cmpf oeq, %seen, %one : bf16
        titan.assert %good, "the value of one"
      }
      titan.mbarrier.wait %ping parity(%i0) : !bar
    }
    titan.partition "b" warps(1) {
      titan.elect {
        titan.st %one, %buf[%c0, %c0] : bf16, !tile
        titan.mbarrier.arrive %ping : !bar
      }
    }
  }
  titan.return
}

// MM-33: the wait shows what the load has written.
titan.kernel @load(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %one = arith.constant 1.0 : bf16
  %zero = arith.constant 0.0 : bf16
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %o = titan.splat %one : bf16 -> !reg
  titan.shared.store %o, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  titan.elect {
    %seen = titan.ld %buf[%c0, %c0] : !tile -> bf16
    %good = arith.cmpf oeq, %seen, %zero : bf16
    titan.assert %good, "the value of zero"
  }
  titan.return
}

// LOAD-NOT-WAITED: [{{assert-failed|undefined-read}}]
// Without it the tile still holds ones.
titan.kernel @load_not_waited(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %one = arith.constant 1.0 : bf16
  %zero = arith.constant 0.0 : bf16
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %o = titan.splat %one : bf16 -> !reg
  titan.shared.store %o, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  titan.elect {
    %seen = titan.ld %buf[%c0, %c0] : !tile -> bf16
    %good = arith.cmpf oeq, %seen, %zero : bf16
    titan.assert %good, "the value of zero"
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  titan.return
}

// MM-31: writers fence, then the store sends what they wrote.
titan.kernel @store(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %one = arith.constant 1.0 : bf16
  %cta = titan.cta_id 0
  %c64 = arith.constant 64 : index
  %at = arith.muli %cta, %c64 : index
  %buf = titan.shared.alloc : !tile
  %back = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %o = titan.splat %one : bf16 -> !reg
  titan.shared.store %o, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g : !bulk
  }
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapD[%at, %c0], %back, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  titan.elect {
    %seen = titan.ld %back[%c0, %c0] : !tile -> bf16
    %good = arith.cmpf oeq, %seen, %one : bf16
    titan.assert %good, "the value of one"
  }
  titan.return
}

// STORE-NOT-FENCED: [{{assert-failed|undefined-read}}]
// Without the fence the async proxy has not seen it.
titan.kernel @store_not_fenced(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %one = arith.constant 1.0 : bf16
  %cta = titan.cta_id 0
  %c64 = arith.constant 64 : index
  %at = arith.muli %cta, %c64 : index
  %buf = titan.shared.alloc : !tile
  %back = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %o = titan.splat %one : bf16 -> !reg
  titan.shared.store %o, %buf : !reg, !tile
  titan.cta_sync
  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g : !bulk
  }
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapD[%at, %c0], %back, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  titan.elect {
    %seen = titan.ld %back[%c0, %c0] : !tile -> bf16
    %good = arith.cmpf oeq, %seen, %one : bf16
    titan.assert %good, "the value of one"
  }
  titan.return
}

// MM-35: the source is overwritten after it was read.
titan.kernel @store_source_kept(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %one = arith.constant 1.0 : bf16
  %zero = arith.constant 0.0 : bf16
  %cta = titan.cta_id 0
  %c64 = arith.constant 64 : index
  %at = arith.muli %cta, %c64 : index
  %buf = titan.shared.alloc : !tile
  %back = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %o = titan.splat %one : bf16 -> !reg
  titan.shared.store %o, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g : !bulk
  }
  titan.cta_sync
  %z = titan.splat %zero : bf16 -> !reg
  titan.shared.store %z, %buf : !reg, !tile
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapD[%at, %c0], %back, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  titan.elect {
    %seen = titan.ld %back[%c0, %c0] : !tile -> bf16
    %good = arith.cmpf oeq, %seen, %one : bf16
    titan.assert %good, "the value of one"
  }
  titan.return
}

// STORE-SOURCE-LOST: [{{assert-failed|undefined-read}}]
// The source is overwritten, fenced even, before the store has read it.
titan.kernel @store_source_lost(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %one = arith.constant 1.0 : bf16
  %zero = arith.constant 0.0 : bf16
  %cta = titan.cta_id 0
  %c64 = arith.constant 64 : index
  %at = arith.muli %cta, %c64 : index
  %buf = titan.shared.alloc : !tile
  %back = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %o = titan.splat %one : bf16 -> !reg
  titan.shared.store %o, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  %g = titan.elect warp(0) -> !bulk {
    titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
    %t = titan.bulk.commit : !bulk
    titan.yield %t : !bulk
  }
  %z = titan.splat %zero : bf16 -> !reg
  titan.shared.store %z, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) {
    titan.bulk.wait %g : !bulk
  }
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapD[%at, %c0], %back, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  titan.elect {
    %seen = titan.ld %back[%c0, %c0] : !tile -> bf16
    %good = arith.cmpf oeq, %seen, %one : bf16
    titan.assert %good, "the value of one"
  }
  titan.return
}

// MM-90: of A, which is poison, the map shows 64 rows and then 32.
titan.kernel @map_changed(%A: !global, %maps: !maps) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c40 = arith.constant 40 : index
  %i0 = arith.constant 0 : i32
  %few = arith.constant 32 : i32
  %all = arith.constant 64 : i32
  %bytes = arith.constant 8192 : i32
  %zero = arith.constant 0.0 : bf16
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %edit = titan.tensormap.alloc : !map
  %map = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  scf.if %is0 {
    titan.tensormap.copy %mapA, %edit : !map, !map
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
    titan.fence.tensormap_acquire %map gpu : !map
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %few : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
    titan.fence.tensormap_acquire %map gpu : !map
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  titan.elect {
    %seen = titan.ld %buf[%c40, %c0] : !tile -> bf16
    %good = arith.cmpf oeq, %seen, %zero : bf16
    titan.assert %good, "a row outside of the map"
  }
  titan.return
}

// MAP-STALE: [assert-failed]
// The second change is not acquired.
titan.kernel @map_stale(%A: !global, %maps: !maps) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c40 = arith.constant 40 : index
  %i0 = arith.constant 0 : i32
  %few = arith.constant 32 : i32
  %all = arith.constant 64 : i32
  %bytes = arith.constant 8192 : i32
  %zero = arith.constant 0.0 : bf16
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %edit = titan.tensormap.alloc : !map
  %map = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  scf.if %is0 {
    titan.tensormap.copy %mapA, %edit : !map, !map
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
    titan.fence.tensormap_acquire %map gpu : !map
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %few : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  titan.elect {
    %seen = titan.ld %buf[%c40, %c0] : !tile -> bf16
    %good = arith.cmpf oeq, %seen, %zero : bf16
    titan.assert %good, "a row outside of the map"
  }
  titan.return
}

// MM-91: 32 rows and then 64, when the load has read its map.
titan.kernel @map_kept(%A: !global, %maps: !maps) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c40 = arith.constant 40 : index
  %i0 = arith.constant 0 : i32
  %few = arith.constant 32 : i32
  %all = arith.constant 64 : i32
  %bytes = arith.constant 8192 : i32
  %zero = arith.constant 0.0 : bf16
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %edit = titan.tensormap.alloc : !map
  %map = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  scf.if %is0 {
    titan.tensormap.copy %mapA, %edit : !map, !map
    titan.syncwarp
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %few : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
    titan.fence.tensormap_acquire %map gpu : !map
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %all : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  titan.elect {
    %seen = titan.ld %buf[%c40, %c0] : !tile -> bf16
    %good = arith.cmpf oeq, %seen, %zero : bf16
    titan.assert %good, "a row outside of the map"
  }
  titan.return
}

// MAP-LOST: [assert-failed]
// The map changes before the load has read it.
titan.kernel @map_lost(%A: !global, %maps: !maps) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c40 = arith.constant 40 : index
  %i0 = arith.constant 0 : i32
  %few = arith.constant 32 : i32
  %all = arith.constant 64 : i32
  %bytes = arith.constant 8192 : i32
  %zero = arith.constant 0.0 : bf16
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %edit = titan.tensormap.alloc : !map
  %map = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %warp = titan.warp_id
  %is0 = arith.cmpi eq, %warp, %i0 : i32
  scf.if %is0 {
    titan.tensormap.copy %mapA, %edit : !map, !map
    titan.syncwarp
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %few : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
    titan.fence.tensormap_acquire %map gpu : !map
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
    }
    titan.elect {
      titan.tensormap.replace_dim %edit, 0, %all : !map
    }
    titan.syncwarp
    titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  titan.elect {
    %seen = titan.ld %buf[%c40, %c0] : !tile -> bf16
    %good = arith.cmpf oeq, %seen, %zero : bf16
    titan.assert %good, "a row outside of the map"
  }
  titan.return
}
