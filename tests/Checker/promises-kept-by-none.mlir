// That all launches are right is nothing where none is found: no number has that square, and no data keeps both promises.
// RUN: not titan check %s --kernel square 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not titan check %s --kernel promises 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: [undecided] no launch was found that the launch region admits
// NONE: nothing was executed: the kernel was not checked
// VARIANT root: in three `3 :` -> `9 :`
// RUN: %variant root %s | titan check - --kernel square --require=proved
// (The proof alone proves both, of no launch at all: they do not stand in Proved, whose programs titan-mutate runs.)

!data = !titan.global<?xf32>
!ints = !titan.global<?xi32>

titan.kernel @square(%Y: !data, %a: i32) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 5}, Y = "M zeros", a = 3 : i32}} launch {
  %n = titan.dim %Y, 0 : !data
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32 // @three
  %hundred = arith.constant 100 : i32
  %low = arith.cmpi sge, %a, %zero : i32
  titan.require %low, "launch-check", "a is 0 or more"
  %high = arith.cmpi sle, %a, %hundred : i32
  titan.require %high, "launch-check", "a is at most 100"
  %square = arith.muli %a, %a : i32
  %is = arith.cmpi eq, %square, %three : i32
  titan.require %is, "launch-check", "the square of a"
  titan.launch grid(%n)
} body() {
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  titan.elect warp(0) {
    titan.st %f1, %Y[%cta] : f32, !data
  }
  titan.return
}

titan.kernel @promises(%X: !ints, %Y: !data) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {X = "4 zeros", Y = "4 zeros"}} launch {
  %c1 = arith.constant 1 : index
  %n = titan.dim %X, 0 : !ints
  %m = titan.dim %Y, 0 : !data
  %some = arith.cmpi uge, %n, %c1 : index
  titan.require %some, "launch-check", "X has elements"
  %place = arith.cmpi uge, %m, %c1 : index
  titan.require %place, "launch-check", "Y has elements"
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %five = arith.constant 5 : i32
  %f1 = arith.constant 1.0 : f32
  titan.warp_specialize {
    titan.partition "a" warps(1) {
      titan.elect {
        %x = titan.ld %X[%c0] : !ints -> i32
        %more = arith.cmpi sgt, %x, %five : i32
        titan.assume %more, "more than 5"
        titan.st %f1, %Y[%c0] : f32, !data
      }
    }
    titan.partition "b" warps(1) {
      titan.elect {
        %x = titan.ld %X[%c0] : !ints -> i32
        %less = arith.cmpi slt, %x, %five : i32
        titan.assume %less, "less than 5"
        titan.st %f1, %Y[%c0] : f32, !data
      }
    }
  }
  titan.return
}
