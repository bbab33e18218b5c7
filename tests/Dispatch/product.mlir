// A product says what is multiplied; the layout of its sums, the target and who executes it say by which instructions.
//
// RUN: titan explain product %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: kernel @wgmma, line [[#]]: titan.product %a, %b, %zero; all threads of the CTA, 4 warps
// EXPLAIN-NEXT: wgmma 4 instructions, 128 threads, 1 fence; priority 10 <- chosen
// EXPLAIN-NEXT: mma_sync no: sums_of_mma_sync: the sums are not in #titan.mma_sync
// EXPLAIN: kernel @mma_sync
// EXPLAIN-NEXT: wgmma no: sums_of_wgmma: the sums are not in #titan.wgmma
// 32 products of 16 x 8 x 16 a warp, and 8 ldmatrix for each operand.
// EXPLAIN-NEXT: mma_sync 48 instructions, 128 threads, no fences; priority 0 <- chosen
// RUN: titan explain product --json %s | FileCheck %s --check-prefix=JSON
// JSON: "products": [
// JSON: "chosen": "wgmma"
// RUN: for k in wgmma mma_sync; do titan check %s --kernel $k || exit 1; done | FileCheck %s --check-prefix=ACCEPTED
// ACCEPTED-COUNT-2: accepted: 0 errors, 0 warnings
// RUN: for k in wgmma mma_sync; do for h in on off; do titan run %s --kernel $k --hazards $h || exit 1; done; done | FileCheck %s --check-prefix=EQUAL
// EQUAL-COUNT-4: 4096 elements equal to the reference, bit for bit
// RUN: titan compile --emit=ptx --kernel wgmma %s | FileCheck %s --check-prefix=WGMMA
// WGMMA-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
// RUN: titan compile --emit=ptx --kernel mma_sync %s | FileCheck %s --check-prefix=SYNC
// SYNC-COUNT-16: ldmatrix.sync.aligned.m8n8.x4
// SYNC-COUNT-32: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// SYNC-NOT: mma.sync
//
// What threads stored wgmma reads through the async proxy.
// VARIANT no_fence: drop FENCE
// RUN: %variant no_fence %s | not titan check --kernel wgmma - 2>&1 | FileCheck %s --check-prefix=NO-FENCE
// NO-FENCE: [proxy-fence-missing]
// One asked for, that does not fit; one that there is not; one that no instruction does; on another target.
// VARIANT forced: in WGMMA `%zero :` -> `%zero dispatch("mma_sync") :`
// RUN: %variant forced %s | not titan check --kernel wgmma - 2>&1 | FileCheck %s --check-prefix=FORCED
// FORCED: error: {{.*}}[product-dispatch] dispatch("mma_sync") does not fit: sums_of_mma_sync: the sums are not in #titan.mma_sync, the fragments
// VARIANT magic: in WGMMA `%zero :` -> `%zero dispatch("magic") :`
// RUN: %variant magic %s | not titan check --kernel wgmma - 2>&1 | FileCheck %s --check-prefix=MAGIC
// MAGIC: [product-dispatch] there is no variant 'magic'; there are {{.*}}wgmma
// VARIANT transposed: in WARPS `%b,` -> `%b transpose_b,`
// RUN: %variant transposed %s | not titan explain product --kernel mma_sync - 2>&1 | FileCheck %s --check-prefix=TRANSPOSED
// TRANSPOSED: [product-dispatch] no variant does it: wgmma: sums_of_wgmma: {{.*}}
// TRANSPOSED-NEXT: {{^}}  mma_sync: rows_of_k: mma.sync has rows of K alone
// VARIANT blackwell: in KERNEL `attributes {` -> `attributes { titan.target = "sm_100a",`
// RUN: %variant blackwell %s | not titan check --kernel wgmma - 2>&1 | FileCheck %s --check-prefix=BLACKWELL
// What the target has not comes last.
// BLACKWELL: [product-dispatch] no variant does it: mma_sync: sums_of_mma_sync
// BLACKWELL-NEXT: {{^}}  wgmma: target: not on sm_100a
// VARIANT few: in KERNEL `warps(4)` -> `warps(2)`
// RUN: %variant few %s | not titan check --kernel wgmma - 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: [product-dispatch] no variant does it: wgmma: whole_warpgroups: wgmma is of whole warpgroups, four warps, and all threads of the CTA, 2 warps execute it
// VARIANT narrow: in TYPE `64x64xbf16, swizzle = 128>` -> `64x64xbf16>`
// RUN: %variant narrow %s | not titan check --kernel wgmma - 2>&1 | FileCheck %s --check-prefix=NARROW
// NARROW: [product-dispatch] no variant does it: wgmma: titan.mma: [mma-operand] an operand without swizzle

!a = !titan.global<64x64xbf16, strides = [64, 1]>
!d = !titan.global<64x64xf32, strides = [64, 1]>
!tile = !titan.shared<64x64xbf16, swizzle = 128> // @TYPE
!sums = tensor<64x64xf32, #titan.wgmma<1, 1>>
!warps = tensor<64x64xf32, #titan.mma_sync<2, 2>>
titan.kernel @wgmma(%A: !a, %B: !a, %D: !d) warps(4) attributes { // @KERNEL
  titan.alignment = {A = 16, B = 16, D = 16},
  titan.example = {A = "64x64 ints:1", B = "64x64 ints:2", D = "64x64"}, titan.reference = @product
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : !sums
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  titan.copy %A to %a : !a, !tile
  titan.copy %B to %b : !a, !tile
  titan.fence.proxy_async shared_cta // @FENCE
  titan.cta_sync
  %d = titan.product %a, %b, %zero : !tile, !tile, !sums -> !sums // @WGMMA
  titan.copy %d to %D : !sums, !d
  titan.return
}
titan.kernel @mma_sync(%A: !a, %B: !a, %D: !d) warps(4) attributes {
  titan.alignment = {A = 16, B = 16, D = 16},
  titan.example = {A = "64x64 ints:1", B = "64x64 ints:2", D = "64x64"}, titan.reference = @product
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : !warps
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  titan.copy %A to %a : !a, !tile
  titan.copy %B to %b : !a, !tile
  titan.cta_sync
  %d = titan.product %a, %b, %zero : !tile, !tile, !warps -> !warps // @WARPS
  titan.copy %d to %D : !warps, !d
  titan.return
}
func.func private @product(%A: memref<64x64xbf16> {titan.input = "A"}, %B: memref<64x64xbf16> {titan.input = "B"},
                           %D: memref<64x64xf32> {titan.expected = "D"}) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%D : memref<64x64xf32>)
  linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %B : memref<64x64xbf16>, memref<64x64xbf16>) outs(%D : memref<64x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %sum: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  }
  return
}
