// Fewer elements than a warp has lanes: several lanes hold each.
// A histogram's row is shorter than its word of bits.
// RUN: %python %S/Inputs/converted.py titan %s --num-warps 1 x=16:ints:1 h=8:poison n=3
// RUN: %python %S/Inputs/converted.py titan %s --num-warps 4 x=16:ints:2 h=8:poison n=3
// Between a load and a store of the same place, and round a loop, all of them have loaded (and converted.py checks the kernel).
// RUN: titan compile %s --num-warps 1 --emit=titan -o - | FileCheck %s --check-prefix=LOOP
// LOOP: titan.global.load
// LOOP: titan.cta_sync
// LOOP: titan.global.store
// LOOP: scf.for
// LOOP: titan.cta_sync
// LOOP: titan.global.load
// LOOP: titan.cta_sync
// LOOP: titan.global.store
tt.func public @few(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %h: !tt.ptr<i32>, %n: i32) {
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %s = tt.splat %x : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %p = tt.addptr %s, %i : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %v = tt.load %p : tensor<16x!tt.ptr<i32>>
  %w = arith.addi %v, %v : tensor<16xi32>
  tt.store %p, %w : tensor<16x!tt.ptr<i32>>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %q = %c0 to %n step %c1 : i32 {
    %a = tt.load %p : tensor<16x!tt.ptr<i32>>
    %b = arith.addi %a, %i : tensor<16xi32>
    tt.store %p, %b : tensor<16x!tt.ptr<i32>>
  }
  %seven = arith.constant dense<7> : tensor<16xi32>
  %k = arith.andi %v, %seven : tensor<16xi32>
  %c = tt.histogram %k : tensor<16xi32> -> tensor<8xi32>
  %j = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %t = tt.splat %h : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %u = tt.addptr %t, %j : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %u, %c : tensor<8x!tt.ptr<i32>>
  tt.return
}
