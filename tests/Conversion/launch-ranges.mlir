// What a launch makes sure of bounds what it passes: sizes are 0 or more, a tensor map's
// at most 2^32, and titan.require says more. In 32 bits is then what that proves to fit.
// RUN: titan compile --check=off %s --emit=llvm -o - | FileCheck %s --check-prefix=LLVM
// RUN: titan compile --check=off %s --emit=ptx -o - | FileCheck %s --check-prefix=PTX

!matrix = !titan.global<?x?xi32>
!map = !titan.tensor_map<32x32xi32, swizzle = 128>
!tile = !titan.shared<32x32xi32, swizzle = 128>

// Steps of 32 over at most 2^32 elements: 2^27 of them.
// LLVM-LABEL: define ptx_kernel void @steps_of_a_map(
// LLVM-SAME: i64 range(i64 0, 134217729) %
// PTX-LABEL: .entry steps_of_a_map(
// PTX-NOT: add.s64
// PTX: setp.{{..}}.b32
// PTX-NOT: add.s64
titan.kernel @steps_of_a_map(%X: !matrix) warps(1) launch {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %map = titan.tensor_map %X : !matrix -> !map
  %m = titan.dim %X, 0 : !matrix
  %steps = arith.ceildivui %m, %c32 : index
  titan.launch grid(%c1) with(%map, %steps : !map, index)
} body(%map: !map, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %tile = titan.shared.alloc : !tile
  scf.for %i = %c0 to %steps step %c1 {
    %row = arith.muli %i, %c32 : index
    titan.elect warp(0) {
      titan.tma.store %tile, %map[%row, %c0] : !tile, !map
      %group = titan.bulk.commit : !titan.token<bulk>
      titan.bulk.wait %group read : !titan.token<bulk>
    }
  }
  titan.return
}

// A division of what a launch check bounds is one of 32 bits; its twin, without the
// check, asks for 64.
// LLVM-LABEL: define ptx_kernel void @required(
// LLVM-SAME: i64 range(i64 0, 2147483648) %{{[0-9]+}}, i64 range(i64 1, 1001)
// LLVM: udiv i32
// PTX-LABEL: .entry required(
// PTX-NOT: div.{{[us]}}64
// PTX: div.u32
titan.kernel @required(%X: !matrix) warps(1) launch {
  %c1 = arith.constant 1 : index
  %most = arith.constant 2147483647 : index
  %c1000 = arith.constant 1000 : index
  %m = titan.dim %X, 0 : !matrix
  %n = titan.dim %X, 1 : !matrix
  %tiles = arith.muli %m, %n : index
  %few = arith.cmpi ule, %tiles, %most : index
  titan.require %few, "launch-check", "at most 2^31 - 1 tiles"
  %some = arith.cmpi sge, %n, %c1 : index
  %not_many = arith.cmpi sge, %c1000, %n : index
  %both = arith.andi %some, %not_many : i1
  titan.require %both, "launch-check", "1 to 1000 columns"
  titan.launch grid(%c1) with(%tiles, %n : index, index)
} body(%tiles: index, %n: index) {
  %row = arith.divui %tiles, %n : index
  titan.print "row", %row : index
  titan.return
}

// LLVM-LABEL: define ptx_kernel void @not_required(
// LLVM-SAME: i64 range(i64 0, -9223372036854775808) %{{[0-9]+}}, i64 range(i64 0, -9223372036854775808)
// PTX-LABEL: .entry not_required(
// PTX: div.u64
titan.kernel @not_required(%X: !matrix) warps(1) launch {
  %c1 = arith.constant 1 : index
  %m = titan.dim %X, 0 : !matrix
  %n = titan.dim %X, 1 : !matrix
  %tiles = arith.muli %m, %n : index
  titan.launch grid(%c1) with(%tiles, %n : index, index)
} body(%tiles: index, %n: index) {
  %row = arith.divui %tiles, %n : index
  titan.print "row", %row : index
  titan.return
}

// Of checks that no launch satisfies the second one adds nothing.
// LLVM-LABEL: define ptx_kernel void @never(
// LLVM-SAME: i64 range(i64 -9223372036854775807, 1) %
titan.kernel @never(%X: !matrix, %s: i64) warps(1) launch {
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %index = arith.index_cast %s : i64 to index
  %t = arith.addi %index, %c1 : index
  %low = arith.cmpi slt, %t, %c1 : index
  %high = arith.cmpi sgt, %t, %c9 : index
  titan.require %low, "launch-check", "below 1"
  titan.require %high, "launch-check", "above 9"
  titan.launch grid(%c1) with(%t : index)
} body(%t: index) {
  titan.print "t", %t : index
  titan.return
}

// Compared as an unsigned number a negative one is large: it is above 17, and not below 18.
// LLVM-LABEL: define ptx_kernel void @unsigned(
// LLVM-SAME: i64 %{{[0-9]+}}, i64 range(i64 0, 18) %
titan.kernel @unsigned(%s: i64, %t: i64) warps(1) launch {
  %c1 = arith.constant 1 : index
  %c17 = arith.constant 17 : i64
  %above = arith.cmpi ugt, %s, %c17 : i64
  titan.require %above, "launch-check", "above 17"
  %x = arith.maxsi %s, %s : i64
  %y = arith.maxsi %t, %t : i64
  %low = arith.cmpi ule, %y, %c17 : i64
  titan.require %low, "launch-check", "0 to 17"
  %high = arith.cmpi ugt, %x, %c17 : i64
  titan.require %high, "launch-check", "above 17"
  titan.launch grid(%c1) with(%x, %y : i64, i64)
} body(%x: i64, %y: i64) {
  titan.print "x", %x : i64
  titan.print "y", %y : i64
  titan.return
}

// A sum that overflows in each launch is no divisor.
// LLVM-LABEL: define ptx_kernel void @overflows(
// LLVM-SAME: i64 %
titan.kernel @overflows() warps(1) launch {
  %c1 = arith.constant 1 : index
  %most = arith.constant 9223372036854775807 : i64
  %sum = arith.addi %most, %most : i64
  %rest = arith.remsi %most, %sum : i64
  %quotient = arith.floordivsi %most, %rest : i64
  titan.launch grid(%c1) with(%quotient : i64)
} body(%quotient: i64) {
  titan.print "quotient", %quotient : i64
  titan.return
}

// The least number by 2^21 is -2^42.
// LLVM-LABEL: define ptx_kernel void @least(
// LLVM-SAME: i64 %
titan.kernel @least(%s: i64) warps(1) launch {
  %c1 = arith.constant 1 : index
  %c2097152 = arith.constant 2097152 : i64
  %quotient = arith.ceildivsi %s, %c2097152 : i64
  titan.launch grid(%c1) with(%quotient : i64)
} body(%quotient: i64) {
  titan.print "quotient", %quotient : i64
  titan.return
}
