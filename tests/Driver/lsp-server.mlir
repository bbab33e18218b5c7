// An editor's view of a file: titan-lsp-server knows the dialect, verifies, and
// sends what it finds; what is mended is no longer there.
//
// RUN: %python %S/Inputs/lsp.py %s | FileCheck %s
// CHECK: capabilities: {{.*}}definitionProvider{{.*}}hoverProvider
// CHECK-NEXT: version 1: 1 diagnostics
// CHECK-NEXT: {{^}}[[#@LINE+20]]:11: severity 1: {{.*}}[tma-stride-alignment] globalStrides[0]: stride of 1022 bytes
// CHECK: version 2: 0 diagnostics
// CHECK-NEXT: version 3: 1 diagnostics
// CHECK-NEXT: {{^}}1:2056: severity 1: brackets are nested more than 256 deep
// CHECK: error -32700: this is no JSON
// CHECK: exit code 0

!map = !titan.tensor_map<64x64xbf16, swizzle = 128>

titan.kernel @empty() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.return
}
// BAD
!odd = !titan.global<64x511xbf16, strides = [511, 1]>

titan.kernel @odd(%A: !odd) warps(1) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !odd -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  titan.return
}
