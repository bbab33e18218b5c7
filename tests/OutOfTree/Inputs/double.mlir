// One warp writes 2.0 to each of 64 elements.
!global = !titan.global<?xf32>
#pairs = #titan.blocked<elements = [2], lanes = [32], warps = [1]>

titan.kernel @two(%D: !global) warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %two = arith.constant 2.0 : f32
  %tile = titan.splat %two : f32 -> tensor<64xf32, #pairs>
  %at = titan.coordinate 0 : tensor<64xi32, #pairs>
  titan.global.store %tile, %D[%at] : tensor<64xf32, #pairs>, !global, tensor<64xi32, #pairs>
  titan.return
}
