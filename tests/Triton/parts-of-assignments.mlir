// What an access was computed from is told by the names of variables. The front end names all of an assignment after its
// variable: `v = tl.load(x_ptr + o, mask=o < n)` has a mask that is no v. A loop's counter whose name is lost has its line,
// and functions of Triton's own have no variables that the program knows.
// RUN: not titan run %s --grid 1 --shape x_ptr=100 --arg x_ptr=zeros --shape y_ptr=512 --arg y_ptr=poison --arg n=320 --arg step=1 2>&1 | FileCheck %s
// CHECK: program.py:9:13: error: [out-of-bounds] {{.*}}reads x_ptr[100]
// CHECK-NEXT: program.py:9:13: note: where o[100] = 100, n = 320, the counter of line 7 = 0, twice = 0, step = 1{{$}}
#loc = loc("program.py":5:0)
#loop = loc("program.py":7:4)
#range = loc("o"("program.py":8:30))
#sum = loc("o"("program.py":8:17))
#mask = loc("v"("program.py":10:20))
#pointer = loc("v"("program.py":9:20))
#load = loc("v"("program.py":9:12))
#twice = loc("twice"("program.py":6:4))
#inner = loc(callsite("other"("/usr/lib/triton/language/standard.py":40:8) at "v"("program.py":9:30)))
#store = loc("program.py":11:8)
tt.func public @copy(%x_ptr: !tt.ptr<f32> loc("x_ptr"(#loc)), %y_ptr: !tt.ptr<f32> loc("y_ptr"(#loc)), %n: i32 loc("n"(#loc)), %step: i32 loc("step"(#loc))) {
  %zero = arith.constant 0 : i32 loc(#loc)
  %block = arith.constant 256 : i32 loc(#loc)
  %twice = arith.muli %zero, %step : i32 loc(#twice)
  scf.for %arg4 = %zero to %n step %block : i32 {
    %o = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32> loc(#range)
    %o_0 = tt.splat %arg4 : i32 -> tensor<256xi32> loc(#sum)
    %o_1 = arith.addi %o_0, %o : tensor<256xi32> loc(#sum)
    %v = tt.splat %n : i32 -> tensor<256xi32> loc(#mask)
    %v_2 = arith.cmpi slt, %o_1, %v : tensor<256xi32> loc(#mask)
    %other = arith.addi %twice, %zero : i32 loc(#inner)
    %v_3 = tt.addptr %x_ptr, %other : !tt.ptr<f32>, i32 loc(#pointer)
    %v_4 = tt.splat %v_3 : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>> loc(#pointer)
    %v_5 = tt.addptr %v_4, %o_1 : tensor<256x!tt.ptr<f32>>, tensor<256xi32> loc(#pointer)
    %v_6 = tt.load %v_5, %v_2 : tensor<256x!tt.ptr<f32>> loc(#load)
    %0 = tt.splat %y_ptr : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>> loc(#store)
    %1 = tt.addptr %0, %o_1 : tensor<256x!tt.ptr<f32>>, tensor<256xi32> loc(#store)
    tt.store %1, %v_6, %v_2 : tensor<256x!tt.ptr<f32>> loc(#store)
  } loc(#loop)
  tt.return loc(#loc)
} loc(#loc)
