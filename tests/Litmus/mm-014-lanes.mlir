// MM-14: lanes of one warp are ordered by syncwarp, not by being in one warp.
//
// Kernels of a single warp.
//
// RUN: titan check %s --kernel syncwarp
// RUN: not titan check %s --kernel no_syncwarp 2>&1 | FileCheck %s --check-prefix=NO-SYNCWARP
// RUN: titan check %s --kernel same_lane
// RUN: not titan check %s --kernel elected_store 2>&1 | FileCheck %s --check-prefix=ELECTED-STORE
// RUN: titan check %s --kernel elected_store_ordered
// RUN: not titan check %s --kernel other_warp 2>&1 | FileCheck %s --check-prefix=OTHER-WARP

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
#own    = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
#other  = #titan.blocked<elements = [8, 1], lanes = [8, 4], warps = [1, 1]>
!regO   = tensor<64x64xbf16, #own>
!regX   = tensor<64x64xbf16, #other>

// syncwarp orders the lanes.
titan.kernel @syncwarp(%A: !global, %D: !global) warps(1) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !regO
  titan.shared.store %v, %buf : !regO, !tile
  titan.syncwarp
  %x = titan.shared.load %buf : !tile -> !regX
  titan.return
}

// NO-SYNCWARP: [race]
// Another lane reads without it.
titan.kernel @no_syncwarp(%A: !global, %D: !global) warps(1) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !regO
  titan.shared.store %v, %buf : !regO, !tile
  %x = titan.shared.load %buf : !tile -> !regX
  titan.return
}

// Each lane reads its own elements.
titan.kernel @same_lane(%A: !global, %D: !global) warps(1) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !regO
  titan.shared.store %v, %buf : !regO, !tile
  %x = titan.shared.load %buf : !tile -> !regO
  titan.return
}

// ELECTED-STORE: [race]
// One lane stores, all lanes load.
titan.kernel @elected_store(%A: !global, %D: !global) warps(1) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile

     titan.elect {
       titan.st %one, %buf[%c0, %c0] : bf16, !tile
     }
     %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
  titan.return
}

// With syncwarp between.
titan.kernel @elected_store_ordered(%A: !global, %D: !global) warps(1) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile

     titan.elect {
       titan.st %one, %buf[%c0, %c0] : bf16, !tile
     }
     titan.syncwarp
     %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
  titan.return
}

// OTHER-WARP: [race]
// syncwarp orders nothing between two warps.
titan.kernel @other_warp(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile

     titan.elect warp(0) {
       titan.st %one, %buf[%c0, %c0] : bf16, !tile
     }
     titan.syncwarp
     %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
  titan.return
}
