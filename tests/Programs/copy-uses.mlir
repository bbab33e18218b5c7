// RUN: titan check --proof=off %s
// RUN: for s in eager lazy random:1; do titan run %s --schedule $s || exit 1; done | FileCheck %s
//
// Copies whose correctness follows from what their holes reach, run: sums of groups of
// three tiles of 64 columns, two tiles a step, so that the second step's second tile is
// one hole, full of the next group's data. Each kernel takes the tiles another way to
// the sums; with `weak` all but the last are wrong.
//
// CHECK-COUNT-21: elements equal to the reference, bit for bit

#tile = #titan.schedule<tensor M x K
  Mo, Mi = split(M, 2) Ko, Ki = split(K, 64) Kg, Kt = split(Ko, 3) Ks, Ku = split(Kt, 2)
  bulk Mi, Ki>
!x = !titan.global<?x?xf32>
!s = !titan.global<?x?xf32>
!ring = !titan.shared<2x64xf32, slots = 2>
!a = !titan.shared<2x64xf32>
#rows = #titan.blocked<elements = [1, 4], lanes = [2, 16], warps = [1, 1]>
!v = tensor<2x64xf32, #rows>
!i = tensor<2x64xi32, #rows>
!b = tensor<2x64xi1, #rows>

// Added up in the loop, summed behind it.
titan.kernel @loop(%X: !x, %S: !s) warps(1) attributes {
  titan.example = {sizes = {M = 3, K = 400, G = 3}, X = "MxK ints:1", S = "MxG"},
  titan.reference = @reference
} launch {
  %c2 = arith.constant 2 : index
  %c192 = arith.constant 192 : index
  %m = titan.dim %X, 0 : !x
  %k = titan.dim %X, 1 : !x
  %groups = arith.ceildivui %k, %c192 : index
  %blocks = arith.ceildivui %m, %c2 : index
  titan.launch grid(%blocks) with(%groups : index)
} body(%groups: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i0 = arith.constant dense<0> : !i
  %none = arith.constant dense<0.0> : !v
  %ring = titan.shared.alloc : !ring
  %first = titan.shared.slot %ring[%c0 : index] : !ring -> !a
  %second = titan.shared.slot %ring[%c1 : index] : !ring -> !a
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %block = titan.cta_id 0
  %row = arith.muli %block, %c2 : index
  %row32 = arith.index_cast %row : index to i32
  %rowStart = titan.splat %row32 : i32 -> !i
  %rowIn = titan.coordinate 0 : !i
  %i = arith.addi %rowStart, %rowIn : !i
  %m = titan.dim %X, 0 : !x
  %m32 = arith.index_cast %m : index to i32
  %ms = titan.splat %m32 : i32 -> !i
  %inside = arith.cmpi slt, %i, %ms : !i
  %column = titan.coordinate 1 : !i
  %once = arith.cmpi eq, %column, %i0 : !i
  %mine = arith.andi %inside, %once : !b
  scf.for %g = %c0 to %groups step %c1 {
    %before = arith.muli %g, %c2 : index
    %total = scf.for %s = %c0 to %c2 step %c1 iter_args(%sofar = %none) -> (!v) {
      titan.elect {
        titan.copy_async %X at(Mo = %block, Kg = %g, Ks = %s, Ku = %c0) to %first signals %full
            schedule(#tile) : !x, !a, !titan.mbarrier
        titan.copy_async %X at(Mo = %block, Kg = %g, Ks = %s, Ku = %c1) to %second signals %full
            schedule(#tile) : !x, !a, !titan.mbarrier
        titan.mbarrier.arrive %full : !titan.mbarrier
      }
      %step = arith.addi %before, %s : index
      %parity = arith.remui %step, %c2 : index
      %parity32 = arith.index_cast %parity : index to i32
      titan.mbarrier.wait %full parity(%parity32) : !titan.mbarrier
      %a = titan.shared.load %first : !a -> !v
      %b = titan.shared.load %second : !a -> !v
      titan.fence.proxy_async shared_cta
      titan.cta_sync
      %both = arith.addf %a, %b : !v
      %more = arith.addf %sofar, %both : !v
      scf.yield %more : !v
    }
    %sum = titan.reduce add %total : !v -> !v
    %g32 = arith.index_cast %g : index to i32
    %j = titan.splat %g32 : i32 -> !i
    titan.global.store %sum, %S[%i, %j] mask(%mine : !b) : !v, !s, !i, !i
  }
  titan.return
}

// a - (0 - b).
titan.kernel @difference(%X: !x, %S: !s) warps(1) attributes {
  titan.example = {sizes = {M = 3, K = 400, G = 3}, X = "MxK ints:1", S = "MxG"},
  titan.reference = @reference
} launch {
  %c2 = arith.constant 2 : index
  %c192 = arith.constant 192 : index
  %m = titan.dim %X, 0 : !x
  %k = titan.dim %X, 1 : !x
  %groups = arith.ceildivui %k, %c192 : index
  %blocks = arith.ceildivui %m, %c2 : index
  titan.launch grid(%blocks) with(%groups : index)
} body(%groups: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i0 = arith.constant dense<0> : !i
  %none = arith.constant dense<0.0> : !v
  %ring = titan.shared.alloc : !ring
  %first = titan.shared.slot %ring[%c0 : index] : !ring -> !a
  %second = titan.shared.slot %ring[%c1 : index] : !ring -> !a
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %block = titan.cta_id 0
  %row = arith.muli %block, %c2 : index
  %row32 = arith.index_cast %row : index to i32
  %rowStart = titan.splat %row32 : i32 -> !i
  %rowIn = titan.coordinate 0 : !i
  %i = arith.addi %rowStart, %rowIn : !i
  %m = titan.dim %X, 0 : !x
  %m32 = arith.index_cast %m : index to i32
  %ms = titan.splat %m32 : i32 -> !i
  %inside = arith.cmpi slt, %i, %ms : !i
  %column = titan.coordinate 1 : !i
  %once = arith.cmpi eq, %column, %i0 : !i
  %mine = arith.andi %inside, %once : !b
  scf.for %g = %c0 to %groups step %c1 {
    %before = arith.muli %g, %c2 : index
    %total = scf.for %s = %c0 to %c2 step %c1 iter_args(%sofar = %none) -> (!v) {
      titan.elect {
        titan.copy_async %X at(Mo = %block, Kg = %g, Ks = %s, Ku = %c0) to %first signals %full
            schedule(#tile) : !x, !a, !titan.mbarrier
        titan.copy_async %X at(Mo = %block, Kg = %g, Ks = %s, Ku = %c1) to %second signals %full
            schedule(#tile) : !x, !a, !titan.mbarrier
        titan.mbarrier.arrive %full : !titan.mbarrier
      }
      %step = arith.addi %before, %s : index
      %parity = arith.remui %step, %c2 : index
      %parity32 = arith.index_cast %parity : index to i32
      titan.mbarrier.wait %full parity(%parity32) : !titan.mbarrier
      %a = titan.shared.load %first : !a -> !v
      %b = titan.shared.load %second : !a -> !v
      titan.fence.proxy_async shared_cta
      titan.cta_sync
      %n = arith.subf %none, %b : !v
      %both = arith.subf %a, %n : !v
      %part = titan.reduce add %both : !v -> !v
      %more = arith.addf %sofar, %part : !v
      scf.yield %more : !v
    }
    %sum = arith.addf %total, %none : !v
    %g32 = arith.index_cast %g : index to i32
    %j = titan.splat %g32 : i32 -> !i
    titan.global.store %sum, %S[%i, %j] mask(%mine : !b) : !v, !s, !i, !i
  }
  titan.return
}

// -(-(a + b)).
titan.kernel @negated(%X: !x, %S: !s) warps(1) attributes {
  titan.example = {sizes = {M = 3, K = 400, G = 3}, X = "MxK ints:1", S = "MxG"},
  titan.reference = @reference
} launch {
  %c2 = arith.constant 2 : index
  %c192 = arith.constant 192 : index
  %m = titan.dim %X, 0 : !x
  %k = titan.dim %X, 1 : !x
  %groups = arith.ceildivui %k, %c192 : index
  %blocks = arith.ceildivui %m, %c2 : index
  titan.launch grid(%blocks) with(%groups : index)
} body(%groups: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i0 = arith.constant dense<0> : !i
  %none = arith.constant dense<0.0> : !v
  %ring = titan.shared.alloc : !ring
  %first = titan.shared.slot %ring[%c0 : index] : !ring -> !a
  %second = titan.shared.slot %ring[%c1 : index] : !ring -> !a
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %block = titan.cta_id 0
  %row = arith.muli %block, %c2 : index
  %row32 = arith.index_cast %row : index to i32
  %rowStart = titan.splat %row32 : i32 -> !i
  %rowIn = titan.coordinate 0 : !i
  %i = arith.addi %rowStart, %rowIn : !i
  %m = titan.dim %X, 0 : !x
  %m32 = arith.index_cast %m : index to i32
  %ms = titan.splat %m32 : i32 -> !i
  %inside = arith.cmpi slt, %i, %ms : !i
  %column = titan.coordinate 1 : !i
  %once = arith.cmpi eq, %column, %i0 : !i
  %mine = arith.andi %inside, %once : !b
  scf.for %g = %c0 to %groups step %c1 {
    %before = arith.muli %g, %c2 : index
    %total = scf.for %s = %c0 to %c2 step %c1 iter_args(%sofar = %none) -> (!v) {
      titan.elect {
        titan.copy_async %X at(Mo = %block, Kg = %g, Ks = %s, Ku = %c0) to %first signals %full
            schedule(#tile) : !x, !a, !titan.mbarrier
        titan.copy_async %X at(Mo = %block, Kg = %g, Ks = %s, Ku = %c1) to %second signals %full
            schedule(#tile) : !x, !a, !titan.mbarrier
        titan.mbarrier.arrive %full : !titan.mbarrier
      }
      %step = arith.addi %before, %s : index
      %parity = arith.remui %step, %c2 : index
      %parity32 = arith.index_cast %parity : index to i32
      titan.mbarrier.wait %full parity(%parity32) : !titan.mbarrier
      %a = titan.shared.load %first : !a -> !v
      %b = titan.shared.load %second : !a -> !v
      titan.fence.proxy_async shared_cta
      titan.cta_sync
      %p = arith.addf %a, %b : !v
      %n = arith.negf %p : !v
      %both = arith.negf %n : !v
      %part = titan.reduce add %both : !v -> !v
      %more = arith.addf %sofar, %part : !v
      scf.yield %more : !v
    }
    %sum = arith.addf %total, %none : !v
    %g32 = arith.index_cast %g : index to i32
    %j = titan.splat %g32 : i32 -> !i
    titan.global.store %sum, %S[%i, %j] mask(%mine : !b) : !v, !s, !i, !i
  }
  titan.return
}

// A predicate, but of the rows.
titan.kernel @selected(%X: !x, %S: !s) warps(1) attributes {
  titan.example = {sizes = {M = 3, K = 400, G = 3}, X = "MxK ints:1", S = "MxG"},
  titan.reference = @reference
} launch {
  %c2 = arith.constant 2 : index
  %c192 = arith.constant 192 : index
  %m = titan.dim %X, 0 : !x
  %k = titan.dim %X, 1 : !x
  %groups = arith.ceildivui %k, %c192 : index
  %blocks = arith.ceildivui %m, %c2 : index
  titan.launch grid(%blocks) with(%groups : index)
} body(%groups: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i0 = arith.constant dense<0> : !i
  %none = arith.constant dense<0.0> : !v
  %ring = titan.shared.alloc : !ring
  %first = titan.shared.slot %ring[%c0 : index] : !ring -> !a
  %second = titan.shared.slot %ring[%c1 : index] : !ring -> !a
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %block = titan.cta_id 0
  %row = arith.muli %block, %c2 : index
  %row32 = arith.index_cast %row : index to i32
  %rowStart = titan.splat %row32 : i32 -> !i
  %rowIn = titan.coordinate 0 : !i
  %i = arith.addi %rowStart, %rowIn : !i
  %m = titan.dim %X, 0 : !x
  %m32 = arith.index_cast %m : index to i32
  %ms = titan.splat %m32 : i32 -> !i
  %inside = arith.cmpi slt, %i, %ms : !i
  %column = titan.coordinate 1 : !i
  %once = arith.cmpi eq, %column, %i0 : !i
  %mine = arith.andi %inside, %once : !b
  scf.for %g = %c0 to %groups step %c1 {
    %before = arith.muli %g, %c2 : index
    %total = scf.for %s = %c0 to %c2 step %c1 iter_args(%sofar = %none) -> (!v) {
      titan.elect {
        titan.copy_async %X at(Mo = %block, Kg = %g, Ks = %s, Ku = %c0) to %first signals %full
            schedule(#tile) : !x, !a, !titan.mbarrier
        titan.copy_async %X at(Mo = %block, Kg = %g, Ks = %s, Ku = %c1) to %second signals %full
            schedule(#tile) : !x, !a, !titan.mbarrier
        titan.mbarrier.arrive %full : !titan.mbarrier
      }
      %step = arith.addi %before, %s : index
      %parity = arith.remui %step, %c2 : index
      %parity32 = arith.index_cast %parity : index to i32
      titan.mbarrier.wait %full parity(%parity32) : !titan.mbarrier
      %a = titan.shared.load %first : !a -> !v
      %b = titan.shared.load %second : !a -> !v
      titan.fence.proxy_async shared_cta
      titan.cta_sync
      %p = arith.addf %a, %b : !v
      %both = arith.select %inside, %p, %none : !b, !v
      %part = titan.reduce add %both : !v -> !v
      %more = arith.addf %sofar, %part : !v
      scf.yield %more : !v
    }
    %sum = arith.addf %total, %none : !v
    %g32 = arith.index_cast %g : index to i32
    %j = titan.splat %g32 : i32 -> !i
    titan.global.store %sum, %S[%i, %j] mask(%mine : !b) : !v, !s, !i, !i
  }
  titan.return
}

// Through another buffer.
titan.kernel @stored(%X: !x, %S: !s) warps(1) attributes {
  titan.example = {sizes = {M = 3, K = 400, G = 3}, X = "MxK ints:1", S = "MxG"},
  titan.reference = @reference
} launch {
  %c2 = arith.constant 2 : index
  %c192 = arith.constant 192 : index
  %m = titan.dim %X, 0 : !x
  %k = titan.dim %X, 1 : !x
  %groups = arith.ceildivui %k, %c192 : index
  %blocks = arith.ceildivui %m, %c2 : index
  titan.launch grid(%blocks) with(%groups : index)
} body(%groups: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i0 = arith.constant dense<0> : !i
  %none = arith.constant dense<0.0> : !v
  %ring = titan.shared.alloc : !ring
  %first = titan.shared.slot %ring[%c0 : index] : !ring -> !a
  %second = titan.shared.slot %ring[%c1 : index] : !ring -> !a
  %other = titan.shared.alloc : !a
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %block = titan.cta_id 0
  %row = arith.muli %block, %c2 : index
  %row32 = arith.index_cast %row : index to i32
  %rowStart = titan.splat %row32 : i32 -> !i
  %rowIn = titan.coordinate 0 : !i
  %i = arith.addi %rowStart, %rowIn : !i
  %m = titan.dim %X, 0 : !x
  %m32 = arith.index_cast %m : index to i32
  %ms = titan.splat %m32 : i32 -> !i
  %inside = arith.cmpi slt, %i, %ms : !i
  %column = titan.coordinate 1 : !i
  %once = arith.cmpi eq, %column, %i0 : !i
  %mine = arith.andi %inside, %once : !b
  scf.for %g = %c0 to %groups step %c1 {
    %before = arith.muli %g, %c2 : index
    %total = scf.for %s = %c0 to %c2 step %c1 iter_args(%sofar = %none) -> (!v) {
      titan.elect {
        titan.copy_async %X at(Mo = %block, Kg = %g, Ks = %s, Ku = %c0) to %first signals %full
            schedule(#tile) : !x, !a, !titan.mbarrier
        titan.copy_async %X at(Mo = %block, Kg = %g, Ks = %s, Ku = %c1) to %second signals %full
            schedule(#tile) : !x, !a, !titan.mbarrier
        titan.mbarrier.arrive %full : !titan.mbarrier
      }
      %step = arith.addi %before, %s : index
      %parity = arith.remui %step, %c2 : index
      %parity32 = arith.index_cast %parity : index to i32
      titan.mbarrier.wait %full parity(%parity32) : !titan.mbarrier
      %a = titan.shared.load %first : !a -> !v
      %b = titan.shared.load %second : !a -> !v
      titan.fence.proxy_async shared_cta
      titan.cta_sync
      %both = arith.addf %a, %b : !v
      titan.shared.store %both, %other : !v, !a
      titan.cta_sync
      %again = titan.shared.load %other : !a -> !v
      titan.cta_sync
      %part = titan.reduce add %again : !v -> !v
      %more = arith.addf %sofar, %part : !v
      scf.yield %more : !v
    }
    %sum = arith.addf %total, %none : !v
    %g32 = arith.index_cast %g : index to i32
    %j = titan.splat %g32 : i32 -> !i
    titan.global.store %sum, %S[%i, %j] mask(%mine : !b) : !v, !s, !i, !i
  }
  titan.return
}

// (a + b + 1) - 1.
titan.kernel @back(%X: !x, %S: !s) warps(1) attributes {
  titan.example = {sizes = {M = 3, K = 400, G = 3}, X = "MxK ints:1", S = "MxG"},
  titan.reference = @reference
} launch {
  %c2 = arith.constant 2 : index
  %c192 = arith.constant 192 : index
  %m = titan.dim %X, 0 : !x
  %k = titan.dim %X, 1 : !x
  %groups = arith.ceildivui %k, %c192 : index
  %blocks = arith.ceildivui %m, %c2 : index
  titan.launch grid(%blocks) with(%groups : index)
} body(%groups: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i0 = arith.constant dense<0> : !i
  %none = arith.constant dense<0.0> : !v
  %ring = titan.shared.alloc : !ring
  %first = titan.shared.slot %ring[%c0 : index] : !ring -> !a
  %second = titan.shared.slot %ring[%c1 : index] : !ring -> !a
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %block = titan.cta_id 0
  %row = arith.muli %block, %c2 : index
  %row32 = arith.index_cast %row : index to i32
  %rowStart = titan.splat %row32 : i32 -> !i
  %rowIn = titan.coordinate 0 : !i
  %i = arith.addi %rowStart, %rowIn : !i
  %m = titan.dim %X, 0 : !x
  %m32 = arith.index_cast %m : index to i32
  %ms = titan.splat %m32 : i32 -> !i
  %inside = arith.cmpi slt, %i, %ms : !i
  %column = titan.coordinate 1 : !i
  %once = arith.cmpi eq, %column, %i0 : !i
  %mine = arith.andi %inside, %once : !b
  scf.for %g = %c0 to %groups step %c1 {
    %before = arith.muli %g, %c2 : index
    %total = scf.for %s = %c0 to %c2 step %c1 iter_args(%sofar = %none) -> (!v) {
      titan.elect {
        titan.copy_async %X at(Mo = %block, Kg = %g, Ks = %s, Ku = %c0) to %first signals %full
            schedule(#tile) : !x, !a, !titan.mbarrier
        titan.copy_async %X at(Mo = %block, Kg = %g, Ks = %s, Ku = %c1) to %second signals %full
            schedule(#tile) : !x, !a, !titan.mbarrier
        titan.mbarrier.arrive %full : !titan.mbarrier
      }
      %step = arith.addi %before, %s : index
      %parity = arith.remui %step, %c2 : index
      %parity32 = arith.index_cast %parity : index to i32
      titan.mbarrier.wait %full parity(%parity32) : !titan.mbarrier
      %a = titan.shared.load %first : !a -> !v
      %b = titan.shared.load %second : !a -> !v
      titan.fence.proxy_async shared_cta
      titan.cta_sync
      %ones = arith.constant dense<1.0> : !v
      %both = arith.addf %a, %b : !v
      %above = arith.addf %both, %ones : !v
      %back = arith.subf %above, %ones : !v
      %part = titan.reduce add %back : !v -> !v
      %more = arith.addf %sofar, %part : !v
      scf.yield %more : !v
    }
    %sum = arith.addf %total, %none : !v
    %g32 = arith.index_cast %g : index to i32
    %j = titan.splat %g32 : i32 -> !i
    titan.global.store %sum, %S[%i, %j] mask(%mine : !b) : !v, !s, !i, !i
  }
  titan.return
}

// The program's own predicate: minus infinity outside of the group. Its copies are weak.
titan.kernel @masked(%X: !x, %S: !s) warps(1) attributes {
  titan.example = {sizes = {M = 3, K = 400, G = 3}, X = "MxK ints:1", S = "MxG"},
  titan.reference = @reference
} launch {
  %c2 = arith.constant 2 : index
  %c192 = arith.constant 192 : index
  %m = titan.dim %X, 0 : !x
  %k = titan.dim %X, 1 : !x
  %groups = arith.ceildivui %k, %c192 : index
  %blocks = arith.ceildivui %m, %c2 : index
  titan.launch grid(%blocks) with(%groups : index)
} body(%groups: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i0 = arith.constant dense<0> : !i
  %none = arith.constant dense<0.0> : !v
  %ring = titan.shared.alloc : !ring
  %first = titan.shared.slot %ring[%c0 : index] : !ring -> !a
  %second = titan.shared.slot %ring[%c1 : index] : !ring -> !a
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %block = titan.cta_id 0
  %row = arith.muli %block, %c2 : index
  %row32 = arith.index_cast %row : index to i32
  %rowStart = titan.splat %row32 : i32 -> !i
  %rowIn = titan.coordinate 0 : !i
  %i = arith.addi %rowStart, %rowIn : !i
  %m = titan.dim %X, 0 : !x
  %m32 = arith.index_cast %m : index to i32
  %ms = titan.splat %m32 : i32 -> !i
  %inside = arith.cmpi slt, %i, %ms : !i
  %column = titan.coordinate 1 : !i
  %once = arith.cmpi eq, %column, %i0 : !i
  %mine = arith.andi %inside, %once : !b
  scf.for %g = %c0 to %groups step %c1 {
    %before = arith.muli %g, %c2 : index
    %total = scf.for %s = %c0 to %c2 step %c1 iter_args(%sofar = %none) -> (!v) {
      titan.elect {
        titan.copy_async %X at(Mo = %block, Kg = %g, Ks = %s, Ku = %c0) to %first signals %full
            schedule(#tile) : !x, !a, !titan.mbarrier
        titan.copy_async %X at(Mo = %block, Kg = %g, Ks = %s, Ku = %c1) to %second signals %full
            schedule(#tile) : !x, !a, !titan.mbarrier
        titan.mbarrier.arrive %full : !titan.mbarrier
      }
      %step = arith.addi %before, %s : index
      %parity = arith.remui %step, %c2 : index
      %parity32 = arith.index_cast %parity : index to i32
      titan.mbarrier.wait %full parity(%parity32) : !titan.mbarrier
      %a = titan.shared.load %first : !a -> !v
      %b = titan.shared.load %second : !a -> !v
      titan.fence.proxy_async shared_cta
      titan.cta_sync
      %at = arith.muli %s, %c2 : index
      %at32 = arith.index_cast %at : index to i32
      %tile = titan.splat %at32 : i32 -> !i
      %c64 = arith.constant dense<64> : !i
      %c192 = arith.constant dense<192> : !i
      %ninf = arith.constant dense<0xFF800000> : !v
      %start = arith.muli %tile, %c64 : !i
      %here = arith.addi %start, %column : !i
      %there = arith.addi %here, %c64 : !i
      %isHere = arith.cmpi slt, %here, %c192 : !i
      %isThere = arith.cmpi slt, %there, %c192 : !i
      %farA = arith.select %isHere, %a, %ninf : !b, !v
      %farB = arith.select %isThere, %b, %ninf : !b, !v
      %nearA = arith.select %isHere, %farA, %none : !b, !v
      %nearB = arith.select %isThere, %farB, %none : !b, !v
      %both = arith.addf %nearA, %nearB : !v
      %more = arith.addf %sofar, %both : !v
      scf.yield %more : !v
    }
    %sum = titan.reduce add %total : !v -> !v
    %g32 = arith.index_cast %g : index to i32
    %j = titan.splat %g32 : i32 -> !i
    titan.global.store %sum, %S[%i, %j] mask(%mine : !b) : !v, !s, !i, !i
  }
  titan.return
}

func.func private @reference(%X: memref<?x?xf32> {titan.input = "X"},
                             %S: memref<?x?xf32> {titan.expected = "S"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c192 = arith.constant 192 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %X, %c0 : memref<?x?xf32>
  %k = memref.dim %X, %c1 : memref<?x?xf32>
  linalg.fill ins(%zero : f32) outs(%S : memref<?x?xf32>)
  scf.for %row = %c0 to %m step %c1 {
    scf.for %column = %c0 to %k step %c1 {
      %g = arith.divui %column, %c192 : index
      %x = memref.load %X[%row, %column] : memref<?x?xf32>
      %before = memref.load %S[%row, %g] : memref<?x?xf32>
      %after = arith.addf %before, %x : f32
      memref.store %after, %S[%row, %g] : memref<?x?xf32>
    }
  }
  return
}
