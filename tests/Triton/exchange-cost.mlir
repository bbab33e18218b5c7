// A tensor that is stored by columns is wanted in another layout than the loads by rows have it in: what moves there, through shared
// memory, is the tensor or what it is computed of, whichever costs less (lib/Conversion/TritonToTitan/ExchangeCost.cpp).
// RUN: split-file %s %t

// Of half the bytes: what the f32 are made of.
// RUN: titan compile %t/narrow.ttir --check=off --emit=titan -o - | FileCheck %t/narrow.ttir
// RUN: %python %S/Inputs/converted.py titan %t/narrow.ttir x=4096:random:1 y=4096:poison

// One sum, and not both of its terms.
// RUN: titan compile %t/sum.ttir --check=off --emit=titan -o - | FileCheck %t/sum.ttir
// RUN: %python %S/Inputs/converted.py titan %t/sum.ttir x=4096:random:1 z=4096:random:2 y=4096:poison

// The narrow result, though a condition is narrower: with it the tensor that it chooses would move, too.
// RUN: titan compile %t/select.ttir --check=off --emit=titan -o - | FileCheck %t/select.ttir
// RUN: %python %S/Inputs/converted.py titan %t/select.ttir x=4096:random:1 y=4096:poison

// What is wanted in both layouts is computed in both, if that costs little.
// RUN: titan compile %t/twice_cheap.ttir --check=off --emit=titan -o - | FileCheck %t/twice_cheap.ttir
// RUN: %python %S/Inputs/converted.py titan %t/twice_cheap.ttir x=4096:random:1 y=4096:poison z=4096:poison

// An exponential is not.
// RUN: titan compile %t/twice_dear.ttir --check=off --emit=titan -o - | FileCheck %t/twice_dear.ttir
// RUN: %python %S/Inputs/converted.py titan %t/twice_dear.ttir x=4096:random:1 y=4096:poison z=4096:poison

// What is copied ahead is in shared memory, and is read as the product's operand; 4 bits become f16 there, and nothing else moves.
// RUN: titan compile %S/Inputs/library/ttir/low_bits.int4_matmul_kernel.0.ttir --check=off --emit=titan -o - | FileCheck %s --check-prefix=BITS
// BITS: scf.for
// BITS: titan.cta_sync
// BITS-NOT: titan.{{shared.store|cta_sync|convert_layout}}
// BITS: titan.relabel {{.*}} -> tensor<32x32xi32, #titan.mma_sync_b
// BITS-NOT: titan.{{shared.store|cta_sync|convert_layout}}
// BITS: titan.mma_sync

//--- narrow.ttir
// CHECK: [[X:%.*]] = titan.global.load %x
// CHECK: titan.shared.store {{.*}}xf16
// CHECK-NOT: titan.shared.store
// CHECK: arith.extf
// CHECK-NEXT: arith.mulf
tt.func public @narrow(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r32 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %rows = tt.expand_dims %r32 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tt.expand_dims %r32 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %d64 = arith.constant dense<64> : tensor<1x64xi32>
  %below = arith.muli %rows, %c64 : tensor<64x1xi32>
  %beside = arith.muli %columns, %d64 : tensor<1x64xi32>
  %b0 = tt.broadcast %below : tensor<64x1xi32> -> tensor<64x64xi32>
  %b1 = tt.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %b2 = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %b3 = tt.broadcast %beside : tensor<1x64xi32> -> tensor<64x64xi32>
  %by_rows = arith.addi %b0, %b1 : tensor<64x64xi32>
  %by_columns = arith.addi %b2, %b3 : tensor<64x64xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %xp = tt.addptr %xs, %by_rows : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %by_columns : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %l = tt.load %xp : tensor<64x64x!tt.ptr<f16>>
  %w = arith.extf %l : tensor<64x64xf16> to tensor<64x64xf32>
  %s = arith.mulf %w, %w : tensor<64x64xf32>
  tt.store %yp, %s : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

//--- sum.ttir
// CHECK: arith.addf
// CHECK: titan.shared.store {{.*}}xf32
// CHECK-NOT: titan.shared.store
// CHECK: titan.global.store
tt.func public @sum(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r32 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %rows = tt.expand_dims %r32 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tt.expand_dims %r32 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %d64 = arith.constant dense<64> : tensor<1x64xi32>
  %below = arith.muli %rows, %c64 : tensor<64x1xi32>
  %beside = arith.muli %columns, %d64 : tensor<1x64xi32>
  %b0 = tt.broadcast %below : tensor<64x1xi32> -> tensor<64x64xi32>
  %b1 = tt.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %b2 = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %b3 = tt.broadcast %beside : tensor<1x64xi32> -> tensor<64x64xi32>
  %by_rows = arith.addi %b0, %b1 : tensor<64x64xi32>
  %by_columns = arith.addi %b2, %b3 : tensor<64x64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %by_rows : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %zs = tt.splat %z : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %zp = tt.addptr %zs, %by_rows : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %by_columns : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %l = tt.load %xp : tensor<64x64x!tt.ptr<f32>>
  %m = tt.load %zp : tensor<64x64x!tt.ptr<f32>>
  %s = arith.addf %l, %m : tensor<64x64xf32>
  tt.store %yp, %s : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

//--- select.ttir
// CHECK: arith.select
// CHECK: arith.truncf
// CHECK: titan.shared.store {{.*}}xf16
// CHECK-NOT: titan.shared.store
// CHECK: titan.global.store
tt.func public @select(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %r32 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %rows = tt.expand_dims %r32 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tt.expand_dims %r32 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %d64 = arith.constant dense<64> : tensor<1x64xi32>
  %below = arith.muli %rows, %c64 : tensor<64x1xi32>
  %beside = arith.muli %columns, %d64 : tensor<1x64xi32>
  %b0 = tt.broadcast %below : tensor<64x1xi32> -> tensor<64x64xi32>
  %b1 = tt.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %b2 = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %b3 = tt.broadcast %beside : tensor<1x64xi32> -> tensor<64x64xi32>
  %by_rows = arith.addi %b0, %b1 : tensor<64x64xi32>
  %by_columns = arith.addi %b2, %b3 : tensor<64x64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %by_rows : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %yp = tt.addptr %ys, %by_columns : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %l = tt.load %xp : tensor<64x64x!tt.ptr<f32>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c = arith.cmpf oge, %l, %zero : tensor<64x64xf32>
  %n = arith.mulf %l, %l : tensor<64x64xf32>
  %s = arith.select %c, %l, %n : tensor<64x64xi1>, tensor<64x64xf32>
  %h = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
  tt.store %yp, %h : tensor<64x64x!tt.ptr<f16>>
  tt.return
}

//--- twice_cheap.ttir
// CHECK: titan.shared.store {{.*}}xf16
// CHECK-NOT: titan.shared.store
// CHECK-COUNT-2: arith.mulf
tt.func public @twice_cheap(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r32 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %rows = tt.expand_dims %r32 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tt.expand_dims %r32 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %d64 = arith.constant dense<64> : tensor<1x64xi32>
  %below = arith.muli %rows, %c64 : tensor<64x1xi32>
  %beside = arith.muli %columns, %d64 : tensor<1x64xi32>
  %b0 = tt.broadcast %below : tensor<64x1xi32> -> tensor<64x64xi32>
  %b1 = tt.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %b2 = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %b3 = tt.broadcast %beside : tensor<1x64xi32> -> tensor<64x64xi32>
  %by_rows = arith.addi %b0, %b1 : tensor<64x64xi32>
  %by_columns = arith.addi %b2, %b3 : tensor<64x64xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %xp = tt.addptr %xs, %by_rows : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %by_columns : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %zs = tt.splat %z : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %zp = tt.addptr %zs, %by_rows : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %l = tt.load %xp : tensor<64x64x!tt.ptr<f16>>
  %w = arith.extf %l : tensor<64x64xf16> to tensor<64x64xf32>
  %s = arith.mulf %w, %w : tensor<64x64xf32>
  tt.store %yp, %s : tensor<64x64x!tt.ptr<f32>>
  tt.store %zp, %s : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

//--- twice_dear.ttir
// CHECK-COUNT-1: math.exp
// CHECK-NOT: math.exp
// CHECK: titan.shared.store {{.*}}xf32
// CHECK-NOT: math.exp
// CHECK: titan.return
tt.func public @twice_dear(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r32 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %rows = tt.expand_dims %r32 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tt.expand_dims %r32 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %d64 = arith.constant dense<64> : tensor<1x64xi32>
  %below = arith.muli %rows, %c64 : tensor<64x1xi32>
  %beside = arith.muli %columns, %d64 : tensor<1x64xi32>
  %b0 = tt.broadcast %below : tensor<64x1xi32> -> tensor<64x64xi32>
  %b1 = tt.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %b2 = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %b3 = tt.broadcast %beside : tensor<1x64xi32> -> tensor<64x64xi32>
  %by_rows = arith.addi %b0, %b1 : tensor<64x64xi32>
  %by_columns = arith.addi %b2, %b3 : tensor<64x64xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %xp = tt.addptr %xs, %by_rows : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %by_columns : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %zs = tt.splat %z : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %zp = tt.addptr %zs, %by_rows : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %l = tt.load %xp : tensor<64x64x!tt.ptr<f16>>
  %w = arith.extf %l : tensor<64x64xf16> to tensor<64x64xf32>
  %s = math.exp %w : tensor<64x64xf32>
  tt.store %yp, %s : tensor<64x64x!tt.ptr<f32>>
  tt.store %zp, %s : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
