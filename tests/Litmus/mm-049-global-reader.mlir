// MM-31, MM-43, MM-49: global memory written by stores of one CTA, read by TMA of another.
//
// CTA 0 stores, fences and signals; CTA 1 waits and loads.
//
// RUN: titan check %s --kernel writer_fences
// RUN: titan check %s --kernel writer_fences --strict 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: titan check %s --kernel both_fence --strict
// RUN: not titan check %s --kernel reader_fences 2>&1 | FileCheck %s --check-prefix=READER-FENCES
// RUN: not titan check %s --kernel nobody_fences 2>&1 | FileCheck %s --check-prefix=NOBODY-FENCES
// RUN: not titan check %s --kernel fence_after_release 2>&1 | FileCheck %s --check-prefix=FENCE-AFTER-RELEASE
// RUN: not titan check %s --kernel no_flag 2>&1 | FileCheck %s --check-prefix=NO-FLAG

!global = !titan.global<64x64xbf16>
!flags  = !titan.global<4xi32>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier

// STRICT: remark: {{.*}}[reader-fence-missing]
// The writer fences before its release; by default that is enough.
titan.kernel @writer_fences(%A: !global, %flags: !flags) warps(1) launch {
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c2) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect {
      titan.st %one, %A[%c0, %c0] : bf16, !global
      titan.fence.proxy_async global
      titan.flag.signal %flags[%c0], %i1 : !flags
    }
  } else {
    titan.elect {
      titan.flag.wait %flags[%c0], %i1 : !flags
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
      titan.mbarrier.wait %full parity(%i0) : !bar
    }
  }
  titan.return
}

// A fence on both sides satisfies every reading of the model.
titan.kernel @both_fence(%A: !global, %flags: !flags) warps(1) launch {
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c2) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect {
      titan.st %one, %A[%c0, %c0] : bf16, !global
      titan.fence.proxy_async global
      titan.flag.signal %flags[%c0], %i1 : !flags
    }
  } else {
    titan.elect {
      titan.flag.wait %flags[%c0], %i1 : !flags
      titan.fence.proxy_async global
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
      titan.mbarrier.wait %full parity(%i0) : !bar
    }
  }
  titan.return
}

// READER-FENCES: [proxy-fence-missing]
// The reader's fence alone is not enough (MM-43).
titan.kernel @reader_fences(%A: !global, %flags: !flags) warps(1) launch {
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c2) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect {
      titan.st %one, %A[%c0, %c0] : bf16, !global
      titan.flag.signal %flags[%c0], %i1 : !flags
    }
  } else {
    titan.elect {
      titan.flag.wait %flags[%c0], %i1 : !flags
      titan.fence.proxy_async global
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
      titan.mbarrier.wait %full parity(%i0) : !bar
    }
  }
  titan.return
}

// NOBODY-FENCES: [proxy-fence-missing]
// Nobody fences.
titan.kernel @nobody_fences(%A: !global, %flags: !flags) warps(1) launch {
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c2) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect {
      titan.st %one, %A[%c0, %c0] : bf16, !global
      titan.flag.signal %flags[%c0], %i1 : !flags
    }
  } else {
    titan.elect {
      titan.flag.wait %flags[%c0], %i1 : !flags
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
      titan.mbarrier.wait %full parity(%i0) : !bar
    }
  }
  titan.return
}

// FENCE-AFTER-RELEASE: [proxy-fence-missing]
// The writer fences after its release.
titan.kernel @fence_after_release(%A: !global, %flags: !flags) warps(1) launch {
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c2) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect {
      titan.st %one, %A[%c0, %c0] : bf16, !global
      titan.flag.signal %flags[%c0], %i1 : !flags
      titan.fence.proxy_async global
    }
  } else {
    titan.elect {
      titan.flag.wait %flags[%c0], %i1 : !flags
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
      titan.mbarrier.wait %full parity(%i0) : !bar
    }
  }
  titan.return
}

// NO-FLAG: [race]
// Fences order nothing between CTAs by themselves.
titan.kernel @no_flag(%A: !global, %flags: !flags) warps(1) launch {
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c2) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect {
      titan.st %one, %A[%c0, %c0] : bf16, !global
      titan.fence.proxy_async global
    }
  } else {
    titan.elect {
      titan.fence.proxy_async global
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
      titan.mbarrier.wait %full parity(%i0) : !bar
    }
  }
  titan.return
}
