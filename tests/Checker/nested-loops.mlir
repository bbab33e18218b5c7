// Two sizes, one loop in the other: the survey walks each once, not thousands of times thousands.
//
// RUN: titan check %s | FileCheck %s
// CHECK: @k: accepted

titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(2) launch {
  %c1 = arith.constant 1 : index
  %n = titan.dim %A, 0 : !titan.global<?x?xbf16>
  %m = titan.dim %A, 1 : !titan.global<?x?xbf16>
  titan.launch grid(%c1) with(%n, %m : index, index)
} body(%n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %m step %c1 {
      titan.cta_sync
    }
  }
  titan.return
}
