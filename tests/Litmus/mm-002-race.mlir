// MM-2, MM-20: conflicting accesses are ordered, or the program is refused.
//
// A tile is written by rows and read by columns, so that every thread reads
// what others wrote.
//
// RUN: titan check %s --kernel ordered
// RUN: not titan check %s --kernel no_barrier 2>&1 | FileCheck %s --check-prefix=NO-BARRIER
// RUN: not titan check %s --kernel write_write 2>&1 | FileCheck %s --check-prefix=WRITE-WRITE
// RUN: not titan check %s --kernel barrier_too_early 2>&1 | FileCheck %s --check-prefix=BARRIER-TOO-EARLY
// RUN: titan check %s --kernel own_elements
// RUN: not titan check %s --kernel after_read 2>&1 | FileCheck %s --check-prefix=AFTER-READ

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
#columns = #titan.blocked<elements = [8, 1], lanes = [8, 4], warps = [1, 4]>
!regC   = tensor<64x64xbf16, #columns>

// The barrier orders every write before every read.
titan.kernel @ordered(%A: !global, %D: !global) warps(4) launch {
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
  titan.return
}

// NO-BARRIER: [race]
// Nothing orders the warps.
titan.kernel @no_barrier(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  %x = titan.shared.load %buf : !tile -> !regC
  titan.return
}

// WRITE-WRITE: [race]
// Two warps write the same element.
titan.kernel @write_write(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile

     titan.elect {
       titan.st %one, %buf[%c0, %c0] : bf16, !tile
     }
  titan.return
}

// BARRIER-TOO-EARLY: [race]
// The barrier stands before the write.
titan.kernel @barrier_too_early(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  titan.cta_sync
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  %x = titan.shared.load %buf : !tile -> !regC
  titan.return
}

// Every thread reads what it wrote itself: program order is enough.
titan.kernel @own_elements(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// AFTER-READ: [race]
// The next write is not ordered after the reads of other warps.
titan.kernel @after_read(%A: !global, %D: !global) warps(4) launch {
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
  titan.shared.store %v, %buf : !reg, !tile
  titan.return
}
