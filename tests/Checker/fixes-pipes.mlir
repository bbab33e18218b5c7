// What a finding advises where the text has pipes: it has no parities, no counts of arrivals and no expected bytes.
//
// RUN: titan check %s
//
// The letter's slot is touched behind its release, or its commit.
// VARIANT late_read: drop read
// VARIANT late_read: after release add %tile = titan.ld %page[%c0] : !letter -> i32
// RUN: %variant late_read %s | not titan check - --kernel mail 2>&1 | FileCheck %s --check-prefix=LATE-READ
// LATE-READ: error: [race] 'titan.st' writes shared memory
// LATE-READ-NOT: relaxed
// LATE-READ: the slot is given up here, before the access
// LATE-READ: fix: move 'titan.ld' before the titan.pipe.release of its slot: behind that the slot is another's
// VARIANT late_store: drop store
// VARIANT late_store: after commit add titan.st %t32, %page[%c0] : i32, !letter
// RUN: %variant late_store %s | not titan check - --kernel mail 2>&1 | FileCheck %s --check-prefix=LATE-STORE
// LATE-STORE: error: [race] 'titan.ld' reads shared memory
// LATE-STORE-NOT: relaxed
// LATE-STORE: fix: move 'titan.st' before the titan.pipe.commit of its slot: behind that the slot is another's
// In a cluster a pipe's barriers meet by a relaxed arrival that stands nowhere in the text.
// VARIANT late_load: drop load
// VARIANT late_load: after given add %v = titan.shared.load %xb : !tile -> !regs
// RUN: %variant late_load %s | not titan check - --kernel cluster 2>&1 | FileCheck %s --check-prefix=LATE-LOAD
// LATE-LOAD: error: [race] 'titan.tma.load' writes shared memory
// LATE-LOAD-NOT: relaxed
// LATE-LOAD: fix: move 'titan.shared.load' before the titan.pipe.release of its slot
//
// Each of two CTAs sends both a half, and says that one does.
// VARIANT senders: in both `multicast(%mask)` -> `multicast(%mask) senders(1)`
// RUN: %variant senders %s | not titan check - --kernel cluster 2>&1 | FileCheck %s --check-prefix=SENDERS
// SENDERS: error: [barrier-bytes] phase 0 of barrier %in.full[0] of CTA 0 expects 6144 bytes
// SENDERS: fix: the acquire expects what the loads of its slot bring, a multicast as often as `senders` says: write senders(2) on that of line
//
// A consumer of an exclusive pipe does not go past what the other one takes.
// VARIANT no_skip: drop skip
// RUN: %variant no_skip %s | not titan check - --kernel turns 2>&1 | FileCheck %s --check-prefix=NO-SKIP
// NO-SKIP: error: [phase-ambiguous]
// NO-SKIP-NOT: parity 0 here
// NO-SKIP: fix: this slot of %p is another consumer's, too: a consumer of an exclusive pipe goes past each use that another one takes, by titan.pipe.skip %p
//
// Slots that bulk stores empty are released by an ordinary arrival, and nobody keeps the first warp from going ahead.
// VARIANT no_bulk: in out ` release(bulk_read)` -> ``
// RUN: %variant no_bulk %s | not titan check - --kernel own 2>&1 | FileCheck %s --check-prefix=NO-BULK
// NO-BULK: error: [phase-ambiguous]
// NO-BULK-NOT: parity 0 here
// NO-BULK: fix: of this slot of %out the thread knows {{.*}} release(bulk_read) on titan.pipe.create
//
// A slot, or a turn, that nobody brings: in words of the pipe, and without what a proof would answer.
// VARIANT idle: in once `%n step` -> `%more step`
// RUN: %variant idle %s | not titan check - --kernel own_turns 2>&1 | FileCheck %s --check-prefix=IDLE --implicit-check-not=error:
// IDLE: error: [deadlock]
// IDLE: fix: nobody commits the slot of %p that is waited for: let titan.pipe.wait %p run as often as titan.pipe.acquire and titan.pipe.commit do
// VARIANT kept: drop gives
// VARIANT kept: after last add titan.pipe.release %r
// RUN: %variant kept %s | not titan check - --kernel own_turns 2>&1 | FileCheck %s --check-prefix=KEPT --implicit-check-not=error:
// KEPT: error: [deadlock]
// KEPT: fix: this slot of %p is not released: let each titan.pipe.wait %p have its titan.pipe.release, the last ones of a loop, too
// VARIANT no_credit: in credit ` credit(1)` -> ``
// RUN: %variant no_credit %s | not titan check - --kernel own_turns 2>&1 | FileCheck %s --check-prefix=NO-CREDIT --implicit-check-not=error:
// NO-CREDIT: error: [deadlock]
// NO-CREDIT: fix: let one of them signal before it waits: {{.*}}; or begin with a turn: credit(1) where %turn is created
//
// Names that there are not.
// VARIANT buffer: in named `"x"]` -> `"y"]`
// RUN: %variant buffer %s | not titan check - --kernel cluster 2>&1 | FileCheck %s --check-prefix=BUFFER
// BUFFER: [pipe-buffer] the pipe has no buffer "y"
// BUFFER: fix: there are "x", "w"
// VARIANT partition: in mailbox `"sched"` -> `"sender"`
// RUN: %variant partition %s | not titan check - --kernel mail 2>&1 | FileCheck %s --check-prefix=PARTITION
// PARTITION: [pipe-role] there is no partition "sender"
// PARTITION: fix: there are "work", "sched"
// VARIANT role: in waits `titan.pipe.wait` -> `titan.pipe.acquire`
// RUN: %variant role %s | not titan check - --kernel mail 2>&1 | FileCheck %s --check-prefix=ROLE
// ROLE: [pipe-role] partition "work" is no producer of this pipe
// ROLE: fix: the pipe goes from "sched" to "work": use it there, or name "work" in its titan.pipe.create

#w = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!letters = !titan.shared<1xi32, slots = 2>
!letter = !titan.shared<1xi32>
!numbers = !titan.global<?xi32>
!mat = !titan.global<?x64xbf16>
!whole = !titan.tensor_map<32x64xbf16, swizzle = 128>
!half = !titan.tensor_map<16x64xbf16, swizzle = 128>
!ring = !titan.shared<32x64xbf16, swizzle = 128, slots = 2>
!tile = !titan.shared<32x64xbf16, swizzle = 128>
!halves = !titan.shared<16x64xbf16, swizzle = 128, slots = 4>
!part = !titan.shared<16x64xbf16, swizzle = 128>
!regs = tensor<32x64xbf16, #w>
!pipe = !titan.pipe<2>

titan.kernel @mail(%Y: !numbers) warps(5) launch {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = titan.dim %Y, 0 : !numbers
  titan.launch grid(%c1) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %box = titan.shared.alloc : !letters
  %mail = titan.pipe.create "sched" -> ["work"] buffers ["t"](%box : !letters) fill(arrive) : !pipe // @mailbox
  titan.warp_specialize {
    titan.partition "work" warps(4) {
      scf.for %i = %c0 to %n step %c1 {
        %slot = titan.pipe.wait %mail : !pipe // @waits
        %page = titan.pipe.buffer %slot["t"] : !letter
        %tile = titan.ld %page[%c0] : !letter -> i32 // @read
        titan.pipe.release %slot // @release
        titan.elect warp(0) {
          titan.st %tile, %Y[%i] : i32, !numbers
        }
      }
    }
    titan.partition "sched" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
          %t32 = arith.index_cast %i : index to i32
          %slot = titan.pipe.acquire %mail : !pipe
          %page = titan.pipe.buffer %slot["t"] : !letter
          titan.st %t32, %page[%c0] : i32, !letter // @store
          titan.pipe.commit %slot // @commit
        }
      }
    }
  }
  titan.return
}

titan.kernel @cluster(%X: !mat, %Y: !mat) warps(5) cluster(2, 1, 1) launch {
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %m = titan.dim %X, 0 : !mat
  %my = titan.dim %Y, 0 : !mat
  %same = arith.cmpi eq, %m, %my : index
  titan.require %same, "launch-check", "Y has X's rows"
  %n = arith.ceildivui %m, %c32 : index
  %whole = titan.tensor_map %X : !mat -> !whole
  %half = titan.tensor_map %X : !mat -> !half
  titan.launch grid(%c2) with(%whole, %half, %n : !whole, !half, index)
} body(%whole: !whole, %half: !half, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %mask = arith.constant 3 : i16
  %rank32 = titan.cluster_rank
  %rank = arith.index_cast %rank32 : i32 to index
  %x = titan.shared.alloc : !ring
  %w = titan.shared.alloc : !halves
  %in = titan.pipe.create "load" -> ["use"] buffers ["x", "w"](%x, %w : !ring, !halves) release(multicast_arrive) : !pipe
  titan.warp_specialize {
    titan.partition "use" warps(4) {
      scf.for %i = %c0 to %n step %c1 {
        %s = titan.pipe.wait %in : !pipe
        %xb = titan.pipe.buffer %s["x"] : !tile // @named
        %v = titan.shared.load %xb : !tile -> !regs // @load
        titan.pipe.release %s // @given
      }
    }
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
          %row = arith.muli %i, %c32 : index
          %more = arith.muli %rank, %c16 : index
          %at = arith.addi %row, %more : index
          %s = titan.pipe.acquire %in : !pipe
          titan.pipe.load %whole[%row, %c0] -> %s["x"] : !whole
          titan.pipe.load %half[%at, %c0] -> %s["w"][%rank] multicast(%mask) : !half // @both
          titan.pipe.commit %s
        }
      }
    }
  }
  titan.return
}

// Of rows that are a multiple of 32 there are 32 at least: the tiles are never none.
titan.kernel @turns(%X: !mat) warps(12) launch {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %m = titan.dim %X, 0 : !mat
  %rest = arith.remui %m, %c32 : index
  %whole_tiles = arith.cmpi eq, %rest, %c0 : index
  titan.require %whole_tiles, "launch-check", "rows by 32"
  %n = arith.divui %m, %c32 : index
  %whole = titan.tensor_map %X : !mat -> !whole
  titan.launch grid(%c1) with(%whole, %n : !whole, index)
} body(%whole: !whole, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %x = titan.shared.alloc : !ring
  %p = titan.pipe.create "load" -> ["even", "odd"] buffers ["x"](%x : !ring) exclusive : !pipe
  titan.warp_specialize {
    titan.partition "even" warps(4) {
      scf.for %i = %c0 to %n step %c2 {
        %s = titan.pipe.wait %p : !pipe
        %xb = titan.pipe.buffer %s["x"] : !tile
        %v = titan.shared.load %xb : !tile -> !regs
        titan.pipe.release %s
        titan.pipe.skip %p, %c1 : !pipe // @skip
      }
    }
    titan.partition "odd" warps(4) {
      titan.pipe.skip %p, %c1 : !pipe
      scf.for %i = %c1 to %n step %c2 {
        %s = titan.pipe.wait %p : !pipe
        %xb = titan.pipe.buffer %s["x"] : !tile
        %v = titan.shared.load %xb : !tile -> !regs
        titan.pipe.release %s
        titan.pipe.skip %p, %c1 : !pipe
      }
    }
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
          %row = arith.muli %i, %c32 : index
          %s = titan.pipe.acquire %p : !pipe
          titan.pipe.load %whole[%row, %c0] -> %s["x"] : !whole
          titan.pipe.commit %s
        }
      }
    }
  }
  titan.return
}

titan.kernel @own(%Y: !mat) warps(4) launch {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %m = titan.dim %Y, 0 : !mat
  %n = arith.ceildivui %m, %c32 : index
  %whole = titan.tensor_map %Y : !mat -> !whole
  titan.launch grid(%c1) with(%whole, %n : !whole, index)
} body(%whole: !whole, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : !regs
  %y = titan.shared.alloc : !ring
  %out = titan.pipe.create "add" -> ["add"] buffers ["y"](%y : !ring) fill(arrive) release(bulk_read) : !pipe // @out
  titan.warp_specialize {
    titan.partition "add" warps(4) {
      scf.for %i = %c0 to %n step %c1 {
        %row = arith.muli %i, %c32 : index
        %s = titan.pipe.acquire %out : !pipe
        %yb = titan.pipe.buffer %s["y"] : !tile
        titan.shared.store %zero, %yb : !regs, !tile
        titan.pipe.commit %s
        titan.elect warp(0) {
          titan.tma.store %yb, %whole[%row, %c0] : !tile, !whole
          titan.pipe.release %s
        }
      }
    }
  }
  titan.return
}

// A turn comes back before the next slot is filled.
titan.kernel @own_turns(%X: !mat) warps(8) launch {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %m = titan.dim %X, 0 : !mat
  %n = arith.ceildivui %m, %c32 : index
  %whole = titan.tensor_map %X : !mat -> !whole
  titan.launch grid(%c1) with(%whole, %n : !whole, index)
} body(%whole: !whole, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %more = arith.addi %n, %c1 : index
  %x = titan.shared.alloc : !ring
  %p = titan.pipe.create "load" -> ["use"] buffers ["x"](%x : !ring) : !pipe
  %turn = titan.pipe.create "use" -> ["load"] credit(1) : !titan.pipe<1> // @credit
  titan.warp_specialize {
    titan.partition "use" warps(4) {
      %none = titan.token.none : !titan.slot
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%before = %none) -> (!titan.slot) { // @once
        %s = titan.pipe.wait %p : !pipe
        %xb = titan.pipe.buffer %s["x"] : !tile
        %v = titan.shared.load %xb : !tile -> !regs
        titan.pipe.release %s // @gives
        titan.pipe.signal %turn : !titan.pipe<1>
        scf.yield %s : !titan.slot
      } // @last
    }
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %n step %c1 {
          titan.pipe.wait %turn : !titan.pipe<1>
          %row = arith.muli %i, %c32 : index
          %s = titan.pipe.acquire %p : !pipe
          titan.pipe.load %whole[%row, %c0] -> %s["x"] : !whole
          titan.pipe.commit %s
        }
      }
    }
  }
  titan.return
}
