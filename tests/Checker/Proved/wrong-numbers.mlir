// Programs that were proved once, and are wrong: numbers at the ends of their types.
// Bytes that a barrier expects are 0 or more, where they are computed, too.
// RUN: not titan check %s --kernel fewer 2>&1 | FileCheck %s --check-prefix=FEWER
// RUN: not titan run %s --kernel fewer 2>&1 | FileCheck %s --check-prefix=FEWER
// FEWER: error: [barrier-range] {{.*}}-256
// The least number is below 0, and so are its quotients by what is above; divided by -1 it is no number.
// RUN: not titan check %s --kernel up 2>&1 | FileCheck %s --check-prefix=UP
// RUN: not titan run %s --kernel up 2>&1 | FileCheck %s --check-prefix=UP
// UP: error: [race]
// RUN: not titan check %s --kernel turned 2>&1 | FileCheck %s --check-prefix=TURNED
// TURNED: error: [undecided] 'arith.divsi' of -2147483648 and -1 has no result
// TURNED: fix: say in the launch region, by titan.require, that the least number is not divided by -1
// RUN: not titan run %s --kernel turned --arg n=-2147483648 2>&1 | FileCheck %s --check-prefix=RUNS
// RUNS: error: [invalid-op] 'arith.divsi' of -2147483648 and -1 has no result
// VARIANT above: before launch add %least = arith.constant -2147483647 : i32 %good = arith.cmpi sge, %n, %least : i32 titan.require %good, "launch-check", "n has an opposite"
// RUN: %variant above %s | titan check - --kernel turned

!bar = !titan.mbarrier
!buf = !titan.shared<64xf32>
!data = !titan.global<?xf32>

titan.kernel @fewer(%X: !data, %Y: !data) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {X = "64 random:1", Y = "64 zeros"}} launch {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n = titan.dim %X, 0 : !data
  %m = titan.dim %Y, 0 : !data
  %x64 = arith.cmpi eq, %n, %c64 : index
  titan.require %x64, "launch-check", "X has 64 elements"
  %y64 = arith.cmpi eq, %m, %c64 : index
  titan.require %y64, "launch-check", "Y has 64 elements"
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %some = arith.constant 256 : i32
  %less = arith.subi %i0, %some : i32
  %more = arith.constant 512 : i32
  %full = titan.mbarrier.alloc : !bar
  %x = titan.shared.alloc : !buf
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
    titan.mbarrier.expect_tx %full, %less : !bar
    titan.mbarrier.arrive_expect_tx %full, %more : !bar
    titan.bulk.load %X[%c0], %x, %full : !data, !buf, !bar
    titan.mbarrier.wait %full parity(%i0) : !bar
    %v = titan.ld %x[%c0] : !buf -> f32
    titan.st %v, %Y[%c0] : f32, !data
  }
  titan.return
}

titan.kernel @up(%Y: !data) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 5}, Y = "M zeros"}} launch {
  %n = titan.dim %Y, 0 : !data
  titan.launch grid(%n)
} body() {
  %least = arith.constant -9223372036854775808 : i64
  %three = arith.constant 3 : i64
  %zero = arith.constant 0 : i64
  %c0 = arith.constant 0 : index
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  titan.elect warp(0) {
    %up = arith.ceildivsi %least, %three : i64
    %above = arith.cmpi slt, %zero, %up : i64
    %at = arith.select %above, %cta, %c0 : index
    titan.st %f1, %Y[%at] : f32, !data
  }
  titan.return
}

titan.kernel @turned(%n: i32) warps(1) attributes {titan.target = "sm_90a", titan.example = {n = 3 : i32}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1) // @launch
} body() {
  %back = arith.constant -1 : i32
  %turned = arith.divsi %n, %back : i32
  titan.return
}
