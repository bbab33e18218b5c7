// What does the work of passes and analyses of Triton's GPU compiler: the table of docs/triton.md, a line before and after each.
// RUN: rm -rf %t && split-file %s %t
// DEFINE: %{stages} = titan explain stages
// DEFINE: %{matmul} = %{stages} %S/Inputs/ttir/matmul.ttir
// DEFINE: %{softmax} = %{stages} %S/Inputs/ttir/softmax.ttir
// DEFINE: %{check} = FileCheck %s --check-prefix

// RUN: %{matmul} --num-stages 1 | %{check}=COALESCE
// COALESCE: tt.load {{.*}} : tensor<64x32x!tt.ptr<f16>>
// COALESCE: ---- 3. titan:
// COALESCE: titan.global.load {{.*}} -> tensor<64x32xf16, #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [4, 1]>>
// COALESCE: ---- 6. ptx:
// COALESCE: @active ld.global.v4.b32

// One mask of a load and of a store: a comparison in each of both layouts, and no conversion but that of the data.
// RUN: %{stages} %S/Inputs/library/ttir/transpose.transpose_kernel.0.ttir | %{check}=CONVERSIONS
// CONVERSIONS: ---- 1. tt:
// CONVERSIONS: %[[MASK:[^ ]*]] = arith.andi
// CONVERSIONS: tt.load %{{.*}}, %[[MASK]]
// CONVERSIONS: ---- 3. titan:
// CONVERSIONS: arith.cmpi slt, {{.*}} : tensor<16x32xi32, #titan.blocked<elements = [1, 1], lanes = [1, 32], warps = [4, 1]>>
// CONVERSIONS-NEXT: arith.cmpi slt, {{.*}} : tensor<32x16xi32, #titan.blocked<elements = [1, 1], lanes = [2, 16], warps = [4, 1]>>
// CONVERSIONS-NOT: convert_layout {{.*}}i1
// CONVERSIONS: titan.convert_layout {{.*}} -> tensor<32x16xf32
// CONVERSIONS-NOT: convert_layout
// CONVERSIONS: titan.global.store
// CONVERSIONS: ---- 4.

// RUN: %{stages} %t/sum.mlir | %{check}=LOCALITY
// LOCALITY: ---- 1. tt:
// LOCALITY: scf.for
// LOCALITY: : (tensor<2048xf32>) -> f32
// LOCALITY: arith.addf
// LOCALITY: ---- 3. titan:
// LOCALITY: scf.for
// LOCALITY: arith.addf {{.*}} : tensor<128xf32, #titan.layout<"lane: 32*i1; warp: 4*i32">>
// LOCALITY-NEXT: scf.yield
// LOCALITY: ---- 6. ptx:
// LOCALITY: $L__BB0_2:
// LOCALITY-NOT: shfl
// LOCALITY: bra $L__BB0_2;
// LOCALITY-COUNT-5: shfl.sync.bfly
// LOCALITY-NOT: shfl
// LOCALITY: st.shared
// LOCALITY: barrier.sync
// LOCALITY: ld.shared

// RUN: %{matmul} | %{check}=ACCELERATE
// ACCELERATE: tt.dot {{.*}} -> tensor<64x64xf32>
// ACCELERATE: ---- 3. titan:
// ACCELERATE: titan.mma_sync {{.*}} -> tensor<64x64xf32, #titan.mma_sync<2, 2>>

// What is loaded goes to its fragments at once, B by its transpose's coordinates.
// RUN: %{matmul} --num-stages 1 | %{check}=OPERANDS
// OPERANDS: tt.dot %x_{{[0-9]+}}, %y_{{[0-9]+}},
// OPERANDS: ---- 3. titan:
// OPERANDS: %[[X:.*]] = titan.global.load %a_ptr
// OPERANDS-NEXT: titan.cta_sync
// OPERANDS-NEXT: %[[A:.*]] = titan.convert_layout %[[X]] through {{.*}} -> tensor<64x32xf16, #titan.mma_sync_a<16, 2, 2>>
// OPERANDS: %[[Y:.*]] = titan.global.load %b_ptr
// OPERANDS-NEXT: %[[T:.*]] = titan.relabel %[[Y]] : tensor<32x64xf16{{.*}} -> tensor<64x32xf16
// OPERANDS-NEXT: titan.cta_sync
// OPERANDS-NEXT: %[[B:.*]] = titan.convert_layout %[[T]] through {{.*}} -> tensor<64x32xf16, #titan.mma_sync_b<16, 2, 2>>
// OPERANDS-NEXT: titan.mma_sync %[[A]], %[[B]],

// RUN: %{matmul} | %{check}=EPILOGUE
// EPILOGUE: ---- 2. layouts:
// EPILOGUE: arith.truncf {{.*}} {layout = #titan.mma_sync<2, 2>}
// EPILOGUE-NEXT: tt.store
// EPILOGUE: ---- 3. titan:
// EPILOGUE: %[[D:.*]] = titan.convert_layout {{.*}} through {{.*}}#titan.mma_sync<2, 2>>{{.*}} -> tensor<64x64xf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
// EPILOGUE-NEXT: titan.global.store %[[D]], %c_ptr
// EPILOGUE: ---- 6. ptx:
// EPILOGUE: st.global.v4.b32

// RUN: %{matmul} | %{check}=DECOMPOSE
// DECOMPOSE: ---- 3. titan:
// DECOMPOSE: %[[X:.*]] = arith.truncf
// DECOMPOSE-NEXT: titan.convert_layout %[[X]] through
// DECOMPOSE: ---- 4. expanded:
// DECOMPOSE: arith.truncf
// DECOMPOSE: titan.shared.store
// DECOMPOSE-NEXT: titan.cta_sync
// DECOMPOSE-NEXT: titan.shared.load
// DECOMPOSE: titan.convert_layout %{{[0-9]+}} : tensor<64x64xf16
// DECOMPOSE-NEXT: titan.global.store

// RUN: %{matmul} | %{check}=PIPELINE
// PIPELINE: ---- 1. tt:
// PIPELINE: scf.for
// PIPELINE: tt.load
// PIPELINE: tt.load
// PIPELINE: tt.dot
// PIPELINE: ---- 3. titan:
// PIPELINE: : a load of %a_ptr is copied 2 rounds ahead, into 3 slots of 4096 bytes, 16 bytes at once
// PIPELINE-COUNT-4: titan.cp_async %
// PIPELINE: scf.for
// PIPELINE: titan.cp_async.wait_group 1
// PIPELINE: titan.cta_sync
// PIPELINE: titan.cp_async %a_ptr
// PIPELINE: titan.cp_async %b_ptr
// PIPELINE: titan.shared.load {{.*}} -> tensor<64x32xf16, #titan.mma_sync_a<16, 2, 2>>
// PIPELINE: titan.mma_sync
// PIPELINE: ---- 6. ptx:
// PIPELINE: ldmatrix.sync

// LLVM takes what one branch alone wants behind it; what touches memory stays in its order.
// RUN: %{stages} %t/sunk.mlir | %{check}=REORDER
// REORDER: ---- 3. titan:
// REORDER: arith.muli %m, %n : i32
// REORDER: scf.if
// REORDER: ---- 6. ptx:
// REORDER-NOT: mul
// REORDER: bra
// REORDER: mul.lo.s32
// REORDER: st.weak.global.b32

// What nvidia's make_ttir does, before and after (Triton 3.6 printed both; with-triton.test has the passes one by one).
// RUN: %{check}=COMBINE < %S/Inputs/ttir/dots.raw.ttir
// COMBINE: %c_39 = arith.constant dense<0.000000e+00> : tensor<32x32xf32>
// COMBINE-NEXT: %c_40 = tt.dot %a_29, %b_31, %c_39, inputPrecision = tf32x3
// COMBINE-NEXT: arith.addf %c_37, %c_40
// RUN: %{check}=COMBINED < %S/Inputs/ttir/dots.ttir
// COMBINED: %[[C:.*]] = tt.dot %a_7, %b_9, %c_10 :
// COMBINED-NEXT: tt.dot %a_7, %b_9, %[[C]], inputPrecision = tf32x3
// RUN: %{check}=POINTER < %S/Inputs/ttir/block_pointers.raw.ttir
// POINTER: tt.make_tensor_ptr %a_ptr
// POINTER: scf.for
// POINTER: tt.load %arg7 {boundaryCheck = array<i32: 0, 1>
// POINTER: tt.advance
// RUN: %{check}=POINTERS < %S/Inputs/ttir/block_pointers.ttir
// POINTERS-NOT: {{make_tensor_ptr|advance}}
// POINTERS: scf.for
// POINTERS: tt.splat %a_ptr
// POINTERS: tt.addptr
// POINTERS: %[[IN:.*]] = arith.andi {{.*}} : tensor<32x32xi1>
// POINTERS-NEXT: tt.load %x_{{[0-9]+}}, %[[IN]]
// POINTERS-NOT: {{make_tensor_ptr|advance}}
// RUN: %{check}=UNROLL < %S/Inputs/ttir/descriptors.raw.ttir
// UNROLL: scf.for {{.*}} step %[[STEP:[0-9]+]]
// UNROLL-COUNT-2: tt.descriptor_load
// UNROLL-NOT: tt.descriptor_load
// UNROLL: tt.loop_unroll_factor = 2
// RUN: %{check}=UNROLLED < %S/Inputs/ttir/descriptors.ttir
// UNROLLED: scf.for %arg7 = {{.*}} to %[[MOST:.*]] step %
// UNROLLED-COUNT-4: tt.descriptor_load
// UNROLLED: scf.for %arg7 = %[[MOST]] to %K step
// UNROLLED-COUNT-2: tt.descriptor_load
// UNROLLED-NOT: tt.descriptor_load

// RUN: %{stages} %t/rows.mlir | %{check}=INVARIANT
// INVARIANT: ---- 3. titan:
// INVARIANT: scf.for
// INVARIANT-NEXT: arith.muli %m, %n : i32
// INVARIANT: ---- 6. ptx:
// INVARIANT: bra $L__BB0_3;
// INVARIANT: mul.lo.s32
// INVARIANT: $L__BB0_2:
// INVARIANT-NOT: mul.lo
// INVARIANT: bra $L__BB0_2;

// n is any number: a comparison and a store for each element. It is a multiple of 16: for four at once.
// RUN: %{stages} %t/rows.mlir | %{check}=ANY
// ANY: 8 st.global.b32
// ANY: .entry
// ANY: bra $L__BB0_3;
// ANY-COUNT-8: setp.lt.s32
// ANY-NOT: setp.lt
// RUN: sed 's/%%n: i32/& {tt.divisibility = 16 : i32}/' %t/rows.mlir | %{stages} - | %{check}=AXIS
// AXIS: 2 st.global.v4.b32
// AXIS: .entry
// AXIS: bra $L__BB0_3;
// AXIS-COUNT-2: setp.lt.s32
// AXIS-NOT: setp.lt

// RUN: %{stages} %S/Inputs/ttir/add.ttir | %{check}=ALIAS
// ALIAS: tt.addptr
// ALIAS: ---- 3. titan:
// ALIAS: titan.global.load %x_ptr[%

// Two reductions, one after the other, through one buffer: a barrier before the second one's stores, and one within each.
// RUN: %{softmax} --num-warps 2 --num-stages 1 | %{check}=BUFFER
// BUFFER-COUNT-2: "tt.reduce"
// BUFFER: ---- 3. titan:
// BUFFER: %[[ALL:.*]] = titan.shared.alloc : <8xi8>
// BUFFER-NEXT: titan.shared.reuse %[[ALL]] : <8xi8> -> <2xf32>
// BUFFER-NEXT: titan.shared.reuse %[[ALL]] : <8xi8> -> <2xf32>
// BUFFER-NOT: titan.shared.alloc
// BUFFER: titan.reduce maxnum
// BUFFER: titan.cta_sync
// BUFFER-NEXT: titan.reduce add
// BUFFER: ---- 4. expanded:

//--- sum.mlir
tt.func public @sum(%x_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out_ptr: !tt.ptr<f32>, %n: i32, %init: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2048 = arith.constant 2048 : i32
  %i = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32>
  %base = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %init) -> (f32) : i32 {
    %from = arith.muli %k, %c2048 : i32
    %begin = tt.splat %from : i32 -> tensor<2048xi32>
    %at = arith.addi %begin, %i : tensor<2048xi32>
    %px = tt.addptr %base, %at : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
    %x = tt.load %px : tensor<2048x!tt.ptr<f32>>
    %all = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<2048xf32>) -> f32
    %next = arith.addf %acc, %all : f32
    scf.yield %next : f32
  }
  tt.store %out_ptr, %sum : !tt.ptr<f32>
  tt.return
}
//--- sunk.mlir
tt.func public @sunk(%x: !tt.ptr<f32>, %m: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %both = arith.muli %m, %n : i32
  %some = arith.cmpi sgt, %n, %c0 : i32
  scf.if %some {
    %at = tt.addptr %x, %both : !tt.ptr<f32>, i32
    %one = arith.constant 1.0 : f32
    tt.store %at, %one : !tt.ptr<f32>
  }
  tt.return
}
//--- rows.mlir
tt.func public @rows(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %m: i32 {tt.divisibility = 16 : i32}, %n: i32, %rows: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %columns = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %two = arith.constant dense<2.0> : tensor<1024xf32>
  %end = tt.splat %n : i32 -> tensor<1024xi32>
  scf.for %k = %c0 to %rows step %c1 : i32 {
    %both = arith.muli %m, %n : i32
    %row = arith.muli %k, %both : i32
    %begin = tt.splat %row : i32 -> tensor<1024xi32>
    %offsets = arith.addi %begin, %columns : tensor<1024xi32>
    %mask = arith.cmpi slt, %columns, %end : tensor<1024xi32>
    %ps = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %p = tt.addptr %ps, %offsets : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    tt.store %p, %two, %mask : tensor<1024x!tt.ptr<f32>>
  }
  tt.return
}
