// MM-122: which slot and parity an iteration takes is computed from the loop's counter. What comes
// round only after more iterations than are looked at, or changes after them, is undecided.
//
// RUN: titan check %s
// A ring of three slots does not repeat with 256.
// VARIANT byte_counter: replace use with %byte = arith.trunci %s32 : i32 to i8 %use = arith.extui %byte : i8 to i32
// RUN: %variant byte_counter %s | not titan check - 2>&1 | FileCheck %s --check-prefix=TURN
// VARIANT masked: replace use with %use = arith.andi %s32, %i255 : i32
// RUN: %variant masked %s | not titan check - 2>&1 | FileCheck %s --check-prefix=TURN
// VARIANT modulo_301: replace use with %use = arith.remui %s32, %i301 : i32
// RUN: %variant modulo_301 %s | not titan check - 2>&1 | FileCheck %s --check-prefix=TURN
// VARIANT and_its_256th: replace use with %q = arith.shrui %s32, %i8 : i32 %use = arith.addi %s32, %q : i32
// RUN: %variant and_its_256th %s | not titan check - 2>&1 | FileCheck %s --check-prefix=TURN
// VARIANT and_its_301st: replace use with %q = arith.divui %s32, %i301 : i32 %use = arith.addi %s32, %q : i32
// RUN: %variant and_its_301st %s | not titan check - 2>&1 | FileCheck %s --check-prefix=TURN
// TURN: {{\[}}undecided{{\]}} slots, parities or branches of this loop may change or repeat only after {{[0-9]+}} iterations
//
// One of four does.
// VARIANT byte_counter_ring_of_4: replace ring with !ring   = !titan.shared<64x64xbf16, swizzle = 128, slots = 4>
// VARIANT byte_counter_ring_of_4: replace bars with !bars   = !titan.mbarrier<4>
// VARIANT byte_counter_ring_of_4: replace depth with %depth = arith.constant 4 : i32
// VARIANT byte_counter_ring_of_4: as byte_counter
// RUN: %variant byte_counter_ring_of_4 %s | titan check -
// And 24 is a multiple of 6: within reach.
// VARIANT modulo_24: replace use with %use = arith.remui %s32, %i24 : i32
// RUN: %variant modulo_24 %s | titan check -
// 25 is none: this is wrong.
// VARIANT modulo_25: replace use with %use = arith.remui %s32, %i25 : i32
// RUN: %variant modulo_25 %s | not titan check - 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: {{\[}}phase-ambiguous{{\]}}
//
// VARIANT least_301: replace use with %use = arith.minui %s32, %i301 : i32
// RUN: %variant least_301 %s | not titan check - 2>&1 | FileCheck %s --check-prefix=LATE
// VARIANT next_after_301: replace use with %first = arith.cmpi ult, %s32, %i301 : i32 %next = arith.addi %s32, %i1 : i32 %use = arith.select %first, %s32, %next : i32
// RUN: %variant next_after_301 %s | not titan check - 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: {{\[}}undecided{{\]}} slots, parities or branches of this loop may change or repeat only after 303 iterations
//
// A slot and a parity that are carried repeat; a parity that stays from iteration 301 on does not.
// VARIANT state: in loop `{` -> `iter_args(%at = %zero, %odd = %zero) -> (i32, i32) {`
// VARIANT state: drop slot
// VARIANT state: drop parity
// VARIANT carried: as state
// VARIANT carried: after last add %next = arith.addi %at, %i1 : i32 %over = arith.cmpi eq, %next, %depth : i32 %at2 = arith.select %over, %zero, %next : i32 %odd2 = arith.select %over, %even, %odd : i32 scf.yield %at2, %odd2 : i32, i32
// RUN: %variant carried %s | titan check -
// VARIANT stays: as state
// VARIANT stays: after last add %next = arith.addi %at, %i1 : i32 %over = arith.cmpi eq, %next, %depth : i32 %at2 = arith.select %over, %zero, %next : i32 %early = arith.cmpi ult, %s32, %i301 : i32 %turns = arith.andi %over, %early : i1 %odd2 = arith.select %turns, %even, %odd : i32 scf.yield %at2, %odd2 : i32, i32
// RUN: %variant stays %s | not titan check - 2>&1 | FileCheck %s --check-prefix=LATE
//
// Near ones are tried: the slot of iteration 7 is that of 6 again.
// VARIANT least_8: replace use with %use = arith.minui %s32, %i8 : i32
// RUN: %variant least_8 %s | not titan check - 2>&1 | FileCheck %s --check-prefix=WRONG

!global = !titan.global<?x?xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!ring   = !titan.shared<64x64xbf16, swizzle = 128, slots = 3> // @ring
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bars   = !titan.mbarrier<3> // @bars
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!reg    = tensor<64x64xbf16, #rows>

titan.kernel @ring(%A: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %k = titan.dim %A, 1 : !global
  %steps = arith.ceildivui %k, %c64 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA, %steps : !map, index)
} body(%mapA: !map, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %i8 = arith.constant 8 : i32
  %i24 = arith.constant 24 : i32
  %i25 = arith.constant 25 : i32
  %i255 = arith.constant 255 : i32
  %i301 = arith.constant 301 : i32
  %depth = arith.constant 3 : i32 // @depth
  %bytes = arith.constant 8192 : i32
  %zero = arith.constant 0 : i32
  %ring = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %s = %c0 to %steps step %c1 { // @loop
          %s32 = arith.index_castui %s : index to i32
          %use = arith.addi %s32, %zero : i32 // @use
          %at = arith.remui %use, %depth : i32 // @slot
          %round = arith.divui %use, %depth : i32
          %odd = arith.remui %round, %i2 : i32 // @parity
          %even = arith.xori %odd, %i1 : i32
          %slot = arith.index_castui %at : i32 to index
          %k = arith.muli %s, %c64 : index
          %tile = titan.shared.slot %ring[%slot : index] : !ring -> !tile
          titan.mbarrier.wait %empty[%slot : index] parity(%even) : !bars
          titan.mbarrier.arrive_expect_tx %full[%slot : index], %bytes : !bars
          titan.tma.load %mapA[%c0, %k], %tile, %full[%slot : index] : !map, !tile, !bars // @last
        }
      }
    }
    titan.partition "use" warps(1) {
      scf.for %s = %c0 to %steps step %c1 {
        %s32 = arith.index_castui %s : index to i32
        %at = arith.remui %s32, %depth : i32
        %round = arith.divui %s32, %depth : i32
        %odd = arith.remui %round, %i2 : i32
        %slot = arith.index_castui %at : i32 to index
        %tile = titan.shared.slot %ring[%slot : index] : !ring -> !tile
        titan.mbarrier.wait %full[%slot : index] parity(%odd) : !bars
        %v = titan.shared.load %tile : !tile -> !reg
        titan.fence.proxy_async shared_cta
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty[%slot : index] : !bars
        }
      }
    }
  }
  titan.return
}
