// A CTA goes through the tiles by rounds, of which the last one has a tile of each CTA or not: that CTA + round * CTAs is below the
// number of tiles takes a product of two facts (round < rounds, CTAs >= 1).
//
// RUN: titan check %s --require=proved | FileCheck %s
// CHECK: @rounds: accepted
// CHECK: {{^}}  proved, for every size
// RUN: titan run %s
//
// A round too many, where the last one has a tile of this CTA; for every CTA.
// VARIANT more: in last `%c1` -> `%c2`
// RUN: %variant more %s | not titan check - --require=proved 2>&1 | FileCheck %s --check-prefix=WRONG
// VARIANT always: in rounds `%full` -> `%more`
// RUN: %variant always %s | not titan check - --require=proved 2>&1 | FileCheck %s --check-prefix=WRONG
// The last tile is the one behind the last one.
// VARIANT behind: in has `ult` -> `ule`
// RUN: %variant behind %s | not titan check - --require=proved 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG-NOT: proved, for every size
// WRONG: @rounds: {{refused|cannot decide}}

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!global = !titan.global<?x?x?x64xbf16>
!regs = tensor<4x64xbf16, #rows>
!where = tensor<4x64xi32, #rows>

titan.kernel @rounds(%Y: !global) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {B = 3, H = 2, M = 20}, multiprocessor_count = 4, Y = "BxHxMx64"}} launch {
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  %batches = titan.dim %Y, 0 : !global
  %heads = titan.dim %Y, 1 : !global
  %rows = titan.dim %Y, 2 : !global
  %several = arith.cmpi uge, %heads, %one : index
  titan.require %several, "launch-zero-dim", "a head"
  %blocks = arith.divui %rows, %four : index
  %some = arith.cmpi uge, %blocks, %one : index
  titan.require %some, "launch-zero-dim", "a tile"
  %whole = arith.muli %blocks, %four : index
  %is = arith.cmpi eq, %whole, %rows : index
  titan.require %is, "launch-check", "whole tiles of 4 rows"
  %most = arith.constant 1073741824 : index
  %few = arith.cmpi ule, %rows, %most : index
  titan.require %few, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  %fewBatches = arith.cmpi ule, %batches, %most : index
  titan.require %fewBatches, "launch-check", "at most 2^30 batches, whose numbers have 32 bits"
  %fewHeads = arith.cmpi ule, %heads, %most : index
  titan.require %fewHeads, "launch-check", "at most 2^30 heads, whose numbers have 32 bits"
  %all = arith.muli %batches, %heads : index
  %tiles = arith.muli %all, %blocks : index
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %tiles, %sms : index
  titan.launch grid(%grid) with(%tiles, %blocks, %heads : index, index, index)
} body(%tiles: index, %blocks: index, %heads: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0
  %full = arith.divui %tiles, %ctas : index
  %inFull = arith.muli %full, %ctas : index
  %lastTile = arith.addi %inFull, %first : index
  %hasLast = arith.cmpi ult, %lastTile, %tiles : index // @has
  %more = arith.addi %full, %c1 : index // @last
  %rounds = arith.select %hasLast, %more, %full : index // @rounds
  scf.for %round = %c0 to %rounds step %c1 {
    %before = arith.muli %round, %ctas : index
    %tile = arith.addi %before, %first : index
    %any = arith.divui %tile, %blocks : index
    %batch = arith.divui %any, %heads : index
    %head = arith.remui %any, %heads : index
    %block = arith.remui %tile, %blocks : index
    %row = arith.muli %block, %c4 : index
    %row32 = arith.index_cast %row : index to i32
    %value = arith.sitofp %row32 : i32 to bf16
    %x = titan.splat %value : bf16 -> !regs
    %batch32 = arith.index_cast %batch : index to i32
    %b = titan.splat %batch32 : i32 -> !where
    %head32 = arith.index_cast %head : index to i32
    %h = titan.splat %head32 : i32 -> !where
    %at = titan.splat %row32 : i32 -> !where
    %in = titan.coordinate 0 : !where
    %i = arith.addi %at, %in : !where
    %j = titan.coordinate 1 : !where
    titan.global.store %x, %Y[%b, %h, %i, %j] : !regs, !global, !where, !where, !where, !where
  }
  titan.return
}
