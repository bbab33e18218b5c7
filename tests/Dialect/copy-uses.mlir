// RUN: titan explain tma %s | FileCheck %s
//
// What the holes of a tile reach says which correctness its copy needs (docs/tma.md, What
// is needed). Tiles of 2 x 64, whose columns have holes: K is any number. No kernel here
// is run; tests/Programs/copy-uses.mlir is.

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 2) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<64x?xf32>
!a = !titan.shared<2x64xf32>
!ring = !titan.shared<2x64xf32, slots = 2>
#rows = #titan.blocked<elements = [1, 4], lanes = [2, 16], warps = [1, 1]>
!v = tensor<2x64xf32, #rows>
!i = tensor<2x64xi32, #rows>
!b = tensor<2x64xi1, #rows>

// Stored as it is: no hole changes an element.
// CHECK: @stored, {{.*}}; weak: no hole reaches an unpredicated reduction
titan.kernel @stored(%X: !x, %Y: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %a = titan.shared.alloc : !a
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.copy_async %X at(Mo = %c0, Ko = %c0) to %a signals %full schedule(#tile) : !x, !a, !titan.mbarrier
    titan.copy_async %a to %Y at(Mo = %c0, Ko = %c0) schedule(#tile) : !a, !x
  }
  %x = titan.shared.load %a : !a -> !v
  %e = math.exp %x : !v
  %i = titan.coordinate 0 : !i
  %j = titan.coordinate 1 : !i
  titan.global.store %e, %Y[%i, %j] : !v, !x, !i, !i
  titan.return
}

// Added up in a loop, and summed behind it.
// CHECK: @loop, {{.*}}; strong: arith.addf takes elements along dimension 1 of the tile together, and some of them may be holes, in which only zero leaves its result right
titan.kernel @loop(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %zero = arith.constant 0.0 : f32
  %none = titan.splat %zero : f32 -> !v
  %a = titan.shared.alloc : !a
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %sums = scf.for %k = %c0 to %c9 step %c1 iter_args(%before = %none) -> (!v) {
    titan.elect {
      titan.copy_async %X at(Mo = %c0, Ko = %k) to %a signals %full schedule(#tile) : !x, !a, !titan.mbarrier
    }
    %x = titan.shared.load %a : !a -> !v
    %more = arith.addf %before, %x : !v
    scf.yield %more : !v
  }
  %sum = titan.reduce add %sums : !v -> !v
  titan.return
}

// Added up only: what one tile has in a hole is an element's place in another.
// CHECK: @tiles, {{.*}}; strong: arith.addf takes elements along dimension 1 of the tile together
titan.kernel @tiles(%X: !x, %Y: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %ones = arith.constant dense<1.0> : !v
  %a = titan.shared.alloc : !a
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %sums = scf.for %k = %c0 to %c9 step %c1 iter_args(%before = %ones) -> (!v) {
    titan.elect {
      titan.copy_async %X at(Mo = %c0, Ko = %k) to %a signals %full schedule(#tile) : !x, !a, !titan.mbarrier
    }
    %x = titan.shared.load %a : !a -> !v
    %more = arith.addf %before, %x : !v
    scf.yield %more : !v
  }
  %i = titan.coordinate 0 : !i
  %j = titan.coordinate 1 : !i
  titan.global.store %sums, %Y[%i, %j] : !v, !x, !i, !i
  titan.return
}

// The same tile again and again: its holes stay where they are.
// CHECK: @same_tile, {{.*}}; weak: no hole reaches an unpredicated reduction
titan.kernel @same_tile(%X: !x, %Y: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %ones = arith.constant dense<1.0> : !v
  %a = titan.shared.alloc : !a
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.copy_async %X at(Mo = %c0, Ko = %c0) to %a signals %full schedule(#tile) : !x, !a, !titan.mbarrier
  }
  %most = scf.for %k = %c0 to %c9 step %c1 iter_args(%before = %ones) -> (!v) {
    %x = titan.shared.load %a : !a -> !v
    %more = arith.maximumf %before, %x : !v
    scf.yield %more : !v
  }
  %i = titan.coordinate 0 : !i
  %j = titan.coordinate 1 : !i
  titan.global.store %most, %Y[%i, %j] : !v, !x, !i, !i
  titan.return
}

// Through arithmetic that keeps zero: x * sigmoid(x), compared, selected.
// CHECK: @zeros, {{.*}}; strong: titan.reduce add takes elements along dimension 1 of the tile together
titan.kernel @zeros(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %a = titan.shared.alloc : !a
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.copy_async %X at(Mo = %c0, Ko = %c0) to %a signals %full schedule(#tile) : !x, !a, !titan.mbarrier
  }
  %x = titan.shared.load %a : !a -> !v
  %one = arith.constant dense<1.0> : !v
  %nought = arith.constant dense<0.0> : !v
  %n = arith.negf %x : !v
  %e = math.exp %n : !v
  %d = arith.addf %e, %one : !v
  %s = arith.divf %one, %d : !v
  %p = arith.mulf %x, %s : !v
  %up = arith.cmpf ogt, %p, %nought : !v
  %r = arith.select %up, %p, %n : !b, !v
  %sum = titan.reduce add %r : !v -> !v
  titan.return
}

// The value of a row has no holes along it; times x it has x's.
// CHECK: @rows, {{.*}}; strong: titan.reduce add takes elements along dimension 1 of the tile together
titan.kernel @rows(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %a = titan.shared.alloc : !a
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.copy_async %X at(Mo = %c0, Ko = %c0) to %a signals %full schedule(#tile) : !x, !a, !titan.mbarrier
  }
  %x = titan.shared.load %a : !a -> !v
  %square = arith.mulf %x, %x : !v
  %sum = titan.reduce add %square : !v -> !v
  %scale = math.rsqrt %sum : !v
  %most = titan.reduce max %scale : !v -> !v
  %scaled = arith.mulf %x, %scale : !v
  %again = titan.reduce add %scaled : !v -> !v
  titan.return
}

// Through another buffer, and to global memory by a reduction.
// CHECK: @memory, {{.*}} to %a; strong: titan.tma.reduce add takes elements along dimension 1 of the tile together
// CHECK: @memory, {{.*}} to %c; strong: titan.copy_async reduce add takes elements along dimension 1 of the tile together
titan.kernel @memory(%X: !x, %Y: !x) warps(1) launch {
  %one = arith.constant 1 : index
  %map = titan.tensor_map %Y : !x -> !titan.tensor_map<2x64xf32>
  titan.launch grid(%one) with(%map : !titan.tensor_map<2x64xf32>)
} body(%map: !titan.tensor_map<2x64xf32>) {
  %c0 = arith.constant 0 : index
  %a = titan.shared.alloc : !a
  %b = titan.shared.alloc : !ring
  %b0 = titan.shared.slot %b[%c0 : index] : !ring -> !a
  %b1 = titan.shared.slot %b[%c0 : index] : !ring -> !a
  %c = titan.shared.alloc : !a
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.copy_async %X at(Mo = %c0, Ko = %c0) to %a signals %full schedule(#tile) : !x, !a, !titan.mbarrier
    titan.copy_async %X at(Mo = %c0, Ko = %c0) to %c signals %full schedule(#tile) : !x, !a, !titan.mbarrier
  }
  %x = titan.shared.load %a : !a -> !v
  titan.shared.store %x, %b0 : !v, !a
  titan.elect {
    titan.tma.reduce add %b1, %map[%c0, %c0] : !a, !titan.tensor_map<2x64xf32>
    titan.copy_async %c to %Y at(Mo = %c0, Ko = %c0) schedule(#tile) reduce(add) : !a, !x
  }
  titan.return
}

// A predicate: the program's own neutral value in the holes.
// CHECK: @masked, {{.*}}; weak: no hole reaches an unpredicated reduction
titan.kernel @masked(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %ninf = arith.constant 0xFF800000 : f32
  %outside = titan.splat %ninf : f32 -> !v
  %a = titan.shared.alloc : !a
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.copy_async %X at(Mo = %c0, Ko = %c0) to %a signals %full schedule(#tile) : !x, !a, !titan.mbarrier
  }
  %k = titan.dim %X, 1 : !x
  %k32 = arith.index_cast %k : index to i32
  %ks = titan.splat %k32 : i32 -> !i
  %j = titan.coordinate 1 : !i
  %inside = arith.cmpi slt, %j, %ks : !i
  %x = titan.shared.load %a : !a -> !v
  %m = arith.select %inside, %x, %outside : !b, !v
  %most = titan.reduce max %m : !v -> !v
  %less = arith.subf %m, %most : !v
  %e = math.exp %less : !v
  %sum = titan.reduce add %e : !v -> !v
  titan.return
}

// Of zeros it asks for what it would without, but the sum of x + 1 is right.
// CHECK: @masked_zero, {{.*}}; strong: titan.reduce add takes elements along dimension 1 of the tile together
titan.kernel @masked_zero(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %ones = arith.constant dense<1.0> : !v
  %zeros = arith.constant dense<0.0> : !v
  %a = titan.shared.alloc : !a
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.copy_async %X at(Mo = %c0, Ko = %c0) to %a signals %full schedule(#tile) : !x, !a, !titan.mbarrier
  }
  %k = titan.dim %X, 1 : !x
  %k32 = arith.index_cast %k : index to i32
  %ks = titan.splat %k32 : i32 -> !i
  %j = titan.coordinate 1 : !i
  %inside = arith.cmpi slt, %j, %ks : !i
  %x = titan.shared.load %a : !a -> !v
  %y = arith.addf %x, %ones : !v
  %m = arith.select %inside, %y, %zeros : !b, !v
  %sum = titan.reduce add %m : !v -> !v
  titan.return
}

// The whole tile is a hole where a loop around it makes one: 3 columns at a time, of 64.
#columns = #titan.schedule<tensor K x M Mo, Mi = split(M, 64) Ka, Kb = split(K, 3) Kc, Kd = split(Kb, 2) bulk Mi>
!y = !titan.global<63x64xf32>
!c = !titan.shared<64xf32>
#flat = #titan.blocked<elements = [2], lanes = [32], warps = [1]>
!f = tensor<64xf32, #flat>
// CHECK: @whole, {{.*}}; strong: arith.addf takes tiles of the loops around it together, and some of them are holes
titan.kernel @whole(%X: !y) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %none = arith.constant dense<0.0> : !f
  %a = titan.shared.alloc : !c
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %sums = scf.for %k = %c0 to %c9 step %c1 iter_args(%before = %none) -> (!f) {
    titan.elect {
      titan.copy_async %X at(Ka = %k, Kc = %c1, Kd = %c1, Mo = %c0) to %a signals %full schedule(#columns) : !y, !c, !titan.mbarrier
    }
    %x = titan.shared.load %a : !c -> !f
    %more = arith.addf %before, %x : !f
    scf.yield %more : !f
  }
  titan.return
}
