// MM-10, MM-12: what one thread does is in order; each warp is an agent of its own.
//
// A thread writes a cell of shared memory, and it or another reads it.
//
// RUN: titan check %s --kernel one_thread
// RUN: titan check %s --kernel two_elects
// RUN: not titan check %s --kernel two_warps 2>&1 | FileCheck %s --check-prefix=TWO-WARPS
// RUN: titan check %s --kernel two_warps_ordered
// RUN: not titan check %s --kernel written_again 2>&1 | FileCheck %s --check-prefix=WRITTEN-AGAIN
// RUN: titan check %s --kernel loop
// RUN: not titan check %s --kernel loop_of_all_warps 2>&1 | FileCheck %s --check-prefix=LOOP-OF-ALL-WARPS
// RUN: titan check %s --kernel own_cells
// RUN: not titan check %s --kernel others_cells 2>&1 | FileCheck %s --check-prefix=OTHERS-CELLS
// RUN: titan check %s --kernel partition_of_one
// RUN: not titan check %s --kernel partition_of_four 2>&1 | FileCheck %s --check-prefix=PARTITION-OF-FOUR

!cells = !titan.shared<32xi32>

// A thread reads what it has written.
titan.kernel @one_thread(%rounds: i32) warps(4) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %cells = titan.shared.alloc : !cells
  titan.elect warp(0) {
    titan.st %i1, %cells[%c0] : i32, !cells
    %x = titan.ld %cells[%c0] : !cells -> i32
  }
  titan.return
}

// Two elects of one warp are one thread.
titan.kernel @two_elects(%rounds: i32) warps(4) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %cells = titan.shared.alloc : !cells
  titan.elect warp(0) {
    titan.st %i1, %cells[%c0] : i32, !cells
  }
  titan.elect warp(0) {
    %x = titan.ld %cells[%c0] : !cells -> i32
  }
  titan.return
}

// TWO-WARPS: [race]
// Of two warps they are two.
titan.kernel @two_warps(%rounds: i32) warps(4) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %cells = titan.shared.alloc : !cells
  titan.elect warp(0) {
    titan.st %i1, %cells[%c0] : i32, !cells
  }
  titan.elect warp(1) {
    %x = titan.ld %cells[%c0] : !cells -> i32
  }
  titan.return
}

// A barrier orders them.
titan.kernel @two_warps_ordered(%rounds: i32) warps(4) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %cells = titan.shared.alloc : !cells
  titan.elect warp(0) {
    titan.st %i1, %cells[%c0] : i32, !cells
  }
  titan.cta_sync
  titan.elect warp(1) {
    %x = titan.ld %cells[%c0] : !cells -> i32
  }
  titan.return
}

// WRITTEN-AGAIN: [race]
// The next write of the first one does not wait for the read.
titan.kernel @written_again(%rounds: i32) warps(4) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %cells = titan.shared.alloc : !cells
  titan.elect warp(0) {
    titan.st %i1, %cells[%c0] : i32, !cells
  }
  titan.cta_sync
  titan.elect warp(1) {
    %x = titan.ld %cells[%c0] : !cells -> i32
  }
  titan.elect warp(0) {
    titan.st %i0, %cells[%c0] : i32, !cells
  }
  titan.return
}

// From one round of a loop to the next, too.
titan.kernel @loop(%rounds: i32) warps(4) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %cells = titan.shared.alloc : !cells
  titan.elect warp(0) {
    titan.st %i1, %cells[%c0] : i32, !cells
  }
  scf.for %i = %i0 to %rounds step %i1 : i32 {
    titan.elect warp(0) {
      %x = titan.ld %cells[%c0] : !cells -> i32
      %y = arith.addi %x, %i1 : i32
      titan.st %y, %cells[%c0] : i32, !cells
    }
  }
  titan.return
}

// LOOP-OF-ALL-WARPS: [race]
// Each warp has a thread that does it.
titan.kernel @loop_of_all_warps(%rounds: i32) warps(4) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %cells = titan.shared.alloc : !cells
  titan.elect warp(0) {
    titan.st %i1, %cells[%c0] : i32, !cells
  }
  titan.cta_sync
  scf.for %i = %i0 to %rounds step %i1 : i32 {
    titan.elect {
      %x = titan.ld %cells[%c0] : !cells -> i32
      %y = arith.addi %x, %i1 : i32
      titan.st %y, %cells[%c0] : i32, !cells
    }
  }
  titan.return
}

// Each warp has a cell of its own.
titan.kernel @own_cells(%rounds: i32) warps(4) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %cells = titan.shared.alloc : !cells
  %warp = titan.warp_id
  %at = arith.index_cast %warp : i32 to index
  titan.elect {
    titan.st %i1, %cells[%at] : i32, !cells
  }
  titan.elect {
    %x = titan.ld %cells[%at] : !cells -> i32
  }
  titan.return
}

// OTHERS-CELLS: [race]
// Each reads its neighbour's.
titan.kernel @others_cells(%rounds: i32) warps(4) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %cells = titan.shared.alloc : !cells
  %c1 = arith.constant 1 : index
  titan.elect warp(0) {
    titan.st %i1, %cells[%c0] : i32, !cells
  }
  titan.cta_sync
  %warp = titan.warp_id
  %at = arith.index_cast %warp : i32 to index
  titan.elect {
    titan.st %i1, %cells[%at] : i32, !cells
  }
  %next = arith.xori %at, %c1 : index
  titan.elect {
    %x = titan.ld %cells[%next] : !cells -> i32
  }
  titan.return
}

// A partition of one warp is one agent.
titan.kernel @partition_of_one(%rounds: i32) warps(4) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %cells = titan.shared.alloc : !cells
  titan.warp_specialize {
    titan.partition "one" warps(1) {
      titan.elect {
        titan.st %i1, %cells[%c0] : i32, !cells
      }
    }
  }
  titan.return
}

// PARTITION-OF-FOUR: [race]
// One of four warps is four.
titan.kernel @partition_of_four(%rounds: i32) warps(4) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %cells = titan.shared.alloc : !cells
  titan.warp_specialize {
    titan.partition "one" warps(4) {
      titan.elect {
        titan.st %i1, %cells[%c0] : i32, !cells
      }
    }
  }
  titan.return
}
