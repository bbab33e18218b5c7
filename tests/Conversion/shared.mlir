// Register tiles and shared memory: the widest accesses, swizzled addresses.
// RUN: titan compile --check=off %s --emit=ptx -o - | FileCheck %s

#blocked = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#acc = #titan.wgmma<1, 1>
!plain = !titan.shared<64x64xbf16>
!swizzled = !titan.shared<64x64xbf16, swizzle = 128>
!tile = tensor<64x64xbf16, #blocked>
!frag = tensor<64x64xbf16, #acc>

titan.kernel @shared() warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %a = titan.shared.alloc : !plain
  %b = titan.shared.alloc : !swizzled
  // Eight elements of a row lie side by side, with or without swizzle.
  // CHECK-COUNT-4: ld.shared.v4.b32
  %x = titan.shared.load %a : !plain -> !tile
  // CHECK-COUNT-4: st.shared.v4.b32
  titan.shared.store %x, %b : !tile, !swizzled
  titan.cta_sync
  // CHECK: barrier.sync.aligned 0;
  // 64 x 64 elements of 4 warps: 16 8x8 matrices each, four at a time; the
  // address is computed once, the others differ by an XOR inside the swizzle.
  // CHECK: xor.b32 [[A1:%r[0-9]+]], [[A0:%r[0-9]+]], 32;
  // CHECK: xor.b32 [[A2:%r[0-9]+]], [[A0]], 64;
  // CHECK: xor.b32 [[A3:%r[0-9]+]], [[A0]], 96;
  // CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{.*}}, {{\[}}[[A0]]{{\]}};
  // CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{.*}}, {{\[}}[[A1]]{{\]}};
  // CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{.*}}, {{\[}}[[A2]]{{\]}};
  // CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{.*}}, {{\[}}[[A3]]{{\]}};
  %y = titan.shared.load %b matrix : !swizzled -> !frag
  titan.cta_sync
  // CHECK: barrier.sync.aligned 0;
  // CHECK-COUNT-4: stmatrix.sync.aligned.m8n8.x4.shared.b16
  titan.shared.store %y, %b matrix : !frag, !swizzled
  titan.return
}
