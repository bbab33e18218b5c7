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

// -----

// A form of an operation may exist on fewer targets than the operation.
titan.kernel @form_of_blackwell(%a: !titan.global<?x?xbf16>) warps(4) attributes {titan.target = "sm_90a"} launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %a : !titan.global<?x?xbf16> -> !titan.tensor_map<128x64xbf16, swizzle = 128>
  titan.launch grid(%c1) with(%map : !titan.tensor_map<128x64xbf16, swizzle = 128>)
} body(%map: !titan.tensor_map<128x64xbf16, swizzle = 128>) {
  %c0 = arith.constant 0 : index
  %tile = titan.shared.alloc : !titan.shared<128x64xbf16, swizzle = 128>
  %bar = titan.mbarrier.alloc : !titan.mbarrier<1>
  titan.tma.load %map[%c0, %c0], %tile, %bar : !titan.tensor_map<128x64xbf16, swizzle = 128>, !titan.shared<128x64xbf16, swizzle = 128>, !titan.mbarrier<1>
  // expected-error@+1 {{[wrong-target] does not exist on sm_90a, the kernel's target; it exists on sm_100a}}
  titan.tma.load %map[%c0, %c0], %tile, %bar pair : !titan.tensor_map<128x64xbf16, swizzle = 128>, !titan.shared<128x64xbf16, swizzle = 128>, !titan.mbarrier<1>
  titan.return
}
