// Memory by its address: of global memory, as wide as the address is known to be aligned; a size there is none of.
// RUN: titan compile %s --check=off --emit=ptx | FileCheck %s

!addresses = !titan.global<?xi64>
!halves = !titan.global<?xf16>
#row = #titan.blocked<elements = [8], lanes = [32], warps = [1]>
!tile = tensor<256xf16, #row>
!places = tensor<256xi32, #row>

// CHECK-LABEL: .entry wide(
// CHECK-NEXT: .param .u64 {{.*}}wide_param_0
// CHECK-NEXT: )
// CHECK: ld.param.b64 %[[TABLE:rd[0-9]+]], [wide_param_0];
// CHECK: ld.weak.global.b64 %[[FROM:rd[0-9]+]], [%[[TABLE]]];
// CHECK: ld.weak.global.b64 %[[TO:rd[0-9]+]],
// CHECK: add.s64 %[[A:rd[0-9]+]], %[[FROM]], %[[AT:rd[0-9]+]];
// CHECK: ld.global.v4.b32 {{.*}}, [%[[A]]];
// CHECK: add.s64 %[[B:rd[0-9]+]], %[[TO]], %[[AT]];
// CHECK-COUNT-8: st.global.b16 [%[[B]]
// CHECK-NOT: st.global
titan.kernel @wide(%at: !addresses) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = titan.coordinate 0 : !places
  %from = titan.ld %at[%c0] : !addresses -> i64
  %to = titan.ld %at[%c1] : !addresses -> i64
  %a = titan.tensor_at %from align(16) : !halves
  %b = titan.tensor_at %to : !halves
  %x = titan.global.load %a[%i] : !halves, !places -> !tile
  titan.global.store %x, %b[%i] : !tile, !halves, !places
  titan.return
}

// CHECK-LABEL: .entry address(
// CHECK: ld.param.b64 %[[X:rd[0-9]+]], [address_param_0];
// CHECK: st.weak.global.b64 [%[[X]]], %[[X]];
titan.kernel @address(%x: !addresses) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  titan.elect warp(0) {
    %address = titan.address_of %x : !addresses
    titan.st %address, %x[%c0] : i64, !addresses
  }
  titan.return
}
