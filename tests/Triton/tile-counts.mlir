// tl.cdiv(K, 64) of a K of which tl.assume says that it is positive: there is no size of which the loop does not run but the largest,
// of which the number of tiles wraps; the search tries it, and leaves nothing undecided.
// RUN: titan check %s | FileCheck %s
// CHECK: @tiles: accepted: 0 errors
// CHECK: trip counts checked: K 0,
// What the proof names of a function of another file, it names with the file.
// CHECK: the number of line 43 of standard.py is not shown to fit into 32 bits
// RUN: titan check %S/Inputs/ttir/matmul.ttir --launch-check "K > 0" --launch-check "M > 0" --launch-check "N > 0" 2>&1 | FileCheck %s --check-prefix=PRODUCT
// PRODUCT: @matmul: accepted: 0 errors

#fn = loc("program.py":1:0)
#for = loc("program.py":5:4)
#standard = loc("lib/triton/language/standard.py":43:17)
#cdiv = loc(callsite(#standard at #for))

module {
  tt.func public @tiles(%x: !tt.ptr<f32> loc("x"(#fn)), %o: !tt.ptr<f32> loc("o"(#fn)), %K: i32 loc("K"(#fn))) {
    %c63 = arith.constant 63 : i32 loc(#fn)
    %c64 = arith.constant 64 : i32 loc(#fn)
    %c0 = arith.constant 0 : i32 loc(#fn)
    %c1 = arith.constant 1 : i32 loc(#fn)
    %zeros = arith.constant dense<0.0> : tensor<64xf32> loc(#fn)
    %positive = arith.cmpi sgt, %K, %c0 : i32 loc(#fn)
    llvm.intr.assume %positive : i1 loc(#fn)
    %at = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32> loc(#fn)
    %up = arith.addi %K, %c63 : i32 loc(#cdiv)
    %count = arith.divsi %up, %c64 : i32 loc(#cdiv)
    %sum = scf.for %k = %c0 to %count step %c1 iter_args(%s = %zeros) -> (tensor<64xf32>) : i32 {
      %begin = arith.muli %k, %c64 : i32 loc(#for)
      %begins = tt.splat %begin : i32 -> tensor<64xi32> loc(#for)
      %all = arith.addi %begins, %at : tensor<64xi32> loc(#for)
      %end = tt.splat %K : i32 -> tensor<64xi32> loc(#for)
      %in = arith.cmpi slt, %all, %end : tensor<64xi32> loc(#for)
      %base = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>> loc(#for)
      %from = tt.addptr %base, %all : tensor<64x!tt.ptr<f32>>, tensor<64xi32> loc(#for)
      %v = tt.load %from, %in, %zeros : tensor<64x!tt.ptr<f32>> loc(#for)
      %next = arith.addf %s, %v : tensor<64xf32> loc(#for)
      scf.yield %next : tensor<64xf32> loc(#for)
    } loc(#for)
    %to = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>> loc(#fn)
    %there = tt.addptr %to, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32> loc(#fn)
    %id = tt.get_program_id x : i32 loc(#fn)
    %first = arith.cmpi eq, %id, %c0 : i32 loc(#fn)
    scf.if %first {
      tt.store %there, %sum : tensor<64x!tt.ptr<f32>> loc(#fn)
    } loc(#fn)
    tt.return loc(#fn)
  } loc(#fn)
} loc(#fn)
