// A loop that asks a barrier until it says yes is a wait: to the checker, in runs and in PTX.
// RUN: titan check %s | FileCheck %s --check-prefix=GOOD
// GOOD: @polls: accepted: 0 errors
// RUN: titan run %s | FileCheck %s --check-prefix=RUNS
// RUNS: verified
// RUN: titan compile %s --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// PTX-NOT: test_wait
// PTX-COUNT-3: mbarrier.try_wait.parity
// PTX-NOT: test_wait
//
// The parity of the phase before: the wait is over at once, or never.
// VARIANT parity: in second `parity(%i1)` -> `parity(%i0)`
// RUN: %variant parity %s | not titan check - 2>&1 | FileCheck %s --check-prefix=PARITY
// PARITY: error: [
// Nobody arrives.
// VARIANT nobody: drop arrive
// RUN: %variant nobody %s | not titan check - 2>&1 | FileCheck %s --check-prefix=NOBODY
// NOBODY: error: [deadlock]
// It does something meanwhile: how often, the schedule decides.
// VARIANT meanwhile: after second add titan.atom add %i1, %Y[%c0] : i32, !vector -> i32
// RUN: %variant meanwhile %s | not titan check - 2>&1 | FileCheck %s --check-prefix=MEANWHILE
// MEANWHILE: error: [undecided] how often this loop runs depends on the schedule, by 'titan.mbarrier.test_wait'
// MEANWHILE: fix: a loop that asks the barrier and does nothing else is a wait

!bar = !titan.mbarrier
!vector = !titan.global<?xi32>

func.func private @reference(%Y: memref<?xi32> {titan.expected = "Y"}) {
  %seven = arith.constant 7 : i32
  linalg.fill ins(%seven : i32) outs(%Y : memref<?xi32>)
  return
}

titan.kernel @polls(%Y: !vector) warps(2) attributes {
  titan.example = {Y = "1"}, titan.reference = @reference
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i7 = arith.constant 7 : i32
  %true = arith.constant true
  %bar = titan.mbarrier.alloc : !bar
  %box = titan.shared.alloc : !titan.shared<1xi32>
  titan.elect warp(0) {
    titan.mbarrier.init %bar count(2) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "post" warps(1) {
      titan.elect {
        titan.mbarrier.arrive %bar : !bar
        scf.while : () -> () {
          %done = titan.mbarrier.test_wait %bar parity(%i0) : !bar
          %not = arith.xori %done, %true : i1
          scf.condition(%not)
        } do {
          scf.yield
        }
        titan.st %i7, %box[%c0] : i32, !titan.shared<1xi32>
        titan.mbarrier.arrive %bar : !bar // @arrive
      }
    }
    titan.partition "read" warps(1) {
      titan.elect {
        titan.mbarrier.arrive %bar : !bar
        titan.mbarrier.wait %bar parity(%i0) : !bar
        titan.mbarrier.arrive %bar : !bar
        scf.while : () -> () {
          %done = titan.mbarrier.test_wait %bar parity(%i1) : !bar // @second
          %no = arith.constant false
          %not = arith.cmpi eq, %done, %no : i1
          scf.condition(%not)
        } do {
          scf.yield
        }
        %seven = titan.ld %box[%c0] : !titan.shared<1xi32> -> i32
        titan.st %seven, %Y[%c0] : i32, !vector
      }
    }
  }
  titan.return
}
