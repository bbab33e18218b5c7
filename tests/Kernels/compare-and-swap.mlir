// A compare and swap changes the element where it holds what is compared, bit for bit, and yields what was there.
// RUN: titan run %s | FileCheck %s
// CHECK: @swap: ran

titan.kernel @swap(%F: !titan.global<?xf32>) warps(1) attributes {titan.example = {F = "2 zeros"}} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.elect {
    %0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %minus = arith.constant -0.0 : f32
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %a = titan.atom exch %one where(%minus : f32), %F[%0] : f32, !titan.global<?xf32> -> f32
    %b = titan.atom exch %one where(%zero : f32), %F[%0] : f32, !titan.global<?xf32> -> f32
    %c = titan.atom exch %two where(%zero : f32), %F[%0] sem(acq_rel) : f32, !titan.global<?xf32> -> f32
    %d = titan.ld %F[%0] : !titan.global<?xf32> -> f32
    %a_same = arith.cmpf oeq, %a, %zero : f32
    titan.assert %a_same, "the first one finds 0"
    %b_same = arith.cmpf oeq, %b, %zero : f32
    titan.assert %b_same, "-0 is another number: the second one finds 0, too"
    %c_same = arith.cmpf oeq, %c, %one : f32
    titan.assert %c_same, "the second one left 1"
    %d_same = arith.cmpf oeq, %d, %one : f32
    titan.assert %d_same, "the third one changed nothing"
  }
  titan.return
}
