// Layouts for one warp in a kernel of two: both hold the same tiles and multiply the same, and the first one stores.
// RUN: titan check --proof=off %s
// RUN: titan run %s | FileCheck %s
// RUN: titan compile %s --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// CHECK: @twice: verified
// PTX: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32

!a = tensor<16x16xf16, #titan.mma_sync_a<16, 1, 1>>
!b = tensor<8x16xf16, #titan.mma_sync_b<16, 1, 1>>
!d = tensor<16x8xf32, #titan.mma_sync<1, 1>>
!ia = tensor<16x16xi32, #titan.mma_sync_a<16, 1, 1>>
!ib = tensor<8x16xi32, #titan.mma_sync_b<16, 1, 1>>
!id = tensor<16x8xi32, #titan.mma_sync<1, 1>>
!half = !titan.global<?x?xf16>
!float = !titan.global<?x?xf32>

func.func private @reference(%A: memref<?x?xf16> {titan.input = "A"}, %B: memref<?x?xf16> {titan.input = "B"},
                             %D: memref<?x?xf32> {titan.expected = "D"}) attributes {titan.exact} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%D : memref<?x?xf32>)
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %B : memref<?x?xf16>, memref<?x?xf16>) outs(%D : memref<?x?xf32>) {
  ^bb0(%a: f16, %b: f16, %d: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %d, %p : f32
    linalg.yield %s : f32
  }
  return
}

titan.kernel @twice(%A: !half, %B: !half, %D: !float) warps(2) attributes {
  titan.example = {A = "16x16 ints:1", B = "8x16 ints:2", D = "16x8"}, titan.reference = @reference
} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %ar = titan.coordinate 0 : !ia
  %ac = titan.coordinate 1 : !ia
  %br = titan.coordinate 0 : !ib
  %bc = titan.coordinate 1 : !ib
  %dr = titan.coordinate 0 : !id
  %dc = titan.coordinate 1 : !id
  %a = titan.global.load %A[%ar, %ac] : !half, !ia, !ia -> !a
  %b = titan.global.load %B[%br, %bc] : !half, !ib, !ib -> !b
  %zero = arith.constant dense<0.0> : !d
  %d = titan.mma_sync %a, %b, %zero : !a, !b, !d -> !d
  titan.global.store %d, %D[%dr, %dc] : !d, !float, !id, !id
  titan.return
}
