// MM-2: strong accesses race where they are of different widths: of part of what the other one touches at once.
//
// RUN: titan check %s
// RUN: titan run %s
// VARIANT byte: in load `%word[%c0]` -> `%bytes[%c0]`
// VARIANT byte: in load `!word -> i32` -> `!bytes -> i8`
// RUN: %variant byte %s | not titan check - 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: %variant byte %s | not titan run - 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: [race]

!word = !titan.shared<1xi32>
!bytes = !titan.shared<4xi8>

titan.kernel @widths() warps(2) attributes {titan.target = "sm_90a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %word = titan.shared.alloc : !word
  %bytes = titan.shared.reuse %word : !word -> !bytes
  titan.elect warp(0) {
    titan.st %i0, %word[%c0] : i32, !word
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.st %i1, %word[%c0] sem(relaxed) scope(cta) : i32, !word
  }
  titan.elect warp(1) {
    %x = titan.ld %word[%c0] sem(relaxed) scope(cta) : !word -> i32 // @load
  }
  titan.return
}
