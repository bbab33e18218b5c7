// MM-74, MM-75: the register budgets of all partitions fit into what the CTA was
// launched with; padded warps count.
//
// RUN: titan-opt %s -split-input-file -verify-diagnostics

// 4 * 24 + 8 * 240 = 12 * 168.
titan.kernel @fits() warps(12) registers(168) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.warp_specialize {
    titan.partition "load" warps(4) registers(24) {
    }
    titan.partition "multiply" warps(8) registers(240) {
    }
  }
  titan.return
}

// -----

titan.kernel @eight_too_many() warps(12) registers(168) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  // expected-error @below {{[register-budget] the partitions want 2048 registers (warps times registers a thread), more than the 2016}}
  titan.warp_specialize {
    titan.partition "load" warps(4) registers(32) {
    }
    titan.partition "multiply" warps(8) registers(240) {
    }
  }
  titan.return
}

// -----

// One loading warp is padded to four.
titan.kernel @padding_counts() warps(12) registers(168) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  // expected-error @below {{[register-budget]}}
  titan.warp_specialize {
    titan.partition "load" warps(1) registers(40) {
    }
    titan.partition "multiply" warps(8) registers(240) {
    }
  }
  titan.return
}

// -----

titan.kernel @no_multiple_of_eight() warps(4) registers(168) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.warp_specialize {
    // expected-error @below {{[setmaxnreg-operand]}}
    // expected-note @below {{fix: give registers(N) with N a multiple of 8 from 24 to 256}}
    titan.partition "load" warps(4) registers(28) {
    }
  }
  titan.return
}
