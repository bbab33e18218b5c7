// MM-73, MM-110: a count fits its counter, and tiles arrive where LDS operations are waited for.
//
// RUN: titan-opt %s -split-input-file -verify-diagnostics

titan.kernel @vmcnt_63() warps(1) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.s_waitcnt vmcnt(63)
  titan.return
}

// -----

titan.kernel @vmcnt_64() warps(1) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  // expected-error @below {{[counter-range]}}
  titan.s_waitcnt vmcnt(64)
  titan.return
}

// -----

titan.kernel @lgkmcnt_15() warps(1) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.s_waitcnt lgkmcnt(15)
  titan.return
}

// -----

titan.kernel @lgkmcnt_16() warps(1) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  // expected-error @below {{[counter-range]}}
  titan.s_waitcnt vmcnt(0) lgkmcnt(16)
  titan.return
}

// -----

!tile = !titan.shared<64x32xf16>
!regs = tensor<64x32xf16, #titan.blocked<elements = [1, 2], lanes = [4, 16], warps = [4, 1]>>
!coming = !titan.inflight<!regs>

titan.kernel @arrive_at_vmcnt() warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %lds = titan.shared.alloc : !tile
  %coming = titan.ds_read %lds : !tile -> !coming
  // expected-error @below {{[inflight-use]}}
  %got = titan.s_waitcnt vmcnt(0) arrive(%coming : !coming -> !regs)
  titan.return
}
