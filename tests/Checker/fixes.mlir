// What a message advises: the barrier by the name that the text gives it, and the number that would be right.
//
// RUN: titan check %s --kernel right --war=off
// RUN: not titan check %s --kernel parity_of_full --war=off 2>&1 | FileCheck %s --check-prefix=PARITY-OF-FULL
// RUN: not titan check %s --kernel constant_parity --war=off 2>&1 | FileCheck %s --check-prefix=CONSTANT-PARITY
// RUN: not titan check %s --kernel parity_of_empty --war=off 2>&1 | FileCheck %s --check-prefix=PARITY-OF-EMPTY
// RUN: not titan check %s --kernel too_many --war=off 2>&1 | FileCheck %s --check-prefix=TOO-MANY
// RUN: not titan check %s --kernel too_few --war=off 2>&1 | FileCheck %s --check-prefix=TOO-FEW
// RUN: not titan check %s --kernel too_few_bytes --war=off 2>&1 | FileCheck %s --check-prefix=TOO-FEW-BYTES
// RUN: not titan check %s --kernel nobody --war=off 2>&1 | FileCheck %s --check-prefix=NOBODY
// RUN: not titan check %s --kernel more_waits --war=off 2>&1 | FileCheck %s --check-prefix=MORE-WAITS
// RUN: not titan check %s --kernel one_for_four --war=off 2>&1 | FileCheck %s --check-prefix=ONE-FOR-FOUR
// RUN: not titan check %s --kernel unnamed --war=off 2>&1 | FileCheck %s --check-prefix=UNNAMED
// RUN: not titan check %s --kernel circle --war=off 2>&1 | FileCheck %s --check-prefix=CIRCLE
// RUN: not titan check %s --kernel threads --war=off 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: sed 's/titan.barrier.sync 1 threads(160)/titan.cta_sync/' %s | not titan check - --kernel threads --war=off 2>&1 | FileCheck %s --check-prefix=ALL-THREADS
// RUN: not titan check %s --kernel next_phase --war=off 2>&1 | FileCheck %s --check-prefix=NEXT-PHASE
// RUN: not titan check %s --kernel signal_again --war=off 2>&1 | FileCheck %s --check-prefix=SIGNAL-AGAIN
// RUN: grep -v 'mbarrier.wait %empty' %S/Proved/overflow.mlir | not titan check - --kernel slots 2>&1 | FileCheck %s --check-prefix=UNHEARD

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!tiles  = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
!bar    = !titan.mbarrier
!ring   = !titan.mbarrier<2>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// Each of four warps frees the slot.
titan.kernel @right(%A: !global) warps(8) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %a = titan.shared.alloc : !tiles
  %full = titan.mbarrier.alloc : !ring
  %empty = titan.mbarrier.alloc : !ring
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !ring
    titan.mbarrier.init %empty count(4) : !ring
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
          %slot = arith.remui %k, %c2 : index
          %other = arith.xori %p, %i1 : i32
          titan.mbarrier.wait %empty[%slot : index] parity(%other) : !ring
          titan.mbarrier.arrive_expect_tx %full[%slot : index], %bytes : !ring
          %to = titan.shared.slot %a[%slot : index] : !tiles -> !tile
          titan.tma.load %mapA[%c0, %c0], %to, %full[%slot : index] : !map, !tile, !ring
          %odd = arith.cmpi eq, %slot, %c1 : index
          %next = arith.select %odd, %other, %p : i32
          scf.yield %next : i32
        }
      }
    }
    titan.partition "use" warps(4) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        %slot = arith.remui %k, %c2 : index
        titan.mbarrier.wait %full[%slot : index] parity(%p) : !ring
        %from = titan.shared.slot %a[%slot : index] : !tiles -> !tile
        %v = titan.shared.load %from : !tile -> !reg
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty[%slot : index] : !ring
        }
        %other = arith.xori %p, %i1 : i32
        %odd = arith.cmpi eq, %slot, %c1 : index
        %next = arith.select %odd, %other, %p : i32
        scf.yield %next : i32
      }
    }
  }
  titan.return
}

// PARITY-OF-FULL: [phase-ambiguous]
// PARITY-OF-FULL: fix: wait for parity 0 here: the next wait of this thread on %full[0] is for its phase 0
// The consumer starts with the parity of a free slot.
titan.kernel @parity_of_full(%A: !global) warps(8) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %a = titan.shared.alloc : !tiles
  %full = titan.mbarrier.alloc : !ring
  %empty = titan.mbarrier.alloc : !ring
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !ring
    titan.mbarrier.init %empty count(4) : !ring
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
          %slot = arith.remui %k, %c2 : index
          %other = arith.xori %p, %i1 : i32
          titan.mbarrier.wait %empty[%slot : index] parity(%other) : !ring
          titan.mbarrier.arrive_expect_tx %full[%slot : index], %bytes : !ring
          %to = titan.shared.slot %a[%slot : index] : !tiles -> !tile
          titan.tma.load %mapA[%c0, %c0], %to, %full[%slot : index] : !map, !tile, !ring
          %odd = arith.cmpi eq, %slot, %c1 : index
          %next = arith.select %odd, %other, %p : i32
          scf.yield %next : i32
        }
      }
    }
    titan.partition "use" warps(4) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i1) -> (i32) {
        %slot = arith.remui %k, %c2 : index
        titan.mbarrier.wait %full[%slot : index] parity(%p) : !ring
        %from = titan.shared.slot %a[%slot : index] : !tiles -> !tile
        %v = titan.shared.load %from : !tile -> !reg
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty[%slot : index] : !ring
        }
        %other = arith.xori %p, %i1 : i32
        %odd = arith.cmpi eq, %slot, %c1 : index
        %next = arith.select %odd, %other, %p : i32
        scf.yield %next : i32
      }
    }
  }
  titan.return
}

// CONSTANT-PARITY: [phase-ambiguous]
// CONSTANT-PARITY: fix: partition use, warp 0 waits twice for phase 0 of %full[0] (parity 0): its next wait there takes parity 1
// Each use is waited for as the first one is.
titan.kernel @constant_parity(%A: !global) warps(8) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %a = titan.shared.alloc : !tiles
  %full = titan.mbarrier.alloc : !ring
  %empty = titan.mbarrier.alloc : !ring
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !ring
    titan.mbarrier.init %empty count(4) : !ring
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
          %slot = arith.remui %k, %c2 : index
          %other = arith.xori %p, %i1 : i32
          titan.mbarrier.wait %empty[%slot : index] parity(%other) : !ring
          titan.mbarrier.arrive_expect_tx %full[%slot : index], %bytes : !ring
          %to = titan.shared.slot %a[%slot : index] : !tiles -> !tile
          titan.tma.load %mapA[%c0, %c0], %to, %full[%slot : index] : !map, !tile, !ring
          %odd = arith.cmpi eq, %slot, %c1 : index
          %next = arith.select %odd, %other, %p : i32
          scf.yield %next : i32
        }
      }
    }
    titan.partition "use" warps(4) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        %slot = arith.remui %k, %c2 : index
        titan.mbarrier.wait %full[%slot : index] parity(%i0) : !ring
        %from = titan.shared.slot %a[%slot : index] : !tiles -> !tile
        %v = titan.shared.load %from : !tile -> !reg
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty[%slot : index] : !ring
        }
        %other = arith.xori %p, %i1 : i32
        %odd = arith.cmpi eq, %slot, %c1 : index
        %next = arith.select %odd, %other, %p : i32
        scf.yield %next : i32
      }
    }
  }
  titan.return
}

// PARITY-OF-EMPTY: [deadlock]
// PARITY-OF-EMPTY: fix: let one of them signal before it waits: %empty[0] is signalled by partition use, warp 0 only after its wait for %full[0], and %full[0] is signalled by partition load, warp 0 only after its wait for %empty[0] (a first wait for a free slot takes parity 1)
// The producer waits for the slot to be freed before anybody has used it.
titan.kernel @parity_of_empty(%A: !global) warps(8) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %a = titan.shared.alloc : !tiles
  %full = titan.mbarrier.alloc : !ring
  %empty = titan.mbarrier.alloc : !ring
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !ring
    titan.mbarrier.init %empty count(4) : !ring
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
          %slot = arith.remui %k, %c2 : index
          %other = arith.xori %p, %i1 : i32
          titan.mbarrier.wait %empty[%slot : index] parity(%p) : !ring
          titan.mbarrier.arrive_expect_tx %full[%slot : index], %bytes : !ring
          %to = titan.shared.slot %a[%slot : index] : !tiles -> !tile
          titan.tma.load %mapA[%c0, %c0], %to, %full[%slot : index] : !map, !tile, !ring
          %odd = arith.cmpi eq, %slot, %c1 : index
          %next = arith.select %odd, %other, %p : i32
          scf.yield %next : i32
        }
      }
    }
    titan.partition "use" warps(4) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        %slot = arith.remui %k, %c2 : index
        titan.mbarrier.wait %full[%slot : index] parity(%p) : !ring
        %from = titan.shared.slot %a[%slot : index] : !tiles -> !tile
        %v = titan.shared.load %from : !tile -> !reg
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty[%slot : index] : !ring
        }
        %other = arith.xori %p, %i1 : i32
        %odd = arith.cmpi eq, %slot, %c1 : index
        %next = arith.select %odd, %other, %p : i32
        scf.yield %next : i32
      }
    }
  }
  titan.return
}

// TOO-MANY: [phase-ambiguous]
// TOO-MANY: fix: initialise %empty[0] with count(4), or take 3 of the arrivals away: 4 arrive in a phase, and it counts 1
// Four arrive, one is expected.
titan.kernel @too_many(%A: !global) warps(8) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %a = titan.shared.alloc : !tiles
  %full = titan.mbarrier.alloc : !ring
  %empty = titan.mbarrier.alloc : !ring
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !ring
    titan.mbarrier.init %empty count(1) : !ring
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
          %slot = arith.remui %k, %c2 : index
          %other = arith.xori %p, %i1 : i32
          titan.mbarrier.wait %empty[%slot : index] parity(%other) : !ring
          titan.mbarrier.arrive_expect_tx %full[%slot : index], %bytes : !ring
          %to = titan.shared.slot %a[%slot : index] : !tiles -> !tile
          titan.tma.load %mapA[%c0, %c0], %to, %full[%slot : index] : !map, !tile, !ring
          %odd = arith.cmpi eq, %slot, %c1 : index
          %next = arith.select %odd, %other, %p : i32
          scf.yield %next : i32
        }
      }
    }
    titan.partition "use" warps(4) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        %slot = arith.remui %k, %c2 : index
        titan.mbarrier.wait %full[%slot : index] parity(%p) : !ring
        %from = titan.shared.slot %a[%slot : index] : !tiles -> !tile
        %v = titan.shared.load %from : !tile -> !reg
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty[%slot : index] : !ring
        }
        %other = arith.xori %p, %i1 : i32
        %odd = arith.cmpi eq, %slot, %c1 : index
        %next = arith.select %odd, %other, %p : i32
        scf.yield %next : i32
      }
    }
  }
  titan.return
}

// TOO-FEW: [barrier-arrivals]
// TOO-FEW: fix: initialise %empty[0] with count(4), or let each phase have 4 more: 4 arrive in a phase, and it counts 8
// Four arrive, eight are expected.
titan.kernel @too_few(%A: !global) warps(8) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %a = titan.shared.alloc : !tiles
  %full = titan.mbarrier.alloc : !ring
  %empty = titan.mbarrier.alloc : !ring
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !ring
    titan.mbarrier.init %empty count(8) : !ring
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
          %slot = arith.remui %k, %c2 : index
          %other = arith.xori %p, %i1 : i32
          titan.mbarrier.wait %empty[%slot : index] parity(%other) : !ring
          titan.mbarrier.arrive_expect_tx %full[%slot : index], %bytes : !ring
          %to = titan.shared.slot %a[%slot : index] : !tiles -> !tile
          titan.tma.load %mapA[%c0, %c0], %to, %full[%slot : index] : !map, !tile, !ring
          %odd = arith.cmpi eq, %slot, %c1 : index
          %next = arith.select %odd, %other, %p : i32
          scf.yield %next : i32
        }
      }
    }
    titan.partition "use" warps(4) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        %slot = arith.remui %k, %c2 : index
        titan.mbarrier.wait %full[%slot : index] parity(%p) : !ring
        %from = titan.shared.slot %a[%slot : index] : !tiles -> !tile
        %v = titan.shared.load %from : !tile -> !reg
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty[%slot : index] : !ring
        }
        %other = arith.xori %p, %i1 : i32
        %odd = arith.cmpi eq, %slot, %c1 : index
        %next = arith.select %odd, %other, %p : i32
        scf.yield %next : i32
      }
    }
  }
  titan.return
}

// TOO-FEW-BYTES: [barrier-bytes]
// TOO-FEW-BYTES: fix: expect 8192 bytes at %full[0] in each phase
// The copy brings more.
titan.kernel @too_few_bytes(%A: !global) warps(8) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 4096 : i32
  %a = titan.shared.alloc : !tiles
  %full = titan.mbarrier.alloc : !ring
  %empty = titan.mbarrier.alloc : !ring
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !ring
    titan.mbarrier.init %empty count(4) : !ring
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
          %slot = arith.remui %k, %c2 : index
          %other = arith.xori %p, %i1 : i32
          titan.mbarrier.wait %empty[%slot : index] parity(%other) : !ring
          titan.mbarrier.arrive_expect_tx %full[%slot : index], %bytes : !ring
          %to = titan.shared.slot %a[%slot : index] : !tiles -> !tile
          titan.tma.load %mapA[%c0, %c0], %to, %full[%slot : index] : !map, !tile, !ring
          %odd = arith.cmpi eq, %slot, %c1 : index
          %next = arith.select %odd, %other, %p : i32
          scf.yield %next : i32
        }
      }
    }
    titan.partition "use" warps(4) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        %slot = arith.remui %k, %c2 : index
        titan.mbarrier.wait %full[%slot : index] parity(%p) : !ring
        %from = titan.shared.slot %a[%slot : index] : !tiles -> !tile
        %v = titan.shared.load %from : !tile -> !reg
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty[%slot : index] : !ring
        }
        %other = arith.xori %p, %i1 : i32
        %odd = arith.cmpi eq, %slot, %c1 : index
        %next = arith.select %odd, %other, %p : i32
        scf.yield %next : i32
      }
    }
  }
  titan.return
}

// NOBODY: [deadlock]
// NOBODY: fix: nothing ever arrives at %empty[0]: let 4 arrive in each phase
// Nothing frees the slot.
titan.kernel @nobody(%A: !global) warps(8) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %a = titan.shared.alloc : !tiles
  %full = titan.mbarrier.alloc : !ring
  %empty = titan.mbarrier.alloc : !ring
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !ring
    titan.mbarrier.init %empty count(4) : !ring
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
          %slot = arith.remui %k, %c2 : index
          %other = arith.xori %p, %i1 : i32
          titan.mbarrier.wait %empty[%slot : index] parity(%other) : !ring
          titan.mbarrier.arrive_expect_tx %full[%slot : index], %bytes : !ring
          %to = titan.shared.slot %a[%slot : index] : !tiles -> !tile
          titan.tma.load %mapA[%c0, %c0], %to, %full[%slot : index] : !map, !tile, !ring
          %odd = arith.cmpi eq, %slot, %c1 : index
          %next = arith.select %odd, %other, %p : i32
          scf.yield %next : i32
        }
      }
    }
    titan.partition "use" warps(4) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        %slot = arith.remui %k, %c2 : index
        titan.mbarrier.wait %full[%slot : index] parity(%p) : !ring
        %from = titan.shared.slot %a[%slot : index] : !tiles -> !tile
        %v = titan.shared.load %from : !tile -> !reg
        %other = arith.xori %p, %i1 : i32
        %odd = arith.cmpi eq, %slot, %c1 : index
        %next = arith.select %odd, %other, %p : i32
        scf.yield %next : i32
      }
    }
  }
  titan.return
}

// MORE-WAITS: [deadlock]
// MORE-WAITS: fix: %full[1] is waited for once more than it is signalled (1 phase): let both sides run equally often
// The consumer runs once more.
titan.kernel @more_waits(%A: !global) warps(8) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %a = titan.shared.alloc : !tiles
  %full = titan.mbarrier.alloc : !ring
  %empty = titan.mbarrier.alloc : !ring
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !ring
    titan.mbarrier.init %empty count(4) : !ring
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %r = scf.for %k = %c0 to %c3 step %c1 iter_args(%p = %i0) -> (i32) {
          %slot = arith.remui %k, %c2 : index
          %other = arith.xori %p, %i1 : i32
          titan.mbarrier.wait %empty[%slot : index] parity(%other) : !ring
          titan.mbarrier.arrive_expect_tx %full[%slot : index], %bytes : !ring
          %to = titan.shared.slot %a[%slot : index] : !tiles -> !tile
          titan.tma.load %mapA[%c0, %c0], %to, %full[%slot : index] : !map, !tile, !ring
          %odd = arith.cmpi eq, %slot, %c1 : index
          %next = arith.select %odd, %other, %p : i32
          scf.yield %next : i32
        }
      }
    }
    titan.partition "use" warps(4) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        %slot = arith.remui %k, %c2 : index
        titan.mbarrier.wait %full[%slot : index] parity(%p) : !ring
        %from = titan.shared.slot %a[%slot : index] : !tiles -> !tile
        %v = titan.shared.load %from : !tile -> !reg
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty[%slot : index] : !ring
        }
        %other = arith.xori %p, %i1 : i32
        %odd = arith.cmpi eq, %slot, %c1 : index
        %next = arith.select %odd, %other, %p : i32
        scf.yield %next : i32
      }
    }
  }
  titan.return
}

// ONE-FOR-FOUR: [race] 'titan.tma.load' writes shared memory
// ONE-FOR-FOUR: note: 'this wait' and 'here', in the fix
// ONE-FOR-FOUR: fix: let each of the 4 warps that wait here arrive at %empty[{{[01]}}], with count(4) and not 1, or put a barrier among them before the arrival
// One warp frees the slot, and four have read it.
titan.kernel @one_for_four(%A: !global) warps(8) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %a = titan.shared.alloc : !tiles
  %full = titan.mbarrier.alloc : !ring
  %empty = titan.mbarrier.alloc : !ring
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !ring
    titan.mbarrier.init %empty count(1) : !ring
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
          %slot = arith.remui %k, %c2 : index
          %other = arith.xori %p, %i1 : i32
          titan.mbarrier.wait %empty[%slot : index] parity(%other) : !ring
          titan.mbarrier.arrive_expect_tx %full[%slot : index], %bytes : !ring
          %to = titan.shared.slot %a[%slot : index] : !tiles -> !tile
          titan.tma.load %mapA[%c0, %c0], %to, %full[%slot : index] : !map, !tile, !ring
          %odd = arith.cmpi eq, %slot, %c1 : index
          %next = arith.select %odd, %other, %p : i32
          scf.yield %next : i32
        }
      }
    }
    titan.partition "use" warps(4) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        %slot = arith.remui %k, %c2 : index
        titan.mbarrier.wait %full[%slot : index] parity(%p) : !ring
        %from = titan.shared.slot %a[%slot : index] : !tiles -> !tile
        %v = titan.shared.load %from : !tile -> !reg
        titan.syncwarp
        titan.elect warp(0) {
          titan.mbarrier.arrive %empty[%slot : index] : !ring
        }
        %other = arith.xori %p, %i1 : i32
        %odd = arith.cmpi eq, %slot, %c1 : index
        %next = arith.select %odd, %other, %p : i32
        scf.yield %next : i32
      }
    }
  }
  titan.return
}

// UNNAMED: [barrier-bytes] phase 0 of barrier (line [[@LINE+17]])[0] expects 4096 bytes
// UNNAMED: fix: expect 8192 bytes at (line [[@LINE+16]])[0] in each phase
// A barrier without a name is called by its line.
titan.kernel @unnamed(%A: !global) warps(8) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 4096 : i32
  %a = titan.shared.alloc : !tiles
  %0 = titan.mbarrier.alloc : !ring
  %empty = titan.mbarrier.alloc : !ring
  titan.elect warp(0) {
    titan.mbarrier.init %0 count(1) : !ring
    titan.mbarrier.init %empty count(4) : !ring
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
          %slot = arith.remui %k, %c2 : index
          %other = arith.xori %p, %i1 : i32
          titan.mbarrier.wait %empty[%slot : index] parity(%other) : !ring
          titan.mbarrier.arrive_expect_tx %0[%slot : index], %bytes : !ring
          %to = titan.shared.slot %a[%slot : index] : !tiles -> !tile
          titan.tma.load %mapA[%c0, %c0], %to, %0[%slot : index] : !map, !tile, !ring
          %odd = arith.cmpi eq, %slot, %c1 : index
          %next = arith.select %odd, %other, %p : i32
          scf.yield %next : i32
        }
      }
    }
    titan.partition "use" warps(4) {
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%p = %i0) -> (i32) {
        %slot = arith.remui %k, %c2 : index
        titan.mbarrier.wait %0[%slot : index] parity(%p) : !ring
        %from = titan.shared.slot %a[%slot : index] : !tiles -> !tile
        %v = titan.shared.load %from : !tile -> !reg
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty[%slot : index] : !ring
        }
        %other = arith.xori %p, %i1 : i32
        %odd = arith.cmpi eq, %slot, %c1 : index
        %next = arith.select %odd, %other, %p : i32
        scf.yield %next : i32
      }
    }
  }
  titan.return
}

// CIRCLE: [deadlock]
// CIRCLE: fix: let one of them signal before it waits: %pong is signalled by partition b, warp 0 only after its wait for %ping, and %ping is signalled by partition a, warp 0 only after its wait for %pong
// Each waits before it signals.
titan.kernel @circle() warps(8) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
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
      titan.mbarrier.wait %pong parity(%i0) : !bar
      titan.elect {
        titan.mbarrier.arrive %ping : !bar
      }
    }
    titan.partition "b" warps(4) {
      titan.mbarrier.wait %ping parity(%i0) : !bar
      titan.elect warp(0) {
        titan.mbarrier.arrive %pong : !bar
      }
    }
  }
  titan.return
}

// THREADS: [deadlock]
// THREADS: partition b, warps 0, 1, 2, 3: waits at named barrier 1: 128 of 160 threads have come
// THREADS-NEXT: partition a, warp 0: ended
// THREADS: fix: named barrier 1 waits for 160 threads, and 128 come: give that number, or let the others come, too
// ALL-THREADS: [deadlock]
// ALL-THREADS: partition b, warps 0, 1, 2, 3: waits at the CTA's barrier: 128 of 256 threads have come
// ALL-THREADS: fix: the CTA's barrier waits for all 256 threads, and 128 come: let the others come, too, or let these meet at a named barrier of 128 threads
// Five warps are meant, four come.
titan.kernel @threads() warps(8) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
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
    titan.partition "b" warps(4) {
      titan.mbarrier.wait %ping parity(%i0) : !bar
      titan.barrier.sync 1 threads(160)
    }
  }
  titan.return
}

// NEXT-PHASE: [phase-ambiguous] this wait of partition b, warp 0 is meant for phase 1 of barrier %ping, but nothing shows that the phase before it is over: by its parity the wait can be answered at once
// NEXT-PHASE: fix: wait for parity 0 here: the next wait of this thread on %ping is for its phase 0
// The wait for the first phase is missing.
titan.kernel @next_phase() warps(8) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
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
      titan.mbarrier.wait %pong parity(%i0) : !bar
      titan.elect {
        titan.mbarrier.arrive %ping : !bar
      }
    }
    titan.partition "b" warps(4) {
      titan.elect warp(0) {
        titan.mbarrier.arrive %pong : !bar
      }
      titan.mbarrier.wait %ping parity(%i1) : !bar
    }
  }
  titan.return
}

// Where there is a barrier that tells of it, that one.
// UNHEARD: fix: wait for %empty[0] before this: nobody does, and who arrives there has waited for phase 0 of %full[0]
//
// SIGNAL-AGAIN: [phase-ambiguous]
// SIGNAL-AGAIN: fix: before this, wait for phase 0 of %ping (parity 0), or for a barrier at which somebody arrives who has
// Nothing comes between two arrivals.
titan.kernel @signal_again() warps(8) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
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
    titan.partition "b" warps(4) {
      titan.elect warp(1) {
        titan.mbarrier.arrive %ping : !bar
      }
      titan.mbarrier.wait %ping parity(%i0) : !bar
    }
  }
  titan.return
}
