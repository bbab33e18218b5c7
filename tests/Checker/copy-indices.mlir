// The index that a copy by schedule is given lies below its loop's extent: another one is
// another tile. Where it is no constant it is asserted, for the checker and the simulator.
//
// RUN: not titan check %s 2>&1 | FileCheck %s --check-prefix=CHECK
// CHECK: error: [assert-failed] in one of the launches looked at this does not hold: the index of loop I7{2} is at least 0 and below its extent: %i7, 2, is not below 2, by warp 0, elected lane, iterations 0/2
// CHECK: fix: mask what runs where %i7 is below 2 does not hold; or say in the launch region, by titan.require, under which sizes and arguments it does; or, where the kernel itself computes it
// RUN: not titan run %s 2>&1 | FileCheck %s --check-prefix=RAN
// RAN: error: [assert-failed] the index of loop I7{2} is at least 0 and below its extent: %i7, 2, is not below 2, by the CTA, warp 0, iteration 0.2 (CTA 0)
// RAN: fix: mask what runs where %i7 is below 2 does not hold; or say in the launch region, by titan.require, under which sizes and arguments it does; or, where the kernel itself computes it
//
// Within it nothing is asserted, nor in what is compiled.
// VARIANT good: replace ni7 with %ni7 = arith.constant 2 : index
// RUN: %variant good %s > %t.good.mlir
// RUN: titan check %t.good.mlir
// RUN: titan-opt %s --pass-pipeline='builtin.module(titan.kernel(titan-lower-copies))' | FileCheck %s --check-prefix=COMPILED
// COMPILED-NOT: titan.assert

!full = !titan.mbarrier
!bulk = !titan.token<bulk>

#tile = #titan.schedule<tensor I1 x J I2, I3 = split(I1, 2) I4, I5 = split(I2, 2) I6, I7 = split(I5, 2) bulk I3, J>
titan.kernel @too_far(%X: !titan.global<12x4xf32>, %L: !titan.global<24x4xf32>) warps(1) attributes {
  titan.example = {sizes = {}, X = "12x4 random:1", L = "24x4"}
} launch {
  %one = arith.constant 1 : index
  %mapL = titan.tensor_map %L : !titan.global<24x4xf32> -> !titan.tensor_map<2x4xf32>
  titan.launch grid(%one) with(%mapL : !titan.tensor_map<2x4xf32>)
} body(%mapL: !titan.tensor_map<2x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = arith.constant 2 : index
  %tile = titan.shared.alloc : !titan.shared<2x4xf32>
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.mbarrier.init %full count(1) : !full
    titan.fence.mbarrier_init
    %ni4 = arith.constant 3 : index
    scf.for %i4 = %c0 to %ni4 step %c1 {
      %ai4 = arith.muli %c0, %ni4 : index
      %bi4 = arith.addi %ai4, %i4 : index
      %ni7 = arith.constant 4 : index // @ni7
      scf.for %i7 = %c0 to %ni7 step %c1 {
        %ai7 = arith.muli %bi4, %ni7 : index
        %bi7 = arith.addi %ai7, %i7 : index
        titan.copy_async %X at(I4 = %i4, I7 = %i7) to %tile signals %full schedule(#tile) strong
            : !titan.global<12x4xf32>, !titan.shared<2x4xf32>, !full
        titan.mbarrier.arrive %full : !full
        %parity = arith.remui %bi7, %c2 : index
        %parity32 = arith.index_cast %parity : index to i32
        titan.mbarrier.wait %full parity(%parity32) : !full
        %at = arith.muli %bi7, %rows : index
        titan.tma.store %tile, %mapL[%at, %c0] : !titan.shared<2x4xf32>, !titan.tensor_map<2x4xf32>
        %group = titan.bulk.commit : !bulk
        titan.bulk.wait %group : !bulk
      }
    }
  }
  titan.return
}
