// An argument of one bit (a bool of Python's): a byte to the launch.
// RUN: titan compile %s --emit=manifest -o - | FileCheck %s --check-prefix=MANIFEST
// RUN: titan compile %s --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// MANIFEST: "name":"negate","type":"i8"
// PTX: .param .u8
// PTX: and.b16 {{.*}}, 1
tt.func public @f(%x: !tt.ptr<f32>, %negate: i1) {
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %p = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %q = tt.addptr %p, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %q : tensor<128x!tt.ptr<f32>>
  %n = arith.negf %v : tensor<128xf32>
  %r = arith.select %negate, %n, %v : tensor<128xf32>
  tt.store %q, %r : tensor<128x!tt.ptr<f32>>
  tt.return
}
