// A TMA store writes whole chunks of 16 bytes: rows of 120 bytes are refused at launch, unless
// what stands behind them is free (`padded`).
//
// RUN: not titan run %s 2>&1 | FileCheck %s
// CHECK: error: [tma-store-tail] rows of 120 bytes, which is no multiple of 16, are stored by TMA: 8 bytes behind each are overwritten
// VARIANT padded: in map `byte_strides(%b) :` -> `byte_strides(%b) {padded} :`
// RUN: %variant padded %s > %t.padded.mlir
// RUN: titan run %t.padded.mlir

!x = !titan.global<8x64xbf16>
!t = !titan.shared<8x64xbf16>
!m = !titan.tensor_map<8x64xbf16>
titan.kernel @k(%X: !x, %Z: !titan.global<?x?xbf16>) warps(1) attributes { titan.example = {sizes = {}, X = "8x64 zeros", Z = "8x64 random:1"} } launch {
  %one = arith.constant 1 : index
  %d8 = arith.constant 8 : index
  %d60 = arith.constant 60 : index
  %b = arith.constant 128 : index
  %map = titan.tensor_map %X dims(%d8, %d60) byte_strides(%b) : !x -> !m // @map
  %mapZ = titan.tensor_map %Z : !titan.global<?x?xbf16> -> !m
  titan.launch grid(%one) with(%map, %mapZ : !m, !m)
} body(%map: !m, %mapZ: !m) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0 : i32
  %bytes = arith.constant 1024 : i32
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.tma.load %mapZ[%c0, %c0], %t, %full : !m, !t, !titan.mbarrier
    titan.mbarrier.wait %full parity(%p) : !titan.mbarrier
    titan.tma.store %t, %map[%c0, %c0] : !t, !m
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g : !titan.token<bulk>
  }
  titan.return
}
