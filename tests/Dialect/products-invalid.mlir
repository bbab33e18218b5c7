// RUN: titan-opt --split-input-file --verify-diagnostics %s
//
// What the verifiers of products refuse of element types, words, operands without swizzle and tiles
// of warps.

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xf16, swizzle = 128>
  %b = titan.shared.alloc : !titan.shared<64x64xf16, swizzle = 128>
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xi32, #titan.wgmma<1, 1>>>
  // expected-error@+1 {{[mma-type] no wgmma multiplies 'f16' by 'f16' into 'i32' (PTX ISA, wgmma: Matrix}}
  %d = titan.mma %a, %b, %f : !titan.shared<64x64xf16, swizzle = 128>, !titan.shared<64x64xf16, swizzle = 128>, !titan.inflight<tensor<64x64xi32, #titan.wgmma<1, 1>>> -> !titan.inflight<tensor<64x64xi32, #titan.wgmma<1, 1>>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xi8, swizzle = 64>
  %b = titan.shared.alloc : !titan.shared<64x64xi8, swizzle = 64>
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  // expected-error@+1 {{[mma-type] no wgmma multiplies 'i8' by 'i8' into 'f32' (PTX ISA, wgmma: Matrix}}
  %d = titan.mma %a, %b, %f : !titan.shared<64x64xi8, swizzle = 64>, !titan.shared<64x64xi8, swizzle = 64>, !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>> -> !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xf8E4M3FN, swizzle = 64>
  %b = titan.shared.alloc : !titan.shared<64x64xf16, swizzle = 128>
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  // expected-error@+1 {{[mma-type] no wgmma multiplies 'f8E4M3FN' by 'f16' into 'f32' (PTX ISA, wgmma: Matrix}}
  %d = titan.mma %a, %b, %f : !titan.shared<64x64xf8E4M3FN, swizzle = 64>, !titan.shared<64x64xf16, swizzle = 128>, !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>> -> !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x16xf32, swizzle = 64>
  %b = titan.shared.alloc : !titan.shared<64x16xf32, swizzle = 64>
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf16, #titan.wgmma<1, 1>>>
  // expected-error@+1 {{[mma-type] no wgmma multiplies 'f32' by 'f32' into 'f16' (PTX ISA, wgmma: Matrix}}
  %d = titan.mma %a, %b, %f : !titan.shared<64x16xf32, swizzle = 64>, !titan.shared<64x16xf32, swizzle = 64>, !titan.inflight<tensor<64x64xf16, #titan.wgmma<1, 1>>> -> !titan.inflight<tensor<64x64xf16, #titan.wgmma<1, 1>>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xf16, swizzle = 128>
  %b = titan.shared.alloc : !titan.shared<64x64xf16, swizzle = 128>
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  // expected-error@+1 {{[mma-type] `unsigned` and `saturate` are of products of i8, not of 'f16' (PTX ISA,}}
  %d = titan.mma %a unsigned_a, %b, %f : !titan.shared<64x64xf16, swizzle = 128>, !titan.shared<64x64xf16, swizzle = 128>, !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>> -> !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xf8E4M3FN, swizzle = 64>
  %b = titan.shared.alloc : !titan.shared<64x64xf8E4M3FN, swizzle = 64>
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  // expected-error@+1 {{[mma-type] `unsigned` and `saturate` are of products of i8, not of 'f8E4M3FN' (PTX}}
  %d = titan.mma %a, %b, %f saturate : !titan.shared<64x64xf8E4M3FN, swizzle = 64>, !titan.shared<64x64xf8E4M3FN, swizzle = 64>, !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>> -> !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xi8, swizzle = 64>
  %b = titan.shared.alloc : !titan.shared<64x64xi8, swizzle = 64>
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xi32, #titan.wgmma<1, 1>>>
  // expected-error@+1 {{[mma-type] integer operands cannot be negated (PTX ISA, wgmma.mma_async: imm-scale)}}
  %d = titan.mma %a, %b negate_b, %f : !titan.shared<64x64xi8, swizzle = 64>, !titan.shared<64x64xi8, swizzle = 64>, !titan.inflight<tensor<64x64xi32, #titan.wgmma<1, 1>>> -> !titan.inflight<tensor<64x64xi32, #titan.wgmma<1, 1>>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xf8E4M3FN, swizzle = 64>
  %b = titan.shared.alloc : !titan.shared<64x64xf8E4M3FN, swizzle = 64>
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  // expected-error@+1 {{[mma-operand] operands of 'f8E4M3FN' are K-major, not transposed: that is for}}
  %d = titan.mma %a, %b transpose_b, %f : !titan.shared<64x64xf8E4M3FN, swizzle = 64>, !titan.shared<64x64xf8E4M3FN, swizzle = 64>, !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>> -> !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x16xf32, swizzle = 64>
  %b = titan.shared.alloc : !titan.shared<64x16xf32, swizzle = 64>
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  // expected-error@+1 {{[mma-operand] operands of 'f32' are K-major, not transposed: that is for elements of}}
  %d = titan.mma %a transpose_a, %b, %f : !titan.shared<64x16xf32, swizzle = 64>, !titan.shared<64x16xf32, swizzle = 64>, !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>> -> !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<8x64x4xbf16>
  %b = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  // expected-error@+1 {{[mma-operand] columns of an operand without swizzle are 16 bytes wide, not 8 (PTX}}
  %d = titan.mma %a, %b, %f : !titan.shared<8x64x4xbf16>, !titan.shared<64x64xbf16, swizzle = 128>, !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>> -> !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<8x64x64xbf16, swizzle = 128>
  %b = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  // expected-error@+1 {{[mma-rank] operands and accumulator have two dimensions; an operand in shared memory}}
  %d = titan.mma %a, %b, %f : !titan.shared<8x64x64xbf16, swizzle = 128>, !titan.shared<64x64xbf16, swizzle = 128>, !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>> -> !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<1x64x16xf8E4M3FN>
  %b = titan.shared.alloc : !titan.shared<1x64x16xf8E4M3FN>
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  // expected-error@+1 {{[mma-shape] K is a multiple of 32 for elements of 8 bits, not 16 (PTX ISA, wgmma}}
  %d = titan.mma %a, %b, %f : !titan.shared<1x64x16xf8E4M3FN>, !titan.shared<1x64x16xf8E4M3FN>, !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>> -> !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<4x64x8xbf16>
  %b = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  // expected-error@+1 {{[mma-shape] A is 64 x 32 (M x K), B 64 x 64 (N x K), D 64 x 64}}
  %d = titan.mma %a, %b, %f : !titan.shared<4x64x8xbf16>, !titan.shared<64x64xbf16, swizzle = 128>, !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>> -> !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %z = arith.constant 1.0 : f8E4M3FN
  %a = titan.splat %z : f8E4M3FN -> tensor<64x64xf8E4M3FN, #titan.wgmma<1, 1>>
  %b = titan.shared.alloc : !titan.shared<64x64xf8E4M3FN, swizzle = 64>
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  // expected-error @+2 {{[layout-mismatch]}}
  // expected-note @+1 {{fix: #titan.layout<"reg: 4*c1, 2*r8, 4*c16; lane: 4*c4, 8*r1; warp: 4*r16">}}
  %d = titan.mma %a, %b, %f : tensor<64x64xf8E4M3FN, #titan.wgmma<1, 1>>, !titan.shared<64x64xf8E4M3FN, swizzle = 64>, !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>> -> !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a0 = arith.constant 1.0 : f16
  %a = titan.splat %a0 : f16 -> tensor<32x16xf16, #titan.mma_sync_a<16, 2, 2>>
  %b0 = arith.constant 1.0 : f16
  %b = titan.splat %b0 : f16 -> tensor<16x16xf16, #titan.mma_sync_b<16, 2, 2>>
  %c0 = arith.constant 1.0 : f32
  %c = titan.splat %c0 : f32 -> tensor<32x16xf32, #titan.mma_sync<2, 2>>
  // expected-error@+1 {{[mma-accumulator] the result has the accumulator's type}}
  %d = titan.mma_sync %a, %b, %c : tensor<32x16xf16, #titan.mma_sync_a<16, 2, 2>>, tensor<16x16xf16, #titan.mma_sync_b<16, 2, 2>>, tensor<32x16xf32, #titan.mma_sync<2, 2>> -> tensor<32x16xf16, #titan.mma_sync<2, 2>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a0 = arith.constant 1.0 : f16
  %a = titan.splat %a0 : f16 -> tensor<32x16xf16, #titan.mma_sync_a<16, 2, 2>>
  %b0 = arith.constant 1.0 : f16
  %b = titan.splat %b0 : f16 -> tensor<32x16xf16, #titan.mma_sync_b<16, 2, 2>>
  %c0 = arith.constant 1.0 : f32
  %c = titan.splat %c0 : f32 -> tensor<32x16xf32, #titan.mma_sync<2, 2>>
  // expected-error@+1 {{[mma-shape] A is 'tensor<32x16xf16, #titan.mma_sync_a<16, 2, 2>>' (M x K), B}}
  %d = titan.mma_sync %a, %b, %c : tensor<32x16xf16, #titan.mma_sync_a<16, 2, 2>>, tensor<32x16xf16, #titan.mma_sync_b<16, 2, 2>>, tensor<32x16xf32, #titan.mma_sync<2, 2>> -> tensor<32x16xf32, #titan.mma_sync<2, 2>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a0 = arith.constant 1.0 : bf16
  %a = titan.splat %a0 : bf16 -> tensor<32x16xbf16, #titan.mma_sync_a<16, 2, 2>>
  %b0 = arith.constant 1.0 : f16
  %b = titan.splat %b0 : f16 -> tensor<16x16xf16, #titan.mma_sync_b<16, 2, 2>>
  %c0 = arith.constant 1.0 : f32
  %c = titan.splat %c0 : f32 -> tensor<32x16xf32, #titan.mma_sync<2, 2>>
  // expected-error@+1 {{[mma-type] no mma.sync multiplies 'bf16' by 'f16' into 'f32' (PTX ISA, mma;}}
  %d = titan.mma_sync %a, %b, %c : tensor<32x16xbf16, #titan.mma_sync_a<16, 2, 2>>, tensor<16x16xf16, #titan.mma_sync_b<16, 2, 2>>, tensor<32x16xf32, #titan.mma_sync<2, 2>> -> tensor<32x16xf32, #titan.mma_sync<2, 2>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a0 = arith.constant 1 : i8
  %a = titan.splat %a0 : i8 -> tensor<32x16xi8, #titan.mma_sync_a<8, 2, 2>>
  %b0 = arith.constant 1 : i8
  %b = titan.splat %b0 : i8 -> tensor<16x16xi8, #titan.mma_sync_b<8, 2, 2>>
  %c0 = arith.constant 1.0 : f32
  %c = titan.splat %c0 : f32 -> tensor<32x16xf32, #titan.mma_sync<2, 2>>
  // expected-error@+1 {{[mma-type] no mma.sync multiplies 'i8' by 'i8' into 'f32' (PTX ISA, mma;}}
  %d = titan.mma_sync %a, %b, %c : tensor<32x16xi8, #titan.mma_sync_a<8, 2, 2>>, tensor<16x16xi8, #titan.mma_sync_b<8, 2, 2>>, tensor<32x16xf32, #titan.mma_sync<2, 2>> -> tensor<32x16xf32, #titan.mma_sync<2, 2>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a0 = arith.constant 1.0 : f16
  %a = titan.splat %a0 : f16 -> tensor<32x16xf16, #titan.mma_sync_a<16, 2, 2>>
  %b0 = arith.constant 1.0 : f16
  %b = titan.splat %b0 : f16 -> tensor<16x16xf16, #titan.mma_sync_b<16, 2, 2>>
  %c0 = arith.constant 1.0 : f32
  %c = titan.splat %c0 : f32 -> tensor<32x16xf32, #titan.mma_sync<2, 2>>
  // expected-error@+1 {{[mma-type] `unsigned` and `saturate` are of products of i8, not of 'f16' (PTX ISA,}}
  %d = titan.mma_sync %a, %b, %c saturate : tensor<32x16xf16, #titan.mma_sync_a<16, 2, 2>>, tensor<16x16xf16, #titan.mma_sync_b<16, 2, 2>>, tensor<32x16xf32, #titan.mma_sync<2, 2>> -> tensor<32x16xf32, #titan.mma_sync<2, 2>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a0 = arith.constant 1.0 : f16
  %a = titan.splat %a0 : f16 -> tensor<32x16xf16, #titan.mma_sync_a<8, 2, 2>>
  %b0 = arith.constant 1.0 : f16
  %b = titan.splat %b0 : f16 -> tensor<16x16xf16, #titan.mma_sync_b<16, 2, 2>>
  %c0 = arith.constant 1.0 : f32
  %c = titan.splat %c0 : f32 -> tensor<32x16xf32, #titan.mma_sync<2, 2>>
  // expected-error@+2 {{[layout-mismatch] A is in #titan.mma_sync_a, B in #titan.mma_sync_b, both of elements}}
  // expected-note@+1 {{fix: }}
  %d = titan.mma_sync %a, %b, %c : tensor<32x16xf16, #titan.mma_sync_a<8, 2, 2>>, tensor<16x16xf16, #titan.mma_sync_b<16, 2, 2>>, tensor<32x16xf32, #titan.mma_sync<2, 2>> -> tensor<32x16xf32, #titan.mma_sync<2, 2>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a0 = arith.constant 1.0 : f16
  %a = titan.splat %a0 : f16 -> tensor<32x16xf16, #titan.mma_sync_a<16, 1, 4>>
  %b0 = arith.constant 1.0 : f16
  %b = titan.splat %b0 : f16 -> tensor<16x16xf16, #titan.mma_sync_b<16, 2, 2>>
  %c0 = arith.constant 1.0 : f32
  %c = titan.splat %c0 : f32 -> tensor<32x16xf32, #titan.mma_sync<2, 2>>
  // expected-error@+2 {{[layout-mismatch] A is in #titan.mma_sync_a, B in #titan.mma_sync_b, both of elements}}
  // expected-note@+1 {{fix: }}
  %d = titan.mma_sync %a, %b, %c : tensor<32x16xf16, #titan.mma_sync_a<16, 1, 4>>, tensor<16x16xf16, #titan.mma_sync_b<16, 2, 2>>, tensor<32x16xf32, #titan.mma_sync<2, 2>> -> tensor<32x16xf32, #titan.mma_sync<2, 2>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a0 = arith.constant 1.0 : f16
  %a = titan.splat %a0 : f16 -> tensor<32x16xf16, #titan.mma_sync_a<16, 2, 2>>
  %b0 = arith.constant 1.0 : f16
  %b = titan.splat %b0 : f16 -> tensor<16x16xf16, #titan.mma_sync_a<16, 1, 2>>
  %c0 = arith.constant 1.0 : f32
  %c = titan.splat %c0 : f32 -> tensor<32x16xf32, #titan.mma_sync<2, 2>>
  // expected-error@+2 {{[layout-mismatch] A is in #titan.mma_sync_a, B in #titan.mma_sync_b, both of elements}}
  // expected-note@+1 {{fix: }}
  %d = titan.mma_sync %a, %b, %c : tensor<32x16xf16, #titan.mma_sync_a<16, 2, 2>>, tensor<16x16xf16, #titan.mma_sync_a<16, 1, 2>>, tensor<32x16xf32, #titan.mma_sync<2, 2>> -> tensor<32x16xf32, #titan.mma_sync<2, 2>>
  titan.return
}

// -----

// The accumulator of another instruction.
titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf32, #titan.mma_sync<2, 2>>>
  // expected-error @+2 {{[layout-mismatch] the accumulator's layout is no fragment of wgmma}}
  // expected-note @+1 {{fix: give the accumulator #titan.wgmma<rows, columns>}}
  %d = titan.mma %a, %a, %f : !titan.shared<64x64xbf16, swizzle = 128>, !titan.shared<64x64xbf16, swizzle = 128>, !titan.inflight<tensor<64x64xf32, #titan.mma_sync<2, 2>>> -> !titan.inflight<tensor<64x64xf32, #titan.mma_sync<2, 2>>>
  titan.return
}

// -----

// Rows as TMA writes them are no blocks of 8 x 16 bytes.
titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %b = titan.shared.alloc : !titan.shared<64x64xbf16>
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  // expected-error @+2 {{[mma-operand] an operand without swizzle}}
  // expected-note@+1 {{fix: give the shared tile swizzle = 32, 64 or 128}}
  %d = titan.mma %a, %b, %f : !titan.shared<64x64xbf16, swizzle = 128>, !titan.shared<64x64xbf16>, !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>> -> !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  titan.return
}
