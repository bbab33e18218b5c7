// nextafter, signbit and exp10 of random numbers are the simulator's, bit for bit (of NaNs, that they are some): so are nextafter and
// signbit of f64.
// RUN: %python %S/Inputs/converted.py titan %s --grid 4 --num-warps 2 x=4096:random:3 y=4096:random:4 next=4096:poison wide=4096:poison signs=4096:poison power=4096:poison
tt.func public @numbers(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %next: !tt.ptr<f32>, %wide: !tt.ptr<f64>, %signs: !tt.ptr<i32>, %power: !tt.ptr<f32>) {
  %program = tt.get_program_id x : i32
  %size = arith.constant 1024 : i32
  %first = arith.muli %program, %size : i32
  %start = tt.splat %first : i32 -> tensor<1024xi32>
  %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %i = arith.addi %start, %range : tensor<1024xi32>
  %px = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %qx = tt.addptr %px, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %vx = tt.load %qx : tensor<1024x!tt.ptr<f32>>
  %py = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %qy = tt.addptr %py, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %vy = tt.load %qy : tensor<1024x!tt.ptr<f32>>
  // Every eighth is one of these, as x and, in another order, as y.
  %x8 = arith.constant dense<[0.0, -0.0, 0x00000001, 0x80000001, 0x7F800000, 0xFF800000, 0x7F7FFFFF, 0x7FC00000]> : tensor<8xf32>
  %seven = arith.constant dense<7> : tensor<1024xi32>
  %five = arith.constant dense<5> : tensor<1024xi32>
  %eight = arith.constant dense<8> : tensor<1024xi32>
  %zero = arith.constant dense<0> : tensor<1024xi32>
  %divided = arith.divui %i, %eight : tensor<1024xi32>
  %which = arith.andi %divided, %seven : tensor<1024xi32>
  %special = tt.gather %x8[%which] {axis = 0 : i32} : (tensor<8xf32>, tensor<1024xi32>) -> tensor<1024xf32>
  %by = arith.divui %divided, %eight : tensor<1024xi32>
  %other = arith.andi %by, %seven : tensor<1024xi32>
  %specialY = tt.gather %x8[%other] {axis = 0 : i32} : (tensor<8xf32>, tensor<1024xi32>) -> tensor<1024xf32>
  %place = arith.andi %i, %seven : tensor<1024xi32>
  %here = arith.cmpi eq, %place, %zero : tensor<1024xi32>
  %hereY = arith.cmpi ule, %place, %five : tensor<1024xi32>
  %a = arith.select %here, %special, %vx : tensor<1024xi1>, tensor<1024xf32>
  %b = arith.select %hereY, %specialY, %vy : tensor<1024xi1>, tensor<1024xf32>
  %n = tt.extern_elementwise %a, %b {libname = "", libpath = "", pure = true, symbol = "__nv_nextafterf"} : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
  %s = tt.extern_elementwise %a {libname = "", libpath = "", pure = true, symbol = "__nv_signbitf"} : (tensor<1024xf32>) -> tensor<1024xi32>
  %da = arith.extf %a : tensor<1024xf32> to tensor<1024xf64>
  %db = arith.extf %b : tensor<1024xf32> to tensor<1024xf64>
  %dn = tt.extern_elementwise %da, %db {libname = "", libpath = "", pure = true, symbol = "__nv_nextafter"} : (tensor<1024xf64>, tensor<1024xf64>) -> tensor<1024xf64>
  %ds = tt.extern_elementwise %dn {libname = "", libpath = "", pure = true, symbol = "__nv_signbitd"} : (tensor<1024xf64>) -> tensor<1024xi32>
  %both = arith.addi %ds, %s : tensor<1024xi32>
  // From -50 to 50: powers that are no normal numbers, and none.
  %fifty = arith.constant dense<50.0> : tensor<1024xf32>
  %far = arith.mulf %a, %fifty : tensor<1024xf32>
  %p = tt.extern_elementwise %far {libname = "", libpath = "", pure = true, symbol = "__nv_exp10f"} : (tensor<1024xf32>) -> tensor<1024xf32>
  %pn = tt.splat %next : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %qn = tt.addptr %pn, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %qn, %n : tensor<1024x!tt.ptr<f32>>
  %pw = tt.splat %wide : !tt.ptr<f64> -> tensor<1024x!tt.ptr<f64>>
  %qw = tt.addptr %pw, %i : tensor<1024x!tt.ptr<f64>>, tensor<1024xi32>
  tt.store %qw, %dn : tensor<1024x!tt.ptr<f64>>
  %ps = tt.splat %signs : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %qs = tt.addptr %ps, %i : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  tt.store %qs, %both : tensor<1024x!tt.ptr<i32>>
  %pp = tt.splat %power : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %qp = tt.addptr %pp, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %qp, %p : tensor<1024x!tt.ptr<f32>>
  tt.return
}
