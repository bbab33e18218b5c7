// Rows of groups that lie one behind the other, some CTAs for each: a group's number is a quotient of the CTA's, or comes of
// it by digits and a minimum. That each CTA promises of its own group that it ends behind where it begins says it of all
// groups, since each one is some CTA's: then the rows of two are apart.
//
// RUN: titan check %s --kernel simple --require=proved | FileCheck %s
// RUN: titan check %s --kernel bands --require=proved | FileCheck %s
// CHECK: proved, for every size that the launch admits; assumed: {{.*}}groups lie one behind the other (line [[#]])
// RUN: for s in eager lazy random:1; do titan run %s --kernel simple --arg offsets=steps:10 --shape offsets=6 --shape Y=50x3 --schedule $s && titan run %s --kernel bands --arg offsets=steps:4 --shape offsets=6 --shape Y=20x3 --scalar fit=4 --scalar blocks32=4 --schedule $s || exit 1; done
//
// Nobody promises it.
// VARIANT fall: drop promise
// RUN: %variant fall %s | not titan check - --kernel simple --require=proved 2>&1 | FileCheck %s --check-prefix=APART
// VARIANT fall_bands: drop promise_bands
// RUN: %variant fall_bands %s | not titan check - --kernel bands --require=proved 2>&1 | FileCheck %s --check-prefix=APART
// APART: not proved: line [[#]]: two CTAs, or two iterations, are not shown to write different places of this tensor
// Promised of every so manieth group alone.
// VARIANT some: in number `divui` -> `muli`
// VARIANT some: in ctas `muli` -> `divui`
// RUN: %variant some %s | not titan check - --kernel simple --require=proved 2>&1 | FileCheck %s --check-prefix=APART
// The digits are those of numbers that leave some out: of the last ones there are none.
// VARIANT few: in bandIs `%skipped` -> `%twice`
// RUN: %variant few %s | not titan check - --kernel bands --require=proved 2>&1 | FileCheck %s --check-prefix=APART
// One row too far is the next group's first one.
// VARIANT far: in row `ult` -> `ule`
// RUN: %variant far %s | not titan check - --kernel bands 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: error: [
// RUN: %variant far %s | not titan run - --kernel bands --arg offsets=steps:4 --shape offsets=6 --shape Y=20x3 --scalar fit=4 --scalar blocks32=5

!ids = !titan.global<?xi32>
!rows = !titan.global<?x?xf32>
titan.kernel @simple(%Y: !rows, %offsets: !ids) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {offsets = "6 steps:10", Y = "50x3"}} launch {
  %c1 = arith.constant 1 : index
  %bounds = titan.dim %offsets, 0 : !ids
  %groups = arith.subi %bounds, %c1 : index
  %n = titan.dim %Y, 0 : !rows
  %heads = titan.dim %Y, 1 : !rows
  %some = arith.cmpi uge, %heads, %c1 : index
  titan.require %some, "launch-check", "there are heads"
  %more = arith.cmpi ugt, %bounds, %c1 : index
  titan.require %more, "launch-check", "there are groups"
  %grid = arith.muli %groups, %heads : index // @ctas
  titan.launch grid(%grid) with(%n, %heads : index, index)
} body(%n: index, %heads: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = titan.cta_id 0
  %one = arith.constant 1.0 : f32
  %g = arith.divui %c, %heads : index // @number
  %h = arith.remui %c, %heads : index
  %g1 = arith.addi %g, %c1 : index
  titan.elect {
    %begin32 = titan.ld %offsets[%g] : !ids -> i32
    %end32 = titan.ld %offsets[%g1] : !ids -> i32
    %begin = arith.index_cast %begin32 : i32 to index
    %end = arith.index_cast %end32 : i32 to index
    %low = arith.cmpi sge, %begin, %c0 : index
    %high = arith.cmpi ule, %end, %n : index
    %inside = arith.andi %low, %high : i1
    %rising = arith.cmpi sle, %begin, %end : index
    titan.assume %inside, "a group lies inside of X"
    titan.assume %rising, "groups lie one behind the other" // @promise
    scf.for %i = %begin to %end step %c1 {
      titan.st %one, %Y[%i, %h] : f32, !rows
    }
  }
  titan.return
}
// CTAs come by bands of heads, each band's rows one behind the other; of the last band heads may not be there.
titan.kernel @bands(%Y: !rows, %offsets: !ids, %fit: i32, %blocks32: i32) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {fit = 4, blocks32 = 4, offsets = "6 steps:4", Y = "20x3"}} launch {
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %bounds = titan.dim %offsets, 0 : !ids
  %groups = arith.subi %bounds, %c1 : index
  %n = titan.dim %Y, 0 : !rows
  %heads = titan.dim %Y, 1 : !rows
  %some = arith.cmpi uge, %heads, %c1 : index
  titan.require %some, "launch-check", "there are heads"
  %more = arith.cmpi ugt, %bounds, %c1 : index
  titan.require %more, "launch-check", "there are groups"
  %fits = arith.cmpi sge, %fit, %i1 : i32
  titan.require %fits, "launch-check", "some heads fit"
  %there = arith.cmpi sge, %blocks32, %i1 : i32
  titan.require %there, "launch-check", "there are blocks"
  %one = arith.index_cast %fit : i32 to index
  %blocks = arith.index_cast %blocks32 : i32 to index
  %all = arith.muli %groups, %heads : index
  %bands = arith.ceildivui %all, %one : index
  %band = arith.ceildivui %all, %bands : index
  %banded = arith.muli %bands, %band : index
  %grid = arith.muli %banded, %blocks : index
  %last = arith.subi %all, %c1 : index
  titan.launch grid(%grid) with(%n, %heads, %blocks, %band, %last, %all : index, index, index, index, index, index)
} body(%n: index, %heads: index, %blocks: index, %band: index, %last: index, %all: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = titan.cta_id 0
  %one = arith.constant 1.0 : f32
  %across = arith.remui %c, %band : index
  %rest = arith.divui %c, %band : index
  %block = arith.remui %rest, %blocks : index
  %bandIs = arith.divui %rest, %blocks : index
  %skipped = arith.muli %bandIs, %band : index
  %twice = arith.addi %skipped, %skipped : index
  %any = arith.addi %skipped, %across : index // @bandIs
  %mine = arith.minui %any, %last : index
  %g = arith.divui %mine, %heads : index
  %h = arith.remui %mine, %heads : index
  %g1 = arith.addi %g, %c1 : index
  titan.elect {
    %begin32 = titan.ld %offsets[%g] : !ids -> i32
    %end32 = titan.ld %offsets[%g1] : !ids -> i32
    %begin = arith.index_cast %begin32 : i32 to index
    %end = arith.index_cast %end32 : i32 to index
    %low = arith.cmpi sge, %begin, %c0 : index
    %high = arith.cmpi ule, %end, %n : index
    %inside = arith.andi %low, %high : i1
    %rising = arith.cmpi sle, %begin, %end : index
    titan.assume %inside, "a group lies inside of X"
    titan.assume %rising, "groups lie one behind the other" // @promise_bands
    %row = arith.addi %begin, %block : index
    %isRow = arith.cmpi ult, %row, %end : index // @row
    %isHead = arith.cmpi ult, %any, %all : index
    %is = arith.andi %isRow, %isHead : i1
    scf.if %is {
      titan.st %one, %Y[%row, %h] : f32, !rows
    }
  }
  titan.return
}
