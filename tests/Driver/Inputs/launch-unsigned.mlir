// A launch region whose unsigned comparison, casts and divisions meet negative numbers.
!data = !titan.global<?xf32>
titan.kernel @below(%X: !data) warps(1) launch {
  %n = titan.dim %X, 0 : !data
  %c100 = arith.constant 100 : index
  %c10 = arith.constant 10 : index
  %d = arith.subi %n, %c100 : index
  %few = arith.cmpi ule, %d, %c10 : index
  titan.require %few, "launch-check", "n is 100 to 110"
  titan.launch grid(%n) with(%d : index)
} body(%d: index) {
  titan.return
}

titan.kernel @clamped(%X: !data) warps(1) launch {
  %n = titan.dim %X, 0 : !data
  %c100 = arith.constant 100 : index
  %c10 = arith.constant 10 : index
  %d = arith.subi %n, %c100 : index
  %few = arith.minui %d, %c10 : index
  titan.launch grid(%n) with(%few : index)
} body(%few: index) {
  titan.return
}

titan.kernel @bytes(%X: !data) warps(1) launch {
  %n = titan.dim %X, 0 : !data
  %one = arith.constant 1 : index
  %wide = arith.index_cast %n : index to i64
  %byte = arith.trunci %wide : i64 to i8
  %back = arith.extsi %byte : i8 to i64
  titan.launch grid(%one) with(%back : i64)
} body(%back: i64) {
  titan.return
}

titan.kernel @divided(%X: !data) warps(1) launch {
  %n = titan.dim %X, 0 : !data
  %one = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c100 = arith.constant 100 : index
  %m = arith.subi %n, %c100 : index
  %quotient = arith.divsi %m, %c8 : index
  %rest = arith.remsi %m, %c8 : index
  titan.launch grid(%one) with(%quotient, %rest : index, index)
} body(%quotient: index, %rest: index) {
  titan.elect warp(0) {
    titan.print "quotient", %quotient : index
    titan.print "rest", %rest : index
  }
  titan.return
}
