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
  // expected-error @+1 {{[mma-accumulator]}}
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
  // expected-error @+1 {{[shared-ring]}}
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
  // expected-error @+1 {{[mma-remote]}}
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
  // expected-error @+1 {{[mma-rank]}}
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
  // expected-error @+1 {{[mma-type]}}
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
  // expected-error @+1 {{[mma-type]}}
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
  // expected-error @+1 {{[mma-shape]}}
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
  // expected-error @+1 {{[mma-shape]}}
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
  // expected-error @+1 {{[mma-accumulator]}}
  %f = titan.inflight.start %t : tensor<64x64xf32, #titan.wgmma<1, 1>> -> !titan.inflight<tensor<64x32xf32, #titan.wgmma<1, 1>>>
  titan.return
}

// -----

// expected-error @+1 {{[token-kind]}}
%t = titan.mma.commit : !titan.token<bulk>
// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %t = titan.token.none : !titan.token<bulk>
  // expected-error @+1 {{[token-kind]}}
  titan.mma.wait %t : !titan.token<bulk>
  titan.return
}

// -----

// expected-error @+1 {{[group-pending]}}
titan.mma.wait_group 8
// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %f = titan.inflight.none : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>>
  // expected-error @+1 {{[mma-accumulator]}}
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
  // expected-error @+1 {{[token-kind]}}
  %t = titan.mma.result %f after(%g : !titan.token<bulk>) : !titan.inflight<tensor<64x64xf32, #titan.wgmma<1, 1>>> -> tensor<64x64xf32, #titan.wgmma<1, 1>>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{[tile-element-type]}}
  %t = titan.splat %z : f32 -> tensor<64x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
  titan.return
}

// -----

// expected-error @+1 {{[tile-element-type]}}
%t = titan.coordinate 0 : tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
// -----

// expected-error @+1 {{[tile-dimension]}}
%t = titan.coordinate 2 : tensor<64x64xi32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %z = arith.constant 0.0 : f32
  %t = titan.splat %z : f32 -> tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
  // expected-error @+1 {{[tile-extract-type]}}
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
  // expected-error @+1 {{[tile-reduce-type]}}
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
  // expected-error @+1 {{[tile-panel-type]}}
  %e = titan.panel %t[%c] : tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>> -> tensor<32x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
  titan.return
}
