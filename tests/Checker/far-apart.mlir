// What only large launches show: from the hundredth CTA, or tile, on two CTAs write one place. The search says that its launches are
// too small to show it; the proof must not leave it out. What moves places further apart is proved.
//
// RUN: titan check %s --require=proved | FileCheck %s
// VARIANT further: before store add %further = arith.addi %tile, %hundreds : index
// VARIANT further: before store add %hundreds = arith.divui %tile, %hundred : index
// VARIANT further: in store `%Y[%tile]` -> `%Y[%further]`
// VARIANT further: in enough `%tiles` -> `%twice`
// RUN: %variant further %s | titan check - --require=proved | FileCheck %s
// CHECK: proved, for every size that the launch admits
//
// The hundredth CTA writes what the one before does.
// VARIANT nearer: before store add %nearer = arith.subi %tile, %hundreds : index
// VARIANT nearer: before store add %hundreds = arith.divui %cta, %hundred : index
// VARIANT nearer: in store `%Y[%tile]` -> `%Y[%nearer]`
// RUN: %variant nearer %s | not titan check - --require=proved 2>&1 | FileCheck %s --check-prefix=APART
// All tiles from the hundredth on are one.
// VARIANT least: before store add %least = arith.minui %tile, %hundred : index
// VARIANT least: in store `%Y[%tile]` -> `%Y[%least]`
// RUN: %variant least %s | not titan check - --require=proved 2>&1 | FileCheck %s --check-prefix=APART
// They begin anew with it.
// VARIANT anew: before store add %anew = arith.remui %tile, %hundred : index
// VARIANT anew: in store `%Y[%tile]` -> `%Y[%anew]`
// RUN: %variant anew %s | not titan check - --require=proved 2>&1 | FileCheck %s --check-prefix=APART
// APART: nor is it proved: line [[#]]: two CTAs, or two iterations, are not shown to write different places of this tensor

!data = !titan.global<?xi32>

titan.kernel @turns(%X: !data, %Y: !data) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 7}, X = "M", Y = "64", multiprocessor_count = 3}} launch {
  %c1 = arith.constant 1 : index
  %tiles = titan.dim %X, 0 : !data
  %size = titan.dim %Y, 0 : !data
  %twice = arith.addi %tiles, %tiles : index
  %isEnough = arith.cmpi uge, %size, %tiles : index // @enough
  titan.require %isEnough, "launch-check", "an element for each tile"
  %some = arith.cmpi uge, %tiles, %c1 : index
  titan.require %some, "launch-check", "there are tiles"
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %tiles, %sms : index
  titan.launch grid(%grid) with(%tiles : index)
} body(%tiles: index) {
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %hundred = arith.constant 100 : index
  %cta = titan.cta_id 0
  %ctas = titan.num_ctas 0
  titan.elect warp(0) {
    scf.for %tile = %cta to %tiles step %ctas {
      titan.st %i1, %Y[%tile] : i32, !data // @store
    }
  }
  titan.return
}
