// A loop that asks an atomic whether it goes on: the checker names the atomic, and says what does look at such a wait. The place is
// that of the Python line, whose columns Triton counts from 0.
// RUN: mkdir -p %t && cd %t && printf 'def lock(p):\n    while tl.atomic_cas(p, 0, 1) == 1: pass\n' > spins.py
// RUN: not titan check %s 2>&1 | FileCheck %s
// CHECK: spins.py:2:11: error: [undecided] how often this loop runs depends on data, by tl.atomic_cas{{$}}
// CHECK-NEXT: {{^}}    while tl.atomic_cas(p, 0, 1) == 1: pass
// CHECK-NEXT: {{^}}          ^
// CHECK: fix: what other programs write decides that: run the program under TITAN=simulate, or its text by titan run, in several schedules
// CHECK-SAME: --undecided=warning
// RUN: not titan check %s --json | FileCheck %s --check-prefix=JSON
// JSON: "column": 11
// RUN: titan compile --undecided=warning %s -o %t.pkg
//
// Several schedules, each from the same memory: the lock is free before each.
// RUN: titan run %s --grid 1 --shape p=1 --arg p=zeros --schedule eager,lazy,random:1 | FileCheck %s --check-prefix=RUNS
// RUNS: @lock: ran {{.*}}, in each of 3 schedules
// RUN: not titan run %s --grid 2 --shape p=1 --arg p=zeros --schedule eager,lazy 2>&1 | FileCheck %s --check-prefix=WAITS
// WAITS: spins.py:2:11: error: [deadlock]
// WAITS: --schedule eager finds it
//
// VARIANT add: replace ASK with %old = tt.atomic_rmw add, acquire, gpu, %p, %one, %true : (!tt.ptr<i32>, i32, i1) -> i32 loc(#at)
// RUN: %variant add %s | not titan check - 2>&1 | FileCheck %s --check-prefix=ADD
// ADD: depends on data, by tl.atomic_add{{$}}

#fn = loc("spins.py":1:0)
#at = loc("spins.py":2:10)

module {
  tt.func public @lock(%p: !tt.ptr<i32> loc("p"(#fn))) attributes {noinline = false} {
    %zero = arith.constant 0 : i32 loc(#fn)
    %one = arith.constant 1 : i32 loc(#fn)
    %true = arith.constant true loc(#fn)
    scf.while : () -> () {
      %old = tt.atomic_cas acq_rel, gpu, %p, %zero, %one : (!tt.ptr<i32>, i32, i32) -> i32 loc(#at) // @ASK
      %held = arith.cmpi eq, %old, %one : i32 loc(#at)
      scf.condition(%held) loc(#at)
    } do {
      scf.yield loc(#at)
    } loc(#at)
    tt.return loc(#fn)
  } loc(#fn)
} loc(#fn)
