// Coordinate 0 of a tensor copy is a multiple of 16 bytes, here of 8 elements. It is shown by the
// powers of two that divide what it is computed from; a launch that shows another start is an
// error, and what shows neither is undecided.
//
// RUN: titan check %s --kernel quotient
// RUN: titan check %s --kernel carried
// RUN: titan check %s --kernel chosen
// RUN: titan check %s --kernel required
// RUN: titan check %s --kernel required_of_a_size
// RUN: not titan check %s --kernel ids 2>&1 | FileCheck %s --check-prefix=IDS
// IDS: error: [tma-coordinate-alignment] coordinate 0, the innermost, is 4, no multiple of 8 elements (16 bytes)
// RUN: not titan check %s --kernel argument 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT: error: [tma-coordinate-alignment]
// RUN: not titan check %s --kernel third 2>&1 | FileCheck %s --check-prefix=THIRD
// THIRD: error: [{{tma-coordinate-alignment|undecided}}] {{.*}}coordinate 0, the innermost, is
// RUN: not titan check %s --kernel drifting 2>&1 | FileCheck %s --check-prefix=DRIFTING
// DRIFTING: error: [{{tma-coordinate-alignment|undecided}}] {{.*}}coordinate 0, the innermost, is
// RUN: not titan check %s --kernel unseen 2>&1 | FileCheck %s --check-prefix=UNSEEN
// What data promises (titan.assume).
// RUN: titan check %s --kernel data --require=proved
// VARIANT unpromised: drop promise
// RUN: %variant unpromised %s | not titan check - --kernel data 2>&1 | FileCheck %s --check-prefix=UNSEEN
// VARIANT four: in promise `%whole` -> `%half`
// RUN: %variant four %s | not titan check - --kernel data 2>&1 | FileCheck %s --check-prefix=DRIFTING
// UNSEEN: error: [undecided] that coordinate 0, the innermost, is a multiple of 8 elements, as the copy asks

!x = !titan.global<?x?xbf16>
!t = !titan.shared<8x64xbf16, swizzle = 128>
!m = !titan.tensor_map<8x64xbf16, swizzle = 128>

// 16 / 2 is 8.
titan.kernel @quotient(%X: !x, %N: i32) warps(1) attributes {
  titan.example = {sizes = {M = 64, K = 640}, X = "MxK random:1", N = 16 : i32}
} launch {
  %two = arith.constant 2 : index
  %map = titan.tensor_map %X : !x -> !m
  titan.launch grid(%two) with(%map : !m)
} body(%map: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %p = arith.constant 0 : i32
  %bytes = arith.constant 1024 : i32
  %id = titan.cta_id 0
  %k = titan.dim %X, 1 : !x
  %n = arith.index_cast %N : i32 to index
  %y = arith.muli %id, %c16 : index
  %x = arith.divui %y, %c2 : index
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.tma.load %map[%c0, %x], %t, %full : !m, !t, !titan.mbarrier
    titan.mbarrier.wait %full parity(%p) : !titan.mbarrier
  }
  titan.return
}

// What a loop carries starts and steps by multiples of 8.
titan.kernel @carried(%X: !x, %N: i32) warps(1) attributes {
  titan.example = {sizes = {M = 64, K = 640}, X = "MxK random:1", N = 16 : i32}
} launch {
  %two = arith.constant 2 : index
  %map = titan.tensor_map %X : !x -> !m
  titan.launch grid(%two) with(%map : !m)
} body(%map: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %p = arith.constant 0 : i32
  %bytes = arith.constant 1024 : i32
  %id = titan.cta_id 0
  %k = titan.dim %X, 1 : !x
  %n = arith.index_cast %N : i32 to index
  %x = scf.for %i = %c0 to %c3 step %c1 iter_args(%from = %c16) -> (index) {
    %next = arith.addi %from, %c24 : index
    scf.yield %next : index
  }
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.tma.load %map[%c0, %x], %t, %full : !m, !t, !titan.mbarrier
    titan.mbarrier.wait %full parity(%p) : !titan.mbarrier
  }
  titan.return
}

// Each of both is one.
titan.kernel @chosen(%X: !x, %N: i32) warps(1) attributes {
  titan.example = {sizes = {M = 64, K = 640}, X = "MxK random:1", N = 16 : i32}
} launch {
  %two = arith.constant 2 : index
  %map = titan.tensor_map %X : !x -> !m
  titan.launch grid(%two) with(%map : !m)
} body(%map: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %p = arith.constant 0 : i32
  %bytes = arith.constant 1024 : i32
  %id = titan.cta_id 0
  %k = titan.dim %X, 1 : !x
  %n = arith.index_cast %N : i32 to index
  %first = arith.cmpi eq, %id, %c0 : index
  %y = arith.shli %id, %c4 : index
  %x = arith.select %first, %c24, %y : index
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.tma.load %map[%c0, %x], %t, %full : !m, !t, !titan.mbarrier
    titan.mbarrier.wait %full parity(%p) : !titan.mbarrier
  }
  titan.return
}

// The launch promises it.
titan.kernel @required(%X: !x, %N: i32) warps(1) attributes {
  titan.example = {sizes = {M = 64, K = 640}, X = "MxK random:1", N = 16 : i32}
} launch {
  %two = arith.constant 2 : index
  %eight = arith.constant 8 : i32
  %zero = arith.constant 0 : i32
  %rest = arith.remsi %N, %eight : i32
  %good = arith.cmpi eq, %rest, %zero : i32
  titan.require %good, "launch-check", "N is a multiple of 8"
  %map = titan.tensor_map %X : !x -> !m
  titan.launch grid(%two) with(%map : !m)
} body(%map: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %p = arith.constant 0 : i32
  %bytes = arith.constant 1024 : i32
  %id = titan.cta_id 0
  %k = titan.dim %X, 1 : !x
  %n = arith.index_cast %N : i32 to index
  %x = arith.addi %n, %c16 : index
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.tma.load %map[%c0, %x], %t, %full : !m, !t, !titan.mbarrier
    titan.mbarrier.wait %full parity(%p) : !titan.mbarrier
  }
  titan.return
}

// A size is the same wherever it is asked for.
titan.kernel @required_of_a_size(%X: !x, %N: i32) warps(1) attributes {
  titan.example = {sizes = {M = 64, K = 640}, X = "MxK random:1", N = 16 : i32}
} launch {
  %two = arith.constant 2 : index
  %eight = arith.constant 8 : index
  %zero = arith.constant 0 : index
  %k = titan.dim %X, 1 : !x
  %rest = arith.remui %k, %eight : index
  %good = arith.cmpi eq, %rest, %zero : index
  titan.require %good, "launch-check", "K is a multiple of 8"
  %map = titan.tensor_map %X : !x -> !m
  titan.launch grid(%two) with(%map : !m)
} body(%map: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %p = arith.constant 0 : i32
  %bytes = arith.constant 1024 : i32
  %id = titan.cta_id 0
  %k = titan.dim %X, 1 : !x
  %n = arith.index_cast %N : i32 to index
  %x = arith.maxui %k, %c16 : index
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.tma.load %map[%c0, %x], %t, %full : !m, !t, !titan.mbarrier
    titan.mbarrier.wait %full parity(%p) : !titan.mbarrier
  }
  titan.return
}

// CTA 1 starts at element 4.
titan.kernel @ids(%X: !x, %N: i32) warps(1) attributes {
  titan.example = {sizes = {M = 64, K = 640}, X = "MxK random:1", N = 16 : i32}
} launch {
  %two = arith.constant 2 : index
  %map = titan.tensor_map %X : !x -> !m
  titan.launch grid(%two) with(%map : !m)
} body(%map: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %p = arith.constant 0 : i32
  %bytes = arith.constant 1024 : i32
  %id = titan.cta_id 0
  %k = titan.dim %X, 1 : !x
  %n = arith.index_cast %N : i32 to index
  %x = arith.muli %id, %c4 : index
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.tma.load %map[%c0, %x], %t, %full : !m, !t, !titan.mbarrier
    titan.mbarrier.wait %full parity(%p) : !titan.mbarrier
  }
  titan.return
}

// Any number, times 2.
titan.kernel @argument(%X: !x, %N: i32) warps(1) attributes {
  titan.example = {sizes = {M = 64, K = 640}, X = "MxK random:1", N = 16 : i32}
} launch {
  %two = arith.constant 2 : index
  %map = titan.tensor_map %X : !x -> !m
  titan.launch grid(%two) with(%map : !m)
} body(%map: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %p = arith.constant 0 : i32
  %bytes = arith.constant 1024 : i32
  %id = titan.cta_id 0
  %k = titan.dim %X, 1 : !x
  %n = arith.index_cast %N : i32 to index
  %x = arith.muli %n, %c2 : index
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.tma.load %map[%c0, %x], %t, %full : !m, !t, !titan.mbarrier
    titan.mbarrier.wait %full parity(%p) : !titan.mbarrier
  }
  titan.return
}

// A third of the columns, which may be any number.
titan.kernel @third(%X: !x, %N: i32) warps(1) attributes {
  titan.example = {sizes = {M = 64, K = 640}, X = "MxK random:1", N = 16 : i32}
} launch {
  %two = arith.constant 2 : index
  %map = titan.tensor_map %X : !x -> !m
  titan.launch grid(%two) with(%map : !m)
} body(%map: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %p = arith.constant 0 : i32
  %bytes = arith.constant 1024 : i32
  %id = titan.cta_id 0
  %k = titan.dim %X, 1 : !x
  %n = arith.index_cast %N : i32 to index
  %x = arith.divui %k, %c3 : index
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.tma.load %map[%c0, %x], %t, %full : !m, !t, !titan.mbarrier
    titan.mbarrier.wait %full parity(%p) : !titan.mbarrier
  }
  titan.return
}

// A loop that steps by 4 less each time.
titan.kernel @drifting(%X: !x, %N: i32) warps(1) attributes {
  titan.example = {sizes = {M = 64, K = 640}, X = "MxK random:1", N = 16 : i32}
} launch {
  %two = arith.constant 2 : index
  %map = titan.tensor_map %X : !x -> !m
  titan.launch grid(%two) with(%map : !m)
} body(%map: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %p = arith.constant 0 : i32
  %bytes = arith.constant 1024 : i32
  %id = titan.cta_id 0
  %k = titan.dim %X, 1 : !x
  %n = arith.index_cast %N : i32 to index
  %x:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%from = %c16, %step = %c24) -> (index, index) {
    %next = arith.addi %from, %step : index
    %less = arith.subi %step, %c4 : index
    scf.yield %next, %less : index, index
  }
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.tma.load %map[%c0, %x#0], %t, %full : !m, !t, !titan.mbarrier
    titan.mbarrier.wait %full parity(%p) : !titan.mbarrier
  }
  titan.return
}

// One of two neighbours is even: true, and not seen.
titan.kernel @unseen(%X: !x, %N: i32) warps(1) attributes {
  titan.example = {sizes = {M = 64, K = 640}, X = "MxK random:1", N = 16 : i32}
} launch {
  %two = arith.constant 2 : index
  %map = titan.tensor_map %X : !x -> !m
  titan.launch grid(%two) with(%map : !m)
} body(%map: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %p = arith.constant 0 : i32
  %bytes = arith.constant 1024 : i32
  %id = titan.cta_id 0
  %k = titan.dim %X, 1 : !x
  %n = arith.index_cast %N : i32 to index
  %neighbour = arith.addi %n, %c1 : index
  %both = arith.muli %n, %neighbour : index
  %x = arith.muli %both, %c4 : index
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.tma.load %map[%c0, %x], %t, %full : !m, !t, !titan.mbarrier
    titan.mbarrier.wait %full parity(%p) : !titan.mbarrier
  }
  titan.return
}

// Columns that begin where data says, at multiples of 8.
titan.kernel @data(%X: !x, %columns: !titan.global<?xi32>) warps(1) launch {
  %n = titan.dim %columns, 0 : !titan.global<?xi32>
  %map = titan.tensor_map %X : !x -> !m
  titan.launch grid(%n) with(%map : !m)
} body(%map: !m) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %p = arith.constant 0 : i32
  %bytes = arith.constant 1024 : i32
  %id = titan.cta_id 0
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    %at32 = titan.ld %columns[%id] : !titan.global<?xi32> -> i32
    %at = arith.index_castui %at32 : i32 to index
    %rest = arith.remui %at, %c8 : index
    %rest4 = arith.remui %at, %c4 : index
    %whole = arith.cmpi eq, %rest, %c0 : index
    %half = arith.cmpi eq, %rest4, %c0 : index
    titan.assume %whole, "columns begin at multiples of 8" // @promise
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.tma.load %map[%c0, %at], %t, %full : !m, !t, !titan.mbarrier
    titan.mbarrier.wait %full parity(%p) : !titan.mbarrier
  }
  titan.return
}
