// MM-20, MM-21, MM-58: causality is transitive: what a thread has acquired it releases again.
//
// Three warps: the first one writes, the second one passes the news on, the
// third one reads.
//
// RUN: titan check %s --kernel chain
// RUN: not titan check %s --kernel middle_waits_after 2>&1 | FileCheck %s --check-prefix=MIDDLE-WAITS-AFTER
// RUN: not titan check %s --kernel relaxed_release 2>&1 | FileCheck %s --check-prefix=RELAXED-RELEASE
// RUN: not titan check %s --kernel relaxed_acquire 2>&1 | FileCheck %s --check-prefix=RELAXED-ACQUIRE
// RUN: titan check %s --kernel relaxed_with_fences
// RUN: not titan check %s --kernel other_branch 2>&1 | FileCheck %s --check-prefix=OTHER-BRANCH

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// Release, acquire, release, acquire.
titan.kernel @chain(%A: !global, %D: !global) warps(3) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
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
    titan.partition "a" warps(1) {
      titan.elect {
        titan.st %one, %buf[%c0, %c0] : bf16, !tile
        titan.mbarrier.arrive %ping : !bar
      }
    }
    titan.partition "b" warps(1) {
      titan.mbarrier.wait %ping parity(%i0) : !bar
      titan.elect {
        titan.mbarrier.arrive %pong : !bar
      }
    }
    titan.partition "c" warps(1) {
      titan.mbarrier.wait %pong parity(%i0) : !bar
      titan.elect {
        %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
      }
    }
  }
  titan.return
}

// MIDDLE-WAITS-AFTER: [race]
// The middle warp passes on what it has not acquired yet.
titan.kernel @middle_waits_after(%A: !global, %D: !global) warps(3) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
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
    titan.partition "a" warps(1) {
      titan.elect {
        titan.st %one, %buf[%c0, %c0] : bf16, !tile
        titan.mbarrier.arrive %ping : !bar
      }
    }
    titan.partition "b" warps(1) {
      titan.elect {
        titan.mbarrier.arrive %pong : !bar
      }
      titan.mbarrier.wait %ping parity(%i0) : !bar
    }
    titan.partition "c" warps(1) {
      titan.mbarrier.wait %pong parity(%i0) : !bar
      titan.elect {
        %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
      }
    }
  }
  titan.return
}

// RELAXED-RELEASE: [race]
// The middle warp's arrive orders nothing.
titan.kernel @relaxed_release(%A: !global, %D: !global) warps(3) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
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
    titan.partition "a" warps(1) {
      titan.elect {
        titan.st %one, %buf[%c0, %c0] : bf16, !tile
        titan.mbarrier.arrive %ping : !bar
      }
    }
    titan.partition "b" warps(1) {
      titan.mbarrier.wait %ping parity(%i0) : !bar
      titan.elect {
        titan.mbarrier.arrive %pong {sem = #titan<sem relaxed>} : !bar
      }
    }
    titan.partition "c" warps(1) {
      titan.mbarrier.wait %pong parity(%i0) : !bar
      titan.elect {
        %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
      }
    }
  }
  titan.return
}

// RELAXED-ACQUIRE: [race]
// Nor does its wait.
titan.kernel @relaxed_acquire(%A: !global, %D: !global) warps(3) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
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
    titan.partition "a" warps(1) {
      titan.elect {
        titan.st %one, %buf[%c0, %c0] : bf16, !tile
        titan.mbarrier.arrive %ping : !bar
      }
    }
    titan.partition "b" warps(1) {
      titan.mbarrier.wait %ping parity(%i0) {sem = #titan<sem relaxed>} : !bar
      titan.elect {
        titan.mbarrier.arrive %pong : !bar
      }
    }
    titan.partition "c" warps(1) {
      titan.mbarrier.wait %pong parity(%i0) : !bar
      titan.elect {
        %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
      }
    }
  }
  titan.return
}

// Fences on both sides of the middle make up for it.
titan.kernel @relaxed_with_fences(%A: !global, %D: !global) warps(3) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
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
    titan.partition "a" warps(1) {
      titan.elect {
        titan.st %one, %buf[%c0, %c0] : bf16, !tile
        titan.mbarrier.arrive %ping : !bar
      }
    }
    titan.partition "b" warps(1) {
      titan.mbarrier.wait %ping parity(%i0) {sem = #titan<sem relaxed>} : !bar
      titan.fence acq_rel cta
      titan.elect {
        titan.mbarrier.arrive %pong {sem = #titan<sem relaxed>} : !bar
      }
    }
    titan.partition "c" warps(1) {
      titan.mbarrier.wait %pong parity(%i0) : !bar
      titan.elect {
        %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
      }
    }
  }
  titan.return
}

// OTHER-BRANCH: [race]
// The third warp waits for the first barrier's neighbour.
titan.kernel @other_branch(%A: !global, %D: !global) warps(3) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
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
    titan.partition "a" warps(1) {
      titan.elect {
        titan.st %one, %buf[%c0, %c0] : bf16, !tile
        titan.mbarrier.arrive %ping : !bar
      }
    }
    titan.partition "b" warps(1) {
      titan.elect {
        titan.mbarrier.arrive %pong : !bar
      }
      titan.mbarrier.wait %ping parity(%i0) : !bar
    }
    titan.partition "c" warps(1) {
      titan.mbarrier.wait %pong parity(%i0) : !bar
      titan.elect {
        %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
      }
    }
  }
  titan.return
}
