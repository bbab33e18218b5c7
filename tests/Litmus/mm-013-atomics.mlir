// MM-2, MM-13: atomic operations whose scopes include each other do not race.
//
// Every thread of the CTA adds to one word of shared memory.
//
// RUN: titan check %s --kernel atomics
// RUN: not titan check %s --kernel atomic_and_store 2>&1 | FileCheck %s --check-prefix=ATOMIC-AND-STORE
// RUN: not titan check %s --kernel atomic_between 2>&1 | FileCheck %s --check-prefix=ATOMIC-BETWEEN
// RUN: not titan check %s --kernel atomic_then_load 2>&1 | FileCheck %s --check-prefix=ATOMIC-THEN-LOAD

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
!cell   = !titan.shared<32xf32>

// Relaxed atomics of one scope are morally strong.
titan.kernel @atomics(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %cell = titan.shared.alloc : !cell
  %f0 = arith.constant 0.0 : f32
  %f1 = arith.constant 1.0 : f32
  titan.elect warp(0) {
    titan.st %f0, %cell[%c0] : f32, !cell
  }
  titan.cta_sync
  %old = titan.atom add %f1, %cell[%c0] {scope = #titan<scope cta>} : f32, !cell -> f32
  titan.return
}

// ATOMIC-AND-STORE: [race]
// A weak store beside the atomics is not strong.
titan.kernel @atomic_and_store(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %cell = titan.shared.alloc : !cell
  %f0 = arith.constant 0.0 : f32
  %f1 = arith.constant 1.0 : f32
  titan.elect warp(0) {
    titan.st %f0, %cell[%c0] : f32, !cell
  }
  %old = titan.atom add %f1, %cell[%c0] {scope = #titan<scope cta>} : f32, !cell -> f32
  titan.return
}

// ATOMIC-BETWEEN: [race]
// The store is before the atomics of its own warp. That puts it before nobody
// else's, although atomics need no order among themselves.
titan.kernel @atomic_between(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %cell = titan.shared.alloc : !cell
  %f0 = arith.constant 0.0 : f32
  %f1 = arith.constant 1.0 : f32
  titan.elect warp(0) {
    titan.st %f0, %cell[%c0] : f32, !cell
  }
  titan.syncwarp
  %old = titan.atom add %f1, %cell[%c0] {scope = #titan<scope cta>} : f32, !cell -> f32
  titan.return
}

// ATOMIC-THEN-LOAD: [race]
// Nor is a weak load by another warp.
titan.kernel @atomic_then_load(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %cell = titan.shared.alloc : !cell
  %f0 = arith.constant 0.0 : f32
  %f1 = arith.constant 1.0 : f32
  titan.elect warp(0) {
    titan.st %f0, %cell[%c0] : f32, !cell
  }
  titan.cta_sync
  %old = titan.atom add %f1, %cell[%c0] {scope = #titan<scope cta>} : f32, !cell -> f32
  %now = titan.ld %cell[%c0] : !cell -> f32
  titan.return
}
