// IDIOM: stream-K: shares of one line of steps
//
// All steps of all tiles lie on one line, of which each CTA has an equal share: whoever has a tile's first step waits for
// those that have the others, which leave what they have in pages of their own, and adds that up.
//
// RUN: titan check %s --require=proved | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @shares: accepted
// CHECK: {{^}}  proved, for every size
//
// The owner waits for one helper fewer.
// VARIANT one_fewer: in more `%next` -> `%after`
// VARIANT one_fewer: before more add %after = arith.addi %next, %c1 : index
// RUN: %variant one_fewer %s | not titan check - 2>&1 | FileCheck %s --check-prefix=ONE-FEWER
// ONE-FEWER: [race]
// Rounded down, the CTA of the last step is left out.
// VARIANT rounded: in upto `ceildivui` -> `divui`
// RUN: %variant rounded %s | not titan check - --require=proved 2>&1 | FileCheck %s --check-prefix=ROUNDED
// ROUNDED: [undecided]
// Signalled before the page is written.
// VARIANT early: drop signal
// VARIANT early: before page add titan.flag.signal %flags[%tile], %i1 : !flags
// RUN: %variant early %s | not titan check - 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: [race]
// All have one page.
// VARIANT one_page: in page `%partial[%cta]` -> `%partial[%c0]`
// RUN: %variant one_page %s | not titan check - 2>&1 | FileCheck %s --check-prefix=ONE-PAGE
// ONE-PAGE: [race]
// One signal is there at the launch.
// VARIANT begun: in kernel `{flags = 0}` -> `{flags = 1}`
// RUN: %variant begun %s | not titan check - 2>&1 | FileCheck %s --check-prefix=BEGUN
// BEGUN: [race]
// More CTAs than are there at once, where later ones are waited for.
// VARIANT many: in grid `%sms` -> `%all`
// RUN: %variant many %s | not titan check - 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: [flag-co-residency]

!flags = !titan.global<?xi32>
!data = !titan.global<?xf32>

titan.kernel @shares(%S: !data, %Y: !data, %partial: !data, %flags: !flags) warps(1) attributes {titan.target = "sm_90a", titan.initial = {flags = 0}, // @kernel
  titan.example = {sizes = {M = 3, K = 5}, S = "K", Y = "M zeros", partial = "4 zeros", flags = "M zeros", multiprocessor_count = 4}} launch {
  %steps = titan.dim %S, 0 : !data
  %tiles = titan.dim %Y, 0 : !data
  %most = arith.constant 1073741824 : index
  %few = arith.cmpi ule, %tiles, %most : index
  titan.require %few, "launch-check", "few tiles"
  %all = arith.muli %tiles, %steps : index
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %all, %sms : index // @grid
  %pages = titan.dim %partial, 0 : !data
  %enough = arith.cmpi uge, %pages, %grid : index
  titan.require %enough, "launch-check", "a page for each CTA"
  %count = titan.dim %flags, 0 : !flags
  %counted = arith.cmpi uge, %count, %tiles : index
  titan.require %counted, "launch-check", "a flag for each tile"
  titan.launch grid(%grid) with(%steps, %all : index, index)
} body(%steps: index, %all: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %ctas = titan.num_ctas 0
  %next = arith.addi %cta, %c1 : index
  %begins = arith.muli %cta, %all : index
  %ends = arith.muli %next, %all : index
  %begin = arith.divui %begins, %ctas : index
  %end = arith.divui %ends, %ctas : index
  %first = arith.divui %begin, %steps : index
  %last = arith.ceildivui %end, %steps : index
  titan.elect warp(0) {
    scf.for %tile = %first to %last step %c1 {
      %following = arith.addi %tile, %c1 : index
      %tileBegin = arith.muli %tile, %steps : index
      %tileEnd = arith.muli %following, %steps : index
      %from = arith.maxui %begin, %tileBegin : index
      %owner = arith.cmpi eq, %from, %tileBegin : index
      scf.if %owner {
        %scaled = arith.muli %tileEnd, %ctas : index
        %upTo = arith.ceildivui %scaled, %all : index // @upto
        %more = arith.subi %upTo, %next : index // @more
        %helpers = arith.index_cast %more : index to i32
        titan.flag.wait %flags[%tile], %helpers : !flags
        %sum = scf.for %helper = %next to %upTo step %c1 iter_args(%sofar = %f1) -> (f32) {
          %part = titan.ld %partial[%helper] : !data -> f32
          %now = arith.addf %sofar, %part : f32
          scf.yield %now : f32
        }
        titan.st %sum, %Y[%tile] : f32, !data
      } else {
        titan.st %f1, %partial[%cta] : f32, !data // @page
        titan.flag.signal %flags[%tile], %i1 : !flags // @signal
      }
    }
  }
  titan.return
}
