// Each refusal of the tt dialect's verifiers.
// RUN: titan-opt %s -split-input-file -verify-diagnostics
tt.func @f() {
  // expected-error-re @+1 {{[tt-shape] {{.*}}makes a tensor of rank 1}}
  %0 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<8xi32>
  tt.return
}
// -----
tt.func @f() {
  // expected-error-re @+1 {{[tt-attribute] {{.*}}is empty}}
  %0 = tt.make_range {end = 4 : i32, start = 4 : i32} : tensor<1xi32>
  tt.return
}
// -----
tt.func @f() {
  // expected-error-re @+1 {{[tt-type] {{.*}}a range is of i32}}
  %0 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi64>
  tt.return
}
// -----
tt.func @f(%i: i32) {
  // expected-error-re @+1 {{[tt-shape] {{.*}}no power of two}}
  %0 = tt.splat %i : i32 -> tensor<12xi32>
  tt.return
}
// -----
tt.func @f(%i: i32) {
  // expected-error-re @+1 {{[tt-shape] {{.*}}more than 2^20 elements}}
  %0 = tt.splat %i : i32 -> tensor<2097152xi32>
  tt.return
}
// -----
tt.func @f(%i: i32) {
  // expected-error-re @+1 {{[tt-shape] {{.*}}not static}}
  %0 = tt.splat %i : i32 -> tensor<?xi32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>) {
  // expected-error-re @+1 {{[tt-shape] {{.*}}more than the one element}}
  %0 = tt.unsplat %t : tensor<4x8xf32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>) {
  // expected-error-re @+1 {{[tt-attribute] {{.*}}axis 3}}
  %0 = tt.expand_dims %t {axis = 3 : i32} : tensor<4x8xf32> -> tensor<4x8x1xf32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>) {
  // expected-error-re @+1 {{[tt-shape] {{.*}}does not make}}
  %0 = tt.expand_dims %t {axis = 0 : i32} : tensor<4x8xf32> -> tensor<4x8x1xf32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>) {
  // expected-error-re @+1 {{[tt-shape] {{.*}}different numbers of elements}}
  %0 = tt.reshape %t : tensor<4x8xf32> -> tensor<16xf32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>) {
  // expected-error-re @+1 {{[tt-shape] {{.*}}only dimensions of size 1}}
  %0 = tt.broadcast %t : tensor<4x8xf32> -> tensor<8x8xf32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>) {
  // expected-error-re @+1 {{[tt-shape] {{.*}}different ranks}}
  %0 = tt.broadcast %t : tensor<4x8xf32> -> tensor<1x4x8xf32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>) {
  // expected-error-re @+1 {{[tt-attribute] {{.*}}no permutation}}
  %0 = tt.trans %t {order = array<i32: 1, 1>} : tensor<4x8xf32> -> tensor<8x4xf32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>) {
  // expected-error-re @+1 {{[tt-shape] {{.*}}does not make}}
  %0 = tt.trans %t {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<4x8xf32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>) {
  // expected-error-re @+1 {{[tt-shape] {{.*}}do not make}}
  %0 = tt.cat %t, %t : tensor<4x8xf32> -> tensor<4x8xf32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>) {
  // expected-error-re @+1 {{[tt-shape] {{.*}}do not make}}
  %0 = tt.join %t, %t : tensor<4x8xf32> -> tensor<2x4x8xf32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>) {
  // expected-error-re @+1 {{[tt-shape] {{.*}}does not make two}}
  %0, %1 = tt.split %t : tensor<4x8xf32> -> tensor<4x4xf32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>, %k: tensor<4x8xi32>) {
  // expected-error-re @+1 {{[tt-attribute] {{.*}}axis 2}}
  %0 = tt.gather %t[%k] {axis = 2 : i32} : (tensor<4x8xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>, %k: tensor<4x8xi32>) {
  // expected-error-re @+1 {{[tt-shape] {{.*}}does not make}}
  %0 = tt.gather %t[%k] {axis = 0 : i32} : (tensor<4x8xf32>, tensor<4x8xi32>) -> tensor<8x4xf32>
  tt.return
}
// -----
tt.func @f(%h: tensor<8x4xf32>, %k: tensor<4x8xi32>) {
  // expected-error-re @+1 {{[tt-shape] {{.*}}is larger than the source's}}
  %0 = tt.gather %h[%k] {axis = 0 : i32} : (tensor<8x4xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>
  tt.return
}
// -----
tt.func @f(%k: tensor<4x8xi32>) {
  // expected-error-re @+1 {{[tt-shape] {{.*}}of rank 1}}
  %0 = tt.histogram %k : tensor<4x8xi32> -> tensor<16xi32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>) {
  // expected-error-re @+1 {{[tt-type] {{.*}}32 bits are not 64}}
  %0 = tt.bitcast %t : tensor<4x8xf32> -> tensor<4x8xi64>
  tt.return
}
// -----
tt.func @f(%p: !tt.ptr<f32>) {
  // expected-error-re @+1 {{[tt-type] {{.*}}tt.ptr_to_int}}
  %0 = tt.bitcast %p : !tt.ptr<f32> -> i64
  tt.return
}
// -----
tt.func @f(%p: !tt.ptr<f32>) {
  // expected-error-re @+1 {{[tt-type] {{.*}}the address space stays}}
  %0 = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<f32, 3>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>) {
  // expected-error-re @+1 {{[tt-attribute] {{.*}}does not say how}}
  %0 = tt.fp_to_fp %t : tensor<4x8xf32> -> tensor<4x8xf16>
  tt.return
}
// -----
tt.func @f(%i: i32, %l: i64, %p: !tt.ptr<f32>) {
  // expected-error-re @+1 {{[tt-pointer] {{.*}}but shape 1}}
  %0 = tt.make_tensor_ptr %p, [%l], [%l], [%i] {order = array<i32: 1, 0>} : <tensor<4x8xf32>>
  tt.return
}
// -----
tt.func @f(%i: i32, %b: !tt.ptr<tensor<4x8xf32>>) {
  // expected-error-re @+1 {{[tt-pointer] {{.*}}1 offsets}}
  %0 = tt.advance %b, [%i] : <tensor<4x8xf32>>
  tt.return
}
// -----
tt.func @f(%p: !tt.ptr<f32>) {
  // expected-error-re @+1 {{[tt-pointer] {{.*}}belong to block pointers}}
  %0 = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<f32>
  tt.return
}
// -----
tt.func @f(%b: !tt.ptr<tensor<4x8xf32>>) {
  // expected-error-re @+1 {{[tt-attribute] {{.*}}dimension 2}}
  %0 = tt.load %b {boundaryCheck = array<i32: 2>} : !tt.ptr<tensor<4x8xf32>>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>, %m: tensor<4x8xi1>, %b: !tt.ptr<tensor<4x8xf32>>) {
  // expected-error-re @+1 {{[tt-pointer] {{.*}}no mask}}
  tt.store %b, %t, %m : !tt.ptr<tensor<4x8xf32>>
  tt.return
}
// -----
tt.func @f(%i: i32, %q: !tt.ptr<i32>) {
  // expected-error-re @+1 {{[tt-type] {{.*}}are added by fadd}}
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %q, %i : (!tt.ptr<i32>, i32) -> i32
  tt.return
}
// -----
tt.func @f(%l: i64, %q: !tt.ptr<i32>) {
  // expected-error-re @+1 {{[tt-type] {{.*}}points to}}
  %0 = tt.atomic_rmw add, relaxed, gpu, %q, %l : (!tt.ptr<i32>, i64) -> i64
  tt.return
}
// -----
tt.func @f(%i: i32, %l: i64, %q: !tt.ptr<i32>) {
  // expected-error-re @+1 {{[tt-type] {{.*}}are of one type}}
  %0 = tt.atomic_cas relaxed, gpu, %q, %i, %l : (!tt.ptr<i32>, i32, i64) -> i64
  tt.return
}
// -----
tt.func @f(%l: i64, %q: !tt.ptr<i32>) {
  // expected-error-re @+1 {{[tt-type] {{.*}}points to}}
  %0 = tt.atomic_cas relaxed, gpu, %q, %l, %l : (!tt.ptr<i32>, i64, i64) -> i64
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>) {
  // expected-error-re @+1 {{[tt-shape] {{.*}}does not make}}
  %0 = tt.dot %t, %t, %t : tensor<4x8xf32> * tensor<4x8xf32> -> tensor<4x8xf32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>, %k: tensor<4x8xi32>) {
  // expected-error-re @+1 {{[tt-type] {{.*}}all are integers or none}}
  %0 = tt.dot %t, %k, %t : tensor<4x8xf32> * tensor<4x8xi32> -> tensor<4x8xf32>
  tt.return
}
// -----
tt.func @f(%t: tensor<8x8xf32>, %half: tensor<8x8xf16>, %eight: tensor<8x8xf8E5M2>) {
  // expected-error-re @+1 {{[tt-type] {{.*}}operands have one width}}
  %0 = tt.dot %half, %eight, %t : tensor<8x8xf16> * tensor<8x8xf8E5M2> -> tensor<8x8xf32>
  tt.return
}
// -----
tt.func @f(%a8: tensor<4x64xi8>, %b8: tensor<64x4xi8>, %t8: tensor<4x8xi8>, %c: tensor<4x4xf32>) {
  // expected-error-re @+1 {{[tt-shape] {{.*}}rows of one for each}}
  %0 = tt.dot_scaled %a8 scale %t8, %b8, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<4x64xi8>, tensor<4x8xi8> * tensor<64x4xi8> -> tensor<4x4xf32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>, %a8: tensor<4x64xi8>, %b8: tensor<64x4xi8>) {
  // expected-error-re @+1 {{[tt-shape] {{.*}}does not make}}
  %0 = tt.dot_scaled %a8, %b8, %t lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<4x64xi8> * tensor<64x4xi8> -> tensor<4x8xf32>
  tt.return
}
// -----
tt.func @f(%i: i32) {
  // expected-error-re @+1 {{[tt-call] {{.*}}there is no tt.func}}
  tt.call @none(%i) : (i32) -> ()
  tt.return
}
// -----
tt.func @f(%i: i32) {
  // expected-error-re @+1 {{[tt-call] {{.*}}is of type}}
  tt.call @f(%i, %i) : (i32, i32) -> ()
  tt.return
}
// -----
tt.func @f(%i: i32) {
  // expected-error-re @+1 {{[tt-call] {{.*}}returns}}
  tt.return %i : i32
}
// -----
tt.func @f(%i: i32) {
  // expected-error @+1 {{[tt-attribute]}}
  tt.print "x" {hex = false, isSigned = array<i32>, tt.divisibility = dense<0> : tensor<1xi32>}
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xi32>) {
  // expected-error-re @+1 {{[tt-attribute] {{.*}}has 1 numbers, and 'tensor<4x8xi32>' takes 2}}
  %0 = arith.addi %t, %t {tt.divisibility = dense<16> : tensor<1xi32>} : tensor<4x8xi32>
  tt.return
}
// -----
// expected-error-re @+1 {{[tt-attribute] {{.*}}has 2 numbers, and 'i32' takes 1}}
tt.func @f(%i: i32 {tt.divisibility = dense<16> : tensor<2xi32>}) {
  tt.return
}
// -----
// expected-error-re @+1 {{[tt-attribute] {{.*}}has 2 numbers, and 'i32' takes 1}}
func.func @f(%i: i32 {tt.divisibility = dense<16> : tensor<2xi32>}) {
  return
}
// -----
tt.func @f(%t: tensor<4x8xi32>) {
  // expected-error-re @+1 {{[tt-attribute] {{.*}}one positive i32}}
  %0 = arith.addi %t, %t {tt.divisibility = 16 : ui32} : tensor<4x8xi32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>) {
  // expected-error-re @+1 {{[tt-attribute] {{.*}}no multiple of 3}}
  %0 = tt.elementwise_inline_asm "" {constraints = "", packed_element = 3 : i32, pure = true} %t : tensor<4x8xf32> -> tensor<4x8xf32>
  tt.return
}
// -----
tt.func @f(%i: i32, %l: i64, %p: !tt.ptr<f32>) {
  // expected-error-re @+1 {{[tt-descriptor] {{.*}}1 sizes and 1 strides}}
  %0 = tt.make_tensor_descriptor %p, [%i], [%l] : <f32>, <tensor<4x8xf32>>
  tt.return
}
// -----
tt.func @f(%i: i32, %l: i64, %q: !tt.ptr<i32>) {
  // expected-error-re @+1 {{[tt-descriptor] {{.*}}the base points to}}
  %0 = tt.make_tensor_descriptor %q, [%i], [%l] : <i32>, <tensor<8xf32>>
  tt.return
}
// -----
tt.func @f(%i: i32, %d: !tt.tensordesc<tensor<4x8xf32>>) {
  // expected-error-re @+1 {{[tt-descriptor] {{.*}}1 indices}}
  %0 = tt.descriptor_load %d[%i] : !tt.tensordesc<tensor<4x8xf32>> -> tensor<4x8xf32>
  tt.return
}
// -----
tt.func @f(%i: i32, %d: !tt.tensordesc<tensor<4x8xf32>>) {
  // expected-error-re @+1 {{[tt-descriptor] {{.*}}the block is}}
  %0 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<4x8xf32>> -> tensor<4x4xf32>
  tt.return
}
// -----
tt.func @f(%i: i32, %k: tensor<4x8xi32>, %d: !tt.tensordesc<tensor<4x8xf32>>) {
  // expected-error-re @+1 {{[tt-descriptor] {{.*}}the block is}}
  tt.descriptor_store %d[%i, %i], %k : !tt.tensordesc<tensor<4x8xf32>>, tensor<4x8xi32>
  tt.return
}
// -----
tt.func @f(%i: i32, %t: tensor<4x8xf32>, %d: !tt.tensordesc<tensor<4x8xf32>>) {
  // expected-error-re @+1 {{[tt-descriptor] {{.*}}1 indices}}
  tt.descriptor_reduce add, %d[%i], %t : !tt.tensordesc<tensor<4x8xf32>>, tensor<4x8xf32>
  tt.return
}
// -----
tt.func @f(%i: i32, %d: !tt.tensordesc<tensor<4x8xf32>>, %o: tensor<4xi32>) {
  // expected-error-re @+1 {{[tt-descriptor] {{.*}}which has one row}}
  %0 = tt.descriptor_gather %d[%o, %i] : (!tt.tensordesc<tensor<4x8xf32>>, tensor<4xi32>, i32) -> tensor<4x8xf32>
  tt.return
}
// -----
tt.func @f(%i: i32, %t: tensor<4x8xf32>, %d: !tt.tensordesc<tensor<4x8xf32>>, %o: tensor<4xi32>) {
  // expected-error-re @+1 {{[tt-descriptor] {{.*}}which has one row}}
  tt.descriptor_scatter %d[%o, %i], %t : !tt.tensordesc<tensor<4x8xf32>>, tensor<4xi32>, i32, tensor<4x8xf32>
  tt.return
}
// -----
// expected-error @+1 {{[tt-attribute]}}
tt.func @f(%p: !tt.ptr<f32> {tt.divisibility = -4 : i32}) {
  tt.return
}
// -----
// expected-error @+1 {{[tt-type] a pointer points to}}
tt.func private @f(!tt.ptr<index>)
// -----
// expected-error @+1 {{[tt-shape] a block has a static shape}}
tt.func private @f(!tt.ptr<tensor<?xf32>>)
// -----
// expected-error @+1 {{[tt-descriptor] a descriptor's block}}
tt.func private @f(!tt.tensordesc<tensor<?xf32>>)
// -----
tt.func @f(%t: tensor<4x8xf32>) {
  // expected-error @+1 {{[tt-attribute] axis 2 of a tensor}}
  %0 = "tt.reduce"(%t) <{axis = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<4x8xf32>) -> tensor<4xf32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>) {
  // expected-error @+1 {{[tt-shape] 'tensor<4x8xf32>' without dimension 1}}
  %0 = "tt.reduce"(%t) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<4x8xf32>) -> tensor<8xf32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>) {
  // expected-error @+1 {{[tt-type] 'tensor<4x8xf32>' does not make}}
  %0 = "tt.reduce"(%t) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<4x8xf32>) -> tensor<4xi32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>) {
  // expected-error @+1 {{[tt-region] the region takes the elements of 1 tensors twice}}
  %0 = "tt.reduce"(%t) <{axis = 1 : i32}> ({
  ^bb0(%a: f32):
    tt.reduce.return %a : f32
  }) : (tensor<4x8xf32>) -> tensor<4xf32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>) {
  // expected-error @+1 {{[tt-region] the region yields}}
  %0 = "tt.reduce"(%t) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a, %b : f32, f32
  }) : (tensor<4x8xf32>) -> tensor<4xf32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>) {
  // expected-error @+1 {{[tt-attribute] axis -1 of a tensor}}
  %0 = "tt.scan"(%t) <{axis = -1 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.scan.return %s : f32
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>) {
  // expected-error @+1 {{[tt-attribute] pack is a power of two}}
  %0 = "tt.map_elementwise"(%t) <{pack = 3 : i32}> ({
  ^bb0(%a: f32):
    tt.map_elementwise.return %a : f32
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>) {
  // expected-error @+1 {{[tt-region] the region takes}}
  %0 = "tt.map_elementwise"(%t) <{pack = 2 : i32}> ({
  ^bb0(%a: f32):
    tt.map_elementwise.return %a : f32
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>) {
  %0 = "tt.map_elementwise"(%t) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
    // expected-error @+1 {{[tt-region] the region yields}}
    tt.map_elementwise.return %a, %a : f32, f32
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  tt.return
}
// -----
tt.func @f(%t: tensor<4x8xf32>, %p: !tt.ptr<f32>) {
  // expected-error @+1 {{[tt-region] the region writes no memory}}
  %0 = "tt.map_elementwise"(%t) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
    tt.store %p, %a : !tt.ptr<f32>
    tt.map_elementwise.return %a : f32
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  tt.return
}
