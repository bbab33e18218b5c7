// MM-82: every wait is followed by its signals, under every schedule.
//
// Two warps, two barriers.
//
// RUN: titan check %s --kernel ping_pong
// RUN: not titan check %s --kernel both_wait 2>&1 | FileCheck %s --check-prefix=BOTH-WAIT
// RUN: not titan check %s --kernel no_signal 2>&1 | FileCheck %s --check-prefix=NO-SIGNAL
// RUN: not titan check %s --kernel wrong_parity_first 2>&1 | FileCheck %s --check-prefix=WRONG-PARITY-FIRST
// RUN: not titan check %s --kernel fewer_iterations 2>&1 | FileCheck %s --check-prefix=FEWER-ITERATIONS

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// Each signals before it waits.
titan.kernel @ping_pong(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %i0 = arith.constant 0 : i32
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
        titan.mbarrier.arrive %ping : !bar
      }
      titan.mbarrier.wait %pong parity(%i0) : !bar
    }
    titan.partition "b" warps(1) {
      titan.mbarrier.wait %ping parity(%i0) : !bar
      titan.elect {
        titan.mbarrier.arrive %pong : !bar
      }
    }
  }
  titan.return
}

// BOTH-WAIT: [deadlock]
// Each waits before it signals.
titan.kernel @both_wait(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %i0 = arith.constant 0 : i32
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
      titan.mbarrier.wait %pong parity(%i0) : !bar
      titan.elect {
        titan.mbarrier.arrive %ping : !bar
      }
    }
    titan.partition "b" warps(1) {
      titan.mbarrier.wait %ping parity(%i0) : !bar
      titan.elect {
        titan.mbarrier.arrive %pong : !bar
      }
    }
  }
  titan.return
}

// NO-SIGNAL: [{{deadlock|barrier-arrivals}}]
// Nobody signals.
titan.kernel @no_signal(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %i0 = arith.constant 0 : i32
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
      titan.mbarrier.wait %pong parity(%i0) : !bar
    }
    titan.partition "b" warps(1) {
      titan.elect {
        titan.mbarrier.arrive %ping : !bar
      }
    }
  }
  titan.return
}

// WRONG-PARITY-FIRST: [{{deadlock|phase-parity}}]
// A first wait with parity 1 passes; the next one waits for a second phase.
titan.kernel @wrong_parity_first(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
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
      titan.mbarrier.wait %pong parity(%i1) : !bar
      titan.mbarrier.wait %pong parity(%i0) : !bar
      titan.elect {
        titan.mbarrier.arrive %ping : !bar
      }
    }
    titan.partition "b" warps(1) {
      titan.mbarrier.wait %ping parity(%i0) : !bar
      titan.elect {
        titan.mbarrier.arrive %pong : !bar
      }
    }
  }
  titan.return
}

// FEWER-ITERATIONS: [{{deadlock|barrier-arrivals}}]
// The consumer waits once more than the producer signals.
titan.kernel @fewer_iterations(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
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
        titan.mbarrier.arrive %ping : !bar
      }
    }
    titan.partition "b" warps(1) {
      titan.mbarrier.wait %ping parity(%i0) : !bar
      titan.mbarrier.wait %ping parity(%i1) : !bar
    }
  }
  titan.return
}
