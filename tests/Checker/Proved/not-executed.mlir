// What the search has not executed is not accepted by a proof, which leaves to it what hangs neither on sizes nor on
// iterations: of whom an operation asks that they execute it, registers, lanes that meet.
//
// RUN: not titan check %s 2>&1 | FileCheck %s
// CHECK: error: [undecided] no sizes were found under which this is executed
// Executed for n = 3, it is proved.
// VARIANT three: in when `%rare` -> `%three`
// RUN: %variant three %s | titan check - --require=proved | FileCheck %s --check-prefix=PROVED
// PROVED: proved, for every size

!data = !titan.global<?xf32>

titan.kernel @rare(%X: !data, %n: i64) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 5}, X = "M zeros", n = 3 : i64}} launch {
  %some = titan.dim %X, 0 : !data
  titan.launch grid(%some) with(%some : index)
} body(%some: index) {
  // n = 123457 alone.
  %rare = arith.constant 15241630849 : i64
  %three = arith.constant 9 : i64
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %square = arith.muli %n, %n : i64
  %is = arith.cmpi eq, %square, %rare : i64 // @when
  scf.if %is {
    titan.elect {
      titan.st %f1, %X[%cta] : f32, !data
    }
  }
  titan.return
}
