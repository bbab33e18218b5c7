// deepseek-ai/DeepEP#621, #642: loads read a buffer, a TMA load overwrites it, and no proxy fence stands between.
//
// CODES: war-generic-async
// RUN: %python %S/Inputs/bug_and_fix.py %s --war=error --shape A=64x64 --arg A=random:1 --shape D=64x64 --shape S=3 --arg S=zeros
// By default a warning.
// RUN: titan check %s --kernel bug 2>&1 | FileCheck %s --check-prefix=WARNING
// WARNING: warning: {{.*}}[war-generic-async]

!global = !titan.global<?x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
!sequence = !titan.global<?xf32>

titan.kernel @bug(%A: !global, %D: !global, %S: !sequence) warps(4) launch {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  %rounds = titan.dim %S, 0 : !sequence
  titan.launch grid(%c1) with(%mapA, %mapD, %rounds : !map, !map, index)
} body(%mapA: !map, %mapD: !map, %rounds: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %last = scf.for %i = %c0 to %rounds step %c1 iter_args(%parity = %i0) -> (i32) {
    titan.elect warp(0) {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      // BUG
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
    }
    titan.mbarrier.wait %full parity(%parity) : !bar
    %x = titan.shared.load %buf : !tile -> !reg
    titan.cta_sync
    %next = arith.xori %parity, %i1 : i32
    scf.yield %next : i32
  }
  titan.return
}

titan.kernel @fix(%A: !global, %D: !global, %S: !sequence) warps(4) launch {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  %rounds = titan.dim %S, 0 : !sequence
  titan.launch grid(%c1) with(%mapA, %mapD, %rounds : !map, !map, index)
} body(%mapA: !map, %mapD: !map, %rounds: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %last = scf.for %i = %c0 to %rounds step %c1 iter_args(%parity = %i0) -> (i32) {
    titan.elect warp(0) {
      titan.fence.proxy_async shared_cta
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
    }
    titan.mbarrier.wait %full parity(%parity) : !bar
    %x = titan.shared.load %buf : !tile -> !reg
    titan.cta_sync
    %next = arith.xori %parity, %i1 : i32
    scf.yield %next : i32
  }
  titan.return
}
