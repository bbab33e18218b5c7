// Sine and cosine of one number take multiples of pi/2 off once; a number from 2^50 on crosses the branch in the place of its rest, and of
// what only the branch needs nothing else is kept; the branch takes one register's number after the other (47 registers a thread without
// that, 84 without all of it).
// RUN: %python %S/Inputs/converted.py titan %s --num-warps 4 --bound 3e-7 angle=1024:random:7 a=1024:random:8 b=1024:random:9 y=1024:poison
// RUN: titan compile %s --num-warps 4 --check=off --emit=titan -o - | FileCheck %s
// CHECK: %[[PLACE:.*]] = arith.select {{.*}}xf32
// CHECK-NEXT: titan.any
// CHECK-NEXT: scf.if
// CHECK-NEXT: arith.bitcast %[[PLACE]]
// CHECK: {titan.one_by_one}
// CHECK-NOT: titan.any
// RUN: %if ptxas %{ titan compile %s --num-warps 4 --check=off --emit=ptx -o %t.ptx && ptxas -arch=sm_90a -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=REGISTERS %}
// REGISTERS: Used {{([123]?[0-9]|40)}} registers
tt.func public @turn(%angle: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %a: !tt.ptr<f32> {tt.divisibility = 16 : i32},
    %b: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %pangle = tt.splat %angle : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %qangle = tt.addptr %pangle, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %vangle = tt.load %qangle : tensor<1024x!tt.ptr<f32>>
  // Half of them are large.
  %far = arith.constant dense<2251799813685248.0> : tensor<1024xf32>
  %x = arith.mulf %vangle, %far : tensor<1024xf32>
  %cos = math.cos %x : tensor<1024xf32>
  %sin = math.sin %x : tensor<1024xf32>
  %pa = tt.splat %a : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %qa = tt.addptr %pa, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %va = tt.load %qa : tensor<1024x!tt.ptr<f32>>
  %pb = tt.splat %b : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %qb = tt.addptr %pb, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %vb = tt.load %qb : tensor<1024x!tt.ptr<f32>>
  %py = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %qy = tt.addptr %py, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %ac = arith.mulf %va, %cos : tensor<1024xf32>
  %bs = arith.mulf %vb, %sin : tensor<1024xf32>
  %turned = arith.subf %ac, %bs : tensor<1024xf32>
  tt.store %qy, %turned : tensor<1024x!tt.ptr<f32>>
  tt.return
}
