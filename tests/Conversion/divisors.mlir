// Which powers of two divide an index is asked of one table, of scalars and of tiles (TrailingZeros.h): a row that is
// computed by a quotient is aligned, too, and four elements are moved at once.
//
// RUN: titan compile --check=off --emit=ptx %s -o - | FileCheck %s

#rows = #titan.blocked<elements = [1, 4], lanes = [8, 4], warps = [1, 1]>
!line = !titan.global<?xf32>
!index = tensor<8x16xi32, #rows>
!tile = tensor<8x16xf32, #rows>

// CHECK-LABEL: .entry halves
titan.kernel @halves(%A: !line, %B: !line) warps(1) attributes {titan.alignment = {A = 16, B = 16}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c32 = arith.constant dense<32> : !index
  %c2 = arith.constant dense<2> : !index
  %i = titan.coordinate 0 : !index
  %j = titan.coordinate 1 : !index
  %twice = arith.muli %i, %c32 : !index
  %row = arith.divui %twice, %c2 : !index
  %at = arith.addi %row, %j : !index
  // CHECK: ld.global.v4.b32
  // CHECK-NOT: ld.global
  %x = titan.global.load %A[%at] : !line, !index -> !tile
  // CHECK: st.global.v4.b32
  // CHECK-NOT: st.global
  titan.global.store %x, %B[%at] : !tile, !line, !index
  // CHECK: ret;
  titan.return
}

// A quarter of 8 is 2: of those two elements lie side by side, and four do not.
// CHECK-LABEL: .entry quarters
titan.kernel @quarters(%A: !line, %B: !line) warps(1) attributes {titan.alignment = {A = 16, B = 16}} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c8 = arith.constant dense<8> : !index
  %c4 = arith.constant dense<4> : !index
  %i = titan.coordinate 0 : !index
  %j = titan.coordinate 1 : !index
  %more = arith.muli %i, %c8 : !index
  %row = arith.divui %more, %c4 : !index
  %at = arith.addi %row, %j : !index
  // CHECK-COUNT-2: ld.global.v2.b32
  // CHECK-NOT: ld.global
  %x = titan.global.load %A[%at] : !line, !index -> !tile
  // CHECK-COUNT-2: st.global.v2.b32
  // CHECK-NOT: st.global
  titan.global.store %x, %B[%at] : !tile, !line, !index
  // CHECK: ret;
  titan.return
}
