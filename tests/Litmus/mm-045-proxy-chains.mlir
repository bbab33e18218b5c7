// MM-43, MM-44, MM-45: completion is passed on along a chain, a proxy fence is not.
//
// Three warps as in mm-020; the third one stores by TMA, or reads what TMA has
// loaded.
//
// RUN: titan check %s --kernel writer_fences
// RUN: not titan check %s --kernel middle_fences 2>&1 | FileCheck %s --check-prefix=MIDDLE-FENCES
// RUN: not titan check %s --kernel issuer_fences 2>&1 | FileCheck %s --check-prefix=ISSUER-FENCES
// RUN: not titan check %s --kernel nobody_fences 2>&1 | FileCheck %s --check-prefix=NOBODY-FENCES
// RUN: titan check %s --kernel completion_is_passed_on
// RUN: not titan check %s --kernel completion_not_observed 2>&1 | FileCheck %s --check-prefix=COMPLETION-NOT-OBSERVED

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
#warp   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!whole  = tensor<64x64xbf16, #warp>

// The writer itself fences.
titan.kernel @writer_fences(%A: !global, %D: !global) warps(3) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %cta = titan.cta_id 0
  %c64 = arith.constant 64 : index
  %at = arith.muli %cta, %c64 : index
  %buf = titan.shared.alloc : !tile
  %zero = arith.constant 0.0 : bf16
  %zeros = titan.splat %zero : bf16 -> !whole
  titan.shared.store %zeros, %buf : !whole, !tile
  titan.fence.proxy_async shared_cta
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
        titan.fence.proxy_async shared_cta
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
        titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
        %g = titan.bulk.commit : !bulk
        titan.bulk.wait %g read : !bulk
      }
    }
  }
  titan.return
}

// MIDDLE-FENCES: [proxy-fence-missing]
// A fence by the middle warp covers its own writes only.
titan.kernel @middle_fences(%A: !global, %D: !global) warps(3) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %cta = titan.cta_id 0
  %c64 = arith.constant 64 : index
  %at = arith.muli %cta, %c64 : index
  %buf = titan.shared.alloc : !tile
  %zero = arith.constant 0.0 : bf16
  %zeros = titan.splat %zero : bf16 -> !whole
  titan.shared.store %zeros, %buf : !whole, !tile
  titan.fence.proxy_async shared_cta
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
      titan.fence.proxy_async shared_cta
      titan.elect {
        titan.mbarrier.arrive %pong : !bar
      }
    }
    titan.partition "c" warps(1) {
      titan.mbarrier.wait %pong parity(%i0) : !bar
      titan.elect {
        titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
        %g = titan.bulk.commit : !bulk
        titan.bulk.wait %g read : !bulk
      }
    }
  }
  titan.return
}

// ISSUER-FENCES: [proxy-fence-missing]
// Nor does a fence by the issuing thread.
titan.kernel @issuer_fences(%A: !global, %D: !global) warps(3) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %cta = titan.cta_id 0
  %c64 = arith.constant 64 : index
  %at = arith.muli %cta, %c64 : index
  %buf = titan.shared.alloc : !tile
  %zero = arith.constant 0.0 : bf16
  %zeros = titan.splat %zero : bf16 -> !whole
  titan.shared.store %zeros, %buf : !whole, !tile
  titan.fence.proxy_async shared_cta
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
      titan.fence.proxy_async shared_cta
      titan.elect {
        titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
        %g = titan.bulk.commit : !bulk
        titan.bulk.wait %g read : !bulk
      }
    }
  }
  titan.return
}

// NOBODY-FENCES: [proxy-fence-missing]
// Nobody does.
titan.kernel @nobody_fences(%A: !global, %D: !global) warps(3) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %cta = titan.cta_id 0
  %c64 = arith.constant 64 : index
  %at = arith.muli %cta, %c64 : index
  %buf = titan.shared.alloc : !tile
  %zero = arith.constant 0.0 : bf16
  %zeros = titan.splat %zero : bf16 -> !whole
  titan.shared.store %zeros, %buf : !whole, !tile
  titan.fence.proxy_async shared_cta
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
        titan.tma.store %buf, %mapD[%at, %c0] : !tile, !map
        %g = titan.bulk.commit : !bulk
        titan.bulk.wait %g read : !bulk
      }
    }
  }
  titan.return
}

// The first warp observes a load, the third one reads.
titan.kernel @completion_is_passed_on(%A: !global, %D: !global) warps(3) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %zero = arith.constant 0.0 : bf16
  %zeros = titan.splat %zero : bf16 -> !whole
  titan.shared.store %zeros, %buf : !whole, !tile
  titan.fence.proxy_async shared_cta
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
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
        titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
        titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
      }
      titan.mbarrier.wait %full parity(%i0) : !bar
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
    titan.partition "c" warps(1) {
      titan.mbarrier.wait %pong parity(%i0) : !bar
      titan.elect {
        %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
      }
    }
  }
  titan.return
}

// COMPLETION-NOT-OBSERVED: [completion-not-observed]
// The first warp arrives without having observed it.
titan.kernel @completion_not_observed(%A: !global, %D: !global) warps(3) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %zero = arith.constant 0.0 : bf16
  %zeros = titan.splat %zero : bf16 -> !whole
  titan.shared.store %zeros, %buf : !whole, !tile
  titan.fence.proxy_async shared_cta
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
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
        titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
        titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
      }
      titan.elect {
        titan.mbarrier.arrive %ping : !bar
      }
      titan.mbarrier.wait %full parity(%i0) : !bar
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
