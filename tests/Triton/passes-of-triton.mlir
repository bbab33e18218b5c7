// Four of Triton 3.6's own passes, one at a time: the rows of docs/triton.md's table of which make_ttir does the work.
// REQUIRES: triton, full
// DEFINE: %{pass} = env PYTHONDONTWRITEBYTECODE=1 %triton_python %S/Inputs/triton_passes.py
// RUN: grep -v '^//' %s | %{pass} add_reorder_broadcast | FileCheck %s --check-prefix=BROADCAST
// BROADCAST: %[[X:.*]] = tt.load
// BROADCAST-NEXT: %[[Y:.*]] = tt.splat %arg1 : f32 -> tensor<8x1xf32>
// BROADCAST-NEXT: %[[SUM:.*]] = arith.addf %[[X]], %[[Y]] : tensor<8x1xf32>
// BROADCAST-NEXT: tt.broadcast %[[SUM]] : tensor<8x1xf32> -> tensor<8x4xf32>
// RUN: %{pass} add_combine < %S/Inputs/ttir/dots.raw.ttir | FileCheck %s --check-prefix=COMBINE
// COMBINE: %[[C:.*]] = tt.dot
// COMBINE-NEXT: %[[D:.*]] = tt.dot %{{.*}}, %{{.*}}, %[[C]] :
// COMBINE-NEXT: tt.dot %{{.*}}, %{{.*}}, %[[D]], inputPrecision = tf32x3
// RUN: %{pass} add_rewrite_tensor_pointer < %S/Inputs/ttir/block_pointers.raw.ttir | FileCheck %s --check-prefix=POINTER --implicit-check-not=tt.make_tensor_ptr --implicit-check-not=tt.advance
// POINTER: scf.for
// POINTER: tt.addptr
// POINTER: tt.load {{.*}} : tensor<32x32x!tt.ptr<f16>>
// RUN: %{pass} add_loop_unroll < %S/Inputs/ttir/descriptors.raw.ttir | FileCheck %s --check-prefix=UNROLL
// UNROLL: scf.for %arg7 = {{.*}} to %[[MOST:.*]] step
// UNROLL-COUNT-4: tt.descriptor_load
// UNROLL: scf.for %arg7 = %[[MOST]] to
// UNROLL-COUNT-2: tt.descriptor_load
// UNROLL-NOT: tt.descriptor_load

tt.func public @sums(%x_ptr: !tt.ptr<f32>, %y: f32, %out_ptr: !tt.ptr<f32>) {
  %row = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %rows = tt.expand_dims %row {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %xs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<8x1x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %rows : tensor<8x1x!tt.ptr<f32>>, tensor<8x1xi32>
  %x = tt.load %xp : tensor<8x1x!tt.ptr<f32>>
  %all = tt.broadcast %x : tensor<8x1xf32> -> tensor<8x4xf32>
  %same = tt.splat %y : f32 -> tensor<8x4xf32>
  %sum = arith.addf %all, %same : tensor<8x4xf32>
  %to = tt.splat %out_ptr : !tt.ptr<f32> -> tensor<8x4x!tt.ptr<f32>>
  tt.store %to, %sum : tensor<8x4x!tt.ptr<f32>>
  tt.return
}
