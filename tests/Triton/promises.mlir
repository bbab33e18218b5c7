// What tl.assume and tl.device_assert say of what is loaded, titan.assume says to the checker: whose row an index
// means is data. Nobody says that two of them differ: a store there races.
// RUN: split-file %s %t
// RUN: titan check %t/gather.mlir --launch-check "index_ptr >= grid_x" --launch-check "table_ptr == rows * 128" --launch-check "out_ptr == grid_x * 128" --launch-check "rows >= 1" --launch-check "grid_x <= 1000" | FileCheck %s --check-prefix=GATHER
// GATHER: @gather: accepted: 0 errors, 0 warnings; {{.*}}
// GATHER: proved, for every size that the launch admits; assumed: {{.*}}; the program assumes it (line 6)
// RUN: not titan check --proof=off %t/nobody.mlir 2>&1 | FileCheck %s --check-prefix=NOBODY
// NOBODY: error: [undecided] the checker does not follow what %index_ptr holds
// NOBODY: fix: say by titan.assume (in Triton tl.assume, or tl.device_assert) what data promises
// RUN: titan check --proof=off %t/asserted.mlir | FileCheck %s --check-prefix=ASSERTED
// ASSERTED: @asserted: accepted: 0 errors
// RUN: not titan check --proof=off %t/scatter.mlir 2>&1 | FileCheck %s --check-prefix=SCATTER
// SCATTER: scatter.mlir:14:{{[0-9]+}}: error: [race] 'titan.global.store'
// RUN: titan compile --check=off --emit=titan %t/asserted.mlir | FileCheck %s --check-prefix=TITAN
// TITAN: %[[ID:.*]] = titan.ld %index_ptr
// TITAN: %[[IN:.*]] = arith.cmpi ult, %[[ID]], %rows
// TITAN-NEXT: titan.assume %[[IN]], "index"
// TITAN-NEXT: titan.assert %[[IN]], "index"
// What a program computes of arguments and ids alone is as it was.
// TITAN-NOT: titan.assume
// TITAN: titan.assert %{{.*}}, "id"
// TITAN-NOT: titan.assume

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
