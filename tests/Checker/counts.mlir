// MM-122: counts that are not proportional to sizes (a minimum, a comparison, a division of a
// count) are tried on each side, and all small counts where the loop compares with its end or with
// a constant.
//
// RUN: titan check %s
// VARIANT least_40: replace count with %c40 = arith.constant 40 : index %count = arith.minui %steps, %c40 : index
// RUN: %variant least_40 %s | not titan check - 2>&1 | FileCheck %s
// VARIANT most_400: replace count with %c400 = arith.constant 400 : index %count = arith.maxui %steps, %c400 : index
// RUN: %variant most_400 %s | not titan check - 2>&1 | FileCheck %s
// VARIANT one_more_of_77: replace count with %is = arith.cmpi eq, %n, %i77 : i32 %x = arith.extui %is : i1 to i32 %more = arith.index_cast %x : i32 to index %count = arith.addi %steps, %more : index
// RUN: %variant one_more_of_77 %s | not titan check - 2>&1 | FileCheck %s
// VARIANT more_of_a_size: replace count with %x = arith.shrui %n, %i30 : i32 %more = arith.index_cast %x : i32 to index %count = arith.addi %steps, %more : index
// RUN: %variant more_of_a_size %s | not titan check - 2>&1 | FileCheck %s
// VARIANT more_of_each_50: replace count with %c50 = arith.constant 50 : index %more = arith.divui %steps, %c50 : index %count = arith.addi %steps, %more : index
// RUN: %variant more_of_each_50 %s | not titan check - 2>&1 | FileCheck %s
// VARIANT fewer_from_5_on: replace count with %c5 = arith.constant 5 : index %g = arith.cmpi uge, %steps, %c5 : index %less = arith.minui %steps, %c1 : index %count = arith.select %g, %steps, %less : index
// RUN: %variant fewer_from_5_on %s | not titan check - 2>&1 | FileCheck %s
// CHECK: error: {{\[(deadlock|barrier-unobserved|exit-with-work-outstanding|over-arrival|undefined-read)\]}}
//
// The same minimum for both sides is right.
// VARIANT least_40_of_both: as least_40
// VARIANT least_40_of_both: replace for with scf.for %s = %c0 to %count step %c1 {
// RUN: %variant least_40_of_both %s | titan check -
// A division has too many remainders to try them all: the proof settles what is right, and that alone.
// VARIANT more_of_each_1000: replace count with %c1000 = arith.constant 1000 : index %less = arith.divui %steps, %c1000 : index %zero = arith.muli %less, %c0 : index %count = arith.addi %steps, %zero : index
// RUN: %variant more_of_each_1000 %s | not titan check --proof=off - 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: %variant more_of_each_1000 %s | titan check --require=proved -
// VARIANT one_more_of_each_1000: replace count with %c1000 = arith.constant 1000 : index %more = arith.divui %steps, %c1000 : index %count = arith.addi %steps, %more : index
// RUN: %variant one_more_of_each_1000 %s | not titan check - 2>&1 | FileCheck %s --check-prefix=ONE-MORE --implicit-check-not=undecided
// RUN: %variant one_more_of_each_1000 %s | not titan check --proof=off - 2>&1 | FileCheck %s --check-prefix=MANY
// ONE-MORE: error: [deadlock] partition use
// MANY: {{\[}}undecided{{\]}} the checker does not follow a remainder {{.*}} that decides how often this loop runs
//
// The consumer leaves out one iteration: that is wrong, and seen, wherever it is.
// VARIANT without_2: replace all with %all = arith.cmpi ne, %s, %c2 : index
// RUN: %variant without_2 %s | not titan check - 2>&1 | FileCheck %s
// VARIANT without_7: replace all with %c7 = arith.constant 7 : index %all = arith.cmpi ne, %s, %c7 : index
// RUN: %variant without_7 %s | not titan check - 2>&1 | FileCheck %s
// VARIANT without_the_fifth_last: replace all with %c5 = arith.constant 5 : index %ahead = arith.addi %s, %c5 : index %all = arith.cmpi ne, %ahead, %steps : index
// RUN: %variant without_the_fifth_last %s | not titan check - 2>&1 | FileCheck %s

!global = !titan.global<?x?xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!ring   = !titan.shared<64x64xbf16, swizzle = 128, slots = 3>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bars   = !titan.mbarrier<3>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!reg    = tensor<64x64xbf16, #rows>

titan.kernel @ring(%A: !global, %n: i32) warps(2) launch {
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
  %c2 = arith.constant 2 : index
  %i30 = arith.constant 30 : i32
  %i77 = arith.constant 77 : i32
  %depth = arith.constant 3 : i32
  %bytes = arith.constant 8192 : i32
  %count = arith.addi %steps, %c0 : index // @count
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
        scf.for %s = %c0 to %steps step %c1 { // @for
          %s32 = arith.index_castui %s : index to i32
          %at = arith.remui %s32, %depth : i32
          %round = arith.divui %s32, %depth : i32
          %odd = arith.remui %round, %i2 : i32
          %even = arith.xori %odd, %i1 : i32
          %slot = arith.index_castui %at : i32 to index
          %k = arith.muli %s, %c64 : index
          %tile = titan.shared.slot %ring[%slot : index] : !ring -> !tile
          titan.mbarrier.wait %empty[%slot : index] parity(%even) : !bars
          titan.mbarrier.arrive_expect_tx %full[%slot : index], %bytes : !bars
          titan.tma.load %mapA[%c0, %k], %tile, %full[%slot : index] : !map, !tile, !bars
        }
      }
    }
    titan.partition "use" warps(1) {
      scf.for %s = %c0 to %count step %c1 {
        %s32 = arith.index_castui %s : index to i32
        %at = arith.remui %s32, %depth : i32
        %round = arith.divui %s32, %depth : i32
        %odd = arith.remui %round, %i2 : i32
        %slot = arith.index_castui %at : i32 to index
        %tile = titan.shared.slot %ring[%slot : index] : !ring -> !tile
        titan.mbarrier.wait %full[%slot : index] parity(%odd) : !bars
        %all = arith.constant true // @all
        %v = titan.shared.load %tile : !tile -> !reg
        titan.fence.proxy_async shared_cta
        titan.syncwarp
        scf.if %all {
          titan.elect {
            titan.mbarrier.arrive %empty[%slot : index] : !bars
          }
        }
      }
    }
  }
  titan.return
}
