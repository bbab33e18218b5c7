// Loads of a loop are copied to shared memory num_stages - 1 rounds ahead (lib/Conversion/TritonToTitan/Prefetch.cpp).
//
// Here each thread reads what it has copied itself: no barrier in the loop.
// RUN: titan compile %s --check=off --emit=titan -o - | FileCheck %s
// CHECK: [[RING:%.*]] = titan.shared.reuse {{.*}} -> <512xf32, slots = 3>
// CHECK-COUNT-2: titan.cp_async %x[{{.*}}] mask({{.*}} bytes(16) cg
// CHECK: scf.for
// CHECK-NEXT: titan.cp_async.wait_group 1
// CHECK-NOT: titan.cta_sync
// CHECK: titan.cp_async %x
// CHECK: titan.cp_async.commit
// CHECK-NOT: titan.global.load
// CHECK: titan.shared.load {{.*}} -> tensor<512xf32
// CHECK: scf.yield
// CHECK: titan.cp_async.wait_group 0
// CHECK-NOT: titan.cta_sync
// CHECK-NOT: titan.cp_async
// RUN: titan check %s --launch-check "out >= 512" --launch-check "x >= 512 * n" --launch-check "n <= 4000000" | FileCheck %s --check-prefix=VERDICT
// VERDICT: @sums: accepted
// RUN: %python %S/Inputs/converted.py titan %s x=512:random:1 out=512:poison n=0
// RUN: %python %S/Inputs/converted.py titan %s x=512:random:1 out=512:poison n=1
// RUN: %python %S/Inputs/converted.py titan %s x=1024:random:1 out=512:poison n=2
// RUN: %python %S/Inputs/converted.py titan %s x=1536:random:1 out=512:poison n=3
// RUN: %python %S/Inputs/converted.py titan %s x=5632:random:1 out=512:poison n=11
//
// Without the wait, and with one group too many left, the checker refuses it.
// RUN: titan compile %s --check=off --emit=titan -o %t.mlir
// RUN: sed '/wait_group 1/d' %t.mlir > %t.no-wait.mlir
// RUN: not titan check %t.no-wait.mlir 2>&1 | FileCheck %s --check-prefix=NO-WAIT
// NO-WAIT: [completion-not-observed]
// RUN: sed 's/wait_group 1/wait_group 2/' %t.mlir > %t.too-many.mlir
// RUN: not titan check %t.too-many.mlir 2>&1 | FileCheck %s --check-prefix=TOO-MANY
// TOO-MANY: [group-wait-count]
//
// A store that other programs' copies may meet, which the program waits for and the others do not, is a race with the load.
// VARIANT shared: replace to with %pid = tt.get_program_id x : i32
// VARIANT shared: after to add %mine = arith.muli %pid, %c512 : i32
// VARIANT shared: after to add %first = tt.splat %mine : i32 -> tensor<512xi32>
// VARIANT shared: after to add %own = arith.addi %first, %places : tensor<512xi32>
// VARIANT shared: after to add %q = tt.addptr %base, %own : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
// RUN: %variant shared %s > %t.shared.mlir
// RUN: not titan check %t.shared.mlir --launch-check "x >= 512 * grid_x" --launch-check "x >= 512 * n" --launch-check "n <= 4000000" 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: error: [race] tl.store writes global memory {{.*}} that the copy ahead of a tl.load (num_stages) reads {{.*}}, and nothing orders the two
// SHARED: note: read here by program
// SHARED-NEXT: %v = tt.load %p
// SHARED-NOT: completion-not-observed
//
// What has another place to wait, and what nobody asks for.
// RUN: sed 's/num_stages = 3/num_stages = 2/' %s | titan compile - --check=off --emit=titan -o - | FileCheck %s --check-prefix=TWO
// TWO: slots = 2>
// TWO: scf.for
// TWO-NEXT: titan.cp_async.wait_group 0
// RUN: sed 's/num_stages = 3/num_stages = 1/' %s | titan compile - --check=off --emit=titan -o - | FileCheck %s --check-prefix=LOAD
// RUN: sed 's/ {tt.num_stages = 3 : i32}//' %s | titan compile - --check=off --emit=titan -o - | FileCheck %s --check-prefix=LOAD
// LOAD-NOT: titan.cp_async
// LOAD: titan.global.load %x
// LOAD-NOT: titan.cp_async
//
// A store to what is loaded; one to another argument changes nothing.
// VARIANT same: after sum add tt.store %p, %t : tensor<512x!tt.ptr<f32>>
// RUN: %variant same %s | titan compile - --check=off --emit=titan -o - | FileCheck %s --check-prefix=LOAD
// VARIANT other: after sum add tt.store %q, %t : tensor<512x!tt.ptr<f32>>
// RUN: %variant other %s | titan compile - --check=off --emit=titan -o - | FileCheck %s --check-prefix=CHECK
// RUN: %variant other %s > %t.other.mlir
// RUN: %python %S/Inputs/converted.py titan %t.other.mlir x=5632:random:1 out=512:poison n=11
// An atomic, by which another program may tell that it has stored; an assertion.
// VARIANT atomic: after sum add %old = tt.atomic_rmw fadd, relaxed, gpu, %q, %t, %all_true : (tensor<512x!tt.ptr<f32>>, tensor<512xf32>, tensor<512xi1>) -> tensor<512xf32>
// RUN: %variant atomic %s | titan compile - --check=off --emit=titan -o - | FileCheck %s --check-prefix=LOAD
// VARIANT assertion: after sum add tt.assert %all_true, "so" : tensor<512xi1>
// RUN: %variant assertion %s | titan compile - --check=off --emit=titan -o - | FileCheck %s --check-prefix=LOAD
// Addresses that are loaded in the same round (these are copied), or made of what was loaded in the one before.
// VARIANT loaded: replace address with %where = tt.load %i_p : tensor<512x!tt.ptr<i32>>
// VARIANT loaded: after address add %p = tt.addptr %base, %where : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
// RUN: %variant loaded %s | titan compile - --check=off --emit=titan -o - | FileCheck %s --check-prefix=LOADED
// LOADED: scf.for
// LOADED: titan.cp_async %x
// LOADED: titan.shared.load
// LOADED: titan.global.load %x
// LOADED-NOT: titan.cp_async %x
// VARIANT before: replace address with %bits = tt.bitcast %s : tensor<512xf32> -> tensor<512xi32>
// VARIANT before: after address add %p = tt.addptr %base, %bits : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
// RUN: %variant before %s | titan compile - --check=off --emit=titan -o - | FileCheck %s --check-prefix=LOAD
// A mask that is loaded.
// VARIANT compared: replace load with %where = tt.load %i_p : tensor<512x!tt.ptr<i32>>
// VARIANT compared: after load add %there = arith.cmpi slt, %where, %half : tensor<512xi32>
// VARIANT compared: after load add %v = tt.load %p, %there, %zero : tensor<512x!tt.ptr<f32>>
// RUN: %variant compared %s | titan compile - --check=off --emit=titan -o - | FileCheck %s --check-prefix=LOADED
// A number that rounds which do not come need not have.
// VARIANT shifted: replace offset with %o = arith.shli %c512, %i : i32
// RUN: %variant shifted %s | titan compile - --check=off --emit=titan -o - | FileCheck %s --check-prefix=LOAD
// VARIANT twice: replace offset with %shift = arith.constant 9 : i32
// VARIANT twice: after offset add %o = arith.shli %i, %shift : i32
// RUN: %variant twice %s | titan compile - --check=off --emit=titan -o - | FileCheck %s
// Places that are known one by one only, and elements that are to be read anew.
// RUN: sed 's/%%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}/%%x: !tt.ptr<f32>/; s/f32/f16/g' %s | titan compile - --check=off --emit=titan -o - | FileCheck %s --check-prefix=LOAD
// VARIANT anew: replace load with %v = tt.load %p cacheModifier = cv : tensor<512x!tt.ptr<f32>>
// RUN: %variant anew %s | titan compile - --check=off --emit=titan -o - | FileCheck %s --check-prefix=LOAD
//
// Elements behind a mask are 0, or by a select what the load says.
// VARIANT masked: replace load with %v = tt.load %p, %in, %one : tensor<512x!tt.ptr<f32>>
// RUN: %variant masked %s | titan compile - --check=off --emit=titan -o - | FileCheck %s --check-prefix=OTHER
// OTHER: titan.cp_async
// OTHER: scf.for
// OTHER: titan.shared.load
// OTHER-NEXT: arith.select
// RUN: %variant masked %s > %t.masked.mlir
// RUN: %python %S/Inputs/converted.py titan %t.masked.mlir x=2048:random:1 out=512:poison n=4
//
// Rings have what is left of shared memory, in fewer stages, or none.
// RUN: sed 's/num_stages = 3/num_stages = 9/; s/512/8192/g' %s | titan compile - --check=off --emit=titan -o - | FileCheck %s --check-prefix=FEWER
// FEWER: -> <8192xf32, slots = 7>
// FEWER-COUNT-6: titan.cp_async.commit
// FEWER: scf.for
// RUN: sed 's/512/32768/g' %s | titan compile - --num-warps 16 --check=off --emit=ptx -o - | FileCheck %s --check-prefix=LOADS
// LOADS-NOT: cp.async
// LOADS: ld.global
module {
tt.func public @sums(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c512 = arith.constant 512 : i32
  %zero = arith.constant dense<0.0> : tensor<512xf32>
  %one = arith.constant dense<1.0> : tensor<512xf32>
  %half = arith.constant dense<256> : tensor<512xi32>
  %all_true = arith.constant dense<true> : tensor<512xi1>
  %places = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %in = arith.cmpi slt, %places, %half : tensor<512xi32>
  %base = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %to = tt.splat %out : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %q = tt.addptr %to, %places : tensor<512x!tt.ptr<f32>>, tensor<512xi32> // @to
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<512xf32>) : i32 {
    %o = arith.muli %i, %c512 : i32 // @offset
    %from = tt.splat %o : i32 -> tensor<512xi32>
    %at = arith.addi %from, %places : tensor<512xi32>
    %i_0 = tt.bitcast %base : tensor<512x!tt.ptr<f32>> -> tensor<512x!tt.ptr<i32>>
    %i_p = tt.addptr %i_0, %at : tensor<512x!tt.ptr<i32>>, tensor<512xi32>
    %p = tt.addptr %base, %at : tensor<512x!tt.ptr<f32>>, tensor<512xi32> // @address
    %v = tt.load %p : tensor<512x!tt.ptr<f32>> // @load
    %t = arith.addf %s, %v : tensor<512xf32> // @sum
    scf.yield %t : tensor<512xf32>
  } {tt.num_stages = 3 : i32}
  tt.store %q, %sum : tensor<512x!tt.ptr<f32>>
  tt.return
}
}
