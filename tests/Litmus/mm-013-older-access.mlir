// MM-2, MM-13, MM-43, MM-48: an access that stands in no order with the latest one still counts.
//
// Two accesses to one place may be good without order: both strong, or parts of
// one reduction. A third one must be right with each of them.
//
// RUN: titan check %s --kernel all_ordered
// RUN: not titan check %s --kernel older_store 2>&1 | FileCheck %s --check-prefix=OLDER-STORE
// RUN: not titan check %s --kernel older_read 2>&1 | FileCheck %s --check-prefix=OLDER-READ
// RUN: titan check %s --kernel strong_reads
// RUN: not titan check %s --kernel weak_read 2>&1 | FileCheck %s --check-prefix=WEAK-READ
// RUN: titan check %s --kernel writers_fence
// RUN: not titan check %s --kernel adder_fences 2>&1 | FileCheck %s --check-prefix=ADDER-FENCES
// RUN: titan check %s --kernel both_reductions
// RUN: not titan check %s --kernel other_reduction 2>&1 | FileCheck %s --check-prefix=OTHER-REDUCTION

!cell   = !titan.shared<32xi32>
!peers  = !titan.shared<32xi32, cluster>
!out    = !titan.global<32xi32>
!map    = !titan.tensor_map<32xi32>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>

// The third access is ordered after both.
titan.kernel @all_ordered(%D: !out) warps(4) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %cell = titan.shared.alloc : !cell
  titan.elect warp(0) {
    titan.st %i0, %cell[%c0] : i32, !cell
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.st %i1, %cell[%c0] sem(relaxed) scope(cta) : i32, !cell
  }
  titan.elect warp(1) {
    titan.st %i2, %cell[%c0] sem(relaxed) scope(cta) : i32, !cell
  }
  titan.cta_sync
  titan.elect warp(1) {
    %x = titan.ld %cell[%c0] : !cell -> i32
  }
  titan.return
}

// OLDER-STORE: [race]
// It is ordered after its own thread's store only.
titan.kernel @older_store(%D: !out) warps(4) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %cell = titan.shared.alloc : !cell
  titan.elect warp(0) {
    titan.st %i0, %cell[%c0] : i32, !cell
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.st %i1, %cell[%c0] sem(relaxed) scope(cta) : i32, !cell
  }
  titan.elect warp(1) {
    titan.st %i2, %cell[%c0] sem(relaxed) scope(cta) : i32, !cell
    %x = titan.ld %cell[%c0] : !cell -> i32
  }
  titan.return
}

// OLDER-READ: [race]
// The weak store comes after the strong one, in no order with the read.
titan.kernel @older_read(%D: !out) warps(4) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %cell = titan.shared.alloc : !cell
  titan.elect warp(0) {
    titan.st %i0, %cell[%c0] : i32, !cell
  }
  titan.cta_sync
  titan.elect warp(0) {
    %x = titan.ld %cell[%c0] sem(relaxed) scope(cta) : !cell -> i32
  }
  titan.elect warp(1) {
    titan.st %i1, %cell[%c0] sem(relaxed) scope(cta) : i32, !cell
    titan.st %i2, %cell[%c0] : i32, !cell
  }
  titan.return
}

// Strong reads beside a strong store.
titan.kernel @strong_reads(%D: !out) warps(4) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %cell = titan.shared.alloc : !cell
  titan.elect warp(0) {
    titan.st %i0, %cell[%c0] : i32, !cell
  }
  titan.cta_sync
  titan.elect warp(0) {
    %x = titan.ld %cell[%c0] sem(relaxed) scope(cta) : !cell -> i32
    %y = titan.ld %cell[%c0] sem(relaxed) scope(cta) : !cell -> i32
  }
  titan.elect warp(1) {
    titan.st %i1, %cell[%c0] sem(relaxed) scope(cta) : i32, !cell
  }
  titan.return
}

// WEAK-READ: [race]
// One of them is weak.
titan.kernel @weak_read(%D: !out) warps(4) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %cell = titan.shared.alloc : !cell
  titan.elect warp(0) {
    titan.st %i0, %cell[%c0] : i32, !cell
  }
  titan.cta_sync
  titan.elect warp(0) {
    %x = titan.ld %cell[%c0] : !cell -> i32
    %y = titan.ld %cell[%c0] sem(relaxed) scope(cta) : !cell -> i32
  }
  titan.elect warp(1) {
    titan.st %i1, %cell[%c0] sem(relaxed) scope(cta) : i32, !cell
  }
  titan.return
}

// Who wrote what is added to fences, too.
titan.kernel @writers_fence(%D: !out) warps(4) launch {
  %grid = arith.constant 1 : index
  %map = titan.tensor_map %D : !out -> !map
  titan.launch grid(%grid) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %i1 = arith.constant 1 : i32
  %cell = titan.shared.alloc : !cell
  titan.elect warp(1) {
    scf.for %i = %c0 to %c32 step %c1 {
      titan.st %i1, %cell[%i] : i32, !cell
    }
    titan.fence.proxy_async shared_cta
  }
  titan.cta_sync
  titan.elect warp(0) {
    scf.for %i = %c0 to %c32 step %c1 {
      %old = titan.atom add %i1, %cell[%i] sem(relaxed) scope(cta) : i32, !cell -> i32
    }
    titan.fence.proxy_async shared_cta
    titan.tma.store %cell, %map[%c0] : !cell, !map
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group read : !bulk
  }
  titan.return
}

// ADDER-FENCES: [proxy-fence-missing]
// Only the one who adds does.
titan.kernel @adder_fences(%D: !out) warps(4) launch {
  %grid = arith.constant 1 : index
  %map = titan.tensor_map %D : !out -> !map
  titan.launch grid(%grid) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %i1 = arith.constant 1 : i32
  %cell = titan.shared.alloc : !cell
  titan.elect warp(1) {
    scf.for %i = %c0 to %c32 step %c1 {
      titan.st %i1, %cell[%i] : i32, !cell
    }
  }
  titan.cta_sync
  titan.elect warp(0) {
    scf.for %i = %c0 to %c32 step %c1 {
      %old = titan.atom add %i1, %cell[%i] sem(relaxed) scope(cta) : i32, !cell -> i32
    }
    titan.fence.proxy_async shared_cta
    titan.tma.store %cell, %map[%c0] : !cell, !map
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group read : !bulk
  }
  titan.return
}

// Both reductions are complete before their sum is read.
titan.kernel @both_reductions(%D: !out) warps(4) launch {
  %grid = arith.constant 1 : index
  %map = titan.tensor_map %D : !out -> !map
  titan.launch grid(%grid) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i128 = arith.constant 128 : i32
  %cell = titan.shared.alloc : !cell
  %back = titan.shared.alloc : !cell
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
    scf.for %i = %c0 to %c32 step %c1 {
      titan.st %i1, %cell[%i] : i32, !cell
    }
    titan.fence.proxy_async shared_cta
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.tma.reduce add %cell, %map[%c0] : !cell, !map
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group : !bulk
  }
  titan.cta_sync
  titan.elect warp(1) {
    titan.tma.reduce add %cell, %map[%c0] : !cell, !map
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group : !bulk
    titan.mbarrier.arrive_expect_tx %full, %i128 : !bar
    titan.tma.load %map[%c0], %back, %full : !map, !cell, !bar
  }
  titan.elect warp(1) {
    titan.mbarrier.wait %full parity(%i0) : !bar
  }
  titan.return
}

// OTHER-REDUCTION: [completion-not-observed]
// That of the other thread need not be.
titan.kernel @other_reduction(%D: !out) warps(4) launch {
  %grid = arith.constant 1 : index
  %map = titan.tensor_map %D : !out -> !map
  titan.launch grid(%grid) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i128 = arith.constant 128 : i32
  %cell = titan.shared.alloc : !cell
  %back = titan.shared.alloc : !cell
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
    scf.for %i = %c0 to %c32 step %c1 {
      titan.st %i1, %cell[%i] : i32, !cell
    }
    titan.fence.proxy_async shared_cta
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.tma.reduce add %cell, %map[%c0] : !cell, !map
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group read : !bulk
  }
  titan.elect warp(1) {
    titan.tma.reduce add %cell, %map[%c0] : !cell, !map
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group : !bulk
    titan.mbarrier.arrive_expect_tx %full, %i128 : !bar
    titan.tma.load %map[%c0], %back, %full : !map, !cell, !bar
  }
  titan.elect warp(1) {
    titan.mbarrier.wait %full parity(%i0) : !bar
  }
  titan.return
}
