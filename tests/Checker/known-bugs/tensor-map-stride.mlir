// triton-lang/triton#10927: a row stride of 1022 bytes (bf16, K = 511) given to TMA.
//
// RUN: not titan check %s 2>&1 | FileCheck %s

!odd    = !titan.global<64x511xbf16, strides = [511, 1]>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>

titan.kernel @bug(%A: !odd) warps(1) launch {
  %c1 = arith.constant 1 : index
  // CHECK: [[@LINE+1]]:{{.*}}[tma-stride-alignment]
  %mapA = titan.tensor_map %A : !odd -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  titan.return
}
