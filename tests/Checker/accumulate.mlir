// MM-3: a product that adds to registers which hold nothing reads what nobody wrote.
//
// RUN: titan check %s
// VARIANT always: replace adds with %adds = arith.constant true
// RUN: %variant always %s | not titan check - 2>&1 | FileCheck %s
// VARIANT from_the_first_on: replace adds with %adds = arith.cmpi uge, %s, %c0 : index
// RUN: %variant from_the_first_on %s | not titan check - 2>&1 | FileCheck %s
// CHECK: error: [undefined-read] this product adds to registers that hold nothing yet
// CHECK: fix: say accumulate(%more) with a flag that is false in the first iteration
// With sums that a tile has handed over.
// VARIANT to_a_tile: replace none with %none = titan.inflight.start %zero : !sums -> !flight
// VARIANT to_a_tile: as always
// RUN: %variant to_a_tile %s | titan check -
// Nor do registers whose loop of products has no iterations hold anything.
// VARIANT result: before end add %out = titan.mma.result %sum : !flight -> !sums
// RUN: %variant result %s | not titan check - 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT: error: [undefined-read] no product has written these registers: they hold nothing (A[1] is 0)
// RESULT: fix: begin with titan.inflight.start of a tile of zeros, or let titan.require see to it that a product comes
// VARIANT result_of_a_tile: as result
// VARIANT result_of_a_tile: replace none with %none = titan.inflight.start %zero : !sums -> !flight
// RUN: %variant result_of_a_tile %s | titan check -
// VARIANT required: as result
// VARIANT required: after steps add %some = arith.cmpi ne, %k, %c0 : index
// VARIANT required: after steps add titan.require %some, "assert-failed", "K is 0"
// RUN: %variant required %s | titan check -

!global = !titan.global<64x?xbf16>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
#acc    = #titan.wgmma<1, 1>
!flight = !titan.inflight<tensor<64x64xf32, #acc>>
!sums   = tensor<64x64xf32, #acc>

titan.kernel @sum(%A: !global) warps(4) launch {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %k = titan.dim %A, 1 : !global
  %steps = arith.ceildivui %k, %c64 : index // @steps
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
  titan.return // @end
}
