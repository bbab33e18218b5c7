// Early returns in nested branches, and a loop that has no end: kernels of both.
// RUN: titan compile %s --kernel returns --check=off --emit=ptx -o - | FileCheck %s
// CHECK: .entry returns
// RUN: %python %S/Inputs/converted.py titan %s x=4:zeros n=0
// RUN: %python %S/Inputs/converted.py titan %s x=4:zeros n=1
// RUN: %python %S/Inputs/converted.py titan %s x=4:zeros n=2
// RUN: %python %S/Inputs/converted.py titan %s x=4:zeros n=3
tt.func public @returns(%x: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.cmpi eq, %n, %c0 : i32
  cf.cond_br %zero, ^early, ^more
^early:
  tt.store %x, %c1 : !tt.ptr<i32>
  tt.return
^more:
  %one = arith.cmpi eq, %n, %c1 : i32
  cf.cond_br %one, ^inner, ^last(%c2 : i32)
^inner:
  tt.store %x, %c2 : !tt.ptr<i32>
  %p = tt.load %x : !tt.ptr<i32>
  %is = arith.cmpi eq, %p, %c2 : i32
  cf.cond_br %is, ^deep, ^last(%c3 : i32)
^deep:
  tt.return
^last(%v: i32):
  %two = arith.cmpi eq, %n, %c2 : i32
  cf.cond_br %two, ^early, ^end
^end:
  %w = arith.addi %v, %n : i32
  tt.store %x, %w : !tt.ptr<i32>
  tt.return
}
