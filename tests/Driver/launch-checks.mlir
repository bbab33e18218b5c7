// What a copy by schedule asks of a launch, where the launch breaks it: the hole, the sizes, what to do.
//
// Boxes of four rows, every third row of a box: as soon as there is a fifth row, the tile that starts at row 1
// would get it where the box has no element.
//
// RUN: titan run %s
// RUN: not titan run %s --shape X=12x4 2>&1 | FileCheck %s
// RUN: titan compile %s -o %t.pkg
// RUN: titan-launch %t.pkg --dry-run --arg X=zeros,shape=4x4 --shape L=6x4
// RUN: not titan-launch %t.pkg --dry-run --arg X=zeros,shape=12x4 --shape L=6x4 2>&1 | FileCheck %s
// RUN: titan explain tma %s --size I1=4 | FileCheck %s --check-prefix=HOLDS
// RUN: not titan explain tma %s --size I1=12 2>&1 >/dev/null | FileCheck %s --check-prefix=NUMBERS
// RUN: titan-opt %s --pass-pipeline='builtin.module(titan.kernel(titan-lower-copies))' | FileCheck %s --check-prefix=IR
//
// CHECK: [tma-strong]
// CHECK-SAME: X: dimension 1, I1{{[({]I1[})]}}: boxes of 4 with element stride 3; where I1 is 5 or more, the tile at [1, 0] (i2=0 i5=1) holds element [1, 0] and, in a hole that has to be filled, element [4, 0] (X[0] is 12)
// CHECK: fix: keep I1 at most 4; or take boxes of 3 or 6 instead of 4, which the element stride 3 divides
// CHECK-SAME: or ask for weak
// HOLDS: [tma-strong] holds{{$}}
// NUMBERS: kernel @every_third, line [[#]]: %X to %tile; strong: asked for: dimension 1, I1{I1}: boxes of 4 with element stride 3 (I1 is 12): the tile at [1, 0] (i2=0 i5=1) holds element [1, 0] and, in a hole that has to be filled, element [4, 0] [tma-strong]
// NUMBERS: fix: keep I1 at most 4
// IR: titan.require %{{.*}}, "tma-strong", "X: dimension 1, {{.*}}" fix "keep I1 at most 4;

// Where launch checks refuse all sizes, the one that refused most is named.
//
// VARIANT none: in require `%any` -> `%large`
// RUN: %variant none %s > %t.none.mlir
// RUN: not titan check %t.none.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: [undecided] no sizes were found under which this is executed; of [[#]] launches tried a launch check refuses [[#]]: [tma-strong] X: dimension 1
// NONE: launch-checks.mlir{{.*}}note: the launch check is of this
// NONE: fix: keep I1 at most 4

!full = !titan.mbarrier
#every = #titan.schedule<tensor I1 x J I2, I3 = split(I1, 4) I4, I5 = split(I3, 3) bulk I4, J map I1, J>
titan.kernel @every_third(%X: !titan.global<?x4xf32>, %L: !titan.global<6x4xf32>) warps(1) attributes {
  titan.example = {sizes = {M = 4}, X = "Mx4 random:1", L = "6x4"}
} launch {
  %one = arith.constant 1 : index
  %five = arith.constant 5 : index
  %rows = titan.dim %X, 0 : !titan.global<?x4xf32>
  %any = arith.cmpi uge, %rows, %one : index
  %large = arith.cmpi uge, %rows, %five : index
  titan.require %any, "launch-check", "X has rows" // @require
  %mapL = titan.tensor_map %L : !titan.global<6x4xf32> -> !titan.tensor_map<2x4xf32>
  titan.launch grid(%one) with(%mapL : !titan.tensor_map<2x4xf32>)
} body(%mapL: !titan.tensor_map<2x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %tile = titan.shared.alloc : !titan.shared<2x4xf32>
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.mbarrier.init %full count(1) : !full
    titan.fence.mbarrier_init
    scf.for %i = %c0 to %c3 step %c1 {
      titan.copy_async %X at(I2 = %c0, I5 = %i) to %tile signals %full schedule(#every) strong
          : !titan.global<?x4xf32>, !titan.shared<2x4xf32>, !full
      titan.mbarrier.arrive %full : !full
      %parity = arith.remui %i, %c2 : index
      %parity32 = arith.index_cast %parity : index to i32
      titan.mbarrier.wait %full parity(%parity32) : !full
      %at = arith.muli %i, %c2 : index
      titan.tma.store %tile, %mapL[%at, %c0] : !titan.shared<2x4xf32>, !titan.tensor_map<2x4xf32>
      %group = titan.bulk.commit : !titan.token<bulk>
      titan.bulk.wait %group : !titan.token<bulk>
    }
  }
  titan.return
}
