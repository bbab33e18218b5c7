// A kernel whose threads share a function.
func.func private @step(%x: index) -> index {
  %c1 = arith.constant 1 : index
  %y = arith.addi %x, %c1 : index
  return %y : index
}
titan.kernel @called(%X: !titan.global<4xf32>) warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c2 = arith.constant 2 : index
  %y = func.call @step(%c2) : (index) -> index
  titan.return
}
