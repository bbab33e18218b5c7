// What tensor memory and tcgen05 refuse.
// RUN: titan-opt %s --split-input-file --verify-diagnostics

titan.kernel @columns() warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  // expected-error@+1 {{[tmem-alloc] 96 columns: an allocation is a power of two from 32 to 512}}
  %acc = titan.tmem.alloc : !titan.tensor_memory<128x96xf32>
  titan.return
}

// -----

titan.kernel @mixed() warps(4) cluster(2) launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %acc = titan.tmem.alloc : !titan.tensor_memory<128x128xf32>
  // expected-note@+1 {{the other one}}
  titan.tcgen05.alloc %acc pair : !titan.tensor_memory<128x128xf32>
  // expected-error@+1 {{[tcgen05-pair] all tcgen05 operations of a kernel are of one .cta_group (PTX ISA, tcgen05.alloc): this one is of one CTA}}
  titan.tcgen05.dealloc %acc : !titan.tensor_memory<128x128xf32>
  titan.return
}

// -----

titan.kernel @lonely() warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %acc = titan.tmem.alloc : !titan.tensor_memory<128x128xf32>
  // expected-error@+1 {{[tcgen05-pair] a pair of CTAs needs a cluster of an even number of them, not 1}}
  titan.tcgen05.alloc %acc pair : !titan.tensor_memory<128x128xf32>
  titan.return
}

// -----

!a = !titan.shared<128x64xbf16, swizzle = 128>
!b = !titan.shared<256x64xbf16, swizzle = 128>
!d = !titan.tensor_memory<128x256xf32>
func.func @product(%a: !a, %b: !b, %d: !d) {
  titan.tcgen05.mma %a, %b, %d : !a, !b, !d
  return
}

// -----

!a = !titan.shared<128x64xbf16, swizzle = 128>
!b = !titan.shared<128x64xbf16, swizzle = 128>
!d = !titan.tensor_memory<128x256xf32>
func.func @b_is_half(%a: !a, %b: !b, %d: !d) {
  // With a pair each CTA holds half of B: this would do with `pair`.
  titan.tcgen05.mma %a, %b, %d pair : !a, !b, !d
  // expected-error@+1 {{[mma-shape] A is 128 x 64 (M x K), B 128 x 64 (N x K) in each CTA, D 128 x 256}}
  titan.tcgen05.mma %a, %b, %d : !a, !b, !d
  return
}

// -----

!a = !titan.shared<128x64xbf16, swizzle = 128>
!b = !titan.shared<64x64xf16, swizzle = 128>
!d = !titan.tensor_memory<128x64xf32>
func.func @types(%a: !a, %b: !b, %d: !d) {
  // expected-error@+1 {{[mma-type] no tcgen05.mma multiplies 'bf16' by 'f16' into 'f32' as 128 x 64 over 1 CTA(s)}}
  titan.tcgen05.mma %a, %b, %d : !a, !b, !d
  return
}

// -----

!p = !titan.tensor_memory<128x64xbf16>
!v = !titan.shared<64x128xbf16, swizzle = 128>
!d = !titan.tensor_memory<128x128xf32>
func.func @a_in_tensor_memory(%p: !p, %v: !v, %d: !d) {
  titan.tcgen05.mma %p, %v transpose_b, %d : !p, !v, !d
  // expected-error@+1 {{[mma-operand] A in tensor memory is not transposed}}
  titan.tcgen05.mma %p transpose_a, %v transpose_b, %d : !p, !v, !d
  return
}

// -----

// One row a thread; and the fragments that 16x256b gives, in two loads.
#row = #titan.tmem<"32x32b">
#fragment = #titan.layout<"reg: 2*c1, 2*r8, 8*c8, 2*r16; lane: 4*c2, 8*r1; warp: 4*r32">
!s = !titan.tensor_memory<128x64xf32>
!p = !titan.tensor_memory<128x64xbf16>
func.func @loads(%s: !s, %p: !p, %t: tensor<128x64xbf16, #row>) {
  %a = titan.tmem.load %s : !s -> !titan.inflight<tensor<128x64xf32, #row>>
  %b = titan.tmem.load %s : !s -> !titan.inflight<tensor<128x64xf32, #fragment>>
  %x, %y = titan.tmem.wait_load %a, %b : !titan.inflight<tensor<128x64xf32, #row>>, !titan.inflight<tensor<128x64xf32, #fragment>>
      -> tensor<128x64xf32, #row>, tensor<128x64xf32, #fragment>
  titan.tmem.store %t, %p : tensor<128x64xbf16, #row>, !p
  titan.tmem.wait_store
  return
}

// -----

#acc = #titan.wgmma<2, 1>
!s = !titan.tensor_memory<128x64xf32>
func.func @two_warpgroups(%s: !s) {
  // expected-error@+1 {{[tmem-window] warp w reaches lanes 32 w .. 32 w + 31}}
  %a = titan.tmem.load %s : !s -> !titan.inflight<tensor<128x64xf32, #acc>>
  return
}

// -----

!s = !titan.tensor_memory<128x128xf32>
!p = !titan.tensor_memory<128x64xbf16>
func.func @views(%s: !s, %c: index) {
  %c96 = arith.constant 96 : index
  %p = titan.tmem.view %s[%c] : !s -> !p
  // expected-error@+1 {{[out-of-bounds] 64 columns from element column 96 on, of 128}}
  %q = titan.tmem.view %s[%c96] : !s -> !titan.tensor_memory<128x64xf32>
  return
}

// -----

!map = !titan.tensor_map<128x64xbf16, swizzle = 128>
!tile = !titan.shared<128x64xbf16, swizzle = 128>
!bar = !titan.mbarrier<1, cluster>
func.func @signal_of_a_peer(%map: !map, %tile: !tile, %bar: !bar, %c: index) {
  titan.tma.load %map[%c, %c], %tile, %bar pair : !map, !tile, !bar
  // expected-error@+1 {{[tma-load-remote] the buffer and the barrier are the executing CTA's}}
  titan.tma.load %map[%c, %c], %tile, %bar : !map, !tile, !bar
  return
}
