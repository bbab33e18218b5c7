// RUN: titan-opt %s | titan-opt | FileCheck %s
// RUN: titan-opt %s --mlir-print-op-generic | titan-opt | FileCheck %s
//
// Every operation as it is written, and as it is printed back.

#row = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#acc = #titan.wgmma<1, 1>
#lines = #titan.layout<"reg: 8*c1, 2*c32, 2*r8; lane: 4*c8, 8*r1; warp: 4*r16">
#turned = #titan.layout<"reg: 8*r1, 2*r32, 2*c8; lane: 4*r8, 8*c1; warp: 4*c16">
!map = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile = !titan.shared<64x64xbf16, swizzle = 128>
!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
!peer = !titan.shared<64x64xbf16, swizzle = 128, cluster>
!regs = tensor<64x64xbf16, #row>
!index = tensor<64x64xi32, #row>
!bits = tensor<64x64xi1, #row>
!sums = tensor<64x64xf32, #acc>
!one = tensor<i32, #titan.slice<0, #titan.blocked<elements = [1], lanes = [32], warps = [4]>>>
!flight = !titan.inflight<tensor<64x64xf32, #acc>>

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>

// CHECK: titan.kernel @all(%A: !titan.global<?x?xbf16>, %flags: !titan.global<?xi32>, %n: i32) warps(8) registers(128) cluster(2, 1)
// CHECK-SAME: attributes {note = "kept"} launch {
titan.kernel @all(%A: !titan.global<?x?xbf16>, %flags: !titan.global<?xi32>, %n: i32)
    warps(8) registers(128) cluster(2, 1) attributes {note = "kept"} launch {
  // CHECK: titan.dim %A, 0
  %m = titan.dim %A, 0 : !titan.global<?x?xbf16>
  // CHECK: titan.stride %A, 0
  %pitch = titan.stride %A, 0 : !titan.global<?x?xbf16>
  // CHECK: titan.device_property "multiprocessor_count"
  %sms = titan.device_property "multiprocessor_count"
  %good = arith.cmpi ult, %sms, %m : index
  // CHECK: titan.require %{{.*}}, "launch-grid", "too few rows"
  titan.require %good, "launch-grid", "too few rows"
  // CHECK: titan.tensor_map %A
  %map = titan.tensor_map %A : !titan.global<?x?xbf16> -> !map
  // CHECK: titan.launch grid(%{{.*}}, %{{.*}}) with(%{{.*}}
  titan.launch grid(%sms, %m) with(%map : !map)
// CHECK: } body(%map: !titan.tensor_map<64x64xbf16, swizzle = 128>) {
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %true = arith.constant true
  %mask = arith.constant 3 : i16
  // CHECK: titan.cta_id 0
  %x = titan.cta_id 0
  // CHECK: titan.num_ctas 1
  %y = titan.num_ctas 1
  // CHECK: titan.cluster_rank
  %rank = titan.cluster_rank
  // CHECK: titan.shared.alloc
  %ring = titan.shared.alloc : !ring
  // CHECK: titan.mbarrier.alloc
  %full = titan.mbarrier.alloc : !titan.mbarrier<2>
  // CHECK: titan.mbarrier.alloc
  %one = titan.mbarrier.alloc : !titan.mbarrier
  // CHECK: titan.shared.slot %{{.*}}[%{{.*}} : i32]
  %tile = titan.shared.slot %ring[%i0 : i32] : !ring -> !tile
  // CHECK: titan.shared.view %{{.*}} [8, 0]
  %view = titan.shared.view %tile [8, 0] : !tile -> !titan.shared<8x64xbf16, swizzle = 128>
  // CHECK: titan.shared.reuse %{{.*}} at(8192)
  %reused = titan.shared.reuse %ring at(8192) : !ring -> !titan.shared<32x64xf32>
  // CHECK: titan.map_rank %{{.*}}, %{{.*}}
  %peer = titan.map_rank %tile, %rank : !tile -> !peer
  // CHECK: titan.map_rank
  %remote = titan.map_rank %one, %rank : !titan.mbarrier -> !titan.mbarrier<cluster>

  // CHECK: titan.elect warp(0) {
  titan.elect warp(0) {
    // CHECK: titan.mbarrier.init %{{.*}} count(2)
    titan.mbarrier.init %full count(2) : !titan.mbarrier<2>
    // CHECK: titan.mbarrier.init %{{.*}}[%{{.*}} : i32] count(1)
    titan.mbarrier.init %full[%i0 : i32] count(1) : !titan.mbarrier<2>
    // CHECK: titan.fence.mbarrier_init
    titan.fence.mbarrier_init
  }
  // CHECK: titan.cta_sync
  titan.cta_sync
  // CHECK: titan.cluster.arrive relaxed
  titan.cluster.arrive relaxed
  // CHECK: titan.cluster.wait
  titan.cluster.wait

  // CHECK: titan.warp_specialize {
  titan.warp_specialize {
    // CHECK: titan.partition "load" warps(1) registers(40) {
    titan.partition "load" warps(1) registers(40) {
      // CHECK: titan.elect -> !titan.token<bulk> {
      %token = titan.elect -> !titan.token<bulk> {
        %bytes = arith.constant 8192 : i32
        // CHECK: titan.mbarrier.arrive_expect_tx %{{.*}}[%{{.*}} : i32], %{{.*}}
        titan.mbarrier.arrive_expect_tx %full[%i0 : i32], %bytes : !titan.mbarrier<2>
        // CHECK: titan.mbarrier.expect_tx
        titan.mbarrier.expect_tx %one, %bytes : !titan.mbarrier
        // CHECK: titan.tma.load %map[%{{.*}}, %{{.*}}], %{{.*}}, %{{.*}}[%{{.*}} : i32] multicast(%{{.*}}) cache(evict_last)
        titan.tma.load %map[%c0, %c0], %tile, %full[%i0 : i32] multicast(%mask) cache(evict_last) : !map, !tile, !titan.mbarrier<2>
        // CHECK: titan.tma.prefetch %map[%{{.*}}, %{{.*}}]
        titan.tma.prefetch %map[%c0, %c0] : !map
        // CHECK: titan.copy_async %A at(Mo = %{{.*}}, Ko = %{{.*}}) to %{{.*}} signals %{{.*}}[%{{.*}} : i32] schedule(#titan.schedule<
        titan.copy_async %A at(Mo = %c0, Ko = %c0) to %tile signals %full[%i0 : i32] schedule(#tile) : !titan.global<?x?xbf16>, !tile, !titan.mbarrier<2>
        // CHECK: titan.tma.store %{{.*}}, %map[%{{.*}}, %{{.*}}]
        titan.tma.store %tile, %map[%c0, %c0] : !tile, !map
        // CHECK: titan.tma.reduce add %{{.*}}, %map[{{.*}}] cache(evict_last)
        titan.tma.reduce add %tile, %map[%c0, %c0] cache(evict_last) : !tile, !map
        // CHECK: titan.bulk.commit
        %g = titan.bulk.commit : !titan.token<bulk>
        // CHECK: titan.bulk.wait %{{.*}} read
        titan.bulk.wait %g read : !titan.token<bulk>
        // CHECK: titan.token.none : !titan.token<bulk>
        %older = titan.token.none : !titan.token<bulk>
        // CHECK: titan.bulk.wait_group 1
        titan.bulk.wait_group 1
        // CHECK: titan.yield %{{.*}}
        titan.yield %g : !titan.token<bulk>
      }
      // CHECK: titan.mbarrier.arrive %{{.*}} scope(cluster)
      titan.mbarrier.arrive %remote scope(cluster) : !titan.mbarrier<cluster>
      // CHECK: %{{.*}} = titan.mbarrier.arrive %{{.*}} -> !titan.phase
      %state = titan.mbarrier.arrive %one : !titan.mbarrier -> !titan.phase
      // CHECK: titan.mbarrier.wait_state %{{.*}} state(%{{.*}})
      titan.mbarrier.wait_state %one state(%state) : !titan.mbarrier
      // CHECK: titan.mbarrier.test_wait %{{.*}} parity(%{{.*}})
      %done = titan.mbarrier.test_wait %one parity(%i0) : !titan.mbarrier
      // CHECK: titan.mbarrier.inval %{{.*}} :
      titan.mbarrier.inval %one : !titan.mbarrier
      // CHECK: titan.fence acq_rel gpu
      titan.fence acq_rel gpu
      // CHECK: titan.fence.proxy_async shared_cta
      titan.fence.proxy_async shared_cta
      // CHECK: titan.syncwarp
      titan.syncwarp
      // CHECK: titan.barrier.arrive 2 threads(64)
      titan.barrier.arrive 2 threads(64)
      // CHECK: titan.print "rows", %{{.*}} : i32
      titan.print "rows", %n : i32
      // CHECK: titan.assert %{{.*}}, "never"
      titan.assert %true, "never"
    }
    // CHECK: titan.partition "multiply" warps(4) {
    titan.partition "multiply" warps(4) {
      // CHECK: titan.mbarrier.wait %{{.*}}[%{{.*}} : i32] parity(%{{.*}})
      titan.mbarrier.wait %full[%i0 : i32] parity(%i0) : !titan.mbarrier<2>
      // CHECK: titan.barrier.sync 1 threads(128)
      titan.barrier.sync 1 threads(128)
      // CHECK: titan.inflight.none
      %none = titan.inflight.none : !flight
      // CHECK: titan.mma.fence
      titan.mma.fence
      // CHECK: titan.mma %{{.*}}, %{{.*}} transpose_b, %{{.*}} accumulate(%{{.*}})
      %d = titan.mma %tile, %tile transpose_b, %none accumulate(%true) : !tile, !tile, !flight -> !flight
      // CHECK: titan.mma.commit
      %group = titan.mma.commit : !titan.token<mma>
      // CHECK: titan.mma.wait %
      titan.mma.wait %group : !titan.token<mma>
      // CHECK: titan.mma.wait_group 0
      titan.mma.wait_group 0
      // CHECK: titan.mma.result %
      %sums = titan.mma.result %d : !flight -> !sums
      // CHECK: titan.panel %{{.*}}[%{{.*}}]
      %panel = titan.panel %sums[%c0] : !sums -> tensor<64x32xf32, #acc>
      // CHECK: titan.inflight.start
      %again = titan.inflight.start %sums : !sums -> !flight
      // CHECK: titan.reduce max
      %top = titan.reduce max %sums : !sums -> tensor<64xf32, #titan.slice<1, #acc>>
      // CHECK: titan.broadcast
      %wide = titan.broadcast %top : tensor<64xf32, #titan.slice<1, #acc>> -> !sums
      %which = titan.coordinate 1 : tensor<64x64xi32, #lines>
      // CHECK: titan.convert_layout %{{.*}} : tensor<64x64xf32, #titan.wgmma<1, 1>> ->
      %lines = titan.convert_layout %sums : !sums -> tensor<64x64xf32, #lines>
      // CHECK: titan.relabel
      %turned = titan.relabel %lines : tensor<64x64xf32, #lines> -> tensor<64x64xf32, #turned>
      // CHECK: titan.scan add %{{.*}} dimension(1) reverse
      %prefix = titan.scan add %lines dimension(1) reverse : tensor<64x64xf32, #lines>
      // CHECK: titan.gather %{{.*}}[%{{.*}}] dimension(1)
      %chosen = titan.gather %lines[%which] dimension(1) : tensor<64x64xf32, #lines>, tensor<64x64xi32, #lines> -> tensor<64x64xf32, #lines>
      // CHECK: titan.extract %{{.*}} [0, 32]
      %half = titan.extract %sums [0, 32] : !sums -> tensor<64x32xf32, #acc>
      // CHECK: titan.coordinate 1
      %j = titan.coordinate 1 : !index
      // CHECK: titan.splat
      %limit = titan.splat %n : i32 -> !index
      %only = titan.splat %n : i32 -> !one
      // CHECK: titan.unsplat %
      %number = titan.unsplat %only : !one -> i32
      %inside = arith.cmpi slt, %j, %limit : !index
      // CHECK: titan.any %
      %some = titan.any %inside : !bits
      // CHECK: titan.global.load %A[%{{.*}}, %{{.*}}] mask(%{{.*}} :
      %v = titan.global.load %A[%j, %j] mask(%inside : !bits) : !titan.global<?x?xbf16>, !index, !index -> !regs
      // CHECK: titan.global.store %{{.*}}, %A[
      titan.global.store %v, %A[%j, %j] : !regs, !titan.global<?x?xbf16>, !index, !index
      // CHECK: titan.global.atom add %{{.*}}, %flags[%{{.*}}] mask(%{{.*}}) sem(acq_rel) : {{.*}} -> tensor<64x64xi32
      %counts = titan.global.atom add %j, %flags[%j] mask(%inside : !bits) sem(acq_rel) : !index, !titan.global<?xi32>, !index -> !index
      // CHECK: titan.shared.store %{{.*}}, %{{.*}} matrix
      titan.shared.store %v, %tile matrix : !regs, !tile
      // CHECK: titan.shared.load
      %w = titan.shared.load %tile : !tile -> !regs
      // CHECK: titan.ld %flags[%{{.*}}] sem(acquire) scope(gpu)
      %old = titan.ld %flags[%c0] sem(acquire) scope(gpu) : !titan.global<?xi32> -> i32
      %positive = arith.cmpi sge, %old, %i0 : i32
      // CHECK: titan.assume %{{.*}}, "a flag is no negative number"{{$}}
      titan.assume %positive, "a flag is no negative number"
      // CHECK: titan.st %{{.*}}, %flags[%{{.*}}] sem(release) scope(gpu)
      titan.st %n, %flags[%c0] sem(release) scope(gpu) : i32, !titan.global<?xi32>
      // CHECK: titan.atom add
      %before = titan.atom add %n, %flags[%c0] : i32, !titan.global<?xi32> -> i32
      // CHECK: titan.atom exch %{{.*}} where(%{{.*}} : i32), %flags[%{{.*}}] sem(acquire)
      %swapped = titan.atom exch %n where(%before : i32), %flags[%c0] sem(acquire) : i32, !titan.global<?xi32> -> i32
      // CHECK: titan.flag.signal %flags
      titan.flag.signal %flags[%c0], %n : !titan.global<?xi32>
      // CHECK: titan.flag.wait %flags
      titan.flag.wait %flags[%c0], %n : !titan.global<?xi32>
      // CHECK: titan.warp_id
      %warp = titan.warp_id
    }
  }
  // CHECK: titan.return
  titan.return
}

// CHECK: titan.kernel @pipes(%A: !titan.global<?x?xbf16>) warps(2)
titan.kernel @pipes(%A: !titan.global<?x?xbf16>) warps(2) launch {
  %one = arith.constant 1 : index
  %map = titan.tensor_map %A : !titan.global<?x?xbf16> -> !map
  titan.launch grid(%one) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %ring = titan.shared.alloc : !ring
  // CHECK: titan.pipe.create "load" -> ["use"] buffers ["a"](%{{.*}}
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["a"](%ring : !ring) : !titan.pipe<2>
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      // CHECK: titan.pipe.acquire %{{.*}}
      %slot = titan.pipe.acquire %pipe : !titan.pipe<2>
      // CHECK: titan.pipe.load %map[%{{.*}}, %{{.*}}] -> %{{.*}}["a"]
      titan.pipe.load %map[%c0, %c0] -> %slot["a"] : !map
      // CHECK: titan.pipe.copy_async %A at(Mo = %{{.*}}, Ko = %{{.*}}) -> %{{.*}}["a"] schedule(#titan.schedule<{{.*}}>) strong fill(nan) cache(evict_first, fraction = 5.000000e-01) : <?x?xbf16>
      titan.pipe.copy_async %A at(Mo = %c0, Ko = %c0) -> %slot["a"] schedule(#tile) strong fill(nan) cache(evict_first, fraction = 0.5) : !titan.global<?x?xbf16>
      // CHECK: titan.pipe.commit
      titan.pipe.commit %slot
    }
    titan.partition "use" warps(1) {
      // CHECK: titan.pipe.wait
      %slot = titan.pipe.wait %pipe : !titan.pipe<2>
      // CHECK: titan.pipe.buffer %{{.*}}["a"]
      %a = titan.pipe.buffer %slot["a"] : !tile
      // CHECK: titan.pipe.release
      titan.pipe.release %slot
    }
  }
  titan.return
}

// CHECK: titan.kernel @turns() warps(3)
titan.kernel @turns() warps(3) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c2 = arith.constant 2 : index
  %box = titan.shared.alloc : !titan.shared<1xi32, slots = 4>
  // CHECK: titan.pipe.create "write" -> ["read"] credit(1) : <1>
  %turn = titan.pipe.create "write" -> ["read"] credit(1) : !titan.pipe<1>
  // CHECK: titan.pipe.create "write" -> ["read", "other"] buffers ["n"](%{{.*}}) fill(arrive) exclusive : <2>
  %mail = titan.pipe.create "write" -> ["read", "other"] buffers ["n"](%box : !titan.shared<1xi32, slots = 4>) fill(arrive) exclusive : !titan.pipe<2>
  titan.warp_specialize {
    titan.partition "write" warps(1) {
      // CHECK: titan.pipe.signal %{{.*}} : <1>
      titan.pipe.signal %turn : !titan.pipe<1>
      // CHECK: titan.pipe.try_acquire %{{.*}} : <2>
      %empty = titan.pipe.try_acquire %mail : !titan.pipe<2>
    }
    titan.partition "read" warps(1) {
      %taken = titan.pipe.wait %turn : !titan.pipe<1>
      // CHECK: titan.pipe.skip %{{.*}}, %{{.*}} : <2>
      titan.pipe.skip %mail, %c2 : !titan.pipe<2>
      // CHECK: titan.pipe.try_wait %{{.*}} : <2>
      %full = titan.pipe.try_wait %mail : !titan.pipe<2>
      %slot = titan.pipe.wait %mail : !titan.pipe<2>
      // CHECK: titan.pipe.buffer %{{.*}}["n"] [%{{.*}}]
      %page = titan.pipe.buffer %slot["n"][%c2] : !titan.shared<1xi32>
    }
    titan.partition "other" warps(1) { }
  }
  titan.return
}

// CHECK: titan.kernel @nothing() warps(1) launch {
titan.kernel @nothing() warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}

// CHECK: titan.kernel @addresses(%flags: !titan.global<?xi32>) warps(1)
titan.kernel @addresses(%flags: !titan.global<?xi32>) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  // CHECK: %[[ADDRESS:.*]] = titan.address_of %flags : <?xi32>
  %address = titan.address_of %flags : !titan.global<?xi32>
  // CHECK: titan.tensor_at %[[ADDRESS]] : <?xi32>
  %again = titan.tensor_at %address : !titan.global<?xi32>
  // CHECK: titan.tensor_at %[[ADDRESS]] align(16) : <?xf16>
  %halves = titan.tensor_at %address align(16) : !titan.global<?xf16>
  titan.return
}
