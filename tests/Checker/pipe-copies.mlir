// A pipe filled by cp.async: each thread of the producer arrives when its own copies are there.
//
// RUN: titan check %s
// RUN: titan check %s --async-generic=error
// RUN: titan run %s --kernel rows --shape A=320x64 --arg A=ints:1 --shape D=320x64 --schedule eager --out D=%t.1.npy
// RUN: titan run %s --kernel rows --shape A=320x64 --arg A=ints:1 --shape D=320x64 --schedule random:5 --out D=%t.2.npy
// RUN: titan run %s --kernel copies --shape A=320x64 --arg A=ints:1 --shape D=320x64 --schedule lazy --out D=%t.3.npy
// RUN: cmp %t.1.npy %t.2.npy
// RUN: cmp %t.1.npy %t.3.npy
// RUN: titan compile %s --target=sm_90a --emit=ptx | FileCheck %s --check-prefix=PTX
// PTX-LABEL: .entry rows
// PTX: mov.b32 %[[N:.+]], 64;
// PTX: mbarrier.init.shared::cta.b64 [%{{.+}}], %[[N]];
// PTX: cp.async.mbarrier.arrive.noinc.shared{{.*}}b64
//
// RUN: titan-opt %s --pass-pipeline='builtin.module(titan.kernel(titan-expand-pipes))' | FileCheck %s
// CHECK-LABEL: titan.kernel @rows
// CHECK: titan.mbarrier.init %[[FULL:.+]] count(64)
// CHECK-NEXT: titan.mbarrier.init %[[EMPTY:.+]] count(4)
// CHECK: titan.mbarrier.wait %[[EMPTY]]
// CHECK: titan.cp_async
// CHECK-NEXT: titan.cp_async.mbarrier_arrive %[[FULL]][{{.*}}] noinc
// CHECK: titan.mbarrier.wait %[[FULL]]
// CHECK-NOT: titan.fence.proxy_async
// CHECK: titan.shared.load
// The async proxy sees them behind the reader's fence; what it has read is overwritten by ordinary writes, behind
// the release.
// CHECK-LABEL: titan.kernel @copies
// CHECK: titan.mbarrier.wait %[[FULL:.+]][%{{.+}} : i32] parity
// CHECK: titan.partition "store"
// CHECK: titan.mbarrier.wait
// CHECK: titan.fence.proxy_async shared_cta
// CHECK: titan.tma.store
//
// A slot is used after it is given back.
// VARIANT early_release: drop release
// VARIANT early_release: before use add titan.pipe.release %slot
// RUN: %variant early_release %s | not titan check - --kernel rows 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: [race]
// A copy behind its commit.
// VARIANT late_copy: drop commit
// VARIANT late_copy: before copy add titan.pipe.commit %slot
// RUN: %variant late_copy %s | not titan check - --kernel rows 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: error: [token-not-discharged] no group holds this operation: partition copy, warp 0, iteration 0 issues it and never commits it
// One thread commits what all have copied.
// VARIANT one_commits: replace commit with titan.elect { titan.pipe.commit %slot }
// RUN: %variant one_commits %s | not titan check - 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: [pipe-fill] one thread commits this slot
// Copies of threads into slots that wait for bytes, and loads into slots that wait for threads.
// VARIANT transaction: replace pipe with %ring = titan.pipe.create "copy" -> ["use"] buffers ["a"](%a : !ring) : !pipe
// RUN: %variant transaction %s | not titan check - --kernel rows 2>&1 | FileCheck %s --check-prefix=TRANSACTION
// TRANSACTION: error: [pipe-fill] cp.async fills this slot, and the slots of the pipe are filled by transaction
// TRANSACTION: fix: create the pipe with fill(cp_async)
// VARIANT load: before copy add titan.pipe.load %map[%row, %c0] -> %slot["a"] : !map
// RUN: %variant load %s | not titan check - --kernel rows 2>&1 | FileCheck %s --check-prefix=LOAD
// LOAD: error: [pipe-fill] this load completes bytes, and the slots of the pipe are filled by cp_async
// LOAD: fix: create the pipe with fill(transaction)

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [2, 1]>
#four = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<32x64xbf16>
!ring = !titan.shared<32x64xbf16, slots = 3>
!tile = !titan.shared<32x64xbf16>
!index = tensor<32x64xi32, #rows>
!bits = tensor<32x64xi1, #rows>
!index4 = tensor<32x64xi32, #four>
!regs = tensor<32x64xbf16, #four>
!pipe = !titan.pipe<3>

titan.kernel @rows(%A: !global, %D: !global) warps(6) launch {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %m = titan.dim %A, 0 : !global
  %n = titan.dim %D, 0 : !global
  %same = arith.cmpi eq, %m, %n : index
  titan.require %same, "launch-check", "D has A's shape"
  %rest = arith.remui %m, %c32 : index
  %c0 = arith.constant 0 : index
  %whole = arith.cmpi eq, %rest, %c0 : index
  titan.require %whole, "launch-check", "A has whole blocks of 32 rows"
  %steps = arith.divui %m, %c32 : index
  %map = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%steps, %map : index, !map)
} body(%steps: index, %map: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %a = titan.shared.alloc : !ring
  %ring = titan.pipe.create "copy" -> ["use"] buffers ["a"](%a : !ring) fill(cp_async) : !pipe // @pipe
  titan.warp_specialize {
    titan.partition "copy" warps(2) {
      %r = titan.coordinate 0 : !index
      %j = titan.coordinate 1 : !index
      scf.for %step = %c0 to %steps step %c1 {
        %row = arith.muli %step, %c32 : index
        %row32 = arith.index_cast %row : index to i32
        %base = titan.splat %row32 : i32 -> !index
        %i = arith.addi %r, %base : !index
        %slot = titan.pipe.acquire %ring : !pipe
        %tile = titan.pipe.buffer %slot["a"] : !tile
        titan.cp_async %A[%i, %j], %tile bytes(16) : !global, !index, !index -> !tile // @copy
        titan.pipe.commit %slot // @commit
      }
    }
    titan.partition "use" warps(4) {
      %r = titan.coordinate 0 : !index4
      %j = titan.coordinate 1 : !index4
      scf.for %step = %c0 to %steps step %c1 {
        %row = arith.muli %step, %c32 : index
        %row32 = arith.index_cast %row : index to i32
        %base = titan.splat %row32 : i32 -> !index4
        %i = arith.addi %r, %base : !index4
        %slot = titan.pipe.wait %ring : !pipe
        %tile = titan.pipe.buffer %slot["a"] : !tile
        %x = titan.shared.load %tile : !tile -> !regs // @use
        titan.pipe.release %slot // @release
        titan.global.store %x, %D[%i, %j] : !regs, !global, !index4, !index4
      }
    }
  }
  titan.return
}

// What cp.async brings leaves by bulk copies.
titan.kernel @copies(%A: !global, %D: !global) warps(3) launch {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %m = titan.dim %A, 0 : !global
  %n = titan.dim %D, 0 : !global
  %same = arith.cmpi eq, %m, %n : index
  titan.require %same, "launch-check", "D has A's shape"
  %rest = arith.remui %m, %c32 : index
  %whole = arith.cmpi eq, %rest, %c0 : index
  titan.require %whole, "launch-check", "A has whole blocks of 32 rows"
  %steps = arith.divui %m, %c32 : index
  %map = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%steps, %map : index, !map)
} body(%steps: index, %map: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %a = titan.shared.alloc : !ring
  %ring = titan.pipe.create "copy" -> ["store"] buffers ["a"](%a : !ring) fill(cp_async) : !pipe
  titan.warp_specialize {
    titan.partition "copy" warps(2) {
      %r = titan.coordinate 0 : !index
      %j = titan.coordinate 1 : !index
      scf.for %step = %c0 to %steps step %c1 {
        %row = arith.muli %step, %c32 : index
        %row32 = arith.index_cast %row : index to i32
        %base = titan.splat %row32 : i32 -> !index
        %i = arith.addi %r, %base : !index
        %slot = titan.pipe.acquire %ring : !pipe
        %tile = titan.pipe.buffer %slot["a"] : !tile
        titan.cp_async %A[%i, %j], %tile bytes(16) : !global, !index, !index -> !tile
        titan.pipe.commit %slot
      }
    }
    titan.partition "store" warps(1) {
      titan.elect {
        scf.for %step = %c0 to %steps step %c1 {
          %row = arith.muli %step, %c32 : index
          %slot = titan.pipe.wait %ring : !pipe
          %tile = titan.pipe.buffer %slot["a"] : !tile
          titan.tma.store %tile, %map[%row, %c0] : !tile, !map
          %group = titan.bulk.commit : !titan.token<bulk>
          titan.bulk.wait %group read : !titan.token<bulk>
          titan.pipe.release %slot
        }
      }
    }
  }
  titan.return
}
