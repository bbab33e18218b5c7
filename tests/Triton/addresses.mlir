// Pointers that are made of numbers, and numbers of pointers.
// RUN: rm -rf %t && split-file %s %t
// RUN: titan compile --check=off --emit=titan %t/rows.mlir | FileCheck %s --check-prefix=ROWS
// What tl.multiple_of says of an address is known of the tensor there; without it, nothing is.
// ROWS: titan.kernel @rows(
// ROWS: %[[ONE:.*]] = titan.ld %table
// ROWS: %[[FROM:.*]] = titan.tensor_at %[[ONE]] align(16) : <?xf32>
// ROWS: %[[OTHER:.*]] = titan.ld %table
// ROWS: %[[TO:.*]] = titan.tensor_at %[[OTHER]] : <?xf32>
// ROWS: titan.global.load %[[FROM]]
// ROWS: titan.global.store %{{.*}}, %[[TO]]
// RUN: titan compile --check=off --emit=ptx --num-warps 1 %t/rows.mlir | FileCheck %s --check-prefix=WIDE
// WIDE: .entry rows(
// WIDE: ld.global.v4.b32
// WIDE-COUNT-4: st.global.b32
// WIDE-NOT: st.global
// RUN: sed 's/{tt.divisibility = 16 : i32} : i64/: i64/' %t/rows.mlir | titan compile --check=off --emit=ptx --num-warps 1 - | FileCheck %s --check-prefix=NARROW
// NARROW-COUNT-4: ld.global.b32
// NARROW-NOT: ld.global.v

// What lies there may be what an argument is, or another address: a barrier between two of which one writes.
// RUN: titan compile --check=off --emit=titan %t/order.mlir | FileCheck %s --check-prefix=ORDER
// ORDER: titan.kernel @order(
// ORDER: titan.global.store %{{.*}}, %[[A:.*]][
// ORDER-NEXT: titan.cta_sync
// ORDER-NEXT: titan.global.load %x
// ORDER: titan.cta_sync
// ORDER-NEXT: titan.global.store %{{.*}}, %[[B:.*]][
// ORDER-NOT: titan.cta_sync
// ORDER: titan.return

// A loop's loads by an address stay loads, and so do others in a loop that stores by one.
// RUN: titan explain stages %t/loop.mlir | FileCheck %s --check-prefix=LOOP
// LOOP: a load of {{.*}} stays a load: it goes by an address that is a number
// LOOP-NEXT: a load of %x stays a load: its loop has a store by an address that is a number (line {{[0-9]+}})

// The program and its kernel leave the same; the kernel's checker says what it does not know.
// RUN: %python %S/Inputs/converted.py titan %t/back.mlir x=64:ints:1 y=64:poison d=64:poison
// RUN: %python %S/Inputs/converted.py titan %t/back.mlir --num-warps 1 x=64:ints:2 y=64:poison d=64:poison
// RUN: not titan check %t/back.mlir 2>&1 | FileCheck %s --check-prefix=CHECK
// CHECK: error: [undecided] the checker does not follow which memory an access by an address touches; the rest of the kernel is checked

// What there is not yet, or cannot be.
// RUN: not titan compile --check=off --emit=titan %t/tensor.mlir 2>&1 | FileCheck %s --check-prefix=TENSOR
// TENSOR: tensor.mlir:5:{{.*}} error: [not-supported-yet] a tensor of pointers that are made of numbers; of one number, and offsets, there is one
// RUN: not titan compile --check=off --emit=titan %t/behind.mlir 2>&1 | FileCheck %s --check-prefix=BEHIND
// BEHIND: behind.mlir:16:{{.*}} error: [not-supported-yet] a pointer that a loop makes of a number, behind the loop
// RUN: not titan compile --check=off --emit=titan %t/either.mlir 2>&1 | FileCheck %s --check-prefix=EITHER
// EITHER: either.mlir:9:{{.*}} error: [not-supported-yet] a pointer that is not one argument or number, and an offset: it is loaded, or chosen among several

// RUN: not titan compile --check=off --emit=titan %t/far.mlir 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: far.mlir:4:{{.*}} error: [not-supported-yet] an offset of 64 bits from a pointer that is made of a number
// RUN: sed 's/2147483649/2147483647/' %t/far.mlir | titan compile --check=off --emit=titan - | FileCheck %s --check-prefix=NEAR
// NEAR: arith.constant 2147483647 : i32
// RUN: not titan compile --check=off --emit=titan %t/shared.mlir 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: shared.mlir:2:{{.*}} error: [not-supported-yet] a pointer made of a number

// Chosen between two places of one argument, or of what lies at one address.
// RUN: %python %S/Inputs/converted.py titan %t/places.mlir x=16:steps:11 z=16:poison n=1
// RUN: %python %S/Inputs/converted.py titan %t/places.mlir x=16:steps:11 z=16:poison n=-1

//--- far.mlir
tt.func public @far(%address: i64, %z: !tt.ptr<i32>) {
  %far = arith.constant 2147483649 : i64
  %p = tt.int_to_ptr %address : i64 -> !tt.ptr<i32>
  %q = tt.addptr %p, %far : !tt.ptr<i32>, i64
  %v = tt.load %q : !tt.ptr<i32>
  tt.store %z, %v : !tt.ptr<i32>
  tt.return
}
//--- shared.mlir
tt.func public @shared(%address: i64, %z: !tt.ptr<i32>) {
  %p = tt.int_to_ptr %address : i64 -> !tt.ptr<i32, 3>
  %v = tt.load %p : !tt.ptr<i32, 3>
  tt.store %z, %v : !tt.ptr<i32>
  tt.return
}
//--- places.mlir
tt.func public @places(%x: !tt.ptr<i32>, %z: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %next = tt.addptr %x, %one : !tt.ptr<i32>, i32
  %less = arith.cmpi slt, %n, %zero : i32
  %p = arith.select %less, %x, %next : !tt.ptr<i32>
  %v = tt.load %p : !tt.ptr<i32>
  tt.store %z, %v : !tt.ptr<i32>
  %q = scf.if %less -> (!tt.ptr<i32>) {
    scf.yield %p : !tt.ptr<i32>
  } else {
    %further = tt.addptr %p, %one : !tt.ptr<i32>, i32
    scf.yield %further : !tt.ptr<i32>
  }
  %w = tt.load %q : !tt.ptr<i32>
  %to = tt.addptr %z, %one : !tt.ptr<i32>, i32
  tt.store %to, %w : !tt.ptr<i32>
  tt.return
}
//--- rows.mlir
tt.func public @rows(%table: !tt.ptr<i64>) {
  %one = arith.constant 1 : i32
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %from = tt.load %table : !tt.ptr<i64>
  %a = tt.int_to_ptr %from {tt.divisibility = 16 : i32} : i64 -> !tt.ptr<f32>
  %next = tt.addptr %table, %one : !tt.ptr<i64>, i32
  %to = tt.load %next : !tt.ptr<i64>
  %b = tt.int_to_ptr %to : i64 -> !tt.ptr<f32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %ap = tt.addptr %as, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %x = tt.load %ap : tensor<128x!tt.ptr<f32>>
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %bp = tt.addptr %bs, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %bp, %x : tensor<128x!tt.ptr<f32>>
  tt.return
}
//--- order.mlir
tt.func public @order(%table: !tt.ptr<i64>, %x: !tt.ptr<f32>) {
  %one = arith.constant 1 : i32
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %from = tt.load %table : !tt.ptr<i64>
  %next = tt.addptr %table, %one : !tt.ptr<i64>, i32
  %to = tt.load %next : !tt.ptr<i64>
  %a = tt.int_to_ptr %from : i64 -> !tt.ptr<f32>
  %b = tt.int_to_ptr %to : i64 -> !tt.ptr<f32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %ap = tt.addptr %as, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %bp = tt.addptr %bs, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %ap, %zero : tensor<128x!tt.ptr<f32>>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  tt.store %bp, %v : tensor<128x!tt.ptr<f32>>
  tt.return
}
//--- loop.mlir
tt.func public @loop(%table: !tt.ptr<i64> {tt.divisibility = 16 : i32}, %x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %from = tt.load %table : !tt.ptr<i64>
  %a = tt.int_to_ptr %from {tt.divisibility = 16 : i32} : i64 -> !tt.ptr<f32>
  scf.for %k = %c0 to %n step %c1 : i32 {
    %first = arith.muli %k, %c128 : i32
    %begin = tt.splat %first : i32 -> tensor<128xi32>
    %at = arith.addi %begin, %i : tensor<128xi32>
    %as = tt.splat %a : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %ap = tt.addptr %as, %at : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %at : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %u = tt.load %ap : tensor<128x!tt.ptr<f32>>
    %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
    %w = arith.addf %u, %v : tensor<128xf32>
    tt.store %ap, %w : tensor<128x!tt.ptr<f32>>
  } {tt.num_stages = 3 : i32}
  tt.return
}
//--- back.mlir
// y = x, by addresses; d is how far each element's address is from the first one's.
tt.func public @back(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %d: !tt.ptr<i64>) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i64
  %second = tt.addptr %x, %one : !tt.ptr<i32>, i32
  %number = tt.ptr_to_int %second : !tt.ptr<i32> -> i64
  %first = arith.subi %number, %four : i64
  %again = tt.int_to_ptr %first : i64 -> !tt.ptr<i32>
  %as = tt.splat %again : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %ap = tt.addptr %as, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %v = tt.load %ap : tensor<64x!tt.ptr<i32>>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %yp, %v : tensor<64x!tt.ptr<i32>>
  %numbers = tt.ptr_to_int %ap : tensor<64x!tt.ptr<i32>> -> tensor<64xi64>
  %firsts = tt.splat %first : i64 -> tensor<64xi64>
  %far = arith.subi %numbers, %firsts : tensor<64xi64>
  %ds = tt.splat %d : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>>
  %dp = tt.addptr %ds, %i : tensor<64x!tt.ptr<i64>>, tensor<64xi32>
  tt.store %dp, %far : tensor<64x!tt.ptr<i64>>
  tt.return
}
//--- tensor.mlir
tt.func public @tensor(%table: !tt.ptr<i64>) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ts = tt.splat %table : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>>
  %v = tt.load %ts : tensor<64x!tt.ptr<i64>>
  %p = tt.int_to_ptr %v : tensor<64xi64> -> tensor<64x!tt.ptr<i32>>
  tt.store %p, %i : tensor<64x!tt.ptr<i32>>
  tt.return
}
//--- behind.mlir
tt.func public @behind(%table: !tt.ptr<i64>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %end:2 = scf.while (%k = %c0) : (i32) -> (i32, !tt.ptr<i32>) {
    %at = tt.addptr %table, %k : !tt.ptr<i64>, i32
    %number = tt.load %at : !tt.ptr<i64>
    %p = tt.int_to_ptr %number : i64 -> !tt.ptr<i32>
    %more = arith.cmpi slt, %k, %n : i32
    scf.condition(%more) %k, %p : i32, !tt.ptr<i32>
  } do {
  ^bb0(%k: i32, %p: !tt.ptr<i32>):
    %next = arith.addi %k, %c1 : i32
    scf.yield %next : i32
  }
  %one = arith.constant 1 : i32
  tt.store %end#1, %one : !tt.ptr<i32>
  tt.return
}
//--- either.mlir
tt.func public @either(%table: !tt.ptr<i64>, %x: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %number = tt.load %table : !tt.ptr<i64>
  %p = tt.int_to_ptr %number : i64 -> !tt.ptr<i32>
  %which = arith.cmpi slt, %n, %c0 : i32
  %q = arith.select %which, %p, %x : !tt.ptr<i32>
  %one = arith.constant 1 : i32
  tt.store %q, %one : !tt.ptr<i32>
  tt.return
}
