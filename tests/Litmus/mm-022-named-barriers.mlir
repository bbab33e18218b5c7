// MM-22: a named barrier orders those who arrive before those who sync.
//
// Two partitions of one warp each.
//
// RUN: titan check %s --kernel sync_sync
// RUN: titan check %s --kernel arrive_sync
// RUN: not titan check %s --kernel sync_arrive 2>&1 | FileCheck %s --check-prefix=SYNC-ARRIVE
// RUN: not titan check %s --kernel two_barriers 2>&1 | FileCheck %s --check-prefix=TWO-BARRIERS
// RUN: not titan check %s --kernel too_many_threads 2>&1 | FileCheck %s --check-prefix=TOO-MANY-THREADS
// RUN: not titan check %s --kernel too_few_threads 2>&1 | FileCheck %s --check-prefix=TOO-FEW-THREADS

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// Both sync.
titan.kernel @sync_sync(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  titan.warp_specialize {
    titan.partition "a" warps(1) {
      titan.elect {
        titan.st %one, %buf[%c0, %c0] : bf16, !tile
      }
      titan.barrier.sync 1 threads(64)
    }
    titan.partition "b" warps(1) {
      titan.barrier.sync 1 threads(64)
      %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
    }
  }
  titan.return
}

// The writer arrives and goes on; the reader syncs.
titan.kernel @arrive_sync(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  titan.warp_specialize {
    titan.partition "a" warps(1) {
      titan.elect {
        titan.st %one, %buf[%c0, %c0] : bf16, !tile
      }
      titan.barrier.arrive 1 threads(64)
    }
    titan.partition "b" warps(1) {
      titan.barrier.sync 1 threads(64)
      %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
    }
  }
  titan.return
}

// SYNC-ARRIVE: [race]
// The reader only arrives: nothing orders it.
titan.kernel @sync_arrive(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  titan.warp_specialize {
    titan.partition "a" warps(1) {
      titan.elect {
        titan.st %one, %buf[%c0, %c0] : bf16, !tile
      }
      titan.barrier.sync 1 threads(64)
    }
    titan.partition "b" warps(1) {
      titan.barrier.arrive 1 threads(64)
      %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
    }
  }
  titan.return
}

// TWO-BARRIERS: [{{deadlock|named-barrier}}]
// Each syncs at a barrier of its own.
titan.kernel @two_barriers(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  titan.warp_specialize {
    titan.partition "a" warps(1) {
      titan.elect {
        titan.st %one, %buf[%c0, %c0] : bf16, !tile
      }
      titan.barrier.sync 1 threads(64)
    }
    titan.partition "b" warps(1) {
      titan.barrier.sync 2 threads(64)
      %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
    }
  }
  titan.return
}

// TOO-MANY-THREADS: [{{deadlock|named-barrier}}]
// The barrier waits for a third warp.
titan.kernel @too_many_threads(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  titan.warp_specialize {
    titan.partition "a" warps(1) {
      titan.elect {
        titan.st %one, %buf[%c0, %c0] : bf16, !tile
      }
      titan.barrier.sync 1 threads(96)
    }
    titan.partition "b" warps(1) {
      titan.barrier.sync 1 threads(96)
      %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
    }
  }
  titan.return
}

// TOO-FEW-THREADS: [{{race|named-barrier}}]
// Each warp completes a round alone.
titan.kernel @too_few_threads(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  titan.warp_specialize {
    titan.partition "a" warps(1) {
      titan.elect {
        titan.st %one, %buf[%c0, %c0] : bf16, !tile
      }
      titan.barrier.sync 1 threads(32)
    }
    titan.partition "b" warps(1) {
      titan.barrier.sync 1 threads(32)
      %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
    }
  }
  titan.return
}
