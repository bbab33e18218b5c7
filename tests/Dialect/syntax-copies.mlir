// RUN: titan-opt %s | titan-opt | FileCheck %s
// RUN: titan-opt %s --mlir-print-op-generic | titan-opt | FileCheck %s
//
// Copies between two places, and runs of elements: as they are written, as they are printed back.

!matrix = !titan.global<?x64xf16>
!tile = !titan.shared<128x64xf16>
!bar = !titan.mbarrier<2>

titan.kernel @all(%A: !matrix) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %i1 = arith.constant 1 : i32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  // CHECK: titan.copy %A[%{{.*}}, %{{.*}}] to %{{.*}} : !titan.global<?x64xf16>, !titan.shared<128x64xf16>
  titan.copy %A[%c32, %c0] to %a : !matrix, !tile
  // CHECK: titan.copy %{{.*}} as #titan.layout<"r: 128*b2; c: 64*b256"> to %A extents [128, 64] dispatch("vectors") : !titan.shared<128x64xf16>, !titan.global<?x64xf16>
  titan.copy %a as #titan.layout<"r: 128*b2; c: 64*b256"> to %A extents [128, 64] dispatch("vectors") : !tile, !matrix
  titan.elect {
    // CHECK: titan.copy_async %{{.*}} to %{{.*}} rank(%{{.*}}) signals %{{.*}}[%{{.*}} : i32] : !titan.shared<128x64xf16>, !titan.shared<128x64xf16>, !titan.mbarrier<2>
    titan.copy_async %a to %b rank(%i1) signals %full[%i1 : i32] : !tile, !tile, !bar
    // CHECK: titan.copy_async %{{.*}}[%{{.*}}, %{{.*}}] to %{{.*}}[%{{.*}}, %{{.*}}] as #titan.layout<"r: 128*b128; c: 32*b2"> extents [128, 16] rank(%{{.*}}) signals %{{.*}}[%{{.*}} : i32] dispatch("dsmem") : !titan.shared<128x64xf16>, !titan.shared<128x64xf16>, !titan.mbarrier<2>
    titan.copy_async %a[%c0, %c32] to %b[%c0, %c0] as #titan.layout<"r: 128*b128; c: 32*b2"> extents [128, 16] rank(%i1) signals %full[%i1 : i32] dispatch("dsmem") : !tile, !tile, !bar
    %there = titan.map_rank %b, %i1 : !tile -> !titan.shared<128x64xf16, cluster>
    %far = titan.map_rank %full, %i1 : !bar -> !titan.mbarrier<2, cluster>
    // CHECK: titan.shared.run %{{.*}}[%{{.*}} : index] : <128x64xf16> -> <32xf16>
    %from = titan.shared.run %a[%c32 : index] : !tile -> !titan.shared<32xf16>
    // CHECK: titan.shared.run %{{.*}}[%{{.*}} : i32] : <128x64xf16, cluster> -> <32xf16, cluster>
    %i0 = arith.constant 0 : i32
    %to = titan.shared.run %there[%i0 : i32] : !titan.shared<128x64xf16, cluster> -> !titan.shared<32xf16, cluster>
    titan.bulk.copy_to_peer %from, %to, %far[%i1 : i32] : !titan.shared<32xf16>, !titan.shared<32xf16, cluster>, !titan.mbarrier<2, cluster>
  }
  titan.return
}
