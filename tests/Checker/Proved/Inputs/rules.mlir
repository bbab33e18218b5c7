// Wrong programs, each for one rule of the proof alone (rules.test).

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
#pairs = #titan.blocked<elements = [1, 2], lanes = [1, 32], warps = [1, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16>
!tile = !titan.shared<8x64xbf16>
!bar = !titan.mbarrier
!regs = tensor<8x64xbf16, #rows>
!where = tensor<8x64xi32, #rows>
!others = tensor<8x64xbf16, #pairs>

// Use 1 is not of the first round.
titan.kernel @once_used(%X: !global) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 3}, X = "Mx64 ints:1"}} launch {
  %one = arith.constant 1 : index
  %n = titan.dim %X, 0 : !global
  titan.launch grid(%one) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  scf.for %i = %c0 to %n step %c1 {
    titan.elect {
      titan.mbarrier.arrive %full : !bar
    }
    titan.mbarrier.wait %full parity(%i0) : !bar
    titan.syncwarp
  }
  titan.return
}

// Twice as many bytes come as are expected.
titan.kernel @bytes() warps(1) cluster(2) attributes {titan.target = "sm_90a"} launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 512 : i32
  %z = arith.constant 0.0 : bf16
  %v = titan.splat %z : bf16 -> !regs
  %rank = titan.cluster_rank
  %other = arith.xori %rank, %i1 : i32
  %mine = titan.shared.alloc : !tile
  %theirs = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
  }
  titan.shared.store %v, %mine : !regs, !tile
  titan.fence.proxy_async shared_cta
  titan.cluster.arrive
  titan.cluster.wait
  %there = titan.map_rank %theirs, %other : !tile -> !titan.shared<8x64xbf16, cluster>
  %bar = titan.map_rank %full, %other : !bar -> !titan.mbarrier<cluster>
  titan.elect warp(0) {
    titan.bulk.copy_to_peer %mine, %there, %bar : !tile, !titan.shared<8x64xbf16, cluster>, !titan.mbarrier<cluster>
  }
  titan.mbarrier.wait %full parity(%i0) scope(cluster) : !bar
  %x = titan.shared.load %theirs : !tile -> !regs
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// A lane reads what others have copied: no barrier stands between.
titan.kernel @own_copies(%X: !titan.global<8x64xbf16>) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {X = "8x64 ints:1"}} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %tile = titan.shared.alloc : !tile
  %i = titan.coordinate 0 : !where
  %j = titan.coordinate 1 : !where
  titan.cp_async %X[%i, %j], %tile bytes(16) : !titan.global<8x64xbf16>, !where, !where -> !tile
  %g = titan.cp_async.commit : !titan.token<async>
  titan.cp_async.wait_group 0
  %x = titan.shared.load %tile : !tile -> !others
  titan.syncwarp
  titan.return
}

// An arrival behind copies tells of them, and not of stores.
titan.kernel @async_tells() warps(2) attributes {titan.target = "sm_90a"} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %i0 = arith.constant 0 : i32
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(32) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "store" warps(1) {
      %z = arith.constant 0.0 : bf16
      %v = titan.splat %z : bf16 -> !regs
      titan.shared.store %v, %tile : !regs, !tile
      titan.syncwarp
      titan.cp_async.mbarrier_arrive %full noinc : !bar
    }
    titan.partition "load" warps(1) {
      titan.mbarrier.wait %full parity(%i0) : !bar
      %x = titan.shared.load %tile : !tile -> !regs
    }
  }
  titan.return
}

// Sums and least numbers of one place.
titan.kernel @reductions(%X: !global, %Y: !titan.global<8x64xbf16>) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 16}, X = "Mx64 ints:1", Y = "8x64 zeros"}} launch {
  %two = arith.constant 2 : index
  %map = titan.tensor_map %X : !global -> !map
  %mapY = titan.tensor_map %Y : !titan.global<8x64xbf16> -> !map
  titan.launch grid(%two) with(%map, %mapY : !map, !map)
} body(%map: !map, %mapY: !map) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 1024 : i32
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %cta = titan.cta_id 0
  %row = arith.muli %cta, %c8 : index
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %map[%row, %c0], %tile, %full : !map, !tile, !bar
    titan.mbarrier.wait %full parity(%i0) : !bar
    titan.tma.reduce add %tile, %mapY[%c0, %c0] : !tile, !map
    titan.tma.reduce min %tile, %mapY[%c0, %c0] : !tile, !map
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g : !titan.token<bulk>
  }
  titan.return
}

// The first three iterations ask as often as they are told, the fourth one less often.
titan.kernel @iterations(%X: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 5}, X = "Mx64 ints:1"}} launch {
  %one = arith.constant 1 : index
  %n = titan.dim %X, 0 : !global
  titan.launch grid(%one) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %full = titan.mbarrier.alloc : !bar
  %empty = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.mbarrier.init %empty count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "tell" warps(1) {
      titan.elect {
        %all = scf.for %t = %c0 to %n step %c1 iter_args(%from = %c0) -> (index) {
          %times = arith.addi %t, %c1 : index
          %end = scf.for %j = %c0 to %times step %c1 iter_args(%use = %from) -> (index) {
            %next = arith.addi %use, %c1 : index
            %odd = arith.remui %next, %c2 : index
            %parity = arith.index_cast %odd : index to i32
            titan.mbarrier.wait %empty parity(%parity) : !bar
            titan.mbarrier.arrive %full : !bar
            scf.yield %next : index
          }
          scf.yield %end : index
        }
      }
    }
    titan.partition "ask" warps(1) {
      titan.elect {
        %all = scf.for %t = %c0 to %n step %c1 iter_args(%from = %c0) -> (index) {
          %more = arith.addi %t, %c1 : index
          %times = arith.minui %more, %c3 : index
          %end = scf.for %j = %c0 to %times step %c1 iter_args(%use = %from) -> (index) {
            %next = arith.addi %use, %c1 : index
            %odd = arith.remui %use, %c2 : index
            %parity = arith.index_cast %odd : index to i32
            titan.mbarrier.wait %full parity(%parity) : !bar
            titan.mbarrier.arrive %empty : !bar
            scf.yield %next : index
          }
          scf.yield %end : index
        }
      }
    }
  }
  titan.return
}

// Each of two CTAs waits for the other one before it signals.
titan.kernel @circle(%flags: !titan.global<2xi32>) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {flags = "2 zeros"}} launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %cta = titan.cta_id 0
  %other = arith.subi %c1, %cta : index
  titan.elect warp(0) {
    titan.flag.wait %flags[%other], %i1 : !titan.global<2xi32>
    titan.flag.signal %flags[%cta], %i1 : !titan.global<2xi32>
  }
  titan.return
}

// Other threads read than have stored, and no barrier is between.
titan.kernel @own_elements(%X: !titan.global<8x64xbf16>, %Y: !titan.global<8x64xbf16>) warps(1) attributes {
  titan.target = "sm_90a", titan.example = {X = "8x64 zeros", Y = "8x64 zeros"}} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %i0 = titan.coordinate 0 : tensor<8x64xi32, #rows>
  %j0 = titan.coordinate 1 : tensor<8x64xi32, #rows>
  %i1 = titan.coordinate 0 : tensor<8x64xi32, #pairs>
  %j1 = titan.coordinate 1 : tensor<8x64xi32, #pairs>
  %one = arith.constant 1.0 : bf16
  %v = titan.splat %one : bf16 -> !regs
  titan.global.store %v, %X[%i0, %j0] : !regs, !titan.global<8x64xbf16>, !where, !where
  %x = titan.global.load %X[%i1, %j1] : !titan.global<8x64xbf16>, tensor<8x64xi32, #pairs>, tensor<8x64xi32, #pairs> -> !others
  titan.global.store %x, %Y[%i1, %j1] : !others, !titan.global<8x64xbf16>, tensor<8x64xi32, #pairs>, tensor<8x64xi32, #pairs>
  titan.return
}

// What is read is not the letter, but a number beside it.
titan.kernel @elsewhere(%counter: !titan.global<1xi32>, %X: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.initial = {counter = 0}, titan.example = {sizes = {M = 3}, X = "Mx64 ints:1", multiprocessor_count = 1}} launch {
  %sms = titan.device_property "multiprocessor_count"
  %n = titan.dim %X, 0 : !global
  %most = arith.constant 1048576 : index
  %few = arith.cmpi ule, %n, %most : index
  titan.require %few, "launch-check", "at most 2^20 rows"
  %one = arith.constant 1 : index
  %some = arith.cmpi uge, %n, %one : index
  titan.require %some, "launch-check", "a row"
  %grid = arith.minui %n, %sms : index
  titan.launch grid(%grid) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %yes = arith.constant true
  %n32 = arith.index_cast %n : index to i32
  %box = titan.shared.alloc : !titan.shared<2xi32>
  titan.elect warp(0) {
    titan.st %i0, %box[%c1] : i32, !titan.shared<2xi32>
  }
  titan.cta_sync
  %mail = titan.pipe.create "ask" -> ["work"] buffers ["tile"](%box : !titan.shared<2xi32>) fill(arrive) : !titan.pipe<1>
  titan.warp_specialize {
    titan.partition "ask" warps(1) {
      titan.elect {
        scf.while (%more = %yes) : (i1) -> () {
          scf.condition(%more)
        } do {
          %number = titan.atom add %i1, %counter[%c0] : i32, !titan.global<1xi32> -> i32
          %slot = titan.pipe.acquire %mail : !titan.pipe<1>
          %page = titan.pipe.buffer %slot["tile"] : !titan.shared<2xi32>
          titan.st %number, %page[%c0] : i32, !titan.shared<2xi32>
          titan.pipe.commit %slot
          %again = arith.cmpi slt, %number, %n32 : i32
          scf.yield %again : i1
        }
      }
    }
    titan.partition "work" warps(1) {
      scf.while : () -> (i32) {
        %slot = titan.pipe.wait %mail : !titan.pipe<1>
        %page = titan.pipe.buffer %slot["tile"] : !titan.shared<2xi32>
        %number = titan.ld %page[%c1] : !titan.shared<2xi32> -> i32
        titan.pipe.release %slot
        %some = arith.cmpi slt, %number, %n32 : i32
        scf.condition(%some) %number : i32
      } do {
      ^bb0(%number: i32):
        scf.yield
      }
    }
  }
  titan.return
}
