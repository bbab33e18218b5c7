// Tiles of one value a row, and A in registers.
// RUN: titan-opt %s --split-input-file --verify-diagnostics

#acc = #titan.wgmma<1, 1>
func.func @rows(%s: tensor<64x128xf32, #acc>) -> tensor<64x96xf32, #acc> {
  // The extent of the dimension that went makes no difference: 128 there, 96 here.
  %max = titan.reduce max %s : tensor<64x128xf32, #acc> -> tensor<64xf32, #titan.slice<1, #acc>>
  %wide = titan.broadcast %max : tensor<64xf32, #titan.slice<1, #acc>> -> tensor<64x96xf32, #acc>
  return %wide : tensor<64x96xf32, #acc>
}

// -----

#acc = #titan.wgmma<1, 1>
#blocked = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
func.func @other_threads(%s: tensor<64x128xf32, #acc>) {
  // expected-error@+2 {{[layout-mismatch] each thread holds the values of its own rows: the layout is #titan.slice<1, #titan.wgmma<1, 1>>}}
  // expected-note@+1 {{fix: give the rows that layout}}
  %max = titan.reduce max %s : tensor<64x128xf32, #acc> -> tensor<64xf32, #titan.slice<1, #blocked>>
  return
}

// -----

#acc = #titan.wgmma<1, 1>
func.func @too_long(%s: tensor<64x128xf32, #acc>) {
  // expected-error@+1 {{[tile-reduce-type] the rows of}}
  %max = titan.reduce max %s : tensor<64x128xf32, #acc> -> tensor<128xf32, #titan.slice<1, #titan.wgmma<2, 1>>>
  return
}

// -----

#acc = #titan.wgmma<1, 1>
!b = !titan.shared<64x128xbf16, swizzle = 128>
!d = !titan.inflight<tensor<64x128xf32, #acc>>
func.func @a_in_registers(%p: tensor<64x64xbf16, #acc>, %b: !b, %d: !d) -> !d {
  %r = titan.mma %p, %b transpose_b, %d : tensor<64x64xbf16, #acc>, !b, !d -> !d
  return %r : !d
}

// -----

#acc = #titan.wgmma<1, 1>
#blocked = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!b = !titan.shared<64x128xbf16, swizzle = 128>
!d = !titan.inflight<tensor<64x128xf32, #acc>>
func.func @a_in_the_wrong_registers(%p: tensor<64x64xbf16, #blocked>, %b: !b, %d: !d) {
  // expected-error@+2 {{[layout-mismatch] A in registers has the layout of wgmma's matrix fragment A}}
  // expected-note @+1 {{fix: #titan.layout<"reg: 2*c1, 2*r8, 8*c8; lane: 4*c2, 8*r1; warp: 4*r16">}}
  %r = titan.mma %p, %b transpose_b, %d : tensor<64x64xbf16, #blocked>, !b, !d -> !d
  return
}

// -----

#acc = #titan.wgmma<1, 1>
!b = !titan.shared<64x128xbf16, swizzle = 128>
!d = !titan.inflight<tensor<64x128xf32, #acc>>
func.func @a_transposed_in_registers(%p: tensor<64x64xbf16, #acc>, %b: !b, %d: !d) {
  // expected-error@+1 {{[mma-operand] A in registers is not transposed}}
  %r = titan.mma %p transpose_a, %b transpose_b, %d : tensor<64x64xbf16, #acc>, !b, !d -> !d
  return
}

// -----

#acc = #titan.wgmma<1, 1>
func.func @whole_tile(%s: tensor<64xf32, #titan.slice<1, #acc>>) {
  // expected-error@+1 {{[tile-one-element] 'tensor<64xf32, #titan.slice<1, #titan.wgmma<1, 1>>>' has 64 elements}}
  %x = titan.unsplat %s : tensor<64xf32, #titan.slice<1, #acc>> -> f32
  return
}

// -----

#one = #titan.slice<0, #titan.blocked<elements = [1], lanes = [32], warps = [4]>>
func.func @another_type(%s: tensor<f32, #one>) {
  // expected-error@+1 {{[tile-element-type] the tile holds 'f32', the value is 'i32'}}
  %x = titan.unsplat %s : tensor<f32, #one> -> i32
  return
}

// -----

#acc = #titan.wgmma<1, 1>
func.func @numbers_of_integers(%s: tensor<64x128xi32, #acc>) {
  // expected-error@+1 {{[tile-element-type] `maxnum` of elements of 'i32'}}
  %max = titan.reduce maxnum %s : tensor<64x128xi32, #acc> -> tensor<64xi32, #titan.slice<1, #acc>>
  return
}

// -----

#acc = #titan.wgmma<1, 1>
func.func @unsigned_floats(%s: tensor<64x128xf32, #acc>) {
  // expected-error@+1 {{[tile-element-type] `minu` of elements of 'f32'}}
  %min = titan.reduce minu %s : tensor<64x128xf32, #acc> -> tensor<64xf32, #titan.slice<1, #acc>>
  return
}

// -----

// The fix names the shape.
func.func @step_of_k(%a: i16) {
  // expected-error@+2 {{[layout-instruction] 'tensor<64x12xi16, #titan.mma_sync_a<16, 2, 2>>': mma.m16n8k12}}
  // expected-note@+1 {{fix: make K a multiple of 8}}
  %t = titan.splat %a : i16 -> tensor<64x12xi16, #titan.mma_sync_a<16, 2, 2>>
  return
}

// -----

func.func @odd(%a: i32) {
  // expected-error@+2 {{[layout-instruction] 'tensor<500xi32, #titan.blocked<elements = [4], lanes = [32], warps = [4]>>': blocked: 32 lanes along dimension 0, where the shape leaves 125}}
  // expected-note@+1 {{fix: make dimension 0 of the tile a multiple of 128, or give lanes there that divide 125}}
  %t = titan.splat %a : i32 -> tensor<500xi32, #titan.blocked<elements = [4], lanes = [32], warps = [4]>>
  return
}
