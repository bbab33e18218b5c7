// RUN: titan-opt %s --pass-pipeline='builtin.module(titan.kernel(titan-lower-copies),canonicalize)' | FileCheck %s
//
// What titan-lower-copies makes of each cell of Table 1 of "TMA Modeling In Depth"
// (docs/tma.md), and of its figures. Their elements are rows of 4 floats here: TMA
// moves no less than 16 bytes. tests/Programs/copies.mlir runs them.

!rows = !titan.global<12x4xf32>
!two = !titan.shared<2x4xf32>
!five = !titan.shared<5x4xf32>
!full = !titan.mbarrier

#boxes = #titan.schedule<tensor I x J C, B = split(I, 5) bulk B, J>
#figure2 = #titan.schedule<tensor I1 x J
  I2, I3 = split(I1, 2)
  I4, I5 = split(I2, 2)
  I6, I7 = split(I5, 4)
  bulk I3, J
  map I1, J>
#figure2_free = #titan.schedule<tensor I1 x J I2, I3 = split(I1, 2) I4, I5 = split(I2, 2)
  I6, I7 = split(I5, 4) bulk I3, J>
#figure2_save = #titan.schedule<tensor I1 x J I2, I3 = split(I1, 2) I4, I5 = split(I2, 2)
  I6, I7 = split(I5, 4) bulk I3, J traffic save>

// Level 1, weak and strong, twelve rows in boxes of five: nothing to do, TMA fills. One
// map for both.
// CHECK-LABEL: @level_1
// CHECK: %[[MAP:.*]] = titan.tensor_map %X : <12x4xf32> -> <5x4xf32>
// CHECK-NOT: titan.tensor_map
// CHECK: titan.launch grid(%{{.*}}) with(%[[MAP]] : !titan.tensor_map<5x4xf32>)
// CHECK: body(%X_map: !titan.tensor_map<5x4xf32>)
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[FIVE:.*]] = arith.constant 5 : index
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 80 : i32
// CHECK: %[[A:.*]] = titan.cta_id 0
// CHECK: %[[FULL:.*]] = titan.mbarrier.alloc
// CHECK: titan.mbarrier.expect_tx %[[FULL]], %[[BYTES]]
// CHECK-NEXT: %[[I:.*]] = arith.muli %[[A]], %[[FIVE]]
// CHECK-NEXT: titan.tma.load %X_map[%[[I]], %[[ZERO]]], %{{.*}}, %[[FULL]]
// CHECK-NEXT: titan.mbarrier.expect_tx %[[FULL]], %[[BYTES]]
// CHECK-NEXT: arith.muli
// CHECK-NEXT: titan.tma.load %X_map
// CHECK-NEXT: }
titan.kernel @level_1(%X: !rows) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.cta_id 0
  %tile = titan.shared.alloc : !five
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.copy_async %X at(C = %a) to %tile signals %full schedule(#boxes) weak : !rows, !five, !full
    titan.copy_async %X at(C = %a) to %tile signals %full schedule(#boxes) strong : !rows, !five, !full
  }
  titan.return
}

// Level 2 (Figure 2), weak: nothing; on request a predicate, and no bytes where nothing
// is copied.
// CHECK-LABEL: @weak_2
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 32 : i32
// CHECK-DAG: %[[A:.*]] = titan.cta_id 0
// CHECK-DAG: %[[B:.*]] = titan.cta_id 1
// CHECK: titan.mbarrier.expect_tx %{{.*}}, %[[BYTES]]
// CHECK-NOT: scf.if
// CHECK: titan.tma.load
// CHECK-NEXT: %[[HOLDS:.*]] = arith.cmpi slt, %[[B]], %[[TWO]]
// CHECK-NEXT: scf.if %[[HOLDS]] {
// CHECK-NEXT: titan.mbarrier.expect_tx %{{.*}}, %[[BYTES]]
// CHECK: titan.tma.load
// CHECK-NEXT: }
// CHECK-NEXT: }
titan.kernel @weak_2(%X: !rows) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.cta_id 0
  %b = titan.cta_id 1
  %tile = titan.shared.alloc : !two
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.copy_async %X at(I4 = %a, I7 = %b) to %tile signals %full schedule(#figure2) weak : !rows, !two, !full
    titan.copy_async %X at(I4 = %a, I7 = %b) to %tile signals %full schedule(#figure2_save) : !rows, !two, !full
  }
  titan.return
}

// Level 2, strong: violators are sent outside; the barrier gets as many bytes.
// CHECK-LABEL: @strong_2
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[MINUS2:.*]] = arith.constant -2 : index
// CHECK-DAG: %[[MINUS4:.*]] = arith.constant -4 : index
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 32 : i32
// CHECK-DAG: %[[A:.*]] = titan.cta_id 0
// CHECK-DAG: %[[B:.*]] = titan.cta_id 1
// CHECK: titan.mbarrier.expect_tx %{{.*}}, %[[BYTES]]
// CHECK-NEXT: %[[HOLDS:.*]] = arith.cmpi slt, %[[B]], %[[TWO]]
// CHECK-NEXT: scf.if %[[HOLDS]] {
// CHECK-NEXT: %[[I4:.*]] = arith.muli %[[A]], %[[TWO]]
// CHECK-NEXT: %[[I2:.*]] = arith.addi %[[I4]], %[[B]]
// CHECK-NEXT: %[[I1:.*]] = arith.muli %[[I2]], %[[TWO]]
// CHECK-NEXT: titan.tma.load %X_map[%[[I1]], %[[ZERO]]]
// CHECK-NEXT: } else {
// CHECK-NEXT: titan.tma.load %X_map[%[[MINUS2]], %[[MINUS4]]]
// CHECK-NEXT: }
// Where an index is known the predicate may be, too: here it holds, there it does not.
// CHECK-NEXT: titan.mbarrier.expect_tx
// CHECK-NOT: scf.if
// CHECK: titan.tma.load %X_map[%{{.*}}, %[[ZERO]]]
// CHECK-NEXT: titan.mbarrier.expect_tx
// CHECK-NEXT: titan.tma.load %X_map[%[[MINUS2]], %[[MINUS4]]]
// CHECK-NEXT: }
titan.kernel @strong_2(%X: !rows) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.cta_id 0
  %b = titan.cta_id 1
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %tile = titan.shared.alloc : !two
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.copy_async %X at(I4 = %a, I7 = %b) to %tile signals %full schedule(#figure2) strong : !rows, !two, !full
    titan.copy_async %X at(I4 = %a, I7 = %c1) to %tile signals %full schedule(#figure2) strong : !rows, !two, !full
    titan.copy_async %X at(I4 = %a, I7 = %c2) to %tile signals %full schedule(#figure2) strong : !rows, !two, !full
  }
  titan.return
}

// Where the map is not prescribed the halves of the loops are dimensions, and what is too
// large for one of them lies outside.
// CHECK-LABEL: @free_2
// CHECK: titan.tensor_map %X dims(%c3, %c2, %c2, %c4) byte_strides(%{{.*}}, %{{.*}}, %{{.*}}) : <12x4xf32> -> <1x1x2x4xf32>
// CHECK: titan.mbarrier.expect_tx
// CHECK-NEXT: titan.tma.load %X_map[%{{.*}}, %{{.*}}, %c0, %c0]
// CHECK-NEXT: titan.tma.store %{{.*}}, %X_map[%{{.*}}, %{{.*}}, %c0, %c0]
// CHECK-NEXT: }
titan.kernel @free_2(%X: !rows) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.cta_id 0
  %b = titan.cta_id 1
  %tile = titan.shared.alloc : !two
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.copy_async %X at(I4 = %a, I7 = %b) to %tile signals %full schedule(#figure2_free) strong : !rows, !two, !full
    titan.copy_async %tile to %X at(I4 = %a, I7 = %b) schedule(#figure2_free) : !two, !rows
  }
  titan.return
}

// Stores: nothing where there is nothing to copy; no barrier.
// CHECK-LABEL: @store_2
// CHECK-NOT: expect_tx
// CHECK: scf.if
// CHECK: titan.tma.store %[[TILE:.*]], %X_map
// CHECK-NEXT: }
// CHECK-NEXT: arith.cmpi
// CHECK-NEXT: scf.if
// CHECK: titan.tma.reduce add %[[TILE]], %X_map
// CHECK-NEXT: }
// CHECK-NEXT: }
titan.kernel @store_2(%X: !rows) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.cta_id 0
  %b = titan.cta_id 1
  %tile = titan.shared.alloc : !two
  titan.elect {
    titan.copy_async %tile to %X at(I4 = %a, I7 = %b) schedule(#figure2) : !two, !rows
    titan.copy_async %tile to %X at(I4 = %a, I7 = %b) schedule(#figure2) reduce(add) : !two, !rows
  }
  titan.return
}

// Figure 3: two dimensions of six, boxes of 2 x 4, their loops merged and split again.
// All holes lie outside.
#figure3 = #titan.schedule<tensor I1 x I2 x J
  I3, I4 = split(I1, 2)
  I5, I6 = split(I2, 4)
  I7 = merge(I3, I5)
  I9, I10 = split(I7, 4)
  bulk I4, I6, J  map I1, I2, J>
// CHECK-LABEL: @figure_3
// CHECK: titan.tensor_map %X : <6x6x4xf32> -> <2x4x4xf32>
// CHECK: %[[A:.*]] = titan.cta_id 0
// CHECK: %[[B:.*]] = titan.cta_id 1
// CHECK: titan.mbarrier.expect_tx
// CHECK-NEXT: %[[FOUR:.*]] = arith.muli %[[A]], %c4
// CHECK-NEXT: %[[I7:.*]] = arith.addi %[[FOUR]], %[[B]]
// CHECK-NEXT: %[[I3:.*]] = arith.divui %[[I7]], %c2
// CHECK-NEXT: %[[I1:.*]] = arith.muli %[[I3]], %c2
// CHECK: %[[I5:.*]] = arith.remui %{{.*}}, %c2
// CHECK-NEXT: %[[I2:.*]] = arith.muli %[[I5]], %c4
// CHECK-NEXT: titan.tma.load %X_map[%[[I1]], %[[I2]], %c0]
// CHECK-NEXT: }
titan.kernel @figure_3(%X: !titan.global<6x6x4xf32>) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.cta_id 0
  %b = titan.cta_id 1
  %tile = titan.shared.alloc : !titan.shared<2x4x4xf32>
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.copy_async %X at(I9 = %a, I10 = %b) to %tile signals %full schedule(#figure3) strong
        : !titan.global<6x6x4xf32>, !titan.shared<2x4x4xf32>, !full
  }
  titan.return
}

// Figure 4: other loops, the same boxes.
#figure4 = #titan.schedule<tensor I1 x I2 x J
  I3, I4 = split(I1, 2)
  I5, I6 = split(I2, 4)
  I7, I8 = split(I3, 2)
  I10 = merge(I5, I8)
  I11, I12 = split(I10, 3)
  bulk I4, I6, J  map I1, I2, J>
// CHECK-LABEL: @figure_4
// CHECK-NOT: scf.if
// CHECK: titan.tma.load
// CHECK-NOT: scf.if
// CHECK: titan.return
titan.kernel @figure_4(%X: !titan.global<6x6x4xf32>) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.cta_id 0
  %b = titan.cta_id 1
  %c = titan.cta_id 2
  %tile = titan.shared.alloc : !titan.shared<2x4x4xf32>
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.copy_async %X at(I7 = %a, I11 = %b, I12 = %c) to %tile signals %full schedule(#figure4) strong
        : !titan.global<6x6x4xf32>, !titan.shared<2x4x4xf32>, !full
  }
  titan.return
}

// A tile of four boxes: two panels of the swizzle's span, of 512 rows each; sizes that
// only the launch knows, one of them promised.
#tall = #titan.schedule<size K multiple 8 tensor M x K Mo, Mi = split(M, 512) Ko, Ki = split(K, 128) bulk Mi, Ki>
// CHECK-LABEL: @boxes
// CHECK: titan.require %{{.*}}, "launch-check", "X: K is a multiple of 8"
// CHECK: titan.tensor_map %X : <?x?xbf16> -> <256x64xbf16, swizzle = 128>
// CHECK: titan.require %{{.*}}, "out-of-bounds", "X: tensorCoords[0]:
// CHECK: titan.mbarrier.expect_tx %{{.*}}, %c131072
// CHECK: %[[V0:.*]] = titan.shared.view %{{.*}} [0, 0] {{.*}} -> <256x64xbf16, swizzle = 128>
// CHECK: titan.tma.load %X_map[%{{.*}}, %{{.*}}], %[[V0]]
// CHECK: titan.shared.view %{{.*}} [0, 64]
// CHECK: titan.tma.load
// CHECK: titan.shared.view %{{.*}} [256, 0]
// CHECK: titan.tma.load
// CHECK: titan.shared.view %{{.*}} [256, 64]
// CHECK: titan.tma.load
// CHECK-NEXT: }
titan.kernel @boxes(%X: !titan.global<?x?xbf16>) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.cta_id 0
  %b = titan.cta_id 1
  %tile = titan.shared.alloc : !titan.shared<512x128xbf16, swizzle = 128>
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.copy_async %X at(Mo = %a, Ko = %b) to %tile signals %full schedule(#tall) weak
        : !titan.global<?x?xbf16>, !titan.shared<512x128xbf16, swizzle = 128>, !full
  }
  titan.return
}

// A tile that equal boxes do not make up: full ones and the rest, each with its map. Weak
// with a predicate, the barrier is told of each box where it is copied; strong, of all
// before; the same maps.
#rest = #titan.schedule<tensor M x K Mt, Mi = split(M, 514) Mo, Mr = split(Mt, 2) Ma, Mb = split(Mr, 3)
  bulk Mi, K map M, K>
#rest_save = #titan.schedule<tensor M x K Mt, Mi = split(M, 514) Mo, Mr = split(Mt, 2) Ma, Mb = split(Mr, 3)
  bulk Mi, K map M, K traffic save>
// CHECK-LABEL: @rest
// CHECK: %[[FULL:.*]] = titan.tensor_map %X : <?x8xf32> -> <256x8xf32>
// CHECK: %[[REST:.*]] = titan.tensor_map %X : <?x8xf32> -> <2x8xf32>
// CHECK-NOT: titan.tensor_map
// CHECK: with(%[[FULL]], %[[REST]] :
// CHECK: titan.mbarrier.expect_tx %{{.*}}, %c16448
// CHECK: titan.shared.view %{{.*}} [0, 0] {{.*}} -> <256x8xf32>
// CHECK: scf.if
// CHECK: titan.tma.load %X_map[
// CHECK: else
// CHECK: titan.tma.load %X_map[%c-256, %c-8]
// CHECK: titan.shared.view %{{.*}} [256, 0] {{.*}} -> <256x8xf32>
// CHECK: scf.if
// CHECK: titan.shared.view %{{.*}} [512, 0] {{.*}} -> <2x8xf32>
// CHECK: scf.if
// CHECK: arith.addi %{{.*}}, %c512
// CHECK: titan.tma.load %X_map1[
// CHECK: else
// CHECK: titan.tma.load %X_map1[%c-2, %c-8]
// CHECK-NOT: expect_tx
// CHECK: scf.if
// CHECK-NEXT: titan.mbarrier.expect_tx %{{.*}}, %c8192
// CHECK: titan.tma.load %X_map[
// CHECK: scf.if
// CHECK-NEXT: titan.mbarrier.expect_tx %{{.*}}, %c8192
// CHECK: scf.if
// CHECK-NEXT: titan.mbarrier.expect_tx %{{.*}}, %c64
// CHECK: titan.tma.load %X_map1[
// CHECK: scf.if
// CHECK-NOT: expect_tx
// CHECK: titan.tma.reduce add %{{.*}}, %X_map[
// CHECK: titan.tma.reduce add %{{.*}}, %X_map[
// CHECK: titan.tma.reduce add %{{.*}}, %X_map1[
titan.kernel @rest(%X: !titan.global<?x8xf32>) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.cta_id 0
  %b = titan.cta_id 1
  %c = titan.cta_id 2
  %tile = titan.shared.alloc : !titan.shared<514x8xf32>
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.copy_async %X at(Mo = %a, Ma = %b, Mb = %c) to %tile signals %full schedule(#rest) strong
        : !titan.global<?x8xf32>, !titan.shared<514x8xf32>, !full
    titan.copy_async %X at(Mo = %a, Ma = %b, Mb = %c) to %tile signals %full schedule(#rest_save) weak
        : !titan.global<?x8xf32>, !titan.shared<514x8xf32>, !full
    titan.copy_async %tile to %X at(Mo = %a, Ma = %b, Mb = %c) schedule(#rest) reduce(add)
        : !titan.shared<514x8xf32>, !titan.global<?x8xf32>
  }
  titan.return
}

// Zero and NaN are two maps.
#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
// CHECK-LABEL: @fills
// CHECK-DAG: titan.tensor_map %X : <?x?xbf16> -> <64x64xbf16, swizzle = 128>
// CHECK-DAG: titan.tensor_map %X {fill = {{.*}}nan{{.*}}} : <?x?xbf16> -> <64x64xbf16, swizzle = 128>
// CHECK: body(%X_map: {{.*}}, %X_map1: {{.*}})
titan.kernel @fills(%X: !titan.global<?x?xbf16>) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.cta_id 0
  %b = titan.cta_id 1
  %tile = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.copy_async %X at(Mo = %a, Ko = %b) to %tile signals %full schedule(#tile)
        : !titan.global<?x?xbf16>, !titan.shared<64x64xbf16, swizzle = 128>, !full
    titan.copy_async %X at(Mo = %a, Ko = %b) to %tile signals %full schedule(#tile) fill(nan)
        : !titan.global<?x?xbf16>, !titan.shared<64x64xbf16, swizzle = 128>, !full
  }
  titan.return
}

// The type's swizzle written as domains of the buffer: two panels, chunks by rows.
#swizzled = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 128)
  P, In = split(Ki, 64) C, E = split(In, 8) T, R = split(Mi, 8) X, Y = swizzle(R, C)
  bulk P, T, X, Y, E shared P, T, X, Y, E>
// CHECK-LABEL: @swizzled
// CHECK: titan.tensor_map %X : <?x?xbf16> -> <64x64xbf16, swizzle = 128>
// CHECK: titan.tma.load
// CHECK: titan.shared.view %{{.*}} [0, 64]
// CHECK: titan.tma.load
titan.kernel @swizzled(%X: !titan.global<?x?xbf16>) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.cta_id 0
  %b = titan.cta_id 1
  %tile = titan.shared.alloc : !titan.shared<64x128xbf16, swizzle = 128>
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.copy_async %X at(Mo = %a, Ko = %b) to %tile signals %full schedule(#swizzled)
        : !titan.global<?x?xbf16>, !titan.shared<64x128xbf16, swizzle = 128>, !full
  }
  titan.return
}

// Figures 5 and 6: boxes of 4 with element stride 3, whose last element belongs to the
// next box (level 3). Weak, it is copied so; where the map is not prescribed, the boxes
// become a dimension of their own, with bounds that TMA checks, and it is strong.
#figure5 = #titan.schedule<tensor I1 x I2 x J
  I3, I4 = split(I1, 4)
  I5, I6 = split(I4, 3)
  bulk I5, I2, J>
#figure6 = #titan.schedule<tensor I1 x I2 x J I3, I4 = split(I1, 4) I5, I6 = split(I4, 3) bulk I5, I2, J
  map I1, I2, J>
#figure6_save = #titan.schedule<tensor I1 x I2 x J I3, I4 = split(I1, 4) I5, I6 = split(I4, 3) bulk I5, I2, J
  map I1, I2, J  traffic save>
// CHECK-LABEL: @figures_5_and_6
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK: titan.tensor_map %X dims(%[[C2]], %[[C4]], %[[C2]], %[[C4]]) byte_strides({{.*}}) : <8x2x4xf32> -> <1x4x2x4xf32, element_strides = [1, 3, 1, 1]>
// CHECK: titan.tensor_map %X : <8x2x4xf32> -> <4x2x4xf32, element_strides = [3, 1, 1]>
// CHECK-DAG: %[[A:.*]] = titan.cta_id 0
// CHECK-DAG: %[[B:.*]] = titan.cta_id 1
// CHECK: titan.mbarrier.expect_tx %{{.*}}, %c64
// CHECK-NEXT: titan.tma.load %X_map[%[[A]], %[[B]], %c0, %c0]
// CHECK-NEXT: titan.mbarrier.expect_tx %{{.*}}, %c64
// CHECK-NEXT: %[[BOX:.*]] = arith.muli %[[A]], %c4
// CHECK-NEXT: %[[I1:.*]] = arith.addi %[[BOX]], %[[B]]
// CHECK-NEXT: titan.tma.load %X_map1[%[[I1]], %c0, %c0]
// Nothing to predicate: the tile's index is the hardware's.
// CHECK-NEXT: titan.mbarrier.expect_tx
// CHECK-NOT: scf.if
// CHECK: titan.tma.load %X_map1
// CHECK-NEXT: }
titan.kernel @figures_5_and_6(%X: !titan.global<8x2x4xf32>) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.cta_id 0
  %b = titan.cta_id 1
  %tile = titan.shared.alloc : !titan.shared<2x2x4xf32>
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.copy_async %X at(I3 = %a, I6 = %b) to %tile signals %full schedule(#figure5) strong
        : !titan.global<8x2x4xf32>, !titan.shared<2x2x4xf32>, !full
    titan.copy_async %X at(I3 = %a, I6 = %b) to %tile signals %full schedule(#figure6) weak
        : !titan.global<8x2x4xf32>, !titan.shared<2x2x4xf32>, !full
    titan.copy_async %X at(I3 = %a, I6 = %b) to %tile signals %full schedule(#figure6_save) weak
        : !titan.global<8x2x4xf32>, !titan.shared<2x2x4xf32>, !full
  }
  titan.return
}

// Figure 5 with element stride 5: one row a tile, and the predicate of the paper.
#figure5_5 = #titan.schedule<tensor I1 x I2 x J I3, I4 = split(I1, 4) I5, I6 = split(I4, 5) bulk I5, I2, J
  map I1, I2, J>
// CHECK-LABEL: @figure_5_stride_5
// CHECK: titan.tensor_map %X : <8x2x4xf32> -> <1x2x4xf32>
// CHECK: %[[B:.*]] = titan.cta_id 1
// CHECK: titan.mbarrier.expect_tx
// CHECK-NEXT: %[[HOLDS:.*]] = arith.cmpi slt, %[[B]], %c4
// CHECK-NEXT: scf.if %[[HOLDS]] {
// CHECK: titan.tma.load
// CHECK-NEXT: } else {
// CHECK-NEXT: titan.tma.load %X_map[%c-1{{.*}}, %c-2{{.*}}, %c-4{{.*}}]
// CHECK-NEXT: }
titan.kernel @figure_5_stride_5(%X: !titan.global<8x2x4xf32>) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.cta_id 0
  %b = titan.cta_id 1
  %tile = titan.shared.alloc : !titan.shared<1x2x4xf32>
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.copy_async %X at(I3 = %a, I6 = %b) to %tile signals %full schedule(#figure5_5) strong
        : !titan.global<8x2x4xf32>, !titan.shared<1x2x4xf32>, !full
  }
  titan.return
}

// Merged dimensions: contiguous if the launch says so. Rows wider than a box, without a
// swizzle: parts of a row.
#merged = #titan.schedule<tensor A x B x C
  R = merge(A, B)
  Ro, Ri = split(R, 2)
  bulk Ri, C>
// CHECK-LABEL: @merged
// CHECK: titan.dim %X, 0
// CHECK: titan.stride %X, 1
// CHECK: titan.tensor_map %X dims(%{{.*}}, %c512{{.*}}) byte_strides(%{{.*}}) : <?x?x512xf32> -> <1x256xf32>
// CHECK: titan.require %{{.*}}, "tma-schedule", "X: globalStrides: A{A} and B{B} are merged, but their strides
// CHECK: titan.shared.view %{{.*}} [0, 0] : <2x512xf32> -> <1x256xf32>
// CHECK: titan.shared.view %{{.*}} [0, 256]
// CHECK: titan.shared.view %{{.*}} [1, 0]
// CHECK: titan.shared.view %{{.*}} [1, 256]
titan.kernel @merged(%X: !titan.global<?x?x512xf32>) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.cta_id 0
  %tile = titan.shared.alloc : !titan.shared<2x512xf32>
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.copy_async %X at(Ro = %a) to %tile signals %full schedule(#merged)
        : !titan.global<?x?x512xf32>, !titan.shared<2x512xf32>, !full
  }
  titan.return
}

// A size in the coordinates of a branch is asked for in the branch.
#dealt = #titan.schedule<tensor A x B x C
  Bo, Bi = split(B, 2)
  P = merge(A, Bo)
  Q, R = split(Bi, 1)
  Co, Ci = split(C, 64) D, E = split(Co, 4) F, G = split(E, 3)
  bulk R, Ci>
// CHECK-LABEL: @sizes
// CHECK: scf.if
// CHECK: titan.dim %X, 1
// CHECK: } else {
// CHECK: titan.tma.load
titan.kernel @sizes(%X: !titan.global<?x?x?xf32>) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.cta_id 0
  %b = titan.cta_id 1
  %c = titan.cta_id 2
  %tile = titan.shared.alloc : !titan.shared<1x64xf32>
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.copy_async %X at(P = %a, Q = %b, D = %c, F = %b, G = %a) to %tile signals %full schedule(#dealt) strong
        : !titan.global<?x?x?xf32>, !titan.shared<1x64xf32>, !full
  }
  titan.return
}

// Where only the launch knows the strides, they keep a stored tensor's elements apart; where
// the type has them, and of loads, nothing is asked.
#by_rows = #titan.schedule<tensor M x K Mo, Mi = split(M, 8) bulk Mi, K>
// CHECK-LABEL: @apart
// CHECK-NOT: tma-store-overlap
// CHECK: titan.require %{{.*}}, "tma-store-overlap", "Z: globalStrides: M{M} (stride M.stride*4 bytes) is less than the 256 bytes that the dimensions of smaller strides span
// CHECK-NOT: tma-store-overlap
titan.kernel @apart(%X: !titan.global<?x64xf32>, %Y: !titan.global<?x64xf32, strides = [64, 1]>,
                    %Z: !titan.global<?x64xf32>) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %a = titan.cta_id 0
  %tile = titan.shared.alloc : !titan.shared<8x64xf32>
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.copy_async %X at(Mo = %a) to %tile signals %full schedule(#by_rows)
        : !titan.global<?x64xf32>, !titan.shared<8x64xf32>, !full
    titan.copy_async %tile to %Y at(Mo = %a) schedule(#by_rows)
        : !titan.shared<8x64xf32>, !titan.global<?x64xf32, strides = [64, 1]>
    titan.copy_async %tile to %Z at(Mo = %a) schedule(#by_rows)
        : !titan.shared<8x64xf32>, !titan.global<?x64xf32>
  }
  titan.return
}
