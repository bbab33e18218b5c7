// A kernel that is launched programmatically touches what earlier grids may write behind
// its wait for them (MM-85).
// RUN: titan check %s | FileCheck %s --check-prefix=GOOD
// GOOD: @after: accepted
// RUN: titan run %s | FileCheck %s --check-prefix=RUNS
// RUNS: verified
// RUN: titan compile --emit=ptx %s -o - | FileCheck %s --check-prefix=PTX
// PTX: griddepcontrol.wait;
// PTX: griddepcontrol.launch_dependents;
// RUN: titan compile --emit=manifest %s -o - | FileCheck %s --check-prefix=MANIFEST
// MANIFEST: "programmatic":true
//
// The wait is missing.
// VARIANT none: drop wait
// RUN: %variant none %s | not titan check - 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: [grid-dependency] 'titan.global.load' of warp 0 touches %X, and no titan.griddepcontrol.wait
//
// It comes too late.
// VARIANT late: drop wait
// VARIANT late: after load add titan.griddepcontrol.wait
// RUN: %variant late %s | not titan check - 2>&1 | FileCheck %s --check-prefix=NONE
//
// One warp has waited, the other not; a barrier behind the wait is enough.
// VARIANT elected: replace wait with titan.elect warp(0) { titan.griddepcontrol.wait }
// RUN: %variant elected %s | not titan check - 2>&1 | FileCheck %s --check-prefix=ELECTED
// ELECTED: error: [grid-dependency]
// VARIANT barrier: as elected
// VARIANT barrier: before load add titan.cta_sync
// RUN: %variant barrier %s | titan check - | FileCheck %s --check-prefix=GOOD
//
// Nobody writes W: it may be read before. To write it is another thing.
// VARIANT write: before wait add titan.global.store %w, %W[%i, %j] : !tile, !matrix, !index, !index
// RUN: %variant write %s | not titan check - 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE: error: [grid-dependency] 'titan.global.store' of warp 0 touches %W
//
// Launched as usual, nothing is asked.
// VARIANT usual: replace program with titan.example = {X = "8x16 ints:1", W = "8x16 ints:2", Y = "8x16"},
// VARIANT usual: drop wait
// RUN: %variant usual %s | titan check - | FileCheck %s --check-prefix=GOOD

#row = #titan.blocked<elements = [1, 2], lanes = [4, 8], warps = [2, 1]>
!tile = tensor<8x16xf32, #row>
!index = tensor<8x16xi32, #row>
!matrix = !titan.global<?x?xf32>

func.func private @reference(%X: memref<?x?xf32> {titan.input = "X"}, %W: memref<?x?xf32> {titan.input = "W"},
                             %Y: memref<?x?xf32> {titan.expected = "Y"}) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%X, %W : memref<?x?xf32>, memref<?x?xf32>) outs(%Y : memref<?x?xf32>) {
  ^bb0(%x: f32, %w: f32, %y: f32):
    %s = arith.addf %x, %w : f32
    linalg.yield %s : f32
  }
  return
}

titan.kernel @after(%X: !matrix, %W: !matrix, %Y: !matrix) warps(2) attributes {
  titan.programmatic = ["W"], titan.example = {X = "8x16 ints:1", W = "8x16 ints:2", Y = "8x16"}, // @program
  titan.reference = @reference
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i = titan.coordinate 0 : !index
  %j = titan.coordinate 1 : !index
  %w = titan.global.load %W[%i, %j] : !matrix, !index, !index -> !tile
  titan.griddepcontrol.wait // @wait
  %x = titan.global.load %X[%i, %j] : !matrix, !index, !index -> !tile // @load
  %s = arith.addf %x, %w : !tile
  titan.griddepcontrol.launch_dependents
  titan.global.store %s, %Y[%i, %j] : !tile, !matrix, !index, !index
  titan.return
}
