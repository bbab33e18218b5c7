// What lies at an address the checker does not know: neither that nothing else is there, nor how much. It says so, of
// the search and of the proof, and checks the rest.
// RUN: not titan check %s 2>&1 | FileCheck %s
// CHECK: addresses.mlir:[[# @LINE + 24]]:{{.*}} error: [undecided] the checker does not follow which memory an access by an address touches; the rest of the kernel is checked
// CHECK: fix: let the tensor be an argument
// CHECK: @kernel: cannot decide: 1 error,
// RUN: titan check %s --undecided=warning 2>&1 | FileCheck %s --check-prefix=WARNED
// WARNED: warning: [undecided] the checker does not follow which memory an access by an address touches
// WARNED: which tensor this touches is not followed
// WARNED-NOT: proved, for every size

// A mistake elsewhere is seen: each warp of a CTA stores to one element.
// RUN: sed 's/titan.elect warp(0)/titan.elect/' %s | not titan check - 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: [race]

!addresses = !titan.global<?xi64>
!numbers = !titan.global<?xi32>

titan.kernel @kernel(%at: !addresses, %to: !numbers) warps(2) launch {
  %n = titan.dim %at, 0 : !addresses
  titan.launch grid(%n)
} body() {
  %cta = titan.cta_id 0
  %c0 = arith.constant 0 : index
  %address = titan.ld %at[%cta] : !addresses -> i64
  %there = titan.tensor_at %address : !numbers
  titan.elect warp(0) {
    %x = titan.ld %there[%c0] : !numbers -> i32
    titan.st %x, %to[%cta] : i32, !numbers
  }
  titan.return
}
