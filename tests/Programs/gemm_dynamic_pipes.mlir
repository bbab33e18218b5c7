// The program parses, verifies, and prints back to itself.
// RUN: titan-opt %examples/programs/gemm_dynamic_pipes.mlir -o %t.1
// RUN: titan-opt %t.1 -o %t.2
// RUN: diff %t.1 %t.2

// Its pipes carry all of it: no barrier, fence or group is written by hand, and all of them are made.
// RUN: not grep -E 'titan.(mbarrier|barrier|fence.proxy|bulk|syncwarp|cta_sync)' %t.1
// RUN: titan-opt %t.1 --pass-pipeline='builtin.module(titan.kernel(titan-unroll,titan-expand-pipes))' | FileCheck %s
// CHECK: titan.mbarrier.init %{{.+}} count(1) : <2>
// CHECK-NEXT: titan.mbarrier.init %{{.+}} count(9) : <2>
// CHECK-NEXT: titan.mbarrier.init %{{.+}} count(1) : <4>
// CHECK-NEXT: titan.mbarrier.init %{{.+}} count(8) : <4>
// CHECK: titan.partition "multiply"
// CHECK: titan.mbarrier.wait
// CHECK: titan.bulk.wait_group 1 read
// CHECK: titan.barrier.sync 15 threads(256)
// CHECK: titan.shared.store
// CHECK-NEXT: titan.fence.proxy_async shared_cta
// CHECK-NEXT: titan.barrier.sync 15 threads(256)
// CHECK: titan.tma.store
// CHECK-NEXT: titan.bulk.commit
// CHECK: titan.bulk.wait_group 0 read

// RUN: titan compile --target=sm_90a --emit=ptx %examples/programs/gemm_dynamic_pipes.mlir | FileCheck %s --check-prefix=PTX
// PTX-LABEL: .entry gemm_dynamic_pipes
// PTX: wgmma.mma_async
// PTX: cp.async.bulk.tensor.2d.global

// It computes what gemm_dynamic computes, whichever CTA takes which tile.
// RUN: titan run %examples/programs/gemm_dynamic.mlir --arg A=ints:1 --shape A=300x136 --arg B=ints:2 --shape B=296x136 --shape D=300x296 --shape counter=1 --arg counter=zeros --sms 2 --out D=%t.bare.npy
// RUN: titan run %examples/programs/gemm_dynamic_pipes.mlir --arg A=ints:1 --shape A=300x136 --arg B=ints:2 --shape B=296x136 --shape D=300x296 --shape counter=1 --arg counter=zeros --sms 2 --schedule random:3 --out D=%t.pipes.npy
// RUN: cmp %t.bare.npy %t.pipes.npy

// The numbers that its counter deals out are followed (MM-121).
// RUN: titan check --proof=off %examples/programs/gemm_dynamic_pipes.mlir | FileCheck %s --check-prefix=GOOD
// GOOD: @gemm_dynamic_pipes: accepted: 0 errors, 0 warnings
