// Functions of libdevice are of the types that their names say (include/titan/Dialect/Triton/DeviceFunctions.h).
// RUN: titan run %s --shape out=48 --arg out=poison --out out=%t.npy
// RUN: %python -c "import struct; print(struct.unpack('<48i', open(r'%t.npy', 'rb').read()[-192:]))" | FileCheck %s
// isnan, isinf, signbit, finite of 1, -2, infinity, -infinity, NaN, -0, 0 and 3; the next ones towards 0; powers of 10.
// CHECK: (0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1,
// CHECK-SAME: 1065353215, -1073741825, 2139095039, -8388609, {{[0-9-]+}}, 0, 0, 1077936127,
// CHECK-SAME: 1092616192, 1008981770, 2139095040, 0, {{[0-9-]+}}, 1065353216, 1065353216, 1148846080)
tt.func public @tests(%out: !tt.ptr<i32>) {
  %x = arith.constant dense<[1.0, -2.0, 0x7F800000, 0xFF800000, 0x7FC00000, -0.0, 0.0, 3.0]> : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %a = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_isnanf"} : (tensor<8xf32>) -> tensor<8xi32>
  %b = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_isinff"} : (tensor<8xf32>) -> tensor<8xi32>
  %c = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_signbitf"} : (tensor<8xf32>) -> tensor<8xi32>
  %d = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_finitef"} : (tensor<8xf32>) -> tensor<8xi32>
  %next = tt.extern_elementwise %x, %zero {libname = "", libpath = "", pure = true, symbol = "__nv_nextafterf"} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %e = tt.bitcast %next : tensor<8xf32> -> tensor<8xi32>
  %power = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_exp10f"} : (tensor<8xf32>) -> tensor<8xf32>
  %f = tt.bitcast %power : tensor<8xf32> -> tensor<8xi32>
  %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %p = tt.splat %out : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %p0 = tt.addptr %p, %i : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %eight = arith.constant dense<8> : tensor<8xi32>
  %p1 = tt.addptr %p0, %eight : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %p2 = tt.addptr %p1, %eight : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %p3 = tt.addptr %p2, %eight : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %p4 = tt.addptr %p3, %eight : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %p5 = tt.addptr %p4, %eight : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %p0, %a : tensor<8x!tt.ptr<i32>>
  tt.store %p1, %b : tensor<8x!tt.ptr<i32>>
  tt.store %p2, %c : tensor<8x!tt.ptr<i32>>
  tt.store %p3, %d : tensor<8x!tt.ptr<i32>>
  tt.store %p4, %e : tensor<8x!tt.ptr<i32>>
  tt.store %p5, %f : tensor<8x!tt.ptr<i32>>
  tt.return
}
