// To registers, to registers in another layout, and back; ldmatrix and stmatrix where the layout is made of their
// matrices; what no variant does goes element by element, with a warning, or where it is asked for.
//
// RUN: titan explain copy %s --kernel registers | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: titan.copy %A to %a;
// EXPLAIN-NEXT: vectors 2 instructions of 2048 bytes, 128 threads, no fences; priority 0 <- chosen
// EXPLAIN: titan.copy %a to %b;
// EXPLAIN-NEXT: moves no: a warp needs elements that other warps hold
// EXPLAIN-NEXT: shuffles no: a warp needs elements that other warps hold
// EXPLAIN-NEXT: exchange {{.*}} 1 fence; priority 0 <- chosen
// EXPLAIN: titan.copy %b to %tile;
// EXPLAIN: stmatrix no: {{.*}}the tile is not made of 8 x 8 matrices
// EXPLAIN: titan.copy %tile to %c;
// EXPLAIN-NEXT: vectors 8 instructions of 512 bytes, 128 threads, no fences, about 128 cycles; priority 0
// EXPLAIN-NEXT: ldmatrix 2 instructions of 2048 bytes, 128 threads, no fences, about 128 cycles; priority 1 <- chosen
// EXPLAIN: titan.copy %c to %e;
// EXPLAIN-NEXT: moves no: threads do not hold what they are to hold
// EXPLAIN-NEXT: shuffles [[#]] instructions of 128 bytes, 128 threads, no fences; priority 1 <- chosen
// EXPLAIN-NEXT: exchange no: has_scratch: no shared memory to go through
// EXPLAIN: titan.copy %e to %f;
// EXPLAIN-NEXT: moves 0 instructions, 128 threads, no fences; priority 2 <- chosen
// EXPLAIN: titan.copy %c to %other;
// EXPLAIN: stmatrix 2 instructions of 2048 bytes, 128 threads, no fences, about 128 cycles; priority 1 <- chosen
// EXPLAIN: titan.copy %other to %tile;
// EXPLAIN: vectors 4 instructions of 2048 bytes, 128 threads, no fences; priority 0 <- chosen
// RUN: titan check %s --kernel registers | FileCheck %s --check-prefix=ACCEPTED
// ACCEPTED: accepted: 0 errors, 0 warnings
// RUN: for h in on off; do titan run %s --kernel registers --hazards $h || exit 1; done | FileCheck %s --check-prefix=EQUAL
// EQUAL-COUNT-2: elements equal to the reference, bit for bit
// RUN: titan compile --emit=ptx --kernel registers %s | FileCheck %s --check-prefix=PTX
// PTX: ldmatrix
// PTX: stmatrix
// One that asks for vectors gets no matrices.
// VARIANT vectors: in MATRIX `%tile :` -> `%tile dispatch("vectors") :`
// RUN: %variant vectors %s | titan compile --emit=ptx --kernel registers - | FileCheck %s --check-prefix=VECTORS
// VECTORS-NOT: ldmatrix
// VARIANT warps: in KERNEL `warps(4)` -> `warps(2)`
// RUN: %variant warps %s | not titan explain copy --kernel registers - 2>&1 | FileCheck %s --check-prefix=WARPS
// WARPS: vectors: own_warps: the tile's layout is of 4 warps, and all threads of the CTA, 2 warps execute it
//
// RUN: titan check %s --kernel transposed 2>&1 | FileCheck %s --check-prefix=FALLBACK
// FALLBACK: warning: [copy-scalars] the copy goes element by element: no variant does it: vectors: another layout than the buffer's type has
// FALLBACK: rule (titan.copy): Where no other variant does a titan.copy
// RUN: titan run %s --kernel transposed 2>&1 | FileCheck %s --check-prefix=TRANSPOSED
// TRANSPOSED: 256 elements equal to the reference, bit for bit
// VARIANT asked: in SCALARS `extents [16, 16]` -> `extents [16, 16] dispatch("scalars")`
// RUN: %variant asked %s | titan check --kernel transposed - 2>&1 | FileCheck %s --check-prefix=ASKED
// ASKED-NOT: warning:
// ASKED: @transposed: accepted: 0 errors, 0 warnings

!matrix = !titan.global<?x?xf16>
!tile = !titan.shared<64x32xf16>
!rows = tensor<64x32xf16, #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [4, 1]>>
!columns = tensor<64x32xf16, #titan.blocked<elements = [8, 1], lanes = [8, 4], warps = [1, 4]>>
!matrices = tensor<64x32xf16, #titan.mma_sync_a<16, 4, 1>>
!lanes = tensor<64x32xf16, #titan.layout<"reg: 8*c1, 2*r8; lane: 4*c8, 8*r1; warp: 4*r16">>
!same = tensor<64x32xf16, #titan.layout<"reg: 2*r8, 8*c1; lane: 4*c8, 8*r1; warp: 4*r16">>
!scratch = !titan.shared<2048xf16>
!small = !titan.global<16x16xf16, strides = [16, 1]>
!square = !titan.shared<16x16xf16>

titan.kernel @registers(%A: !matrix, %B: !matrix) warps(4) attributes { // @KERNEL
  titan.alignment = {A = 16, B = 16},
  titan.example = {A = "64x64 ints:1", B = "64x64"}, titan.reference = @same
} launch {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %stride = titan.stride %A, 0 : !matrix
  %left = arith.remui %stride, %c8 : index
  %even = arith.cmpi eq, %left, %c0 : index
  titan.require %even, "launch-check", "rows begin at multiples of 16 bytes"
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %tile = titan.shared.alloc : !tile
  %other = titan.shared.alloc : !tile
  %scratch = titan.shared.alloc : !scratch
  %cta = titan.cta_id 0
  %k = arith.muli %cta, %c32 : index
  %a = titan.copy %A[%c0, %k] : !matrix -> !rows
  %b = titan.copy %a through %scratch : !rows by !scratch -> !columns
  titan.copy %b to %tile : !columns, !tile
  titan.cta_sync
  %c = titan.copy %tile : !tile -> !matrices // @MATRIX
  %e = titan.copy %c : !matrices -> !lanes
  %f = titan.copy %e : !lanes -> !same
  titan.copy %c to %other : !matrices, !tile
  titan.cta_sync
  titan.copy %other to %tile : !tile, !tile
  titan.copy %f to %B[%c0, %k] : !same, !matrix
  titan.return
}

// B = A transposed, by a layout of the buffer: no variant but the last one.
titan.kernel @transposed(%A: !small, %B: !small) warps(1) attributes {
  titan.alignment = {A = 16, B = 16},
  titan.example = {A = "16x16 ints:1", B = "16x16"}, titan.reference = @transpose
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %tile = titan.shared.alloc : !square
  titan.copy %A to %tile : !small, !square
  titan.syncwarp
  titan.copy %tile as #titan.layout<"r: 16*b2; c: 16*b32"> to %B[%c0, %c0] extents [16, 16] : !square, !small // @SCALARS
  titan.return
}

func.func private @same(%A: memref<?x?xf16> {titan.input = "A"}, %B: memref<?x?xf32> {titan.expected = "B"}) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<?x?xf16>) outs(%B : memref<?x?xf32>) {
    ^bb0(%a: f16, %b: f32):
      %x = arith.extf %a : f16 to f32
      linalg.yield %x : f32
  }
  return
}
func.func private @transpose(%A: memref<16x16xf16> {titan.input = "A"}, %B: memref<16x16xf32> {titan.expected = "B"}) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<16x16xf16>) outs(%B : memref<16x16xf32>) {
    ^bb0(%a: f16, %b: f32):
      %x = arith.extf %a : f16 to f32
      linalg.yield %x : f32
  }
  return
}
