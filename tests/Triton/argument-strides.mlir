// Rows whose stride is an argument do not overlap, as those of a tensor do not: that is assumed and told, whatever launches the
// search tries. A launch check that bounds the stride takes the assumption's place, and is searched up to its edge; one of its
// sign does not.
// RUN: split-file %s %t
// RUN: titan check --proof=off %t/rows.mlir | FileCheck %s --check-prefix=ASSUMED
// RUN: titan check --proof=off %t/rows.mlir --launch-check "stride > 0" | FileCheck %s --check-prefix=ASSUMED
// ASSUMED: @rows: accepted: 0 errors
// ASSUMED: assumed: rows of %y_ptr with stride stride do not overlap (instead, tl.assume or --launch-check can bound stride, and each launch is checked)
// RUN: titan check --proof=off %t/rows.mlir --launch-check "stride >= n" | FileCheck %s --check-prefix=BOUND
// BOUND: @rows: accepted: 0 errors
// BOUND-NOT: assumed
// RUN: not titan check --proof=off %t/rows.mlir --launch-check "stride >= n - 1" 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: [race]
// RACE: @rows: refused
// RUN: titan check --proof=off --json %t/rows.mlir | FileCheck %s --check-prefix=JSON
// JSON: "assumed": [
// JSON-NEXT: "rows of %y_ptr with stride stride do not overlap
// What no stride keeps apart is found: two programs on one row; and an argument that is more than a stride is any number.
// RUN: sed 's|%%row = arith.addi %%pid, %%zero|%%row = arith.divsi %%pid, %%two|' %t/rows.mlir > %t/half.mlir
// RUN: not titan check --proof=off %t/half.mlir 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed 's|cmpi slt, %%i, %%e|cmpi slt, %%i, %%s|' %t/rows.mlir > %t/compared.mlir
// RUN: titan check --proof=off %t/compared.mlir | FileCheck %s --check-prefix=BOUND
// Two strides, of rows and of columns, either of which may be the larger one: a transpose.
// RUN: titan check --proof=off %t/plane.mlir | FileCheck %s --check-prefix=PLANE
// PLANE: @plane: accepted: 0 errors
// PLANE: assumed: rows of %y_ptr with stride down do not overlap {{.*}}; rows of %y_ptr with stride across do not overlap
// Five strides, of rows that are longer than those of 32 bits under which all are powers of one number: they lie as close as they can.
// RUN: titan check --proof=off %t/deep.mlir | FileCheck %s --check-prefix=DEEP
// DEEP: @deep: accepted: 0 errors

//--- rows.mlir
tt.func public @rows(%y_ptr: !tt.ptr<i32>, %stride: i32, %n: i32) {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %pid = tt.get_program_id x : i32
  %row = arith.addi %pid, %zero : i32
  %first = arith.muli %row, %stride : i32
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %e = tt.splat %n : i32 -> tensor<1024xi32>
  %s = tt.splat %stride : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %i, %e : tensor<1024xi32>
  %f = tt.splat %first : i32 -> tensor<1024xi32>
  %o = arith.addi %f, %i : tensor<1024xi32>
  %ys = tt.splat %y_ptr : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %p = tt.addptr %ys, %o : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  tt.store %p, %i, %m : tensor<1024x!tt.ptr<i32>>
  tt.return
}

//--- plane.mlir
tt.func public @plane(%y_ptr: !tt.ptr<i32>, %down: i32, %across: i32) {
  %block = arith.constant 64 : i32
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %row = arith.muli %y, %down : i32
  %column = arith.muli %x, %block : i32
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %c = tt.splat %column : i32 -> tensor<64xi32>
  %at = arith.addi %c, %i : tensor<64xi32>
  %a = tt.splat %across : i32 -> tensor<64xi32>
  %along = arith.muli %at, %a : tensor<64xi32>
  %r = tt.splat %row : i32 -> tensor<64xi32>
  %o = arith.addi %r, %along : tensor<64xi32>
  %ys = tt.splat %y_ptr : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %p = tt.addptr %ys, %o : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %p, %i : tensor<64x!tt.ptr<i32>>
  tt.return
}

//--- deep.mlir
tt.func public @deep(%y_ptr: !tt.ptr<f32>, %sw: i32, %sz: i32, %sh: i32, %sm: i32, %sk: i32, %m: i32, %n: i32, %pieces: i32) {
  %rows = arith.constant 256 : i32
  %v = arith.constant dense<1.0> : tensor<256x64xf32>
  %pm = tt.get_program_id x : i32
  %ph = tt.get_program_id y : i32
  %pz = tt.get_program_id z : i32
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %m0 = arith.muli %pm, %rows : i32
  %ms = tt.splat %m0 : i32 -> tensor<256xi32>
  %om1 = arith.addi %ms, %r : tensor<256xi32>
  %om = tt.expand_dims %om1 {axis = 1 : i32} : tensor<256xi32> -> tensor<256x1xi32>
  %on = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %mm = tt.splat %m : i32 -> tensor<256x1xi32>
  %nn = tt.splat %n : i32 -> tensor<1x64xi32>
  %km = arith.cmpi slt, %om, %mm : tensor<256x1xi32>
  %kn = arith.cmpi slt, %on, %nn : tensor<1x64xi32>
  %kmb = tt.broadcast %km : tensor<256x1xi1> -> tensor<256x64xi1>
  %knb = tt.broadcast %kn : tensor<1x64xi1> -> tensor<256x64xi1>
  %mask = arith.andi %kmb, %knb : tensor<256x64xi1>
  %smt = tt.splat %sm : i32 -> tensor<256x1xi32>
  %skt = tt.splat %sk : i32 -> tensor<1x64xi32>
  %a = arith.muli %om, %smt : tensor<256x1xi32>
  %b = arith.muli %on, %skt : tensor<1x64xi32>
  %ab = tt.broadcast %a : tensor<256x1xi32> -> tensor<256x64xi32>
  %bb = tt.broadcast %b : tensor<1x64xi32> -> tensor<256x64xi32>
  %o = arith.addi %ab, %bb : tensor<256x64xi32>
  %z1 = arith.muli %pz, %sz : i32
  %h1 = arith.muli %ph, %sh : i32
  %zh = arith.addi %z1, %h1 : i32
  %lo = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %w = %lo to %pieces step %one : i32 {
    %w1 = arith.muli %w, %sw : i32
    %zhw = arith.addi %zh, %w1 : i32
    %yb = tt.addptr %y_ptr, %zhw : !tt.ptr<f32>, i32
    %ys = tt.splat %yb : !tt.ptr<f32> -> tensor<256x64x!tt.ptr<f32>>
    %p = tt.addptr %ys, %o : tensor<256x64x!tt.ptr<f32>>, tensor<256x64xi32>
    tt.store %p, %v, %mask : tensor<256x64x!tt.ptr<f32>>
  }
  tt.return
}
