// The operations are printed as they stand here, which is how Triton 3.6 prints them.
// RUN: titan-opt %s | diff - <(grep -v '^//' %s; echo)
module {
  tt.func @casts(%arg0: i64, %arg1: tensor<8xi64>, %arg2: tensor<8xf32>, %arg3: !tt.ptr<f16>, %arg4: f8E5M2) {
    %0 = tt.int_to_ptr %arg0 : i64 -> !tt.ptr<f32>
    %1 = tt.int_to_ptr %arg1 : tensor<8xi64> -> tensor<8x!tt.ptr<f16>>
    %2 = tt.ptr_to_int %1 : tensor<8x!tt.ptr<f16>> -> tensor<8xi64>
    %3 = tt.bitcast %arg2 : tensor<8xf32> -> tensor<8xi32>
    %4 = tt.bitcast %arg3 : !tt.ptr<f16> -> !tt.ptr<i16>
    %5 = tt.fp_to_fp %arg2, rounding = rtne : tensor<8xf32> -> tensor<8xf8E4M3FN>
    %6 = tt.fp_to_fp %arg2, rounding = rtz : tensor<8xf32> -> tensor<8xbf16>
    %7 = tt.fp_to_fp %arg4 : f8E5M2 -> f32
    tt.return
  }
  tt.func @arithmetic(%arg0: tensor<8xf32>, %arg1: f32, %arg2: tensor<8xi32>) {
    %0 = tt.clampf %arg0, %arg0, %arg0, propagateNan = all : tensor<8xf32>
    %1 = tt.clampf %arg1, %arg1, %arg1, propagateNan = none : f32
    %2 = tt.precise_sqrt %arg0 : tensor<8xf32>
    %3 = tt.precise_divf %arg0, %2 : tensor<8xf32>
    %4 = tt.mulhiui %arg2, %arg2 : tensor<8xi32>
    tt.return
  }
}
