// What one thread stores, again and again, to its CTA's own element is in program order: proved.
// RUN: titan check %s --require=proved | FileCheck %s
// CHECK: proved, for every size that the launch admits
// RUN: titan run %s --schedule skew:1
// Not so of two warps' threads, nor of two CTAs'.
// VARIANT warps: in one `elect warp(0)` -> `elect`
// VARIANT ctas: in place `%Y[%cta]` -> `%Y[%i]`
// RUN: %variant warps %s | not titan check - --require=proved 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: %variant ctas %s | not titan check - --require=proved 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: [race]

!data = !titan.global<?xf32>

titan.kernel @k(%Y: !data, %a: i32) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 5}, Y = "M zeros", a = 3 : i32}} launch {
  %n = titan.dim %Y, 0 : !data
  %least = arith.constant 1 : i32
  %most = arith.constant 4 : i32
  %some = arith.cmpi sge, %a, %least : i32
  titan.require %some, "launch-check", "a is 1 or more"
  %few = arith.cmpi sle, %a, %most : i32
  titan.require %few, "launch-check", "a is at most 4"
  titan.launch grid(%n)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %count = arith.index_cast %a : i32 to index
  titan.elect warp(0) { // @one
    scf.for %i = %c0 to %count step %c1 {
      titan.st %f1, %Y[%cta] : f32, !data // @place
    }
  }
  titan.return
}
