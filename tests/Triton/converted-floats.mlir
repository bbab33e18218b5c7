// Inputs/converted.py compares 8-bit floats as the numbers that they are: bit for bit, or within a bound.
// RUN: %python %S/Inputs/converted.py titan %s x=128:random:1 e4=128:poison e5=128:poison | FileCheck %s
// CHECK: equal: x, e4, e5
// Of ones, whose next number is 1.125.
// RUN: %python -c "h = \"{'descr': '|u1', 'fortran_order': False, 'shape': (128,), }\".ljust(117) + chr(10); open(r'%t.npy', 'wb').write(bytes([147]) + b'NUMPY' + bytes([1, 0, 118, 0]) + h.encode() + bytes([0x39] * 128))"
// RUN: %python %S/Inputs/converted.py titan %s x=128:zeros e4=128:poison e5=128:poison --bound 0.13 --expected e4=%t.npy | FileCheck %s
// RUN: not %python %S/Inputs/converted.py titan %s x=128:zeros e4=128:poison e5=128:poison --bound 0.12 --expected e4=%t.npy 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: e4[0]: 1.0 in tt, 1.125 in the file
module {
  tt.func public @narrowed(%x: !tt.ptr<f32>, %e4: !tt.ptr<f8E4M3FN>, %e5: !tt.ptr<f8E5M2>) {
    %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %at = tt.addptr %xs, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %v = tt.load %at : tensor<128x!tt.ptr<f32>>
    %one = arith.constant dense<1.0> : tensor<128xf32>
    %w = arith.addf %v, %one : tensor<128xf32>
    %a = tt.fp_to_fp %w, rounding = rtne : tensor<128xf32> -> tensor<128xf8E4M3FN>
    %b = tt.fp_to_fp %w, rounding = rtne : tensor<128xf32> -> tensor<128xf8E5M2>
    %e4s = tt.splat %e4 : !tt.ptr<f8E4M3FN> -> tensor<128x!tt.ptr<f8E4M3FN>>
    %to4 = tt.addptr %e4s, %i : tensor<128x!tt.ptr<f8E4M3FN>>, tensor<128xi32>
    tt.store %to4, %a : tensor<128x!tt.ptr<f8E4M3FN>>
    %e5s = tt.splat %e5 : !tt.ptr<f8E5M2> -> tensor<128x!tt.ptr<f8E5M2>>
    %to5 = tt.addptr %e5s, %i : tensor<128x!tt.ptr<f8E5M2>>, tensor<128xi32>
    tt.store %to5, %b : tensor<128x!tt.ptr<f8E5M2>>
    tt.return
  }
}
