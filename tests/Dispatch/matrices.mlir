// Between shared memory and registers: a few elements go by vectors, more of them by ldmatrix and stmatrix, around which the
// lanes of a warp wait for one another; where all meet in the banks, both take as long. The cycles are measured (benchmarks/dispatch_costs.py).
//
// RUN: titan explain copy %s --kernel few | FileCheck %s --check-prefix=FEW
// FEW: titan.copy %tile to %a;
// FEW-NEXT: vectors 4 instructions of 128 bytes, 32 threads, no fences, about 28 cycles; priority 0 <- chosen
// FEW-NEXT: ldmatrix 1 instruction of 512 bytes, 32 threads, no fences, about 40 cycles; priority 1
// FEW: titan.copy %b to %wide;
// FEW-NEXT: vectors 2 instructions of 256 bytes, 64 threads, no fences, about 8 cycles; priority 0 <- chosen
// FEW-NEXT: stmatrix 1 instruction of 512 bytes, 64 threads, no fences, about 14 cycles; priority 1
// RUN: titan explain copy %s --kernel many | FileCheck %s --check-prefix=MANY
// MANY: titan.copy %tile to %a;
// MANY-NEXT: vectors 16 instructions of 512 bytes, 128 threads, no fences, about 112 cycles; priority 0
// MANY-NEXT: ldmatrix 4 instructions of 2048 bytes, 128 threads, no fences, about 92 cycles; priority 1 <- chosen
// MANY: titan.copy %a to %tile;
// MANY-NEXT: vectors 16 instructions of 512 bytes, 128 threads, no fences, about 64 cycles; priority 0
// MANY-NEXT: stmatrix 4 instructions of 2048 bytes, 128 threads, no fences, about 64 cycles; priority 1 <- chosen
// RUN: titan explain copy %s --kernel many --json | FileCheck %s --check-prefix=JSON
// JSON: "cycles": 112
// JSON: "weight": 112
// RUN: titan compile --emit=ptx --kernel few %s | FileCheck %s --check-prefix=VECTORS
// VECTORS-NOT: {{ld|st}}matrix
// RUN: titan compile --emit=ptx --kernel many %s | FileCheck %s --check-prefix=MATRICES
// MATRICES: ldmatrix
// MATRICES: stmatrix

!tensor = !titan.global<64x64xf16, strides = [64, 1]>
!small = !titan.shared<16x16xf16, swizzle = 32>
!sums = tensor<16x16xf16, #titan.mma_sync<1, 1>>
!strip = !titan.shared<8x32xf16, swizzle = 64>
!pairs = tensor<8x32xf16, #titan.blocked<elements = [1, 2], lanes = [8, 4], warps = [1, 2]>>

titan.kernel @few(%A: !tensor, %B: !tensor) warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %tile = titan.shared.alloc : !small
  titan.warp_specialize {
    titan.partition "few" warps(1) {
      titan.copy %A[%c0, %c0] to %tile : !tensor, !small
      titan.syncwarp
      %a = titan.copy %tile : !small -> !sums
      titan.copy %a to %B[%c0, %c0] : !sums, !tensor
    }
    titan.partition "idle" warps(1) {
    }
  }
  %wide = titan.shared.alloc : !strip
  %b = titan.copy %A[%c0, %c0] : !tensor -> !pairs
  titan.copy %b to %wide : !pairs, !strip
  titan.return
}

!square = !titan.shared<64x64xf16, swizzle = 128>
!operand = tensor<64x64xf16, #titan.mma_sync_a<16, 4, 1>>

titan.kernel @many(%A: !tensor, %B: !tensor) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %tile = titan.shared.alloc : !square
  titan.copy %A to %tile : !tensor, !square
  titan.cta_sync
  %a = titan.copy %tile : !square -> !operand
  titan.cta_sync
  titan.copy %a to %tile : !operand, !square
  titan.cta_sync
  titan.copy %tile to %B : !square, !tensor
  titan.return
}
