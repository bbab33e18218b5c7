// RUN: titan-opt --split-input-file --verify-diagnostics %s
//
// What the verifier of pipes refuses.

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  // expected-error@+2 {{[pipe-buffers] 2 names for 1 buffers}}
  // expected-note@+1 {{fix: give each buffer one name}}
  %p = titan.pipe.create "load" -> ["use"] buffers ["a", "b"](%a : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>) : !titan.pipe<2>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  // expected-error@+2 {{[pipe-buffers] a buffer of a pipe of depth 4 is a ring of as many slots, or a}}
  // expected-note@+1 {{fix: allocate the ring with slots = 4, or make the pipe a !titan.pipe<}}
  %p = titan.pipe.create "load" -> ["use"] buffers ["a"](%a : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>) : !titan.pipe<4>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  // expected-error@+1 {{[pipe-consumers] a pipe has at least one consumer}}
  %p = titan.pipe.create "load" -> [] buffers ["a"](%a : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>) : !titan.pipe<2>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  // expected-error@+1 {{[pipe-depth] a pipe has at least one slot}}
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
  // expected-error@+1 {{[alloc-place] stands in a kernel's body, outside of partitions, loops and branches:}}
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

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  // expected-error @+1 {{[pipe-order] a credit of 3 turns: a pipe of depth 2 holds at most as many}}
  %p = titan.pipe.create "left" -> ["right"] credit(3) : !titan.pipe<2>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  // expected-error @+1 {{[pipe-order] a credit of -1 turns: a pipe of depth 2 holds at most as many}}
  %p = titan.pipe.create "left" -> ["right"] credit(-1) : !titan.pipe<2>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  // expected-error @+1 {{[pipe-order] a pipe without buffers carries turns alone}}
  %p = titan.pipe.create "left" -> ["right"] fill(arrive) : !titan.pipe<2>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  // expected-error @+1 {{[pipe-order] slots have no credit}}
  %p = titan.pipe.create "load" -> ["use"] buffers ["a"](%a : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>) credit(1) : !titan.pipe<2>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  // expected-error @+1 {{[pipe-cluster] slots are released to the CTAs of a cluster, and the kernel has none}}
  %p = titan.pipe.create "load" -> ["use"] buffers ["a"](%a : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>) release(multicast_arrive) : !titan.pipe<2>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  // expected-error @+2 {{[pipe-consumers] consumers take slots in turns (alternating), or skip those of others (exclusive), not both}}
  // expected-note@+1 {{fix: take `exclusive` away where consumer k has uses k, k + 2, ...}}
  %p = titan.pipe.create "load" -> ["left", "right"] buffers ["a"](%a : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>) alternating exclusive : !titan.pipe<2>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  %b = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  // expected-error@+2 {{[pipe-buffers] two buffers have the name "a"}}
  // expected-note@+1 {{fix: give each buffer a name of its own}}
  %p = titan.pipe.create "load" -> ["use"] buffers ["a", "a"](%a, %b : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>, !titan.shared<64x64xbf16, swizzle = 128, slots = 2>) : !titan.pipe<2>
  titan.return
}
