// How layouts, regions, element types and the rank change what a copy to a peer becomes: one bulk copy, a loop over
// chunks, or a reason why not. Of each that fits, the peer's buffer holds what evaluating the two layouts gives: the
// kernels leave theirs in B, whose bytes are the buffer's.
//
// RUN: titan explain copy %s --kernel rows | FileCheck %s --check-prefix=ROWS
// ROWS: dsmem 128 instructions of 64 bytes, 1 thread, 1 fence; priority 10 <- chosen
// RUN: titan-opt %s --pass-pipeline='builtin.module(titan.kernel(titan-lower-copies))' | FileCheck %s --check-prefix=IR
// The right half of a tile: a row each, by one loop; mapa stands before it.
// IR-LABEL: titan.kernel @rows
// IR: %[[THERE:.*]] = titan.map_rank
// IR: %[[FAR:.*]] = titan.map_rank
// IR: scf.for %[[I:.*]] = %{{.*}} to %c128{{.*}} step %c1
// IR-DAG: titan.shared.run %{{.*}}[%{{.*}} : index] : <128x64xf16> -> <32xf16>
// IR-DAG: titan.shared.run %[[THERE]][%{{.*}} : index] : <128x64xf16, cluster> -> <32xf16, cluster>
// IR: titan.bulk.copy_to_peer %{{.*}}, %{{.*}}, %[[FAR]]
// IR-NEXT: }
//
// RUN: titan check %s --kernel rows --require=proved | FileCheck %s --check-prefix=ACCEPTED
// ACCEPTED: accepted: 0 errors, 0 warnings
// RUN: titan run %s --kernel rows --schedule lazy | FileCheck %s --check-prefix=EQUAL
// EQUAL: 8192 elements equal to the reference, bit for bit
// RUN: titan compile --emit=ptx --kernel rows %s | FileCheck %s --check-prefix=PTX
// PTX: cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [{{.*}}], [{{.*}}], 64,
// RUN: %if ptxas %{ titan compile %s -o %t.titanpkg %}
//
// The target's rows lie further apart than the source's (a stride gap): a chunk a row of 64 bytes, again.
// VARIANT gap: in SEND `%theirs[%c0, %c0] extents [128, 32]` -> `%theirs as #titan.layout<"r: 128*b128; c: 32*b2">`
// RUN: %variant gap %s | titan explain copy --kernel rows - | FileCheck %s --check-prefix=ROWS
// RUN: %variant gap %s | titan run - --kernel rows --schedule lazy | FileCheck %s --check-prefix=EQUAL
// A constant offset of the layout: the right half again.
// VARIANT at: in SEND `%mine[%c0, %c32] to %theirs[%c0, %c0] extents [128, 32]` -> `%mine as #titan.layout<"r: 128*b128; c: 32*b2; at: b64"> to %theirs as #titan.layout<"r: 128*b128; c: 32*b2">`
// RUN: %variant at %s | titan explain copy --kernel rows - | FileCheck %s --check-prefix=ROWS
// RUN: %variant at %s | titan run - --kernel rows --schedule lazy | FileCheck %s --check-prefix=EQUAL
// Rows that are one row of the source (replicas) go there several times; two rows of the target in one place cannot be.
// VARIANT replicas: in SEND `%mine[%c0, %c32] to %theirs[%c0, %c0] extents [128, 32]` -> `%mine as #titan.layout<"r: 64*b64, 2*rep; c: 32*b2"> to %theirs as #titan.layout<"r: 128*b64; c: 32*b2">`
// VARIANT replicas: in REFERENCE `, titan.reference = @left` -> ``
// RUN: %variant replicas %s | titan explain copy --kernel rows - | FileCheck %s --check-prefix=REPLICAS
// REPLICAS: dsmem 2 instructions of 4096 bytes
// VARIANT meet: in SEND `%mine[%c0, %c32] to %theirs[%c0, %c0] extents [128, 32]` -> `%mine as #titan.layout<"r: 128*b64; c: 32*b2"> to %theirs as #titan.layout<"r: 64*b64, 2*rep; c: 32*b2">`
// RUN: %variant meet %s | not titan explain copy --kernel rows - 2>&1 | FileCheck %s --check-prefix=MEET
// MEET: [copy-region] the target's layout sends two elements to one byte
// A sixteenth of the rows, each whole: they lie together.
// VARIANT few: in SEND `%mine[%c0, %c32] to %theirs[%c0, %c0] extents [128, 32]` -> `%mine[%c8, %c0] to %theirs[%c0, %c0] extents [8, 64]`
// VARIANT few: in BYTES `8192` -> `1024`
// VARIANT few: in REFERENCE `, titan.reference = @left` -> ``
// RUN: %variant few %s | titan explain copy --kernel rows - | FileCheck %s --check-prefix=FEW
// FEW: dsmem 1 instruction of 1024 bytes
// Columns that lie together on both sides are as good as rows.
// VARIANT columns: in SEND `%mine[%c0, %c32] to %theirs[%c0, %c0] extents [128, 32]` -> `%mine as #titan.layout<"r: 128*b2; c: 64*b256"> to %theirs as #titan.layout<"r: 128*b2; c: 64*b256">`
// VARIANT columns: in BYTES `8192` -> `16384`
// VARIANT columns: in REFERENCE `, titan.reference = @left` -> ``
// RUN: %variant columns %s | titan explain copy --kernel rows - | FileCheck %s --check-prefix=COLUMNS
// COLUMNS: dsmem 1 instruction of 16384 bytes
// Rows against columns: no element has its neighbour beside it on both sides.
// VARIANT transposed: in SEND `%mine[%c0, %c32] to %theirs[%c0, %c0] extents [128, 32]` -> `%mine to %theirs as #titan.layout<"r: 128*b2; c: 64*b256">`
// RUN: %variant transposed %s | not titan explain copy --kernel rows - 2>&1 | FileCheck %s --check-prefix=TRANSPOSED
// RUN: %variant transposed %s | not titan check --kernel rows - 2>&1 | FileCheck %s --check-prefix=TRANSPOSED
// RUN: %variant transposed %s | not titan run --kernel rows - 2>&1 | FileCheck %s --check-prefix=TRANSPOSED
// TRANSPOSED: error: {{.*}}[copy-dispatch] no variant does it: {{.*}}dsmem: the longest run that lies together on both sides is 2 bytes, 1 element, and it takes a multiple of 16
//
// Chunks are at least 16 bytes: eight elements of f16, not four.
// VARIANT eight: in SEND `[128, 32]` -> `[128, 8]`
// RUN: %variant eight %s | titan explain copy --kernel rows - | FileCheck %s --check-prefix=EIGHT
// EIGHT: dsmem 128 instructions of 16 bytes
// VARIANT eight: in BYTES `8192` -> `2048`
// VARIANT eight: in WIDTH `32` -> `8`
// RUN: %variant eight %s | titan check --kernel rows - | FileCheck %s --check-prefix=ACCEPTED
// RUN: %variant eight %s | titan run --kernel rows --schedule lazy - | FileCheck %s --check-prefix=EQUAL
// RUN: %variant eight %s | titan compile --emit=ptx --kernel rows - | FileCheck %s --check-prefix=EIGHT-PTX
// EIGHT-PTX: cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [{{.*}}], [{{.*}}], 16,
// VARIANT four: in SEND `[128, 32]` -> `[128, 4]`
// RUN: %variant four %s | not titan explain copy --kernel rows - 2>&1 | FileCheck %s --check-prefix=FOUR
// FOUR: dsmem: the longest run that lies together on both sides is 8 bytes, 4 elements, and it takes a multiple of 16
// Of f32 four are enough.
// VARIANT wide: as four
// VARIANT wide: in TILE `f16` -> `f32`
// VARIANT wide: in MATRIX `f16` -> `f32`
// VARIANT wide: in REFERENCE `@left` -> `@left_of_f32`
// VARIANT wide: in BYTES `8192` -> `2048`
// RUN: %variant wide %s | titan explain copy --kernel rows - | FileCheck %s --check-prefix=EIGHT
// RUN: %variant wide %s | titan run --kernel rows --schedule lazy - | FileCheck %s --check-prefix=EQUAL
// And a multiple of 16: not 24 bytes.
// VARIANT twelve: in SEND `[128, 32]` -> `[128, 12]`
// RUN: %variant twelve %s | not titan explain copy --kernel rows - 2>&1 | FileCheck %s --check-prefix=TWELVE
// TWELVE: dsmem: the longest run that lies together on both sides is 24 bytes, 12 elements, and it takes a multiple of 16
// From a multiple of 16 on.
// VARIANT odd: in SEND `%mine[%c0, %c32]` -> `%mine[%c0, %c4]`
// RUN: %variant odd %s | not titan explain copy --kernel rows - 2>&1 | FileCheck %s --check-prefix=ODD
// ODD: dsmem: chunks of the source begin at multiples of 8 bytes, and they have to at multiples of 16
//
// The rank, as a number, as a value of the launch, none.
// VARIANT outside: in SEND `rank(%i1)` -> `rank(%i2)`
// RUN: %variant outside %s | not titan explain copy --kernel rows - 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: dsmem: rank_in_cluster: rank 2 of a cluster of 2 CTAs
// VARIANT argument: in SEND `rank(%i1)` -> `rank(%peer)`
// RUN: %variant argument %s | titan run - --kernel rows --scalar peer=1 | FileCheck %s --check-prefix=EQUAL
// RUN: %variant argument %s | not titan run - --kernel rows --scalar peer=2 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: %variant argument %s | not titan run - --kernel rows --scalar peer=-1 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT: error: {{.*}}[out-of-bounds]{{.*}}the rank of the peer is one of the cluster's 2 CTAs
// VARIANT no_rank: in SEND `rank(%i1)` -> ``
// RUN: %variant no_rank %s | not titan explain copy --kernel rows - 2>&1 | FileCheck %s --check-prefix=NO-RANK
// NO-RANK: dsmem: has_rank: no rank: the copy stays in the executing CTA
// VARIANT no_barrier: in SEND `signals %full` -> ``
// VARIANT no_barrier: in SEND `, !titan.mbarrier` -> ``
// RUN: %variant no_barrier %s | not titan explain copy --kernel rows - 2>&1 | FileCheck %s --check-prefix=NO-BARRIER
// NO-BARRIER: dsmem: has_barrier: no barrier: a copy to a peer completes on its mbarrier, signals %full
// VARIANT alone: in CLUSTER `cluster(2, 1)` -> ``
// RUN: %variant alone %s | not titan explain copy --kernel rows - 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: dsmem: rank_in_cluster: the kernel has no cluster of several CTAs
//
// One thread issues it.
// VARIANT all: drop ELECT
// VARIANT all: drop ELECTED
// RUN: %variant all %s | not titan explain copy --kernel rows - 2>&1 | FileCheck %s --check-prefix=ALL
// ALL: dsmem: single_thread: expected single thread (titan.elect), and a warp executes it
//
// Swizzles. Alike on both sides, all of it lies together; of one row of 128 bytes, its chunks of 16 are exchanged by
// their row, so that another row takes it in pieces of 16; so does a tile without swizzle.
// RUN: titan explain copy %s --kernel swizzles | FileCheck %s --check-prefix=SWIZZLES
// SWIZZLES: %a to %b; one thread
// SWIZZLES: dsmem 1 instruction of 16384 bytes
// SWIZZLES: dsmem 1024 instructions of 16 bytes
// SWIZZLES: dsmem 1 instruction of 128 bytes
// SWIZZLES: dsmem 8 instructions of 16 bytes
// RUN: titan check %s --kernel swizzles --require=proved | FileCheck %s --check-prefix=ACCEPTED
// RUN: titan run %s --kernel swizzles --schedule random:1 | FileCheck %s --check-prefix=BOTH
// BOTH-COUNT-2: 8192 elements equal to the reference, bit for bit
//
// Offsets that only the program knows, slots of rings, a source of more dimensions.
// RUN: titan explain copy %s --kernel slots | FileCheck %s --check-prefix=SLOTS
// SLOTS-COUNT-2: dsmem 8 instructions of 64 bytes
// RUN: titan check %s --kernel slots --require=proved | FileCheck %s --check-prefix=ACCEPTED
// RUN: titan run %s --kernel slots --schedule lazy | FileCheck %s --check-prefix=FEWER
// FEWER: 1024 elements equal to the reference, bit for bit

!rows = !titan.global<128x64xf16, strides = [64, 1]> // @MATRIX
!row_tile = !titan.shared<128x64xf16> // @TILE

// The right half goes to the left half of the peer's tile, whose right half is zero.
titan.kernel @rows(%A: !rows, %Z: !rows, %B: !rows, %peer: i32) warps(1) cluster(2, 1) attributes { // @CLUSTER
  titan.alignment = {A = 16, B = 16, Z = 16},
  titan.example = {A = "128x64 ints:1", Z = "128x64 zeros", B = "128x64", peer = 1}, titan.reference = @left // @REFERENCE
} launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %bytes = arith.constant 8192 : i32 // @BYTES
  %mine = titan.shared.alloc : !row_tile
  %theirs = titan.shared.alloc : !row_tile
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
  }
  titan.copy %Z to %theirs : !rows, !row_tile
  titan.copy %A to %mine : !rows, !row_tile
  titan.fence.proxy_async shared_cta
  titan.cluster.arrive
  titan.cluster.wait
  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  scf.if %first {
    titan.elect { // @ELECT
      titan.copy_async %mine[%c0, %c32] to %theirs[%c0, %c0] extents [128, 32] rank(%i1) signals %full : !row_tile, !row_tile, !titan.mbarrier // @SEND
    } // @ELECTED
  } else {
    titan.elect {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    }
    titan.mbarrier.wait %full parity(%i0) scope(cluster) : !titan.mbarrier
    titan.copy %theirs to %B : !row_tile, !rows
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

!matrix = !titan.global<128x64xf16, strides = [64, 1]>
!tile = !titan.shared<128x64xf16>
!swizzled = !titan.shared<128x64xf16, swizzle = 128>

// A to the peer, and back to a tile without swizzle: B. Of D rows 16 and 8 become A's rows 8 and 9.
titan.kernel @swizzles(%A: !matrix, %B: !matrix, %D: !matrix) warps(1) cluster(2, 1) attributes {
  titan.alignment = {A = 16, B = 16, D = 16},
  titan.example = {A = "128x64 ints:1", B = "128x64", D = "128x64"}, titan.reference = @two_rows
} launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %c16 = arith.constant 16 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 16384 : i32
  %two = arith.constant 256 : i32
  %a = titan.shared.alloc : !swizzled
  %b = titan.shared.alloc : !swizzled
  %c = titan.shared.alloc : !tile
  %d = titan.shared.alloc : !swizzled
  %full = titan.mbarrier.alloc : !titan.mbarrier<3>
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier<3>
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full[%c0 : index], %bytes : !titan.mbarrier<3>
    titan.mbarrier.arrive_expect_tx %full[%c1 : index], %bytes : !titan.mbarrier<3>
    titan.mbarrier.arrive_expect_tx %full[%c2 : index], %two : !titan.mbarrier<3>
  }
  titan.copy %A to %a : !matrix, !swizzled
  titan.copy %A to %d : !matrix, !swizzled
  titan.fence.proxy_async shared_cta
  titan.cluster.arrive
  titan.cluster.wait
  %rank = titan.cluster_rank
  %other = arith.xori %rank, %i1 : i32
  titan.elect {
    titan.copy_async %a to %b rank(%other) signals %full[%c0 : index] : !swizzled, !swizzled, !titan.mbarrier<3>
  }
  titan.mbarrier.wait %full[%c0 : index] parity(%i0) scope(cluster) : !titan.mbarrier<3>
  titan.elect {
    titan.copy_async %b to %c rank(%other) signals %full[%c1 : index] : !swizzled, !tile, !titan.mbarrier<3>
    titan.copy_async %a[%c8, %c0] to %d[%c16, %c0] extents [1, 64] rank(%other) signals %full[%c2 : index]
      : !swizzled, !swizzled, !titan.mbarrier<3>
    titan.copy_async %a[%c9, %c0] to %d[%c8, %c0] extents [1, 64] rank(%other) signals %full[%c2 : index]
      : !swizzled, !swizzled, !titan.mbarrier<3>
  }
  titan.mbarrier.wait %full[%c1 : index] parity(%i0) scope(cluster) : !titan.mbarrier<3>
  titan.mbarrier.wait %full[%c2 : index] parity(%i0) scope(cluster) : !titan.mbarrier<3>
  %first = arith.cmpi eq, %rank, %i0 : i32
  scf.if %first {
    titan.copy %c to %B : !tile, !matrix
    titan.copy %d to %D : !swizzled, !matrix
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

!blocks = !titan.global<16x8x64xf16, strides = [512, 64, 1]>
!three = !titan.shared<16x8x64xf16>
!ring = !titan.shared<8x64xf16, slots = 2>
!slot = !titan.shared<8x64xf16>

// Slot s of the peer's ring gets the right half of block 8 s into its left half, and the left half of the block
// behind it into its right half.
titan.kernel @slots(%A: !blocks, %B: !titan.global<16x64xf16, strides = [64, 1]>) warps(1) cluster(2, 1) attributes {
  titan.alignment = {A = 16, B = 16},
  titan.example = {A = "16x8x64 ints:1", B = "16x64"}, titan.reference = @halves
} launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 2048 : i32
  %mine = titan.shared.alloc : !three
  %ring = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
  }
  titan.copy %A to %mine : !blocks, !three
  titan.fence.proxy_async shared_cta
  titan.cluster.arrive
  titan.cluster.wait
  %rank = titan.cluster_rank
  %other = arith.xori %rank, %i1 : i32
  titan.elect {
    scf.for %s = %c0 to %c2 step %c1 {
      %block = arith.muli %s, %c8 : index
      %behind = arith.addi %block, %c1 : index
      %slot = titan.shared.slot %ring[%s : index] : !ring -> !slot
      titan.copy_async %mine[%block, %c0, %c32] to %slot[%c0, %c0] extents [8, 32] rank(%other) signals %full
        : !three, !slot, !titan.mbarrier
      titan.copy_async %mine[%behind, %c0, %c0] to %slot[%c0, %c32] extents [8, 32] rank(%other) signals %full
        : !three, !slot, !titan.mbarrier
    }
  }
  titan.mbarrier.wait %full parity(%i0) scope(cluster) : !titan.mbarrier
  %first = arith.cmpi eq, %rank, %i0 : i32
  scf.if %first {
    %slot0 = titan.shared.slot %ring[%c0 : index] : !ring -> !slot
    titan.copy %slot0 to %B[%c0, %c0] : !slot, !titan.global<16x64xf16, strides = [64, 1]>
    %slot1 = titan.shared.slot %ring[%c1 : index] : !ring -> !slot
    titan.copy %slot1 to %B[%c8, %c0] : !slot, !titan.global<16x64xf16, strides = [64, 1]>
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

#id = affine_map<(i, j) -> (i, j)>

func.func private @left(%A: memref<128x64xf16> {titan.input = "A"}, %B: memref<128x64xf32> {titan.expected = "B"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %right = arith.constant 32 : index
  %width = arith.constant 32 : index // @WIDTH
  %c128 = arith.constant 128 : index
  scf.for %i = %c0 to %c128 step %c1 {
    scf.for %j = %c0 to %width step %c1 {
      %from = arith.addi %j, %right : index
      %a = memref.load %A[%i, %from] : memref<128x64xf16>
      %x = arith.extf %a : f16 to f32
      memref.store %x, %B[%i, %j] : memref<128x64xf32>
    }
  }
  return
}
func.func private @left_of_f32(%A: memref<128x64xf32> {titan.input = "A"}, %B: memref<128x64xf32> {titan.expected = "B"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  scf.for %i = %c0 to %c128 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %from = arith.addi %j, %c32 : index
      %a = memref.load %A[%i, %from] : memref<128x64xf32>
      memref.store %a, %B[%i, %j] : memref<128x64xf32>
    }
  }
  return
}

func.func private @two_rows(%A: memref<128x64xf16> {titan.input = "A"}, %B: memref<128x64xf32> {titan.expected = "B"},
                            %D: memref<128x64xf32> {titan.expected = "D"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<128x64xf16>) outs(%B, %D : memref<128x64xf32>, memref<128x64xf32>) {
    ^bb0(%a: f16, %b: f32, %d: f32):
      %x = arith.extf %a : f16 to f32
      linalg.yield %x, %x : f32, f32
  }
  scf.for %j = %c0 to %c64 step %c1 {
    %a8 = memref.load %A[%c8, %j] : memref<128x64xf16>
    %a9 = memref.load %A[%c9, %j] : memref<128x64xf16>
    %x8 = arith.extf %a8 : f16 to f32
    %x9 = arith.extf %a9 : f16 to f32
    memref.store %x8, %D[%c16, %j] : memref<128x64xf32>
    memref.store %x9, %D[%c8, %j] : memref<128x64xf32>
  }
  return
}

func.func private @halves(%A: memref<16x8x64xf16> {titan.input = "A"}, %B: memref<16x64xf32> {titan.expected = "B"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c16 step %c1 {
    scf.for %j = %c0 to %c32 step %c1 {
      %s = arith.divui %i, %c8 : index
      %block = arith.muli %s, %c8 : index
      %behind = arith.addi %block, %c1 : index
      %row = arith.remui %i, %c8 : index
      %right = arith.addi %j, %c32 : index
      %a = memref.load %A[%block, %row, %right] : memref<16x8x64xf16>
      %b = memref.load %A[%behind, %row, %j] : memref<16x8x64xf16>
      %x = arith.extf %a : f16 to f32
      %y = arith.extf %b : f16 to f32
      memref.store %x, %B[%i, %j] : memref<16x64xf32>
      memref.store %y, %B[%i, %right] : memref<16x64xf32>
    }
  }
  return
}
