// RUN: titan-opt %s --split-input-file --verify-diagnostics
//
// What is wrong with the text of a copy, before there is an operation: the message says
// what to write.

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @silent(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[copy-form] three types, and no mbarrier: a copy to shared memory names the one that it completes on behind its target, signals %full}}
  titan.copy_async %X at(Mo = %c0, Ko = %c0) to %t schedule(#tile) : !x, !t, !titan.mbarrier
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @nameless(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[copy-form] `signals` names the mbarrier that the copy completes on: signals %full}}
  titan.copy_async %X at(Mo = %c0, Ko = %c0) to %t signals schedule(#tile) : !x, !t, !titan.mbarrier
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @late(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{[copy-form] `signals` stands behind the target, before `schedule`}}
  titan.copy_async %X at(Mo = %c0, Ko = %c0) to %t schedule(#tile) signals %full : !x, !t, !titan.mbarrier
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @untyped(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{2 types: expected those of source, target and barrier}}
  titan.copy_async %X at(Mo = %c0, Ko = %c0) to %t signals %full schedule(#tile) : !x, !t
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @one_type(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{1 types: expected those of source and target}}
  titan.copy_async %t to %X at(Mo = %c0, Ko = %c0) schedule(#tile) : !t
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @product(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{'mul' is no word of `reduce`: add, min, max, and, or, xor}}
  titan.copy_async %t to %X at(Mo = %c0, Ko = %c0) schedule(#tile) reduce(mul) : !t, !x
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @ones(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{'one' is no word of `fill`: zero, nan}}
  titan.copy_async %X at(Mo = %c0, Ko = %c0) to %t signals %full schedule(#tile) fill(one) : !x, !t, !titan.mbarrier
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
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{one `at`, behind the tensor}}
  titan.copy_async %X at(Mo = %c0) to %t at(Ko = %c0) signals %full schedule(#tile) : !x, !t, !titan.mbarrier
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @misspelt(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+2 {{'stong' is no word of a copy}}
  // expected-note @+1 {{fix: did you mean strong? behind schedule(...) stand, in this order, weak or strong, fill(zero) or fill(nan), reduce(add), cache(evict_first)}}
  titan.copy_async %X at(Mo = %c0, Ko = %c0) to %t signals %full schedule(#tile) stong : !x, !t, !titan.mbarrier
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @order(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+2 {{`weak` stands too late, or twice}}
  // expected-note @+1 {{fix: behind schedule(...) stand, in this order, weak or strong, fill(zero) or fill(nan), reduce(add), cache(evict_first)}}
  titan.copy_async %X at(Mo = %c0, Ko = %c0) to %t signals %full schedule(#tile) fill(zero) weak : !x, !t, !titan.mbarrier
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @unnamed(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+1 {{expected the name of a loop of the schedule: at(Mo = %row)}}
  titan.copy_async %X at(%c0, %c0) to %t signals %full schedule(#tile) : !x, !t, !titan.mbarrier
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
!t = !titan.shared<64x64xbf16, swizzle = 128>
titan.kernel @reads(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  titan.copy_async %t to %X at(Mo = %c0, Ko = %c0) schedule(#tile) : !t, !x
  %group = titan.bulk.commit : !titan.token<bulk>
  // expected-error @+1 {{'reads' may not stand here: `read` may, which waits until the sources have been read, not until all is done}}
  titan.bulk.wait %group reads : !titan.token<bulk>
  titan.return
}

// -----

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!x = !titan.global<?x?xbf16>
titan.kernel @piped(%X: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %slot = titan.token.none : !titan.slot
  // expected-error @+2 {{'stong' is no word of a copy}}
  // expected-note @+1 {{fix: did you mean strong? behind schedule(...) stand, in this order, weak or strong, fill(zero) or fill(nan), cache(evict_first)}}
  titan.pipe.copy_async %X at(Mo = %c0, Ko = %c0) -> %slot["a"] schedule(#tile) stong : !x
  titan.return
}

// -----

#tile = #titan.layout<"r: 64*b128; c: 64*b2">
!t = !titan.shared<64x64xbf16>
titan.kernel @relaid() warps(1) cluster(2, 1) launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %i1 = arith.constant 1 : i32
  %mine = titan.shared.alloc : !t
  %theirs = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  // expected-error @+2 {{[copy-form] `as` stands behind an operand and its offsets, before `extents`}}
  // expected-note @+1 {{fix: write %tile[%i, %j] as #titan.layout<...> extents [96, 8]}}
  titan.copy_async %mine to %theirs extents [32, 64] as #tile rank(%i1) signals %full : !t, !t, !titan.mbarrier
  titan.return
}
