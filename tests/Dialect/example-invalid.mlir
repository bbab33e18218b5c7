// What titan.example and titan.reference cannot say.
//
// RUN: titan-opt %s --split-input-file --verify-diagnostics

// expected-error@+2 {{[example-invalid] titan.example: it is a dictionary}}
// expected-note@+1 {{fix: titan.example = {sizes = {M = 300}}}
titan.kernel @text(%X: !titan.global<?xf32>) warps(1) attributes {titan.example = "4"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.return
}

// -----

// expected-error@+2 {{[example-invalid] titan.example: @unknown has no argument 'scal'}}
// expected-note@+1 {{fix: did you mean scale? there are X, scale, sizes, multiprocessor_count}}
titan.kernel @unknown(%X: !titan.global<?xf32>, %scale: f32) warps(1) attributes {titan.example = {scal = 1.0 : f32}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.return
}

// -----

// expected-error@+2 {{[example-invalid] titan.example: X: 'rand:1' makes no data}}
// expected-note@+1 {{fix: did you mean random:SEED? there are random:SEED, ints:SEED, steps:N, fill:N, zeros, poison, FILE.npy}}
titan.kernel @generator(%X: !titan.global<?xf32>) warps(1) attributes {titan.example = {X = "8 rand:1"}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.return
}

// -----

// expected-error@+2 {{[example-invalid] titan.example: X: random:1 makes no data of type i32}}
// expected-note@+1 {{fix: use ints:SEED}}
titan.kernel @integers(%X: !titan.global<?xi32>) warps(1) attributes {titan.example = {X = "8 random:1"}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.return
}

// -----

// expected-error@+2 {{[example-invalid] titan.example: X: 'Q' is neither a number nor one of its sizes}}
// expected-note@+1 {{fix: there are K, M}}
titan.kernel @size(%X: !titan.global<?x?xf32>) warps(1) attributes {titan.example = {sizes = {M = 8, K = 8}, X = "MxQ"}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.return
}

// -----

// expected-error@+2 {{[example-invalid] titan.example: X: the shape 8x8 has 2 dimensions, the tensor 1}}
// expected-note@+1 {{fix: write the shape}}
titan.kernel @rank(%X: !titan.global<?xf32>) warps(1) attributes {titan.example = {X = "8x8"}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.return
}

// -----

// expected-error@+2 {{[example-invalid] titan.example: X: 'zeros', and random:1 is there already}}
// expected-note@+1 {{fix: give each tensor one of them}}
titan.kernel @twice(%X: !titan.global<?xf32>) warps(1) attributes {titan.example = {X = "8 random:1 zeros"}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.return
}

// -----

// expected-error@+2 {{[example-invalid] titan.example: the size M is no number from 0 to 2^39}}
// expected-note@+1 {{fix: sizes = {M = 300}}}
titan.kernel @sizes(%X: !titan.global<?xf32>) warps(1) attributes {titan.example = {sizes = {M = "8"}, X = "M"}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.return
}

// -----

// expected-error@+2 {{[example-invalid] titan.example: multiprocessor_count is no number from 1 to 2^19}}
// expected-note@+1 {{fix: multiprocessor_count = 4}}
titan.kernel @device(%X: !titan.global<?xf32>) warps(1) attributes {titan.example = {X = "8", multiprocessor_count = 0}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.return
}

// -----

// expected-error@+2 {{[example-invalid] titan.example: scale is a scalar, and has a number}}
// expected-note@+1 {{fix: scale = 1.5 : f32}}
titan.kernel @scalar(%scale: f32) warps(1) attributes {titan.example = {scale = "1.5"}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.return
}

// -----

// expected-error@+2 {{[example-invalid] titan.example: n is no number of i32}}
// expected-note@+1 {{fix: n = 2 : i32}}
titan.kernel @wide(%n: i32) warps(1) attributes {titan.example = {n = 36893488147419103232 : i128}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.return
}

// -----

// expected-error@+2 {{[example-invalid] titan.example: X is a tensor, and has a text}}
// expected-note@+1 {{fix: write the shape}}
titan.kernel @tensor(%X: !titan.global<?xf32>) warps(1) attributes {titan.example = {X = 8}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.return
}

// -----

// expected-error@+2 {{[reference-invalid] there is no function @sum_referense}}
// expected-note@+1 {{fix: did you mean @sum_reference?}}
titan.kernel @reference(%X: !titan.global<?xf32>) warps(1) attributes {titan.reference = @sum_referense} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.return
}
func.func private @sum_reference(%X: memref<?xf32> {titan.expected = "X"}) {
  return
}

// -----

// expected-error@+2 {{[reference-invalid] there is no function @sum}}
// expected-note@+1 {{fix: name a func.func of this file, or leave it out}}
titan.kernel @none(%X: !titan.global<?xf32>) warps(1) attributes {titan.reference = @sum} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.return
}

// -----

// expected-error@+1 {{[reference-invalid] titan.reference is @NAME}}
titan.kernel @name(%X: !titan.global<?xf32>) warps(1) attributes {titan.reference = "sum"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.return
}

// -----

titan.kernel @argument(%X: !titan.global<?xf32>, %Y: !titan.global<?xf32>) warps(1) attributes {titan.reference = @doubled} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.return
}
func.func private @doubled(
    %X: memref<?xf32> {titan.input = "X"},
    // expected-error@+2 {{[reference-invalid] titan.expected = "Z": @argument has no argument 'Z'}}
    // expected-note@+1 {{fix: there are X, Y}}
    %Y: memref<?xf32> {titan.expected = "Z"}) {
  return
}

// -----

titan.kernel @bounds(%left: !titan.global<?xf32>) warps(1) attributes {titan.reference = @halved} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.return
}
func.func private @halved(
    // expected-error@+2 {{[reference-invalid] titan.bound = "lefft": @bounds has no argument 'lefft'}}
    // expected-note@+1 {{fix: did you mean left? there are left}}
    %X: memref<?xf32> {titan.bound = "lefft"}) {
  return
}
