// The operations are printed as they stand here, which is how Triton 3.6 prints them.
// RUN: titan-opt %s | diff - <(grep -v '^//' %s; echo)
module {
  tt.func @dots(%arg0: tensor<16x32xf16>, %arg1: tensor<32x8xf16>, %arg2: tensor<16x8xf32>, %arg3: tensor<2x16x32xf32>, %arg4: tensor<2x32x16xf32>, %arg5: tensor<2x16x16xf32>) {
    %0 = tt.dot %arg0, %arg1, %arg2 : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
    %1 = tt.dot %arg3, %arg4, %arg5, inputPrecision = tf32 : tensor<2x16x32xf32> * tensor<2x32x16xf32> -> tensor<2x16x16xf32>
    %2 = tt.dot %arg0, %arg1, %0, inputPrecision = bf16x6 {maxNumImpreciseAcc = 32 : i32} : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
    tt.return
  }
  tt.func @scaled(%arg0: tensor<32x64xi8>, %arg1: tensor<32x4xi8>, %arg2: tensor<64x32xi8>, %arg3: tensor<32x32xf32>, %arg4: tensor<128x32xbf16>) {
    %0 = tt.dot_scaled %arg0 scale %arg1, %arg2 scale %arg1, %arg3 lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<32x64xi8>, tensor<32x4xi8> * tensor<64x32xi8>, tensor<32x4xi8> -> tensor<32x32xf32>
    %1 = tt.dot_scaled %arg0 scale %arg1, %arg4, %0 lhs = e2m1 rhs = bf16 {fastMath = true} : tensor<32x64xi8>, tensor<32x4xi8> * tensor<128x32xbf16> -> tensor<32x32xf32>
    tt.return
  }
}
