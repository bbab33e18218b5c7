// What is trusted of an arrive or a signal, of the two sides of a finding the other one, is accepted by check and by run
// alike.
//
// RUN: titan check %s --kernel arrive --scope=error 2>&1 | FileCheck %s
// RUN: titan run %s --kernel arrive --scope=error 2>&1 | FileCheck %s
// RUN: titan check %s --kernel flag --scope=error 2>&1 | FileCheck %s
// RUN: titan run %s --kernel flag --scope=error 2>&1 | FileCheck %s
// RUN: grep -v fence.proxy_async %examples/gemm.mlir | sed 's/titan.tma.store .*%mapD.%m, %at./& {titan.trusted = {code = "proxy-fence-missing", reason = "so"}}/' > %t.mlir
// RUN: titan run %t.mlir --kernel gemm 2>&1 | FileCheck %s --check-prefix=ONCE
// ONCE-COUNT-1: remark: [proxy-fence-missing]
// ONCE-NOT: remark:
//
// What is trusted in the same words is told once, with its places.
// RUN: titan generate gemm --tile 64x128x64 --stages 2 --cluster 2x1 --consumers pingpong -o %t.pair.mlir
// RUN: titan check --proof=off %t.pair.mlir 2>&1 | FileCheck %s --check-prefixes=WORDS,PLACES
// RUN: titan run %t.pair.mlir 2>&1 | FileCheck %s --check-prefix=WORDS
// WORDS-COUNT-1: remark: [scope-too-narrow]
// PLACES: note: so it is here
// WORDS-NOT: remark:
// CHECK: remark: [scope-too-narrow]
// CHECK-NOT: {{error|warning}}:

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
!peerBar = !titan.mbarrier<1, cluster>
!data   = !titan.global<64xf32>
!flags  = !titan.global<4xi32>

titan.kernel @arrive(%A: !global, %D: !global) warps(4) cluster(2) attributes {
  titan.example = {A = "64x64", D = "64x64"}
} launch {
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c2) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %both = arith.constant 3 : i16
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %empty = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.mbarrier.init %empty count(2) : !bar
    titan.fence.mbarrier_init
  }
  titan.cluster.arrive relaxed
  titan.cluster.wait
  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
  }
  scf.if %first {
    titan.elect warp(0) {
      titan.tma.load %mapA[%c0, %c0], %buf, %full multicast(%both) : !map, !tile, !bar
    }
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) {
    %theirs = titan.map_rank %empty, %i0 : !bar -> !peerBar
    titan.mbarrier.arrive %theirs {titan.trusted = {code = "scope-too-narrow", reason = "litmus"}} : !peerBar
  }
  scf.if %first {
    titan.elect warp(0) {
      titan.mbarrier.wait %empty parity(%i0) : !bar
      titan.tma.load %mapA[%c0, %c0], %buf, %full multicast(%both) : !map, !tile, !bar
    }
  }
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
  }
  titan.mbarrier.wait %full parity(%i1) : !bar
  %y = titan.shared.load %buf : !tile -> !reg
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

titan.kernel @flag(%data: !data, %flags: !flags) warps(1) attributes {
  titan.example = {data = "64", flags = "4 zeros"}
} launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect {
      titan.st %f1, %data[%c0] : f32, !data
      titan.fence release cta
      %old = titan.atom add %i1, %flags[%c0] {titan.trusted = {code = "scope-too-narrow", reason = "litmus"}} : i32, !flags -> i32
    }
  } else {
    titan.elect {
      titan.flag.wait %flags[%c0], %i1 : !flags
      %x = titan.ld %data[%c0] : !data -> f32
    }
  }
  titan.return
}
