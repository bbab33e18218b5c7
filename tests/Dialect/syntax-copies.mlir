// RUN: titan-opt %s | titan-opt | FileCheck %s
// RUN: titan-opt %s --mlir-print-op-generic | titan-opt | FileCheck %s
//
// Copies between two places, and runs of elements: as they are written, as they are printed back.

!matrix = !titan.global<?x64xf16>
!tile = !titan.shared<128x64xf16>
!bar = !titan.mbarrier<2>
!map = !titan.tensor_map<128x64xf16>
!im2col = !titan.tensor_map<im2col 128x64xf16, lower = [-1, -1], upper = [-1, -1], element_strides = [1, 1, 1, 1]>
!rows = tensor<128x64xf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>>
!columns = tensor<128x64xf16, #titan.blocked<elements = [8, 1], lanes = [8, 4], warps = [1, 1]>>
!sums = tensor<128x128xf32, #titan.mma_sync<1, 1>>
!scratch = !titan.shared<8192xf16>

titan.kernel @all(%A: !matrix, %I: !titan.global<?x?x?x64xf16>) warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !matrix -> !map
  %mapI = titan.tensor_map %I : !titan.global<?x?x?x64xf16> -> !im2col
  titan.launch grid(%two) with(%mapA, %mapI : !map, !im2col)
} body(%map: !map, %im2col: !im2col) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %i1 = arith.constant 1 : i32
  %both = arith.constant 3 : i16
  %scratch = titan.shared.alloc : !scratch
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  // CHECK: titan.copy %A[%{{.*}}, %{{.*}}] to %{{.*}} : !titan.global<?x64xf16>, !titan.shared<128x64xf16>
  titan.copy %A[%c32, %c0] to %a : !matrix, !tile
  // CHECK: titan.copy %{{.*}} as #titan.layout<"r: 128*b2; c: 64*b256"> to %A extents [128, 64] dispatch("vectors") : !titan.shared<128x64xf16>, !titan.global<?x64xf16>
  titan.copy %a as #titan.layout<"r: 128*b2; c: 64*b256"> to %A extents [128, 64] dispatch("vectors") : !tile, !matrix
  // CHECK: titan.copy %{{.*}} rank(%{{.*}}) to %{{.*}} : !titan.shared<128x64xf16>, !titan.shared<128x64xf16>
  titan.copy %b rank(%i1) to %a : !tile, !tile
  // CHECK: %[[ROWS:.*]] = titan.copy %A[%{{.*}}, %{{.*}}] : !titan.global<?x64xf16> -> tensor<128x64xf16, #titan.blocked<
  %rows = titan.copy %A[%c32, %c0] : !matrix -> !rows
  // CHECK: %[[COLUMNS:.*]] = titan.copy %[[ROWS]] through %{{.*}} dispatch("exchange") : tensor<{{.*}}> by !titan.shared<8192xf16> -> tensor<{{.*}}>
  %columns = titan.copy %rows through %scratch dispatch("exchange") : !rows by !scratch -> !columns
  // CHECK: titan.copy %[[COLUMNS]] to %A[%{{.*}}, %{{.*}}] : tensor<{{.*}}>, !titan.global<?x64xf16>
  titan.copy %columns to %A[%c32, %c0] : !columns, !matrix
  // CHECK: titan.copy_async %A[%{{.*}}, %{{.*}}] to %{{.*}} dispatch("cp_async") : !titan.global<?x64xf16>, !titan.shared<128x64xf16>
  titan.copy_async %A[%c32, %c0] to %a dispatch("cp_async") : !matrix, !tile
  // CHECK: titan.product %{{.*}}, %{{.*}}, %{{.*}} dispatch("mma_sync") : !titan.shared<128x64xf16>, !titan.shared<128x64xf16>, tensor<{{.*}}> -> tensor<{{.*}}>
  %zero = arith.constant dense<0.0> : !sums
  %sums = titan.product %a, %b, %zero dispatch("mma_sync") : !tile, !tile, !sums -> !sums
  titan.elect {
    // CHECK: titan.copy_async %{{.*}}[%{{.*}}, %{{.*}}] to %{{.*}} multicast(%{{.*}}) signals %{{.*}}[%{{.*}} : i32] cache(evict_first, fraction = 1.250000e-01, secondary = evict_first) : !titan.tensor_map<128x64xf16>, !titan.shared<128x64xf16>, !titan.mbarrier<2>
    titan.copy_async %map[%c32, %c0] to %a multicast(%both) signals %full[%i1 : i32] cache(evict_first, fraction = 0.125, secondary = evict_first) : !map, !tile, !bar
    // CHECK: titan.copy_async %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] filter(%{{.*}}, %{{.*}}) to %{{.*}} signals %{{.*}}[%{{.*}} : i32] : !titan.tensor_map<im2col
    titan.copy_async %im2col[%c0, %c0, %c0, %c0] filter(%c0, %c32) to %a signals %full[%i1 : i32] : !im2col, !tile, !bar
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
