// What goes wrong is told with the fix of its case.
// RUN: not titan run %s --kernel scatter --shape o=8 --arg o=zeros 2>&1 | FileCheck %s --check-prefix=SCATTER
// SCATTER: [race] program (0, 0, 0): writes o[0] (element [1] of the tensor), which another element of the same program writes
// SCATTER-NOT: debug_barrier
// SCATTER: fix: elements [0] and [1] of one store go to one place: let each have its own, mask all but one, or use an atomic
tt.func public @scatter(%o: !tt.ptr<i32>) {
  %lane = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %two = arith.constant dense<2> : tensor<8xi32>
  %half = arith.divsi %lane, %two : tensor<8xi32>
  %base = tt.splat %o : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %at = tt.addptr %base, %half : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %at, %lane : tensor<8x!tt.ptr<i32>>
  tt.return
}

// RUN: not titan run %s --kernel wrapped --shape o=8 --arg o=zeros --arg stride=50000 2>&1 | FileCheck %s --check-prefix=WRAPPED
// WRAPPED: [out-of-bounds]
// WRAPPED: fix: row = 50000 * 50000 wrapped around to -1794967296 in 32 bits: compute it in 64, x.to(tl.int64)
tt.func public @wrapped(%o: !tt.ptr<i32>, %stride: i32) {
  %row = arith.muli %stride, %stride : i32
  %at = tt.addptr %o, %row : !tt.ptr<i32>, i32
  tt.store %at, %row : !tt.ptr<i32>
  tt.return
}

// A number of 64 bits that is as far away did not wrap.
// RUN: not titan run %s --kernel far --shape o=8 --arg o=zeros --arg stride=50000 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: [out-of-bounds]
// FAR: fix: mask what lies outside: offsets < n
tt.func public @far(%o: !tt.ptr<i32>, %stride: i64) {
  %row = arith.muli %stride, %stride : i64
  %at = tt.addptr %o, %row : !tt.ptr<i32>, i64
  %c0 = arith.constant 0 : i32
  tt.store %at, %c0 : !tt.ptr<i32>
  tt.return
}

// RUN: not titan run %s --kernel block --shape a=160 --arg a=zeros 2>&1 | FileCheck %s --check-prefix=BLOCK
// BLOCK: [out-of-bounds]
// BLOCK: fix: boundary_check=(0, 1) of the dimensions along which a block goes on behind the tensor
tt.func public @block(%a: !tt.ptr<f32>) {
  %rows = arith.constant 10 : i64
  %columns = arith.constant 16 : i64
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %p = tt.make_tensor_ptr %a, [%rows, %columns], [%columns, %one], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %v = tt.load %p : !tt.ptr<tensor<16x16xf32>>
  tt.store %p, %v {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<16x16xf32>>
  tt.return
}

// As make_ttir leaves it: the parts of the block pointer have its name, and are none of the program's variables.
// RUN: not titan run %s --kernel made --shape a=30 --arg a=zeros --arg N=9 2>&1 | FileCheck %s --check-prefix=MADE
// MADE: [out-of-bounds]
// MADE-NOT: p =
// MADE: where N = 9
// MADE: fix: boundary_check=(0,) of the dimensions
tt.func public @made(%a: !tt.ptr<f32>, %N: i32) {
  %p = arith.extsi %N : i32 to i64 loc("p"("program.py":25:70))
  %v = tt.splat %a : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>> loc("v"("program.py":26:14))
  %v_1 = tt.splat %p : i64 -> tensor<32xi64> loc("v"("program.py":26:14))
  %v_2 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32> loc("v"("program.py":26:14))
  %v_3 = arith.extsi %v_2 : tensor<32xi32> to tensor<32xi64> loc("v"("program.py":26:14))
  %v_4 = arith.addi %v_1, %v_3 : tensor<32xi64> loc("v"("program.py":26:14))
  %v_5 = tt.addptr %v, %v_4 : tensor<32x!tt.ptr<f32>>, tensor<32xi64> loc("v"("program.py":26:14))
  %v_6 = tt.load %v_5 : tensor<32x!tt.ptr<f32>> loc("v"("program.py":26:14))
  tt.return
}

// A shape that the memory does not have: checks do not help.
// RUN: not titan run %s --kernel checked --shape a=80 --arg a=zeros 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED: [out-of-bounds]
// CHECKED: fix: give tl.make_block_ptr the shape and strides of the tensor in memory
tt.func public @checked(%a: !tt.ptr<f32>) {
  %rows = arith.constant 10 : i64
  %columns = arith.constant 16 : i64
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %p = tt.make_tensor_ptr %a, [%rows, %columns], [%columns, %one], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<16x16xf32>>
  %v = tt.load %p {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<16x16xf32>>
  tt.return
}

// RUN: not titan run %s --kernel descriptor --shape a=160 --arg a=zeros 2>&1 | FileCheck %s --check-prefix=DESCRIPTOR
// DESCRIPTOR: [out-of-bounds]
// DESCRIPTOR: fix: give the descriptor the shape and strides of the tensor in memory
tt.func public @descriptor(%a: !tt.ptr<f32>) {
  %rows = arith.constant 20 : i32
  %columns = arith.constant 16 : i32
  %stride = arith.constant 16 : i64
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %d = tt.make_tensor_descriptor %a, [%rows, %columns], [%stride, %one] : !tt.ptr<f32>, !tt.tensordesc<tensor<16x16xf32>>
  %v = tt.descriptor_load %d[%c0, %c0] : !tt.tensordesc<tensor<16x16xf32>> -> tensor<16x16xf32>
  tt.return
}

// RUN: not titan run %s --kernel flag --grid 2 --shape flag=1 --arg flag=zeros --shape data=1 --arg data=zeros 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG: [race] program (1, 0, 0): reads data[0], which program (0, 0, 0) wrote
// FLAG: fix: the atomic of line {{[0-9]+}} is relaxed and orders nothing: sem="release" or "acq_rel" where a program lets others go on, sem="acquire" where one waits
// RUN: sed 's/relaxed, gpu/acq_rel, gpu/' %s > %t.mlir && titan run %t.mlir --kernel flag --grid 2 --shape flag=1 --arg flag=zeros --shape data=1 --arg data=zeros
tt.func public @flag(%flag: !tt.ptr<i32>, %data: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %id = tt.get_program_id x : i32
  %first = arith.cmpi eq, %id, %c0 : i32
  scf.if %first {
    tt.store %data, %c1 : !tt.ptr<i32>
    %was = tt.atomic_rmw exch, relaxed, gpu, %flag, %c1, %true : (!tt.ptr<i32>, i32, i1) -> i32
  } else {
    scf.while : () -> () {
      %is = tt.atomic_rmw add, relaxed, gpu, %flag, %c0, %true : (!tt.ptr<i32>, i32, i1) -> i32
      %waits = arith.cmpi eq, %is, %c0 : i32
      scf.condition(%waits)
    } do {
      scf.yield
    }
    %v = tt.load %data : !tt.ptr<i32>
  }
  tt.return
}

// RUN: not titan run %s --kernel asserted --arg count=-3 2>&1 | FileCheck %s --check-prefix=ASSERTED
// ASSERTED: [assert-failed] program (0, 0, 0): none
// ASSERTED: where good = false, count = -3
tt.func public @asserted(%count: i32) {
  %c0 = arith.constant 0 : i32
  %good = arith.cmpi sge, %count, %c0 : i32
  tt.assert %good, "none" : i1
  tt.return
}
