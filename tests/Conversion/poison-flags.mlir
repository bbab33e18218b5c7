// Flags that make a result poison are dropped: what is compiled computes what a run does, x * 2 / 2 modulo 2^32. Those that
// allow another rounding stay.
//
// RUN: titan compile --check=off --emit=titan %s | FileCheck %s --check-prefix=IR
// IR: titan.kernel
// IR-NOT: nsw
// IR-NOT: nnan
// IR: arith.addf %{{.*}}, %{{.*}} fastmath<contract>
// RUN: titan compile --check=off --emit=ptx %s | FileCheck %s
// CHECK: bfe.s32
// RUN: titan run %s | FileCheck %s --check-prefix=EQUAL
// EQUAL: elements equal to the reference, bit for bit

#c = #titan.blocked<elements = [1, 1], lanes = [1, 32], warps = [1, 1]>
!i = tensor<1x32xi32, #c>
!f = tensor<1x32xf32, #c>
!matrix = !titan.global<1x32xi32, strides = [32, 1]>

titan.kernel @flags(%A: !matrix, %D: !matrix) warps(1) attributes {
  titan.example = {A = "1x32 steps:100000000", D = "1x32"}, titan.reference = @wrapped
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %two = arith.constant dense<2> : !i
  %i = titan.coordinate 0 : !i
  %j = titan.coordinate 1 : !i
  %x = titan.global.load %A[%i, %j] : !matrix, !i, !i -> !i
  %d = arith.muli %x, %two overflow<nsw> : !i
  %q = arith.divsi %d, %two exact : !i
  %f = arith.sitofp %q : !i to !f
  %none = arith.constant dense<0.0> : !f
  %sum = arith.addf %f, %none fastmath<nnan, ninf, contract> : !f
  %same = arith.cmpf oeq, %sum, %f : !f
  %r = arith.select %same, %q, %two : tensor<1x32xi1, #c>, !i
  titan.global.store %r, %D[%i, %j] : !i, !matrix, !i, !i
  titan.return
}

func.func private @wrapped(%A: memref<?x?xi32> {titan.input = "A"}, %D: memref<?x?xi32> {titan.expected = "D"}) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<?x?xi32>) outs(%D : memref<?x?xi32>) {
  ^bb0(%x: i32, %y: i32):
    %two = arith.constant 2 : i32
    %d = arith.muli %x, %two : i32
    %q = arith.divsi %d, %two : i32
    linalg.yield %q : i32
  }
  return
}
