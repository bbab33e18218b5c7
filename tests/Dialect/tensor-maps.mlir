// What editing a tensor map refuses.
// RUN: titan-opt %s --split-input-file --verify-diagnostics

!map = !titan.tensor_map<128x64xbf16, swizzle = 128>
!maps = !titan.global<?x64xi8>
!global = !titan.global<?x?xbf16>
func.func @array(%maps: !maps, %tensor: !global, %i: index) {
  // expected-error@+1 {{[tensormap-array] maps lie in an array of 128-byte rows}}
  %map = titan.tensormap.at %maps[%i] over %tensor : !maps, !global -> !map
  return
}

// -----

!map = !titan.tensor_map<128x64xbf16, swizzle = 128>
!tile = !titan.shared<128x64xbf16, swizzle = 128>
titan.kernel @copies(%maps: !titan.global<?x128xi8>, %tensor: !titan.global<?x?xbf16>) warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %five = arith.constant 5 : i32
  %stride = arith.constant 100 : i64
  %edit = titan.tensormap.alloc : !map
  %tile = titan.shared.alloc : !tile
  %bar = titan.mbarrier.alloc : !titan.mbarrier
  %map = titan.tensormap.at %maps[%c0] over %tensor : !titan.global<?x128xi8>, !titan.global<?x?xbf16> -> !map
  titan.tensormap.replace_dim %edit, 0, %five : !map
  // expected-error@+1 {{[tensormap-place] no copy goes through a map in shared memory}}
  titan.tma.load %edit[%c0, %c0], %tile, %bar : !map, !tile, !titan.mbarrier
  titan.return
}

// -----

!map = !titan.tensor_map<128x64xbf16, swizzle = 128>
titan.kernel @fields(%maps: !titan.global<?x128xi8>, %tensor: !titan.global<?x?xbf16>) warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %edit = titan.tensormap.alloc : !map
  // expected-error@+1 {{[tma-dim-range] a size of 0}}
  titan.tensormap.replace_dim %edit, 0, %zero : !map
  titan.return
}

// -----

!map = !titan.tensor_map<128x64xbf16, swizzle = 128>
titan.kernel @strides() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %stride = arith.constant 1022 : i64
  %edit = titan.tensormap.alloc : !map
  // expected-error@+1 {{[tma-stride-alignment] a stride of 1022 bytes, not a multiple of 16}}
  titan.tensormap.replace_stride %edit, 0, %stride : !map
  titan.return
}

// -----

!map = !titan.tensor_map<128x64xbf16, swizzle = 128>
titan.kernel @dimensions() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %stride = arith.constant 1024 : i64
  %edit = titan.tensormap.alloc : !map
  // The innermost dimension has no stride.
  // expected-error@+1 {{[tile-dimension] dimension 1}}
  titan.tensormap.replace_stride %edit, 1, %stride : !map
  titan.return
}

// -----

!map = !titan.tensor_map<128x64xbf16, swizzle = 128>
titan.kernel @in_place(%maps: !titan.global<?x128xi8>, %tensor: !titan.global<?x?xbf16>) warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %five = arith.constant 5 : i32
  %map = titan.tensormap.at %maps[%c0] over %tensor : !titan.global<?x128xi8>, !titan.global<?x?xbf16> -> !map
  // expected-error@+1 {{[tensormap-place] a map is edited in shared memory}}
  titan.tensormap.replace_dim %map, 0, %five : !map
  titan.return
}
