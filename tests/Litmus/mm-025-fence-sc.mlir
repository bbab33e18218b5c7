// MM-25, MM-21: fence.sc does what fence.acq_rel does, and gives no order of its own.
//
// A tile is written and read across warps by way of a relaxed arrive.
//
// RUN: titan check %s --kernel fence_sc
// RUN: titan check %s --kernel fence_acq_rel
// RUN: not titan check %s --kernel fence_after 2>&1 | FileCheck %s --check-prefix=FENCE-AFTER
// RUN: not titan check %s --kernel fences_alone 2>&1 | FileCheck %s --check-prefix=FENCES-ALONE

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
#columns = #titan.blocked<elements = [8, 1], lanes = [8, 4], warps = [1, 4]>
!regC   = tensor<64x64xbf16, #columns>

// It releases what came before it, with the relaxed arrive after it.
titan.kernel @fence_sc(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(128) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.fence sc cta
  titan.mbarrier.arrive %done {sem = #titan<sem relaxed>} : !bar
  titan.mbarrier.wait %done parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !regC
  titan.return
}

// As fence.acq_rel does.
titan.kernel @fence_acq_rel(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(128) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.fence acq_rel cta
  titan.mbarrier.arrive %done {sem = #titan<sem relaxed>} : !bar
  titan.mbarrier.wait %done parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !regC
  titan.return
}

// FENCE-AFTER: [race]
// A fence after the arrive releases nothing by it.
titan.kernel @fence_after(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %done = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(128) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.mbarrier.arrive %done {sem = #titan<sem relaxed>} : !bar
  titan.fence sc cta
  titan.mbarrier.wait %done parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !regC
  titan.return
}

// FENCES-ALONE: [race]
// Two fences, and no signal between the writers and the readers: in some order, but nobody knows which.
titan.kernel @fences_alone(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.fence sc cta
  titan.fence sc cta
  %x = titan.shared.load %buf : !tile -> !regC
  titan.return
}
