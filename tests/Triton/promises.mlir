// What tl.assume and tl.device_assert say of what is loaded, titan.assume says to the checker: whose row an index
// means is data. Nobody says that two of them differ: a store there races.
// RUN: split-file %s %t
// RUN: titan check %t/gather.mlir --launch-check "index_ptr >= grid_x" --launch-check "table_ptr == rows * 128" --launch-check "out_ptr == grid_x * 128" --launch-check "rows >= 1" --launch-check "grid_x <= 1000" | FileCheck %s --check-prefix=GATHER
// GATHER: @gather: accepted: 0 errors, 0 warnings; {{.*}}
// GATHER: proved, for every size that the launch admits; assumed: {{.*}}index < rows (line 6)
// RUN: not titan check --proof=off %t/nobody.mlir 2>&1 | FileCheck %s --check-prefix=NOBODY
// NOBODY: error: [undecided] the checker does not follow what %index_ptr holds
// NOBODY: fix: say by tl.assume of one number, or by tl.device_assert (with debug=True) of one or of a tensor, what data promises
// RUN: titan check --proof=off %t/asserted.mlir | FileCheck %s --check-prefix=ASSERTED
// ASSERTED: @asserted: accepted: 0 errors
// RUN: not titan check --proof=off %t/scatter.mlir 2>&1 | FileCheck %s --check-prefix=SCATTER
// SCATTER: scatter.mlir:14:{{[0-9]+}}: error: [race] tl.store
// RUN: titan compile --check=off --emit=titan %t/asserted.mlir | FileCheck %s --check-prefix=TITAN
// TITAN: %[[ID:.*]] = titan.ld %index_ptr
// TITAN: %[[IN:.*]] = arith.cmpi ult, %[[ID]], %rows
// TITAN-NEXT: titan.assume %[[IN]], "index < rows"
// TITAN-NEXT: titan.assert %[[IN]], "index"
// What a program computes of arguments and ids alone is as it was.
// TITAN-NOT: titan.assume
// TITAN: titan.assert %{{.*}}, "id"
// TITAN-NOT: titan.assume

// Of a tensor of indices, too, also where a mask is true: the proof follows it.
// RUN: titan check %t/rows.mlir --launch-check "index_ptr == n" --launch-check "out_ptr == n" --launch-check "table_ptr == rows" --launch-check "rows >= 1" --launch-check "n <= 128000" --launch-check "grid_x <= 1000" | FileCheck %s --check-prefix=ROWS
// ROWS: proved, for every size that the launch admits; assumed: (index >= 0 and index < rows) or not (at < n) (line 21);
// RUN: sed 's/tt.assert %ok/tt.assert %mask/' %t/rows.mlir | not titan check - 2>&1 | FileCheck %s --check-prefix=UNSAID
// UNSAID: error: [undecided] the checker does not follow whether elements whose indices are data lie in %table_ptr
// RUN: sed 's/arith.andi %least, %most/arith.ori %least, %most/' %t/rows.mlir | not titan check - --launch-check "index_ptr == n" --launch-check "out_ptr == n" --launch-check "table_ptr == rows" --launch-check "rows >= 1" --launch-check "n <= 128000" --launch-check "grid_x <= 1000" 2>&1 | FileCheck %s --check-prefix=UNSAID

//--- rows.mlir
tt.func public @rows(%index_ptr: !tt.ptr<i32>, %table_ptr: !tt.ptr<f32>, %out_ptr: !tt.ptr<f32>, %rows: i32, %n: i32) {
  %yes = arith.constant dense<true> : tensor<128xi1>
  %zero = arith.constant dense<0> : tensor<128xi32>
  %width = arith.constant 128 : i32
  %p = tt.get_program_id x : i32
  %first = arith.muli %p, %width : i32
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %begin = tt.splat %first : i32 -> tensor<128xi32>
  %at = arith.addi %begin, %i : tensor<128xi32>
  %end = tt.splat %n : i32 -> tensor<128xi32>
  %mask = arith.cmpi slt, %at, %end : tensor<128xi32>
  %ips = tt.splat %index_ptr : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %ip = tt.addptr %ips, %at : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %index = tt.load %ip, %mask, %zero : tensor<128x!tt.ptr<i32>>
  %least = arith.cmpi sge, %index, %zero : tensor<128xi32>
  %all = tt.splat %rows : i32 -> tensor<128xi32>
  %most = arith.cmpi slt, %index, %all : tensor<128xi32>
  %in = arith.andi %least, %most : tensor<128xi1>
  %not = arith.xori %mask, %yes : tensor<128xi1>
  %ok = arith.ori %in, %not : tensor<128xi1>
  tt.assert %ok, "an index is no row" : tensor<128xi1>
  %tps = tt.splat %table_ptr : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %tp = tt.addptr %tps, %index : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %x = tt.load %tp, %mask : tensor<128x!tt.ptr<f32>>
  %ops = tt.splat %out_ptr : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %op = tt.addptr %ops, %at : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %op, %x, %mask : tensor<128x!tt.ptr<f32>>
  tt.return
}

//--- gather.mlir
tt.func public @gather(%index_ptr: !tt.ptr<i32>, %table_ptr: !tt.ptr<f32>, %out_ptr: !tt.ptr<f32>, %rows: i32) {
  %row = tt.get_program_id x : i32
  %at = tt.addptr %index_ptr, %row : !tt.ptr<i32>, i32
  %index = tt.load %at : !tt.ptr<i32>
  %in = arith.cmpi ult, %index, %rows : i32
  llvm.intr.assume %in : i1
  %width = arith.constant 128 : i32
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %from = arith.muli %index, %width : i32
  %f = tt.addptr %table_ptr, %from : !tt.ptr<f32>, i32
  %fs = tt.splat %f : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %fp = tt.addptr %fs, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %x = tt.load %fp : tensor<128x!tt.ptr<f32>>
  %to = arith.muli %row, %width : i32
  %t = tt.addptr %out_ptr, %to : !tt.ptr<f32>, i32
  %ts = tt.splat %t : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %tp = tt.addptr %ts, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %tp, %x : tensor<128x!tt.ptr<f32>>
  tt.return
}

//--- nobody.mlir
tt.func public @nobody(%index_ptr: !tt.ptr<i32>, %table_ptr: !tt.ptr<f32>, %out_ptr: !tt.ptr<f32>) {
  %row = tt.get_program_id x : i32
  %at = tt.addptr %index_ptr, %row : !tt.ptr<i32>, i32
  %index = tt.load %at : !tt.ptr<i32>
  %f = tt.addptr %table_ptr, %index : !tt.ptr<f32>, i32
  %x = tt.load %f : !tt.ptr<f32>
  %t = tt.addptr %out_ptr, %row : !tt.ptr<f32>, i32
  tt.store %t, %x : !tt.ptr<f32>
  tt.return
}

//--- asserted.mlir
tt.func public @asserted(%index_ptr: !tt.ptr<i32>, %table_ptr: !tt.ptr<f32>, %out_ptr: !tt.ptr<f32>, %rows: i32) {
  %row = tt.get_program_id x : i32
  %at = tt.addptr %index_ptr, %row : !tt.ptr<i32>, i32
  %index = tt.load %at : !tt.ptr<i32>
  %in = arith.cmpi ult, %index, %rows : i32
  tt.assert %in, "index" : i1
  %zero = arith.constant 0 : i32
  %id = arith.cmpi sge, %row, %zero : i32
  tt.assert %id, "id" : i1
  %f = tt.addptr %table_ptr, %index : !tt.ptr<f32>, i32
  %x = tt.load %f : !tt.ptr<f32>
  %t = tt.addptr %out_ptr, %row : !tt.ptr<f32>, i32
  tt.store %t, %x : !tt.ptr<f32>
  tt.return
}

//--- scatter.mlir
tt.func public @scatter(%index_ptr: !tt.ptr<i32>, %table_ptr: !tt.ptr<f32>, %out_ptr: !tt.ptr<f32>, %rows: i32) {
  %row = tt.get_program_id x : i32
  %at = tt.addptr %index_ptr, %row : !tt.ptr<i32>, i32
  %index = tt.load %at : !tt.ptr<i32>
  %in = arith.cmpi ult, %index, %rows : i32
  llvm.intr.assume %in : i1
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %width = arith.constant 128 : i32
  %to = arith.muli %index, %width : i32
  %t = tt.addptr %out_ptr, %to : !tt.ptr<f32>, i32
  %ts = tt.splat %t : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %tp = tt.addptr %ts, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %x = arith.constant dense<1.0> : tensor<128xf32>
  tt.store %tp, %x : tensor<128x!tt.ptr<f32>>
  tt.return
}
