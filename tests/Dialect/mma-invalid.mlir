// RUN: titan-opt --split-input-file --verify-diagnostics %s
//
// What the verifiers of products and register tiles refuse.

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %s = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %s2 = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  // expected-error@+1 {{[mma-accumulator] the result has the accumulator's type}}
  %d = titan.mma %s, %s2, %f : !titan.shared<64x64xbf16, swizzle = 128>, !titan.shared<64x64xbf16, swizzle = 128>, !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>> -> !titan.inflight<tensor<64x32xf32, #titan.wgmma<1, 1>>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %s = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %s2 = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  %r = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  // expected-error@+1 {{[shared-ring] an operand is a ring: take a slot first}}
  %d = titan.mma %r, %s2, %f : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>, !titan.shared<64x64xbf16, swizzle = 128>, !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>> -> !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %s = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %s2 = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  %i = arith.constant 0 : i32
  %q = titan.map_rank %s, %i : !titan.shared<64x64xbf16, swizzle = 128> -> !titan.shared<64x64xbf16, swizzle = 128, cluster>
  // expected-error@+1 {{[mma-remote] operands are the CTA's own shared memory (PTX ISA, wgmma)}}
  %d = titan.mma %q, %s2, %f : !titan.shared<64x64xbf16, swizzle = 128, cluster>, !titan.shared<64x64xbf16, swizzle = 128>, !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>> -> !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %s = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %s2 = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  %v = titan.shared.alloc : !titan.shared<64xbf16, swizzle = 128>
  // expected-error@+1 {{[mma-rank] operands and accumulator have two dimensions; an operand in shared memory}}
  %d = titan.mma %v, %s2, %f : !titan.shared<64xbf16, swizzle = 128>, !titan.shared<64x64xbf16, swizzle = 128>, !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>> -> !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %s = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %s2 = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  %v = titan.shared.alloc : !titan.shared<64x64xf16, swizzle = 128>
  // expected-error@+1 {{[mma-type] no wgmma multiplies 'f16' by 'bf16' into 'f32' (PTX ISA, wgmma: Matrix}}
  %d = titan.mma %v, %s2, %f : !titan.shared<64x64xf16, swizzle = 128>, !titan.shared<64x64xbf16, swizzle = 128>, !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>> -> !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %s = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf16, #titan.wgmma<1, 1>>>
  // expected-error@+1 {{[mma-type] no wgmma multiplies 'bf16' by 'bf16' into 'f16' (PTX ISA, wgmma: Matrix}}
  %d = titan.mma %s, %s, %f : !titan.shared<64x64xbf16, swizzle = 128>, !titan.shared<64x64xbf16, swizzle = 128>, !titan.inflight<tensor<64x64xf16, #titan.wgmma<1, 1>>> -> !titan.inflight<tensor<64x64xf16, #titan.wgmma<1, 1>>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %s = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %s2 = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  %v = titan.shared.alloc : !titan.shared<32x64xbf16, swizzle = 128>
  // expected-error@+1 {{[mma-shape] A is 64 x 64 (M x K), B 32 x 64 (N x K), D 64 x 64}}
  %d = titan.mma %s, %v, %f : !titan.shared<64x64xbf16, swizzle = 128>, !titan.shared<32x64xbf16, swizzle = 128>, !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>> -> !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  %v = titan.shared.alloc : !titan.shared<1x64x8xbf16>
  // expected-error@+1 {{[mma-shape] K is a multiple of 16 for elements of 16 bits, not 8 (PTX ISA, wgmma}}
  %d = titan.mma %v, %v, %f : !titan.shared<1x64x8xbf16>, !titan.shared<1x64x8xbf16>, !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>> -> !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %z = arith.constant 0.0 : f32
  %t = titan.splat %z : f32 -> tensor<64x64xf32, #titan.wgmma<1, 1>>
  // expected-error@+1 {{[mma-accumulator] the result is !titan.inflight of the tile's type}}
  %f = titan.inflight.start %t : tensor<64x64xf32, #titan.wgmma<1, 1>> -> !titan.inflight<tensor<64x32xf32, #titan.wgmma<1, 1>>>
  titan.return
}

// -----

// expected-error@+1 {{[token-kind] this operation's tokens are of kind 'mma'}}
%t = titan.mma.commit : !titan.token<bulk>
// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %t = titan.token.none : !titan.token<bulk>
  // expected-error@+1 {{[token-kind] this operation's tokens are of kind 'mma'}}
  titan.mma.wait %t : !titan.token<bulk>
  titan.return
}

// -----

// expected-error@+1 {{[group-pending] wgmma.wait_group takes 0 to 7 (PTX ISA)}}
titan.mma.wait_group 8
// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  // expected-error@+1 {{[mma-accumulator] the result is the accumulator's tile}}
  %t = titan.mma.result %f : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>> -> tensor<64x32xf32, #titan.wgmma<1, 1>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  %g = titan.token.none : !titan.token<bulk>
  // expected-error@+1 {{[token-kind] this operation's tokens are of kind 'mma'}}
  %t = titan.mma.result %f after(%g : !titan.token<bulk>) : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>> -> tensor<64x64xf32, #titan.wgmma<1, 1>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %z = arith.constant 0.0 : f32
  // expected-error@+1 {{[tile-element-type] the tile holds 'bf16', the value is 'f32'}}
  %t = titan.splat %z : f32 -> tensor<64x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
  titan.return
}

// -----

// expected-error@+1 {{[tile-element-type] coordinates are i32}}
%t = titan.coordinate 0 : tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
// -----

// expected-error@+1 {{[tile-dimension] dimension 2 of a tile of rank 2}}
%t = titan.coordinate 2 : tensor<64x64xi32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %z = arith.constant 0.0 : f32
  %t = titan.splat %z : f32 -> tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
  // expected-error@+1 {{[tile-extract-type] tile, offsets and result have one rank, and tile and result one}}
  %e = titan.extract %t [0] : tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>> -> tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %z = arith.constant 0.0 : f32
  %t = titan.splat %z : f32 -> tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
  // expected-error@+1 {{[tile-reduce-type] the rows of 'tensor<64x64xf32, #titan.blocked<elements = [1, 8],}}
  %e = titan.reduce add %t : tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>> -> tensor<32xf32, #titan.slice<1, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %z = arith.constant 0.0 : f32
  %t = titan.splat %z : f32 -> tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
  %c = arith.constant 0 : index
  // expected-error@+1 {{[tile-panel-type] a panel has all rows of the tile, a part of its columns that}}
  %e = titan.panel %t[%c] : tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>> -> tensor<32x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
  titan.return
}
