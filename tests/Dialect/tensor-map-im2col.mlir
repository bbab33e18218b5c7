// im2col and interleaved maps: syntax, and what is refused.
// RUN: titan-opt --split-input-file --verify-diagnostics %s | titan-opt --split-input-file | FileCheck %s

!T    = !titan.global<?x?x?x?xbf16>
!map  = !titan.tensor_map<im2col 128x64xbf16, lower = [-1, -1], upper = [-1, -1], element_strides = [1, 2, 2, 1], swizzle = 128>
!out  = !titan.tensor_map<im2col 32x64xf32, lower = [0], upper = [0]>
!tile = !titan.shared<128x64xbf16, swizzle = 128>
!bar  = !titan.mbarrier

// CHECK-LABEL: titan.kernel @convolution
titan.kernel @convolution(%X: !T, %Y: !titan.global<4x32x64xf32>) warps(1) launch {
  %c1 = arith.constant 1 : index
  // CHECK: titan.tensor_map %X : <?x?x?x?xbf16> -> <im2col 128x64xbf16, lower = [-1, -1], upper = [-1, -1], element_strides = [1, 2, 2, 1], swizzle = 128>
  %m = titan.tensor_map %X : !T -> !map
  // CHECK: titan.tensor_map %Y dims(%{{.*}}) byte_strides(%{{.*}}) : <4x32x64xf32> -> <im2col 32x64xf32, lower = [0], upper = [0]>
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %o = titan.tensor_map %Y dims(%c1, %c16, %c64) byte_strides(%c16, %c16) : !titan.global<4x32x64xf32> -> !out
  titan.launch grid(%c1) with(%m, %o : !map, !out)
} body(%m: !map, %o: !out) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %cm1 = arith.constant -1 : index
  %bar = titan.mbarrier.alloc : !bar
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !titan.shared<32x64xf32>
  // CHECK: titan.tma.load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] offsets[%{{.*}}, %{{.*}}], %{{.*}}, %{{.*}} : <im2col 128x64xbf16,
  titan.tma.load %m[%c0, %cm1, %cm1, %c0] offsets[%c2, %c1], %a, %bar : !map, !tile, !bar
  // CHECK: titan.tma.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : <32x64xf32>, <im2col 32x64xf32, lower = [0], upper = [0]>
  titan.tma.store %b, %o[%c0, %c1, %c0] : !titan.shared<32x64xf32>, !out
  // CHECK: titan.tma.reduce add
  titan.tma.reduce add %b, %o[%c0, %c1, %c0] : !titan.shared<32x64xf32>, !out
  titan.return
}

// NC/8HWC8: two images, one slice of 8 channels, 4 x 16 pixels, every second column.
!slices = !titan.tensor_map<2x1x4x32xbf16, element_strides = [1, 1, 1, 2], interleave = 16, swizzle = 32>
!walk   = !titan.tensor_map<im2col 64x16xbf16, lower = [-1], upper = [1], interleave = 32>

// CHECK-LABEL: titan.kernel @interleaved
titan.kernel @interleaved(%X: !titan.global<?x?x?x?x8xbf16>, %Y: !titan.global<4x2x32x16xbf16, strides = [1024, 512, 16, 1]>) warps(1) launch {
  %c1 = arith.constant 1 : index
  // CHECK: titan.tensor_map %X : <?x?x?x?x8xbf16> -> <2x1x4x32xbf16, element_strides = [1, 1, 1, 2], interleave = 16, swizzle = 32>
  %m = titan.tensor_map %X : !titan.global<?x?x?x?x8xbf16> -> !slices
  // CHECK: -> <im2col 64x16xbf16, lower = [-1], upper = [1], interleave = 32>
  %w = titan.tensor_map %Y : !titan.global<4x2x32x16xbf16, strides = [1024, 512, 16, 1]> -> !walk
  titan.launch grid(%c1) with(%m, %w : !slices, !walk)
} body(%m: !slices, %w: !walk) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %bar = titan.mbarrier.alloc : !bar
  // 128 slices of 16 bytes, written in rows of 32.
  %a = titan.shared.alloc : !titan.shared<64x16xbf16, swizzle = 32>
  %b = titan.shared.alloc : !titan.shared<64x16xbf16>
  // Coordinates of slices: any is aligned.
  titan.tma.load %m[%c0, %c0, %c0, %c3], %a, %bar : !slices, !titan.shared<64x16xbf16, swizzle = 32>, !bar
  titan.tma.load %w[%c0, %c0, %c3] offsets[%c3], %b, %bar : !walk, !titan.shared<64x16xbf16>, !bar
  titan.return
}

// -----

// expected-error @+1 {{[tma-im2col] 'im2col' goes with the corners of a bounding box, 'lower' and 'upper'}}
!map = !titan.tensor_map<im2col 64x64xbf16>

// -----

// expected-error @+1 {{[tma-im2col] 'im2col' goes with the corners of a bounding box}}
!map = !titan.tensor_map<64x64xbf16, lower = [0], upper = [0]>

// -----

// expected-error @+1 {{'upper' has one number for each dimension}}
!map = !titan.tensor_map<im2col 64x64xbf16, lower = [0], upper = []>

// -----

// expected-error @+1 {{[tma-im2col] 1 lower corners and 2 upper ones}}
!map = !titan.tensor_map<im2col 64x64xbf16, lower = [0], upper = [0, 0]>

// -----

// expected-error @+1 {{[tma-im2col] the shape of an im2col map is pixels x channels: 2 sizes, not 3}}
!map = !titan.tensor_map<im2col 2x64x64xbf16, lower = [0], upper = [0]>

// -----

// expected-error @+1 {{[tma-rank] a tensor map has 1 to 5 dimensions (cuTensorMapEncodeIm2col)}}
!map = !titan.tensor_map<im2col 64x64xbf16, lower = [0, 0, 0, 0], upper = [0, 0, 0, 0]>

// -----

// expected-error @+1 {{[tma-element-stride] 4 dimensions need as many element strides, not 2}}
!map = !titan.tensor_map<im2col 64x64xbf16, lower = [0, 0], upper = [0, 0], element_strides = [2, 1]>

// -----

// expected-error @+1 {{[tma-element-stride] the innermost element stride is 2}}
!map = !titan.tensor_map<im2col 64x64xbf16, lower = [0], upper = [0], element_strides = [1, 1, 2]>

// -----

// Corners are counted from W inwards as the encoder does: W is the last one here.
// expected-error @+1 {{[tma-im2col] pixelBoxLowerCorner[0]: corner -129 is not in -128 .. 127}}
!map = !titan.tensor_map<im2col 64x64xbf16, lower = [0, -129], upper = [0, 0]>

// -----

// expected-error @+1 {{[tma-im2col] pixelBoxUpperCorner[2]: corner 16 is not in -16 .. 15}}
!map = !titan.tensor_map<im2col 64x64xbf16, lower = [0, 0, 0], upper = [16, 0, 0]>

// -----

// expected-error @+1 {{[tma-im2col] a corner of 4294967296}}
!map = !titan.tensor_map<im2col 64x64xbf16, lower = [4294967296], upper = [0]>

// -----

// expected-error @+1 {{[tma-box-range] pixelsPerColumn: 1025 pixels are not in 1 .. 1024}}
!map = !titan.tensor_map<im2col 1025x64xbf16, lower = [0], upper = [0]>

// -----

// expected-error @+1 {{[tma-box-range] channelsPerPixel: 264 channels are not in 1 .. 256}}
!map = !titan.tensor_map<im2col 8x264xbf16, lower = [0], upper = [0]>

// -----

// expected-error @+1 {{[tma-box-swizzle] channelsPerPixel: 128 elements of bf16 are 256 bytes, but swizzle 128B spans 128}}
!map = !titan.tensor_map<im2col 8x128xbf16, lower = [0], upper = [0], swizzle = 128>

// -----

// expected-error @+1 {{[tma-interleave] slices have 16 or 32 bytes, not 64}}
!map = !titan.tensor_map<1x1x8xbf16, interleave = 64>

// -----

// expected-error @+1 {{[tma-rank] tensorRank: rank 2 is not in 3 .. 5}}
!map = !titan.tensor_map<8x8xbf16, interleave = 16>

// -----

// expected-error @+1 {{[tma-interleave] dimension 1, slices of channels, has a box of 2 and element stride 1: a copy moves one slice}}
!map = !titan.tensor_map<1x2x8xbf16, interleave = 16>

// -----

// expected-error @+1 {{[tma-interleave] dimension 1, slices of channels, has a box of 1 and element stride 2}}
!map = !titan.tensor_map<1x1x8xbf16, interleave = 16, element_strides = [1, 2, 1]>

// -----

// expected-error @+1 {{[tma-interleave] 16 channels are 32 bytes, a slice has 16}}
!map = !titan.tensor_map<im2col 8x16xbf16, lower = [0], upper = [0], interleave = 16>

// -----

// What the encoder asks of the innermost box, though it counts slices.
// expected-error @+1 {{[tma-box-bytes] boxDim[0]: 4 elements of bf16 are 8 bytes, no multiple of 16}}
!map = !titan.tensor_map<1x1x4xbf16, interleave = 16>

// -----

titan.kernel @k(%A: !titan.global<2x2x8x64xbf16>) warps(1) launch {
  %c = arith.constant 1 : index
  // expected-error @+1 {{[tma-im2col] pixelBoxUpperCorner[1]: the bounding box from 0 to 2 - 1 + -2 is empty}}
  %m = titan.tensor_map %A : !titan.global<2x2x8x64xbf16> -> !titan.tensor_map<im2col 64x64xbf16, lower = [0, 0], upper = [-2, 0]>
  titan.launch grid(%c)
} body() {
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?x64xbf16>) warps(1) launch {
  %c = arith.constant 1 : index
  // expected-error @+1 {{[tma-map-type] the box is '!titan.tensor_map<im2col 64x64xbf16, lower = [0, 0], upper = [0, 0]>', the tensor '!titan.global<?x?x64xbf16>': ranks must agree, or dims}}
  %m = titan.tensor_map %A : !titan.global<?x?x64xbf16> -> !titan.tensor_map<im2col 64x64xbf16, lower = [0, 0], upper = [0, 0]>
  titan.launch grid(%c)
} body() {
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?x?xbf16>) warps(1) launch {
  %c = arith.constant 1 : index
  // expected-error @+1 {{ranks must agree, and a slice be a dimension more, or dims}}
  %m = titan.tensor_map %A : !titan.global<?x?x?xbf16> -> !titan.tensor_map<1x1x8xbf16, interleave = 16>
  titan.launch grid(%c)
} body() {
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?x?x?xbf16>) warps(1) launch {
  %c = arith.constant 1 : index
  // expected-error @+1 {{[tma-interleave] the tensor '!titan.global<?x?x?x?xbf16>' ends in slices of channels, of 8 elements}}
  %m = titan.tensor_map %A : !titan.global<?x?x?x?xbf16> -> !titan.tensor_map<1x1x8xbf16, interleave = 16>
  titan.launch grid(%c)
} body() {
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?x?x8xbf16, strides = [?, ?, 16, 1]>) warps(1) launch {
  %c = arith.constant 1 : index
  // expected-error @+1 {{[tma-interleave] slices of 8 elements follow one another along W, and the tensor's stride there is 16}}
  %m = titan.tensor_map %A : !titan.global<?x?x?x8xbf16, strides = [?, ?, 16, 1]> -> !titan.tensor_map<1x1x8xbf16, interleave = 16>
  titan.launch grid(%c)
} body() {
  titan.return
}

// -----

!map = !titan.tensor_map<im2col 8x64xbf16, lower = [-1], upper = [-1]>
!tile = !titan.shared<8x64xbf16>
func.func @offsets(%m: !map, %a: !tile, %bar: !titan.mbarrier, %i: index) {
  // expected-error @+1 {{[tma-im2col] a load through '!titan.tensor_map<im2col 8x64xbf16, lower = [-1], upper = [-1]>' has 1 offsets, not 0}}
  titan.tma.load %m[%i, %i, %i], %a, %bar : !map, !tile, !titan.mbarrier
  return
}

// -----

!map = !titan.tensor_map<1x8x64xbf16>
!tile = !titan.shared<8x64xbf16>
func.func @offsets(%m: !map, %a: !tile, %bar: !titan.mbarrier, %i: index) {
  // expected-error @+1 {{[tma-im2col] a load through '!titan.tensor_map<1x8x64xbf16>' has 0 offsets, not 1}}
  titan.tma.load %m[%i, %i, %i] offsets[%i], %a, %bar : !map, !tile, !titan.mbarrier
  return
}

// -----

!map = !titan.tensor_map<im2col 8x64xbf16, lower = [-1, -1], upper = [-1, -1]>
!tile = !titan.shared<8x64xbf16>
func.func @offsets(%m: !map, %a: !tile, %bar: !titan.mbarrier, %i: index) {
  %c256 = arith.constant 256 : index
  // expected-error @+1 {{[tma-im2col] im2colOffsets[1]: offset 256 is not in 0 .. 255}}
  titan.tma.load %m[%i, %i, %i, %i] offsets[%c256, %i], %a, %bar : !map, !tile, !titan.mbarrier
  return
}

// -----

!map = !titan.tensor_map<im2col 8x64xbf16, lower = [-1], upper = [-1]>
!tile = !titan.shared<8x64xbf16>
func.func @start(%m: !map, %a: !tile, %bar: !titan.mbarrier, %i: index) {
  %cm2 = arith.constant -2 : index
  // expected-error @+1 {{[tma-im2col] tensorCoords[1]: coordinate -2 lies outside of the bounding box -1 ..}}
  titan.tma.load %m[%i, %cm2, %i] offsets[%i], %a, %bar : !map, !tile, !titan.mbarrier
  return
}

// -----

!map = !titan.tensor_map<im2col 8x64xbf16, lower = [0], upper = [0]>
!tile = !titan.shared<8x64xbf16>
func.func @channel(%m: !map, %a: !tile, %bar: !titan.mbarrier, %i: index) {
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{[tma-coordinate-alignment] tensorCoords[0]: coordinate 4 of bf16 is 8 bytes from the row's start}}
  titan.tma.load %m[%i, %i, %c4] offsets[%i], %a, %bar : !map, !tile, !titan.mbarrier
  return
}

// -----

!map = !titan.tensor_map<im2col 8x64xbf16, lower = [-1], upper = [0]>
!tile = !titan.shared<8x64xbf16>
func.func @store(%m: !map, %a: !tile, %i: index) {
  // expected-error @+1 {{[tma-im2col] pixelBoxLowerCorner[0]: a store's bounding box lies inside of the tensor}}
  titan.tma.store %a, %m[%i, %i, %i] : !tile, !map
  return
}

// -----

!map = !titan.tensor_map<im2col 8x64xf32, lower = [0], upper = [1]>
!tile = !titan.shared<8x64xf32>
func.func @reduce(%m: !map, %a: !tile, %i: index) {
  // expected-error @+1 {{[tma-im2col] pixelBoxLowerCorner[0]: a store's bounding box lies inside of the tensor}}
  titan.tma.reduce add %a, %m[%i, %i, %i] : !tile, !map
  return
}

// -----

!map = !titan.tensor_map<1x1x32xbf16, interleave = 16>
!tile = !titan.shared<16x8xbf16>
func.func @slices(%m: !map, %a: !tile, %i: index) {
  // expected-error @+1 {{[tma-box-mismatch] a copy through '!titan.tensor_map<1x1x32xbf16, interleave = 16>' moves a tile of 1x1x32x8, the buffer is}}
  titan.tma.store %a, %m[%i, %i, %i] : !tile, !map
  return
}

// -----

!map = !titan.tensor_map<1x1x32xbf16, interleave = 16, swizzle = 32>
!tile = !titan.shared<8x32xbf16, swizzle = 32>
func.func @rows(%m: !map, %a: !tile, %i: index) {
  // expected-error @+1 {{the length of rows must agree (interleaved: rows of 16)}}
  titan.tma.store %a, %m[%i, %i, %i] : !tile, !map
  return
}

// -----

!map = !titan.tensor_map<im2col 8x64xbf16, lower = [-1], upper = [0]>
titan.kernel @edit() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  // expected-error @+1 {{[tensormap-place] '!titan.tensor_map<im2col 8x64xbf16, lower = [-1], upper = [0]>': tensormap.replace edits tiled maps only (PTX ISA)}}
  %m = titan.tensormap.alloc : !map
  titan.return
}

// -----

!map = !titan.tensor_map<im2col 8x64xbf16, lower = [-1], upper = [0]>
func.func @memory(%maps: !titan.global<?x128xi8>, %X: !titan.global<?x?x?xbf16>, %i: index) {
  // expected-error @+1 {{[tensormap-place] '!titan.tensor_map<im2col 8x64xbf16, lower = [-1], upper = [0]>': tensormap.replace edits tiled maps only (PTX ISA)}}
  %m = titan.tensormap.at %maps[%i] over %X : !titan.global<?x128xi8>, !titan.global<?x?x?xbf16> -> !map
  return
}
