// gfx942's loads to LDS, accesses to LDS and the waits for their counters, simulated: D = 2 * A, a block of columns
// a round, the next one on its way meanwhile; each wave loads its rows, and doubles columns.
//
// RUN: titan check %s
// RUN: titan run %s --schedule eager | FileCheck %s --check-prefix=GOOD
// RUN: titan run %s --schedule lazy | FileCheck %s --check-prefix=GOOD
// RUN: titan run %s --schedule random:1 | FileCheck %s --check-prefix=GOOD
// RUN: titan run %s --schedule lazy --hazards=off | FileCheck %s --check-prefix=GOOD
// RUN: titan run %s --schedule random:2 --hazards=off | FileCheck %s --check-prefix=GOOD
// GOOD: D (64x128xf16): 8192 elements equal to the reference, bit for bit
// By token, or all of them.
// VARIANT token: replace wait with titan.counter.wait %now : !loads
// RUN: %variant token %s | titan run - --schedule lazy
// VARIANT all: replace wait with titan.s_waitcnt vmcnt(0)
// RUN: %variant all %s | titan run - --schedule lazy
// Five of the eight instructions may be left: one of those whose block is read.
// VARIANT five: replace wait with titan.s_waitcnt vmcnt(5)
// RUN: %variant five %s | not titan check - 2>&1 | FileCheck %s --check-prefix=COUNTER
// RUN: %variant five %s | not titan run - 2>&1 | FileCheck %s --check-prefix=COUNTER
// RUN: %variant five %s | not titan run - --schedule random:3 --hazards=off
// COUNTER: [lds-counter-missing]
// The registers of a read that the wait leaves pending.
// VARIANT registers: replace arrive with %got = titan.s_waitcnt lgkmcnt(1) arrive(%coming : !comingTheirs -> !theirs)
// RUN: %variant registers %s | not titan run - 2>&1 | FileCheck %s --check-prefix=REGISTERS
// REGISTERS: [inflight-use]
// A barrier waits for no write.
// VARIANT write: drop written
// RUN: %variant write %s | not titan run - 2>&1 | FileCheck %s --check-prefix=COUNTER
// RUN: %variant write %s | not titan run - --schedule random:3 --hazards=off
// Nor for a plain store.
// VARIANT store: replace write with titan.shared.store %twice, %back : !theirs, !tile
// RUN: %variant store %s | titan run -
// VARIANT store_not_waited: as store
// VARIANT store_not_waited: drop written
// RUN: %variant store_not_waited %s | not titan check - 2>&1 | FileCheck %s --check-prefix=COUNTER
// RUN: %variant store_not_waited %s | not titan run - 2>&1 | FileCheck %s --check-prefix=COUNTER
// RUN: %variant store_not_waited %s | not titan run - --schedule random:3 --hazards=off
// Nor for who is not there: others still read what is loaded over, and still write what is read.
// VARIANT race: drop read
// RUN: %variant race %s | not titan run - --schedule lazy 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: [race]
// Who comes behind the tensor's end finds zeros there; a row is not left.
// VARIANT behind: in first `%A[%c0` -> `%A[%c1`
// RUN: %variant behind %s | titan check - --require=proved
// RUN: %variant behind %s | not titan run - 2>&1 | FileCheck %s --check-prefix=BEHIND
// BEHIND: [reference-mismatch] 1833 of 8192 elements
// VARIANT row: in first `%c0]` -> `%c112]`
// RUN: %variant row %s | not titan check - 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: [out-of-bounds] elements 112 to 143 of dimension 1 leave the tensor
// RUN: %variant row %s | not titan run - 2>&1 | FileCheck %s --check-prefix=ROW
// ROW: [out-of-bounds] index 128 of dimension 1, which has 128 elements
// A lane's word is 4 bytes: it begins at an element with an even number.
// VARIANT even: in first `%c0]` -> `%c2]`
// RUN: %variant even %s | titan check - --require=proved
// RUN: %variant even %s | not titan run - 2>&1 | FileCheck %s --check-prefix=EVEN
// EVEN: [reference-mismatch]
// VARIANT odd: in first `%c0]` -> `%c1]`
// RUN: %variant odd %s | not titan check - 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: %variant odd %s | not titan run - 2>&1 | FileCheck %s --check-prefix=ODD
// ODD: [misaligned]

#rows = #titan.blocked<elements = [1, 2], lanes = [4, 16], warps = [4, 1]>
#columns = #titan.blocked<elements = [1, 2], lanes = [16, 4], warps = [1, 4]>
!matrix = !titan.global<64x128xf16>
!tile = !titan.shared<64x32xf16>
!ring = !titan.shared<64x32xf16, slots = 2>
!loads = !titan.token<counter>
!mine = tensor<64x32xf16, #rows>
!theirs = tensor<64x32xf16, #columns>
!comingMine = !titan.inflight<tensor<64x32xf16, #rows>>
!comingTheirs = !titan.inflight<tensor<64x32xf16, #columns>>
!index = tensor<64x32xi32, #rows>

titan.kernel @double(%A: !matrix, %D: !matrix) warps(4) attributes {
  titan.target = "gfx942",
  titan.example = {A = "64x128 ints:3", D = "64x128"},
  titan.reference = @double_reference
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c112 = arith.constant 112 : index
  %lds = titan.shared.alloc : !ring
  %back = titan.shared.alloc : !tile
  %i = titan.coordinate 0 : !index
  %j = titan.coordinate 1 : !index
  %slot = titan.shared.slot %lds[%c0 : index] : !ring -> !tile
  %first = titan.buffer_load_lds %A[%c0, %c0], %slot : !matrix, !tile -> !loads // @first
  %last = scf.for %k = %c0 to %c4 step %c1 iter_args(%now = %first) -> (!loads) {
    %after = arith.addi %k, %c1 : index
    %block = arith.minui %after, %c3 : index
    %from = arith.muli %block, %c32 : index
    %s = arith.remui %k, %c2 : index
    %t = arith.remui %after, %c2 : index
    %here = titan.shared.slot %lds[%s : index] : !ring -> !tile
    %there = titan.shared.slot %lds[%t : index] : !ring -> !tile
    %next = titan.buffer_load_lds %A[%c0, %from], %there : !matrix, !tile -> !loads
    titan.s_waitcnt vmcnt(4) // @wait
    titan.s_barrier
    %coming = titan.ds_read %here : !tile -> !comingTheirs
    %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !comingTheirs -> !theirs) // @arrive
    %twice = arith.addf %got, %got : !theirs
    titan.ds_write %twice, %back : !theirs, !tile // @write
    titan.s_waitcnt lgkmcnt(0) // @written
    titan.s_barrier // @read
    %returning = titan.ds_read %back : !tile -> !comingMine
    %mine = titan.s_waitcnt lgkmcnt(0) arrive(%returning : !comingMine -> !mine)
    %column = arith.muli %k, %c32 : index
    %number = arith.index_cast %column : index to i32
    %offset = titan.splat %number : i32 -> !index
    %at = arith.addi %j, %offset : !index
    titan.global.store %mine, %D[%i, %at] : !mine, !matrix, !index, !index
    scf.yield %next : !loads
  }
  titan.s_waitcnt vmcnt(0)
  titan.return
}

func.func private @double_reference(%A: memref<64x128xf16> {titan.input = "A"},
                                    %D: memref<64x128xf32> {titan.expected = "D"}) {
  linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<64x128xf16>) outs(%D : memref<64x128xf32>) {
  ^bb0(%a: f16, %d: f32):
    %wide = arith.extf %a : f16 to f32
    %twice = arith.addf %wide, %wide : f32
    linalg.yield %twice : f32
  }
  return
}
