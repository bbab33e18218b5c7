// A product that a launch of a large n cannot have.
titan.kernel @k(%X: !titan.global<?x?xf32>, %n: i64) warps(1) launch {
  %c1 = arith.constant 1 : index
  %rows = titan.dim %X, 0 : !titan.global<?x?xf32>
  %count = arith.index_cast %n : i64 to index
  %grid = arith.muli %rows, %count : index
  %some = arith.cmpi uge, %rows, %c1 : index
  titan.require %some, "launch-check", "X has rows"
  titan.launch grid(%grid)
} body() {
  titan.return
}
