// MM-15, MM-71, MM-120: that a product is over shows that its four warps have come to its wgmma.fence.
//
// A warp loads, a warpgroup multiplies, and one thread of the warpgroup says
// that a slot is free, behind no barrier among its four warps.
//
// RUN: titan check %s --kernel one_arrival
// RUN: titan check %s --kernel one_a_warp
// RUN: titan check %s --kernel other_warp
// RUN: not titan check %s --kernel before_the_wait 2>&1 | FileCheck %s --check-prefix=BEFORE-THE-WAIT
// RUN: not titan check %s --kernel one_stays_pending 2>&1 | FileCheck %s --check-prefix=ONE-STAYS-PENDING
// RUN: not titan check %s --kernel fence_before_the_loop 2>&1 | FileCheck %s --check-prefix=FENCE-BEFORE-THE-LOOP
// RUN: not titan check %s --kernel read_instead 2>&1 | FileCheck %s --check-prefix=READ-INSTEAD
// RUN: not titan check %s --kernel read_beside 2>&1 | FileCheck %s --check-prefix=READ-BESIDE
// RUN: not titan check %s --kernel late_warp 2>&1 | FileCheck %s --check-prefix=LATE-WARP

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
#acc    = #titan.wgmma<1, 1>
!flight = !titan.inflight<tensor<64x64xf32, #acc>>
!group  = !titan.token<mma>

// One arrival a warpgroup, behind the wait for the product.
titan.kernel @one_arrival(%A: !global) warps(8) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %a = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %empty = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.mbarrier.init %empty count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
          %other = arith.xori %p, %i1 : i32
          titan.mbarrier.wait %empty parity(%other) : !bar
          titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
          titan.tma.load %mapA[%c0, %c0], %a, %full : !map, !tile, !bar
          scf.yield %other : i32
        }
      }
    }
    titan.partition "multiply" warps(4) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        titan.mbarrier.wait %full parity(%p) : !bar
        %none = titan.inflight.none : !flight
        titan.mma.fence
        %sum = titan.mma %a, %a, %none : !tile, !tile, !flight -> !flight
        %group = titan.mma.commit : !group
        titan.mma.wait %group : !group
        titan.elect warp(0) {
          titan.mbarrier.arrive %empty : !bar
        }
        %other = arith.xori %p, %i1 : i32
        scf.yield %other : i32
      }
    }
  }
  titan.return
}

// One arrival a warp.
titan.kernel @one_a_warp(%A: !global) warps(8) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %a = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %empty = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.mbarrier.init %empty count(4) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
          %other = arith.xori %p, %i1 : i32
          titan.mbarrier.wait %empty parity(%other) : !bar
          titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
          titan.tma.load %mapA[%c0, %c0], %a, %full : !map, !tile, !bar
          scf.yield %other : i32
        }
      }
    }
    titan.partition "multiply" warps(4) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        titan.mbarrier.wait %full parity(%p) : !bar
        %none = titan.inflight.none : !flight
        titan.mma.fence
        %sum = titan.mma %a, %a, %none : !tile, !tile, !flight -> !flight
        %group = titan.mma.commit : !group
        titan.mma.wait %group : !group
        titan.elect {
          titan.mbarrier.arrive %empty : !bar
        }
        %other = arith.xori %p, %i1 : i32
        scf.yield %other : i32
      }
    }
  }
  titan.return
}

// It may be any of the four warps.
titan.kernel @other_warp(%A: !global) warps(8) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %a = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %empty = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.mbarrier.init %empty count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
          %other = arith.xori %p, %i1 : i32
          titan.mbarrier.wait %empty parity(%other) : !bar
          titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
          titan.tma.load %mapA[%c0, %c0], %a, %full : !map, !tile, !bar
          scf.yield %other : i32
        }
      }
    }
    titan.partition "multiply" warps(4) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        titan.mbarrier.wait %full parity(%p) : !bar
        %none = titan.inflight.none : !flight
        titan.mma.fence
        %sum = titan.mma %a, %a, %none : !tile, !tile, !flight -> !flight
        %group = titan.mma.commit : !group
        titan.mma.wait %group : !group
        titan.elect warp(2) {
          titan.mbarrier.arrive %empty : !bar
        }
        %other = arith.xori %p, %i1 : i32
        scf.yield %other : i32
      }
    }
  }
  titan.return
}

// BEFORE-THE-WAIT: [{{mma-slot-reuse|completion-not-observed|async-unordered}}]
// The product may still read the slot; nor is it over.
titan.kernel @before_the_wait(%A: !global) warps(8) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %a = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %empty = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.mbarrier.init %empty count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
          %other = arith.xori %p, %i1 : i32
          titan.mbarrier.wait %empty parity(%other) : !bar
          titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
          titan.tma.load %mapA[%c0, %c0], %a, %full : !map, !tile, !bar
          scf.yield %other : i32
        }
      }
    }
    titan.partition "multiply" warps(4) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        titan.mbarrier.wait %full parity(%p) : !bar
        %none = titan.inflight.none : !flight
        titan.mma.fence
        %sum = titan.mma %a, %a, %none : !tile, !tile, !flight -> !flight
        %group = titan.mma.commit : !group
        titan.elect warp(0) {
          titan.mbarrier.arrive %empty : !bar
        }
        titan.mma.wait %group : !group
        %other = arith.xori %p, %i1 : i32
        scf.yield %other : i32
      }
    }
  }
  titan.return
}

// ONE-STAYS-PENDING: [{{mma-slot-reuse|group-wait-count|completion-not-observed}}]
// This wait leaves the product pending.
titan.kernel @one_stays_pending(%A: !global) warps(8) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %a = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %empty = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.mbarrier.init %empty count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
          %other = arith.xori %p, %i1 : i32
          titan.mbarrier.wait %empty parity(%other) : !bar
          titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
          titan.tma.load %mapA[%c0, %c0], %a, %full : !map, !tile, !bar
          scf.yield %other : i32
        }
      }
    }
    titan.partition "multiply" warps(4) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        titan.mbarrier.wait %full parity(%p) : !bar
        %none = titan.inflight.none : !flight
        titan.mma.fence
        %sum = titan.mma %a, %a, %none : !tile, !tile, !flight -> !flight
        %group = titan.mma.commit : !group
        titan.mma.wait_group 1
        titan.elect warp(0) {
          titan.mbarrier.arrive %empty : !bar
        }
        titan.mma.wait %group : !group
        %other = arith.xori %p, %i1 : i32
        scf.yield %other : i32
      }
    }
  }
  titan.return
}

// FENCE-BEFORE-THE-LOOP: [{{mma-fence-missing|phase-ambiguous}}]
// The fence comes before the waits: it hands over no operands, and shows nothing of the other warps.
titan.kernel @fence_before_the_loop(%A: !global) warps(8) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %a = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %empty = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.mbarrier.init %empty count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
          %other = arith.xori %p, %i1 : i32
          titan.mbarrier.wait %empty parity(%other) : !bar
          titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
          titan.tma.load %mapA[%c0, %c0], %a, %full : !map, !tile, !bar
          scf.yield %other : i32
        }
      }
    }
    titan.partition "multiply" warps(4) {
      titan.mma.fence
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        titan.mbarrier.wait %full parity(%p) : !bar
        %none = titan.inflight.none : !flight
        %sum = titan.mma %a, %a, %none : !tile, !tile, !flight -> !flight
        %group = titan.mma.commit : !group
        titan.mma.wait %group : !group
        titan.elect warp(0) {
          titan.mbarrier.arrive %empty : !bar
        }
        %other = arith.xori %p, %i1 : i32
        scf.yield %other : i32
      }
    }
  }
  titan.return
}

// READ-INSTEAD: [{{war-generic-async|race|phase-ambiguous}}]
// Loads into registers are each warp's own.
titan.kernel @read_instead(%A: !global) warps(8) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %a = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %empty = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.mbarrier.init %empty count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
          %other = arith.xori %p, %i1 : i32
          titan.mbarrier.wait %empty parity(%other) : !bar
          titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
          titan.tma.load %mapA[%c0, %c0], %a, %full : !map, !tile, !bar
          scf.yield %other : i32
        }
      }
    }
    titan.partition "multiply" warps(4) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        titan.mbarrier.wait %full parity(%p) : !bar
        %v = titan.shared.load %a : !tile -> !reg
        titan.elect warp(0) {
          titan.mbarrier.arrive %empty : !bar
        }
        %other = arith.xori %p, %i1 : i32
        scf.yield %other : i32
      }
    }
  }
  titan.return
}

// READ-BESIDE: [{{war-generic-async|race}}]
// So they are beside a product: it orders no memory of other warps.
titan.kernel @read_beside(%A: !global) warps(8) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %a = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %empty = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.mbarrier.init %empty count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
          %other = arith.xori %p, %i1 : i32
          titan.mbarrier.wait %empty parity(%other) : !bar
          titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
          titan.tma.load %mapA[%c0, %c0], %a, %full : !map, !tile, !bar
          scf.yield %other : i32
        }
      }
    }
    titan.partition "multiply" warps(4) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        titan.mbarrier.wait %full parity(%p) : !bar
        %v = titan.shared.load %a : !tile -> !reg
        %none = titan.inflight.none : !flight
        titan.mma.fence
        %sum = titan.mma %a, %a, %none : !tile, !tile, !flight -> !flight
        %group = titan.mma.commit : !group
        titan.mma.wait %group : !group
        titan.elect warp(0) {
          titan.mbarrier.arrive %empty : !bar
        }
        %other = arith.xori %p, %i1 : i32
        scf.yield %other : i32
      }
    }
  }
  titan.return
}

// LATE-WARP: [deadlock]
// A product takes all four warps: one that waits for another to be done with it hangs.
titan.kernel @late_warp(%A: !global) warps(8) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %a = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %empty = titan.mbarrier.alloc : !bar
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.mbarrier.init %empty count(1) : !bar
    titan.mbarrier.init %done count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
          %other = arith.xori %p, %i1 : i32
          titan.mbarrier.wait %empty parity(%other) : !bar
          titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
          titan.tma.load %mapA[%c0, %c0], %a, %full : !map, !tile, !bar
          scf.yield %other : i32
        }
      }
    }
    titan.partition "multiply" warps(4) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        titan.mbarrier.wait %full parity(%p) : !bar
        titan.elect warp(1) {
          titan.mbarrier.wait %done parity(%p) : !bar
        }
        %none = titan.inflight.none : !flight
        titan.mma.fence
        %sum = titan.mma %a, %a, %none : !tile, !tile, !flight -> !flight
        %group = titan.mma.commit : !group
        titan.mma.wait %group : !group
        titan.elect warp(0) {
          titan.mbarrier.arrive %empty : !bar
        }
        titan.elect warp(0) {
          titan.mbarrier.arrive %done : !bar
        }
        %other = arith.xori %p, %i1 : i32
        scf.yield %other : i32
      }
    }
  }
  titan.return
}
