// MM-3: bytes that nobody wrote are poison, and are not computed with.
//
// A tile of shared memory is read, and what was read is computed with.
//
// RUN: titan check %s --kernel written
// RUN: not titan check %s --kernel never_written 2>&1 | FileCheck %s --check-prefix=NEVER-WRITTEN
// RUN: not titan check %s --kernel other_slot 2>&1 | FileCheck %s --check-prefix=OTHER-SLOT
// RUN: not titan check %s --kernel stored_unwritten 2>&1 | FileCheck %s --check-prefix=STORED-UNWRITTEN
// RUN: not titan run %s --kernel stored_unwritten --arg A=zeros --arg D=zeros --hazards=off 2>&1 | FileCheck %s --check-prefix=RUNS
// RUN: not titan check %s --kernel before_the_copy 2>&1 | FileCheck %s --check-prefix=BEFORE-THE-COPY

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
#columns = #titan.blocked<elements = [8, 1], lanes = [8, 4], warps = [1, 4]>
!regC   = tensor<64x64xbf16, #columns>
!ring   = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>

// The reader reads what was written.
titan.kernel @written(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.cta_sync
  %x = titan.shared.load %buf : !tile -> !regC
  %y = arith.addf %x, %x : !regC
  titan.return
}

// NEVER-WRITTEN: [undefined-read]
// Nobody writes the tile.
titan.kernel @never_written(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %buf = titan.shared.alloc : !tile
  %x = titan.shared.load %buf : !tile -> !regC
  %y = arith.addf %x, %x : !regC
  titan.return
}

// OTHER-SLOT: [undefined-read]
// The other slot is written.
titan.kernel @other_slot(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : bf16
  %ring = titan.shared.alloc : !ring
  %first = titan.shared.slot %ring[%c0 : index] : !ring -> !tile
  %second = titan.shared.slot %ring[%c1 : index] : !ring -> !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %first : !reg, !tile
  titan.cta_sync
  %x = titan.shared.load %second : !tile -> !regC
  %y = arith.addf %x, %x : !regC
  titan.return
}

// STORED-UNWRITTEN: [undefined-read]
// RUNS: [undefined-read] 'titan.tma.store' reads %buf, which was never written
// RUNS: fix: copy or store to %buf before this reads it
// A TMA store would give poison to an output.
titan.kernel @stored_unwritten(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %buf = titan.shared.alloc : !tile
  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%c0, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

// BEFORE-THE-COPY: [undefined-read]
// Read before the copy that fills it: the warning of MM-34 is not all.
titan.kernel @before_the_copy(%A: !global, %D: !global) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %x = titan.shared.load %buf : !tile -> !reg
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %sum = arith.addf %x, %x : !reg
  titan.return
}
