// IDIOM: tensors that a kernel reads and writes
//
// Who stores part of a tensor and reads it again needs nothing between; what other threads of the CTA have stored is read behind
// a barrier, and stored over behind another one.
//
// RUN: titan check %s --require=proved | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @both: accepted
// CHECK: {{^}}  proved, for every size
// CHECK: @own: accepted
// CHECK: {{^}}  proved, for every size
//
// Other threads read before it is stored.
// VARIANT no_barrier: replace stored with titan.syncwarp
// RUN: %variant no_barrier %s | not titan check - --kernel both 2>&1 | FileCheck %s --check-prefix=NO-BARRIER
// NO-BARRIER: [race]
// The next iteration stores before all have read.
// VARIANT no_second: replace read with titan.syncwarp
// RUN: %variant no_second %s | not titan check - --kernel both 2>&1 | FileCheck %s --check-prefix=NO-SECOND
// NO-SECOND: [race]
// The same elements are held by warps of another partition.
// VARIANT other_warps: after apart add } titan.partition "load" warps(2) {
// VARIANT other_warps: in kernel `warps(2)` -> `warps(4)`
// RUN: %variant other_warps %s | not titan check - --kernel own 2>&1 | FileCheck %s --check-prefix=OTHER-WARPS
// OTHER-WARPS: [race]

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [2, 1]>
#pairs = #titan.blocked<elements = [1, 2], lanes = [1, 32], warps = [2, 1]>
!t = !titan.global<8x64xbf16>
!n = !titan.global<?xbf16>
titan.kernel @both(%X: !t, %N: !n, %Y: !titan.global<?x8x64xbf16>) warps(2) attributes {
  titan.target = "sm_90a", titan.example = {sizes = {M = 3}, X = "8x64 zeros", N = "M", Y = "Mx8x64 zeros"}} launch {
  %one = arith.constant 1 : index
  %m = titan.dim %N, 0 : !n
  %my = titan.dim %Y, 0 : !titan.global<?x8x64xbf16>
  %s = arith.cmpi eq, %m, %my : index
  titan.require %s, "launch-check", "s"
  %most = arith.constant 1073741824 : index
  %few = arith.cmpi ule, %m, %most : index
  titan.require %few, "launch-check", "f"
  titan.launch grid(%one) with(%m : index)
} body(%m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = titan.coordinate 0 : tensor<8x64xi32, #rows>
  %j0 = titan.coordinate 1 : tensor<8x64xi32, #rows>
  %i1 = titan.coordinate 0 : tensor<8x64xi32, #pairs>
  %j1 = titan.coordinate 1 : tensor<8x64xi32, #pairs>
  %one = arith.constant 1.0 : bf16
  %v = titan.splat %one : bf16 -> tensor<8x64xbf16, #rows>
  scf.for %t = %c0 to %m step %c1 {
    %t32 = arith.index_cast %t : index to i32
    %tt = titan.splat %t32 : i32 -> tensor<8x64xi32, #pairs>
    titan.global.store %v, %X[%i0, %j0] : tensor<8x64xbf16, #rows>, !t, tensor<8x64xi32, #rows>, tensor<8x64xi32, #rows>
    titan.cta_sync // @stored
    %x = titan.global.load %X[%i1, %j1] : !t, tensor<8x64xi32, #pairs>, tensor<8x64xi32, #pairs> -> tensor<8x64xbf16, #pairs>
    titan.global.store %x, %Y[%tt, %i1, %j1] : tensor<8x64xbf16, #pairs>, !titan.global<?x8x64xbf16>, tensor<8x64xi32, #pairs>, tensor<8x64xi32, #pairs>, tensor<8x64xi32, #pairs>
    titan.cta_sync // @read
  }
  titan.return
}

// Each thread reads what it has stored.
titan.kernel @own(%X: !t, %Y: !t) warps(2) attributes {titan.target = "sm_90a", // @kernel
  titan.example = {X = "8x64 zeros", Y = "8x64 zeros"}} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  titan.warp_specialize {
    titan.partition "store" warps(2) {
      %i = titan.coordinate 0 : tensor<8x64xi32, #rows>
      %j = titan.coordinate 1 : tensor<8x64xi32, #rows>
      %one = arith.constant 1.0 : bf16
      %v = titan.splat %one : bf16 -> tensor<8x64xbf16, #rows>
      titan.global.store %v, %X[%i, %j] : tensor<8x64xbf16, #rows>, !t, tensor<8x64xi32, #rows>, tensor<8x64xi32, #rows> // @apart
      %k = titan.coordinate 0 : tensor<8x64xi32, #rows>
      %l = titan.coordinate 1 : tensor<8x64xi32, #rows>
      %x = titan.global.load %X[%k, %l] : !t, tensor<8x64xi32, #rows>, tensor<8x64xi32, #rows> -> tensor<8x64xbf16, #rows>
      titan.global.store %x, %Y[%k, %l] : tensor<8x64xbf16, #rows>, !t, tensor<8x64xi32, #rows>, tensor<8x64xi32, #rows>
    }
  }
  titan.return
}
