// RUN: titan-opt --split-input-file --verify-diagnostics %s
//
// What the verifiers of kernels, launch regions, partitions and elect refuse.

// expected-error @+1 {{[thread-limit]}}
titan.kernel @k() warps(33) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

// expected-error @+1 {{[register-budget]}}
titan.kernel @k() warps(4) registers(12) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

// expected-error @+1 {{[cluster-limit]}}
titan.kernel @k() warps(4) cluster(0) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

// expected-error @+1 {{[cluster-limit]}}
titan.kernel @k() warps(4) cluster(4, 4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

// expected-error @+1 {{[kernel-arguments]}}
titan.kernel @k(%A: index) warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

// expected-error @+1 {{[kernel-arguments]}}
titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body(%x: index) {
  titan.return
}

// -----

// expected-error @+1 {{[kernel-arguments]}}
titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one) with(%one : index)
} body(%x: i32) {
  titan.return
}

// -----

// expected-error @+1 {{[kernel-launch]}}
titan.kernel @k() warps(1) launch {
  %one = arith.constant 1 : index
  titan.return
} body() {
  titan.return
}

// -----

// expected-error @+1 {{[kernel-return]}}
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
  // expected-error @+1 {{[launch-operation]}}
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
  // expected-error @+1 {{[launch-operation]}}
  %map = titan.tensor_map %A : !titan.global<64x64xbf16> -> !titan.tensor_map<64x64xbf16>
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  // expected-error @+1 {{[launch-grid]}}
  titan.launch grid(%one, %one, %one, %one)
} body() {
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<8x8xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  // expected-error @+1 {{[launch-value]}}
  titan.launch grid(%one) with(%A : !titan.global<8x8xf32>)
} body(%x: !titan.global<8x8xf32>) {
  titan.return
}

// -----

titan.kernel @k(%A: !titan.global<8x8xf32>) warps(4) launch {
  %one = arith.constant 1 : index
  // expected-error @+1 {{[tile-dimension]}}
  %d = titan.dim %A, 2 : !titan.global<8x8xf32>
  titan.launch grid(%one)
} body() {
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  // expected-error @+1 {{[device-property]}}
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
  // expected-error @+1 {{[grid-dimension]}}
  %c = titan.cta_id 3
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  // expected-error @+1 {{[grid-dimension]}}
  %c = titan.num_ctas 3
  titan.return
}

// -----

titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.elect {
    // expected-error @+1 {{[partition-shape]}}
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
  // expected-error @+1 {{[partition-shape]}}
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
    // expected-error @+1 {{[partition-shape]}}
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
    // expected-error @+1 {{[partition-shape]}}
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
    // expected-error @+1 {{[partition-shape]}}
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
    // expected-error @+1 {{[setmaxnreg-operand]}}
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
  // expected-error @+1 {{[elect-warp]}}
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
    // expected-error @+1 {{[elect-nested]}}
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
  // expected-error @+1 {{[elect-yield]}}
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
  // expected-error @+1 {{[tile-shape]}}
  %tile = titan.splat %zero : f32 -> tensor<65536x65536xf32, #huge>
  titan.return
}

// -----

#many = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [100000000, 1]>
titan.kernel @k() warps(4) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{held by 1 to 32 warps}}
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
