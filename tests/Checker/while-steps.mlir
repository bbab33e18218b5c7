// An scf.while may count by a step that no scf.for goes by; it stays one, and a run takes it as it is.
//
// RUN: titan run %s --kernel none --out Y=%t.none.npy
// RUN: %python -c "import struct; print(struct.unpack('<i', open(r'%t.none.npy', 'rb').read()[-4:]))" | FileCheck %s --check-prefix=NONE
// NONE: (1,)
// RUN: titan run %s --kernel big --out Y=%t.big.npy
// RUN: %python -c "import struct; print(struct.unpack('<i', open(r'%t.big.npy', 'rb').read()[-4:]))" | FileCheck %s --check-prefix=BIG
// BIG: (200,)
// So is it compiled: the number that it ends with is added, and not folded to the first one.
// RUN: titan compile --check=off %s --kernel big --emit=llvm -o - | FileCheck %s --check-prefix=LLVM
// LLVM: {{icmp ult i8|i32 200}}
// RUN: titan check %s | FileCheck %s --check-prefix=CHECK
// CHECK: @none: accepted
// CHECK: @big: accepted

!data = !titan.global<1xi32>

titan.kernel @none(%Y: !data) warps(1) attributes {titan.example = {Y = "1 zeros"}} launch {
  %g = arith.constant 1 : index
  titan.launch grid(%g)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %m1 = arith.constant -1 : i32
  %last = scf.while (%i = %i1) : (i32) -> i32 {
    %more = arith.cmpi slt, %i, %i0 : i32
    scf.condition(%more) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.addi %i, %m1 : i32
    scf.yield %next : i32
  }
  titan.elect warp(0) {
    titan.st %last, %Y[%c0] : i32, !data
  }
  titan.return
}

titan.kernel @big(%Y: !data) warps(1) attributes {titan.example = {Y = "1 zeros"}} launch {
  %g = arith.constant 1 : index
  titan.launch grid(%g)
} body() {
  %c0 = arith.constant 0 : index
  %b0 = arith.constant 0 : i8
  %b200 = arith.constant -56 : i8
  %last = scf.while (%i = %b0) : (i8) -> i8 {
    %more = arith.cmpi ult, %i, %b200 : i8
    scf.condition(%more) %i : i8
  } do {
  ^bb0(%i: i8):
    %next = arith.addi %i, %b200 : i8
    scf.yield %next : i8
  }
  %wide = arith.extui %last : i8 to i32
  titan.elect warp(0) {
    titan.st %wide, %Y[%c0] : i32, !data
  }
  titan.return
}
