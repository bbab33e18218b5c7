// MM-56, MM-57, MM-120: every signal falls into one phase, under every schedule.
//
// A slot goes to and fro between a producer and a consumer; ping says full,
// pong says empty.
//
// RUN: titan check %s --kernel to_and_fro
// RUN: not titan check %s --kernel producer_runs_ahead 2>&1 | FileCheck %s --check-prefix=PRODUCER-RUNS-AHEAD
// RUN: not titan check %s --kernel consumer_runs_ahead 2>&1 | FileCheck %s --check-prefix=CONSUMER-RUNS-AHEAD
// RUN: not titan check %s --kernel wrong_start 2>&1 | FileCheck %s --check-prefix=WRONG-START
// RUN: not titan check %s --kernel waits_once_in_two 2>&1 | FileCheck %s --check-prefix=WAITS-ONCE-IN-TWO
// RUN: not titan check %s --kernel arrives_twice 2>&1 | FileCheck %s --check-prefix=ARRIVES-TWICE

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// The producer waits for empty, the consumer for full.
titan.kernel @to_and_fro(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %ping = titan.mbarrier.alloc : !bar
  %pong = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %ping count(1) : !bar
    titan.mbarrier.init %pong count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "producer" warps(1) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        %other = arith.xori %p, %i1 : i32
        titan.mbarrier.wait %pong parity(%other) : !bar
        titan.elect {
          titan.st %one, %buf[%c0, %c0] : bf16, !tile
          titan.mbarrier.arrive %ping : !bar
        }
        %next = arith.xori %p, %i1 : i32
        scf.yield %next : i32
      }
    }
    titan.partition "consumer" warps(1) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        titan.mbarrier.wait %ping parity(%p) : !bar
        titan.elect {
          %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
          titan.mbarrier.arrive %pong : !bar
        }
        %next = arith.xori %p, %i1 : i32
        scf.yield %next : i32
      }
    }
  }
  titan.return
}

// PRODUCER-RUNS-AHEAD: [{{phase-ambiguous|barrier-unobserved|barrier-arrivals|race|deadlock|phase-parity}}]
// Without its wait the producer's arrivals can fall into any phase.
titan.kernel @producer_runs_ahead(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %ping = titan.mbarrier.alloc : !bar
  %pong = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %ping count(1) : !bar
    titan.mbarrier.init %pong count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "producer" warps(1) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        titan.elect {
          titan.st %one, %buf[%c0, %c0] : bf16, !tile
          titan.mbarrier.arrive %ping : !bar
        }
        %next = arith.xori %p, %i1 : i32
        scf.yield %next : i32
      }
    }
    titan.partition "consumer" warps(1) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        titan.mbarrier.wait %ping parity(%p) : !bar
        titan.elect {
          %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
          titan.mbarrier.arrive %pong : !bar
        }
        %next = arith.xori %p, %i1 : i32
        scf.yield %next : i32
      }
    }
  }
  titan.return
}

// CONSUMER-RUNS-AHEAD: [{{phase-ambiguous|barrier-unobserved|barrier-arrivals|race|deadlock|phase-parity}}]
// Without its wait the consumer reads what is not there.
titan.kernel @consumer_runs_ahead(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %ping = titan.mbarrier.alloc : !bar
  %pong = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %ping count(1) : !bar
    titan.mbarrier.init %pong count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "producer" warps(1) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        %other = arith.xori %p, %i1 : i32
        titan.mbarrier.wait %pong parity(%other) : !bar
        titan.elect {
          titan.st %one, %buf[%c0, %c0] : bf16, !tile
          titan.mbarrier.arrive %ping : !bar
        }
        %next = arith.xori %p, %i1 : i32
        scf.yield %next : i32
      }
    }
    titan.partition "consumer" warps(1) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        titan.elect {
          %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
          titan.mbarrier.arrive %pong : !bar
        }
        %next = arith.xori %p, %i1 : i32
        scf.yield %next : i32
      }
    }
  }
  titan.return
}

// WRONG-START: [{{phase-ambiguous|barrier-unobserved|barrier-arrivals|race|deadlock|phase-parity}}]
// With parity 0 for its first wait the producer waits for a slot that nobody
// fills.
titan.kernel @wrong_start(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %ping = titan.mbarrier.alloc : !bar
  %pong = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %ping count(1) : !bar
    titan.mbarrier.init %pong count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "producer" warps(1) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        titan.mbarrier.wait %pong parity(%p) : !bar
        titan.elect {
          titan.st %one, %buf[%c0, %c0] : bf16, !tile
          titan.mbarrier.arrive %ping : !bar
        }
        %next = arith.xori %p, %i1 : i32
        scf.yield %next : i32
      }
    }
    titan.partition "consumer" warps(1) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        titan.mbarrier.wait %ping parity(%p) : !bar
        titan.elect {
          %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
          titan.mbarrier.arrive %pong : !bar
        }
        %next = arith.xori %p, %i1 : i32
        scf.yield %next : i32
      }
    }
  }
  titan.return
}

// WAITS-ONCE-IN-TWO: [{{phase-ambiguous|barrier-unobserved|barrier-arrivals|race|deadlock|phase-parity}}]
// A producer that waits in every other iteration only.
titan.kernel @waits_once_in_two(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %ping = titan.mbarrier.alloc : !bar
  %pong = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %ping count(1) : !bar
    titan.mbarrier.init %pong count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "producer" warps(1) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        %other = arith.xori %p, %i1 : i32
        %odd = arith.remui %k, %c2 : index
        %is = arith.cmpi eq, %odd, %c0 : index
        scf.if %is {
          titan.mbarrier.wait %pong parity(%other) : !bar
        }
        titan.elect {
          titan.st %one, %buf[%c0, %c0] : bf16, !tile
          titan.mbarrier.arrive %ping : !bar
        }
        %next = arith.xori %p, %i1 : i32
        scf.yield %next : i32
      }
    }
    titan.partition "consumer" warps(1) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        titan.mbarrier.wait %ping parity(%p) : !bar
        titan.elect {
          %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
          titan.mbarrier.arrive %pong : !bar
        }
        %next = arith.xori %p, %i1 : i32
        scf.yield %next : i32
      }
    }
  }
  titan.return
}

// ARRIVES-TWICE: [{{phase-ambiguous|barrier-unobserved|barrier-arrivals|race|deadlock|phase-parity}}]
// An arrival too many drifts into the next phase.
titan.kernel @arrives_twice(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %ping = titan.mbarrier.alloc : !bar
  %pong = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %ping count(1) : !bar
    titan.mbarrier.init %pong count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "producer" warps(1) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        %other = arith.xori %p, %i1 : i32
        titan.mbarrier.wait %pong parity(%other) : !bar
        titan.elect {
          titan.st %one, %buf[%c0, %c0] : bf16, !tile
          titan.mbarrier.arrive %ping : !bar
        }
        %next = arith.xori %p, %i1 : i32
        scf.yield %next : i32
      }
    }
    titan.partition "consumer" warps(1) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        titan.mbarrier.wait %ping parity(%p) : !bar
        titan.elect {
          %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
          titan.mbarrier.arrive %pong : !bar
        }
        titan.elect {
          titan.mbarrier.arrive %pong : !bar
        }
        %next = arith.xori %p, %i1 : i32
        scf.yield %next : i32
      }
    }
  }
  titan.return
}
