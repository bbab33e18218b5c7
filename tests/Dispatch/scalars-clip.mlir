// A region with fewer dimensions than its tensor: by scalars, too, an index beyond one of the others gives zeros, where the
// region ends within its own dimensions, too.
//
// RUN: for p in 0 1 2 5 -1; do titan run %s --arg p=$p --no-reference || exit 1; done | FileCheck %s
// CHECK-COUNT-5: @clip: ran
// RUN: titan run %s --arg p=1
// A number in the place of the argument says the same.
// VARIANT before: in COPY `%at,` -> `%before,`
// RUN: %variant before %s | titan run - --arg p=-1 | FileCheck %s --check-prefix=EQUAL
// EQUAL: elements equal to the reference, bit for bit

!cube = !titan.global<?x?x16xf16>
!out = !titan.global<8x16xf16, strides = [16, 1]>
!tile = !titan.shared<8x16xf16>

titan.kernel @clip(%A: !cube, %B: !out, %p: i32) warps(1) attributes {
  titan.alignment = {A = 16, B = 16},
  titan.example = {sizes = {P = 2, M = 8}, A = "PxMx16 ints:1", B = "8x16", p = 5}, titan.reference = @zeros
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %tile = titan.shared.alloc : !tile
  %at = arith.index_cast %p : i32 to index
  %before = arith.constant -1 : index
  titan.copy %A[%at, %c0, %c0] to %tile dispatch("scalars") : !cube, !tile // @COPY
  titan.cta_sync
  titan.copy %tile to %B dispatch("vectors") : !tile, !out
  titan.return
}

func.func private @zeros(%A: memref<?x?x?xf16> {titan.input = "A"}, %p: i32 {titan.input = "p"}, %B: memref<?x?xf32> {titan.expected = "B"}) {
  %c0 = arith.constant 0 : index
  %at = arith.index_cast %p : i32 to index
  %planes = memref.dim %A, %c0 : memref<?x?x?xf16>
  %there = arith.cmpi ult, %at, %planes : index
  %none = arith.constant 0.0 : f32
  linalg.fill ins(%none : f32) outs(%B : memref<?x?xf32>)
  scf.if %there {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    scf.for %i = %c0 to %c8 step %c1 {
      scf.for %j = %c0 to %c16 step %c1 {
        %a = memref.load %A[%at, %i, %j] : memref<?x?x?xf16>
        %wide = arith.extf %a : f16 to f32
        memref.store %wide, %B[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}
