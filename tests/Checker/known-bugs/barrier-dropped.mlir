// Four warps store, one thread issues the TMA store of it all: the barrier between them is dropped.
//
// CODES: race
// RUN: %python %S/Inputs/bug_and_fix.py %s --shape D=64x64

!global = !titan.global<?x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bulk   = !titan.token<bulk>
!reg    = tensor<64x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>

titan.kernel @bug(%D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapD : !map)
} body(%mapD: !map) {
  %c0 = arith.constant 0 : index
  %f1 = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %f1 : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.elect warp(0) {
    // BUG
    titan.tma.store %buf, %mapD[%c0, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

titan.kernel @fix(%D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapD : !map)
} body(%mapD: !map) {
  %c0 = arith.constant 0 : index
  %f1 = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %f1 : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%c0, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}
