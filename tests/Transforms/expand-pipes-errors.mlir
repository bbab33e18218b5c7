// RUN: titan-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(titan.kernel(titan-expand-pipes))'

!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
titan.kernel @never_released() warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %ring = titan.shared.alloc : !ring
  // expected-error@+1 {{[pipe-release] consumer "use" never releases a slot}}
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%ring : !ring) : !titan.pipe<2>
  titan.warp_specialize {
    titan.partition "load" warps(1) { }
    titan.partition "use" warps(1) {
      %slot = titan.pipe.wait %pipe : !titan.pipe<2>
    }
  }
  titan.return
}

// -----

// The wrong one of two pipes is the error, and not what the right one lacks by it.
!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
titan.kernel @other_pipe() warps(3) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %a = titan.shared.alloc : !ring
  %b = titan.shared.alloc : !ring
  %in = titan.pipe.create "load" -> ["use"] buffers ["x"](%a : !ring) fill(arrive) : !titan.pipe<2>
  %out = titan.pipe.create "use" -> ["store"] buffers ["x"](%b : !ring) fill(arrive) : !titan.pipe<2>
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      %slot = titan.pipe.acquire %in : !titan.pipe<2>
      titan.pipe.commit %slot
    }
    titan.partition "use" warps(1) {
      // expected-error@+2 {{[pipe-role] partition "use" is no consumer of this pipe}}
      // expected-note@+1 {{fix: the pipe goes from}}
      %slot = titan.pipe.wait %out : !titan.pipe<2>
      titan.pipe.release %slot
    }
    titan.partition "store" warps(1) {
      %slot = titan.pipe.wait %out : !titan.pipe<2>
      titan.pipe.release %slot
    }
  }
  titan.return
}

// -----

// A turn is waited for, and passed on: it is no slot.
titan.kernel @turn_released() warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %turn = titan.pipe.create "a" -> ["b"] : !titan.pipe<1>
  titan.warp_specialize {
    titan.partition "a" warps(1) {
      titan.pipe.signal %turn : !titan.pipe<1>
    }
    titan.partition "b" warps(1) {
      %mine = titan.pipe.wait %turn : !titan.pipe<1>
      // expected-error@+2 {{[pipe-order] a turn is no slot}}
      // expected-note@+1 {{fix: leave this out}}
      titan.pipe.release %mine
    }
  }
  titan.return
}

// -----

titan.kernel @turn_committed() warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %turn = titan.pipe.create "a" -> ["b"] : !titan.pipe<1>
  titan.warp_specialize {
    titan.partition "a" warps(1) {
      titan.pipe.signal %turn : !titan.pipe<1>
    }
    titan.partition "b" warps(1) {
      %mine = titan.pipe.wait %turn : !titan.pipe<1>
      // expected-error@+2 {{[pipe-order] a turn is no slot}}
      // expected-note@+1 {{fix: leave this out}}
      titan.pipe.commit %mine
    }
  }
  titan.return
}

// -----

!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
titan.kernel @no_such_partition() warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %ring = titan.shared.alloc : !ring
  // expected-error@+2 {{[pipe-role] there is no partition "loader"}}
  // expected-note@+1 {{fix: there is "use"}}
  %pipe = titan.pipe.create "loader" -> ["use"] buffers ["x"](%ring : !ring) : !titan.pipe<2>
  titan.warp_specialize {
    titan.partition "use" warps(1) {
      %slot = titan.pipe.wait %pipe : !titan.pipe<2>
      titan.pipe.release %slot
    }
  }
  titan.return
}

// -----

!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
titan.kernel @wrong_end() warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %ring = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%ring : !ring) : !titan.pipe<2>
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      // expected-error@+2 {{[pipe-role] partition "load" is no consumer of this pipe}}
      // expected-note@+1 {{fix: the pipe goes from}}
      %slot = titan.pipe.wait %pipe : !titan.pipe<2>
    }
    titan.partition "use" warps(1) {
      %slot = titan.pipe.wait %pipe : !titan.pipe<2>
      titan.pipe.release %slot
    }
  }
  titan.return
}

// -----

!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
titan.kernel @nothing_loaded() warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %ring = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%ring : !ring) : !titan.pipe<2>
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      // expected-error@+1 {{[pipe-bytes] nothing is loaded into this slot}}
      %slot = titan.pipe.acquire %pipe : !titan.pipe<2>
      titan.pipe.commit %slot
    }
    titan.partition "use" warps(1) {
      %slot = titan.pipe.wait %pipe : !titan.pipe<2>
      titan.pipe.release %slot
    }
  }
  titan.return
}

// -----

!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
!map  = !titan.tensor_map<64x64xbf16, swizzle = 128>
titan.kernel @position_lost(%A: !titan.global<?x?xbf16>) warps(2) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %A : !titan.global<?x?xbf16> -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %ring = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%ring : !ring) : !titan.pipe<2>
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      // expected-error@+1 {{[pipe-position] the pipe is stepped along inside of an elect in a loop}}
      scf.for %i = %c0 to %c4 step %c1 {
        titan.elect {
          %slot = titan.pipe.acquire %pipe : !titan.pipe<2>
          titan.pipe.load %map[%c0, %c0] -> %slot["x"] : !map
          titan.pipe.commit %slot
        }
      }
    }
    titan.partition "use" warps(1) {
      %slot = titan.pipe.wait %pipe : !titan.pipe<2>
      titan.pipe.release %slot
    }
  }
  titan.return
}

// -----

!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
!map  = !titan.tensor_map<64x64xbf16, swizzle = 128>
titan.kernel @never_committed(%A: !titan.global<?x?xbf16>) warps(2) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %A : !titan.global<?x?xbf16> -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %ring = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%ring : !ring) : !titan.pipe<2>
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      // expected-error@+1 {{[pipe-slot] the slot is never committed}}
      %slot = titan.pipe.acquire %pipe : !titan.pipe<2>
      titan.pipe.load %map[%c0, %c0] -> %slot["x"] : !map
    }
    titan.partition "use" warps(1) {
      %slot = titan.pipe.wait %pipe : !titan.pipe<2>
      titan.pipe.release %slot
    }
  }
  titan.return
}

// -----

!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
!map  = !titan.tensor_map<64x64xbf16, swizzle = 128>
titan.kernel @committed_twice(%A: !titan.global<?x?xbf16>) warps(2) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %A : !titan.global<?x?xbf16> -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %ring = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%ring : !ring) : !titan.pipe<2>
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      %slot = titan.pipe.acquire %pipe : !titan.pipe<2>
      titan.pipe.load %map[%c0, %c0] -> %slot["x"] : !map
      // expected-note@+1 {{the commit}}
      titan.pipe.commit %slot
      // expected-error@+1 {{[pipe-slot] the slot has been committed}}
      titan.pipe.commit %slot
    }
    titan.partition "use" warps(1) {
      %slot = titan.pipe.wait %pipe : !titan.pipe<2>
      titan.pipe.release %slot
    }
  }
  titan.return
}

// -----

!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
!map  = !titan.tensor_map<64x64xbf16, swizzle = 128>
titan.kernel @committed_early(%A: !titan.global<?x?xbf16>) warps(2) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %A : !titan.global<?x?xbf16> -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %ring = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%ring : !ring) : !titan.pipe<2>
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      %slot = titan.pipe.acquire %pipe : !titan.pipe<2>
      // expected-note@+1 {{the commit}}
      titan.pipe.commit %slot
      titan.elect {
        // expected-error@+1 {{[pipe-slot] the slot has been committed}}
        titan.pipe.load %map[%c0, %c0] -> %slot["x"] : !map
      }
    }
    titan.partition "use" warps(1) {
      %slot = titan.pipe.wait %pipe : !titan.pipe<2>
      titan.pipe.release %slot
    }
  }
  titan.return
}

// -----

!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
!map  = !titan.tensor_map<64x64xbf16, swizzle = 128>
titan.kernel @handed_on(%A: !titan.global<?x?xbf16>) warps(2) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %A : !titan.global<?x?xbf16> -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %ring = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%ring : !ring) : !titan.pipe<2>
  titan.warp_specialize {
    // Committed once, by all, after the one thread that loads.
    titan.partition "load" warps(1) {
      %slot = titan.pipe.acquire %pipe : !titan.pipe<2>
      titan.elect {
        titan.pipe.load %map[%c0, %c0] -> %slot["x"] : !map
      }
      titan.pipe.commit %slot
    }
    titan.partition "use" warps(1) {
      %slot = titan.pipe.wait %pipe : !titan.pipe<2>
      titan.pipe.release %slot
    }
  }
  titan.return
}

// -----

#schedule = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
titan.kernel @no_such_buffer(%A: !titan.global<?x?xbf16>) warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %ring = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%ring : !ring) : !titan.pipe<2>
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      %slot = titan.pipe.acquire %pipe : !titan.pipe<2>
      // expected-error@+2 {{[pipe-buffer] the pipe has no buffer "y"}}
      // expected-note@+1 {{fix: there is "x"}}
      titan.pipe.copy_async %A at(Mo = %c0, Ko = %c0) -> %slot["y"] schedule(#schedule) : !titan.global<?x?xbf16>
      titan.pipe.commit %slot
    }
    titan.partition "use" warps(1) {
      %slot = titan.pipe.wait %pipe : !titan.pipe<2>
      titan.pipe.release %slot
    }
  }
  titan.return
}

// -----

#schedule = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
titan.kernel @committed_before_the_copy(%A: !titan.global<?x?xbf16>) warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %ring = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%ring : !ring) : !titan.pipe<2>
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      %slot = titan.pipe.acquire %pipe : !titan.pipe<2>
      // expected-note@+1 {{the commit}}
      titan.pipe.commit %slot
      // expected-error@+1 {{[pipe-slot] the slot has been committed}}
      titan.pipe.copy_async %A at(Mo = %c0, Ko = %c0) -> %slot["x"] schedule(#schedule) : !titan.global<?x?xbf16>
    }
    titan.partition "use" warps(1) {
      %slot = titan.pipe.wait %pipe : !titan.pipe<2>
      titan.pipe.release %slot
    }
  }
  titan.return
}

// -----

#schedule = #titan.schedule<tensor M x K Mo, Mi = split(M, 64) Ko, Ki = split(K, 64) bulk Mi, Ki>
!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
titan.kernel @a_loop_without_index(%A: !titan.global<?x?xbf16>) warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %ring = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%ring : !ring) : !titan.pipe<2>
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      %slot = titan.pipe.acquire %pipe : !titan.pipe<2>
      // What the copy says is checked where the slot has become a buffer.
      // expected-error@+1 {{[copy-loops] `at` has no index for the loop Ko}}
      titan.pipe.copy_async %A at(Mo = %c0) -> %slot["x"] schedule(#schedule) : !titan.global<?x?xbf16>
      titan.pipe.commit %slot
    }
    titan.partition "use" warps(1) {
      %slot = titan.pipe.wait %pipe : !titan.pipe<2>
      titan.pipe.release %slot
    }
  }
  titan.return
}

// -----

titan.kernel @slots_for_turns() warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %turn = titan.pipe.create "left" -> ["right"] : !titan.pipe<1>
  titan.warp_specialize {
    titan.partition "left" warps(1) {
      // expected-error@+1 {{[pipe-order] this pipe has no buffers}}
      %slot = titan.pipe.acquire %turn : !titan.pipe<1>
      titan.pipe.commit %slot
      titan.pipe.signal %turn : !titan.pipe<1>
    }
    titan.partition "right" warps(1) { }
  }
  titan.return
}

// -----

titan.kernel @nobody_signals() warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  // expected-error@+1 {{[pipe-fill] producer "left" never passes a turn on}}
  %turn = titan.pipe.create "left" -> ["right"] : !titan.pipe<1>
  titan.warp_specialize {
    titan.partition "left" warps(1) { }
    titan.partition "right" warps(1) {
      %t = titan.pipe.wait %turn : !titan.pipe<1>
    }
  }
  titan.return
}

// -----

!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
!map  = !titan.tensor_map<64x64xbf16, swizzle = 128>
titan.kernel @multicast_to_own(%X: !titan.global<?x?xbf16>) warps(2) cluster(2) launch {
  %c2 = arith.constant 2 : index
  %map = titan.tensor_map %X : !titan.global<?x?xbf16> -> !map
  titan.launch grid(%c2) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %both = arith.constant 3 : i16
  %ring = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%ring : !ring) : !titan.pipe<2>
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %slot = titan.pipe.acquire %pipe : !titan.pipe<2>
        // expected-error@+1 {{[pipe-cluster] a multicast load fills the slots of several CTAs}}
        titan.pipe.load %map[%c0, %c0] -> %slot["x"] multicast(%both) : !map
        titan.pipe.commit %slot
      }
    }
    titan.partition "use" warps(1) {
      %slot = titan.pipe.wait %pipe : !titan.pipe<2>
      titan.pipe.release %slot
    }
  }
  titan.return
}

// -----

!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
!map  = !titan.tensor_map<64x64xbf16, swizzle = 128>
titan.kernel @senders(%X: !titan.global<?x?xbf16>, %m: i32) warps(2) cluster(2) launch {
  %c2 = arith.constant 2 : index
  %map = titan.tensor_map %X : !titan.global<?x?xbf16> -> !map
  titan.launch grid(%c2) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %mask = arith.trunci %m : i32 to i16
  %ring = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%ring : !ring) release(multicast_arrive) : !titan.pipe<2>
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        %slot = titan.pipe.acquire %pipe : !titan.pipe<2>
        // expected-error@+1 {{[pipe-cluster] from how many CTAs a slot gets this load is not known}}
        titan.pipe.load %map[%c0, %c0] -> %slot["x"] multicast(%mask) : !map
        titan.pipe.commit %slot
      }
    }
    titan.partition "use" warps(1) {
      %slot = titan.pipe.wait %pipe : !titan.pipe<2>
      titan.pipe.release %slot
    }
  }
  titan.return
}

// -----

!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 4>
titan.kernel @which_part() warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %ring = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "make" -> ["use"] buffers ["x"](%ring : !ring) fill(arrive) : !titan.pipe<2>
  titan.warp_specialize {
    titan.partition "make" warps(1) {
      %slot = titan.pipe.acquire %pipe : !titan.pipe<2>
      titan.pipe.commit %slot
    }
    titan.partition "use" warps(1) {
      %slot = titan.pipe.wait %pipe : !titan.pipe<2>
      // expected-error@+1 {{[pipe-buffer] a slot has 2 parts of "x": say which}}
      %x = titan.pipe.buffer %slot["x"] : !titan.shared<64x64xbf16, swizzle = 128>
      titan.pipe.release %slot
    }
  }
  titan.return
}

// -----

!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
titan.kernel @everybody_stores() warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %ring = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "work" -> ["work"] buffers ["x"](%ring : !ring) fill(arrive) release(bulk_read) : !titan.pipe<2>
  titan.warp_specialize {
    titan.partition "work" warps(4) {
      %slot = titan.pipe.acquire %pipe : !titan.pipe<2>
      titan.pipe.commit %slot
      // expected-error@+1 {{[pipe-bulk-read] 4 warps release this slot}}
      titan.pipe.release %slot
    }
  }
  titan.return
}

// -----

!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
titan.kernel @one_warp() warps(5) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %ring = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "work" -> ["out"] buffers ["x"](%ring : !ring) fill(arrive) release(bulk_read) : !titan.pipe<2>
  titan.warp_specialize {
    titan.partition "work" warps(4) {
      %slot = titan.pipe.acquire %pipe : !titan.pipe<2>
      titan.pipe.commit %slot
    }
    titan.partition "out" warps(1) {
      %slot = titan.pipe.wait %pipe : !titan.pipe<2>
      // expected-error@+1 {{[pipe-bulk-read] 1 warp releases this slot}}
      titan.pipe.release %slot
    }
  }
  titan.return
}

// -----

!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
titan.kernel @skips_own() warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c1 = arith.constant 1 : index
  %ring = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "make" -> ["use"] buffers ["x"](%ring : !ring) fill(arrive) : !titan.pipe<2>
  titan.warp_specialize {
    titan.partition "make" warps(1) {
      %slot = titan.pipe.acquire %pipe : !titan.pipe<2>
      titan.pipe.commit %slot
    }
    titan.partition "use" warps(1) {
      // expected-error@+2 {{[pipe-role] every consumer takes its slots of this pipe}}
      // expected-note@+1 {{fix: write `exclusive` on titan.pipe.create}}
      titan.pipe.skip %pipe, %c1 : !titan.pipe<2>
      %slot = titan.pipe.wait %pipe : !titan.pipe<2>
      titan.pipe.release %slot
    }
  }
  titan.return
}

// -----

!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
titan.kernel @other_target() warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %ring = titan.shared.alloc : !ring
  // expected-error@+2 {{[wrong-target] tcgen05_commit does not exist on sm_90a, the kernel's target}}
  // expected-note@+1 {{fix: fill slots that products write by arrivals}}
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%ring : !ring) release(tcgen05_commit) : !titan.pipe<2>
  titan.warp_specialize {
    titan.partition "load" warps(1) { }
    titan.partition "use" warps(1) { }
  }
  titan.return
}

// -----

titan.kernel @passed_on_twice() warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %turn = titan.pipe.create "a" -> ["b"] : !titan.pipe<1>
  titan.warp_specialize {
    titan.partition "a" warps(1) {
      // expected-note@+1 {{passed on here}}
      titan.pipe.signal %turn : !titan.pipe<1>
      // expected-error@+2 {{[pipe-order] the turn is passed on a second time: nothing is waited for since the first}}
      // expected-note@+1 {{fix: take one of the two away}}
      titan.pipe.signal %turn : !titan.pipe<1>
    }
    titan.partition "b" warps(1) {
      %mine = titan.pipe.wait %turn : !titan.pipe<1>
    }
  }
  titan.return
}
