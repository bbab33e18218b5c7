// A reference widens fp8 as the kernel does: all 256 numbers of both types.
//
// RUN: %python -c "import sys; open(sys.argv[1], 'wb').write(b'\x93NUMPY\x01\x00\x76\x00' + b'{\"descr\": \"|u1\", \"fortran_order\": False, \"shape\": (256,), }'.ljust(117) + b'\n' + bytes(range(256)))" %t.npy
// RUN: titan run %s --arg X=%t.npy --arg Z=%t.npy | FileCheck %s
// CHECK: Y (256xf32): 256 elements equal to the reference, bit for bit
// CHECK: W (256xf64): 256 elements equal to the reference, bit for bit
//
// What else is computed in fp8 is refused, with the way.
// VARIANT narrow: replace wide with %n = arith.truncf %old : f32 to f8E4M3FN %y = arith.extf %n : f8E4M3FN to f32
// RUN: %variant narrow %s | not titan run - --arg X=%t.npy --arg Z=%t.npy 2>&1 | FileCheck %s --check-prefix=NARROW
// NARROW: error: a reference computes no 'arith.truncf' of fp8: widen by arith.extf, compute in f32 or f64, {{.*}}[reference-invalid]
// VARIANT sum: replace wide with %n = arith.addf %x, %x : f8E4M3FN %y = arith.extf %n : f8E4M3FN to f32
// RUN: %variant sum %s | not titan run - --arg X=%t.npy --arg Z=%t.npy 2>&1 | FileCheck %s --check-prefix=SUM
// SUM: error: a reference computes no 'arith.addf' of fp8

#line = #titan.blocked<elements = [8], lanes = [32], warps = [1]>
!e4m3 = !titan.global<256xf8E4M3FN>
!e5m2 = !titan.global<256xf8E5M2>
!f32 = !titan.global<256xf32>
!f64 = !titan.global<256xf64>
!at = tensor<256xi32, #line>

titan.kernel @widen(%X: !e4m3, %Y: !f32, %Z: !e5m2, %W: !f64) warps(1) attributes {
  titan.example = {X = "256", Y = "256", Z = "256", W = "256"}, titan.reference = @reference
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i = titan.coordinate 0 : !at
  %x = titan.global.load %X[%i] : !e4m3, !at -> tensor<256xf8E4M3FN, #line>
  %y = arith.extf %x : tensor<256xf8E4M3FN, #line> to tensor<256xf32, #line>
  titan.global.store %y, %Y[%i] : tensor<256xf32, #line>, !f32, !at
  %z = titan.global.load %Z[%i] : !e5m2, !at -> tensor<256xf8E5M2, #line>
  %v = arith.extf %z : tensor<256xf8E5M2, #line> to tensor<256xf32, #line>
  %w = arith.extf %v : tensor<256xf32, #line> to tensor<256xf64, #line>
  titan.global.store %w, %W[%i] : tensor<256xf64, #line>, !f64, !at
  titan.return
}

func.func private @reference(%X: memref<256xf8E4M3FN> {titan.input = "X"}, %Y: memref<256xf32> {titan.expected = "Y"},
                             %Z: memref<256xf8E5M2> {titan.input = "Z"}, %W: memref<256xf64> {titan.expected = "W"}) {
  linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%X, %Z : memref<256xf8E4M3FN>, memref<256xf8E5M2>) outs(%Y, %W : memref<256xf32>, memref<256xf64>) {
  ^bb0(%x: f8E4M3FN, %z: f8E5M2, %old: f32, %older: f64):
    %y = arith.extf %x : f8E4M3FN to f32 // @wide
    %w = arith.extf %z : f8E5M2 to f64
    linalg.yield %y, %w : f32, f64
  }
  return
}
