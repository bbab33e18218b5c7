// RUN: titan-opt %s --pass-pipeline='builtin.module(titan.kernel(titan-expand-pipes))' | FileCheck %s

// A pipe of depth D becomes two rings of D barriers. The producer's loads are
// made by one thread; each warp of the consumer gives a slot back by one arrival.

!map  = !titan.tensor_map<64x64xbf16, swizzle = 128>
!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 3>
!tile = !titan.shared<64x64xbf16, swizzle = 128>
!regs = tensor<64x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>

// CHECK-LABEL: titan.kernel @transaction
// CHECK: %[[RING:.+]] = titan.shared.alloc
// CHECK: %[[FULL:.+]] = titan.mbarrier.alloc : <3>
// CHECK: %[[EMPTY:.+]] = titan.mbarrier.alloc : <3>
// CHECK: titan.elect warp(0) {
// CHECK-NEXT: titan.mbarrier.init %[[FULL]] count(1)
// CHECK-NEXT: titan.mbarrier.init %[[EMPTY]] count(4)
// CHECK-NEXT: titan.fence.mbarrier_init
// CHECK: titan.cta_sync
// CHECK-NEXT: titan.warp_specialize
titan.kernel @transaction(%A: !titan.global<?x?xbf16>, %n: i32) warps(5) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %A : !titan.global<?x?xbf16> -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %count = arith.index_cast %n : i32 to index
  %ring = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%ring : !ring) : !titan.pipe<3>
  titan.warp_specialize {
    // CHECK: titan.partition "load"
    // CHECK: scf.for {{.*}} iter_args(%[[STAGE:.+]] = %{{.+}}, %[[PARITY:.+]] = %{{.+}}) -> (i32, i32)
    // CHECK: %[[FLIPPED:.+]] = arith.xori %[[PARITY]]
    // CHECK: titan.mbarrier.wait %[[EMPTY]][%[[STAGE]] : i32] parity(%[[FLIPPED]])
    // CHECK: %[[BYTES:.+]] = arith.constant 8192 : i32
    // CHECK: %[[NEXT:.+]] = arith.select %[[WRAP:.+]], %{{.+}}, %{{.+}} : i32
    // CHECK: %[[NEXTP:.+]] = arith.select %[[WRAP]], %[[FLIPPED]], %[[PARITY]] : i32
    // CHECK: %[[SLOT:.+]] = titan.shared.slot %[[RING]][%[[STAGE]] : i32]
    // CHECK-NEXT: titan.elect {
    // CHECK-NEXT: titan.mbarrier.arrive_expect_tx %[[FULL]][%[[STAGE]] : i32], %[[BYTES]]
    // CHECK-NEXT: titan.tma.load %{{.+}}, %[[SLOT]], %[[FULL]][%[[STAGE]] : i32]
    // CHECK-NEXT: }
    // CHECK-NEXT: scf.yield %[[NEXT]], %[[NEXTP]]
    titan.partition "load" warps(1) {
      scf.for %i = %c0 to %count step %c1 {
        %x = arith.muli %i, %c64 : index
        %slot = titan.pipe.acquire %pipe : !titan.pipe<3>
        titan.pipe.load %map[%c0, %x] -> %slot["x"] : !map
        titan.pipe.commit %slot
      }
    }
    // CHECK: titan.partition "use"
    // CHECK: titan.mbarrier.wait %[[FULL]][%[[AT:.+]] : i32] parity(%{{.+}})
    // CHECK: titan.shared.slot %[[RING]][%[[AT]] : i32]
    // CHECK-NEXT: titan.shared.load
    // CHECK-NEXT: titan.fence.proxy_async shared_cta
    // CHECK-NEXT: titan.syncwarp
    // CHECK-NEXT: titan.elect {
    // CHECK-NEXT: titan.mbarrier.arrive %[[EMPTY]][%[[AT]] : i32]
    titan.partition "use" warps(4) {
      scf.for %i = %c0 to %count step %c1 {
        %slot = titan.pipe.wait %pipe : !titan.pipe<3>
        %x = titan.pipe.buffer %slot["x"] : !tile
        %r = titan.shared.load %x : !tile -> !regs
        titan.pipe.release %slot
      }
    }
  }
  titan.return
}

// A slot that may be none is given back where it is one; of a pipe filled by
// arrivals each warp arrives.
// CHECK-LABEL: titan.kernel @arrivals
// CHECK: titan.mbarrier.init %[[FULL:.+]] count(4)
// CHECK-NEXT: titan.mbarrier.init %[[EMPTY:.+]] count(1)
titan.kernel @arrivals(%n: i32) warps(5) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : bf16
  %count = arith.index_cast %n : i32 to index
  %ring = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "make" -> ["take"] buffers ["x"](%ring : !ring) fill(arrive) : !titan.pipe<3>
  titan.warp_specialize {
    // CHECK: titan.partition "make"
    // CHECK: titan.shared.store
    // CHECK-NEXT: titan.syncwarp
    // CHECK-NEXT: titan.elect {
    // CHECK-NEXT: titan.mbarrier.arrive %[[FULL]][
    titan.partition "make" warps(4) {
      %x = titan.splat %one : bf16 -> !regs
      scf.for %i = %c0 to %count step %c1 {
        %slot = titan.pipe.acquire %pipe : !titan.pipe<3>
        %buffer = titan.pipe.buffer %slot["x"] : !tile
        titan.shared.store %x, %buffer : !regs, !tile
        titan.pipe.commit %slot
      }
    }
    // CHECK: titan.partition "take"
    // CHECK: %[[SOME:.+]] = arith.cmpi ne, %[[LAST:.+]], %{{.+}} : i32
    // CHECK-NEXT: scf.if %[[SOME]] {
    // CHECK: titan.mbarrier.arrive %[[EMPTY]][%[[LAST]] : i32]
    titan.partition "take" warps(1) {
      %none = titan.token.none : !titan.slot
      %r = scf.for %i = %c0 to %count step %c1 iter_args(%last = %none) -> (!titan.slot) {
        %slot = titan.pipe.wait %pipe : !titan.pipe<3>
        titan.pipe.release %last
        scf.yield %slot : !titan.slot
      }
    }
  }
  titan.return
}

// A copy by schedule tells the barrier of its bytes itself. So the acquire expects those of
// the loads only, and the arrival is behind all copies, at the commit.
#schedule = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>

// CHECK-LABEL: titan.kernel @copies
// CHECK: titan.mbarrier.init %[[FULL:.+]] count(1)
titan.kernel @copies(%A: !titan.global<?x?xbf16>, %n: i32) warps(5) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %A : !titan.global<?x?xbf16> -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %count = arith.index_cast %n : i32 to index
  %x = titan.shared.alloc : !ring
  %y = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x", "y"](%x, %y : !ring, !ring) : !titan.pipe<3>
  titan.warp_specialize {
    // CHECK: titan.partition "load"
    // CHECK: %[[BYTES:.+]] = arith.constant 8192 : i32
    // CHECK: %[[X:.+]] = titan.shared.slot
    // CHECK: %[[Y:.+]] = titan.shared.slot
    // CHECK-NEXT: titan.elect {
    // CHECK-NEXT: titan.mbarrier.expect_tx %[[FULL]][%[[STAGE:.+]] : i32], %[[BYTES]]
    // CHECK-NEXT: titan.tma.load %{{.+}}, %[[X]], %[[FULL]][%[[STAGE]] : i32]
    // CHECK-NEXT: titan.copy_async %{{.+}} at(Mo = %{{.+}}, Ko = %{{.+}}) to %[[Y]] signals %[[FULL]][%[[STAGE]] : i32] schedule(#titan.schedule<{{.*}}>) strong :
    // CHECK-NEXT: titan.mbarrier.arrive %[[FULL]][%[[STAGE]] : i32]
    // CHECK-NEXT: }
    titan.partition "load" warps(1) {
      scf.for %i = %c0 to %count step %c1 {
        %k = arith.muli %i, %c64 : index
        %slot = titan.pipe.acquire %pipe : !titan.pipe<3>
        titan.pipe.load %map[%c0, %k] -> %slot["x"] : !map
        titan.pipe.copy_async %A at(Mo = %c0, Ko = %i) -> %slot["y"] schedule(#schedule) strong : !titan.global<?x?xbf16>
        titan.pipe.commit %slot
      }
    }
    titan.partition "use" warps(4) {
      scf.for %i = %c0 to %count step %c1 {
        %slot = titan.pipe.wait %pipe : !titan.pipe<3>
        titan.pipe.release %slot
      }
    }
  }
  titan.return
}

// Without loads nothing is expected at the acquire.
// CHECK-LABEL: titan.kernel @copies_only
titan.kernel @copies_only(%A: !titan.global<?x?xbf16>) warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %y = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["y"](%y : !ring) : !titan.pipe<3>
  titan.warp_specialize {
    // CHECK: titan.partition "load"
    // CHECK-NOT: expect_tx
    // CHECK: titan.copy_async
    // CHECK-NEXT: titan.mbarrier.arrive
    titan.partition "load" warps(1) {
      %slot = titan.pipe.acquire %pipe : !titan.pipe<3>
      titan.pipe.copy_async %A at(Mo = %c0, Ko = %c0) -> %slot["y"] schedule(#schedule) : !titan.global<?x?xbf16>
      titan.pipe.commit %slot
    }
    titan.partition "use" warps(1) {
      %slot = titan.pipe.wait %pipe : !titan.pipe<3>
      titan.pipe.release %slot
    }
  }
  titan.return
}
