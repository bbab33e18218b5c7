// triton-lang/triton#10927: a row stride of 1022 bytes (bf16, K = 511) given to TMA.
//
// Where the type tells the stride, the verifier refuses the tensor map, and so
// does every command: there is nothing to run. The fix, and strides that only
// the launch tells, are in tensor-map-stride-fix.mlir.
//
// RUN: %python %S/../../Driver/Inputs/exit.py 2 titan check %s 2>&1 | FileCheck %s
// RUN: %python %S/../../Driver/Inputs/exit.py 2 titan run %s --arg A=random:1 2>&1 | FileCheck %s

!odd    = !titan.global<64x511xbf16, strides = [511, 1]>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>

titan.kernel @bug(%A: !odd) warps(1) launch {
  %c1 = arith.constant 1 : index
  // CHECK: [[@LINE+1]]:11: error:{{.*}}[tma-stride-alignment]
  %mapA = titan.tensor_map %A : !odd -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  titan.return
}
