// Maps with element strides, and with sizes and strides of their own: syntax, and
// what is refused.
// RUN: titan-opt --split-input-file --verify-diagnostics %s | titan-opt --split-input-file | FileCheck %s

!T   = !titan.global<?x?xbf16>
!map = !titan.tensor_map<2x64x64xbf16, swizzle = 128, element_strides = [1, 2, 1]>

// CHECK-LABEL: titan.kernel @view
titan.kernel @view(%X: !T, %V: !titan.global<?xf32>) warps(1) launch {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // CHECK: titan.stride %X, 0 : <?x?xbf16>
  %s = titan.stride %X, 0 : !T
  %s0 = arith.muli %s, %c2 : index
  // CHECK: titan.tensor_map %X dims(%{{.*}}, %{{.*}}, %{{.*}}) byte_strides(%{{.*}}, %{{.*}}) {fill = #titan<fill nan>} : <?x?xbf16> -> <2x64x64xbf16, element_strides = [1, 2, 1], swizzle = 128>
  %m = titan.tensor_map %X dims(%c1, %c2, %c2) byte_strides(%s0, %s0) {fill = #titan<fill nan>} : !T -> !map
  // CHECK: titan.tensor_map %V dims(%{{.*}}) : <?xf32> -> <8xf32>
  %v = titan.tensor_map %V dims(%c2) : !titan.global<?xf32> -> !titan.tensor_map<8xf32, element_strides = [1]>
  titan.launch grid(%c1) with(%m : !map)
} body(%m: !map) {
  %c0 = arith.constant 0 : index
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  // Half of 64 rows; rows of one length in another number of dimensions.
  %a = titan.shared.alloc : !titan.shared<2x32x64xbf16, swizzle = 128>
  %b = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  titan.tma.load %m[%c0, %c0, %c0], %a, %bar : !map, !titan.shared<2x32x64xbf16, swizzle = 128>, !titan.mbarrier
  titan.tma.load %m[%c0, %c0, %c0], %b, %bar : !map, !titan.shared<64x64xbf16, swizzle = 128>, !titan.mbarrier
  titan.return
}

// A map in memory leads into the tensor, whatever its rank.
// CHECK-LABEL: func.func @in_memory
func.func @in_memory(%maps: !titan.global<?x128xi8>, %X: !T, %i: index) {
  // CHECK: titan.tensormap.at
  %map = titan.tensormap.at %maps[%i] over %X : !titan.global<?x128xi8>, !T -> !map
  return
}

// -----

// expected-error @+1 {{[tma-element-stride] the innermost element stride is 2}}
!map = !titan.tensor_map<64x64xbf16, element_strides = [1, 2]>

// -----

// expected-error @+1 {{[tma-element-stride] elementStrides[1]: element stride 9 is not in 1 .. 8}}
!map = !titan.tensor_map<64x64xbf16, element_strides = [9, 1]>

// -----

// expected-error @+1 {{[tma-element-stride] an element stride is 1 to 8, not 0}}
!map = !titan.tensor_map<64x64xbf16, element_strides = [0, 1]>

// -----

// expected-error @+1 {{[tma-element-stride] 2 dimensions need as many element strides, not 1}}
!map = !titan.tensor_map<64x64xbf16, element_strides = [1]>

// -----

// expected-error @+1 {{[tma-box-range] boxDim: the box has 262144 bytes, more than 233472}}
!map = !titan.tensor_map<2x256x256xbf16>

// -----

// expected-error @+1 {{[tma-map-type] no tensor map has elements of 'i24'}}
!map = !titan.tensor_map<64x64xi24>

// -----

titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(1) launch {
  %c = arith.constant 64 : index
  // expected-error @+1 {{[tma-map-type] the box is '!titan.tensor_map<2x32x64xbf16>', the tensor '!titan.global<?x?xbf16>': ranks must agree, or dims and byte_strides be given}}
  %m = titan.tensor_map %A : !titan.global<?x?xbf16> -> !titan.tensor_map<2x32x64xbf16>
  titan.launch grid(%c)
} body() {
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(1) launch {
  %c = arith.constant 64 : index
  // expected-error @+1 {{[tma-map-type] a map of rank 3 has as many dims, not 3, and byte strides for all of them but the innermost, not 0}}
  %m = titan.tensor_map %A dims(%c, %c, %c) : !titan.global<?x?xbf16> -> !titan.tensor_map<2x32x64xbf16>
  titan.launch grid(%c)
} body() {
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(1) launch {
  %c = arith.constant 64 : index
  // expected-error @+1 {{[tma-map-type] a map of rank 2 has as many dims, not 0}}
  %m = titan.tensor_map %A byte_strides(%c) : !titan.global<?x?xbf16> -> !titan.tensor_map<32x64xbf16>
  titan.launch grid(%c)
} body() {
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(1) launch {
  %c = arith.constant 64 : index
  %s = arith.constant 100 : index
  // expected-error @+1 {{[tma-stride-alignment] globalStrides[0]: stride of 100 bytes}}
  %m = titan.tensor_map %A dims(%c, %c) byte_strides(%s) : !titan.global<?x?xbf16> -> !titan.tensor_map<32x64xbf16>
  titan.launch grid(%c)
} body() {
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(1) launch {
  %c = arith.constant 64 : index
  %z = arith.constant 0 : index
  // expected-error @+1 {{[tma-dim-range] globalDim[1]: extent 0 is not in 1 ..}}
  %m = titan.tensor_map %A dims(%z, %c) byte_strides(%c) : !titan.global<?x?xbf16> -> !titan.tensor_map<32x64xbf16>
  titan.launch grid(%c)
} body() {
  titan.return
}

// -----

// 63 rows of 128 bytes, and the last one of 66 elements.
titan.kernel @k(%A: !titan.global<64x64xbf16, strides = [64, 1]>) warps(1) launch {
  %c64 = arith.constant 64 : index
  %c66 = arith.constant 66 : index
  %c128 = arith.constant 128 : index
  %fits = titan.tensor_map %A dims(%c64, %c64) byte_strides(%c128) : !titan.global<64x64xbf16, strides = [64, 1]> -> !titan.tensor_map<32x64xbf16>
  // expected-error @+1 {{[tma-view-range] the map spans 8196 bytes, its tensor 8192}}
  %m = titan.tensor_map %A dims(%c64, %c66) byte_strides(%c128) : !titan.global<64x64xbf16, strides = [64, 1]> -> !titan.tensor_map<32x64xbf16>
  titan.launch grid(%c64)
} body() {
  titan.return
}

// -----

!map = !titan.tensor_map<64x64xbf16, swizzle = 128, element_strides = [2, 1]>
titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(1) launch {
  %c1 = arith.constant 1 : index
  %m = titan.tensor_map %A : !titan.global<?x?xbf16> -> !map
  titan.launch grid(%c1) with(%m : !map)
} body(%m: !map) {
  %c0 = arith.constant 0 : index
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %box = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  // expected-error @+1 {{[tma-box-mismatch] a copy through '!titan.tensor_map<64x64xbf16, element_strides = [2, 1], swizzle = 128>' moves a tile of 32x64, the buffer is '!titan.shared<64x64xbf16, swizzle = 128>'}}
  titan.tma.load %m[%c0, %c0], %box, %bar : !map, !titan.shared<64x64xbf16, swizzle = 128>, !titan.mbarrier
  titan.return
}

// -----

!map = !titan.tensor_map<64x64xbf16, swizzle = 128>
titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(1) launch {
  %c1 = arith.constant 1 : index
  %m = titan.tensor_map %A : !titan.global<?x?xbf16> -> !map
  titan.launch grid(%c1) with(%m : !map)
} body(%m: !map) {
  %c0 = arith.constant 0 : index
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  // As many elements, and rows of two panels.
  %wide = titan.shared.alloc : !titan.shared<32x128xbf16, swizzle = 128>
  // expected-error @+1 {{[tma-box-mismatch] a copy through}}
  titan.tma.load %m[%c0, %c0], %wide, %bar : !map, !titan.shared<32x128xbf16, swizzle = 128>, !titan.mbarrier
  titan.return
}

// -----

!map = !titan.tensor_map<8x8xf64>
titan.kernel @k(%A: !titan.global<?x?xf64>) warps(1) launch {
  %c1 = arith.constant 1 : index
  %m = titan.tensor_map %A : !titan.global<?x?xf64> -> !map
  titan.launch grid(%c1) with(%m : !map)
} body(%m: !map) {
  %c0 = arith.constant 0 : index
  %tile = titan.shared.alloc : !titan.shared<8x8xf64>
  // expected-error @+1 {{[tma-reduce-type] no reduction 'min' of 'f64'}}
  titan.tma.reduce min %tile, %m[%c0, %c0] : !titan.shared<8x8xf64>, !map
  titan.return
}

// -----

!map = !titan.tensor_map<8x8xi64>
titan.kernel @k(%A: !titan.global<?x?xi64>) warps(1) launch {
  %c1 = arith.constant 1 : index
  %m = titan.tensor_map %A : !titan.global<?x?xi64> -> !map
  titan.launch grid(%c1) with(%m : !map)
} body(%m: !map) {
  %c0 = arith.constant 0 : index
  %tile = titan.shared.alloc : !titan.shared<8x8xi64>
  titan.tma.reduce min %tile, %m[%c0, %c0] : !titan.shared<8x8xi64>, !map
  // expected-error @+1 {{[tma-reduce-type] 'add' takes unsigned numbers, and min or max go through the same map of 'i64', which is signed: make two maps}}
  titan.tma.reduce add %tile, %m[%c0, %c0] : !titan.shared<8x8xi64>, !map
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xi64>) warps(1) launch {
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{[tile-dimension] dimension 2 of a tensor of rank 2}}
  %s = titan.stride %A, 2 : !titan.global<?x?xi64>
  titan.launch grid(%c1)
} body() {
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xi64>) warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  // expected-error @+1 {{[launch-operation] belongs in the launch region}}
  %s = titan.stride %A, 0 : !titan.global<?x?xi64>
  titan.return
}
