// What is told of a program of Triton's is told in its words: fixes are Python, and what they say helps.
// RUN: split-file %s %t
//
// A loop to a bound that is loaded.
// RUN: not titan check --proof=off %t/ragged.mlir 2>&1 | FileCheck %s --check-prefix=RAGGED
// RAGGED: error: [loop-overflow]
// RAGGED: fix: bound it by tl.assume(hi <= N), with N as small as launches allow and at most 2147483520; or count in 64 bits (.to(tl.int64))
// RUN: sed 's,// bounded:,,' %t/ragged.mlir | titan check --proof=off - | FileCheck %s --check-prefix=BOUNDED
// BOUNDED: @ragged: accepted: 0 errors
// RUN: sed 's,// bounded:,,; s/constant 1000 /constant 2147483520 /' %t/ragged.mlir | not titan check --proof=off - 2>&1 | FileCheck %s --check-prefix=LONG
// LONG: error: [undecided] one warp executes more than 4000000 operations
// LONG: fix: let the bounds of the loop follow from arguments and program ids, and be close (tl.assume(hi <= N)); or accept it by --undecided=warning
//
// A step that leaves its bits where there are very many programs: who assumes that there are not is checked at each launch.
// RUN: not titan check --proof=off %t/strided.mlir 2>&1 | FileCheck %s --check-prefix=STRIDED
// STRIDED: error: [undecided] the step of the loop is {{.*}}grid_x is
// STRIDED: fix: say of arguments by tl.assume, or by --launch-check, that the step is 1 or more; bound the factors of which a product leaves its bits, as by tl.assume(tl.num_programs(0) <= 65536)
// RUN: sed 's,// bounded:,,' %t/strided.mlir > %t/few.mlir
// RUN: titan check --proof=off %t/few.mlir | FileCheck %s --check-prefix=FEW
// FEW: @strided: accepted: 0 errors
// RUN: titan compile --check=off --emit=titan %t/few.mlir | FileCheck %s --check-prefix=LAUNCH
// LAUNCH: %[[MOST:.*]] = arith.cmpi sle, %grid_x, %{{.*}} : i32
// LAUNCH-NEXT: titan.require %[[MOST]], "launch-check", "the program assumes count <= 65536 (
//
// Indices that are data, of a tensor of them.
// RUN: not titan check --proof=off %t/counts.mlir 2>&1 | FileCheck %s --check-prefix=COUNTS
// COUNTS: error: [undecided] the indices depend on data
// COUNTS-NOT: titan.trusted
// COUNTS: fix: let what the message names follow from constants, arguments, program ids and loop counters; or accept it by --undecided=warning, and run the program under TITAN=simulate
//
// An assertion, of a run and of what is checked.
// RUN: not titan run %t/asserted.mlir --shape x=4 --arg x=zeros --arg k=1 2>&1 | FileCheck %s --check-prefix=RAN
// RAN: error: [assert-failed] program (0, 0, 0): k is large
// RAN-NOT: titan.require
// RAN: fix: pass arguments and data of which the assertion is true; or mask
// RUN: not titan check --proof=off %t/asserted.mlir 2>&1 | FileCheck %s --check-prefix=ASSERTED
// ASSERTED: error: [assert-failed]
// ASSERTED: fix: mask what runs where k is above 2 does not hold; or say of arguments by tl.assume, or by --launch-check,
//
// Where the proof stops at a loop of copies ahead: it does not see that the last groups are empty.
// RUN: titan check %t/ahead.mlir --launch-check "x == 128 * n" --launch-check "y == 128" --launch-check "n <= 100" --launch-check "n >= 1" | FileCheck %s --check-prefix=AHEAD
// AHEAD: not proved: line 1: not all of its async groups are shown to be waited for

//--- ragged.mlir
tt.func public @ragged(%offsets: !tt.ptr<i32>, %x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 128 : i32
  %few = arith.constant 1000 : i32
  %none = arith.constant dense<0.0> : tensor<128xf32>
  %g = tt.get_program_id x : i32
  %at = tt.addptr %offsets, %g : !tt.ptr<i32>, i32
  %lo = tt.load %at : !tt.ptr<i32>
  %behind = tt.addptr %at, %one : !tt.ptr<i32>, i32
  %hi = tt.load %behind : !tt.ptr<i32>
  %begins = arith.cmpi sge, %lo, %zero : i32
  llvm.intr.assume %begins : i1
  %rises = arith.cmpi sle, %lo, %hi : i32
  llvm.intr.assume %rises : i1
  // bounded:%ends = arith.cmpi sle, %hi, %few : i32
  // bounded:llvm.intr.assume %ends : i1
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %end = tt.splat %hi : i32 -> tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %sum = scf.for %from = %lo to %hi step %block iter_args(%acc = %none) -> (tensor<128xf32>) : i32 {
    %first = tt.splat %from : i32 -> tensor<128xi32>
    %all = arith.addi %first, %i : tensor<128xi32>
    %mask = arith.cmpi slt, %all, %end : tensor<128xi32>
    %p = tt.addptr %xs, %all : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %v = tt.load %p, %mask, %none : tensor<128x!tt.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  }
  %row = arith.muli %g, %block : i32
  %t = tt.addptr %y, %row : !tt.ptr<f32>, i32
  %ts = tt.splat %t : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %tp = tt.addptr %ts, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %tp, %sum : tensor<128x!tt.ptr<f32>>
  tt.return
}

//--- strided.mlir
tt.func public @strided(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %block = arith.constant 128 : i32
  %most = arith.constant 65536 : i32
  %much = arith.constant 1073741824 : i32
  %g = tt.get_program_id x : i32
  %count = tt.get_num_programs x : i32
  // bounded:%few = arith.cmpi sle, %count, %most : i32
  // bounded:llvm.intr.assume %few : i1
  // bounded:%less = arith.cmpi sle, %n, %much : i32
  // bounded:llvm.intr.assume %less : i1
  %first = arith.muli %g, %block : i32
  %step = arith.muli %count, %block : i32
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %end = tt.splat %n : i32 -> tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  scf.for %from = %first to %n step %step : i32 {
    %begin = tt.splat %from : i32 -> tensor<128xi32>
    %all = arith.addi %begin, %i : tensor<128xi32>
    %mask = arith.cmpi slt, %all, %end : tensor<128xi32>
    %p = tt.addptr %xs, %all : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %v = tt.load %p, %mask : tensor<128x!tt.ptr<f32>>
    %q = tt.addptr %ys, %all : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    tt.store %q, %v, %mask : tensor<128x!tt.ptr<f32>>
  }
  tt.return
}

//--- counts.mlir
tt.func public @counts(%x: !tt.ptr<i32>, %h: !tt.ptr<i32>) {
  %ones = arith.constant dense<1> : tensor<128xi32>
  %yes = arith.constant dense<true> : tensor<128xi1>
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %p = tt.addptr %xs, %i : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %v = tt.load %p : tensor<128x!tt.ptr<i32>>
  %hs = tt.splat %h : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %q = tt.addptr %hs, %v : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %old = tt.atomic_rmw add, relaxed, gpu, %q, %ones, %yes : (tensor<128x!tt.ptr<i32>>, tensor<128xi32>, tensor<128xi1>) -> tensor<128xi32>
  tt.return
}

//--- asserted.mlir
tt.func public @asserted(%x: !tt.ptr<f32>, %k: i32) {
  %two = arith.constant 2 : i32
  %large = arith.cmpi sgt, %k, %two : i32
  tt.assert %large, "k is large" : i1
  %one = arith.constant 1.0 : f32
  tt.store %x, %one : !tt.ptr<f32>
  tt.return
}

//--- ahead.mlir
tt.func public @ahead(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %block = arith.constant 128 : i32
  %none = arith.constant dense<0.0> : tensor<128xf32>
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %sum = scf.for %r = %zero to %n step %one iter_args(%acc = %none) -> (tensor<128xf32>) : i32 {
    %row = arith.muli %r, %block : i32
    %from = tt.addptr %x, %row : !tt.ptr<f32>, i32
    %xs = tt.splat %from : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %p = tt.addptr %xs, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %v = tt.load %p : tensor<128x!tt.ptr<f32>>
    %next = arith.addf %acc, %v : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  } {tt.num_stages = 3 : i32}
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %yp, %sum : tensor<128x!tt.ptr<f32>>
  tt.return
}
