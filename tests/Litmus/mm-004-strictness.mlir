// MM-4, MM-34, MM-45: each code has a severity; --strict and a flag of its own set it, where practice and the letter differ.
//
// A slot is read, and filled again without a fence (MM-34); the issuing thread
// fences for the writers (MM-45).
//
// RUN: titan check %s --kernel practice 2>&1 | FileCheck %s --check-prefix=PRACTICE-WARNING
// RUN: titan check %s --kernel practice --war=warning 2>&1 | FileCheck %s --check-prefix=PRACTICE-WARNING
// RUN: titan check %s --kernel practice --war=note 2>&1 | FileCheck %s --check-prefix=PRACTICE-NOTE
// RUN: titan check %s --kernel practice --war=off 2>&1 | FileCheck %s --check-prefix=PRACTICE-OFF
// RUN: not titan check %s --kernel practice --war=error 2>&1 | FileCheck %s --check-prefix=PRACTICE-ERROR
// RUN: not titan check %s --kernel practice --strict 2>&1 | FileCheck %s --check-prefix=PRACTICE-ERROR
// RUN: titan check %s --kernel practice --strict --war=warning 2>&1 | FileCheck %s --check-prefix=PRACTICE-WARNING
// RUN: titan check %s --kernel practice --strict --war=off 2>&1 | FileCheck %s --check-prefix=PRACTICE-OFF
// RUN: not titan check %s --kernel practice --strict --scope=off 2>&1 | FileCheck %s --check-prefix=PRACTICE-ERROR
// RUN: titan check %s --kernel practice --strict=off 2>&1 | FileCheck %s --check-prefix=PRACTICE-WARNING
// RUN: not titan check %s --kernel practice --strict=off --war=error 2>&1 | FileCheck %s --check-prefix=PRACTICE-ERROR
// RUN: titan check %s --kernel fenced
// RUN: titan check %s --kernel fenced --strict
// RUN: titan check %s --kernel fenced --strict=off
// RUN: not titan check %s --kernel issuer_fences 2>&1 | FileCheck %s --check-prefix=ISSUER-FENCES-ERROR
// RUN: not titan check %s --kernel issuer_fences --strict 2>&1 | FileCheck %s --check-prefix=ISSUER-FENCES-ERROR
// RUN: titan check %s --kernel issuer_fences --strict=off
// RUN: not titan check %s --kernel nobody_fences --strict=off 2>&1 | FileCheck %s --check-prefix=NOBODY-FENCES-ERROR
// RUN: not titan check %s --kernel nobody_fences --strict=off --war=off 2>&1 | FileCheck %s --check-prefix=NOBODY-FENCES-ERROR
// RUN: not titan check %s --kernel no_barrier 2>&1 | FileCheck %s --check-prefix=NO-BARRIER-ERROR
// RUN: not titan check %s --kernel no_barrier --strict=off --war=off --scope=off 2>&1 | FileCheck %s --check-prefix=NO-BARRIER-ERROR
// RUN: not titan check --race=off %s --kernel no_barrier 2>&1 | FileCheck %s --check-prefix=NO-FLAG
// RUN: not titan check --war=perhaps %s --kernel practice 2>&1 | FileCheck %s --check-prefix=NO-SEVERITY
// NO-FLAG: '--race=off'{{.*}}[bad-argument]
// NO-SEVERITY: --war is error, warning, note or off{{.*}}[bad-argument]

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// PRACTICE-WARNING: warning: {{.*}}[war-generic-async]
// PRACTICE-NOTE: remark: {{.*}}[war-generic-async]
// PRACTICE-OFF-NOT: [war-generic-async]
// PRACTICE-ERROR: error: {{.*}}[war-generic-async]
// What practice relies on: a warning, and whatever the flag says. It speaks for one code, under --strict too.
titan.kernel @practice(%A: !global, %D: !global) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i1) : !bar
  %y = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// What the letter gives is accepted by all.
titan.kernel @fenced(%A: !global, %D: !global) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i1) : !bar
  %y = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// ISSUER-FENCES-ERROR: error: {{.*}}[proxy-fence-missing]
// An error by default; --strict=off drops the rule.
titan.kernel @issuer_fences(%A: !global, %D: !global) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.cta_sync
  titan.elect warp(0) {
    titan.fence.proxy_async shared_cta
    titan.tma.store %buf, %mapD[%c0, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

// NOBODY-FENCES-ERROR: error: {{.*}}[proxy-fence-missing]
// But not the proxies.
titan.kernel @nobody_fences(%A: !global, %D: !global) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.cta_sync
  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%c0, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

// NO-BARRIER-ERROR: error: {{.*}}[race]
// What is wrong by the letter and by practice stays an error, and no flag sets it.
titan.kernel @no_barrier(%A: !global, %D: !global) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.elect warp(0) {
    titan.fence.proxy_async shared_cta
    titan.tma.store %buf, %mapD[%c0, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}
