// What a message advises where CTAs take turns by a flag: what orders their work is the flag, not a part of its own for each.
//
// RUN: titan check %s
// RUN: titan run %s
//
// Done too late, behind the signal.
// VARIANT late: drop store
// VARIANT late: after signal add titan.st %n, %S[%c0] : i32, !s
// RUN: %variant late %s | not titan check - 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: error: [race]
// LATE: fix: move 'titan.st' before 'titan.flag.signal', which tells the CTA that waits for the flag that it is done
//
// An addition that releases nothing; and one that does is as good as a signal.
// VARIANT relaxed: replace signal with %was = titan.atom add %i1, %F[%c0] : i32, !s -> i32
// RUN: %variant relaxed %s | not titan check - 2>&1 | FileCheck %s --check-prefix=RELAXED
// RELAXED: error: [race]
// RELAXED: fix: let 'titan.atom' (line {{[0-9]+}}) release what comes before it: sem(release) scope(gpu), or titan.flag.signal
// VARIANT released: replace signal with %was = titan.atom add %i1, %F[%c0] sem(release) scope(gpu) : i32, !s -> i32
// RUN: %variant released %s | titan check -
//
// A store is no signal: when the wait returns nobody can say, and nothing else is told.
// VARIANT stored: replace signal with titan.st %next, %F[%c0] sem(release) scope(gpu) : i32, !s
// RUN: %variant stored %s | not titan check - 2>&1 | FileCheck %s --check-prefix=STORED --implicit-check-not=[deadlock] --implicit-check-not=[race]
// STORED: error: [undecided] when this wait returns is not known: 'titan.st' changes the flag otherwise than by adding
// STORED: fix: change the flag by titan.flag.signal (or titan.atom add of a number that is known and positive) instead of 'titan.st'
// STORED: cannot decide: 1 error
//
// A wait by hand.
// VARIANT spins: replace wait with scf.while : () -> () { %v = titan.ld %F[%c0] sem(acquire) scope(gpu) : !s -> i32 %w = arith.cmpi slt, %v, %me : i32 scf.condition(%w) } do { scf.yield }
// RUN: %variant spins %s | not titan check - 2>&1 | FileCheck %s --check-prefix=SPINS
// SPINS: error: [undecided] how often this loop runs depends on the schedule, by 'titan.ld'
// SPINS: fix: wait by titan.flag.wait for the value that ends the loop
//
// Only the scope of the grid includes another CTA of it.
// VARIANT narrow: in wait `%me :` -> `%me scope(cta) :`
// RUN: %variant narrow %s | not titan check --scope=error - 2>&1 | FileCheck %s --check-prefix=NARROW
// NARROW: error: [scope-too-narrow]
// NARROW: fix: write scope(gpu) on 'titan.flag.wait'

!s = !titan.global<1xi32>
titan.kernel @chain(%S: !s, %F: !s) warps(1) attributes {
  titan.initial = {S = 0, F = 0},
  titan.example = {S = "1 zeros", F = "1 zeros"}
} launch {
  %c4 = arith.constant 4 : index
  titan.launch grid(%c4)
} body() {
  %c0 = arith.constant 0 : index
  %i1 = arith.constant 1 : i32
  %cta = titan.cta_id 0
  %me = arith.index_cast %cta : index to i32
  %next = arith.addi %me, %i1 : i32
  titan.elect {
    titan.flag.wait %F[%c0], %me : !s // @wait
    %o = titan.ld %S[%c0] : !s -> i32
    %n = arith.addi %o, %i1 : i32
    titan.st %n, %S[%c0] : i32, !s // @store
    titan.flag.signal %F[%c0], %i1 : !s // @signal
  }
  titan.return
}
