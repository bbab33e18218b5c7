// RUN: titan-opt --split-input-file --verify-diagnostics %s
//
// What the verifiers of shared and global memory refuse.

// expected-error@+1 {{[alloc-cluster] allocates the CTA's own memory; a peer's is reached by titan.map_rank}}
%s = titan.shared.alloc : !titan.shared<64x64xbf16, cluster>
// -----

titan.elect {
// expected-error@+1 {{[alloc-place] stands in a kernel's body, outside of partitions, loops and branches:}}
%s = titan.shared.alloc : !titan.shared<64x64xbf16>
}
// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %r = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  %i = arith.constant 0 : i32
  // expected-error@+1 {{[shared-slot-type] a slot of this ring is '!titan.shared<64x64xbf16, swizzle = 128>'}}
  %s = titan.shared.slot %r[%i : i32] : !titan.shared<64x64xbf16, swizzle = 128, slots = 2> -> !titan.shared<64x32xbf16, swizzle = 64>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %r = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  %two = arith.constant 2 : i32
  // expected-error@+2 {{[out-of-bounds] slot 2 of a ring of 2}}
  // expected-note@+1 {{fix: slots count from 0 to 1: take the index modulo 2}}
  %s = titan.shared.slot %r[%two : i32] : !titan.shared<64x64xbf16, swizzle = 128, slots = 2> -> !titan.shared<64x64xbf16, swizzle = 128>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %r = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  // expected-error@+1 {{[shared-view-ring] the source is a ring: take a slot first}}
  %v = titan.shared.view %r [0, 0] : !titan.shared<64x64xbf16, swizzle = 128, slots = 2> -> !titan.shared<32x64xbf16, swizzle = 128>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %s = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  // expected-error@+1 {{[shared-view-rank] the view, its offsets and its source have one rank}}
  %v = titan.shared.view %s [0] : !titan.shared<64x64xbf16, swizzle = 128> -> !titan.shared<32x64xbf16, swizzle = 128>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %s = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  // expected-error@+1 {{[shared-view-type] element type, swizzle and cluster are the source's}}
  %v = titan.shared.view %s [0, 0] : !titan.shared<64x64xbf16, swizzle = 128> -> !titan.shared<32x64xf16, swizzle = 128>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %s = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  // expected-error@+2 {{[out-of-bounds] dimension 0: 48 + 32 is beyond the source's 64}}
  // expected-note@+1 {{fix: the view begins at 0 to 32 there}}
  %v = titan.shared.view %s [48, 0] : !titan.shared<64x64xbf16, swizzle = 128> -> !titan.shared<32x64xbf16, swizzle = 128>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %s = titan.shared.alloc : !titan.shared<64x64xbf16>
  // expected-error@+1 {{[shared-view-contiguous] a view is contiguous: a part of one dimension, whole in}}
  %v = titan.shared.view %s [0, 0] : !titan.shared<64x64xbf16> -> !titan.shared<64x32xbf16>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %s = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  // expected-error@+1 {{[shared-view-alignment] the view starts at byte 512, not a multiple of 1024 (the}}
  %v = titan.shared.view %s [4, 0] : !titan.shared<64x64xbf16, swizzle = 128> -> !titan.shared<32x64xbf16, swizzle = 128>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %s = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %i = arith.constant 0 : i32
  // expected-error@+1 {{[map-rank-type] the result is the source's type with `cluster`}}
  %p = titan.map_rank %s, %i : !titan.shared<64x64xbf16, swizzle = 128> -> !titan.shared<64x64xbf16, swizzle = 128>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %r = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  %z = arith.constant 0.0 : bf16
  %t = titan.splat %z : bf16 -> tensor<64x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
  // expected-error@+1 {{[shared-ring] the buffer is a ring: take a slot first}}
  titan.shared.store %t, %r : tensor<64x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>, !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %s = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %z = arith.constant 0.0 : f32
  %t = titan.splat %z : f32 -> tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
  // expected-error@+1 {{[shared-tile-type] the tile is 'tensor<64x64xf32, #titan.blocked<elements = [1, 8],}}
  titan.shared.store %t, %s : tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>, !titan.shared<64x64xbf16, swizzle = 128>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %s = titan.shared.alloc : !titan.shared<64x64xf32>
  %z = arith.constant 0.0 : f32
  %t = titan.splat %z : f32 -> tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
  // expected-error@+1 {{[matrix-element-type] ldmatrix and stmatrix move elements of 16 bits (PTX ISA,}}
  titan.shared.store %t, %s matrix : tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>, !titan.shared<64x64xf32>
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %x = titan.coordinate 0 : tensor<64x64xi32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
  // expected-error@+2 {{[global-element-type] the tile holds 'bf16', the tensor 'f32'}}
  // expected-note@+1 {{fix: move a tile of the tensor's type, and convert it where it is computed with}}
  %v = titan.global.load %A[%x, %x] : !titan.global<?x?xf32>, tensor<64x64xi32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>, tensor<64x64xi32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>> -> tensor<64x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %x = titan.coordinate 0 : tensor<64x64xi32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
  // expected-error@+1 {{[global-rank] a tensor of rank 2 needs as many index tensors, not 1}}
  %v = titan.global.load %A[%x] : !titan.global<?x?xf32>, tensor<64x64xi32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>> -> tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %z = arith.constant 0.0 : f32
  %t = titan.splat %z : f32 -> tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
  // expected-error@+1 {{[global-index-type] an index tensor is 'tensor<64x64xi32, #titan.blocked<elements =}}
  %v = titan.global.load %A[%t, %t] : !titan.global<?x?xf32>, tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>, tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>> -> tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %x = titan.coordinate 0 : tensor<64x64xi32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
  // expected-error@+1 {{[global-mask-type] the mask is 'tensor<64x64xi1, #titan.blocked<elements = [1, 8],}}
  %v = titan.global.load %A[%x, %x] mask(%x : tensor<64x64xi32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>) : !titan.global<?x?xf32>, tensor<64x64xi32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>, tensor<64x64xi32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>> -> tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %z = arith.constant 0.0 : f32
  %t = titan.splat %z : f32 -> tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
  %x = titan.coordinate 0 : tensor<64x64xi32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
  // expected-error@+1 {{[global-rank] a tensor of rank 2 needs as many index tensors, not 1}}
  titan.global.store %t, %A[%x] : tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>, !titan.global<?x?xf32>, tensor<64x64xi32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c = arith.constant 0 : index
  // expected-error@+1 {{[scalar-rank] memory of rank 2 needs as many indices, not 1}}
  %v = titan.ld %A[%c] : !titan.global<?x?xf32> -> f32
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c = arith.constant 0 : index
  // expected-error@+1 {{[scalar-type] the memory holds 'f32', not 'bf16'}}
  %v = titan.ld %A[%c, %c] : !titan.global<?x?xf32> -> bf16
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c = arith.constant 0 : index
  // expected-error@+1 {{[scalar-sem] 'release' is no semantics of this operation (PTX ISA, ld)}}
  %v = titan.ld %A[%c, %c] sem(release) : !titan.global<?x?xf32> -> f32
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  // expected-error@+1 {{[scalar-sem] 'acquire' is no semantics of this operation (PTX ISA, st)}}
  titan.st %z, %A[%c, %c] sem(acquire) : f32, !titan.global<?x?xf32>
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  // expected-error@+1 {{[scalar-type] the result is the old value, of the operand's type}}
  %v = titan.atom add %z, %A[%c, %c] : f32, !titan.global<?x?xf32> -> i32
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  // expected-error@+1 {{[scalar-type] of one that compares, the operation is an exchange: titan.atom exch ... where(...)}}
  %v = titan.atom add %z where(%z : f32), %A[%c, %c] : f32, !titan.global<?x?xf32> -> f32
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = arith.constant 0 : i32
  // expected-error@+1 {{[scalar-type] what is compared is 'i32', and the element 'f32'}}
  %v = titan.atom exch %z where(%n : i32), %A[%c, %c] : f32, !titan.global<?x?xf32> -> f32
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  // expected-error@+1 {{[scalar-sem] 'weak' is no semantics of this operation (PTX ISA, atom)}}
  %v = titan.atom add %z, %A[%c, %c] sem(weak) : f32, !titan.global<?x?xf32> -> f32
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %r = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  %c = arith.constant 0 : index
  // expected-error@+1 {{[shared-ring] the memory is a ring: take a slot first}}
  %v = titan.ld %r[%c, %c] : !titan.shared<64x64xbf16, swizzle = 128, slots = 2> -> bf16
  titan.return
}

// -----

// expected-error @+1 {{swizzle is 0, 32, 64 or 128 bytes, not 48}}
%s = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 48>
// -----

// expected-error @+1 {{a ring has 1 to 4096 slots, not 0}}
%s = titan.shared.alloc : !titan.shared<64x64xbf16, slots = 0>
// -----

// expected-error @+1 {{[tile-shape] a shared tile has at most 8 dimensions, not 9}}
%s = titan.shared.alloc : !titan.shared<1x1x1x1x1x1x1x2x64xbf16>
// -----

// expected-error @+1 {{rows of 80 bytes do not fill the swizzle's span of 128 bytes: use a narrower swizzle}}
%s = titan.shared.alloc : !titan.shared<64x40xbf16, swizzle = 128>
// -----

// expected-error @+1 {{a shared tile with rows of 192 bytes is no whole number of panels of 128 bytes: use a narrower swizzle, or rows that are a multiple of its span}}
%s = titan.shared.alloc : !titan.shared<64x96xbf16, swizzle = 128>
// -----

// expected-error @+1 {{a shared tile of 1 x 2097152 elements of 1 bytes: extents are 1 .. 2^20}}
%s = titan.shared.alloc : !titan.shared<2097152xi8>
// -----

// expected-error @+1 {{a tile of more than 2^24 elements}}
%s = titan.shared.alloc : !titan.shared<9000000000000000000xbf16>

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  // expected-error @+1 {{[shared-reuse] bytes 8192 to 24576 of a source of 16384}}
  %b = titan.shared.reuse %a at(8192) : !titan.shared<64x64xbf16, swizzle = 128, slots = 2> -> !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  // expected-error @+1 {{[shared-reuse] '!titan.shared<8x64xbf16, swizzle = 128>' begins at a multiple of 1024 bytes, and here at byte 512}}
  %b = titan.shared.reuse %a at(512) : !titan.shared<64x64xbf16, swizzle = 128, slots = 2> -> !titan.shared<8x64xbf16, swizzle = 128>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xbf16>
  // expected-error @+1 {{[shared-reuse] '!titan.shared<8x64xbf16, swizzle = 128>' begins at a multiple of 1024 bytes, and here at byte 0 of what is a multiple of 128}}
  %b = titan.shared.reuse %a : !titan.shared<64x64xbf16> -> !titan.shared<8x64xbf16, swizzle = 128>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
  // expected-error @+1 {{[shared-reuse] the bytes are of the source's CTA}}
  %b = titan.shared.reuse %a : !titan.shared<64x64xbf16, swizzle = 128, slots = 2> -> !titan.shared<8x64xbf16, cluster>
  titan.return
}

// -----

!line = !titan.global<?xf32>
#copies = #titan.blocked<elements = [1], lanes = [32], warps = [4]>
func.func @old_values_of_copies(%A: !line, %x: tensor<64xf32, #copies>, %i: tensor<64xi32, #copies>) {
  // expected-error@+2 {{[layout-mismatch] several threads hold an element of 'tensor<64xf32}}
  // expected-note@+1 {{fix: choose a layout without copies, or leave the result out}}
  %old = titan.global.atom add %x, %A[%i] : tensor<64xf32, #copies>, !line, tensor<64xi32, #copies> -> tensor<64xf32, #copies>
  return
}

// -----

!line = !titan.global<?xf32>
#row = #titan.blocked<elements = [1], lanes = [32], warps = [4]>
func.func @weak_atomic(%A: !line, %x: tensor<128xf32, #row>, %i: tensor<128xi32, #row>) {
  // expected-error@+1 {{[scalar-sem] 'weak' is no semantics of this operation}}
  titan.global.atom add %x, %A[%i] sem(weak) : tensor<128xf32, #row>, !line, tensor<128xi32, #row>
  return
}

// -----

!line = !titan.global<?xf32>
#row = #titan.blocked<elements = [1], lanes = [32], warps = [4]>
func.func @old_values_of_another_type(%A: !line, %x: tensor<128xf32, #row>, %i: tensor<128xi32, #row>) {
  // expected-error@+1 {{[global-element-type] the old values are a tile as the operand is}}
  %old = titan.global.atom add %x, %A[%i] : tensor<128xf32, #row>, !line, tensor<128xi32, #row> -> tensor<128xi32, #row>
  return
}

// -----

titan.kernel @k(%A: !titan.global<?xi64>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.address_of %A : !titan.global<?xi64>
  // expected-error @+1 {{[tensor-at] '!titan.global<?x?xf16>' is not one dimension of unknown size}}
  %t = titan.tensor_at %a : !titan.global<?x?xf16>
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?xi64>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.address_of %A : !titan.global<?xi64>
  // expected-error @+1 {{[tensor-at] '!titan.global<8xf16>' is not one dimension of unknown size}}
  %t = titan.tensor_at %a : !titan.global<8xf16>
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?xi64>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.address_of %A : !titan.global<?xi64>
  // expected-error @+2 {{[tensor-at] an address that is a multiple of 24 bytes, of elements of 2}}
  // expected-note @+1 {{fix: a power of two from 2 on}}
  %t = titan.tensor_at %a align(24) : !titan.global<?xf16>
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?xi64>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.address_of %A : !titan.global<?xi64>
  // expected-error @+2 {{[tensor-at] an address that is a multiple of 2 bytes, of elements of 4}}
  // expected-note @+1 {{fix: a power of two from 4 on}}
  %t = titan.tensor_at %a align(2) : !titan.global<?xf32>
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?xi64>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.address_of %A : !titan.global<?xi64>
  // expected-error @+1 {{[tensor-at] is used by 'titan.dim', which wants more than its elements}}
  %t = titan.tensor_at %a : !titan.global<?xf32>
  // expected-note @+1 {{here}}
  %n = titan.dim %t, 0 : !titan.global<?xf32>
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?xi64>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.address_of %A : !titan.global<?xi64>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{[tensor-at] is used by 'titan.flag.wait', which wants more than its elements}}
  %t = titan.tensor_at %a : !titan.global<?xi32>
  // expected-note @+1 {{here}}
  titan.flag.wait %t[%c0], %c1 : !titan.global<?xi32>
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?xi64>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.address_of %A : !titan.global<?xi64>
  %c0 = arith.constant 0 : index
  %b = titan.shared.alloc : !titan.shared<64xf32>
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[tensor-at] is used by 'titan.bulk.load', which wants more than its elements}}
  %t = titan.tensor_at %a : !titan.global<?xf32>
  titan.elect warp(0) {
    // expected-note @+1 {{here}}
    titan.bulk.load %t[%c0], %b, %bar : !titan.global<?xf32>, !titan.shared<64xf32>, !titan.mbarrier
  }
  titan.return
}

// -----

#four = #titan.blocked<elements = [4], lanes = [32], warps = [1]>
titan.kernel @k(%A: !titan.global<?xi64>) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.address_of %A : !titan.global<?xi64>
  %b = titan.shared.alloc : !titan.shared<128xi32>
  %i = titan.coordinate 0 : tensor<128xi32, #four>
  %t = titan.tensor_at %a align(8) : !titan.global<?xi32>
  // expected-error @+2 {{[tensor-at] copies 16 bytes at once from an address of which no more is promised than that it is a multiple of 8 (PTX ISA, cp.async)}}
  // expected-note @+1 {{fix: align(16) of its titan.tensor_at, or fewer bytes at once}}
  titan.cp_async %t[%i], %b bytes(16) : !titan.global<?xi32>, tensor<128xi32, #four> -> !titan.shared<128xi32>
  titan.return
}
