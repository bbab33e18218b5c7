// What peers bring and tell: each kernel is proved, and the one that differs by a line is neither accepted nor proved.
//
// RUN: titan check %s --kernel fills --require=proved
// RUN: titan check %s --kernel expects --require=proved
// RUN: titan check %s --kernel tells --require=proved
//
// The slot that is read is not the one that the peer has filled.
// VARIANT unfilled: in read `%c0` -> `%c1`
// RUN: %variant unfilled %s > %t.mlir
// RUN: not titan check %t.mlir --kernel fills 2>&1 | FileCheck %s --check-prefix=UNFILLED
// UNFILLED: [undefined-read]
// RUN: titan-mutate %t.mlir --kernel fills --prove --every 1000000 --schedules 0 | FileCheck %s --check-prefix=ASKED
// Who expects the bytes does not arrive behind that, and who arrives may come first.
// VARIANT another_arrives: drop arrival
// VARIANT another_arrives: after early add titan.elect { titan.mbarrier.arrive %full : !bar }
// RUN: %variant another_arrives %s > %t.mlir
// RUN: not titan check %t.mlir --kernel expects 2>&1 | FileCheck %s --check-prefix=ANOTHER
// ANOTHER: [barrier-bytes]
// RUN: titan-mutate %t.mlir --kernel expects --prove --every 1000000 --schedules 0 | FileCheck %s --check-prefix=ASKED
// The peer's bytes of use 0 of %full show that use 0 of %turn is over. Use 1 of %full, of which the peer brings nothing, shows no more.
// VARIANT tells_of_each: drop known
// RUN: %variant tells_of_each %s > %t.mlir
// RUN: not titan check %t.mlir --kernel tells 2>&1 | FileCheck %s --check-prefix=TELLS
// TELLS: [phase-ambiguous]
// RUN: titan-mutate %t.mlir --kernel tells --prove --every 1000000 --schedules 0 | FileCheck %s --check-prefix=ASKED
// A branch that one CTA takes, another one may leave in the same iteration.
// RUN: titan check %s --kernel sides --require=proved
// VARIANT both_sides: in else_side `%box` -> `%there`
// VARIANT both_sides: in else_side `!box` -> `!far_box`
// RUN: %variant both_sides %s > %t.mlir
// RUN: not titan check %t.mlir --kernel sides 2>&1 | FileCheck %s --check-prefix=SIDES
// SIDES: [race]
// RUN: titan-mutate %t.mlir --kernel sides --prove --every 1000000 --schedules 0 | FileCheck %s --check-prefix=ASKED
// Nobody has initialised the peer's barrier, by whose own all is well.
// RUN: titan check %s --kernel init --require=proved
// VARIANT own_only: in everybody `%always` -> `%first`
// RUN: %variant own_only %s > %t.mlir
// RUN: not titan check %t.mlir --kernel init 2>&1 | FileCheck %s --check-prefix=INIT
// INIT: [barrier-not-initialised]
// RUN: titan-mutate %t.mlir --kernel init --prove --every 1000000 --schedules 0 | FileCheck %s --check-prefix=ASKED
// As many bytes are expected in each as it sends to all and to itself: but another one sends more.
// RUN: titan check %s --kernel bytes --require=proved
// VARIANT not_alike: in loop `to %c1` -> `to %r`
// VARIANT not_alike: in branch `%always` -> `%first`
// VARIANT not_alike: in total `6144` -> `4096`
// RUN: %variant not_alike %s > %t.mlir
// RUN: not titan check %t.mlir --kernel bytes 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: [barrier-bytes]
// RUN: titan-mutate %t.mlir --kernel bytes --prove --every 1000000 --schedules 0 | FileCheck %s --check-prefix=ASKED
// A fence of shared_cta by who copies says nothing of what the peer has read (MM-34; `titan check` warns).
// RUN: titan check %s --kernel overwrites --require=proved
// VARIANT read_unfenced: drop has_read
// RUN: %variant read_unfenced %s > %t.mlir
// RUN: titan check %t.mlir --kernel overwrites 2>&1 | FileCheck %s --check-prefix=OVERWRITES
// OVERWRITES: warning: [war-generic-async]
// RUN: titan-mutate %t.mlir --kernel overwrites --prove --every 1000000 --schedules 0 | FileCheck %s --check-prefix=NOT-PROVED
// NOT-PROVED: kernels as they are: 1, 0 refused, 0 proved
// Each of them, for the rule that it breaks (rules.test).
// VARIANT all: as unfilled
// VARIANT all: as another_arrives
// VARIANT all: as tells_of_each
// VARIANT all: as both_sides
// VARIANT all: as own_only
// VARIANT all: as not_alike
// ASKED: kernels as they are: 1, 1 refused, 0 proved

#one = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
#two = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [2, 1]>
!tile = !titan.shared<8x64xbf16>
!peer = !titan.shared<8x64xbf16, cluster>
!ring = !titan.shared<8x64xbf16, slots = 2>
!bar = !titan.mbarrier
!far = !titan.mbarrier<cluster>
!bars = !titan.mbarrier<2>
!fars = !titan.mbarrier<2, cluster>
!box = !titan.shared<1xi32>
!far_box = !titan.shared<1xi32, cluster>
!reg = tensor<8x64xbf16, #one>
!regs = tensor<8x64xbf16, #two>

// CTA 0 fills slot 0 of the ring of CTA 1, where use 1 of the barrier comes without bytes.
titan.kernel @fills() warps(1) cluster(2) attributes {titan.target = "sm_90a"} launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 1024 : i32
  %z = arith.constant 0.0 : bf16
  %v = titan.splat %z : bf16 -> !reg
  %rank = titan.cluster_rank
  %other = arith.xori %rank, %i1 : i32
  %first = arith.cmpi eq, %rank, %i0 : i32
  %mine = titan.shared.alloc : !tile
  %theirs = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.shared.store %v, %mine : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cluster.arrive
  titan.cluster.wait
  %slot = titan.shared.slot %theirs[%c0 : index] : !ring -> !tile
  %there = titan.map_rank %slot, %other : !tile -> !peer
  %bar = titan.map_rank %full, %other : !bars -> !fars
  scf.if %first {
    titan.elect warp(0) {
      titan.mbarrier.arrive %full[%c0 : index] : !bars
      titan.bulk.copy_to_peer %mine, %there, %bar[%c0 : index] : !tile, !peer, !fars
    }
  } else {
    titan.elect warp(0) {
      titan.mbarrier.arrive_expect_tx %full[%c0 : index], %bytes : !bars
      titan.mbarrier.arrive %full[%c1 : index] : !bars
    }
    titan.mbarrier.wait %full[%c0 : index] parity(%i0) scope(cluster) : !bars
    titan.mbarrier.wait %full[%c1 : index] parity(%i0) scope(cluster) : !bars
    %read = titan.shared.slot %theirs[%c0 : index] : !ring -> !tile // @read
    %x = titan.shared.load %read : !tile -> !reg
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// Each expects what the other one sends.
titan.kernel @expects() warps(2) cluster(2) attributes {titan.target = "sm_90a"} launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 1024 : i32
  %z = arith.constant 0.0 : bf16
  %v = titan.splat %z : bf16 -> !regs
  %rank = titan.cluster_rank
  %other = arith.xori %rank, %i1 : i32
  %mine = titan.shared.alloc : !tile
  %theirs = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.shared.store %v, %mine : !regs, !tile
  titan.fence.proxy_async shared_cta
  titan.cluster.arrive
  titan.cluster.wait
  %there = titan.map_rank %theirs, %other : !tile -> !peer
  %bar = titan.map_rank %full, %other : !bar -> !far
  titan.warp_specialize {
    titan.partition "send" warps(1) {
      titan.elect {
        titan.mbarrier.expect_tx %full, %bytes : !bar
        titan.mbarrier.arrive %full : !bar // @arrival
        titan.bulk.copy_to_peer %mine, %there, %bar : !tile, !peer, !far
      }
    }
    titan.partition "use" warps(1) {
      %in_time = arith.constant 0 : i32 // @early
      titan.mbarrier.wait %full parity(%in_time) scope(cluster) : !bar
      %x = titan.shared.load %theirs : !tile -> !reg
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// CTA 1 goes three rounds at %turn; CTA 0 copies to it behind the first one.
titan.kernel @tells() warps(2) cluster(2) attributes {titan.target = "sm_90a"} launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 1024 : i32
  %z = arith.constant 0.0 : bf16
  %v = titan.splat %z : bf16 -> !regs
  %rank = titan.cluster_rank
  %other = arith.xori %rank, %i1 : i32
  %first = arith.cmpi eq, %rank, %i0 : i32
  %mine = titan.shared.alloc : !tile
  %theirs = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bars
  %turn = titan.mbarrier.alloc : !bar
  %go = titan.mbarrier.alloc : !bar
  %seen = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %turn count(2) : !bar
    titan.mbarrier.init %go count(1) : !bar
    titan.mbarrier.init %seen count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.shared.store %v, %mine : !regs, !tile
  titan.fence.proxy_async shared_cta
  titan.cluster.arrive
  titan.cluster.wait
  %there = titan.map_rank %theirs, %other : !tile -> !peer
  %bar = titan.map_rank %full, %other : !bars -> !fars
  %goes = titan.map_rank %go, %other : !bar -> !far
  titan.warp_specialize {
    titan.partition "slow" warps(1) {
      scf.if %first {
        titan.elect {
          titan.mbarrier.wait %go parity(%i0) scope(cluster) : !bar
          titan.bulk.copy_to_peer %mine, %there, %bar[%c0 : index] : !tile, !peer, !fars
        }
      } else {
        titan.elect {
          titan.mbarrier.arrive %turn : !bar
          titan.mbarrier.wait %turn parity(%i0) scope(cluster) : !bar
          titan.mbarrier.arrive %goes scope(cluster) : !far
        }
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %turn : !bar
          titan.mbarrier.wait %seen parity(%i0) scope(cluster) : !bar
          titan.mbarrier.arrive %turn : !bar
        }
      }
    }
    titan.partition "fast" warps(1) {
      scf.if %first {
      } else {
        titan.elect {
          titan.mbarrier.arrive %turn : !bar
          titan.mbarrier.arrive_expect_tx %full[%c0 : index], %bytes : !bars
        }
        titan.mbarrier.wait %turn parity(%i0) scope(cluster) : !bar
        titan.mbarrier.wait %full[%c0 : index] parity(%i0) scope(cluster) : !bars
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %turn : !bar
          titan.mbarrier.arrive %full[%c1 : index] : !bars
        }
        titan.mbarrier.wait %full[%c1 : index] parity(%i0) scope(cluster) : !bars
        titan.mbarrier.wait %turn parity(%i1) scope(cluster) : !bar // @known
        titan.elect {
          titan.mbarrier.arrive %turn : !bar
          titan.mbarrier.arrive %seen : !bar
        }
      }
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// In every third iteration each goes the other way than its peer does.
titan.kernel @sides() warps(1) cluster(2) attributes {titan.target = "sm_90a"} launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %i1 = arith.constant 1 : i32
  %box = titan.shared.alloc : !box
  %done = titan.mbarrier.alloc : !bar
  %ack = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %done count(2) : !bar
    titan.mbarrier.init %ack count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cluster.arrive
  titan.cluster.wait
  %rank = titan.cluster_rank
  %other = arith.xori %rank, %i1 : i32
  %r = arith.index_cast %rank : i32 to index
  %there = titan.map_rank %box, %other : !box -> !far_box
  %acks = titan.map_rank %ack, %other : !bar -> !far
  %told = titan.map_rank %done, %other : !bar -> !far
  scf.for %i = %c0 to %c4 step %c1 {
    %sum = arith.addi %i, %r : index
    %c3 = arith.constant 3 : index
    %odd = arith.remui %sum, %c3 : index
    %own = arith.cmpi eq, %odd, %c2 : index
    titan.elect {
      scf.if %own {
        titan.st %i1, %box[%c0] : i32, !box
      } else {
        titan.st %i1, %box[%c0] : i32, !box // @else_side
      }
      titan.mbarrier.arrive %done scope(cluster) : !bar
      titan.mbarrier.arrive %told scope(cluster) : !far
    }
    %turn = arith.remui %i, %c2 : index
    %parity = arith.index_cast %turn : index to i32
    titan.mbarrier.wait %done parity(%parity) scope(cluster) : !bar
    titan.syncwarp
    titan.elect {
      titan.mbarrier.arrive %acks scope(cluster) : !far
    }
    titan.mbarrier.wait %ack parity(%parity) scope(cluster) : !bar
    titan.syncwarp
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// One tells the other one, who does not wait.
titan.kernel @init() warps(1) cluster(2) attributes {titan.target = "sm_90a"} launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rank = titan.cluster_rank
  %other = arith.xori %rank, %i1 : i32
  %first = arith.cmpi eq, %rank, %i0 : i32
  %always = arith.constant true
  %full = titan.mbarrier.alloc : !bar
  scf.if %always { // @everybody
    titan.elect warp(0) {
      titan.mbarrier.init %full count(1) : !bar
      titan.fence.mbarrier_init
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  %bar = titan.map_rank %full, %other : !bar -> !far
  scf.if %first {
    titan.elect warp(0) {
      titan.mbarrier.arrive %bar scope(cluster) : !far
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// Each loads two tiles for both, and two for itself.
titan.kernel @bytes(%X: !titan.global<?x64xbf16>) warps(1) cluster(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1"}} launch {
  %two = arith.constant 2 : index
  %map = titan.tensor_map %X : !titan.global<?x64xbf16> -> !titan.tensor_map<8x64xbf16>
  titan.launch grid(%two) with(%map : !titan.tensor_map<8x64xbf16>)
} body(%map: !titan.tensor_map<8x64xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  %r = arith.index_cast %rank : i32 to index
  %always = arith.constant true
  %both = arith.constant 3 : i16
  %all = arith.constant 6144 : i32 // @total
  %ring = titan.shared.alloc : !titan.shared<8x64xbf16, slots = 4>
  %mine = titan.shared.slot %ring[%r : index] : !titan.shared<8x64xbf16, slots = 4> -> !tile
  %c2 = arith.constant 2 : index
  %behind = arith.addi %c2, %r : index
  %third = titan.shared.slot %ring[%behind : index] : !titan.shared<8x64xbf16, slots = 4> -> !tile
  %b = titan.shared.alloc : !tile
  %c = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %all : !bar
    titan.tma.load %map[%c0, %c0], %mine, %full multicast(%both) : !titan.tensor_map<8x64xbf16>, !tile, !bar
    scf.for %i = %c0 to %c1 step %c1 { // @loop
      titan.tma.load %map[%c0, %c0], %third, %full multicast(%both) : !titan.tensor_map<8x64xbf16>, !tile, !bar
    }
    scf.if %always { // @branch
      titan.tma.load %map[%c0, %c0], %b, %full : !titan.tensor_map<8x64xbf16>, !tile, !bar
      titan.tma.load %map[%c0, %c0], %c, %full : !titan.tensor_map<8x64xbf16>, !tile, !bar
    }
  }
  titan.mbarrier.wait %full parity(%i0) scope(cluster) : !bar
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// CTA 1 reads its tile, then CTA 0 copies another one over it.
titan.kernel @overwrites() warps(1) cluster(2) attributes {titan.target = "sm_90a"} launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 1024 : i32
  %z = arith.constant dense<0.0> : !reg
  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  %from = titan.shared.alloc : !tile
  %into = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.shared.store %z, %from : !reg, !tile
  titan.shared.store %z, %into : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.syncwarp
  %x = titan.shared.load %into : !tile -> !reg
  titan.fence.proxy_async shared_cta // @has_read
  titan.cluster.arrive
  titan.cluster.wait
  scf.if %first {
    titan.elect warp(0) {
      titan.fence.proxy_async shared_cta
      %to = titan.map_rank %into, %i1 : !tile -> !peer
      %bar = titan.map_rank %full, %i1 : !bar -> !far
      titan.bulk.copy_to_peer %from, %to, %bar : !tile, !peer, !far
    }
  } else {
    titan.elect warp(0) {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    }
    titan.mbarrier.wait %full parity(%i0) scope(cluster) : !bar
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}
