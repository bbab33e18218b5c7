// MM-3: a product that adds to registers which hold nothing reads what nobody wrote.
//
// RUN: titan check %s
// VARIANT always: replace adds with %adds = arith.constant true
// RUN: %variant always %s | not titan check - 2>&1 | FileCheck %s
// VARIANT from_the_first_on: replace adds with %adds = arith.cmpi uge, %s, %c0 : index
// RUN: %variant from_the_first_on %s | not titan check - 2>&1 | FileCheck %s
// CHECK: error: [undefined-read] this product adds to registers that hold nothing yet
// With sums that a tile has handed over.
// VARIANT to_a_tile: replace none with %none = titan.inflight.start %zero : !sums -> !flight
// VARIANT to_a_tile: as always
// RUN: %variant to_a_tile %s | titan check -

!global = !titan.global<64x?xbf16>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
#acc    = #titan.wgmma<1, 1>
!flight = !titan.inflight<tensor<64x64xf32, #acc>>
!sums   = tensor<64x64xf32, #acc>

titan.kernel @sum(%A: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %k = titan.dim %A, 1 : !global
  %steps = arith.ceildivui %k, %c64 : index
  titan.launch grid(%c1) with(%steps : index)
} body(%steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : bf16
  %f0 = arith.constant 0.0 : f32
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %a : !reg, !tile
  titan.shared.store %v, %b : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  %zero = titan.splat %f0 : f32 -> !sums
  %none = titan.inflight.none : !flight // @none
  %sum = scf.for %s = %c0 to %steps step %c1 iter_args(%before = %none) -> (!flight) {
    %adds = arith.cmpi ne, %s, %c0 : index // @adds
    titan.mma.fence
    %after = titan.mma %a, %b, %before accumulate(%adds) : !tile, !tile, !flight -> !flight
    %group = titan.mma.commit : !titan.token<mma>
    titan.mma.wait %group : !titan.token<mma>
    scf.yield %after : !flight
  }
  titan.return
}
