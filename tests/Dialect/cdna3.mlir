// What the operations of gfx942 refuse.
// RUN: titan-opt %s --split-input-file --verify-diagnostics

func.func @counters() {
  titan.s_waitcnt vmcnt(63) lgkmcnt(15)
  // expected-error@+1 {{[counter-range] vmcnt has 6 bits, 0 to 63, not 64}}
  titan.s_waitcnt vmcnt(64)
  return
}

// -----

func.func @lgkm() {
  // expected-error@+1 {{[counter-range] lgkmcnt has 4 bits, 0 to 15, not 16}}
  titan.s_waitcnt lgkmcnt(16)
  return
}

// -----

func.func @no_counter() {
  // expected-error@+1 {{[counter-range] names no counter}}
  titan.s_waitcnt
  return
}

// -----

#a = #titan.mfma_a<32, 8, 2, 2>
!flight = !titan.inflight<tensor<128x32xf16, #a>>
func.func @arrives_by_the_other_counter(%f: !flight) {
  // expected-error@+1 {{[inflight-use] tiles read from LDS arrive at an lgkmcnt wait, not at a vmcnt one}}
  %t = titan.s_waitcnt vmcnt(0) arrive(%f : !flight -> tensor<128x32xf16, #a>)
  return
}

// -----

#a = #titan.mfma_a<32, 8, 2, 2>
#b = #titan.mfma_b<32, 8, 2, 2>
#c = #titan.mfma<32, 2, 2>
func.func @product(%a: tensor<128x32xf16, #a>, %b: tensor<64x32xf16, #b>, %c: tensor<128x64xf32, #c>) {
  %d = titan.mfma %a, %b, %c : tensor<128x32xf16, #a>, tensor<64x32xf16, #b>, tensor<128x64xf32, #c> -> tensor<128x64xf32, #c>
  return
}

// -----

#a = #titan.mfma_a<32, 8, 2, 2>
#b = #titan.mfma_b<32, 8, 4, 1>
#c = #titan.mfma<32, 2, 2>
func.func @grids(%a: tensor<128x32xf16, #a>, %b: tensor<64x32xf16, #b>, %c: tensor<128x64xf32, #c>) {
  // expected-error@+1 {{[layout-mismatch] A is in #titan.mfma_a, B in #titan.mfma_b, C and D in #titan.mfma, all of one instruction and one grid of waves}}
  %d = titan.mfma %a, %b, %c : tensor<128x32xf16, #a>, tensor<64x32xf16, #b>, tensor<128x64xf32, #c> -> tensor<128x64xf32, #c>
  return
}

// -----

#a = #titan.mfma_a<32, 16, 2, 2>
#b = #titan.mfma_b<32, 16, 2, 2>
#c = #titan.mfma<32, 2, 2>
func.func @no_such_instruction(%a: tensor<128x32xf16, #a>, %b: tensor<64x32xf16, #b>, %c: tensor<128x64xf32, #c>) {
  // gfx950 has 32x32x16 of f16.
  // expected-error@+1 {{[mma-shape] no v_mfma multiplies 'f16' by 'f16' into 'f32' as 32x32x16}}
  %d = titan.mfma %a, %b, %c : tensor<128x32xf16, #a>, tensor<64x32xf16, #b>, tensor<128x64xf32, #c> -> tensor<128x64xf32, #c>
  return
}

// -----

!tile = !titan.shared<16x10xf16>
titan.kernel @loads(%A: !titan.global<?x?xf16>) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %lds = titan.shared.alloc : !tile
  // expected-error@+1 {{[lds-load-shape] 320 bytes are no whole number of instructions for 4 waves}}
  %t = titan.buffer_load_lds %A[%c0, %c0], %lds : !titan.global<?x?xf16>, !tile -> !titan.token<counter>
  titan.return
}
