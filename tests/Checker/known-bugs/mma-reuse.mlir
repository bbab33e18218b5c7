// facebookexperimental/triton#1278: one product is left pending, and the slot it reads is released as free.
//
// CODES: mma-slot-reuse
// RUN: %python %S/Inputs/bug_and_fix.py %s --shape A=64x320 --arg A=random:1 --shape D=64x320 --arg D=random:2

#acc    = #titan.wgmma<1, 1>
!global = !titan.global<?x?xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!ring   = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bars   = !titan.mbarrier<2>
!sums   = tensor<64x64xf32, #acc>
!flight = !titan.inflight<!sums>
!group  = !titan.token<mma>

titan.kernel @bug(%A: !global, %D: !global) warps(8) launch {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  %k = titan.dim %A, 1 : !global
  %c64 = arith.constant 64 : index
  %steps = arith.ceildivui %k, %c64 : index
  titan.launch grid(%c1) with(%mapA, %mapD, %steps : !map, !map, index)
} body(%mapA: !map, %mapD: !map, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %bytes = arith.constant 16384 : i32
  %a = titan.shared.alloc : !ring
  %b = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(4) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "multiply" warps(4) {
      %none = titan.inflight.none : !flight
      %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %none) -> (!flight) {
        %s = arith.remui %i, %c2 : index
        %use = arith.divui %i, %c2 : index
        %odd = arith.remui %use, %c2 : index
        %parity = arith.index_cast %odd : index to i32
        titan.mbarrier.wait %full[%s : index] parity(%parity) : !bars
        %x = titan.shared.slot %a[%s : index] : !ring -> !tile
        %y = titan.shared.slot %b[%s : index] : !ring -> !tile
        titan.mma.fence
        %more = arith.cmpi ne, %i, %c0 : index
        %next = titan.mma %x, %y, %acc accumulate(%more) : !tile, !tile, !flight -> !flight
        %g = titan.mma.commit : !group
        titan.mma.wait_group 1
        titan.elect {
          titan.mbarrier.arrive %empty[%s : index] : !bars
        }
        scf.yield %next : !flight
      }
      %result = titan.mma.result %sum : !flight -> !sums
    }
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %steps step %c1 {
          %s = arith.remui %i, %c2 : index
          %use = arith.divui %i, %c2 : index
          %uses = arith.addi %use, %c1 : index
          %odd = arith.remui %uses, %c2 : index
          %parity = arith.index_cast %odd : index to i32
          titan.mbarrier.wait %empty[%s : index] parity(%parity) : !bars
          titan.mbarrier.arrive_expect_tx %full[%s : index], %bytes : !bars
          %x = titan.shared.slot %a[%s : index] : !ring -> !tile
          %y = titan.shared.slot %b[%s : index] : !ring -> !tile
          %k = arith.muli %i, %c64 : index
          // BUG
          titan.tma.load %mapA[%c0, %k], %x, %full[%s : index] : !map, !tile, !bars
          titan.tma.load %mapD[%c0, %k], %y, %full[%s : index] : !map, !tile, !bars
        }
      }
    }
  }
  titan.return
}

titan.kernel @fix(%A: !global, %D: !global) warps(8) launch {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  %k = titan.dim %A, 1 : !global
  %c64 = arith.constant 64 : index
  %steps = arith.ceildivui %k, %c64 : index
  titan.launch grid(%c1) with(%mapA, %mapD, %steps : !map, !map, index)
} body(%mapA: !map, %mapD: !map, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %bytes = arith.constant 16384 : i32
  %a = titan.shared.alloc : !ring
  %b = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(4) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "multiply" warps(4) {
      %none = titan.inflight.none : !flight
      %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %none) -> (!flight) {
        %s = arith.remui %i, %c2 : index
        %use = arith.divui %i, %c2 : index
        %odd = arith.remui %use, %c2 : index
        %parity = arith.index_cast %odd : index to i32
        titan.mbarrier.wait %full[%s : index] parity(%parity) : !bars
        %x = titan.shared.slot %a[%s : index] : !ring -> !tile
        %y = titan.shared.slot %b[%s : index] : !ring -> !tile
        titan.mma.fence
        %more = arith.cmpi ne, %i, %c0 : index
        %next = titan.mma %x, %y, %acc accumulate(%more) : !tile, !tile, !flight -> !flight
        %g = titan.mma.commit : !group
        titan.mma.wait_group 0
        titan.elect {
          titan.mbarrier.arrive %empty[%s : index] : !bars
        }
        scf.yield %next : !flight
      }
      %result = titan.mma.result %sum : !flight -> !sums
    }
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %steps step %c1 {
          %s = arith.remui %i, %c2 : index
          %use = arith.divui %i, %c2 : index
          %uses = arith.addi %use, %c1 : index
          %odd = arith.remui %uses, %c2 : index
          %parity = arith.index_cast %odd : index to i32
          titan.mbarrier.wait %empty[%s : index] parity(%parity) : !bars
          titan.mbarrier.arrive_expect_tx %full[%s : index], %bytes : !bars
          %x = titan.shared.slot %a[%s : index] : !ring -> !tile
          %y = titan.shared.slot %b[%s : index] : !ring -> !tile
          %k = arith.muli %i, %c64 : index
          titan.tma.load %mapA[%c0, %k], %x, %full[%s : index] : !map, !tile, !bars
          titan.tma.load %mapD[%c0, %k], %y, %full[%s : index] : !map, !tile, !bars
        }
      }
    }
  }
  titan.return
}
