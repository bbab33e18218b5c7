// titan.assume: what data promises. A run stops where the data breaks it; what is compiled does not ask.
//
// RUN: titan run %s
// RUN: not titan run %s --arg ids=fill:8 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: assume.mlir:[[#]]:3: error: [assume-failed] an id is that of an expert: %id, 8, is not below 8, by the CTA, warp 0 (CTA 0)
// LARGE: fix: give data that keeps the promise, or assume less and mask what must not run elsewhere
// RUN: not titan run %s --arg ids=fill:-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: [assume-failed] an id is that of an expert: %id, -1, is not below 8
// Each element of a tile; of the first that breaks it the numbers.
// RUN: not titan run %s --arg rows=steps:4 2>&1 | FileCheck %s --check-prefix=TILE
// TILE: [assume-failed] a row is one of X: %row, 100, is not below {{.*}}100, by the CTA, warp 0 (CTA 0)
//
// Nothing of it is left in what is compiled, nor of what it compares.
// RUN: titan compile --check=off --emit=ptx %s -o - | FileCheck %s --check-prefix=PTX
// PTX-LABEL: .entry rows
// PTX-NOT: setp{{.*}}, {{7|8|99|100}};
// PTX-NOT: trap
// PTX: ret;
//
// A run that shows a bug keeps the promise: ids that are all 0 do, and show it.
// VARIANT race: drop sync
// RUN: %variant race %s > %t.race.mlir
// RUN: not titan check %t.race.mlir --replay-out=%t.replay 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: [race]
// RUN: not titan run %t.race.mlir --replay=%t.replay 2>&1 | FileCheck %s --check-prefix=SHOWN
// SHOWN: error:
// SHOWN-NOT: assume-failed
// Zeros do not: such a run is none, and the example's shows it.
// VARIANT positive: drop sync
// VARIANT positive: after below add %is = arith.cmpi sgt, %id, %zero : i32
// VARIANT positive: after below add titan.assume %is, "no id is 0"
// RUN: %variant positive %s > %t.positive.mlir
// RUN: not titan check %t.positive.mlir --replay-out=%t.replay 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not titan run %t.positive.mlir --replay=%t.replay 2>&1 | FileCheck %s --check-prefix=SHOWN

#lines = #titan.blocked<elements = [1], lanes = [32], warps = [1]>
!ids = !titan.global<?xi32>
!floats = !titan.global<?xf32>
!rows = tensor<32xi32, #lines>
!line = tensor<32xf32, #lines>
!box = !titan.shared<32xf32>

titan.kernel @rows(%ids: !ids, %rows: !ids, %X: !floats, %out: !floats) warps(2) attributes {
  titan.target = "sm_90a",
  titan.example = {sizes = {N = 100}, ids = "4 fill:7", rows = "32 steps:3", X = "N ints:1", out = "32"}
} launch {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c100 = arith.constant 100 : index
  %n = titan.dim %X, 0 : !floats
  %nIds = titan.dim %ids, 0 : !ids
  %nRows = titan.dim %rows, 0 : !ids
  %nOut = titan.dim %out, 0 : !floats
  %is100 = arith.cmpi eq, %n, %c100 : index
  titan.require %is100, "launch-check", "X has 100 elements"
  %is4 = arith.cmpi eq, %nIds, %c4 : index
  titan.require %is4, "launch-check", "there are 4 ids"
  %is32 = arith.cmpi eq, %nRows, %c32 : index
  titan.require %is32, "launch-check", "there are 32 rows"
  %isOut = arith.cmpi eq, %nOut, %c32 : index
  titan.require %isOut, "launch-check", "there are 32 results"
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %experts = arith.constant 8 : i32
  %hundred = arith.constant dense<100> : !rows
  %box = titan.shared.alloc : !box
  %id = titan.ld %ids[%c0] : !ids -> i32
  %below = arith.cmpi ult, %id, %experts : i32 // @below
  titan.assume %below, "an id is that of an expert"
  %warp = titan.warp_id
  %first = arith.cmpi eq, %warp, %zero : i32
  %i = titan.coordinate 0 : !rows
  scf.if %first {
    %row = titan.global.load %rows[%i] : !ids, !rows -> !rows
    %known = arith.cmpi ult, %row, %hundred : !rows
    titan.assume %known, "a row is one of X" : tensor<32xi1, #lines>
    %x = titan.global.load %X[%row] : !floats, !rows -> !line
    titan.shared.store %x, %box : !line, !box
  }
  titan.cta_sync // @sync
  scf.if %first {
  } else {
    %x = titan.shared.load %box : !box -> !line
    titan.global.store %x, %out[%i] : !line, !floats, !rows
  }
  titan.return
}
