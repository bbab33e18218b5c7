// Hints for the caches on loads and stores of global memory.
//
// RUN: titan-opt --split-input-file --verify-diagnostics %s | FileCheck %s

!v = tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
!x = tensor<64x64xi32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
!b = tensor<64x64xi1, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
// CHECK-LABEL: titan.kernel @words
titan.kernel @words(%A: !titan.global<?x?xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %x = titan.coordinate 0 : !x
  %true = arith.constant dense<true> : !b
  // CHECK: titan.global.load %A[%{{.*}}, %{{.*}}] mask({{.*}}) cop(cg) prefetch(128) cache(evict_first) :
  %0 = titan.global.load %A[%x, %x] mask(%true : !b) cop(cg) prefetch(128) cache(evict_first) : !titan.global<?x?xf32>, !x, !x -> !v
  // CHECK: titan.global.load %A[%{{.*}}, %{{.*}}] l1(no_allocate) :
  %1 = titan.global.load %A[%x, %x] l1(no_allocate) : !titan.global<?x?xf32>, !x, !x -> !v
  // CHECK: titan.global.store %{{.*}}, %A[%{{.*}}, %{{.*}}] cop(wt) cache(evict_unchanged) :
  titan.global.store %0, %A[%x, %x] cop(wt) cache(evict_unchanged) : !v, !titan.global<?x?xf32>, !x, !x
  // CHECK: titan.global.store %{{.*}}, %A[%{{.*}}, %{{.*}}] l1(evict_last) :
  titan.global.store %1, %A[%x, %x] l1(evict_last) : !v, !titan.global<?x?xf32>, !x, !x
  titan.return
}

// -----

!v = tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
!x = tensor<64x64xi32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
titan.kernel @k(%A: !titan.global<?x?xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %x = titan.coordinate 0 : !x
  // expected-error @+1 {{[global-cache-hint] cache operator 'wt': it takes ca, cg, cs, lu, cv}}
  %0 = titan.global.load %A[%x, %x] cop(wt) : !titan.global<?x?xf32>, !x, !x -> !v
  titan.return
}

// -----

!v = tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
!x = tensor<64x64xi32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
titan.kernel @k(%A: !titan.global<?x?xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %x = titan.coordinate 0 : !x
  // expected-error @+1 {{[global-cache-hint] L2 fetches 64, 128 or 256 bytes, not 32}}
  %0 = titan.global.load %A[%x, %x] prefetch(32) : !titan.global<?x?xf32>, !x, !x -> !v
  titan.return
}

// -----

!v = tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
!x = tensor<64x64xi32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
titan.kernel @k(%A: !titan.global<?x?xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %z = arith.constant 0.0 : f32
  %t = titan.splat %z : f32 -> !v
  %x = titan.coordinate 0 : !x
  // expected-error @+1 {{[global-cache-hint] `cop` and `l1` exclude each other}}
  titan.global.store %t, %A[%x, %x] cop(cs) l1(evict_first) : !v, !titan.global<?x?xf32>, !x, !x
  titan.return
}

// -----

!v = tensor<64x64xf32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
!x = tensor<64x64xi32, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
titan.kernel @k(%A: !titan.global<?x?xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %z = arith.constant 0.0 : f32
  %t = titan.splat %z : f32 -> !v
  %x = titan.coordinate 0 : !x
  // expected-error @+1 {{[global-cache-hint] cache operator 'ca': it takes wb, cg, cs, wt}}
  titan.global.store %t, %A[%x, %x] cop(ca) : !v, !titan.global<?x?xf32>, !x, !x
  titan.return
}
