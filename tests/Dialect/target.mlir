// An operation that the kernel's target does not have is refused.
// RUN: titan-opt %s --split-input-file --verify-diagnostics

titan.kernel @waits_on_amd() warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  // expected-error@+1 {{[wrong-target] does not exist on gfx942, the kernel's target; it exists on sm_90a}}
  titan.mma.wait_group 0
  titan.return
}

// -----

module attributes {titan.target = "sm_100a"} {
  titan.kernel @target_of_the_module() warps(4) launch {
    %c1 = arith.constant 1 : index
    titan.launch grid(%c1)
  } body() {
    // expected-error@+1 {{[wrong-target] does not exist on sm_100a, the kernel's target; it exists on sm_90a}}
    titan.mma.wait_group 0
    titan.return
  }
}

// -----

// expected-error@+1 {{[unknown-target] 'sm_80': targets are sm_90a, sm_100a and gfx942}}
titan.kernel @no_such_target() warps(4) attributes {titan.target = "sm_80"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.return
}
