// IDIOM: multicast, releases to every producer
//
// The two CTAs of a cluster load a half of each slot and send it to both. So a slot is free when the consumers of both
// CTAs have released it to both producers.
//
// RUN: titan check %s --require=searched | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @bare: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @pipe: accepted
// CHECK: {{^}}  proved, for every size
//
// The barrier counts one CTA's consumer.
// VARIANT counts_one: in two `count(2)` -> `count(1)`
// RUN: %variant counts_one %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=COUNTS-ONE
// COUNTS-ONE: [phase-ambiguous]
// One producer is told twice, the other never.
// VARIANT twice_to_one: in peer `%empty1` -> `%empty0`
// RUN: %variant twice_to_one %s | not titan check - --kernel bare 2>&1 | FileCheck %s --check-prefix=TWICE-TO-ONE
// TWICE-TO-ONE: [phase-ambiguous]
// Slots that copies read and copies write are freed at the default scope, too (MM-62). (Of what threads read the order of memory
// is asked: Litmus/mm-042-scopes.mlir.)
// VARIANT narrow: in peer ` scope(cluster)` -> ``
// RUN: %variant narrow %s | titan check - --kernel bare --require=proved | FileCheck %s --check-prefix=FREED
// FREED: @bare: accepted: 0 errors, 0 warnings
// FREED: {{^}}  proved, for every size
// But not before the copy has read it.
// VARIANT early: in peer ` scope(cluster)` -> ``
// VARIANT early: drop read
// RUN: %variant early %s | not titan check - --kernel bare --require=proved 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: [completion-not-observed]
// The halves go to one CTA only.
// VARIANT to_one: in mask `3` -> `1`
// RUN: %variant to_one %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=TO-ONE
// TO-ONE: [pipe-cluster]
// A CTA that does not wait for the last barrier may end before its peer has done with its memory: refused, and not proved.
// VARIANT leaves: drop last
// RUN: %variant leaves %s > %t.leaves.mlir
// RUN: not titan check %t.leaves.mlir --kernel bare 2>&1 | FileCheck %s --check-prefix=LEAVES
// LEAVES: [cluster-exit]
// RUN: titan-mutate %t.leaves.mlir --kernel bare --prove --every 1000000 --schedules 1 | FileCheck %s --check-prefix=ASKED
// ASKED: kernels as they are: 1, 1 refused, 0 proved

!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!bars = !titan.mbarrier<2>
!remote = !titan.mbarrier<2, cluster>
!pipe = !titan.pipe<2>
!bulk = !titan.token<bulk>
!halves = !titan.shared<8x64xbf16, swizzle = 128, slots = 4>

// A slot's uses alternate between parities: use n is in round n div 2.
func.func private @parity(%use: index) -> i32 {
  %two = arith.constant 2 : index
  %depth = arith.constant 2 : index
  %round = arith.divui %use, %depth : index
  %odd = arith.remui %round, %two : index
  %parity = arith.index_cast %odd : index to i32
  return %parity : i32
}

titan.kernel @bare(%X: !global, %Y: !global) warps(2) cluster(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64"}} launch {
  %two = arith.constant 2 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %rowsY = titan.dim %Y, 0 : !global
  %same = arith.cmpi eq, %rows, %rowsY : index
  titan.require %same, "launch-check", "Y has a row for each row of X"
  %mapY = titan.tensor_map %Y : !global -> !map
  titan.launch grid(%two) with(%map, %mapY, %n : !map, !map, index)
} body(%map: !map, %mapY: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %rank32 = titan.cluster_rank
  %rank = arith.index_cast %rank32 : i32 to index
  %other = arith.subi %c1, %rank : index
  %tiles = titan.shared.alloc : !halves
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(2) : !bars // @two
    titan.fence.mbarrier_init
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %both = arith.constant 3 : i16
        %all = arith.constant 2048 : i32
        scf.for %i = %c0 to %n step %c1 {
          %stage = arith.remui %i, %c2 : index
          %next = arith.addi %i, %c2 : index
          %free = func.call @parity(%next) : (index) -> i32
          %pair = arith.muli %stage, %c2 : index
          %part = arith.addi %pair, %rank : index
          %twice = arith.muli %i, %c2 : index
          %block = arith.addi %twice, %rank : index
          %row = arith.muli %block, %c8 : index
          titan.mbarrier.wait %empty[%stage : index] parity(%free) scope(cluster) : !bars
          titan.mbarrier.arrive_expect_tx %full[%stage : index], %all : !bars
          %slot = titan.shared.slot %tiles[%part : index] : !halves -> !tile
          titan.tma.load %map[%row, %c0], %slot, %full[%stage : index] multicast(%both) : !map, !tile, !bars
        }
      }
    }
    titan.partition "use" warps(1) {
      %empty0 = titan.map_rank %empty, %i0 : !bars -> !remote
      %empty1 = titan.map_rank %empty, %i1 : !bars -> !remote
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
          %stage = arith.remui %i, %c2 : index
          %parity = func.call @parity(%i) : (index) -> i32
          %pair = arith.muli %stage, %c2 : index
          %part = arith.addi %pair, %other : index
          %twice = arith.muli %i, %c2 : index
          %block = arith.addi %twice, %other : index
          %row = arith.muli %block, %c8 : index
          titan.mbarrier.wait %full[%stage : index] parity(%parity) scope(cluster) : !bars
          %slot = titan.shared.slot %tiles[%part : index] : !halves -> !tile
          titan.tma.store %slot, %mapY[%row, %c0] : !tile, !map
          %g = titan.bulk.commit : !bulk
          titan.bulk.wait %g read : !bulk // @read
          titan.mbarrier.arrive %empty0[%stage : index] scope(cluster) : !remote
          titan.mbarrier.arrive %empty1[%stage : index] scope(cluster) : !remote // @peer
        }
      }
    }
  }
  titan.cluster.arrive
  titan.cluster.wait // @last
  titan.return
}

titan.kernel @pipe(%X: !global, %Y: !global) warps(2) cluster(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64"}} launch {
  %two = arith.constant 2 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %rowsY = titan.dim %Y, 0 : !global
  %same = arith.cmpi eq, %rows, %rowsY : index
  titan.require %same, "launch-check", "Y has a row for each row of X"
  %mapY = titan.tensor_map %Y : !global -> !map
  titan.launch grid(%two) with(%map, %mapY, %n : !map, !map, index)
} body(%map: !map, %mapY: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %rank32 = titan.cluster_rank
  %rank = arith.index_cast %rank32 : i32 to index
  %other = arith.subi %c1, %rank : index
  %tiles = titan.shared.alloc : !halves
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%tiles : !halves) release(multicast_arrive) : !pipe
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %both = arith.constant 3 : i16 // @mask
        scf.for %i = %c0 to %n step %c1 {
          %twice = arith.muli %i, %c2 : index
          %block = arith.addi %twice, %rank : index
          %row = arith.muli %block, %c8 : index
          %slot = titan.pipe.acquire %pipe : !pipe
          titan.pipe.load %map[%row, %c0] -> %slot["x"][%rank] multicast(%both) : !map
          titan.pipe.commit %slot
        }
      }
    }
    titan.partition "use" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
          %twice = arith.muli %i, %c2 : index
          %block = arith.addi %twice, %other : index
          %row = arith.muli %block, %c8 : index
          %slot = titan.pipe.wait %pipe : !pipe
          %in = titan.pipe.buffer %slot["x"][%other] : !tile
          titan.tma.store %in, %mapY[%row, %c0] : !tile, !map
          %g = titan.bulk.commit : !bulk
          titan.bulk.wait %g read : !bulk
          titan.pipe.release %slot
        }
      }
    }
  }
  titan.return
}
