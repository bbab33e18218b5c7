// RUN: titan-opt %s | titan-opt | FileCheck %s
// RUN: titan-opt %s --mlir-print-op-generic | titan-opt | FileCheck %s
//
// Every operation of gfx942 alone as it is written, and as it is printed back.

#a = #titan.mfma_a<32, 8, 2, 2>
#b = #titan.mfma_b<32, 8, 2, 2>
#c = #titan.mfma<32, 2, 2>
!tile = !titan.shared<128x32xf16>
!A = tensor<128x32xf16, #a>
!B = tensor<128x32xf16, #b>
!C = tensor<128x128xf32, #c>

// CHECK: titan.kernel @product(%X: !titan.global<?x?xf16>) warps(4)
titan.kernel @product(%X: !titan.global<?x?xf16>) warps(4) attributes {titan.target = "gfx942"} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %tile = titan.shared.alloc : !tile
  // CHECK: titan.buffer_load_lds %X[%{{.*}}, %{{.*}}], %{{.*}} :
  %load = titan.buffer_load_lds %X[%c0, %c0], %tile : !titan.global<?x?xf16>, !tile -> !titan.token<counter>
  // CHECK: titan.counter.wait %{{.*}} : <counter>
  titan.counter.wait %load : !titan.token<counter>
  // CHECK: titan.s_barrier
  titan.s_barrier
  // CHECK: titan.ds_read %{{.*}} :
  %readA = titan.ds_read %tile : !tile -> !titan.inflight<!A>
  %readB = titan.ds_read %tile : !tile -> !titan.inflight<!B>
  // CHECK: titan.s_waitcnt lgkmcnt(0) arrive(%{{.*}}, %{{.*}} :
  %a, %b = titan.s_waitcnt lgkmcnt(0) arrive(%readA, %readB : !titan.inflight<!A>, !titan.inflight<!B> -> !A, !B)
  %c = titan.splat %zero : f32 -> !C
  // CHECK: titan.mfma %{{.*}}, %{{.*}}, %{{.*}} :
  %d = titan.mfma %a, %b, %c : !A, !B, !C -> !C
  titan.s_barrier
  // CHECK: titan.ds_write %{{.*}}, %{{.*}} :
  titan.ds_write %a, %tile : !A, !tile
  titan.return
}
