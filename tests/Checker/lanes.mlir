// What all lanes of a warp do counts as often as the target's warp has lanes: 32, or 64.
//
// RUN: titan check %s --kernel wave
// RUN: titan check %s --kernel warp
// RUN: not titan check %s --kernel more_than_a_wave 2>&1 | FileCheck %s
// RUN: not titan check %s --kernel two_warps 2>&1 | FileCheck %s
// CHECK: error: [deadlock]

!flags = !titan.global<1xi32>

titan.kernel @wave(%flags: !flags) warps(2) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %i1 = arith.constant 1 : i32
  %all = arith.constant 64 : i32
  titan.warp_specialize {
    titan.partition "signal" warps(1) {
      titan.flag.signal %flags[%c0], %i1 : !flags
    }
    titan.partition "wait" warps(1) {
      titan.flag.wait %flags[%c0], %all : !flags
    }
  }
  titan.return
}

titan.kernel @warp(%flags: !flags) warps(2) attributes {titan.target = "sm_90a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %i1 = arith.constant 1 : i32
  %all = arith.constant 32 : i32
  titan.warp_specialize {
    titan.partition "signal" warps(1) {
      titan.flag.signal %flags[%c0], %i1 : !flags
    }
    titan.partition "wait" warps(1) {
      titan.flag.wait %flags[%c0], %all : !flags
    }
  }
  titan.return
}

// One signal more than a wave makes.
titan.kernel @more_than_a_wave(%flags: !flags) warps(2) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %i1 = arith.constant 1 : i32
  %all = arith.constant 65 : i32
  titan.warp_specialize {
    titan.partition "signal" warps(1) {
      titan.flag.signal %flags[%c0], %i1 : !flags
    }
    titan.partition "wait" warps(1) {
      titan.flag.wait %flags[%c0], %all : !flags
    }
  }
  titan.return
}

// What a wave makes is twice what a warp does.
titan.kernel @two_warps(%flags: !flags) warps(2) attributes {titan.target = "sm_90a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %i1 = arith.constant 1 : i32
  %all = arith.constant 64 : i32
  titan.warp_specialize {
    titan.partition "signal" warps(1) {
      titan.flag.signal %flags[%c0], %i1 : !flags
    }
    titan.partition "wait" warps(1) {
      titan.flag.wait %flags[%c0], %all : !flags
    }
  }
  titan.return
}
