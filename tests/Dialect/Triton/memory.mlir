// The operations are printed as they stand here, which is how Triton 3.6 prints them.
// RUN: titan-opt %s | diff - <(grep -v '^//' %s; echo)
module {
  tt.func @pointers(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: i32, %arg2: tensor<8xi32>, %arg3: tensor<8x!tt.ptr<f32>>, %arg4: !tt.ptr<f32, 3>, %arg5: i64) {
    %0 = tt.addptr %arg0, %arg1 : !tt.ptr<f32>, i32
    %1 = tt.addptr %arg3, %arg2 {tt.contiguity = dense<8> : tensor<1xi32>} : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %2 = tt.addptr %arg4, %arg1 : !tt.ptr<f32, 3>, i32
    %3 = tt.make_tensor_ptr %arg0, [%arg5, %arg5], [%arg5, %arg5], [%arg1, %arg1] {order = array<i32: 1, 0>} : <tensor<4x8xf32>>
    %4 = tt.advance %3, [%arg1, %arg1] : <tensor<4x8xf32>>
    %5 = tt.load %4 : !tt.ptr<tensor<4x8xf32>>
    %6 = tt.load %4 {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<4x8xf32>>
    tt.store %4, %5 {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<4x8xf32>>
    tt.return
  }
  tt.func @accesses(%arg0: !tt.ptr<f32>, %arg1: tensor<8x!tt.ptr<f32>>, %arg2: tensor<8xi1>, %arg3: tensor<8xf32>, %arg4: i1) {
    %0 = tt.load %arg0 : !tt.ptr<f32>
    %1 = tt.load %arg0, %arg4, %0 {isVolatile = true} : !tt.ptr<f32>
    %2 = tt.load %arg1, %arg2 evictionPolicy = evict_last : tensor<8x!tt.ptr<f32>>
    %3 = tt.load %arg1, %arg2, %arg3 cacheModifier = ca evictionPolicy = evict_first : tensor<8x!tt.ptr<f32>>
    tt.store %arg0, %1 : !tt.ptr<f32>
    tt.store %arg1, %2, %arg2 cacheModifier = wt : tensor<8x!tt.ptr<f32>>
    tt.store %arg1, %3 {tt.latency = 2 : i32} : tensor<8x!tt.ptr<f32>>
    tt.return
  }
  tt.func @atomics(%arg0: !tt.ptr<i32>, %arg1: i32, %arg2: tensor<8x!tt.ptr<f16>>, %arg3: tensor<8xf16>, %arg4: tensor<8xi1>) {
    %0 = tt.atomic_rmw add, acq_rel, gpu, %arg0, %arg1 : (!tt.ptr<i32>, i32) -> i32
    %1 = tt.atomic_rmw fadd, relaxed, sys, %arg2, %arg3, %arg4 : (tensor<8x!tt.ptr<f16>>, tensor<8xf16>, tensor<8xi1>) -> tensor<8xf16>
    %2 = tt.atomic_rmw exch, release, cta, %arg0, %0 : (!tt.ptr<i32>, i32) -> i32
    %3 = tt.atomic_cas acquire, gpu, %arg0, %arg1, %2 : (!tt.ptr<i32>, i32, i32) -> i32
    tt.return
  }
}
