// A loop over registers whose bounds no pass can know: unroll-bounds.
titan.kernel @k(%n: i32) warps(1) attributes {titan.example = {n = 3 : i32}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    titan.print "i", %i : i32
  } {titan.unroll}
  titan.return
}
