// RUN: titan-opt --split-input-file --verify-diagnostics %s
//
// What is no schedule, and what the verifier of copies refuses.

// expected-error @+2 {{there is no domain 'N'}}
// expected-note @+1 {{fix: there are K and M}}
#bad = #titan.schedule<tensor M x K Mo, Mi = split(N, 128) bulk Mi>

// -----

// expected-error @+2 {{split makes 2 domains, not 1}}
#bad = #titan.schedule<tensor M x K
  Mo = split(M, 128) bulk K>

// -----

// A file's statements, which the copy and its types say: where, the fix has.
// expected-error @+2 {{the copy's operands say whether it is a load or a store at 'load'}}
// expected-note @+1 {{fix: leave it out here, and write strong behind schedule(...)}}
#bad = #titan.schedule<tensor M x K bulk K load strong>

// -----

// expected-error @+4 {{the type of the shared buffer says the swizzle at 'swizzle'}}
// expected-note @+3 {{fix: leave it out here, and let the buffer's type say it: !titan.shared<128x64xbf16, swizzle = 128>}}
#bad = #titan.schedule<tensor M x K
  bulk K
  swizzle 128B>

// -----

// expected-error @+2 {{the tensor's type and sizes are the operand's, and not said in the IR at 'f32'}}
// expected-note @+1 {{fix: write its dimensions' names: tensor M x K}}
#bad = #titan.schedule<tensor f32 M{M} x K{2 * K} bulk K>

// -----

// expected-error @+3 {{there is no expression 'splt'}}
// expected-note @+2 {{fix: did you mean split? there are split, merge, resize, swizzle and window}}
#bad = #titan.schedule<tensor M x K
  Mo, Mi = splt(M,
  48) bulk K>

// -----

// expected-error @+1 {{'Mi' is no dimension of the tensor}}
#bad = #titan.schedule<tensor M x K Mo, Mi = split(M, 128) Ko, Ki = split(K, Mi) bulk Mi, Ki>

// -----

// expected-error @+1 {{there is no tensor}}
#bad = #titan.schedule<>

// -----

// What is wrong whatever the tensor is, the attribute says, at the statement.
// expected-error @+2 {{[domain-invalid] domain M is split by 0}}
#bad = #titan.schedule<tensor M x K
  Mo, Mi = split(M, 0) bulk Mi, K>

// -----

// expected-error @+3 {{[domain-invalid] domain M is used already}}
#bad = #titan.schedule<tensor M x K
  Mo, Mi = split(M, 64)
  Mp, Mq = split(M, 32) bulk Mi, K>

// -----

// expected-error @+2 {{[domain-invalid] a window of 9 elements does not fit into domain Mi{4}}}
#bad = #titan.schedule<tensor M x K Mo, Mi = split(M, 4)
  P, R = window(Mi, 9) bulk K>

// -----

// expected-error @+1 {{[parse-error] there is no tensor}}
#bad = #titan.schedule<padded>

// -----

// expected-error @+1 {{expected a name, a number or a sign of a schedule, or '>' at its end}}
#bad = #titan.schedule<tensor M x K | bulk K>

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @neither(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  // expected-error @+1 {{[copy-form] goes from a tensor in global memory to a tile in shared memory, or back}}
  titan.copy_async %X to %X schedule(#tile) : !x, !x
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @silent(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  // expected-error @+1 {{[copy-form] a copy to shared memory completes on an mbarrier}}
  titan.copy_async %X at(Mo = %c0, Ko = %c0) to %t schedule(#tile) : !x, !t
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @signals(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[copy-form] a copy to global memory completes in a bulk group}}
  titan.copy_async %t to %X at(Mo = %c0, Ko = %c0) signals %full schedule(#tile) : !t, !x, !titan.mbarrier
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @words(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  // expected-error @+1 {{[copy-form] `weak`, `strong` and `fill` say what a copy to shared memory puts into holes}}
  titan.copy_async %t to %X at(Mo = %c0, Ko = %c0) schedule(#tile) strong : !t, !x
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @reduces(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[copy-form] `reduce` goes to global memory}}
  titan.copy_async %X at(Mo = %c0, Ko = %c0) to %t signals %full schedule(#tile) reduce(add) : !x, !t, !titan.mbarrier
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @unknown_loop(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  // expected-error @+2 {{[copy-loops] the schedule has no loop Ki}}
  // expected-note@+1 {{fix: its loops are Mo, Ko}}
  titan.copy_async %t to %X at(Mo = %c0, Ki = %c0) schedule(#tile) : !t, !x
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Rows, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @unknown_loop(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  // expected-error @+2 {{[copy-loops] the schedule has no loop Row}}
  // expected-note@+1 {{fix: did you mean Rows? its loops are Rows, Ko}}
  titan.copy_async %t to %X at(Row = %c0, Ko = %c0) schedule(#tile) : !t, !x
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @missing_loop(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  // expected-error @+1 {{[copy-loops] `at` has no index for the loop Ko{K ceildiv 64}}}
  titan.copy_async %t to %X at(Mo = %c0) schedule(#tile) : !t, !x
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @twice(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  // expected-error @+1 {{[copy-loops] the loop Mo is given twice}}
  titan.copy_async %t to %X at(Mo = %c0, Mo = %c0) schedule(#tile) : !t, !x
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<128x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @beyond(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %t = titan.shared.alloc : !t
  // expected-error @+1 {{[out-of-bounds] index 2 of the loop Mo{2}}}
  titan.copy_async %t to %X at(Mo = %c2, Ko = %c0) schedule(#tile) : !t, !x
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @rank(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  // expected-error @+1 {{[domain-invalid] the schedule names 2 dimensions of a tensor that has 3}}
  titan.copy_async %t to %X at(Mo = %c0, Ko = %c0) schedule(#tile) : !t, !x
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @element(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  // expected-error @+1 {{[tma-box-mismatch]}}
  titan.copy_async %t to %X at(Mo = %c0, Ko = %c0) schedule(#tile) : !t, !x
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<32x64xbf16, swizzle = 128>
titan.kernel @size(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  // expected-error @+2 {{[tma-shared-tile] the tile is Mi{64} x Ki{64}, 4096 elements; the buffer has 2048}}
  // expected-note @+1 {{fix: give the buffer the shape 64x64, or split by other factors, so that the tile has 2048 elements}}
  titan.copy_async %t to %X at(Mo = %c0, Ko = %c0) schedule(#tile) : !t, !x
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<32x128xbf16, swizzle = 128>
titan.kernel @rows(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  // expected-error @+2 {{[tma-shared-tile] the tile is Mi{64} x Ki{64}, in rows of 64 elements; under a swizzle the buffer's rows, of 128, have to be as long}}
  // expected-note @+1 {{fix: give the buffer the shape 64x64, or split the innermost dimension by 128}}
  titan.copy_async %t to %X at(Mo = %c0, Ko = %c0) schedule(#tile) : !t, !x
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
titan.kernel @ring(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  // expected-error @+1 {{[shared-ring] the buffer is a ring: take a slot first}}
  titan.copy_async %t to %X at(Mo = %c0, Ko = %c0) schedule(#tile) : !t, !x
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @barriers(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier<2>
  // expected-error @+1 {{[barrier-slot] a ring of 2 barriers needs an index}}
  titan.copy_async %X at(Mo = %c0, Ko = %c0) to %t signals %full schedule(#tile) : !x, !t, !titan.mbarrier<2>
  titan.return
}

// -----

// The buffer keeps the tiles of a loop: rings do that.

#kept = #titan.schedule<tensor M x K Ko, Ki = split(K, 64) Kb, Ks = split(Ko, 2) Mo, Mi = split(M, 64) bulk Mi, Ki shared Ks, Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<128x64xbf16, swizzle = 128>
titan.kernel @kept(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  // expected-error @+2 {{[not-supported-yet] a buffer that keeps the tiles of loops: `shared` lists the loop Ks{2}}}
  // expected-note @+1 {{fix: list the tile's domains alone; where the buffer is to keep several tiles, give its type slots (slots = 2), take one by titan.shared.slot %ring[%i : index]}}
  titan.copy_async %t to %X at(Mo = %c0, Kb = %c0, Ks = %c0) schedule(#kept) : !t, !x
  titan.return
}

// -----

// However many there are: rings are the way here, whether a launch knows it or not.

#kept = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki shared M, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @unknown(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  // expected-error @+2 {{[not-supported-yet] a buffer that keeps the tiles of loops: `shared` lists M{M}, and so the loop Mo{M ceildiv 64}}}
  // expected-note @+1 {{fix: list the tile's domains alone}}
  titan.copy_async %t to %X at(Mo = %c0, Ko = %c0) schedule(#kept) : !t, !x
  titan.return
}

// -----

// Integers are not filled with NaN.

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 32) bulk Mi, Ki>
!x = !titan.global<?x?xi32>
!t = !titan.shared<64x32xi32, swizzle = 128>
titan.kernel @fill(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[tma-fill-type]}}
  titan.copy_async %X at(Mo = %c0, Ko = %c0) to %t signals %full schedule(#tile) strong fill(nan) : !x, !t, !titan.mbarrier
  titan.return
}

// -----

// Five rows as boxes of 4 with element stride 3, of 8 rows: no predicate separates the
// rows of a tile.

#tile = #titan.schedule<tensor I x J C, B = split(I, 4) T, S = split(B, 3) bulk T, J map I, J>
!x = !titan.global<8x32xf32>
!t = !titan.shared<2x32xf32>
titan.kernel @strong(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+2 {{[tma-strong] dimension 1, I{8}: boxes of 4 with element stride 3: the tile at coordinate 1 holds element 1 and, in a hole that has to be filled, element 4}}
  // expected-note @+1 {{fix: take boxes of 3 or 6 instead of 4, which the element stride 3 divides; or ask for weak, where no reduction reads the holes}}
  titan.copy_async %X at(C = %c0, S = %c0) to %t signals %full schedule(#tile) strong : !x, !t, !titan.mbarrier
  titan.return
}

// -----

// The schedule's buffer is swizzled, its type is not.

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 32)
  C, E = split(Ki, 8) T, S = split(Mi, 8) R, L = split(S, 2) X, Y = swizzle(R, C)
  bulk T, X, L, Y, E shared T, X, L, Y, E>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<64x32xbf16>
titan.kernel @swizzles(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+2 {{[tma-shared-tile] the buffer's domains place element Mi=2 Ki=0 at byte 144, swizzle none at byte 128; swizzle 64B does agree}}
  // expected-note @+1 {{fix: write swizzle 64B, or no swizzle at all; in the IR let the buffer's type say swizzle = 64}}
  titan.copy_async %X at(Mo = %c0, Ko = %c0) to %t signals %full schedule(#tile) weak : !x, !t, !titan.mbarrier
  titan.return
}
