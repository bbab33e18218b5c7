// The fix of tensor-map-stride.mlir: rows padded to a multiple of 16 bytes.
//
// RUN: titan check %s

!even   = !titan.global<64x511xbf16, strides = [512, 1]>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>

titan.kernel @fix(%A: !even) warps(1) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !even -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  titan.return
}
