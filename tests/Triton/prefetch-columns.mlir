// A load whose elements lie by columns is copied ahead to a ring by columns: its addresses turn (titan.relabel), and the
// checker follows them (RelabelPlaces in lib/Dialect/Titan/ExchangeOps.cpp).
//
// RUN: titan compile %s --check=off --emit=titan -o - | FileCheck %s
// CHECK: [[AT:%.*]] = titan.relabel {{.*}} tensor<16x64xi32, {{.*}} -> tensor<64x16xi32
// CHECK: titan.cp_async %x{{\[}}[[AT]]] {{.*}} -> <64x16xf32
// RUN: titan check %s --launch-check "x >= 1024 * n" --launch-check "out >= 1024" --launch-check "n <= 2000000" | FileCheck %s --check-prefix=VERDICT
// VERDICT: @columns: accepted
// RUN: %python %S/Inputs/converted.py titan %s x=5120:random:1 out=1024:poison n=5
module {
  tt.func public @columns(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %far = arith.constant 1024 : i32
    %none = arith.constant dense<0.0> : tensor<16x64xf32>
    %c16 = arith.constant dense<16> : tensor<1x64xi32>
    %c64 = arith.constant dense<64> : tensor<16x1xi32>
    %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %ie = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %je = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %js = arith.muli %je, %c16 : tensor<1x64xi32>
    %ib = tt.broadcast %ie : tensor<16x1xi32> -> tensor<16x64xi32>
    %jb = tt.broadcast %js : tensor<1x64xi32> -> tensor<16x64xi32>
    %columns = arith.addi %ib, %jb : tensor<16x64xi32>
    %p = tt.splat %x : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
    %sum = scf.for %k = %zero to %n step %one iter_args(%a = %none) -> (tensor<16x64xf32>) : i32 {
      %f = arith.muli %k, %far : i32
      %fs = tt.splat %f : i32 -> tensor<16x64xi32>
      %at = arith.addi %fs, %columns : tensor<16x64xi32>
      %q = tt.addptr %p, %at : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
      %v = tt.load %q : tensor<16x64x!tt.ptr<f32>>
      %b = arith.addf %a, %v : tensor<16x64xf32>
      scf.yield %b : tensor<16x64xf32>
    } {tt.num_stages = 3 : i32}
    %is = arith.muli %ie, %c64 : tensor<16x1xi32>
    %isb = tt.broadcast %is : tensor<16x1xi32> -> tensor<16x64xi32>
    %jeb = tt.broadcast %je : tensor<1x64xi32> -> tensor<16x64xi32>
    %o = arith.addi %isb, %jeb : tensor<16x64xi32>
    %r = tt.splat %out : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
    %rr = tt.addptr %r, %o : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
    tt.store %rr, %sum : tensor<16x64x!tt.ptr<f32>>
    tt.return
  }
}
