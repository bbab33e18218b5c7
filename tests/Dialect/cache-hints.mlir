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
  // What a policy does not say is not printed.
  // CHECK: titan.global.load %A[%{{.*}}, %{{.*}}] cache(evict_last, fraction = 5.000000e-01) :
  %2 = titan.global.load %A[%x, %x] cache(evict_last, fraction = 0.5) : !titan.global<?x?xf32>, !x, !x -> !v
  // CHECK: titan.global.load %A[%{{.*}}, %{{.*}}] cache(evict_unchanged, fraction = 1.000000e+00, secondary = evict_first) :
  %3 = titan.global.load %A[%x, %x] cache(evict_unchanged, fraction = 1.0, secondary = evict_first) : !titan.global<?x?xf32>, !x, !x -> !v
  // CHECK: titan.global.store %{{.*}}, %A[%{{.*}}, %{{.*}}] cache(evict_first, secondary = evict_unchanged) :
  titan.global.store %1, %A[%x, %x] cache(evict_first, secondary = evict_unchanged) : !v, !titan.global<?x?xf32>, !x, !x
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

// -----

// expected-error @+2 {{[cache-policy] fraction 0.000000e+00: a policy is of more than none of the accesses, and at most of all: above 0, up to 1}}
// expected-note @+1 {{fix: leave the policy out}}
#policy = #titan<cache evict_first, fraction = 0.0>

// -----

// expected-error @+2 {{[cache-policy] fraction -5.000000e-01:}}
// expected-note @+1 {{fix: leave the policy out}}
#policy = #titan<cache evict_first, fraction = -0.5>

// -----

// expected-error @+2 {{[cache-policy] fraction 1.500000e+00:}}
// expected-note @+1 {{fix: leave the fraction out: all accesses have the priority then}}
#policy = #titan<cache evict_first, fraction = 1.5>

// -----

// Zero as an f32.
// expected-error @+2 {{[cache-policy] fraction 0.000000e+00:}}
// expected-note @+1 {{fix: leave the policy out}}
#policy = #titan<cache evict_first, fraction = 1.0e-60>

// -----

// expected-error @+2 {{[cache-policy] secondary priority evict_last: it is evict_first or evict_unchanged}}
// expected-note @+1 {{fix: leave it out: evict_unchanged; or let evict_last be the primary priority, of the other part of the accesses}}
#policy = #titan<cache evict_first, fraction = 0.5, secondary = evict_last>

// -----

// expected-error @+1 {{[cache-policy] secondary priority evict_normal: it is evict_first or evict_unchanged}}
#policy = #titan<cache evict_first, secondary = evict_normal>

// -----

// expected-error @+1 {{'evict_frist' is no word of `cache`: evict_normal, evict_first, evict_last, evict_unchanged}}
#policy = #titan<cache evict_frist>

// -----

// expected-error @+1 {{behind the priority stand, in this order, fraction = 0.5, secondary = evict_first; not 'fraction'}}
#policy = #titan<cache evict_first, secondary = evict_first, fraction = 0.5>

// -----

// expected-error @+1 {{expected valid keyword}}
#policy = #titan<cache evict_first, 0.5>
