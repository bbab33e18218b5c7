// RUN: titan-opt %s | titan-opt | FileCheck %s
// RUN: titan-opt %s --mlir-print-op-generic | titan-opt | FileCheck %s
//
// Copies by schedule, as they are written and as they are printed back: line ends and
// comments in a schedule say nothing.

!matrix = !titan.global<?x?xbf16>
!cube = !titan.global<6x6x64xf32>
!tile = !titan.shared<128x64xbf16, swizzle = 128>
!ring = !titan.shared<128x64xbf16, swizzle = 128, slots = 4>

#tile = #titan.schedule<
  size K multiple 8
  tensor M x K            // names for the tensor's dimensions
  Mo, Mi = split(M, 128)
  Ko, Ki = split(K, 64)
  bulk Mi, Ki>

#all = #titan.schedule<tensor A x B x C P = resize(A, -1, 2) Po, Pi = split(P, outer 3)
  Q, R = swizzle(Po, B) M = merge(Q, R)
  Mo,
  Mi = split(M, inner 2*A + (3 - 1)*4) bulk Pi, C shared Pi, C map A, B, C traffic save padded>
#windows = #titan.schedule<tensor A x B x C P, Q = window(A, 3, stride 2, dilation 1)
  R, S = window(B, 1, dilation 2)  bulk C>
#whole = #titan.schedule<tensor A x B x C bulk B, C>

// CHECK: attributes {note = #titan.schedule<tensor A x B x C P = resize(A, -1, 2) Po, Pi = split(P, outer 3) Q, R = swizzle(Po, B) M = merge(Q, R) Mo, Mi = split(M, inner 2 * A + (3 - 1) * 4) bulk Pi, C shared Pi, C map A, B, C traffic save padded>, windows = #titan.schedule<tensor A x B x C P, Q = window(A, 3, stride 2, dilation 1) R, S = window(B, 1, dilation 2) bulk C>}
titan.kernel @copies(%X: !matrix, %Y: !matrix, %Z: !cube) warps(1) attributes {note = #all, windows = #windows} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %ring = titan.shared.alloc : !ring
  %cube = titan.shared.alloc : !titan.shared<6x64xf32>
  %full = titan.mbarrier.alloc : !titan.mbarrier<4>
  %one = titan.mbarrier.alloc : !titan.mbarrier
  %tile = titan.shared.slot %ring[%i0 : i32] : !ring -> !tile
  titan.elect {
    // CHECK: titan.copy_async %X at(Mo = %{{.*}}, Ko = %{{.*}}) to %{{.*}} signals %{{.*}}[%{{.*}} : i32] schedule(#titan.schedule<size K multiple 8 tensor M x K Mo, Mi = split(M, 128) Ko, Ki = split(K, 64) bulk Mi, Ki>) : !titan.global<?x?xbf16>, !titan.shared<128x64xbf16, swizzle = 128>, !titan.mbarrier<4>
    titan.copy_async %X at(Mo = %c0, Ko = %c0) to %tile signals %full[%i0 : i32] schedule(#tile)
        : !matrix, !tile, !titan.mbarrier<4>
    // CHECK: titan.copy_async %X at({{.*}}) to %{{.*}} signals %{{.*}} schedule(#titan.schedule<size K multiple 8 tensor M x K Mo, Mi = split(M, 128) Ko, Ki = split(K, 64) bulk Mi, Ki>) strong fill(nan) cache(evict_first, fraction = 5.000000e-01) {note = 1 : i64} :
    titan.copy_async %X at(Mo = %c0, Ko = %c0) to %tile signals %one schedule(#tile) strong fill(nan)
        cache(evict_first, fraction = 0.5) {note = 1} : !matrix, !tile, !titan.mbarrier
    // CHECK: titan.copy_async %Z at(A = %{{.*}}) to %{{.*}} signals %{{.*}} schedule(#titan.schedule<tensor A x B x C bulk B, C>) weak :
    titan.copy_async %Z at(A = %c0) to %cube signals %one schedule(#whole) weak
        : !cube, !titan.shared<6x64xf32>, !titan.mbarrier
    // CHECK: titan.copy_async %{{.*}} to %Y at(Mo = %{{.*}}, Ko = %{{.*}}) schedule(#titan.schedule<size K multiple 8 tensor M x K Mo, Mi = split(M, 128) Ko, Ki = split(K, 64) bulk Mi, Ki>) : !titan.shared<128x64xbf16, swizzle = 128>, !titan.global<?x?xbf16>
    titan.copy_async %tile to %Y at(Mo = %c0, Ko = %c0) schedule(#tile) : !tile, !matrix
    // CHECK: titan.copy_async %{{.*}} to %Y at({{.*}}) schedule(#titan.schedule<size K multiple 8 tensor M x K Mo, Mi = split(M, 128) Ko, Ki = split(K, 64) bulk Mi, Ki>) reduce(add) :
    titan.copy_async %tile to %Y at(Mo = %c0, Ko = %c0) schedule(#tile) reduce(add) : !tile, !matrix
  }
  titan.return
}
