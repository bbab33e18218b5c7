// Programs that were proved once, and are wrong: loops that count otherwise than they were taken to.
// As unsigned numbers these bounds are far apart: the step is 4 slots. As signed ones the loop does not run: it is 1.
// RUN: not titan check %s --kernel unsigned --undecided=warning 2>&1 | FileCheck %s --check-prefix=UNSIGNED
// UNSIGNED: not proved: line [[#]]: the bounds of this loop are compared as unsigned numbers
// RUN: not titan run %s --kernel unsigned --schedule skew:1 2>&1 | FileCheck %s --check-prefix=STUCK
// STUCK: [deadlock]
// VARIANT signed: in often `unsigned %j = %b0 to %b200` -> `%j = %b0 to %b200`
// RUN: %variant signed %s | titan run - --kernel unsigned
// RUN: %variant signed %s | titan check - --kernel unsigned --require=proved
// (A slot and a parity by shifts and masks are those by quotients and remainders; of two barriers it is not followed which one is waited for.)
// VARIANT bits: as signed
// VARIANT bits: in slot `remui %i, %c2` -> `andi %i, %c1`
// VARIANT bits: in round `divui %i, %c2` -> `shrui %i, %c1`
// VARIANT bits: in odd `remui %h, %c2` -> `andi %h, %c1`
// RUN: %variant bits %s | titan check - --kernel unsigned --require=proved
// VARIANT chosen: as signed
// VARIANT chosen: before filled add %first = arith.cmpi ult, %i, %n : index %which = arith.select %first, %full, %empty : !bars
// VARIANT chosen: in filled `%full[` -> `%which[`
// RUN: %variant chosen %s | titan check - --kernel unsigned --undecided=warning 2>&1 | FileCheck %s --check-prefix=CHOSEN
// CHOSEN: not proved: line [[#]]: which barrier this is, is not followed by the proof yet ({{titan explain MM-[0-9]+ says what is asked|docs/checker.md: Outside}}
// A counter of 64 bits may go past its last number, and two bounds be further apart: that they do not is assumed.
// RUN: titan check %s --kernel endless --require=proved | FileCheck %s --check-prefix=INDEX
// INDEX: assumed: no index overflows 64 bits
// RUN: titan check %s --kernel far --require=proved | FileCheck %s --check-prefix=INTEGER
// INTEGER: assumed: no integer of 64 bits wraps round
// VARIANT near: in far_bounds `%from` -> `%c0`
// RUN: %variant near %s | titan check - --kernel far --require=proved | FileCheck %s --check-prefix=NEAR --implicit-check-not=assumed
// NEAR: proved, for every size that the launch admits

!bars = !titan.mbarrier<2>
!data = !titan.global<?xf32>
!one = !titan.shared<1xf32>
!ring = !titan.shared<1xf32, slots = 2>

titan.kernel @unsigned(%X: !data, %Y: !data) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 13}, X = "M random:1", Y = "M zeros"}} launch {
  %c1 = arith.constant 1 : index
  %n = titan.dim %X, 0 : !data
  %m = titan.dim %Y, 0 : !data
  %same = arith.cmpi eq, %n, %m : index
  titan.require %same, "launch-check", "same"
  titan.launch grid(%c1) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %b0 = arith.constant 0 : i8
  %b100 = arith.constant 100 : i8
  %b200 = arith.constant -56 : i8
  %x = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "p" warps(1) {
      titan.elect {
        %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%slot = %i0, %ph = %i0) -> (i32, i32) {
          %freep = arith.xori %ph, %i1 : i32
          titan.mbarrier.wait %empty[%slot : i32] parity(%freep) : !bars
          %page = titan.shared.slot %x[%slot : i32] : !ring -> !one
          %v = titan.ld %X[%i] : !data -> f32
          titan.st %v, %page[%c0] : f32, !one
          titan.mbarrier.arrive %full[%slot : i32] : !bars
          %steps = scf.for unsigned %j = %b0 to %b200 step %b100 iter_args(%q = %i1) -> (i32) : i8 { // @often
            %q1 = arith.addi %q, %q : i32
            scf.yield %q1 : i32
          }
          %s1 = arith.addi %slot, %steps : i32
          %s2 = arith.remui %s1, %i2 : i32
          %was = arith.cmpi eq, %slot, %i1 : i32
          %w32 = arith.extui %was : i1 to i32
          %p2 = arith.xori %ph, %w32 : i32
          scf.yield %s2, %p2 : i32, i32
        }
      }
    }
    titan.partition "c" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
          %slot = arith.remui %i, %c2 : index // @slot
          %h = arith.divui %i, %c2 : index // @round
          %pp = arith.remui %h, %c2 : index // @odd
          %par = arith.index_cast %pp : index to i32
          titan.mbarrier.wait %full[%slot : index] parity(%par) : !bars // @filled
          %page = titan.shared.slot %x[%slot : index] : !ring -> !one
          %v = titan.ld %page[%c0] : !one -> f32
          titan.st %v, %Y[%i] : f32, !data
          titan.mbarrier.arrive %empty[%slot : index] : !bars
        }
      }
    }
  }
  titan.return
}

titan.kernel @endless(%n: i64) warps(1) attributes {titan.target = "sm_90a", titan.example = {n = 7 : i64}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %to = arith.index_cast %n : i64 to index
  scf.for %i = %c0 to %to step %c2 {
    titan.cta_sync
  }
  titan.return
}

titan.kernel @far(%a: i64, %b: i64) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {a = -7 : i64, b = 7 : i64}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %from = arith.minsi %a, %c1 : i64
  scf.for %i = %from to %b step %c1 : i64 { // @far_bounds
    titan.cta_sync
  }
  titan.return
}
