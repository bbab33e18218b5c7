// Which bytes a copy through an im2col or interleaved map touches, to the element.
//
// RUN: titan check %s --kernel apart
// RUN: not titan check %s --kernel together 2>&1 | FileCheck %s --check-prefix=TOGETHER
// RUN: titan check %s --kernel next_image
// RUN: not titan check %s --kernel same_image 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: titan check %s --kernel slices
// RUN: not titan check %s --kernel same_slice 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: not titan check %s --kernel outside 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not titan check %s --kernel unknown 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: titan run %s --kernel apart --schedule random:1
// RUN: titan run %s --kernel next_image --schedule random:1
// RUN: titan run %s --kernel slices --schedule random:1
// RUN: not titan run %s --kernel together 2>&1 | FileCheck %s --check-prefix=TOGETHER
// RUN: not titan run %s --kernel same_image 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: not titan run %s --kernel same_slice 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: not titan run %s --kernel outside 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: titan check %s --kernel tiles
// VARIANT far: replace few with %few = arith.maxui %last, %c3 : index
// RUN: %variant far %s > %t.far.mlir
// RUN: not titan check %t.far.mlir --kernel tiles 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: titan explain effects %s --kernel read | FileCheck %s --check-prefix=EFFECTS
//
// EFFECTS: read box %d[%c0, %c0, %c0, %c0] offsets[%c1, %c0] of 4x32 in steps of 1x1x2x1, async proxy
// TOGETHER: error: [async-unordered]
// SAME: error: [async-unordered]
// SLICE: error: [async-unordered]
// OUTSIDE: error: [tma-im2col] tensorCoords[2]: coordinate 6 lies outside of the bounding box 0 .. 5
// UNKNOWN: error: [tma-im2col] tensorCoords[2]: coordinate [[#]] lies outside of the bounding box 0 .. 5, in one of the launches looked at (x is [[#]])
// UNKNOWN: fix: start at a pixel of the bounding box, where coordinate 2 is 0 .. 5 (lower .. size - 1 + upper)
// FAR: error: [tma-im2col] tensorCoords[2]: coordinate [[#]] lies outside of the bounding box 0 .. [[#]], in one of the launches looked at (D[0] is [[#]], D[1] is [[#]], D[2] is [[#]]

// 2 images of 6 x 8 pixels.
!images = !titan.global<2x6x8x32xf32, strides = [1536, 256, 32, 1]>
!every2 = !titan.tensor_map<im2col 4x32xf32, lower = [0, 0], upper = [0, 0], element_strides = [1, 1, 2, 1], swizzle = 128>
!six    = !titan.tensor_map<im2col 6x32xf32, lower = [1, 2], upper = [0, 0], swizzle = 128>
!tile   = !titan.shared<4x32xf32, swizzle = 128>
!large  = !titan.shared<6x32xf32, swizzle = 128>
#rows   = #titan.blocked<elements = [1, 4], lanes = [4, 8], warps = [1, 1]>
!reg    = tensor<4x32xf32, #rows>
!bar    = !titan.mbarrier

// Even and odd columns of row 0.
titan.kernel @apart(%D: !images) warps(1) launch {
  %c1 = arith.constant 1 : index
  %d = titan.tensor_map %D : !images -> !every2
  titan.launch grid(%c1) with(%d : !every2)
} body(%d: !every2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %tile = titan.shared.alloc : !tile
  %z = titan.splat %zero : f32 -> !reg
  titan.shared.store %z, %tile : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.syncwarp
  titan.elect {
    titan.tma.store %tile, %d[%c0, %c0, %c0, %c0] : !tile, !every2
    titan.tma.store %tile, %d[%c0, %c0, %c1, %c0] : !tile, !every2
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g : !titan.token<bulk>
  }
  titan.return
}

// Column 6 of row 0, then 0, 2, 4 of row 1; and 2, 4, 6 of row 1.
titan.kernel @together(%D: !images) warps(1) launch {
  %c1 = arith.constant 1 : index
  %d = titan.tensor_map %D : !images -> !every2
  titan.launch grid(%c1) with(%d : !every2)
} body(%d: !every2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %zero = arith.constant 0.0 : f32
  %tile = titan.shared.alloc : !tile
  %z = titan.splat %zero : f32 -> !reg
  titan.shared.store %z, %tile : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.syncwarp
  titan.elect {
    titan.tma.store %tile, %d[%c0, %c0, %c6, %c0] : !tile, !every2
    titan.tma.store %tile, %d[%c0, %c1, %c2, %c0] : !tile, !every2
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g : !titan.token<bulk>
  }
  titan.return
}

// The last two pixels of an image, and the first two of the bounding box of the next one, row 1,
// columns 2 and 3; at the same time row 0 of that image, which the bounding box leaves out.
titan.kernel @next_image(%D: !images) warps(1) launch {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %s0 = arith.constant 6144 : index
  %s1 = arith.constant 1024 : index
  %s2 = arith.constant 128 : index
  %d = titan.tensor_map %D : !images -> !six
  %e = titan.tensor_map %D dims(%c2, %c6, %c8, %c32) byte_strides(%s0, %s1, %s2) : !images -> !every2
  titan.launch grid(%c1) with(%d, %e : !six, !every2)
} body(%d: !six, %e: !every2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %zero = arith.constant 0.0 : f32
  %tile = titan.shared.alloc : !tile
  %large = titan.shared.alloc : !large
  %z = titan.splat %zero : f32 -> !reg
  %y = titan.splat %zero : f32 -> tensor<6x32xf32, #titan.blocked<elements = [1, 1], lanes = [1, 32], warps = [1, 1]>>
  titan.shared.store %z, %tile : !reg, !tile
  titan.shared.store %y, %large : tensor<6x32xf32, #titan.blocked<elements = [1, 1], lanes = [1, 32], warps = [1, 1]>>, !large
  titan.fence.proxy_async shared_cta
  titan.syncwarp
  titan.elect {
    titan.tma.store %large, %d[%c0, %c5, %c6, %c0] : !large, !six
    titan.tma.store %tile, %e[%c1, %c0, %c0, %c0] : !tile, !every2
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g : !titan.token<bulk>
  }
  titan.return
}

// And with row 1 of that image.
titan.kernel @same_image(%D: !images) warps(1) launch {
  %c1 = arith.constant 1 : index
  %d = titan.tensor_map %D : !images -> !six
  %e = titan.tensor_map %D : !images -> !every2
  titan.launch grid(%c1) with(%d, %e : !six, !every2)
} body(%d: !six, %e: !every2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %zero = arith.constant 0.0 : f32
  %tile = titan.shared.alloc : !tile
  %large = titan.shared.alloc : !large
  %z = titan.splat %zero : f32 -> !reg
  %y = titan.splat %zero : f32 -> tensor<6x32xf32, #titan.blocked<elements = [1, 1], lanes = [1, 32], warps = [1, 1]>>
  titan.shared.store %z, %tile : !reg, !tile
  titan.shared.store %y, %large : tensor<6x32xf32, #titan.blocked<elements = [1, 1], lanes = [1, 32], warps = [1, 1]>>, !large
  titan.fence.proxy_async shared_cta
  titan.syncwarp
  titan.elect {
    titan.tma.store %large, %d[%c0, %c5, %c6, %c0] : !large, !six
    titan.tma.store %tile, %e[%c1, %c1, %c0, %c0] : !tile, !every2
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g : !titan.token<bulk>
  }
  titan.return
}

!sliced = !titan.global<2x3x8x8xbf16, strides = [192, 64, 8, 1]>
!eight  = !titan.tensor_map<2x1x8xbf16, element_strides = [1, 1, 2], interleave = 16>
!few    = !titan.shared<8x8xbf16>
!fewreg = tensor<8x8xbf16, #titan.blocked<elements = [1, 2], lanes = [8, 4], warps = [1, 1]>>

// Even columns of slice 1 of both images: odd columns of it, and slice 2.
titan.kernel @slices(%D: !sliced) warps(1) launch {
  %c1 = arith.constant 1 : index
  %d = titan.tensor_map %D : !sliced -> !eight
  titan.launch grid(%c1) with(%d : !eight)
} body(%d: !eight) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : bf16
  %few = titan.shared.alloc : !few
  %z = titan.splat %zero : bf16 -> !fewreg
  titan.shared.store %z, %few : !fewreg, !few
  titan.fence.proxy_async shared_cta
  titan.syncwarp
  titan.elect {
    titan.tma.store %few, %d[%c0, %c1, %c0] : !few, !eight
    titan.tma.store %few, %d[%c0, %c1, %c1] : !few, !eight
    titan.tma.store %few, %d[%c0, %c2, %c0] : !few, !eight
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g : !titan.token<bulk>
  }
  titan.return
}

// Columns 0, 2, 4, 6 and 2, 4, 6 of one slice.
titan.kernel @same_slice(%D: !sliced) warps(1) launch {
  %c1 = arith.constant 1 : index
  %d = titan.tensor_map %D : !sliced -> !eight
  titan.launch grid(%c1) with(%d : !eight)
} body(%d: !eight) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : bf16
  %few = titan.shared.alloc : !few
  %z = titan.splat %zero : bf16 -> !fewreg
  titan.shared.store %z, %few : !fewreg, !few
  titan.fence.proxy_async shared_cta
  titan.syncwarp
  titan.elect {
    titan.tma.store %few, %d[%c0, %c1, %c0] : !few, !eight
    titan.tma.store %few, %d[%c0, %c1, %c2] : !few, !eight
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g : !titan.token<bulk>
  }
  titan.return
}

// A start behind the last row.
titan.kernel @outside(%D: !images) warps(1) launch {
  %c1 = arith.constant 1 : index
  %d = titan.tensor_map %D : !images -> !every2
  titan.launch grid(%c1) with(%d : !every2)
} body(%d: !every2) {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 512 : i32
  %tile = titan.shared.alloc : !tile
  %bar = titan.mbarrier.alloc : !bar
  titan.elect {
    titan.mbarrier.init %bar count(1) : !bar
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %bar, %bytes : !bar
    titan.tma.load %d[%c0, %c6, %c0, %c0] offsets[%c0, %c0], %tile, %bar : !every2, !tile, !bar
    titan.mbarrier.wait %bar parity(%i0) : !bar
  }
  titan.return
}

// What the launch gives as a start may be outside.
titan.kernel @unknown(%D: !images, %x: i64) warps(1) launch {
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : i64
  %large = arith.cmpi sgt, %x, %c1000 : i64
  titan.require %large, "launch-check", "a large start"
  %d = titan.tensor_map %D : !images -> !every2
  titan.launch grid(%c1) with(%d : !every2)
} body(%d: !every2) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %start = arith.index_cast %x : i64 to index
  %tile = titan.shared.alloc : !tile
  %z = titan.splat %zero : f32 -> !reg
  titan.shared.store %z, %tile : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.syncwarp
  titan.elect {
    titan.tma.store %tile, %d[%c0, %start, %c0, %c0] : !tile, !every2
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g : !titan.token<bulk>
  }
  titan.return
}

!some  = !titan.global<?x?x?x32xf32>
// Of some images of unknown size a row that is one of theirs.
titan.kernel @tiles(%D: !some) warps(1) launch {
  %c1 = arith.constant 1 : index
  %rows = titan.dim %D, 1 : !some
  %last = arith.subi %rows, %c1 : index
  %c3 = arith.constant 3 : index
  %few = arith.minui %last, %c3 : index // @few
  %d = titan.tensor_map %D : !some -> !every2
  titan.launch grid(%c1) with(%d, %few : !every2, index)
} body(%d: !every2, %few: index) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 512 : i32
  %tile = titan.shared.alloc : !tile
  %bar = titan.mbarrier.alloc : !bar
  titan.elect {
    titan.mbarrier.init %bar count(1) : !bar
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %bar, %bytes : !bar
    titan.tma.load %d[%c0, %few, %c0, %c0] offsets[%c0, %c0], %tile, %bar : !every2, !tile, !bar
    titan.mbarrier.wait %bar parity(%i0) : !bar
  }
  titan.return
}

titan.kernel @read(%D: !images) warps(1) launch {
  %c1 = arith.constant 1 : index
  %d = titan.tensor_map %D : !images -> !every2
  titan.launch grid(%c1) with(%d : !every2)
} body(%d: !every2) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 512 : i32
  %tile = titan.shared.alloc : !tile
  %bar = titan.mbarrier.alloc : !bar
  titan.elect {
    titan.mbarrier.init %bar count(1) : !bar
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %bar, %bytes : !bar
    titan.tma.load %d[%c0, %c0, %c0, %c0] offsets[%c1, %c0], %tile, %bar : !every2, !tile, !bar
    titan.mbarrier.wait %bar parity(%i0) : !bar
  }
  titan.return
}
