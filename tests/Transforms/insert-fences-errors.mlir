// What no fence mends is said, and nothing is changed.
//
// RUN: not titan check %s --kernel race --insert-fences -o %t.race.mlir 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not ls %t.race.mlir
// RACE: [[#@LINE+27]]:5: error: [fences-not-enough] with 0 fences put in the checker still says race: {{.*}} nothing orders the two
//
// An operation that does not begin its line.
// RUN: not titan check %s --kernel crowded --insert-fences 2>&1 | FileCheck %s --check-prefix=CROWDED
// CROWDED: error: [fence-no-place] 'titan.fence.proxy_async shared_cta' belongs before this operation
//
// RUN: not titan check %s -o %t.mlir 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: [bad-argument]

!global = !titan.global<?x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

titan.kernel @race(%D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.elect warp(0) {
    titan.tma.store %buf, %map[%c0, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

titan.kernel @crowded(%D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile titan.cta_sync
  titan.elect warp(0) {
    titan.tma.store %buf, %map[%c0, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}
