// Between global memory and a tile without swizzle, by one thread: one bulk copy where rows are packed, else one a row.
//
// RUN: titan explain copy %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: kernel @packed, line [[#]]: titan.copy_async %A to %tile; one thread
// EXPLAIN: bulk 1 instruction of 8192 bytes, 1 thread, no fences; priority 10 <- chosen
// EXPLAIN: titan.copy_async %tile to %B
// EXPLAIN: bulk 1 instruction of 8192 bytes
// EXPLAIN: kernel @rows
// EXPLAIN: bulk 64 instructions of 64 bytes
// EXPLAIN: bulk 64 instructions of 64 bytes
// RUN: for k in packed rows; do titan check %s --kernel $k || exit 1; done | FileCheck %s --check-prefix=ACCEPTED
// ACCEPTED-COUNT-2: accepted: 0 errors, 0 warnings
// RUN: for k in packed rows; do for s in eager lazy random:1; do titan run %s --kernel $k --schedule $s || exit 1; done; done | FileCheck %s --check-prefix=EQUAL
// EQUAL-COUNT-6: elements equal to the reference, bit for bit
// RUN: titan compile --emit=ptx --kernel rows %s | FileCheck %s --check-prefix=PTX
// PTX: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{{.*}}], [{{.*}}], 64,
// PTX: cp.async.bulk.global.shared::cta.bulk_group [{{.*}}], [{{.*}}], 64;
//
// A stride that only the launch knows is its business.
// RUN: titan run %s --kernel rows --rowstride A=208 | FileCheck %s --check-prefix=STRIDE
// STRIDE: elements equal to the reference, bit for bit
// RUN: not titan run %s --kernel rows --rowstride A=204 2>&1 | FileCheck %s --check-prefix=ODD
// ODD: error: {{.*}}[bulk-alignment] {{.*}}A: rows begin at multiples of 16 bytes along dimension 0
// ODD: fix: pad the rows of A: strides that are multiples of 8 elements; or copy by all threads, titan.copy or cp.async
//
// Nothing is clipped: the launch makes sure that the last CTA's region ends in the tensor, and so it is proved.
// RUN: titan check %s --kernel edges | FileCheck %s --check-prefix=ACCEPTED1
// ACCEPTED1: accepted: 0 errors, 0 warnings
// RUN: titan run %s --kernel edges | FileCheck %s --check-prefix=STRIDE
// RUN: not titan run %s --kernel edges --size M=37 2>&1 | FileCheck %s --check-prefix=EDGE
// EDGE: error: {{.*}}[out-of-bounds] A: what CTAs copy lies inside of dimension 0: bulk copies are not clipped (A[0] is 37
// EDGE: fix: pad A to whole tiles along dimension 0; or copy by titan.copy, by cp.async or by a schedule, which are clipped
// RUN: not titan run %s --kernel edges --arg first=-16 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: error: {{.*}}[out-of-bounds] A: what CTAs copy lies inside of dimension 0
// So it is in loops: the last strip of all CTAs, if there is a strip at all.
// RUN: titan check %s --kernel persistent --require=proved | FileCheck %s --check-prefix=ACCEPTED1
// RUN: titan run %s --kernel persistent | FileCheck %s --check-prefix=STRIDE
// RUN: titan run %s --kernel persistent --arg rows=0 --size M=1 --no-reference | FileCheck %s --check-prefix=NONE
// NONE: @persistent: ran, not compared with a reference ({{.*}} 0 copies
// RUN: not titan run %s --kernel persistent --arg rows=81 2>&1 | FileCheck %s --check-prefix=LAST
// LAST: error: {{.*}}[out-of-bounds] A: what CTAs copy lies inside of dimension 0: bulk copies are not clipped (
// RUN: titan compile --check=off --emit=manifest --kernel persistent %s | FileCheck %s --check-prefix=EITHER
// EITHER: "or"
// VARIANT behind: in STRIP `%c0]` -> `%c4]`
// RUN: %variant behind %s | not titan explain copy --kernel edges - 2>&1 | FileCheck %s --check-prefix=BEHIND
// BEHIND: bulk: along dimension 1 the region ends at 68, behind the 64 elements that there are: bulk copies are not clipped
//
// Where a row begins the program has to know.
// VARIANT anywhere: in LOAD `%k]` -> `%c4]`
// RUN: %variant anywhere %s | not titan explain copy --kernel rows - 2>&1 | FileCheck %s --check-prefix=ANYWHERE
// ANYWHERE: bulk: along dimension 1 rows are not known to begin at multiples of 16 bytes
// VARIANT address: in ALIGNED `{A = 16, B = 16}` -> `{B = 16}`
// RUN: %variant address %s | not titan explain copy --kernel rows - 2>&1 | FileCheck %s --check-prefix=ADDRESS
// ADDRESS: bulk: the tensor is not known to begin at a multiple of 16 bytes: titan.alignment says so
// VARIANT swizzled: in TILE `64x32xf16` -> `64x32xf16, swizzle = 64`
// RUN: %variant swizzled %s | not titan explain copy --kernel rows - 2>&1 | FileCheck %s --check-prefix=SWIZZLED
// SWIZZLED: bulk: whole_tile: bytes go as they are, to rows one after another
// VARIANT silent: in LOAD ` signals %full` -> ``
// VARIANT silent: in LOAD `, !titan.mbarrier` -> ``
// RUN: %variant silent %s | not titan explain copy --kernel rows - 2>&1 | FileCheck %s --check-prefix=SILENT
// SILENT: bulk: completion: no barrier: a bulk load completes on an mbarrier, signals %full
//
// The barrier has been told of the bytes: nobody else tells it.
// VARIANT twice: before LOAD add titan.mbarrier.expect_tx %full, %bytes : !titan.mbarrier
// RUN: %variant twice %s | not titan check --kernel rows - 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: [barrier-bytes]
// VARIANT no_wait: drop WAIT
// RUN: %variant no_wait %s | not titan check --kernel rows - 2>&1 | FileCheck %s --check-prefix=NO-WAIT
// NO-WAIT: [async-unordered] {{.*}}'titan.copy_async' (bulk)
// NO-WAIT: note: titan.copy_async (bulk) is issued here; its source has been read and it is done where the barrier's phase has been waited for

!packed = !titan.global<64x64xf16, strides = [64, 1]>
!square = !titan.shared<64x64xf16>
!matrix = !titan.global<?x?xf16>
!tile = !titan.shared<64x32xf16> // @TILE
!bulk = !titan.token<bulk>

titan.kernel @packed(%A: !packed, %B: !packed) warps(1) attributes {
  titan.alignment = {A = 16, B = 16},
  titan.example = {A = "64x64 ints:1", B = "64x64"}, titan.reference = @same
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %tile = titan.shared.alloc : !square
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.copy_async %A to %tile signals %full : !packed, !square, !titan.mbarrier
    titan.mbarrier.arrive %full : !titan.mbarrier
    titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier
    titan.copy_async %tile to %B : !square, !packed
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group read : !bulk
  }
  titan.return
}

titan.kernel @rows(%A: !matrix, %B: !matrix) warps(1) attributes {
  titan.alignment = {A = 16, B = 16}, // @ALIGNED
  titan.example = {A = "64x64 ints:1", B = "64x64"}, titan.reference = @same
} launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %i0 = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %bytes = arith.constant 4096 : i32
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %cta = titan.cta_id 0
  %k = arith.muli %cta, %c32 : index
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.copy_async %A[%c0, %k] to %tile signals %full : !matrix, !tile, !titan.mbarrier // @LOAD
    titan.mbarrier.arrive %full : !titan.mbarrier
    titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier // @WAIT
    titan.copy_async %tile to %B[%c0, %k] : !tile, !matrix
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group read : !bulk
  }
  titan.return
}

!strips = !titan.global<?x64xf16, strides = [64, 1]>
!strip = !titan.shared<16x64xf16>

titan.kernel @edges(%A: !strips, %B: !strips, %first: i32) warps(1) attributes {
  titan.alignment = {A = 16, B = 16},
  titan.example = {sizes = {M = 64}, A = "Mx64 ints:1", B = "Mx64", first = 0}, titan.reference = @same
} launch {
  %c16 = arith.constant 16 : index
  %m = titan.dim %A, 0 : !strips
  %grid = arith.ceildivui %m, %c16 : index
  titan.launch grid(%grid)
} body() {
  %i0 = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %tile = titan.shared.alloc : !strip
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %cta = titan.cta_id 0
  %start = arith.index_cast %first : i32 to index
  %at = arith.muli %cta, %c16 : index
  %row = arith.addi %at, %start : index
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.copy_async %A[%row, %c0] to %tile signals %full : !strips, !strip, !titan.mbarrier // @STRIP
    titan.mbarrier.arrive %full : !titan.mbarrier
  }
  titan.cta_sync
  titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier
  titan.copy %tile to %B[%row, %c0] : !strip, !strips
  titan.return
}

// `rows` of them, by the strips of all CTAs.
titan.kernel @persistent(%A: !strips, %B: !strips, %rows: i32) warps(1) attributes {
  titan.alignment = {A = 16, B = 16},
  titan.example = {sizes = {M = 80}, A = "Mx64 ints:1", B = "Mx64", rows = 80}, titan.reference = @sameRows
} launch {
  %c2 = arith.constant 2 : index
  %i0 = arith.constant 0 : i32
  %none = arith.cmpi sge, %rows, %i0 : i32
  titan.require %none, "launch-check", "rows are counted from 0"
  titan.launch grid(%c2)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : index
  %c0 = arith.constant 0 : index
  %tile = titan.shared.alloc : !strip
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %cta = titan.cta_id 0
  %ctas = titan.num_ctas 0
  %all = arith.index_cast %rows : i32 to index
  %strips = arith.ceildivui %all, %c16 : index
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    %end = scf.for %i = %cta to %strips step %ctas iter_args(%parity = %i0) -> i32 {
      %row = arith.muli %i, %c16 : index
      titan.copy_async %A[%row, %c0] to %tile signals %full : !strips, !strip, !titan.mbarrier
      titan.mbarrier.arrive %full : !titan.mbarrier
      titan.mbarrier.wait %full parity(%parity) : !titan.mbarrier
      titan.copy_async %tile to %B[%row, %c0] : !strip, !strips
      %group = titan.bulk.commit : !titan.token<bulk>
      titan.bulk.wait %group read : !titan.token<bulk>
      %other = arith.subi %i1, %parity : i32
      scf.yield %other : i32
    }
  }
  titan.return
}

func.func private @same(%A: memref<64x64xf16> {titan.input = "A"}, %B: memref<64x64xf32> {titan.expected = "B"}) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<64x64xf16>) outs(%B : memref<64x64xf32>) {
    ^bb0(%a: f16, %b: f32):
      %x = arith.extf %a : f16 to f32
      linalg.yield %x : f32
  }
  return
}

func.func private @sameRows(%A: memref<?x64xf16> {titan.input = "A"}, %B: memref<?x64xf32> {titan.expected = "B"}) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<?x64xf16>) outs(%B : memref<?x64xf32>) {
    ^bb0(%a: f16, %b: f32):
      %wide = arith.extf %a : f16 to f32
      linalg.yield %wide : f32
  }
  return
}
