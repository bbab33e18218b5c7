// Tiles to and fro.
//
// Rounds of tiles: even ones go up, odd ones down, so that who has the longest tile of one round has the shortest of the next. Which
// tile that is a select says, by the parity of the round: in each round another one for each CTA.
//
// RUN: titan check %s --require=proved | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: proved, for every size
//
// In even rounds all have the first tile.
// VARIANT first: in at `%mirrored, %cta` -> `%mirrored, %c0`
// RUN: %variant first %s | not titan check - 2>&1 | FileCheck %s --check-prefix=RACE
// By another parity for each CTA two of them have one tile.
// VARIANT own: in odd `%round` -> `%cta`
// RUN: %variant own %s | not titan check - 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: [race] 'titan.global.store' writes global memory
// From the hundredth CTA on each has a row of the one before: more CTAs than the search looks at.
// VARIANT hundredth: in row `%row = ` -> `%first = `
// VARIANT hundredth: after row add %hundred = arith.constant 100 : index
// VARIANT hundredth: after row add %hundreds = arith.divui %cta, %hundred : index
// VARIANT hundredth: after row add %row = arith.subi %first, %hundreds : index
// RUN: %variant hundredth %s | not titan check - --require=proved --undecided=warning 2>&1 | FileCheck %s --check-prefix=APART
// APART: error: [undecided] not proved: two CTAs, or two iterations, are not shown to write different places of this tensor

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!global = !titan.global<?x64xi32>
!where = tensor<8x64xi32, #rows>
!yes = tensor<8x64xi1, #rows>

// The tile that a CTA has in a round.
func.func private @tileOf(%round: index, %cta: index, %ctas: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %odd = arith.remui %round, %c2 : index // @odd
  %last = arith.subi %ctas, %c1 : index
  %done = arith.muli %round, %ctas : index
  %mirrored = arith.subi %last, %cta : index
  %isOdd = arith.cmpi eq, %odd, %c1 : index
  %at = arith.select %isOdd, %mirrored, %cta : index // @at
  %tile = arith.addi %done, %at : index
  return %tile : index
}

titan.kernel @mirrored(%Y: !global) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, multiprocessor_count = 3, Y = "Mx64"}} launch {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %rows = titan.dim %Y, 0 : !global
  %most = arith.constant 536870912 : index
  %few = arith.cmpi ule, %rows, %most : index
  titan.require %few, "launch-check", "at most 2^29 rows, whose numbers have 32 bits"
  %some = arith.cmpi uge, %rows, %c1 : index
  titan.require %some, "launch-zero-dim", "no rows"
  %tiles = arith.ceildivui %rows, %c8 : index
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %tiles, %sms : index
  titan.launch grid(%grid) with(%tiles : index)
} body(%tiles: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %cta = titan.cta_id 0
  %ctas = titan.num_ctas 0
  %m = titan.dim %Y, 0 : !global
  %m32 = arith.index_cast %m : index to i32
  %end = titan.splat %m32 : i32 -> !where
  %in = titan.coordinate 0 : !where
  %j = titan.coordinate 1 : !where
  %fullRounds = arith.divui %tiles, %ctas : index
  %lastTile = func.call @tileOf(%fullRounds, %cta, %ctas) : (index, index, index) -> index
  %hasLast = arith.cmpi ult, %lastTile, %tiles : index
  %oneMore = arith.addi %fullRounds, %c1 : index
  %rounds = arith.select %hasLast, %oneMore, %fullRounds : index
  scf.for %round = %c0 to %rounds step %c1 {
    %tile = func.call @tileOf(%round, %cta, %ctas) : (index, index, index) -> index
    %row = arith.muli %tile, %c8 : index // @row
    %row32 = arith.index_cast %row : index to i32
    %at = titan.splat %row32 : i32 -> !where
    %i = arith.addi %at, %in : !where
    %inside = arith.cmpi slt, %i, %end : !where
    titan.global.store %i, %Y[%i, %j] mask(%inside : !yes) : !where, !global, !where, !where
  }
  titan.return
}
