// A tensor's atomic is one thread's for each element: what other elements of the program do to the place plainly needs a
// barrier between them. Atomics of different sizes are none to each other.
// RUN: titan run %s --kernel turned --shape x=64 --arg x=ints:1 --scalar n=1
// RUN: not titan run %s --kernel turned --shape x=64 --arg x=ints:1 --scalar n=0 2>&1 | FileCheck %s --check-prefix=LOAD
// LOAD: own-atomics.mlir:[[#@LINE+32]]:{{[0-9]+}}: error: [race] program (0, 0, 0): reads x[31] (element [0] of the tensor), which another element of the same program writes
// RUN: sed 's/%v = tt.load %q/%v = tt.load %own/' %s > %t.own.mlir
// RUN: titan run %t.own.mlir --kernel turned --shape x=64 --arg x=ints:1 --scalar n=0
// RUN: sed 's/%v = tt.load %q.*/tt.store %q, %i : tensor<32x!tt.ptr<i32>>/; s/%r, %v :/%r, %i :/' %s > %t.store.mlir
// RUN: not titan run %t.store.mlir --kernel turned --shape x=64 --arg x=ints:1 --scalar n=0 2>&1 | FileCheck %s --check-prefix=STORE
// STORE: [race] program (0, 0, 0): writes x[31] (element [0] of the tensor), which another element of the same program writes
// RUN: sed 's/^  .true = .*dense.*/&\n  %before = tt.load %q : tensor<32x!tt.ptr<i32>>/' %s > %t.before.mlir
// RUN: not titan run %t.before.mlir --kernel turned --shape x=64 --arg x=ints:1 --scalar n=1 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: [race] program (0, 0, 0): changes x[0] (element [0] of the tensor), which another element of the same program reads
// Elements whose atomics meet in one place: none of them has it alone then.
// RUN: sed 's/%all = arith.constant dense<31>/%all = arith.constant dense<0>/' %s > %t.one.mlir
// RUN: not titan run %t.one.mlir --kernel turned --shape x=64 --arg x=ints:1 --scalar n=0 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: [race] program (0, 0, 0): reads x[0] (element [0] of the tensor), which another element of the same program writes
// RUN: titan run %s --kernel sizes --shape x=64 --arg x=zeros
// RUN: not titan run %s --kernel sizes --grid 2 --shape x=64 --arg x=zeros 2>&1 | FileCheck %s --check-prefix=SIZES
// SIZES: [race] program (1, 0, 0): changes x[0], which program (0, 0, 0) wrote
module {
tt.func public @turned(%x: !tt.ptr<i32>, %n: i32) {
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %all = arith.constant dense<31> : tensor<32xi32>
  %s = tt.splat %x : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %k = arith.andi %i, %all : tensor<32xi32>
  %own = tt.addptr %s, %k : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %j = arith.xori %k, %all : tensor<32xi32>
  %q = tt.addptr %s, %j : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %zero = arith.constant 0 : i32
  %true = arith.constant dense<true> : tensor<32xi1>
  %old = tt.atomic_rmw add, relaxed, gpu, %own, %i, %true : (tensor<32x!tt.ptr<i32>>, tensor<32xi32>, tensor<32xi1>) -> tensor<32xi32>
  %wait = arith.cmpi ne, %n, %zero : i32
  scf.if %wait {
    gpu.barrier
  }
  %v = tt.load %q : tensor<32x!tt.ptr<i32>>
  %behind = arith.constant dense<32> : tensor<32xi32>
  %to = arith.addi %i, %behind : tensor<32xi32>
  %r = tt.addptr %s, %to : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  tt.store %r, %v : tensor<32x!tt.ptr<i32>>
  tt.return
}
tt.func public @sizes(%x: !tt.ptr<i32>) {
  %one = arith.constant 1 : i32
  %long = arith.constant 1 : i64
  %true = arith.constant true
  %zero = arith.constant 0 : i32
  %y = tt.bitcast %x : !tt.ptr<i32> -> !tt.ptr<i64>
  %id = tt.get_program_id x : i32
  %first = arith.cmpi eq, %id, %zero : i32
  %other = arith.xori %first, %true : i1
  %a = tt.atomic_rmw add, relaxed, gpu, %x, %one, %first : (!tt.ptr<i32>, i32, i1) -> i32
  %b = tt.atomic_rmw add, relaxed, gpu, %y, %long, %other : (!tt.ptr<i64>, i64, i1) -> i64
  tt.return
}
}
