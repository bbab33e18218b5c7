// RUN: titan-opt %s --pass-pipeline='builtin.module(titan.kernel(titan-lower-copies))' --split-input-file --verify-diagnostics
//
// Reductions that zeros in the holes would change: refused, with the operation that makes
// them so. `weak` overrides.

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 2) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<64x?xf32>
!a = !titan.shared<2x64xf32>
#rows = #titan.blocked<elements = [1, 4], lanes = [2, 16], warps = [1, 1]>
!v = tensor<2x64xf32, #rows>
titan.kernel @one_more(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %ones = arith.constant dense<1.0> : !v
  %a = titan.shared.alloc : !a
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    // expected-error @+1 {{[tma-fill-value] titan.reduce add wants holes to be a value that is neither zero nor NaN; TMA fills with zero or NaN: zero changes the result, as arith.addf (line 25) makes something else of it; put the neutral value into the holes (arith.select by titan.coordinate), or write `weak`}}
    titan.copy_async %X at(Mo = %c0, Ko = %c0) to %a signals %full schedule(#tile) : !x, !a, !titan.mbarrier
    titan.copy_async %X at(Mo = %c0, Ko = %c0) to %a signals %full schedule(#tile) weak : !x, !a, !titan.mbarrier
  }
  %x = titan.shared.load %a : !a -> !v
  %y = arith.addf %x, %ones : !v
  %sum = titan.reduce add %y : !v -> !v
  titan.return
}

// -----

// Less its mean a tile is no longer zero in its holes.
#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 2) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<64x?xf32>
!a = !titan.shared<2x64xf32>
#rows = #titan.blocked<elements = [1, 4], lanes = [2, 16], warps = [1, 1]>
!v = tensor<2x64xf32, #rows>
titan.kernel @variance(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %a = titan.shared.alloc : !a
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    // expected-error @+1 {{as arith.subf (line 51) makes something else of it}}
    titan.copy_async %X at(Mo = %c0, Ko = %c0) to %a signals %full schedule(#tile) : !x, !a, !titan.mbarrier
  }
  %x = titan.shared.load %a : !a -> !v
  %sum = titan.reduce add %x : !v -> !v
  %d = arith.subf %x, %sum : !v
  %square = arith.mulf %d, %d : !v
  %variance = titan.reduce add %square : !v -> !v
  titan.return
}

// -----

// A predicate by rows says nothing of holes in the columns.
#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 2) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<64x?xf32>
!a = !titan.shared<2x64xf32>
#rows = #titan.blocked<elements = [1, 4], lanes = [2, 16], warps = [1, 1]>
!v = tensor<2x64xf32, #rows>
!i = tensor<2x64xi32, #rows>
!b = tensor<2x64xi1, #rows>
titan.kernel @by_rows(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %ninf = arith.constant dense<0xFF800000> : !v
  %ones = arith.constant dense<1> : !i
  %a = titan.shared.alloc : !a
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    // expected-error @+1 {{[tma-fill-value] titan.reduce max wants holes}}
    titan.copy_async %X at(Mo = %c0, Ko = %c0) to %a signals %full schedule(#tile) : !x, !a, !titan.mbarrier
  }
  %x = titan.shared.load %a : !a -> !v
  %i = titan.coordinate 0 : !i
  %inside = arith.cmpi slt, %i, %ones : !i
  %m = arith.select %inside, %x, %ninf : !b, !v
  %most = titan.reduce max %m : !v -> !v
  titan.return
}

// -----

// The maximum of two tiles: where one has a hole the other may have an element.
#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 2) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<64x?xf32>
!a = !titan.shared<2x64xf32>
!ring = !titan.shared<2x64xf32, slots = 2>
#rows = #titan.blocked<elements = [1, 4], lanes = [2, 16], warps = [1, 1]>
!v = tensor<2x64xf32, #rows>
titan.kernel @two_tiles(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = titan.shared.alloc : !ring
  %a = titan.shared.slot %ring[%c0 : index] : !ring -> !a
  %b = titan.shared.slot %ring[%c1 : index] : !ring -> !a
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    // expected-error @+1 {{[tma-fill-value] arith.maximumf wants holes}}
    titan.copy_async %X at(Mo = %c0, Ko = %c0) to %a signals %full schedule(#tile) : !x, !a, !titan.mbarrier
    titan.copy_async %X at(Mo = %c0, Ko = %c1) to %b signals %full schedule(#tile) weak : !x, !a, !titan.mbarrier
  }
  %x = titan.shared.load %a : !a -> !v
  %y = titan.shared.load %b : !a -> !v
  %most = arith.maximumf %x, %y : !v
  titan.return
}
