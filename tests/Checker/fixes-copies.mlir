// What a finding advises where copies and who waits for them do not fit: the copies of a loop, of a cluster, of a
// thread's groups, and of several CTAs.
//
// RUN: titan check %s
//
// A wait that stands before the last copy that it is for; an arrival for each of them.
// VARIANT wait: drop waits
// VARIANT wait: after loads add titan.mbarrier.wait %full parity(%i0) : !bar
// RUN: %variant wait %s | not titan check - --kernel rows 2>&1 | FileCheck %s --check-prefix=WAIT
// WAIT: error: [deadlock]
// WAIT: fix: bytes that %full of CTA 0 expects are those of copies that this thread issues only behind this wait: move the wait behind the last of them
// VARIANT arrives: drop arrives
// VARIANT arrives: before loads add titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
// RUN: %variant arrives %s | not titan check - --kernel rows 2>&1 | FileCheck %s --check-prefix=ARRIVES
// ARRIVES: error: [barrier-arrivals]
// ARRIVES: fix: this arrives in each iteration of its loop, and the phase counts 1: arrive once, outside of the loop, or wait for the phase in it
// VARIANT nobody: in arrives `arrive_expect_tx %full, %bytes` -> `arrive %full`
// RUN: %variant nobody %s | not titan check - --kernel rows 2>&1 | FileCheck %s --check-prefix=NOBODY
// NOBODY: error: [barrier-bytes]
// NOBODY: fix: no phase of %full of CTA 0 expects these bytes: let who arrives say how many come (titan.mbarrier.arrive_expect_tx)
//
// Two CTAs store the same rows: waiting would not help.
// VARIANT shares: in step `%c16` -> `%c8`
// RUN: %variant shares %s | not titan check - --kernel rows 2>&1 | FileCheck %s --check-prefix=SHARES
// SHARES: error: [completion-not-observed]
// SHARES: fix: let each CTA write a part of its own of %Y: CTAs 0 and 1 write the same elements
//
// Nobody waits for what is read.
// VARIANT unwaited: drop halves
// RUN: %variant unwaited %s | not titan check - --kernel pair 2>&1 | FileCheck %s --check-prefix=UNWAITED
// UNWAITED: error: [completion-not-observed] 'titan.shared.load'
// UNWAITED: fix: wait for %full of CTA 0 (titan.mbarrier.wait, parity 0
// Nor of a product: it lacks this wait, whichever other one then comes too late.
// RUN: grep -v '// @ready' %S/Proved/one-frees.mlir | not titan check - 2>&1 | FileCheck %s --check-prefix=READY
// READY: error: [completion-not-observed] 'titan.mma'
// READY: fix: wait for %full (titan.mbarrier.wait) before 'titan.mma' reads what the copy brings
//
// Of a cluster: a mask that leaves the peer out; bytes of which the peer's come late; arrivals of the peer.
// VARIANT mask: in both `3 : i16` -> `1 : i16`
// RUN: %variant mask %s | not titan check - --kernel pair 2>&1 | FileCheck %s --check-prefix=MASK
// MASK: error: [barrier-bytes] phase 0 of barrier %full of CTA 1 expects 4096 bytes, and the copies that complete on it bring 0
// MASK: fix: the mask of 'titan.tma.load' (line {{[0-9]+}}) is 1, without bit 1: set it where CTA 1 is to have the bytes, too
// VARIANT late: in all `4096` -> `2048`
// RUN: %variant late %s | not titan check - --kernel pair 2>&1 | FileCheck %s --check-prefix=LATE --implicit-check-not=error:
// LATE: error: [barrier-bytes] phase 0 of barrier %full of CTA {{[01]}} expects 2048 bytes, and the copies that are meant for it bring 4096
// LATE: fix: expect 4096 bytes at %full
// VARIANT few: in eight `count(8)` -> `count(4)`
// RUN: %variant few %s | not titan check - --kernel ring 2>&1 | FileCheck %s --check-prefix=FEW --implicit-check-not=error:
// FEW: error: [phase-ambiguous]
// FEW: fix: initialise %empty of CTA 0 with count(8), or take 4 of the arrivals away: 8 arrive in a phase, and it counts 4
//
// A slot is read that is filled behind the wait: its number is not what is wrong.
// VARIANT ahead: in next `%c1` -> `%c2`
// RUN: %variant ahead %s | not titan check - --kernel groups 2>&1 | FileCheck %s --check-prefix=AHEAD --implicit-check-not=group-wait-count
// AHEAD: error: [completion-not-observed] 'titan.shared.load'
// AHEAD: fix: let the thread that issues 'titan.cp_async' wait for its group (cp.async.wait_group) before 'titan.shared.load'
//
// Read as other threads have copied it: each has waited for its own, and no barrier stands behind that.
// VARIANT others: in load `!regs` -> `tensor<16x64xf32, #titan.blocked<elements = [1, 4], lanes = [4, 8], warps = [4, 1]>>`
// RUN: %variant others %s | not titan check - --kernel groups 2>&1 | FileCheck %s --check-prefix=OTHERS
// OTHERS: error: [completion-not-observed] 'titan.shared.load'
// OTHERS: fix: put a barrier between 'titan.cp_async.wait_group' (line [[#]]), by which its thread knows that the copy is over, and 'titan.shared.load' (line [[#]])

#l = #titan.blocked<elements = [1, 4], lanes = [2, 16], warps = [4, 1]>
!mat = !titan.global<?x64xf32, strides = [64, 1]>
!line = !titan.shared<1x64xf32>
!lines = !titan.shared<1x64xf32, slots = 16>
!tile = !titan.shared<16x64xf32>
!ring = !titan.shared<16x64xf32, slots = 2>
!half = !titan.shared<8x64xf32>
!halves = !titan.shared<8x64xf32, slots = 2>
!mapRow = !titan.tensor_map<1x64xf32>
!map = !titan.tensor_map<16x64xf32>
!mapHalf = !titan.tensor_map<8x64xf32>
!bar = !titan.mbarrier
!there = !titan.mbarrier<cluster>
!regs = tensor<16x64xf32, #l>
!idx = tensor<16x64xi32, #l>

// A row by each copy, and a tile of them out.
titan.kernel @rows(%X: !mat, %Y: !mat) warps(1) launch {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %m = titan.dim %X, 0 : !mat
  %rest = arith.remui %m, %c16 : index
  %whole = arith.cmpi eq, %rest, %c0 : index
  titan.require %whole, "launch-check", "rows by 16"
  %ctas = arith.divui %m, %c16 : index
  %mapX = titan.tensor_map %X : !mat -> !mapRow
  %mapY = titan.tensor_map %Y : !mat -> !map
  titan.launch grid(%ctas) with(%mapX, %mapY : !mapRow, !map)
} body(%mapX: !mapRow, %mapY: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 4096 : i32
  %lines = titan.shared.alloc : !lines
  %full = titan.mbarrier.alloc : !bar
  %cta = titan.cta_id 0
  %first = arith.muli %cta, %c16 : index // @step
  titan.elect {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar // @arrives
    scf.for %k = %c0 to %c16 step %c1 {
      %row = arith.addi %first, %k : index
      %line = titan.shared.slot %lines[%k : index] : !lines -> !line
      titan.tma.load %mapX[%row, %c0], %line, %full : !mapRow, !line, !bar // @loads
    }
    titan.mbarrier.wait %full parity(%i0) : !bar // @waits
    %tile = titan.shared.reuse %lines : !lines -> !tile
    titan.tma.store %tile, %mapY[%first, %c0] : !tile, !map
    %group = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %group read : !titan.token<bulk>
  }
  titan.return
}

// Each CTA of a pair loads a half for both.
titan.kernel @pair(%X: !mat) warps(4) cluster(2, 1, 1) launch {
  %c2 = arith.constant 2 : index
  %mapX = titan.tensor_map %X : !mat -> !mapHalf
  titan.launch grid(%c2) with(%mapX : !mapHalf)
} body(%mapX: !mapHalf) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 4096 : i32 // @all
  %both = arith.constant 3 : i16 // @both
  %halves = titan.shared.alloc : !halves
  %full = titan.mbarrier.alloc : !bar
  %rank32 = titan.cluster_rank
  %rank = arith.index_cast %rank32 : i32 to index
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.elect warp(0) {
    %row = arith.muli %rank, %c8 : index
    %half = titan.shared.slot %halves[%rank : index] : !halves -> !half
    titan.tma.load %mapX[%row, %c0], %half, %full multicast(%both) : !mapHalf, !half, !bar
  }
  titan.mbarrier.wait %full parity(%i0) scope(cluster) : !bar // @halves
  %tile = titan.shared.reuse %halves : !halves -> !tile
  %x = titan.shared.load %tile : !tile -> !regs
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// A tile for both, round after round; the warps of both CTAs give it back.
titan.kernel @ring(%X: !mat) warps(5) cluster(2, 1, 1) launch {
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %m = titan.dim %X, 0 : !mat
  %n = arith.ceildivui %m, %c16 : index
  %mapX = titan.tensor_map %X : !mat -> !mapHalf
  titan.launch grid(%c2) with(%mapX, %n : !mapHalf, index)
} body(%mapX: !mapHalf, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 4096 : i32
  %both = arith.constant 3 : i16
  %halves = titan.shared.alloc : !halves
  %full = titan.mbarrier.alloc : !bar
  %empty = titan.mbarrier.alloc : !bar
  %rank32 = titan.cluster_rank
  %rank = arith.index_cast %rank32 : i32 to index
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.mbarrier.init %empty count(8) : !bar // @eight
    titan.fence.mbarrier_init
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.warp_specialize {
    titan.partition "use" warps(4) {
      %peer = arith.xori %rank32, %i1 : i32
      %there = titan.map_rank %empty, %peer : !bar -> !there
      scf.for %i = %c0 to %n step %c1 {
        %odd = arith.remui %i, %c2 : index
        %parity = arith.index_cast %odd : index to i32
        titan.mbarrier.wait %full parity(%parity) scope(cluster) : !bar
        %tile = titan.shared.reuse %halves : !halves -> !tile
        %x = titan.shared.load %tile : !tile -> !regs
        titan.fence.proxy_async shared_cta
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty : !bar
          titan.mbarrier.arrive %there scope(cluster) : !there
        }
      }
    }
    titan.partition "load" warps(1) {
      titan.elect {
        %down = arith.muli %rank, %c8 : index
        scf.for %i = %c0 to %n step %c1 {
          %next = arith.addi %i, %c1 : index
          %odd = arith.remui %next, %c2 : index
          %parity = arith.index_cast %odd : index to i32
          titan.mbarrier.wait %empty parity(%parity) scope(cluster) : !bar
          titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
          %at = arith.muli %i, %c16 : index
          %row = arith.addi %at, %down : index
          %half = titan.shared.slot %halves[%rank : index] : !halves -> !half
          titan.tma.load %mapX[%row, %c0], %half, %full multicast(%both) : !mapHalf, !half, !bar
        }
      }
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// Each thread copies what it reads; one group is under way.
titan.kernel @groups(%X: !mat) warps(4) launch {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %most = arith.constant 1073741824 : index
  %m = titan.dim %X, 0 : !mat
  %few = arith.cmpi ule, %m, %most : index
  titan.require %few, "launch-check", "at most 2^30 rows"
  %n = arith.ceildivui %m, %c16 : index
  titan.launch grid(%c1) with(%m, %n : index, index)
} body(%m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %ring = titan.shared.alloc : !ring
  %m32 = arith.index_cast %m : index to i32
  %rows = titan.splat %m32 : i32 -> !idx
  %r = titan.coordinate 0 : !idx
  %c = titan.coordinate 1 : !idx
  %in = arith.cmpi slt, %r, %rows : !idx
  %slot0 = titan.shared.slot %ring[%c0 : index] : !ring -> !tile
  titan.cp_async %X[%r, %c] mask(%in : tensor<16x64xi1, #l>), %slot0 bytes(16) cg : !mat, !idx, !idx -> !tile
  %g0 = titan.cp_async.commit : !titan.token<async>
  scf.for %i = %c0 to %n step %c1 {
    %ahead = arith.addi %i, %c1 : index // @next
    %s = arith.remui %ahead, %c2 : index
    %to = titan.shared.slot %ring[%s : index] : !ring -> !tile
    %row = arith.muli %ahead, %c16 : index
    %row32 = arith.index_cast %row : index to i32
    %first = titan.splat %row32 : i32 -> !idx
    %at = arith.addi %first, %r : !idx
    %inside = arith.cmpi slt, %at, %rows : !idx
    titan.cp_async.wait_group 0
    titan.cp_async %X[%at, %c] mask(%inside : tensor<16x64xi1, #l>), %to bytes(16) cg : !mat, !idx, !idx -> !tile
    %g = titan.cp_async.commit : !titan.token<async>
    %now = arith.remui %i, %c2 : index
    %from = titan.shared.slot %ring[%now : index] : !ring -> !tile
    %v = titan.shared.load %from : !tile -> !regs // @load
  }
  titan.cp_async.wait_group 0
  titan.return
}
