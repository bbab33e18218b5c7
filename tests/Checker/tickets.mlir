// Work that CTAs take from a counter while they run (MM-121): one warp asks and posts the answer in a mailbox,
// another reads it. For the checker the answers are dealt out in turn.
// RUN: titan check %s | FileCheck %s --check-prefix=GOOD
// GOOD: @queue: accepted: 0 errors
// GOOD: trip counts checked: tiles 0
// RUN: titan run %s | FileCheck %s --check-prefix=RUNS
// RUNS: verified
// RUN: titan-opt %s --pass-pipeline='builtin.module(titan.kernel(titan-deal-tickets))' | FileCheck %s --check-prefix=DEALT
// The asking warp gets one number more; each loop ends with the letter that names no work.
// DEALT: titan.partition "ask"
// DEALT: scf.for %[[T:.*]] = %{{.*}} to %{{.*}} step
// DEALT: titan.atom
// DEALT: %[[NUMBER:.*]] = arith.index_cast %[[T]]
// DEALT: titan.st %[[NUMBER]]
// DEALT: titan.atom
// DEALT: titan.partition "work"
// DEALT: scf.for %[[U:.*]] = %{{.*}} to
// DEALT: titan.ld
// DEALT: arith.index_cast %[[U]]
// DEALT: titan.global.store
// DEALT: titan.ld
// DEALT-NOT: scf.while
//
// Two numbers name one tile: two CTAs, and two iterations, write it.
// VARIANT half: in which `%which =` -> `%all =`
// VARIANT half: after which add %which = arith.divui %all, %c2 : index
// RUN: %variant half %s | not titan check - 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: [race]
//
// What is posted behind the letter is no part of it.
// VARIANT late: drop post
// VARIANT late: after commit add titan.st %number, %page[%c0] : i32, !letter
// RUN: %variant late %s | not titan check - 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: error: [{{race|undefined-read}}]
//
// A letter that is written over, past the pipe, or read elsewhere in its slot, says something else: only the proof sees that.
// VARIANT past: after post add %direct = titan.shared.slot %box[%c0 : index] : !letters -> !letter titan.st %i1, %direct[%c0] : i32, !letter
// RUN: %variant past %s | not titan check --proof=off - 2>&1 | FileCheck %s --check-prefix=PAST
// PAST: [undecided] which numbers this loop runs by is not followed: the pipe's letters are touched by others than the pipe
//
// Numbers of a counter that somebody else changes are not dealt, nor are those that rise by two, or of which the
// loop asks something else.
// VARIANT other: before return add titan.st %i1, %counter[%c0] : i32, !words
// RUN: %variant other %s | not titan check - 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// VARIANT twice: in ask `add %i1` -> `add %i2`
// RUN: %variant twice %s | not titan check - 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// VARIANT equal: in again `slt` -> `ne`
// RUN: %variant equal %s | not titan check - 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: [undecided] how often this loop runs depends on the schedule, by 'titan.atom'
// UNKNOWN: fix: numbers that an atom add of 1 brings

// A counter that begins below 0: its numbers name no tile, and dealt they would begin with 0.
// VARIANT below: in example `titan.example = {counter = "1 zeros"` -> `titan.initial = {counter = -1 : i32}, titan.example = {counter = "1 fill:-1"`
// RUN: %variant below %s | not titan check - 2>&1 | FileCheck %s --check-prefix=BELOW
// BELOW: [undecided] which numbers this loop runs by is not followed: the numbers begin below 0, by titan.initial
// RUN: %variant below %s | not titan run - 2>&1 | FileCheck %s --check-prefix=RUN-BELOW
// RUN-BELOW: [out-of-bounds] index -32

#line = #titan.layout<"lane: 32*i1">
!index = tensor<32xi32, #line>
!words = !titan.global<?xi32>
!letters = !titan.shared<1xi32, slots = 2>
!letter = !titan.shared<1xi32>
!pipe = !titan.pipe<2>

func.func private @reference(%Y: memref<?xi32> {titan.expected = "Y"}, %C: memref<?xi32> {titan.expected = "counter"}) {
  // Ten tiles, and one number for each of three CTAs that names none.
  %end = arith.constant 13 : i32
  linalg.fill ins(%end : i32) outs(%C : memref<?xi32>)
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %Y, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %value = arith.index_cast %i : index to i32
    memref.store %value, %Y[%i] : memref<?xi32>
  }
  return
}

titan.kernel @queue(%counter: !words, %Y: !words) warps(2) attributes {
  titan.example = {counter = "1 zeros", Y = "320"}, titan.reference = @reference // @example
} launch {
  %c32 = arith.constant 32 : index
  %n = titan.dim %Y, 0 : !words
  %rest = arith.remui %n, %c32 : index
  %c0 = arith.constant 0 : index
  %whole = arith.cmpi eq, %rest, %c0 : index
  titan.require %whole, "launch-check", "whole tiles"
  %tiles = arith.divui %n, %c32 : index
  %c3 = arith.constant 3 : index
  titan.launch grid(%c3) with(%tiles : index)
} body(%tiles: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %tiles32 = arith.index_cast %tiles : index to i32
  %box = titan.shared.alloc : !letters
  %mail = titan.pipe.create "ask" -> ["work"] buffers ["tile"](%box : !letters) fill(arrive) : !pipe
  titan.warp_specialize {
    titan.partition "ask" warps(1) {
      titan.elect {
        %yes = arith.constant true
        scf.while (%more = %yes) : (i1) -> () {
          scf.condition(%more)
        } do {
          %number = titan.atom add %i1, %counter[%c0] : i32, !words -> i32 // @ask
          %slot = titan.pipe.acquire %mail : !pipe
          %page = titan.pipe.buffer %slot["tile"] : !letter
          titan.st %number, %page[%c0] : i32, !letter // @post
          titan.pipe.commit %slot // @commit
          %again = arith.cmpi slt, %number, %tiles32 : i32 // @again
          scf.yield %again : i1
        }
      }
    }
    titan.partition "work" warps(1) {
      scf.while : () -> (i32) {
        %slot = titan.pipe.wait %mail : !pipe
        %page = titan.pipe.buffer %slot["tile"] : !letter
        %number = titan.ld %page[%c0] : !letter -> i32
        titan.pipe.release %slot
        %some = arith.cmpi slt, %number, %tiles32 : i32
        scf.condition(%some) %number : i32
      } do {
      ^bb0(%number: i32):
        %which = arith.index_cast %number : i32 to index // @which
        %begin = arith.muli %which, %c32 : index
        %begin32 = arith.index_cast %begin : index to i32
        %base = titan.splat %begin32 : i32 -> !index
        %lane = titan.coordinate 0 : !index
        %at = arith.addi %base, %lane : !index
        titan.global.store %at, %Y[%at] : !index, !words, !index
        scf.yield
      }
    }
  }
  titan.return // @return
}
