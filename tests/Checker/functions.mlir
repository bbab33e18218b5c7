// Two warps share one text. What is wrong in a function is told at its place, and at
// that of the call.
// RUN: titan check %s | FileCheck %s --check-prefix=GOOD
// GOOD: @shared: accepted
// RUN: titan run %s | FileCheck %s --check-prefix=RUNS
// RUNS: verified
//
// RUN: titan compile --emit=ptx %s -o - | FileCheck %s --check-prefix=PTX
// PTX-NOT: call
//
// The barrier behind the store is missing.
// VARIANT race: drop sync
// RUN: %variant race %s | not titan check - 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: <stdin>:[[#STORE:]]:{{[0-9]+}}: error: [race] 'titan.shared.store'
// RACE: called from
// VARIANT recursion: before store add func.call @put(%value, %to) : (!tile, !view) -> ()
// RUN: %variant recursion %s | not titan run - 2>&1 | FileCheck %s --check-prefix=RECURSION
// RECURSION: error: [function-recursion] @put calls itself

#row = #titan.blocked<elements = [1, 2], lanes = [4, 8], warps = [1, 1]>
!tile = tensor<4x16xf32, #row>
!index = tensor<4x16xi32, #row>
!view = !titan.shared<4x16xf32>
!matrix = !titan.global<?x?xf32>

func.func private @put(%value: !tile, %to: !view) {
  titan.shared.store %value, %to : !tile, !view // @store
  return
}

func.func private @reference(%Y: memref<?x?xf64> {titan.expected = "Y"}) {
  %two = arith.constant 2.0 : f64
  linalg.fill ins(%two : f64) outs(%Y : memref<?x?xf64>)
  return
}

titan.kernel @shared(%Y: !matrix) warps(2) attributes {
  titan.example = {Y = "4x16"}, titan.reference = @reference
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %a = titan.shared.alloc : !view
  %b = titan.shared.alloc : !view
  titan.warp_specialize {
    titan.partition "left" warps(1) {
      %two = arith.constant dense<2.0> : !tile
      func.call @put(%two, %a) : (!tile, !view) -> ()
      titan.barrier.sync 1 threads(64) // @sync
      %i = titan.coordinate 0 : !index
      %j = titan.coordinate 1 : !index
      %x = titan.shared.load %b : !view -> !tile
      titan.global.store %x, %Y[%i, %j] : !tile, !matrix, !index, !index
    }
    titan.partition "right" warps(1) {
      %two = arith.constant dense<2.0> : !tile
      func.call @put(%two, %b) : (!tile, !view) -> ()
      titan.barrier.sync 1 threads(64)
    }
  }
  titan.return
}
