// Threads are the target's: on gfx942 a warp is a wave of 64 lanes, in tiles, in how often an atomic counts,
// and in who must be ordered.
//
// Four waves store a tile to LDS, and each lane reads its own part back.
//
// RUN: titan check %s
// RUN: titan run %s --schedule lazy | FileCheck %s --check-prefix=GOOD
// RUN: titan run %s --schedule random:1 --hazards=off | FileCheck %s --check-prefix=GOOD
// GOOD: D (64x64xf32): 4096 elements equal to the reference, bit for bit
// Each of the 64 lanes adds one.
// GOOD: C (4xf32): 4 elements equal to the reference, bit for bit
// Another wave's part, and nothing between.
// VARIANT others: replace part with %got = titan.shared.load %tile : !tile -> tensor<64x64xf32, #columns>
// VARIANT others: replace sum with %sum = titan.splat %f1 : f32 -> !reg
// RUN: %variant others %s | not titan run - 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: [race]
// A layout of 32 lanes is no wave's.
// VARIANT half: replace layout with #rows = #titan.blocked<elements = [1, 4], lanes = [2, 16], warps = [4, 1]>
// RUN: %variant half %s | not titan run - 2>&1 | FileCheck %s --check-prefix=LANES
// LANES: lanes

#rows = #titan.blocked<elements = [1, 4], lanes = [4, 16], warps = [4, 1]> // @layout
#columns = #titan.blocked<elements = [1, 4], lanes = [16, 4], warps = [1, 4]>
!matrix = !titan.global<64x64xf32>
!counts = !titan.global<4xf32>
!tile = !titan.shared<64x64xf32>
!index = tensor<64x64xi32, #rows>
!reg = tensor<64x64xf32, #rows>

titan.kernel @waves(%A: !matrix, %D: !matrix, %C: !counts) warps(4) attributes {
  titan.target = "gfx942",
  titan.example = {A = "64x64 ints:1", D = "64x64", C = "4 zeros"},
  titan.reference = @waves_reference
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %f1 = arith.constant 1.0 : f32
  %tile = titan.shared.alloc : !tile
  %i = titan.coordinate 0 : !index
  %j = titan.coordinate 1 : !index
  %v = titan.global.load %A[%i, %j] : !matrix, !index, !index -> !reg
  titan.shared.store %v, %tile : !reg, !tile
  %got = titan.shared.load %tile : !tile -> !reg // @part
  %sum = arith.addf %got, %got : !reg // @sum
  titan.global.store %sum, %D[%i, %j] : !reg, !matrix, !index, !index
  %wave = titan.warp_id
  %at = arith.index_cast %wave : i32 to index
  titan.atom add %f1, %C[%at] sem(relaxed) scope(gpu) : f32, !counts -> f32
  titan.return
}

func.func private @waves_reference(%A: memref<64x64xf32> {titan.input = "A"},
                                   %D: memref<64x64xf32> {titan.expected = "D"},
                                   %C: memref<4xf32> {titan.expected = "C"}) {
  linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<64x64xf32>) outs(%D : memref<64x64xf32>) {
  ^bb0(%a: f32, %d: f32):
    %twice = arith.addf %a, %a : f32
    linalg.yield %twice : f32
  }
  %lanes = arith.constant 64.0 : f32
  linalg.fill ins(%lanes : f32) outs(%C : memref<4xf32>)
  return
}
