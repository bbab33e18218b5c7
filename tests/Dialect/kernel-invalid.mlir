// RUN: titan-opt --split-input-file --verify-diagnostics %s
//
// What the verifiers of kernels, launch regions, partitions and elect refuse.

// expected-error@+1 {{[thread-limit] a CTA has 1 to 32 warps (1024 threads), not 33}}
titan.kernel @k() warps(33) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

// expected-error@+2 {{[register-budget] registers a thread at launch: a multiple of 8 from 16 to 248, not 12}}
// expected-note@+1 {{fix: give registers(N) with N a multiple of 8 from 16 to 248, or leave it out}}
titan.kernel @k() warps(4) registers(12) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

// expected-error@+1 {{[cluster-limit] the sizes of a cluster are 1 to 8, not 0}}
titan.kernel @k() warps(4) cluster(0) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

// expected-error@+1 {{[cluster-limit] a cluster has at most 3 dimensions and 8 CTAs (the portable size,}}
titan.kernel @k() warps(4) cluster(4, 4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

// expected-error@+1 {{[kernel-arguments] an argument is a global tensor, an integer or a float, not 'index'}}
titan.kernel @k(%A: index) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

// expected-error@+1 {{[kernel-arguments] titan.launch passes 0 values, the body names 1}}
titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body(%x: index) {
  titan.return
}

// -----

// expected-error@+1 {{[kernel-arguments] the body's arguments have other types}}
titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one) with(%one : index)
} body(%x: i32) {
  titan.return
}

// -----

// expected-error@+1 {{[kernel-launch] the launch region ends with titan.launch}}
titan.kernel @k() warps(1) launch {
  %one = arith.constant 1 : index
  titan.return
} body() {
  titan.return
}

// -----

// expected-error@+1 {{[kernel-return] the body ends with titan.return}}
titan.kernel @k() warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c = arith.constant 1 : index
  titan.launch grid(%c)
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  // expected-error@+1 {{[launch-operation] does not belong in a launch region: scalar arith, titan.dim,}}
  titan.syncwarp
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<64x64xbf16>) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  // expected-error@+1 {{[launch-operation] belongs in the launch region}}
  %map = titan.tensor_map %A : !titan.global<64x64xbf16> -> !titan.tensor_map<64x64xbf16>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  // expected-error@+2 {{[launch-grid] a grid has 1 to 3 dimensions, not 4}}
  // expected-note@+1 {{fix: fold the further dimensions into x}}
  titan.launch grid(%one, %one, %one, %one)
} body() {
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<8x8xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  // expected-error@+1 {{[launch-value] a value passed to the kernel is a scalar or a tensor map, not}}
  titan.launch grid(%one) with(%A : !titan.global<8x8xf32>)
} body(%x: !titan.global<8x8xf32>) {
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<8x8xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  // expected-error@+1 {{[tile-dimension] dimension 2 of a tensor of rank 2}}
  %d = titan.dim %A, 2 : !titan.global<8x8xf32>
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  // expected-error@+1 {{[device-property] unknown property 'price'; there is multiprocessor_count}}
  %d = titan.device_property "price"
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  // expected-error@+1 {{[grid-dimension] dimensions are 0 (x), 1 (y) and 2 (z)}}
  %c = titan.cta_id 3
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  // expected-error@+1 {{[grid-dimension] dimensions are 0 (x), 1 (y) and 2 (z)}}
  %c = titan.num_ctas 3
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.elect {
    // expected-error@+2 {{[partition-shape] stands in the kernel's body itself}}
    // expected-note@+1 {{fix: partitions do not nest}}
    titan.warp_specialize {
      titan.partition "a" warps(1) {
      }
    }
  }
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  // expected-error@+2 {{[partition-shape] there is no partition}}
  // expected-note@+1 {{fix: write titan.partition}}
  titan.warp_specialize {
  }
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.warp_specialize {
    // expected-error@+2 {{[partition-shape] only titan.partition stands in a warp_specialize}}
    // expected-note@+1 {{fix: put it into a partition}}
    titan.syncwarp
  }
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.warp_specialize {
    titan.partition "a" warps(1) {
    }
    // expected-error@+2 {{[partition-shape] two partitions are called 'a'}}
    // expected-note@+1 {{fix: give each a name of its own}}
    titan.partition "a" warps(1) {
    }
  }
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  // expected-error @+2 {{[partition-shape] the partitions take 5 warps (padded to warpgroups), the kernel has 4}}
  // expected-note @+1 {{fix: write warps(5) on the kernel}}
  titan.warp_specialize {
    titan.partition "a" warps(5) {
    }
  }
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.warp_specialize {
    // expected-error@+2 {{[partition-shape] a partition has at least one warp}}
    // expected-note@+1 {{fix: write warps(n) with n of 1 or more}}
    titan.partition "a" warps(0) {
    }
  }
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.warp_specialize {
    // expected-error@+2 {{[setmaxnreg-operand] setmaxnreg takes a multiple of 8 from 24 to 256, not 20 (PTX}}
    // expected-note@+1 {{fix: give registers(N) with N a multiple of 8 from 24 to 256}}
    titan.partition "a" warps(4) registers(20) {
    }
  }
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  // expected-error@+1 {{[elect-warp] warp 4 of 4 warps}}
  titan.elect warp(4) {
  }
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.elect {
    // expected-error@+1 {{[elect-nested] one thread cannot elect again}}
    titan.elect {
    }
  }
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  // expected-error@+1 {{[elect-yield] yields other types than the elect's results}}
  %t = titan.elect -> !titan.token<bulk> {
  }
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  // expected-error @+1 {{[elect-yield] ends in titan.yield, not in titan.return}}
  titan.elect {
    titan.return
  }
  titan.return
}

// -----

// The product of the sizes would be a multiple of 2^64.
// expected-error @+1 {{[cluster-limit] the sizes of a cluster are 1 to 8, not 4294967296}}
titan.kernel @k() warps(4) cluster(4294967296, 4294967296) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

#huge = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %zero = arith.constant 0.0 : f32
  // expected-error@+2 {{[tile-shape] 'tensor<65536x65536xf32, #titan.blocked<elements = [1, 8], lanes = [4,}}
  // expected-note@+1 {{fix: use static sizes}}
  %tile = titan.splat %zero : f32 -> tensor<65536x65536xf32, #huge>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %zero = arith.constant 0.0 : f32
  // expected-error @+2 {{a wgmma fragment has 64 rows and a multiple of 8 columns}}
  // expected-note @+1 {{fix: give the tile a multiple of 64 rows and of 8 columns: 64 x 64}}
  %tile = titan.splat %zero : f32 -> tensor<64x60xf32, #titan.wgmma<1, 1>>
  titan.return
}

// -----

#many = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [100000000, 1]>
titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %zero = arith.constant 0.0 : f32
  // expected-error @+2 {{held by 1 to 32 warps}}
  // expected-note @+1 {{fix: each number in warps is 1 or more}}
  %tile = titan.splat %zero : f32 -> tensor<64x64xf32, #many>
  titan.return
}

// -----

#many = #titan.blocked<elements = [1, 8], lanes = [0, 32], warps = [4, 1]>
titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %zero = arith.constant 0.0 : f32
  // expected-error @+2 {{held by 1 to 64 lanes of a warp}}
  // expected-note @+1 {{fix: each number in lanes is 1 or more}}
  %tile = titan.splat %zero : f32 -> tensor<64x64xf32, #many>
  titan.return
}

// -----

#many = #titan.blocked<elements = [1, 8], lanes = [2147483648, 2147483648], warps = [4, 1]>
titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %zero = arith.constant 0.0 : f32
  // expected-error @+2 {{held by 1 to 64 lanes of a warp}}
  // expected-note @+1 {{fix: each number in lanes is 1 or more}}
  %tile = titan.splat %zero : f32 -> tensor<64x64xf32, #many>
  titan.return
}

// -----

#many = #titan.blocked<elements = [1, 8], lanes = [65536, 4], warps = [4, 1]>
titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %zero = arith.constant 0.0 : f32
  // expected-error @+2 {{held by 1 to 64 lanes of a warp}}
  // expected-note @+1 {{fix: each number in lanes is 1 or more}}
  %tile = titan.splat %zero : f32 -> tensor<64x64xf32, #many>
  titan.return
}

// -----

titan.kernel @k(%x: i32) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
// expected-error @+1 {{%x is an argument of the kernel, which the body sees as it is}}
} body(%x: i32) {
  titan.return
}

// -----

// expected-error @+1 {{[kernel-alignment] no tensor is called "B"}}
titan.kernel @k(%A: !titan.global<?xf32>) warps(1) attributes {titan.alignment = {B = 16}} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

// expected-error @+1 {{[kernel-alignment] "A": a power of two up to 4096, not 12}}
titan.kernel @k(%A: !titan.global<?xf32>) warps(1) attributes {titan.alignment = {A = 12}} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

// expected-error @+1 {{[kernel-initial] no tensor of integers is called "A"}}
titan.kernel @k(%A: !titan.global<?xf32>) warps(1) attributes {titan.initial = {A = 0}} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

// expected-error @+1 {{[kernel-initial] "A": a number of 'i8', not 128 : i64}}
titan.kernel @k(%A: !titan.global<?xi8>) warps(1) attributes {titan.initial = {A = 128}} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

// expected-error @+1 {{[kernel-initial] "A": a number of 'i32', not true}}
titan.kernel @k(%A: !titan.global<?xi32>) warps(1) attributes {titan.initial = {A = true}} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

// expected-error @+1 {{[kernel-initial] `titan.initial` lists tensors and numbers: {flags = 0}}}
titan.kernel @k(%A: !titan.global<?xi8>) warps(1) attributes {titan.initial = 0} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

titan.kernel @k() warps(1) cluster(2) launch {
  %three = arith.constant 3 : index
  // expected-error @+1 {{[cluster-limit] dimension 0 of the grid is 3, no multiple of the cluster's 2}}
  titan.launch grid(%three)
} body() {
  titan.return
}

// -----

titan.kernel @k(%n: i32) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %zero = arith.constant 0 : i32
  %positive = arith.cmpi sgt, %n, %zero : i32
  // expected-error @+2 {{[assume-contents] no element that is loaded is among what the condition is computed from}}
  // expected-note @+1 {{fix: of sizes and arguments say it in the launch region, by titan.require; of what the kernel computes, by titan.assert}}
  titan.assume %positive, "n is positive"
  titan.return
}

// -----

// Through loops, branches and functions.
!ids = !titan.global<?xi32>
func.func private @positive(%x: i32) {
  %zero = arith.constant 0 : i32
  %positive = arith.cmpi sgt, %x, %zero : i32
  titan.assume %positive, "what is given is positive"
  return
}
titan.kernel @k(%ids: !ids) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> i32 {
    %id = titan.ld %ids[%i] : !ids -> i32
    %t = arith.addi %s, %id : i32
    scf.yield %t : i32
  }
  %positive = arith.cmpi sgt, %sum, %zero : i32
  titan.assume %positive, "some id is positive"
  func.call @positive(%sum) : (i32) -> ()
  titan.return
}

// -----

#rows = #titan.blocked<elements = [1], lanes = [32], warps = [1]>
func.func private @tile(%x: tensor<32xi32, #rows>) {
  // expected-error @+1 {{[tile-element-type] the tile holds 'i32', not i1}}
  titan.assume %x, "words" : tensor<32xi32, #rows>
  return
}

// -----

// Negative numbers are told as they were written.
titan.kernel @k() warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  // expected-error @+1 {{[elect-warp] warp -1 of 1 warps}}
  titan.elect warp(-1) { titan.fence.mbarrier_init }
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<?x?xbf16>) warps(1) launch {
  %one = arith.constant 1 : index
  // expected-error @+1 {{[tile-dimension] dimension -1 of a tensor of rank 2}}
  %x = titan.dim %A, -1 : !titan.global<?x?xbf16>
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

// A package carries the name, as bytes that anybody can type.
// expected-error @+2 {{[invalid-op] "\E6\97\A5\00 x" is no name of a kernel: one is 1 to 1024 printable ASCII characters without spaces}}
// expected-note @+1 {{fix: use letters, digits and _}}
titan.kernel @"\E6\97\A5\00 x"() warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

titan.kernel @k() warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  // expected-error @+2 {{[not-supported-yet] a kernel has no values of type 'i129': numbers are index, integers of 1, 8, 16, 32 and 64 bits, f16, bf16, f32, f64, f8E4M3FN and f8E5M2; a tile has an element}}
  // expected-note @+1 {{fix: take the next wider of these}}
  %x = arith.constant 1 : i129
  titan.return
}

// -----

titan.kernel @k(%n: i32) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  // expected-error @+2 {{[not-supported-yet] a kernel has no values of type 'i7'}}
  // expected-note @+1 {{fix: take the next wider of these}}
  %x = arith.trunci %n : i32 to i7
  titan.return
}

// -----

titan.kernel @k(%n: i32) warps(1) launch {
  // expected-error @+2 {{[not-supported-yet] a kernel has no values of type 'i33'}}
  // expected-note @+1 {{fix: take the next wider of these}}
  %x = arith.extsi %n : i32 to i33
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

// expected-error @+2 {{[not-supported-yet] a kernel has no values of type 'i24'}}
// expected-note @+1 {{fix: take the next wider of these}}
titan.kernel @k(%n: i24) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

titan.kernel @k(%n: i32) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  // expected-error @+2 {{[not-supported-yet] a kernel has no values of type 'vector<4xi32>'}}
  // expected-note @+1 {{fix: take the next wider of these}}
  %x = arith.constant dense<1> : vector<4xi32>
  titan.return
}

// -----

titan.kernel @k() warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  // expected-error @+2 {{[not-supported-yet] a kernel has no values of type 'tensor<32xf80>'}}
  // expected-note @+1 {{fix: take the next wider of these}}
  %x = arith.constant dense<1.0> : tensor<32xf80>
  titan.return
}

// -----

titan.kernel @k() warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  // expected-error @+2 {{[not-supported-yet] a kernel has no values of type 'tensor<0xi32>'}}
  // expected-note @+1 {{fix: take the next wider of these}}
  %x = arith.constant dense<1> : tensor<0xi32>
  titan.return
}

// -----

titan.kernel @k() warps(1) launch {
  %one = arith.constant 1 : index
  %true = arith.constant true
  // expected-error @+2 {{[unknown-code] there is no code 'lunch-check'}}
  // expected-note @+1 {{fix: did you mean launch-check?}}
  titan.require %true, "lunch-check", "words"
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

titan.kernel @k() warps(1) launch {
  // expected-error @+2 {{[launch-grid] a grid has 1 to 3 dimensions, not 0}}
  // expected-note @+1 {{fix: give its extents: titan.launch grid(%ctas)}}
  titan.launch grid()
} body() {
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<4xi32>) warps(1) attributes {titan.reference = @ref} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}
// expected-error @+2 {{[reference-invalid] @ref, a reference, has an argument, number 0, with none of titan.input, titan.expected and titan.bound}}
// expected-note @+1 {{fix: say which argument of the kernel it is of}}
func.func private @ref(%A: memref<4xi32>) {
  return
}

// -----

titan.kernel @k(%A: !titan.global<4xi32>) warps(1) attributes {titan.reference = @ref} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}
// expected-error @+2 {{[reference-invalid] @ref, a reference, returns 1 values}}
// expected-note @+1 {{fix: make each result an argument}}
func.func private @ref(%A: memref<4xi32> {titan.input = "A"}) -> i32 {
  %one = arith.constant 1 : i32
  return %one : i32
}

// -----

titan.kernel @k(%A: !titan.global<4xi32>) warps(1) attributes {titan.reference = @ref} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}
func.func private @ref(%A: memref<4xi32> {titan.input = "A"}) {
  // expected-error @+2 {{[reference-invalid] @ref, a reference, runs on the host, where there is no 'titan.cta_sync'}}
  // expected-note @+1 {{fix: compute with arith, math, scf, memref and linalg there}}
  titan.cta_sync
  return
}
