// MM-30, MM-33, MM-38, MM-49: the letter orders two accesses if both are generic, or both through one proxy and of one block.
//
// D is written, and then read; --strict tells what goes beyond the letter.
//
// RUN: titan check %s --kernel both_generic --strict 2>&1 | FileCheck %s --check-prefix=BOTH-GENERIC
// RUN: not titan check %s --kernel both_generic_no_order 2>&1 | FileCheck %s --check-prefix=BOTH-GENERIC-NO-ORDER
// RUN: titan check %s --kernel async_one_block --strict 2>&1 | FileCheck %s --check-prefix=ASYNC-ONE-BLOCK
// RUN: not titan check %s --kernel async_one_block_not_complete 2>&1 | FileCheck %s --check-prefix=ASYNC-ONE-BLOCK-NOT-COMPLETE
// RUN: titan check %s --kernel async_two_blocks 2>&1 | FileCheck %s --check-prefix=ASYNC-TWO-BLOCKS-OFF
// RUN: titan check %s --kernel async_two_blocks --strict 2>&1 | FileCheck %s --check-prefix=ASYNC-TWO-BLOCKS-NOTE
// RUN: not titan check %s --kernel async_two_blocks_not_complete 2>&1 | FileCheck %s --check-prefix=ASYNC-TWO-BLOCKS-NOT-COMPLETE
// RUN: not titan check %s --kernel two_proxies 2>&1 | FileCheck %s --check-prefix=TWO-PROXIES
// RUN: titan check %s --kernel two_proxies_fenced --strict 2>&1 | FileCheck %s --check-prefix=TWO-PROXIES-FENCED
// RUN: titan check %s --kernel async_then_generic --strict 2>&1 | FileCheck %s --check-prefix=ASYNC-THEN-GENERIC

!global = !titan.global<64x64xbf16>
!flags  = !titan.global<4xi32>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>

// BOTH-GENERIC-NOT: {{error|warning|remark}}:
// Release and acquire are all that two generic accesses need, of two blocks too.
titan.kernel @both_generic(%A: !global, %D: !global, %flags: !flags) warps(1) launch {
  %grid = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
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
      titan.st %one, %D[%c0, %c0] : bf16, !global
      titan.flag.signal %flags[%c0], %i1 : !flags
    }
  } else {
    titan.elect {
      titan.flag.wait %flags[%c0], %i1 : !flags
      %x = titan.ld %D[%c0, %c0] : !global -> bf16
    }
  }
  titan.return
}

// BOTH-GENERIC-NO-ORDER: [race]
// There must be some order.
titan.kernel @both_generic_no_order(%A: !global, %D: !global, %flags: !flags) warps(1) launch {
  %grid = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
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
      titan.st %one, %D[%c0, %c0] : bf16, !global
    }
  } else {
    titan.elect {
      %x = titan.ld %D[%c0, %c0] : !global -> bf16
    }
  }
  titan.return
}

// ASYNC-ONE-BLOCK-NOT: {{error|warning|remark}}:
// Both async, one block, completion observed between.
titan.kernel @async_one_block(%A: !global, %D: !global, %flags: !flags) warps(1) launch {
  %grid = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
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
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
      titan.mbarrier.wait %full parity(%i0) : !bar
      titan.tma.store %buf, %mapD[%c0, %c0] : !tile, !map
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g : !bulk
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapD[%c0, %c0], %buf, %full : !map, !tile, !bar
      titan.mbarrier.wait %full parity(%i1) : !bar
    }
  }
  titan.return
}

// ASYNC-ONE-BLOCK-NOT-COMPLETE: [{{async-unordered|completion-not-observed}}]
// It is not observed.
titan.kernel @async_one_block_not_complete(%A: !global, %D: !global, %flags: !flags) warps(1) launch {
  %grid = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
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
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
      titan.mbarrier.wait %full parity(%i0) : !bar
      titan.tma.store %buf, %mapD[%c0, %c0] : !tile, !map
      %g = titan.bulk.commit : !bulk
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapD[%c0, %c0], %buf, %full : !map, !tile, !bar
      titan.mbarrier.wait %full parity(%i1) : !bar
      titan.bulk.wait %g : !bulk
    }
  }
  titan.return
}

// ASYNC-TWO-BLOCKS-OFF-NOT: {{error|warning|remark}}:
// ASYNC-TWO-BLOCKS-NOTE: remark: {{.*}}[cluster-async-order]
// Both async, of two blocks: practice. By the letter nothing orders them.
titan.kernel @async_two_blocks(%A: !global, %D: !global, %flags: !flags) warps(1) launch {
  %grid = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
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
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
      titan.mbarrier.wait %full parity(%i0) : !bar
      titan.tma.store %buf, %mapD[%c0, %c0] : !tile, !map
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g : !bulk
      titan.flag.signal %flags[%c0], %i1 : !flags
    }
  } else {
    titan.elect {
      titan.flag.wait %flags[%c0], %i1 : !flags
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapD[%c0, %c0], %buf, %full : !map, !tile, !bar
      titan.mbarrier.wait %full parity(%i0) : !bar
    }
  }
  titan.return
}

// ASYNC-TWO-BLOCKS-NOT-COMPLETE: [{{async-unordered|completion-not-observed}}]
// Practice waits for completion.
titan.kernel @async_two_blocks_not_complete(%A: !global, %D: !global, %flags: !flags) warps(1) launch {
  %grid = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
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
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
      titan.mbarrier.wait %full parity(%i0) : !bar
      titan.tma.store %buf, %mapD[%c0, %c0] : !tile, !map
      %g = titan.bulk.commit : !bulk
      titan.flag.signal %flags[%c0], %i1 : !flags
      titan.bulk.wait %g : !bulk
    }
  } else {
    titan.elect {
      titan.flag.wait %flags[%c0], %i1 : !flags
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapD[%c0, %c0], %buf, %full : !map, !tile, !bar
      titan.mbarrier.wait %full parity(%i0) : !bar
    }
  }
  titan.return
}

// TWO-PROXIES: [proxy-fence-missing]
// Generic, then async: base causality is not enough.
titan.kernel @two_proxies(%A: !global, %D: !global, %flags: !flags) warps(1) launch {
  %grid = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
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
      titan.st %one, %D[%c0, %c0] : bf16, !global
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapD[%c0, %c0], %buf, %full : !map, !tile, !bar
      titan.mbarrier.wait %full parity(%i0) : !bar
    }
  }
  titan.return
}

// TWO-PROXIES-FENCED-NOT: {{error|warning|remark}}:
// A proxy fence.
titan.kernel @two_proxies_fenced(%A: !global, %D: !global, %flags: !flags) warps(1) launch {
  %grid = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
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
      titan.st %one, %D[%c0, %c0] : bf16, !global
      titan.fence.proxy_async global
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapD[%c0, %c0], %buf, %full : !map, !tile, !bar
      titan.mbarrier.wait %full parity(%i0) : !bar
    }
  }
  titan.return
}

// ASYNC-THEN-GENERIC-NOT: {{error|warning|remark}}:
// Async, then generic: completion contains the fence.
titan.kernel @async_then_generic(%A: !global, %D: !global, %flags: !flags) warps(1) launch {
  %grid = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
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
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
      titan.mbarrier.wait %full parity(%i0) : !bar
      titan.tma.store %buf, %mapD[%c0, %c0] : !tile, !map
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g : !bulk
      %x = titan.ld %D[%c0, %c0] : !global -> bf16
    }
  }
  titan.return
}
