// --redundant, of functions that kernels share, and of what is not accepted.
//
// @stores needs the fence, @loads does not: it orders something, whichever of them is asked about.
// RUN: titan check %s --redundant | FileCheck %s --check-prefix=BOTH --implicit-check-not=orders-nothing
// BOTH: @stores: 0 of 3 fences and waits order nothing
// BOTH: @loads: 0 of 2 fences and waits order nothing
// RUN: titan check %s --redundant --kernel loads | FileCheck %s --check-prefix=ONE --implicit-check-not=orders-nothing
// ONE: @loads: 0 of 2 fences and waits order nothing
// Without the other kernel it is listed, and so is one that none of them needs.
// VARIANT nobody: in STORE `titan.bulk.store %tile, %Y[%c0] : !tile, !data` -> `%x = titan.ld %tile[%c0] : !tile -> f32`
// VARIANT nobody: after STORE add titan.st %x, %Y[%c0] : f32, !data
// VARIANT nobody: drop COMMIT
// VARIANT nobody: drop WAIT
// RUN: %variant nobody %s | titan check - --redundant 2>&1 | FileCheck %s --check-prefix=NOBODY
// NOBODY-DAG: [orders-nothing] 'titan.fence.proxy_async' of @stores orders nothing
// NOBODY-DAG: [orders-nothing] 'titan.fence.proxy_async' of @loads orders nothing
// NOBODY: @loads: 1 of 2 fences and waits order nothing
//
// Behind an error the search need not have looked: a wait there is not said to order nothing. Other kernels are asked all the same.
// VARIANT refused: before WAIT add titan.mma.fence
// RUN: %variant refused %s | not titan check - --redundant 2>&1 | FileCheck %s --check-prefix=REFUSED --implicit-check-not=orders-nothing
// REFUSED: error: [issue-cardinality]
// REFUSED: @stores: not accepted as it is: what orders nothing is not asked
// REFUSED: @loads: 0 of 2 fences and waits order nothing

!data = !titan.global<32xf32>
!tile = !titan.shared<32xf32>
!reg = tensor<32xf32, #titan.layout<"lane: 32*i1">>

func.func private @publish(%tile: !tile) {
  %v = arith.constant dense<1.0> : !reg
  titan.shared.store %v, %tile : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.syncwarp
  return
}

titan.kernel @stores(%Y: !data) warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %tile = titan.shared.alloc : !tile
  func.call @publish(%tile) : (!tile) -> ()
  titan.elect {
    titan.bulk.store %tile, %Y[%c0] : !tile, !data // @STORE
    %g = titan.bulk.commit : !titan.token<bulk> // @COMMIT
    titan.bulk.wait %g : !titan.token<bulk> // @WAIT
  }
  titan.return
}

titan.kernel @loads(%Y: !data) warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %tile = titan.shared.alloc : !tile
  func.call @publish(%tile) : (!tile) -> ()
  titan.elect {
    %x = titan.ld %tile[%c0] : !tile -> f32
    titan.st %x, %Y[%c0] : f32, !data
  }
  titan.return
}
