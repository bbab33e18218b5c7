// A relaxed arrival at the cluster's barrier orders nothing: what threads stored before it others may not read behind
// the barrier. (ProvedLitmusTest: nor is it proved.)
//
// RUN: not titan check %s 2>&1 | FileCheck %s
// CHECK: [race] 'titan.shared.load' reads shared memory through the generic proxy that 'titan.copy' (vectors) wrote
//
// VARIANT released: in ARRIVE `titan.cluster.arrive relaxed` -> `titan.cluster.arrive`
// RUN: %variant released %s | titan check - --require=proved | FileCheck %s --check-prefix=RELEASED
// RELEASED: accepted: 0 errors, 0 warnings

!matrix = !titan.global<64x64xf16, strides = [64, 1]>
!result = !titan.global<128x64xf16, strides = [64, 1]>
!tile = !titan.shared<64x64xf16>
#rows = #titan.blocked<elements = [8, 1], lanes = [1, 32], warps = [2, 1]>

titan.kernel @relaxed(%A: !matrix, %B: !result) warps(2) cluster(2, 1) attributes {
  titan.alignment = {A = 16, B = 16}
} launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %tile = titan.shared.alloc : !tile
  %cta = titan.cta_id 0
  %row = arith.muli %cta, %c64 : index
  titan.copy %A to %tile : !matrix, !tile
  titan.cluster.arrive relaxed // @ARRIVE
  titan.cluster.wait
  %elements = titan.shared.load %tile : !tile -> tensor<64x64xf16, #rows>
  titan.copy %elements to %B[%row, %c0] : tensor<64x64xf16, #rows>, !result
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}
