// Attributes of titan's that there are not, and those that stand where nobody reads them.
//
// RUN: titan-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{[attribute-place] there is no attribute 'titan.exmaple'; did you mean titan.example?}}
titan.kernel @misspelt(%X: !titan.global<4xf32>) warps(1) attributes {titan.exmaple = {X = "4"}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.return
}

// -----

// expected-error@+1 {{[attribute-place] 'titan.unroll' stands on scf.for, not on titan.kernel}}
titan.kernel @elsewhere(%X: !titan.global<4xf32>) warps(1) attributes {titan.unroll} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.return
}

// -----

titan.kernel @operation(%X: !titan.global<4xf32>) warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  // expected-error@+1 {{[attribute-place] there is no attribute 'titan.nothing'}}
  titan.cta_sync {titan.nothing}
  titan.return
}

// -----

// expected-error@+1 {{[attribute-place] there is no attribute 'titan.inpt'; did you mean titan.input?}}
func.func private @reference(%X: memref<4xf32> {titan.inpt = "X"}) {
  return
}

// -----

// expected-error@+1 {{[attribute-place] 'titan.exact' stands on a reference, not on an argument}}
func.func private @reference(%X: memref<4xf32> {titan.exact}) attributes {titan.exact} {
  return
}

// -----

// expected-error@+1 {{[attribute-place] 'titan.input' stands on an argument of a reference, not on func.func}}
func.func private @reference(%X: memref<4xf32> {titan.input = "X"}) attributes {titan.input = "X"} {
  return
}
