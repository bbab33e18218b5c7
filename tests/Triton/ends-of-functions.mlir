// Functions that are written out, where their polynomials end.
// RUN: titan compile %s --num-warps 1 --emit=titan -o %t.mlir --check=off
// RUN: titan run %t.mlir --shape out=8 --out out=%t.npy --shape near=8 --out near=%t.near.npy
// RUN: %python -c "import struct; print(struct.unpack('<8f', open(r'%t.npy', 'rb').read()[-32:]))" | FileCheck %s
// RUN: %python -c "import struct; print(struct.unpack('<8f', open(r'%t.near.npy', 'rb').read()[-32:]))" | FileCheck %s --check-prefix=TANH
// log1p: infinity, the largest number, 1.5 * 2^126 and the one below, -1, -2, the smallest of all and 0.
// CHECK: (inf, 88.722{{[0-9]*}}, 87.742{{[0-9]*}}, 87.742{{[0-9]*}}, -inf, nan, 1.401298464324817e-45, 0.0)
// tanh of them.
// TANH: (1.0, 1.0, 1.0, 1.0, -0.76159{{[0-9]*}}, -0.96402{{[0-9]*}}, 1.401298464324817e-45, 0.0)
tt.func public @f(%out: !tt.ptr<f32>, %near: !tt.ptr<f32>) {
  %x = arith.constant dense<[0x7F800000, 0x7F7FFFFF, 0x7EC00000, 0x7EBFFFFF, -1.0, -2.0, 0x00000001, 0.0]> : tensor<8xf32>
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %l = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_log1pf"} : (tensor<8xf32>) -> tensor<8xf32>
  %t = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"} : (tensor<8xf32>) -> tensor<8xf32>
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %q = tt.addptr %p, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %q, %l : tensor<8x!tt.ptr<f32>>
  %r = tt.splat %near : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %s = tt.addptr %r, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %s, %t : tensor<8x!tt.ptr<f32>>
  tt.return
}
