// The operations are printed as they stand here, which is how Triton 3.6 prints them.
// RUN: titan-opt %s | diff - <(grep -v '^//' %s; echo)
module {
  tt.func @descriptors(%arg0: !tt.ptr<f16>, %arg1: i32, %arg2: i64, %arg3: !tt.tensordesc<tensor<1x64xi8>>, %arg4: tensor<32xi32>, %arg5: !tt.tensordesc<tensor<8x32xui32>>, %arg6: !tt.ptr<i8>) {
    %0 = tt.make_tensor_descriptor %arg0, [%arg1, %arg1], [%arg2, %arg2] : <f16>, <tensor<16x32xf16>>
    %1 = tt.make_tensor_descriptor %arg6, [%arg1], [%arg2] {padding = 2 : i32} : <i8>, <tensor<64xsi8>>
    %2 = tt.descriptor_load %0[%arg1, %arg1] : !tt.tensordesc<tensor<16x32xf16>> -> tensor<16x32xf16>
    %3 = tt.descriptor_load %arg3[%arg1, %arg1] cacheModifier = cg evictionPolicy = evict_first : !tt.tensordesc<tensor<1x64xi8>> -> tensor<64xi8>
    tt.descriptor_store %0[%arg1, %arg1], %2 : !tt.tensordesc<tensor<16x32xf16>>, tensor<16x32xf16>
    %4 = tt.descriptor_load %arg5[%arg1, %arg1] : !tt.tensordesc<tensor<8x32xui32>> -> tensor<8x32xi32>
    tt.descriptor_reduce add, %arg5[%arg1, %arg1], %4 : !tt.tensordesc<tensor<8x32xui32>>, tensor<8x32xi32>
    %5 = tt.descriptor_gather %arg3[%arg4, %arg1] : (!tt.tensordesc<tensor<1x64xi8>>, tensor<32xi32>, i32) -> tensor<32x64xi8>
    tt.descriptor_scatter %arg3[%arg4, %arg1], %5 : !tt.tensordesc<tensor<1x64xi8>>, tensor<32xi32>, i32, tensor<32x64xi8>
    tt.return
  }
}
