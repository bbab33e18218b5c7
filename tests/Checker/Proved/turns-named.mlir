// IDIOM: turns by named barriers
//
// Two partitions take turns at a buffer, by named barriers: who has written arrives, who reads syncs.
//
// RUN: titan check %s --kernel arrives --require=proved | FileCheck %s
// RUN: titan check %s --kernel syncs --require=proved | FileCheck %s
// CHECK: proved, for every size
// VARIANT no_turn: in first `ne, %i, %c0` -> `ugt, %i, %n`
// RUN: %variant no_turn %s | not titan check - --kernel arrives --require=proved 2>&1 | FileCheck %s --check-prefix=NO-TURN
// NO-TURN: [{{[a-z-]+}}]
// VARIANT arrives_only: in sync `sync` -> `arrive`
// RUN: %variant arrives_only %s | not titan check - --kernel arrives --require=proved 2>&1 | FileCheck %s --check-prefix=ARRIVES-ONLY
// ARRIVES-ONLY: [{{[a-z-]+}}]
// VARIANT other_order: in second `sync 2` -> `arrive 2`
// RUN: %variant other_order %s | not titan check - --kernel syncs --require=proved 2>&1 | FileCheck %s --check-prefix=OTHER-ORDER
// OTHER-ORDER: [{{[a-z-]+}}]

!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!ring2 = !titan.shared<8x64xbf16, swizzle = 128, slots = 2>
!ring3 = !titan.shared<8x64xbf16, swizzle = 128, slots = 3>
!bar = !titan.mbarrier
!bars2 = !titan.mbarrier<2>
!bars3 = !titan.mbarrier<3>
!regs = tensor<8x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>>

// The first turn is free, and nobody passes on the last one.
titan.kernel @arrives(%X: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1"}} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  titan.launch grid(%one) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 1024 : i32
  %buffer = titan.shared.alloc : !tile
  titan.warp_specialize {
    titan.partition "write" warps(1) {
      %zero = arith.constant 0.0 : bf16
      %v = titan.splat %zero : bf16 -> !regs
      scf.for %i = %c0 to %n step %c1 {
        %notFirst = arith.cmpi ne, %i, %c0 : index // @first
        scf.if %notFirst {
          titan.barrier.sync 2 threads(64)
        }
        titan.shared.store %v, %buffer : !regs, !tile
        titan.barrier.arrive 1 threads(64)
      }
    }
    titan.partition "read" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        titan.barrier.sync 1 threads(64) // @sync
        %x = titan.shared.load %buffer : !tile -> !regs
        %next = arith.addi %i, %c1 : index
        %more = arith.cmpi ult, %next, %n : index
        scf.if %more {
          titan.barrier.arrive 2 threads(64)
        }
      }
    }
  }
  titan.return
}

// The writer waits for both.
titan.kernel @syncs(%X: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1"}} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  titan.launch grid(%one) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 1024 : i32
  %buffer = titan.shared.alloc : !tile
  titan.warp_specialize {
    titan.partition "write" warps(1) {
      %zero = arith.constant 0.0 : bf16
      %v = titan.splat %zero : bf16 -> !regs
      scf.for %i = %c0 to %n step %c1 {
        titan.shared.store %v, %buffer : !regs, !tile
        titan.barrier.sync 1 threads(64)
        titan.barrier.sync 2 threads(64) // @second
      }
    }
    titan.partition "read" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        titan.barrier.sync 1 threads(64)
        %x = titan.shared.load %buffer : !tile -> !regs
        titan.barrier.arrive 2 threads(64)
      }
    }
  }
  titan.return
}
