// What index tensors hold: titan.assume says it, the proof believes it, and the search looks at no data that breaks it.
//
// Row numbers of a gather, a tile of them: below the number of rows.
// RUN: titan check %s --kernel gather --require=proved | FileCheck %s --check-prefix=GATHER
// GATHER: proved, for every size that the launch admits; assumed: an id is the number of a row (line [[#]]); no index overflows
// Nothing is said: whether they lie in the table nobody knows.
// VARIANT unsaid: drop gather
// RUN: %variant unsaid %s | not titan check - --kernel gather 2>&1 | FileCheck %s --check-prefix=UNSAID
// UNSAID: error: [undecided] the checker does not follow whether elements whose indices are data lie in %table
// UNSAID: fix: say by titan.assume between which bounds the indices lie
// Too little is said: compared as a signed number, an id may be negative.
// VARIANT signed: in known `ult` -> `slt`
// RUN: %variant signed %s | not titan check - --kernel gather 2>&1 | FileCheck %s --check-prefix=UNSAID
// Or one too large.
// VARIANT equal: in known `ult` -> `ule`
// RUN: %variant equal %s | not titan check - --kernel gather 2>&1 | FileCheck %s --check-prefix=UNSAID
// A mask is as good as a promise.
// VARIANT masked: drop gather
// VARIANT masked: in inside `mask(%inside : !mask)` -> `mask(%known : !mask)`
// RUN: %variant masked %s | titan check - --kernel gather | FileCheck %s --check-prefix=MASKED
// MASKED: accepted: 0 errors
// MASKED: proved, for every size that the launch admits; assumed: no index overflows
//
// A row of a bulk copy, by a number that one thread loads.
// RUN: titan check %s --kernel row --require=proved | FileCheck %s --check-prefix=ROW
// ROW: proved, for every size that the launch admits; assumed: {{.*}}an id is the number of a row (line [[#]])
// VARIANT row: drop row
// RUN: %variant row %s | not titan check - --kernel row 2>&1 | FileCheck %s --check-prefix=ROW-UNSAID
// ROW-UNSAID: error: [undecided] the checker does not follow what %ids holds (its elements are taken to be 0, 200, 400, ...)
// ROW-UNSAID: fix: say by titan.assume what data promises of the elements
// A branch is as good as a promise, here of two comparisons: the number is not negative, and below.
// VARIANT branch: replace row with scf.if %known {
// VARIANT branch: after stored add }
// VARIANT branch: in number `index_castui` -> `index_cast`
// RUN: %variant branch %s | titan check - --kernel row --require=proved | FileCheck %s --check-prefix=BRANCH
// BRANCH: proved, for every size that the launch admits; assumed: tensors do not overlap
// VARIANT signed_branch: as branch
// VARIANT signed_branch: in compared `ult` -> `slt`
// RUN: %variant signed_branch %s | not titan check - --kernel row --require=proved 2>&1 | FileCheck %s --check-prefix=ROW-UNSAID
//
// Groups of rows, from an offset to the next one.
// RUN: titan check %s --kernel ragged --require=proved | FileCheck %s --check-prefix=RAGGED
// RAGGED: proved, for every size that the launch admits; assumed: a group lies inside of X (line [[#]])
// RUN: titan check %s --kernel ragged --proof=off | FileCheck %s --check-prefix=SEARCHED
// SEARCHED: accepted: 0 errors, 0 warnings
// SEARCHED: searched, not proved: no proof was asked for
// VARIANT ragged: drop ragged
// RUN: %variant ragged %s | not titan check - --kernel ragged 2>&1 | FileCheck %s --check-prefix=RAGGED-UNSAID
// RAGGED-UNSAID: error: [undecided]
// Offsets that do not fall may begin below 0.
// VARIANT below: in low `%begin, %c0` -> `%end, %begin`
// RUN: %variant below %s | not titan check - --kernel ragged --require=proved 2>&1 | FileCheck %s --check-prefix=BELOW
// BELOW: not proved: index 0 is not shown to lie inside of the tensor
//
// Pages by a table, one in each iteration.
// RUN: titan check %s --kernel paged --require=proved | FileCheck %s --check-prefix=PAGED
// PAGED: proved, for every size that the launch admits; assumed: a block lies in a page of the pool (line [[#]])
// VARIANT page: drop page
// RUN: %variant page %s | not titan check - --kernel paged 2>&1 | FileCheck %s --check-prefix=PAGE
// PAGE: error: [undecided] the checker does not follow what %T holds
//
// A slot by data: each that the promise leaves is looked at, and no other.
// RUN: titan check %s --kernel expert --require=proved | FileCheck %s --check-prefix=EXPERT
// EXPERT: accepted: 0 errors, 0 warnings
// VARIANT five: in expert `ult` -> `ule`
// RUN: %variant five %s | not titan check - --kernel expert 2>&1 | FileCheck %s --check-prefix=FIVE
// FIVE: error: [out-of-bounds] slot 4 of a ring of 4
// VARIANT negative: in expert `ult` -> `slt`
// RUN: %variant negative %s | not titan check - --kernel expert 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: [out-of-bounds] slot -1 of a ring of 4
//
// Groups of rows that CTAs write: they are apart, since offsets do not fall.
// RUN: titan check %s --kernel scale --require=proved | FileCheck %s --check-prefix=SCALE
// SCALE: proved, for every size that the launch admits; assumed: {{.*}}groups lie one behind the other (line [[#]])
// VARIANT fall: drop promise
// RUN: %variant fall %s | not titan check - --kernel scale --require=proved 2>&1 | FileCheck %s --check-prefix=FALL
// FALL: not proved: two CTAs, or two iterations, are not shown to write different places of this tensor
// Data that keeps the promises runs, under each schedule; other data is found to break them.
// RUN: for s in eager lazy random:1; do titan run %s --kernel scale --arg X=ints:1 --shape X=50 --arg offsets=steps:10 --shape offsets=6 --shape Y=50 --schedule $s || exit 1; done
// RUN: not titan run %s --kernel scale --arg X=ints:1 --shape X=50 --arg offsets=steps:11 --shape offsets=6 --shape Y=50 2>&1 | FileCheck %s --check-prefix=RUN-BEYOND
// RUN-BEYOND: [assume-failed] a group lies inside of X: %end, 55, is not at most %n, 50
// Some CTAs say it of their element: of the others nothing is known.
// VARIANT some: before promise add scf.if %odd {
// VARIANT some: after promise add }
// RUN: %variant some %s | not titan check - --kernel scale --require=proved 2>&1 | FileCheck %s --check-prefix=FALL
// What the kernel writes itself nobody can promise.
// VARIANT written: after expert add titan.st %c4, %ids[%c0] : i32, !ids
// RUN: %variant written %s | not titan check - --kernel expert 2>&1 | FileCheck %s --check-prefix=WRITTEN
// WRITTEN: error: [undecided] which slot of shared memory
//
// What cannot be promised: of the rest nothing would be shown.
// VARIANT never: after known add %above = arith.cmpi sge, %id, %vs : !rows
// VARIANT never: after gather add titan.assume %above, "the contrary" : !mask
// RUN: %variant never %s | titan check - --kernel gather --undecided=warning 2>&1 | FileCheck %s --check-prefix=NEVER
// NEVER: searched, not proved: line [[#]]: no launch is shown to execute this: nothing is proved of it

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!ids = !titan.global<?xi32>
!table = !titan.global<?x64xbf16>
!data = !titan.global<?xf32>
!rows = tensor<32x64xi32, #rows>
!mask = tensor<32x64xi1, #rows>
!tile = tensor<32x64xbf16, #rows>
!line = !titan.shared<1x64xbf16>
!blocks = !titan.global<?x?xi32>
!pages = !titan.global<?x256xf32>
!page = !titan.shared<1x256xf32>
!ring = !titan.shared<4xf32, slots = 4>
!slot = !titan.shared<4xf32>

titan.kernel @gather(%ids: !ids, %table: !table, %out: !table) warps(1) attributes {titan.target = "sm_90a"} launch {
  %c32 = arith.constant 32 : index
  %most = arith.constant 1073741824 : index
  %n = titan.dim %ids, 0 : !ids
  %v = titan.dim %table, 0 : !table
  %nOut = titan.dim %out, 0 : !table
  %same = arith.cmpi eq, %nOut, %n : index
  titan.require %same, "launch-check", "out has a row for each id"
  %small = arith.cmpi ule, %n, %most : index
  titan.require %small, "launch-check", "at most 2^30 ids"
  %few = arith.cmpi ule, %v, %most : index
  titan.require %few, "launch-check", "at most 2^30 rows"
  %tiles = arith.ceildivui %n, %c32 : index
  titan.launch grid(%tiles) with(%n, %v : index, index)
} body(%n: index, %v: index) {
  %c32 = arith.constant 32 : index
  %cta = titan.cta_id 0
  %row0 = arith.muli %cta, %c32 : index
  %row032 = arith.index_cast %row0 : index to i32
  %n32 = arith.index_cast %n : index to i32
  %v32 = arith.index_cast %v : index to i32
  %first = titan.splat %row032 : i32 -> !rows
  %here = titan.coordinate 0 : !rows
  %columns = titan.coordinate 1 : !rows
  %i = arith.addi %first, %here : !rows
  %ns = titan.splat %n32 : i32 -> !rows
  %inside = arith.cmpi slt, %i, %ns : !rows
  %id = titan.global.load %ids[%i] mask(%inside : !mask) : !ids, !rows -> !rows
  %vs = titan.splat %v32 : i32 -> !rows
  %known = arith.cmpi ult, %id, %vs : !rows // @known
  titan.assume %known, "an id is the number of a row" : !mask // @gather
  %x = titan.global.load %table[%id, %columns] mask(%inside : !mask) : !table, !rows, !rows -> !tile // @inside
  titan.global.store %x, %out[%i, %columns] mask(%inside : !mask) : !tile, !table, !rows, !rows
  titan.return
}

titan.kernel @row(%ids: !ids, %table: !table, %out: !table) warps(1) attributes {titan.target = "sm_90a"} launch {
  %n = titan.dim %ids, 0 : !ids
  %v = titan.dim %table, 0 : !table
  %nOut = titan.dim %out, 0 : !table
  %same = arith.cmpi eq, %nOut, %n : index
  titan.require %same, "launch-check", "out has a row for each id"
  titan.launch grid(%n) with(%v : index)
} body(%v: index) {
  %c0 = arith.constant 0 : index
  %parity = arith.constant 0 : i32
  %bytes = arith.constant 128 : i32
  %line = titan.shared.alloc : !line
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %cta = titan.cta_id 0
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.fence.proxy_async shared_cta
    %id32 = titan.ld %ids[%cta] : !ids -> i32
    %id = arith.index_castui %id32 : i32 to index // @number
    %known = arith.cmpi ult, %id, %v : index // @compared
    titan.assume %known, "an id is the number of a row" // @row
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.bulk.load %table[%id, %c0], %line, %full : !table, !line, !titan.mbarrier
    titan.mbarrier.wait %full parity(%parity) : !titan.mbarrier
    titan.bulk.store %line, %out[%cta, %c0] : !line, !table
    %stored = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %stored : !titan.token<bulk> // @stored
  }
  titan.return
}

// The sum of each group: elements offsets[g] to offsets[g + 1] of X.
titan.kernel @ragged(%X: !data, %offsets: !ids, %sums: !data) warps(1) attributes {titan.target = "sm_90a"} launch {
  %c1 = arith.constant 1 : index
  %bounds = titan.dim %offsets, 0 : !ids
  %groups = arith.subi %bounds, %c1 : index
  %results = titan.dim %sums, 0 : !data
  %enough = arith.cmpi eq, %results, %groups : index
  titan.require %enough, "launch-check", "sums has an element for each group"
  %n = titan.dim %X, 0 : !data
  titan.launch grid(%groups) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f0 = arith.constant 0.0 : f32
  %g = titan.cta_id 0
  %g1 = arith.addi %g, %c1 : index
  titan.elect {
    %begin32 = titan.ld %offsets[%g] : !ids -> i32
    %end32 = titan.ld %offsets[%g1] : !ids -> i32
    %begin = arith.index_cast %begin32 : i32 to index
    %end = arith.index_cast %end32 : i32 to index
    %low = arith.cmpi sge, %begin, %c0 : index // @low
    %high = arith.cmpi ule, %end, %n : index
    %in = arith.andi %low, %high : i1
    titan.assume %in, "a group lies inside of X" // @ragged
    %sum = scf.for %i = %begin to %end step %c1 iter_args(%s = %f0) -> f32 {
      %x = titan.ld %X[%i] : !data -> f32
      %t = arith.addf %s, %x : f32
      scf.yield %t : f32
    }
    titan.st %sum, %sums[%g] : f32, !data
  }
  titan.return
}

// Rows offsets[g] to offsets[g + 1] of X, by CTA g.
titan.kernel @scale(%X: !data, %offsets: !ids, %Y: !data) warps(1) attributes {titan.target = "sm_90a"} launch {
  %c1 = arith.constant 1 : index
  %bounds = titan.dim %offsets, 0 : !ids
  %groups = arith.subi %bounds, %c1 : index
  %n = titan.dim %X, 0 : !data
  %results = titan.dim %Y, 0 : !data
  %enough = arith.cmpi eq, %results, %n : index
  titan.require %enough, "launch-check", "Y has as many elements as X"
  titan.launch grid(%groups) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %g = titan.cta_id 0
  %g1 = arith.addi %g, %c1 : index
  %rest = arith.remui %g, %c2 : index
  %odd = arith.cmpi eq, %rest, %c1 : index
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
      %x = titan.ld %X[%i] : !data -> f32
      %y = arith.addf %x, %x : f32
      titan.st %y, %Y[%i] : f32, !data
    }
  }
  titan.return
}

titan.kernel @expert(%ids: !ids) warps(1) attributes {titan.target = "sm_90a"} launch {
  %c1 = arith.constant 1 : index
  %n = titan.dim %ids, 0 : !ids
  titan.launch grid(%n)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : i32
  %f1 = arith.constant 1.0 : f32
  %ring = titan.shared.alloc : !ring
  %cta = titan.cta_id 0
  titan.elect {
    %id = titan.ld %ids[%cta] : !ids -> i32
    %known = arith.cmpi ult, %id, %c4 : i32 // @expert
    titan.assume %known, "an id is that of an expert"
    %slot = titan.shared.slot %ring[%id : i32] : !ring -> !slot
    titan.st %f1, %slot[%c0] : f32, !slot
  }
  titan.return
}

// The blocks of each sequence, from the pages that the table names.
titan.kernel @paged(%T: !blocks, %P: !pages, %O: !pages) warps(1) attributes {titan.target = "sm_90a"} launch {
  %seqs = titan.dim %T, 0 : !blocks
  %blocks = titan.dim %T, 1 : !blocks
  %n = titan.dim %P, 0 : !pages
  %rows = titan.dim %O, 0 : !pages
  %all = arith.muli %seqs, %blocks : index
  %ok = arith.cmpi eq, %rows, %all : index
  titan.require %ok, "launch-check", "a row a block"
  titan.launch grid(%seqs) with(%blocks, %n : index, index)
} body(%blocks: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.constant 1024 : i32
  %s = titan.cta_id 0
  %line = titan.shared.alloc : !page
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %row0 = arith.muli %s, %blocks : index
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    scf.for %b = %c0 to %blocks step %c1 {
      %page32 = titan.ld %T[%s, %b] : !blocks -> i32
      %page = arith.index_castui %page32 : i32 to index
      %in = arith.cmpi ult, %page, %n : index
      titan.assume %in, "a block lies in a page of the pool" // @page
      %odd = arith.remui %b, %c2 : index
      %parity = arith.index_cast %odd : index to i32
      titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
      titan.bulk.load %P[%page, %c0], %line, %full : !pages, !page, !titan.mbarrier
      titan.mbarrier.wait %full parity(%parity) : !titan.mbarrier
      %row = arith.addi %row0, %b : index
      titan.bulk.store %line, %O[%row, %c0] : !page, !pages
      %g = titan.bulk.commit : !titan.token<bulk>
      titan.bulk.wait %g : !titan.token<bulk>
    }
  }
  titan.return
}
