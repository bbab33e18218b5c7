// The fix of tensor-map-stride.mlir: rows padded to a multiple of 16 bytes.
// Where the stride is the argument's, the checker has nothing to refuse: the
// launch does, at the tensor map.
//
// RUN: titan check %s
// RUN: titan run %s --kernel fix --arg A=random:1
// RUN: titan run %s --kernel any --shape A=64x511 --rowstride A=512 --arg A=random:1
// RUN: %python %S/../../Driver/Inputs/exit.py 1 titan run %s --kernel any --shape A=64x511 --arg A=random:1 2>&1 | FileCheck %s

!even   = !titan.global<64x511xbf16, strides = [512, 1]>
!any    = !titan.global<?x?xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>

titan.kernel @fix(%A: !even) warps(1) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !even -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  titan.return
}

titan.kernel @any(%A: !any) warps(1) launch {
  %c1 = arith.constant 1 : index
  // CHECK: [[@LINE+1]]:11: error: [tma-stride-alignment]
  %mapA = titan.tensor_map %A : !any -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  titan.return
}
