// What a loop accumulates: each thread's own elements in the loop, and exchanges behind it.
// RUN: titan-opt %s --triton-thread-locality | FileCheck %s
// RUN: titan explain stages %s | FileCheck %s --check-prefix=STAGES
// STAGES: // ---- 2. layouts: {{.*}}what a loop accumulates is reduced by each thread in it, between threads behind it
// STAGES: scf.for {{.*}} -> (tensor<128xf32>)
// STAGES: // ---- 3. titan:
// Parts are reduced where the loop leaves them: no exchange within the loop, nor from it to what is behind it.
// RUN: titan-opt %s --triton-to-titan | FileCheck %s --check-prefix=PLACE
// PLACE-LABEL: titan.kernel @tiles
// PLACE: %[[PARTS:.*]]:2 = scf.for
// PLACE-NOT: {{ through |convert_layout}}
// PLACE: titan.reduce maxnum %[[PARTS]]#1 : tensor<64x16xf32
// PLACE: %[[TURNED:.*]] = titan.relabel %[[PARTS]]#0 : tensor<8x64xi32
// PLACE: titan.reduce add %[[TURNED]] through
// RUN: %python %S/Inputs/random_accumulations.py titan titan-opt --seed 1 --count 24 | FileCheck %s --check-prefix=RANDOM
// RANDOM: seeds 1 to 24: 24 of 24 kernels as in tt, 54 of 64 reductions behind their loops

// 2048 elements, of which each of 128 threads has four side by side, four times: twice by registers alone. No 0 goes
// in, of which the sum of nothing but -0 would be 0.
// CHECK-LABEL: @sum
// CHECK: %[[NONE:.*]] = arith.constant dense<-0.000000e+00> : tensor<128xf32>
// CHECK: %[[PARTS:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[NONE]]) -> (tensor<128xf32>)
// CHECK: %[[X:.*]] = tt.load
// CHECK: tt.reshape %[[X]] : tensor<2048xf32> -> tensor<1x4x512xf32>
// CHECK: "tt.reduce"{{.*}}axis = 1
// CHECK: (tensor<1x4x512xf32>) -> tensor<1x512xf32>
// CHECK: tt.reshape {{.*}} -> tensor<128x4x1xf32>
// CHECK: "tt.reduce"{{.*}}axis = 1
// CHECK: (tensor<128x4x1xf32>) -> tensor<128x1xf32>
// CHECK: %[[OWN:.*]] = tt.reshape {{.*}} -> tensor<128xf32>
// CHECK: %[[NEXT:.*]] = arith.addf %[[ACC]], %[[OWN]] : tensor<128xf32>
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK: %[[ALL:.*]] = "tt.reduce"(%[[PARTS]]) <{axis = 0 : i32}>
// CHECK: (tensor<128xf32>) -> f32
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %arg3, %[[ALL]] : f32
// CHECK-NEXT: tt.store %arg1, %[[SUM]]
tt.func public @sum(%x_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out_ptr: !tt.ptr<f32>, %n: i32, %init: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2048 = arith.constant 2048 : i32
  %i = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32>
  %base = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %init) -> (f32) : i32 {
    %from = arith.muli %k, %c2048 : i32
    %all = tt.splat %from : i32 -> tensor<2048xi32>
    %at = arith.addi %all, %i : tensor<2048xi32>
    %px = tt.addptr %base, %at : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
    %x = tt.load %px : tensor<2048x!tt.ptr<f32>>
    %row = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<2048xf32>) -> f32
    %next = arith.addf %acc, %row : f32
    scf.yield %next : f32
  }
  tt.store %out_ptr, %sum : !tt.ptr<f32>
  tt.return
}

// Of 64 x 64 elements, rows by warps and lanes: along columns a thread has 8, and 4 parts; along rows it has 4 side by
// side. Shapes that keep a dimension go behind the loop; what is not a number stays out, and nothing but such is none.
// CHECK-LABEL: @tiles
// CHECK-DAG: arith.constant dense<0> : tensor<8x64xi32>
// CHECK-DAG: arith.constant dense<0xFFC00000> : tensor<64x16xf32>
// CHECK: %[[PARTS:.*]]:2 = scf.for {{.*}} iter_args(%[[ADDED:.*]] = {{.*}}, %[[MOST:.*]] = {{.*}}) -> (tensor<8x64xi32>, tensor<64x16xf32>)
// CHECK: (tensor<1x8x512xi32>) -> tensor<1x512xi32>
// CHECK-NEXT: tt.reshape {{.*}} -> tensor<8x64xi32>
// CHECK-NEXT: arith.addi %{{.*}}, %[[ADDED]] : tensor<8x64xi32>
// CHECK: (tensor<1024x4x1xf32>) -> tensor<1024x1xf32>
// CHECK-NEXT: tt.reshape {{.*}} -> tensor<64x16xf32>
// CHECK-NEXT: arith.maxnumf %[[MOST]], %{{.*}} : tensor<64x16xf32>
// CHECK-NEXT: scf.yield
// CHECK: "tt.reduce"(%[[PARTS]]#1) <{axis = 1 : i32}>
// CHECK: (tensor<64x16xf32>) -> tensor<64xf32>
// CHECK-NEXT: tt.expand_dims
// CHECK-NEXT: arith.maxnumf %{{.*}}, %{{.*}} : tensor<64x1xf32>
// CHECK: "tt.reduce"(%[[PARTS]]#0) <{axis = 0 : i32}>
// CHECK: (tensor<8x64xi32>) -> tensor<64xi32>
// CHECK-NEXT: arith.addi %{{.*}}, %{{.*}} : tensor<64xi32>
tt.func public @tiles(%x_ptr: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %y_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %none = arith.constant dense<0> : tensor<64xi32>
  %least = arith.constant dense<-1.0> : tensor<64x1xf32>
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %starts = arith.muli %rows, %c64 : tensor<64x1xi32>
  %columns = tt.expand_dims %i {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %down = tt.broadcast %starts : tensor<64x1xi32> -> tensor<64x64xi32>
  %along = tt.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %down, %along : tensor<64x64xi32>
  %xs = tt.splat %x_ptr : !tt.ptr<i32> -> tensor<64x64x!tt.ptr<i32>>
  %px = tt.addptr %xs, %at : tensor<64x64x!tt.ptr<i32>>, tensor<64x64xi32>
  %ys = tt.splat %y_ptr : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %py = tt.addptr %ys, %at : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %sum, %most = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %none, %high = %least) -> (tensor<64xi32>, tensor<64x1xf32>) : i32 {
    %x = tt.load %px : tensor<64x64x!tt.ptr<i32>>
    %row = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %b, %a : i32
      tt.reduce.return %c : i32
    }) : (tensor<64x64xi32>) -> tensor<64xi32>
    %next = arith.addi %row, %acc : tensor<64xi32>
    %y = tt.load %py : tensor<64x64x!tt.ptr<f32>>
    %column = "tt.reduce"(%y) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<64x64xf32>) -> tensor<64xf32>
    %kept = tt.expand_dims %column {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %higher = arith.maxnumf %high, %kept : tensor<64x1xf32>
    scf.yield %next, %higher : tensor<64xi32>, tensor<64x1xf32>
  }
  %sums = tt.expand_dims %sum {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %outs = tt.splat %x_ptr : !tt.ptr<i32> -> tensor<64x1x!tt.ptr<i32>>
  %pout = tt.addptr %outs, %rows : tensor<64x1x!tt.ptr<i32>>, tensor<64x1xi32>
  tt.store %pout, %sums : tensor<64x1x!tt.ptr<i32>>
  %highs = tt.splat %y_ptr : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
  %phigh = tt.addptr %highs, %rows : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
  tt.store %phigh, %most : tensor<64x1x!tt.ptr<f32>>
  tt.return
}

// A loop within a loop: the exchange is behind both.
// CHECK-LABEL: @nested
// CHECK: scf.for {{.*}} -> (tensor<32xi32>)
// CHECK: scf.for {{.*}} -> (tensor<32xi32>)
// CHECK-NOT: tt.reduce
// CHECK: scf.yield %{{.*}} : tensor<32xi32>
// CHECK-NOT: tt.reduce
// CHECK: scf.yield %{{.*}} : tensor<32xi32>
// CHECK: "tt.reduce"
// CHECK: (tensor<32xi32>) -> i32
tt.func public @nested(%x_ptr: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %xs = tt.splat %x_ptr : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %px = tt.addptr %xs, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %sum = scf.for %j = %c0 to %n step %c1 iter_args(%outer = %c1) -> (i32) : i32 {
    %inner = scf.for %k = %c0 to %j step %c1 iter_args(%acc = %outer) -> (i32) : i32 {
      %x = tt.load %px : tensor<32x!tt.ptr<i32>>
      %row = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%a: i32, %b: i32):
        %c = arith.xori %a, %b : i32
        tt.reduce.return %c : i32
      }) : (tensor<32xi32>) -> i32
      %next = arith.xori %acc, %row : i32
      scf.yield %next : i32
    }
    scf.yield %inner : i32
  }
  tt.store %x_ptr, %sum : !tt.ptr<i32>
  tt.return
}

// As it is: a value that the loop has another use for (the sum so far, a round's own, the next one), two operations,
// two operands, a branch, promises of the sums, and a dimension that each thread has the whole of.
// CHECK-LABEL: @kept
// CHECK: scf.for {{.*}} -> (i32, i32, i32, i32, i32, i32, i32, i32, i32, tensor<256xi32>) {{.*}} {
// CHECK-COUNT-10: "tt.reduce"
// CHECK: scf.yield {{.*}} : i32, i32, i32, i32, i32, i32, i32, i32, i32, tensor<256xi32>
// CHECK-NEXT: }
// CHECK-NOT: tt.reduce
// CHECK: tt.return
tt.func public @kept(%x_ptr: !tt.ptr<i32>, %z_ptr: !tt.ptr<i32>, %n: i32, %yes: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %none = arith.constant dense<0> : tensor<256xi32>
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %xs = tt.splat %x_ptr : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %px = tt.addptr %xs, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %results:10 = scf.for %k = %c0 to %n step %c1 iter_args(%a0 = %c0, %a1 = %c0, %a2 = %c0, %a3 = %c0, %a4 = %c0, %a5 = %c0,
      %a6 = %c0, %a7 = %c0, %a8 = %c0, %a9 = %none) -> (i32, i32, i32, i32, i32, i32, i32, i32, i32, tensor<256xi32>) : i32 {
    %x = tt.load %px : tensor<256x!tt.ptr<i32>>
    // The sum so far.
    %r0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<256xi32>) -> i32
    %n0 = arith.addi %a0, %r0 : i32
    tt.store %z_ptr, %a0 : !tt.ptr<i32>
    // A round's own.
    %r1 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<256xi32>) -> i32
    %n1 = arith.addi %a1, %r1 : i32
    tt.store %z_ptr, %r1 : !tt.ptr<i32>
    // The next one.
    %r2 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<256xi32>) -> i32
    %n2 = arith.addi %a2, %r2 : i32
    tt.store %z_ptr, %n2 : !tt.ptr<i32>
    // Products of sums.
    %r3 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<256xi32>) -> i32
    %n3 = arith.muli %a3, %r3 : i32
    // A region of two operations.
    %r4 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      %d = arith.xori %c, %k : i32
      tt.reduce.return %d : i32
    }) : (tensor<256xi32>) -> i32
    %n4 = arith.addi %a4, %r4 : i32
    // Something in between.
    %r5 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<256xi32>) -> i32
    %d5 = arith.shrsi %r5, %c1 : i32
    %n5 = arith.addi %a5, %d5 : i32
    // A branch.
    %r6 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<256xi32>) -> i32
    %n6 = scf.if %yes -> (i32) {
      %s6 = arith.addi %a6, %r6 : i32
      scf.yield %s6 : i32
    } else {
      scf.yield %a6 : i32
    }
    // Two operands.
    %r7:2 = "tt.reduce"(%x, %i) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %ai: i32, %b: i32, %bi: i32):
      %c = arith.addi %a, %b : i32
      %ci = arith.addi %ai, %bi : i32
      tt.reduce.return %c, %ci : i32, i32
    }) : (tensor<256xi32>, tensor<256xi32>) -> (i32, i32)
    %n7 = arith.addi %a7, %r7#0 : i32
    // No such sum wraps, but others may.
    %r8 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<256xi32>) -> i32
    %n8 = arith.addi %a8, %r8 overflow<nsw> : i32
    // Two elements of one thread.
    %joined = tt.join %x, %x : tensor<256xi32> -> tensor<256x2xi32>
    %r9 = "tt.reduce"(%joined) <{axis = 1 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<256x2xi32>) -> tensor<256xi32>
    %n9 = arith.addi %a9, %r9 : tensor<256xi32>
    scf.yield %n0, %n1, %n2, %n3, %n4, %n5, %n6, %n7, %n8, %n9 : i32, i32, i32, i32, i32, i32, i32, i32, i32, tensor<256xi32>
  }
  tt.store %z_ptr, %results#0 : !tt.ptr<i32>
  tt.store %z_ptr, %results#1 : !tt.ptr<i32>
  tt.store %z_ptr, %results#2 : !tt.ptr<i32>
  tt.store %z_ptr, %results#3 : !tt.ptr<i32>
  tt.store %z_ptr, %results#4 : !tt.ptr<i32>
  tt.store %z_ptr, %results#5 : !tt.ptr<i32>
  tt.store %z_ptr, %results#6 : !tt.ptr<i32>
  tt.store %z_ptr, %results#7 : !tt.ptr<i32>
  tt.store %z_ptr, %results#8 : !tt.ptr<i32>
  tt.store %px, %results#9 : tensor<256x!tt.ptr<i32>>
  tt.return
}

// Nor where a sum is promised to be a number: its parts may not be.
// CHECK-LABEL: @numbers
// CHECK: scf.for {{.*}} -> (f32)
// CHECK: "tt.reduce"
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<nnan> : f32
// CHECK: scf.yield
tt.func @numbers(%x_ptr: !tt.ptr<f32>, %z_ptr: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %lanes = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %base = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %px = tt.addptr %base, %lanes : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %total = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (f32) : i32 {
    %x = tt.load %px : tensor<256x!tt.ptr<f32>>
    %all = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<256xf32>) -> f32
    %next = arith.addf %sum, %all fastmath<nnan> : f32
    scf.yield %next : f32
  }
  tt.store %z_ptr, %total : !tt.ptr<f32>
  tt.return
}
