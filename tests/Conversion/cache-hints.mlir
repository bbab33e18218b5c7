// Every hint for the caches, as PTX that ptxas takes. Of a load that nobody uses nothing is left.
//
// RUN: titan compile --emit=ptx %s | FileCheck %s
// RUN: titan compile --emit=cubin -o %t.cubin %s
// REQUIRES: ptxas

!row = tensor<1x32xf32, #titan.blocked<elements = [1, 1], lanes = [1, 32], warps = [1, 1]>>
!at = tensor<1x32xi32, #titan.blocked<elements = [1, 1], lanes = [1, 32], warps = [1, 1]>>
!truth = tensor<1x32xi1, #titan.blocked<elements = [1, 1], lanes = [1, 32], warps = [1, 1]>>
!global = !titan.global<?x?xf32>
titan.kernel @hints(%A: !global, %B: !global) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %i = titan.coordinate 0 : !at
  %j = titan.coordinate 1 : !at
  %seven = arith.constant 7 : i32
  %sevens = titan.splat %seven : i32 -> !at
  %mask = arith.cmpi slt, %j, %sevens : !at
  // CHECK: ld.global.ca.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}];
  %0 = titan.global.load %A[%i, %j] cop(ca) : !global, !at, !at -> !row
  titan.global.store %0, %B[%i, %j] : !row, !global, !at, !at
  // CHECK: ld.global.cg.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}];
  %1 = titan.global.load %A[%i, %j] cop(cg) : !global, !at, !at -> !row
  titan.global.store %1, %B[%i, %j] : !row, !global, !at, !at
  // CHECK: ld.global.cs.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}];
  %2 = titan.global.load %A[%i, %j] cop(cs) : !global, !at, !at -> !row
  titan.global.store %2, %B[%i, %j] : !row, !global, !at, !at
  // CHECK: ld.global.lu.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}];
  %3 = titan.global.load %A[%i, %j] cop(lu) : !global, !at, !at -> !row
  titan.global.store %3, %B[%i, %j] : !row, !global, !at, !at
  // CHECK: ld.global.cv.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}];
  %4 = titan.global.load %A[%i, %j] cop(cv) : !global, !at, !at -> !row
  titan.global.store %4, %B[%i, %j] : !row, !global, !at, !at
  // CHECK: ld.global.L1::evict_normal.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}];
  %5 = titan.global.load %A[%i, %j] l1(evict_normal) : !global, !at, !at -> !row
  titan.global.store %5, %B[%i, %j] : !row, !global, !at, !at
  // CHECK: ld.global.L1::evict_first.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}];
  %6 = titan.global.load %A[%i, %j] l1(evict_first) : !global, !at, !at -> !row
  titan.global.store %6, %B[%i, %j] : !row, !global, !at, !at
  // CHECK: ld.global.L1::evict_last.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}];
  %7 = titan.global.load %A[%i, %j] l1(evict_last) : !global, !at, !at -> !row
  titan.global.store %7, %B[%i, %j] : !row, !global, !at, !at
  // CHECK: ld.global.L1::evict_unchanged.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}];
  %8 = titan.global.load %A[%i, %j] l1(evict_unchanged) : !global, !at, !at -> !row
  titan.global.store %8, %B[%i, %j] : !row, !global, !at, !at
  // CHECK: ld.global.L1::no_allocate.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}];
  %9 = titan.global.load %A[%i, %j] l1(no_allocate) : !global, !at, !at -> !row
  titan.global.store %9, %B[%i, %j] : !row, !global, !at, !at
  // CHECK: ld.global.L2::64B.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}];
  %10 = titan.global.load %A[%i, %j] prefetch(64) : !global, !at, !at -> !row
  titan.global.store %10, %B[%i, %j] : !row, !global, !at, !at
  // CHECK: ld.global.L2::128B.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}];
  %11 = titan.global.load %A[%i, %j] prefetch(128) : !global, !at, !at -> !row
  titan.global.store %11, %B[%i, %j] : !row, !global, !at, !at
  // CHECK: ld.global.L2::256B.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}];
  %12 = titan.global.load %A[%i, %j] prefetch(256) : !global, !at, !at -> !row
  titan.global.store %12, %B[%i, %j] : !row, !global, !at, !at
  // CHECK: ld.global.L2::cache_hint.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}], {{%rd[0-9]+}};
  %13 = titan.global.load %A[%i, %j] cache(evict_normal) : !global, !at, !at -> !row
  titan.global.store %13, %B[%i, %j] : !row, !global, !at, !at
  // CHECK: ld.global.L2::cache_hint.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}], {{%rd[0-9]+}};
  %14 = titan.global.load %A[%i, %j] cache(evict_first) : !global, !at, !at -> !row
  titan.global.store %14, %B[%i, %j] : !row, !global, !at, !at
  // CHECK: ld.global.L2::cache_hint.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}], {{%rd[0-9]+}};
  %15 = titan.global.load %A[%i, %j] cache(evict_last) : !global, !at, !at -> !row
  titan.global.store %15, %B[%i, %j] : !row, !global, !at, !at
  // CHECK: ld.global.L2::cache_hint.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}], {{%rd[0-9]+}};
  %16 = titan.global.load %A[%i, %j] cache(evict_unchanged) : !global, !at, !at -> !row
  titan.global.store %16, %B[%i, %j] : !row, !global, !at, !at
  // CHECK: ld.global.cg.L2::cache_hint.L2::128B.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}], {{%rd[0-9]+}};
  %17 = titan.global.load %A[%i, %j] cop(cg) prefetch(128) cache(evict_first) : !global, !at, !at -> !row
  titan.global.store %17, %B[%i, %j] : !row, !global, !at, !at
  // CHECK: ld.global.L1::no_allocate.L2::cache_hint.L2::256B.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}], {{%rd[0-9]+}};
  %18 = titan.global.load %A[%i, %j] l1(no_allocate) prefetch(256) cache(evict_last) : !global, !at, !at -> !row
  titan.global.store %18, %B[%i, %j] : !row, !global, !at, !at
  // CHECK: ld.global.L1::no_allocate.L2::cache_hint.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}], {{%rd[0-9]+}};
  %19 = titan.global.load %A[%i, %j] mask(%mask : !truth) l1(no_allocate) cache(evict_last) : !global, !at, !at -> !row
  // CHECK: st.global.wb.b32 [{{%rd[0-9]+}}], {{%r[0-9]+}};
  titan.global.store %19, %B[%i, %j] cop(wb) : !row, !global, !at, !at
  // CHECK: st.global.cg.b32 [{{%rd[0-9]+}}], {{%r[0-9]+}};
  titan.global.store %19, %B[%i, %j] cop(cg) : !row, !global, !at, !at
  // CHECK: st.global.cs.b32 [{{%rd[0-9]+}}], {{%r[0-9]+}};
  titan.global.store %19, %B[%i, %j] cop(cs) : !row, !global, !at, !at
  // CHECK: st.global.wt.b32 [{{%rd[0-9]+}}], {{%r[0-9]+}};
  titan.global.store %19, %B[%i, %j] cop(wt) : !row, !global, !at, !at
  // CHECK: st.global.L1::evict_normal.b32 [{{%rd[0-9]+}}], {{%r[0-9]+}};
  titan.global.store %19, %B[%i, %j] l1(evict_normal) : !row, !global, !at, !at
  // CHECK: st.global.L1::evict_first.b32 [{{%rd[0-9]+}}], {{%r[0-9]+}};
  titan.global.store %19, %B[%i, %j] l1(evict_first) : !row, !global, !at, !at
  // CHECK: st.global.L1::evict_last.b32 [{{%rd[0-9]+}}], {{%r[0-9]+}};
  titan.global.store %19, %B[%i, %j] l1(evict_last) : !row, !global, !at, !at
  // CHECK: st.global.L1::evict_unchanged.b32 [{{%rd[0-9]+}}], {{%r[0-9]+}};
  titan.global.store %19, %B[%i, %j] l1(evict_unchanged) : !row, !global, !at, !at
  // CHECK: st.global.L1::no_allocate.b32 [{{%rd[0-9]+}}], {{%r[0-9]+}};
  titan.global.store %19, %B[%i, %j] l1(no_allocate) : !row, !global, !at, !at
  // CHECK: st.global.L2::cache_hint.b32 [{{%rd[0-9]+}}], {{%r[0-9]+}}, {{%rd[0-9]+}};
  titan.global.store %19, %B[%i, %j] cache(evict_first) : !row, !global, !at, !at
  // CHECK: st.global.L1::evict_first.L2::cache_hint.b32 [{{%rd[0-9]+}}], {{%r[0-9]+}}, {{%rd[0-9]+}};
  titan.global.store %19, %B[%i, %j] l1(evict_first) cache(evict_unchanged) : !row, !global, !at, !at
  // CHECK: st.global.cs.L2::cache_hint.b32 [{{%rd[0-9]+}}], {{%r[0-9]+}}, {{%rd[0-9]+}};
  titan.global.store %19, %B[%i, %j] mask(%mask : !truth) cop(cs) cache(evict_first) : !row, !global, !at, !at
  titan.return
}
