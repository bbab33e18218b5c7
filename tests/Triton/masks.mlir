// What tiles have in common under a mask by an argument shows where the argument is above them: the search tries such launches, of
// as many programs as it has looked at with small ones, whatever the numbers in the text are.
// RUN: split-file %s %t
// RUN: titan check --proof=off %t/line.mlir | FileCheck %s --check-prefix=RIGHT
// RIGHT: accepted: 0 errors, 0 warnings
// RUN: sed 's|constant 250 : i32|constant 242 : i32|' %t/line.mlir > %t/step.mlir
// RUN: not titan check --proof=off %t/step.mlir 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: [race] tl.store writes global memory
// RACE: refused
// Of multiples, too; of a number that the argument makes; and where a launch check has another argument go with it.
// RUN: sed 's|%%n: i32|%%n: i32 {tt.divisibility = 16 : i32}|' %t/step.mlir > %t/multiple.mlir
// RUN: not titan check --proof=off %t/multiple.mlir 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed 's|splat %%n|splat %%half|' %t/step.mlir > %t/computed.mlir
// RUN: not titan check --proof=off %t/computed.mlir 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not titan check --proof=off %t/step.mlir --launch-check "most >= n" 2>&1 | FileCheck %s --check-prefix=RACE
// A launch check that leaves the first program alone under the mask is kept to.
// RUN: titan check --proof=off %t/step.mlir --launch-check "n <= 242" | FileCheck %s --check-prefix=RIGHT
// RUN: not titan check --proof=off %t/step.mlir --launch-check "n <= 243" 2>&1 | FileCheck %s --check-prefix=RACE
// Tiles of a plane, along either dimension.
// RUN: titan check --proof=off %t/plane.mlir | FileCheck %s --check-prefix=RIGHT
// RUN: sed 's|constant 32 : i32 // down|constant 16 : i32|' %t/plane.mlir > %t/down.mlir
// RUN: not titan check --proof=off %t/down.mlir 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed 's|constant 32 : i32 // across|constant 31 : i32|' %t/plane.mlir > %t/across.mlir
// RUN: not titan check --proof=off %t/across.mlir 2>&1 | FileCheck %s --check-prefix=RACE
// Rows by what is computed of an id, in grids that show two of its pieces; a narrower number has more of them than are looked at.
// RUN: titan check --proof=off %t/rows.mlir | FileCheck %s --check-prefix=RIGHT
// RUN: sed 's|arith.addi %%pid, %%none|arith.minsi %%pid, %%five|' %t/rows.mlir > %t/least.mlir
// RUN: not titan check --proof=off %t/least.mlir 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed 's|arith.addi %%pid, %%none|arith.remsi %%pid, %%five|' %t/rows.mlir > %t/rest.mlir
// RUN: not titan check --proof=off %t/rest.mlir 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed 's|arith.addi %%pid, %%none|arith.shli %%pid, %%many|' %t/rows.mlir > %t/shifted.mlir
// RUN: not titan check --proof=off %t/shifted.mlir 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed 's|arith.addi %%pid, %%none|arith.addi %%wide, %%none|' %t/rows.mlir > %t/narrow.mlir
// RUN: not titan check --proof=off %t/narrow.mlir 2>&1 | FileCheck %s --check-prefix=PIECES
// PIECES: error: [undecided] this computes with the id of a program, and in the {{[0-9]+}} launches

//--- line.mlir
tt.func public @line(%y_ptr: !tt.ptr<i32>, %n: i32, %most: i32) {
  %two = arith.constant 2 : i32
  %step = arith.constant 250 : i32
  %last = arith.constant dense<250> : tensor<256xi32>
  %pid = tt.get_program_id x : i32
  %first = arith.muli %pid, %step : i32
  %half = arith.divsi %n, %two : i32
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %f = tt.splat %first : i32 -> tensor<256xi32>
  %o = arith.addi %f, %i : tensor<256xi32>
  %e = tt.splat %n : i32 -> tensor<256xi32>
  %below = arith.cmpi slt, %o, %e : tensor<256xi32>
  %own = arith.cmpi slt, %i, %last : tensor<256xi32>
  %m = arith.andi %below, %own : tensor<256xi1>
  %ys = tt.splat %y_ptr : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %p = tt.addptr %ys, %o : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  tt.store %p, %i, %m : tensor<256x!tt.ptr<i32>>
  tt.return
}

//--- plane.mlir
tt.func public @plane(%y_ptr: !tt.ptr<f32>, %down: i32, %across: i32, %m: i32, %n: i32) {
  %rows = arith.constant 32 : i32 // down
  %columns = arith.constant 32 : i32 // across
  %v = arith.constant dense<1.0> : tensor<32x32xf32>
  %pm = tt.get_program_id x : i32
  %pn = tt.get_program_id y : i32
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %m0 = arith.muli %pm, %rows : i32
  %n0 = arith.muli %pn, %columns : i32
  %ms = tt.splat %m0 : i32 -> tensor<32xi32>
  %ns = tt.splat %n0 : i32 -> tensor<32xi32>
  %om1 = arith.addi %ms, %r : tensor<32xi32>
  %on1 = arith.addi %ns, %r : tensor<32xi32>
  %om = tt.expand_dims %om1 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %on = tt.expand_dims %on1 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %mm = tt.splat %m : i32 -> tensor<32x1xi32>
  %nn = tt.splat %n : i32 -> tensor<1x32xi32>
  %km = arith.cmpi slt, %om, %mm : tensor<32x1xi32>
  %kn = arith.cmpi sgt, %nn, %on : tensor<1x32xi32>
  %kmb = tt.broadcast %km : tensor<32x1xi1> -> tensor<32x32xi1>
  %knb = tt.broadcast %kn : tensor<1x32xi1> -> tensor<32x32xi1>
  %mask = arith.andi %kmb, %knb : tensor<32x32xi1>
  %sm = tt.splat %down : i32 -> tensor<32x1xi32>
  %sn = tt.splat %across : i32 -> tensor<1x32xi32>
  %a = arith.muli %om, %sm : tensor<32x1xi32>
  %b = arith.muli %on, %sn : tensor<1x32xi32>
  %ab = tt.broadcast %a : tensor<32x1xi32> -> tensor<32x32xi32>
  %bb = tt.broadcast %b : tensor<1x32xi32> -> tensor<32x32xi32>
  %o = arith.addi %ab, %bb : tensor<32x32xi32>
  %ys = tt.splat %y_ptr : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %p = tt.addptr %ys, %o : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  tt.store %p, %v, %mask : tensor<32x32x!tt.ptr<f32>>
  tt.return
}

//--- rows.mlir
tt.func public @rows(%y_ptr: !tt.ptr<i32>, %stride: i32, %n: i32) {
  %none = arith.constant 0 : i32
  %five = arith.constant 5 : i32
  %many = arith.constant 29 : i32
  %pid = tt.get_program_id x : i32
  %byte = arith.trunci %pid : i32 to i8
  %wide = arith.extui %byte : i8 to i32
  %row = arith.addi %pid, %none : i32
  %first = arith.muli %row, %stride : i32
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %e = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %i, %e : tensor<1024xi32>
  %f = tt.splat %first : i32 -> tensor<1024xi32>
  %o = arith.addi %f, %i : tensor<1024xi32>
  %ys = tt.splat %y_ptr : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %p = tt.addptr %ys, %o : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  tt.store %p, %i, %m : tensor<1024x!tt.ptr<i32>>
  tt.return
}
