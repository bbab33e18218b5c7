// A text that is no UTF-8.
titan.kernel @k() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.print "\FF"
  titan.return
}
