// Results that PTX approximates, moved within its bounds: a tolerance that is too tight for
// the hardware is seen in a run.
// RUN: titan run %s --kernel tight | FileCheck %s --check-prefix=EXACT
// EXACT: @tight: verified
// RUN: not titan run %s --kernel tight --approx=high 2>&1 | FileCheck %s --check-prefix=HIGH
// HIGH: error: [reference-mismatch] {{[0-9]+}} of 512 elements of Y are wrong
// HIGH-SAME: with --approx=high
// HIGH: fix: where the run with --approx=exact is right, allow by titan.bound
// RUN: not titan run %s --kernel tight --approx=low 2>&1 | FileCheck %s --check-prefix=LOW
// LOW: error: [reference-mismatch]
// RUN: not titan run %s --kernel tight --approx=random:3 2>&1 | FileCheck %s --check-prefix=LOW
//
// One that the instruction keeps holds for all of them, and the report says what was done.
// RUN: titan run %s --kernel wide --approx=exact | FileCheck %s --check-prefix=WIDE
// RUN: titan run %s --kernel wide --approx=high | FileCheck %s --check-prefixes=WIDE,SAYS
// RUN: titan run %s --kernel wide --approx=low | FileCheck %s --check-prefix=WIDE
// RUN: titan run %s --kernel wide --approx=random:3 | FileCheck %s --check-prefix=WIDE
// WIDE: @wide: verified
// SAYS-SAME: approximations high
//
// RUN: not titan run %s --kernel wide --approx=roughly 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG: error: --approx: 'roughly'  [bad-argument]

#row = #titan.blocked<elements = [1, 4], lanes = [4, 8], warps = [4, 1]>
!tile = tensor<16x32xf32, #row>
!index = tensor<16x32xi32, #row>
!matrix = !titan.global<?x?xf32>

// Half a unit in the last place is too little for ex2.approx.
func.func private @half_ulp(%X: memref<?x?xf32> {titan.input = "X"}, %Y: memref<?x?xf64> {titan.expected = "Y"}) {
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]} ins(%X : memref<?x?xf32>) outs(%Y : memref<?x?xf64>) {
  ^bb0(%x: f32, %y: f64):
    %w = arith.extf %x : f32 to f64
    %e = math.exp2 %w : f64
    linalg.yield %e : f64
  }
  return
}

// 2 units and a half are not.
func.func private @two_ulp(%X: memref<?x?xf32> {titan.input = "X"}, %Y: memref<?x?xf64> {titan.expected = "Y"},
                           %E: memref<?x?xf64> {titan.bound = "Y"}) {
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]} ins(%X : memref<?x?xf32>) outs(%Y, %E : memref<?x?xf64>, memref<?x?xf64>) {
  ^bb0(%x: f32, %y: f64, %b: f64):
    %w = arith.extf %x : f32 to f64
    %e = math.exp2 %w : f64
    %unit = arith.constant 3.0e-7 : f64
    %bound = arith.mulf %e, %unit : f64
    linalg.yield %e, %bound : f64, f64
  }
  return
}

titan.kernel @tight(%X: !matrix, %Y: !matrix) warps(4) attributes {
  titan.example = {X = "16x32 random:4", Y = "16x32"}, titan.reference = @half_ulp
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  func.call @exp2(%X, %Y) : (!matrix, !matrix) -> ()
  titan.return
}

titan.kernel @wide(%X: !matrix, %Y: !matrix) warps(4) attributes {
  titan.example = {X = "16x32 random:4", Y = "16x32"}, titan.reference = @two_ulp
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  func.call @exp2(%X, %Y) : (!matrix, !matrix) -> ()
  titan.return
}

func.func private @exp2(%X: !matrix, %Y: !matrix) {
  %i = titan.coordinate 0 : !index
  %j = titan.coordinate 1 : !index
  %x = titan.global.load %X[%i, %j] : !matrix, !index, !index -> !tile
  %y = math.exp2 %x : !tile
  titan.global.store %y, %Y[%i, %j] : !tile, !matrix, !index, !index
  return
}
