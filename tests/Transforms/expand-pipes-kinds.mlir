// RUN: titan-opt %s --pass-pipeline='builtin.module(titan.kernel(titan-expand-pipes))' | FileCheck %s

!map  = !titan.tensor_map<64x64xbf16, swizzle = 128>
!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
!tile = !titan.shared<64x64xbf16, swizzle = 128>
!regs = tensor<64x64xbf16, #titan.wgmma<1, 1>>
!turn = !titan.pipe<1>
!pipe = !titan.pipe<2>

// Turns: one ring of barriers, at which each warp of the producer arrives. A credit is a use before the first:
// its parity is that of the round before, which is over at the beginning.
// CHECK-LABEL: titan.kernel @turns
// CHECK: titan.mbarrier.init %[[A:.+]] count(4)
// CHECK-NEXT: titan.mbarrier.init %[[B:.+]] count(4)
// CHECK-NEXT: titan.fence.mbarrier_init
titan.kernel @turns(%n: i32) warps(8) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.index_cast %n : i32 to index
  %first = titan.pipe.create "right" -> ["left"] credit(1) : !turn
  %second = titan.pipe.create "left" -> ["right"] : !turn
  titan.warp_specialize {
    // CHECK: titan.partition "left"
    // CHECK: scf.for {{.*}} iter_args(%{{.+}} = %{{.+}}, %[[PARITY:.+]] = %c1_i32{{.*}}, %{{.+}} = %{{.+}}, %{{.+}} = %c0_i32
    // CHECK: titan.mbarrier.wait %[[A]] parity(%[[PARITY]])
    // CHECK: titan.syncwarp
    // CHECK-NEXT: titan.elect {
    // CHECK-NEXT: titan.mbarrier.arrive %[[B]]
    titan.partition "left" warps(4) {
      scf.for %i = %c0 to %count step %c1 {
        %turn = titan.pipe.wait %first : !turn
        titan.pipe.signal %second : !turn
      }
    }
    // CHECK: titan.partition "right"
    // CHECK: titan.mbarrier.wait %[[B]] parity
    // CHECK: titan.mbarrier.arrive %[[A]]
    titan.partition "right" warps(4) {
      scf.for %i = %c0 to %count step %c1 {
        %turn = titan.pipe.wait %second : !turn
        titan.pipe.signal %first : !turn
      }
    }
  }
  titan.return
}

// A partition that fills slots and stores them itself: no barriers in memory. The thread that stores waits for
// its groups, a named barrier tells the others, and nobody leaves before the last store has read.
// CHECK-LABEL: titan.kernel @stores
// CHECK-NOT: mbarrier
titan.kernel @stores(%X: !titan.global<?x?xbf16>, %n: i32) warps(4) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %X : !titan.global<?x?xbf16> -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : bf16
  %count = arith.index_cast %n : i32 to index
  %ring = titan.shared.alloc : !ring
  %out = titan.pipe.create "work" -> ["work"] buffers ["x"](%ring : !ring) fill(arrive) release(bulk_read) : !pipe
  titan.warp_specialize {
    titan.partition "work" warps(4) {
      %x = titan.splat %one : bf16 -> !regs
      // CHECK: scf.for
      scf.for %i = %c0 to %count step %c1 {
        // CHECK: titan.elect warp(0) {
        // CHECK-NEXT: titan.bulk.wait_group 1 read
        // CHECK: titan.barrier.sync 15 threads(128)
        %slot = titan.pipe.acquire %out : !pipe
        // CHECK: titan.shared.slot
        %buffer = titan.pipe.buffer %slot["x"] : !tile
        // CHECK: titan.shared.store
        titan.shared.store %x, %buffer : !regs, !tile
        // CHECK-NEXT: titan.fence.proxy_async shared_cta
        // CHECK-NEXT: titan.barrier.sync 15 threads(128)
        titan.pipe.commit %slot
        titan.elect warp(0) {
          %row = arith.muli %i, %c64 : index
          // CHECK: titan.tma.store
          titan.tma.store %buffer, %map[%row, %c0] : !tile, !map
          // CHECK-NEXT: titan.bulk.commit
          titan.pipe.release %slot
        }
      }
      // CHECK: titan.elect warp(0) {
      // CHECK-NEXT: titan.bulk.wait_group 0 read
    }
  }
  titan.return
}

// Another partition stores: it gives the slot back when its stores have read it.
// CHECK-LABEL: titan.kernel @storer
titan.kernel @storer(%X: !titan.global<?x?xbf16>, %n: i32) warps(5) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %X : !titan.global<?x?xbf16> -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : bf16
  %count = arith.index_cast %n : i32 to index
  %ring = titan.shared.alloc : !ring
  // CHECK: titan.mbarrier.init %[[FULL:.+]] count(4)
  // CHECK-NEXT: titan.mbarrier.init %[[EMPTY:.+]] count(1)
  %out = titan.pipe.create "work" -> ["store"] buffers ["x"](%ring : !ring) fill(arrive) release(bulk_read) : !pipe
  titan.warp_specialize {
    titan.partition "work" warps(4) {
      %x = titan.splat %one : bf16 -> !regs
      scf.for %i = %c0 to %count step %c1 {
        %slot = titan.pipe.acquire %out : !pipe
        %buffer = titan.pipe.buffer %slot["x"] : !tile
        titan.shared.store %x, %buffer : !regs, !tile
        // CHECK: titan.fence.proxy_async shared_cta
        // CHECK-NEXT: titan.syncwarp
        // CHECK-NEXT: titan.elect {
        // CHECK-NEXT: titan.mbarrier.arrive %[[FULL]]
        titan.pipe.commit %slot
      }
    }
    // CHECK: titan.partition "store"
    titan.partition "store" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %count step %c1 {
          %slot = titan.pipe.wait %out : !pipe
          %buffer = titan.pipe.buffer %slot["x"] : !tile
          %row = arith.muli %i, %c64 : index
          // CHECK: titan.tma.store
          titan.tma.store %buffer, %map[%row, %c0] : !tile, !map
          // CHECK-NEXT: titan.bulk.commit
          // CHECK-NEXT: titan.bulk.wait_group 0 read
          // CHECK-NEXT: titan.mbarrier.arrive %[[EMPTY]]
          titan.pipe.release %slot
        }
      }
    }
  }
  titan.return
}

// A scalar in a slot goes from ordinary stores to ordinary loads: no proxy fence on the way.
// CHECK-LABEL: titan.kernel @mailbox
// CHECK-NOT: fence.proxy_async
titan.kernel @mailbox(%n: i32) warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.index_cast %n : i32 to index
  %box = titan.shared.alloc : !titan.shared<1xi32, slots = 2>
  %mail = titan.pipe.create "write" -> ["read"] buffers ["n"](%box : !titan.shared<1xi32, slots = 2>) fill(arrive) : !pipe
  titan.warp_specialize {
    titan.partition "write" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %count step %c1 {
          // CHECK: titan.mbarrier.test_wait %[[EMPTY:.+]][%{{.+}} : i32] parity
          %ready = titan.pipe.try_acquire %mail : !pipe
          titan.print "ready ", %ready : i1
          // CHECK: titan.mbarrier.wait %[[EMPTY]]
          %slot = titan.pipe.acquire %mail : !pipe
          %page = titan.pipe.buffer %slot["n"] : !titan.shared<1xi32>
          titan.st %n, %page[%c0] : i32, !titan.shared<1xi32>
          titan.pipe.commit %slot
        }
      }
    }
    titan.partition "read" warps(1) {
      scf.for %i = %c0 to %count step %c1 {
        %slot = titan.pipe.wait %mail : !pipe
        %page = titan.pipe.buffer %slot["n"] : !titan.shared<1xi32>
        %value = titan.ld %page[%c0] : !titan.shared<1xi32> -> i32
        titan.pipe.release %slot
      }
    }
  }
  titan.return
}

// Both CTAs fill the slots of both: each barrier expects the bytes of both loads, waits for the consumers of both, and
// nobody leaves while a peer may still send. A slot has two parts.
// CHECK-LABEL: titan.kernel @multicast
titan.kernel @multicast(%X: !titan.global<?x?xbf16>, %n: i32) warps(5) cluster(2) launch {
  %c2 = arith.constant 2 : index
  %map = titan.tensor_map %X : !titan.global<?x?xbf16> -> !map
  titan.launch grid(%c2) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %both = arith.constant 3 : i16
  %rank32 = titan.cluster_rank
  %rank = arith.index_cast %rank32 : i32 to index
  %count = arith.index_cast %n : i32 to index
  %ring = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 4>
  // CHECK: titan.mbarrier.init %[[FULL:.+]] count(1)
  // CHECK-NEXT: titan.mbarrier.init %[[EMPTY:.+]] count(8)
  // CHECK: titan.cluster.arrive relaxed
  // CHECK-NEXT: titan.cluster.wait
  %x = titan.pipe.create "load" -> ["use"] buffers ["x"](%ring : !titan.shared<64x64xbf16, swizzle = 128, slots = 4>)
      release(multicast_arrive) : !pipe
  titan.warp_specialize {
    // CHECK: titan.partition "load"
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %count step %c1 {
          // CHECK: titan.mbarrier.wait %[[EMPTY]]{{.*}} scope(cluster)
          // CHECK-NEXT: %[[BYTES:.+]] = arith.constant 16384 : i32
          // CHECK-NEXT: titan.mbarrier.arrive_expect_tx %[[FULL]]{{.*}}, %[[BYTES]]
          %slot = titan.pipe.acquire %x : !pipe
          // CHECK: arith.muli %[[STAGE:.+]], %{{.+}} : i32
          // CHECK: titan.tma.load {{.*}} multicast(
          titan.pipe.load %map[%c0, %c0] -> %slot["x"][%rank] multicast(%both) : !map
          titan.pipe.commit %slot
        }
      }
    }
    // CHECK: titan.partition "use"
    // CHECK-COUNT-2: titan.map_rank %[[EMPTY]]
    titan.partition "use" warps(4) {
      scf.for %i = %c0 to %count step %c1 {
        // CHECK: titan.mbarrier.wait %[[FULL]]{{.*}} scope(cluster)
        %slot = titan.pipe.wait %x : !pipe
        // CHECK-COUNT-2: titan.mbarrier.arrive {{.*}} scope(cluster) : <2, cluster>
        titan.pipe.release %slot
      }
    }
  }
  // CHECK: titan.cluster.arrive{{$}}
  // CHECK-NEXT: titan.cluster.wait
  // CHECK-NEXT: titan.return
  titan.return
}

// Two consumers, each of which takes runs of slots: the other one's are skipped.
// CHECK-LABEL: titan.kernel @exclusive
// CHECK: titan.mbarrier.init %{{.+}} count(1)
// CHECK-NEXT: titan.mbarrier.init %{{.+}} count(4)
titan.kernel @exclusive(%X: !titan.global<?x?xbf16>, %n: i32) warps(9) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %X : !titan.global<?x?xbf16> -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %count = arith.index_cast %n : i32 to index
  %ring = titan.shared.alloc : !ring
  %x = titan.pipe.create "load" -> ["left", "right"] buffers ["x"](%ring : !ring) exclusive : !pipe
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %count step %c1 {
          %slot = titan.pipe.acquire %x : !pipe
          titan.pipe.load %map[%c0, %c0] -> %slot["x"] : !map
          titan.pipe.commit %slot
        }
      }
    }
    titan.partition "left" warps(4) {
      %slot = titan.pipe.wait %x : !pipe
      titan.pipe.release %slot
    }
    // CHECK: titan.partition "right"
    // CHECK: %[[N:.+]] = arith.index_cast %{{.+}} : index to i32
    // CHECK: %[[AT:.+]] = arith.addi %{{.+}}, %[[N]] : i32
    // CHECK: %[[ROUNDS:.+]] = arith.divui %[[AT]]
    // CHECK: %[[STAGE:.+]] = arith.remui %[[AT]]
    // CHECK: %[[ODD:.+]] = arith.andi %[[ROUNDS]]
    // CHECK: %[[PARITY:.+]] = arith.xori %{{.+}}, %[[ODD]]
    // CHECK: titan.mbarrier.wait %{{.+}}[%[[STAGE]] : i32] parity(%[[PARITY]])
    titan.partition "right" warps(4) {
      titan.pipe.skip %x, %c3 : !pipe
      %slot = titan.pipe.wait %x : !pipe
      titan.pipe.release %slot
    }
  }
  titan.return
}

// Blackwell: products say when they have read their slots, and when their sums are there.
// CHECK-LABEL: titan.kernel @products
titan.kernel @products(%X: !titan.global<?x?xbf16>, %n: i32) warps(6) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %X : !titan.global<?x?xbf16> -> !titan.tensor_map<128x64xbf16, swizzle = 128>
  titan.launch grid(%c1) with(%map : !titan.tensor_map<128x64xbf16, swizzle = 128>)
} body(%map: !titan.tensor_map<128x64xbf16, swizzle = 128>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.index_cast %n : i32 to index
  %a = titan.shared.alloc : !titan.shared<128x64xbf16, swizzle = 128, slots = 2>
  %b = titan.shared.alloc : !titan.shared<128x64xbf16, swizzle = 128, slots = 2>
  %d = titan.tmem.alloc : !titan.tensor_memory<128x128xf32, slots = 2>
  // CHECK: titan.mbarrier.init %[[FULL:[^ ]+]] count(1)
  // CHECK-NEXT: titan.mbarrier.init %[[EMPTY:[^ ]+]] count(1)
  // CHECK-NEXT: titan.mbarrier.init %[[DONE:[^ ]+]] count(1)
  // CHECK-NEXT: titan.mbarrier.init %[[FREE:[^ ]+]] count(4)
  %ab = titan.pipe.create "load" -> ["multiply"] buffers ["a", "b"](%a, %b : !titan.shared<128x64xbf16, swizzle = 128, slots = 2>, !titan.shared<128x64xbf16, swizzle = 128, slots = 2>) release(tcgen05_commit) : !pipe
  %sums = titan.pipe.create "multiply" -> ["store"] buffers ["d"](%d : !titan.tensor_memory<128x128xf32, slots = 2>) fill(tcgen05_commit) : !pipe
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %count step %c1 {
          %slot = titan.pipe.acquire %ab : !pipe
          titan.pipe.load %map[%c0, %c0] -> %slot["a"] : !titan.tensor_map<128x64xbf16, swizzle = 128>
          titan.pipe.load %map[%c0, %c0] -> %slot["b"] : !titan.tensor_map<128x64xbf16, swizzle = 128>
          titan.pipe.commit %slot
        }
      }
    }
    // CHECK: titan.partition "multiply"
    titan.partition "multiply" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %count step %c1 {
          // CHECK: titan.mbarrier.wait %[[FREE]]
          %sum = titan.pipe.acquire %sums : !pipe
          // CHECK: titan.tmem.slot
          %to = titan.pipe.buffer %sum["d"] : !titan.tensor_memory<128x128xf32>
          %slot = titan.pipe.wait %ab : !pipe
          %slotA = titan.pipe.buffer %slot["a"] : !titan.shared<128x64xbf16, swizzle = 128>
          %slotB = titan.pipe.buffer %slot["b"] : !titan.shared<128x64xbf16, swizzle = 128>
          // CHECK: titan.tcgen05.mma
          titan.tcgen05.mma %slotA, %slotB, %to : !titan.shared<128x64xbf16, swizzle = 128>, !titan.shared<128x64xbf16, swizzle = 128>, !titan.tensor_memory<128x128xf32>
          // CHECK: titan.tcgen05.commit %[[EMPTY]]
          titan.pipe.release %slot
          // CHECK: titan.tcgen05.commit %[[DONE]]
          titan.pipe.commit %sum
        }
      }
    }
    // CHECK: titan.partition "store"
    titan.partition "store" warps(4) {
      scf.for %i = %c0 to %count step %c1 {
        // CHECK: titan.mbarrier.wait %[[DONE]]
        %sum = titan.pipe.wait %sums : !pipe
        // CHECK: titan.mbarrier.arrive %[[FREE]]
        titan.pipe.release %sum
      }
    }
  }
  titan.return
}
