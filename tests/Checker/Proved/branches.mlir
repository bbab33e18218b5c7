// What the launch or a CTA decides: a branch of which one side alone fences, or arrives too early, and a
// coordinate that only a large grid makes negative (no small launch shows it). None of them is proved.
// (unittests/Analysis/ProvedLitmusTest.cpp asks for a proof of those that the search refuses, too.)
//
// RUN: titan check %s --kernel both_sides --require=proved
// RUN: not titan check %s --kernel one_side --require=proved 2>&1 | FileCheck %s --check-prefix=ONE-SIDE
// RUN: not titan check %s --kernel one_side_held --require=proved 2>&1 | FileCheck %s --check-prefix=HELD
// RUN: titan check %s --kernel negative --require=searched | FileCheck %s --check-prefix=NEGATIVE
// ONE-SIDE: [proxy-fence-missing]
// HELD: [race]
// NEGATIVE: searched, not proved: {{.*}}coordinate 0 of what is written is not shown to be 0 or more

!global = !titan.global<?x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// Each side arrives behind its syncwarp.
titan.kernel @both_sides(%A: !global, %D: !global) warps(4) launch {
  %c64 = arith.constant 64 : index
  %n = titan.dim %A, 0 : !global
  %nD = titan.dim %D, 0 : !global
  %is = arith.cmpi eq, %n, %nD : index
  titan.require %is, "launch-check", "same"
  %g = arith.ceildivui %n, %c64 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%g) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(4) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %id = titan.cta_id 0
  %row = arith.muli %id, %c64 : index
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  %first = arith.cmpi ult, %id, %c1 : index
  scf.if %first {
    titan.syncwarp
    titan.elect {
      titan.mbarrier.arrive %done : !bar
    }
  } else {
    titan.syncwarp
    titan.elect {
      titan.mbarrier.arrive %done : !bar
    }
  }
  titan.mbarrier.wait %done parity(%i0) : !bar
  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%row, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

// One side fences.
titan.kernel @one_side(%A: !global, %D: !global) warps(4) launch {
  %c64 = arith.constant 64 : index
  %n = titan.dim %A, 0 : !global
  %nD = titan.dim %D, 0 : !global
  %is = arith.cmpi eq, %n, %nD : index
  titan.require %is, "launch-check", "same"
  %g = arith.ceildivui %n, %c64 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%g) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %id = titan.cta_id 0
  %row = arith.muli %id, %c64 : index
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  %first = arith.cmpi ult, %id, %c1 : index
  scf.if %first {
    titan.fence.proxy_async shared_cta
    titan.cta_sync
  } else {
    titan.cta_sync
  }
  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%row, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

// One side arrives before the other lanes are there.
titan.kernel @one_side_held(%A: !global, %D: !global) warps(4) launch {
  %c64 = arith.constant 64 : index
  %n = titan.dim %A, 0 : !global
  %nD = titan.dim %D, 0 : !global
  %is = arith.cmpi eq, %n, %nD : index
  titan.require %is, "launch-check", "same"
  %g = arith.ceildivui %n, %c64 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%g) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(4) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %id = titan.cta_id 0
  %row = arith.muli %id, %c64 : index
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  %first = arith.cmpi ult, %id, %c1 : index
  scf.if %first {
    titan.syncwarp
    titan.elect {
      titan.mbarrier.arrive %done : !bar
    }
  } else {
    titan.elect {
      titan.mbarrier.arrive %done : !bar
    }
    titan.syncwarp
  }
  titan.mbarrier.wait %done parity(%i0) : !bar
  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%row, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

// Row 9000 - 64 * cta: below 0 from CTA 141 on.
titan.kernel @negative(%A: !global, %D: !global) warps(4) launch {
  %c64 = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  %n = titan.dim %A, 0 : !global
  %nD = titan.dim %D, 0 : !global
  %is = arith.cmpi eq, %n, %nD : index
  titan.require %is, "launch-check", "same"
  %g = arith.ceildivui %n, %c64 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%g) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9000 : index
  %i0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %id = titan.cta_id 0
  %row0 = arith.muli %id, %c64 : index
  %row = arith.subi %c9, %row0 : index
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%row, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}
