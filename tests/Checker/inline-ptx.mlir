// What a text of PTX does, the checker knows from its declaration.
// RUN: titan check %s | FileCheck %s --check-prefix=GOOD
// GOOD: @texts: accepted
// RUN: titan run %s | FileCheck %s --check-prefix=RUNS
// RUNS: verified
// RUN: titan compile --emit=ptx %s -o - | FileCheck %s --check-prefix=PTX
// PTX: rcp.approx.ftz.f32
// PTX: rcp.approx.ftz.f32
//
// An index is 64 bits.
// VARIANT index: before text add titan.inline_ptx "{ .reg .b64 at; add.u64 at, $0, $1; prefetch.global.L2 [at]; }"(%Y, %next) does [#titan.ptx<read 0>] : (!matrix, index) -> ()
// VARIANT index: before text add %next = titan.inline_ptx "add.u64 $0, $1, 1;"(%n) pure : (index) -> index
// VARIANT index: before text add %n = arith.constant 5 : index
// RUN: %variant index %s | titan compile --check=off --emit=ptx - -o - | FileCheck %s --check-prefix=INDEX
// INDEX: add.u64 [[N:%rd[0-9]+]], %rd{{[0-9]+}}, 1;
// INDEX: add.u64 at, %rd{{[0-9]+}}, [[N]]; prefetch.global.L2 [at];
//
// What nobody declares nobody follows; a run does not execute it.
// VARIANT opaque: before out add titan.inline_ptx "nanosleep.u32 100;"() opaque : () -> ()
// RUN: %variant opaque %s | not titan check - 2>&1 | FileCheck %s --check-prefix=OPAQUE
// OPAQUE: error: [undecided] the checker does not follow what a text of PTX does that is opaque; the rest of the kernel is checked
// RUN: %variant opaque %s | not titan run - 2>&1 | FileCheck %s --check-prefix=UNSEEN
// UNSEEN: error: [not-supported-yet] 'titan.inline_ptx' cannot be simulated yet: what the text does is opaque
//
// A declaration says which tensor, and not which of its elements.
// VARIANT tensor: before out add titan.inline_ptx "prefetch.global.L2 [$0];"(%Y) does [#titan.ptx<read 0>] : (!matrix) -> ()
// RUN: %variant tensor %s | not titan check - 2>&1 | FileCheck %s --check-prefix=TENSOR
// TENSOR: error: [undecided] the checker does not follow which elements of a tensor a text of PTX touches; the rest of the kernel is checked
//
// A declared store races with what reads behind it, in the other warp, without a barrier.
// VARIANT race: before out add titan.inline_ptx "st.shared.f32 [$0], $1;"(%a, %one) does [#titan.ptx<write 0>] : (!view, f32) -> ()
// VARIANT race: before out add %seen = titan.shared.load %a : !view -> !tile
// RUN: %variant race %s | not titan check - 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: [race]
//
// A reference that does not fit.
// VARIANT types: replace text with %y = titan.inline_ptx "rcp.approx.ftz.f32 $0, $1;"(%x) pure reference(@half) : (!tile) -> !tile
// RUN: %variant types %s | not titan run - 2>&1 | FileCheck %s --check-prefix=TYPES
// RUN: %variant types %s | not titan check - 2>&1 | FileCheck %s --check-prefix=TYPES
// TYPES: error: {{.*}}[inline-ptx-reference] @half: takes and returns the types of the text's elements
// TYPES: fix: declare it as '{{.*}}', not '{{.*}}'
// VARIANT missing: replace text with %y = titan.inline_ptx "rcp.approx.ftz.f32 $0, $1;"(%x) pure : (!tile) -> !tile
// RUN: %variant missing %s | not titan run - 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: [not-supported-yet] 'titan.inline_ptx' cannot be simulated yet: name a func.func that computes it

#row = #titan.blocked<elements = [1, 2], lanes = [4, 8], warps = [2, 1]>
!tile = tensor<8x16xf32, #row>
!index = tensor<8x16xi32, #row>
!matrix = !titan.global<?x?xf32>
!view = !titan.shared<8x16xf32>

func.func private @inverse(%x: f32, %scale: f32) -> f32 {
  %y = arith.divf %scale, %x : f32
  return %y : f32
}
func.func private @half(%x: f16) -> f16 {
  return %x : f16
}

func.func private @reference(%X: memref<?x?xf32> {titan.input = "X"}, %Y: memref<?x?xf32> {titan.expected = "Y"}) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%X : memref<?x?xf32>) outs(%Y : memref<?x?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %one = arith.constant 1.0 : f32
    %i = arith.divf %one, %x : f32
    linalg.yield %i : f32
  }
  return
}

titan.kernel @texts(%X: !matrix, %Y: !matrix) warps(2) attributes {
  titan.example = {X = "8x16 random:1", Y = "8x16"}, titan.reference = @reference
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %a = titan.shared.alloc : !view
  %one = arith.constant 1.0 : f32
  %i = titan.coordinate 0 : !index
  %j = titan.coordinate 1 : !index
  %x = titan.global.load %X[%i, %j] : !matrix, !index, !index -> !tile
  %y = titan.inline_ptx "{ .reg .f32 t; rcp.approx.ftz.f32 t, $1; mul.f32 $0, t, $2; }"(%x, %one) pure reference(@inverse) : (!tile, f32) -> !tile // @text
  titan.global.store %y, %Y[%i, %j] : !tile, !matrix, !index, !index // @out
  titan.return
}
