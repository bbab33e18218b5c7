// RUN: titan-opt --split-input-file --verify-diagnostics %s
//
// What the verifier of pipes refuses.

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  // expected-error @+1 {{[pipe-buffers]}}
  %p = titan.pipe.create "load" -> ["use"] buffers ["a", "b"](%a : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>) : !titan.pipe<2>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  // expected-error @+1 {{[pipe-buffers]}}
  %p = titan.pipe.create "load" -> ["use"] buffers ["a"](%a : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>) : !titan.pipe<4>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  // expected-error @+1 {{[pipe-consumers]}}
  %p = titan.pipe.create "load" -> [] buffers ["a"](%a : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>) : !titan.pipe<2>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  // expected-error @+1 {{[pipe-depth]}}
  %p = titan.pipe.create "load" -> ["use"] buffers ["a"](%a : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>) : !titan.pipe<0>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  titan.elect {
  // expected-error @+1 {{[alloc-place]}}
  %p = titan.pipe.create "load" -> ["use"] buffers ["a"](%a : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>) : !titan.pipe<2>
  }
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 3>
  // expected-error @+1 {{[pipe-depth] the depth of a pipe whose 2 consumers take turns is a multiple of 2, not 3}}
  %p = titan.pipe.create "load" -> ["left", "right"] buffers ["a"](%a : !titan.shared<64x64xbf16, swizzle = 128, slots = 3>) alternating : !titan.pipe<3>
  titan.return
}
