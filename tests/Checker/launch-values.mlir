// MM-122: values of the launch region keep what relates them, and what it requires holds.
//
// RUN: titan check %s --kernel equal_widths
// RUN: not titan check %s --kernel free_widths 2>&1 | FileCheck %s --check-prefix=FREE-WIDTHS
// RUN: titan check %s --kernel pairs
// RUN: not titan check %s --kernel odd_step 2>&1 | FileCheck %s --check-prefix=ODD-STEP
// RUN: titan check %s --kernel one_size
// RUN: not titan check %s --kernel two_sizes 2>&1 | FileCheck %s --check-prefix=TWO-SIZES
// RUN: titan check %s --kernel grid_extent
// RUN: titan check %s --kernel bytes_required
// RUN: not titan check %s --kernel bytes_wrong 2>&1 | FileCheck %s --check-prefix=BYTES-WRONG
// RUN: not titan check %s --kernel bytes_any 2>&1 | FileCheck %s --check-prefix=BYTES-ANY

!global = !titan.global<?x?xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// Both loops run equally often: the launch requires equal widths.
titan.kernel @equal_widths(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %ka = titan.dim %A, 1 : !global
  %kd = titan.dim %D, 1 : !global
  %eq = arith.cmpi eq, %ka, %kd : index
  titan.require %eq, "launch-check", "same width"
  %sa = arith.ceildivui %ka, %c64 : index
  %sd = arith.ceildivui %kd, %c64 : index
  titan.launch grid(%c1) with(%sa, %sd : index, index)
} body(%sa: index, %sd: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %ping = titan.mbarrier.alloc : !bar
  %pong = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %ping count(1) : !bar
    titan.mbarrier.init %pong count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "producer" warps(1) {
      %r = scf.for %k = %c0 to %sa step %c1 iter_args(%p = %i0) -> (i32) {
        %other = arith.xori %p, %i1 : i32
        titan.mbarrier.wait %pong parity(%other) : !bar
        titan.elect {
          titan.st %one, %buf[%c0, %c0] : bf16, !tile
          titan.mbarrier.arrive %ping : !bar
        }
        scf.yield %other : i32
      }
    }
    titan.partition "consumer" warps(1) {
      %r = scf.for %k = %c0 to %sd step %c1 iter_args(%p = %i0) -> (i32) {
        titan.mbarrier.wait %ping parity(%p) : !bar
        titan.elect {
          %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
          titan.mbarrier.arrive %pong : !bar
        }
        %next = arith.xori %p, %i1 : i32
        scf.yield %next : i32
      }
    }
  }
  titan.return
}

// No such requirement.
// FREE-WIDTHS: {{\[}}deadlock{{\]}}
titan.kernel @free_widths(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %ka = titan.dim %A, 1 : !global
  %kd = titan.dim %D, 1 : !global
  %eq = arith.cmpi eq, %ka, %kd : index
  %sa = arith.ceildivui %ka, %c64 : index
  %sd = arith.ceildivui %kd, %c64 : index
  titan.launch grid(%c1) with(%sa, %sd : index, index)
} body(%sa: index, %sd: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %ping = titan.mbarrier.alloc : !bar
  %pong = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %ping count(1) : !bar
    titan.mbarrier.init %pong count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "producer" warps(1) {
      %r = scf.for %k = %c0 to %sa step %c1 iter_args(%p = %i0) -> (i32) {
        %other = arith.xori %p, %i1 : i32
        titan.mbarrier.wait %pong parity(%other) : !bar
        titan.elect {
          titan.st %one, %buf[%c0, %c0] : bf16, !tile
          titan.mbarrier.arrive %ping : !bar
        }
        scf.yield %other : i32
      }
    }
    titan.partition "consumer" warps(1) {
      %r = scf.for %k = %c0 to %sd step %c1 iter_args(%p = %i0) -> (i32) {
        titan.mbarrier.wait %ping parity(%p) : !bar
        titan.elect {
          %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
          titan.mbarrier.arrive %pong : !bar
        }
        %next = arith.xori %p, %i1 : i32
        scf.yield %next : i32
      }
    }
  }
  titan.return
}

// Twice as many steps as pairs.
titan.kernel @pairs(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %ka = titan.dim %A, 1 : !global
  %kd = titan.dim %D, 1 : !global
  %rest = arith.remui %ka, %c128 : index
  %z = arith.constant 0 : index
  %eq = arith.cmpi eq, %rest, %z : index
  titan.require %eq, "launch-check", "K is a multiple of 128"
  %sa = arith.divui %ka, %c64 : index
  %pairs = arith.divui %ka, %c128 : index
  titan.launch grid(%c1) with(%sa, %pairs : index, index)
} body(%sa: index, %pairs: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %ping = titan.mbarrier.alloc : !bar
  %pong = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %ping count(1) : !bar
    titan.mbarrier.init %pong count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "producer" warps(1) {
      %r = scf.for %k = %c0 to %sa step %c1 iter_args(%p = %i0) -> (i32) {
        %other = arith.xori %p, %i1 : i32
        titan.mbarrier.wait %pong parity(%other) : !bar
        titan.elect {
          titan.st %one, %buf[%c0, %c0] : bf16, !tile
          titan.mbarrier.arrive %ping : !bar
        }
        scf.yield %other : i32
      }
    }
    titan.partition "consumer" warps(1) {
      scf.for %j = %c0 to %pairs step %c1 {
        titan.mbarrier.wait %ping parity(%i0) : !bar
        titan.elect {
          %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
          titan.mbarrier.arrive %pong : !bar
        }
        titan.mbarrier.wait %ping parity(%i1) : !bar
        titan.elect {
          %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
          titan.mbarrier.arrive %pong : !bar
        }
      }
    }
  }
  titan.return
}

// The last pair lacks a step.
// ODD-STEP: {{\[}}deadlock{{\]}}
titan.kernel @odd_step(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %ka = titan.dim %A, 1 : !global
  %kd = titan.dim %D, 1 : !global
  %rest = arith.remui %ka, %c128 : index
  %z = arith.constant 0 : index
  %eq = arith.cmpi eq, %rest, %z : index
  %sa = arith.divui %ka, %c64 : index
  %pairs = arith.ceildivui %ka, %c128 : index
  titan.launch grid(%c1) with(%sa, %pairs : index, index)
} body(%sa: index, %pairs: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %ping = titan.mbarrier.alloc : !bar
  %pong = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %ping count(1) : !bar
    titan.mbarrier.init %pong count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "producer" warps(1) {
      %r = scf.for %k = %c0 to %sa step %c1 iter_args(%p = %i0) -> (i32) {
        %other = arith.xori %p, %i1 : i32
        titan.mbarrier.wait %pong parity(%other) : !bar
        titan.elect {
          titan.st %one, %buf[%c0, %c0] : bf16, !tile
          titan.mbarrier.arrive %ping : !bar
        }
        scf.yield %other : i32
      }
    }
    titan.partition "consumer" warps(1) {
      scf.for %j = %c0 to %pairs step %c1 {
        titan.mbarrier.wait %ping parity(%i0) : !bar
        titan.elect {
          %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
          titan.mbarrier.arrive %pong : !bar
        }
        titan.mbarrier.wait %ping parity(%i1) : !bar
        titan.elect {
          %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
          titan.mbarrier.arrive %pong : !bar
        }
      }
    }
  }
  titan.return
}

// A size asked for in the body and in the launch region.
titan.kernel @one_size(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %n = titan.dim %A, 0 : !global
  titan.launch grid(%c1) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %n2 = titan.dim %A, 0 : !global
  %buf = titan.shared.alloc : !tile
  %ping = titan.mbarrier.alloc : !bar
  %pong = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %ping count(1) : !bar
    titan.mbarrier.init %pong count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "producer" warps(1) {
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%p = %i0) -> (i32) {
        %other = arith.xori %p, %i1 : i32
        titan.mbarrier.wait %pong parity(%other) : !bar
        titan.elect {
          titan.st %one, %buf[%c0, %c0] : bf16, !tile
          titan.mbarrier.arrive %ping : !bar
        }
        scf.yield %other : i32
      }
    }
    titan.partition "consumer" warps(1) {
      %r = scf.for %k = %c0 to %n2 step %c1 iter_args(%p = %i0) -> (i32) {
        titan.mbarrier.wait %ping parity(%p) : !bar
        titan.elect {
          %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
          titan.mbarrier.arrive %pong : !bar
        }
        %next = arith.xori %p, %i1 : i32
        scf.yield %next : i32
      }
    }
  }
  titan.return
}

// Sizes of two tensors.
// TWO-SIZES: {{\[}}deadlock{{\]}}
titan.kernel @two_sizes(%A: !global, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %n = titan.dim %A, 0 : !global
  titan.launch grid(%c1) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %n2 = titan.dim %D, 0 : !global
  %buf = titan.shared.alloc : !tile
  %ping = titan.mbarrier.alloc : !bar
  %pong = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %ping count(1) : !bar
    titan.mbarrier.init %pong count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "producer" warps(1) {
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%p = %i0) -> (i32) {
        %other = arith.xori %p, %i1 : i32
        titan.mbarrier.wait %pong parity(%other) : !bar
        titan.elect {
          titan.st %one, %buf[%c0, %c0] : bf16, !tile
          titan.mbarrier.arrive %ping : !bar
        }
        scf.yield %other : i32
      }
    }
    titan.partition "consumer" warps(1) {
      %r = scf.for %k = %c0 to %n2 step %c1 iter_args(%p = %i0) -> (i32) {
        titan.mbarrier.wait %ping parity(%p) : !bar
        titan.elect {
          %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
          titan.mbarrier.arrive %pong : !bar
        }
        %next = arith.xori %p, %i1 : i32
        scf.yield %next : i32
      }
    }
  }
  titan.return
}

// The extent of the grid, as it was passed and as it is.
titan.kernel @grid_extent(%A: !global, %D: !global) warps(2) launch {
  %n = titan.dim %A, 0 : !global
  %c9 = arith.constant 9 : index
  %grid = arith.minui %n, %c9 : index
  titan.launch grid(%grid) with(%n, %grid : index, index)
} body(%n: index, %grid: index) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : bf16
  %id = titan.cta_id 0
  %nc = titan.num_ctas 0
  %buf = titan.shared.alloc : !tile
  %ping = titan.mbarrier.alloc : !bar
  %pong = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %ping count(1) : !bar
    titan.mbarrier.init %pong count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "producer" warps(1) {
      %r = scf.for %k = %id to %n step %grid iter_args(%p = %i0) -> (i32) {
        %other = arith.xori %p, %i1 : i32
        titan.mbarrier.wait %pong parity(%other) : !bar
        titan.elect {
          titan.st %one, %buf[%c0, %c0] : bf16, !tile
          titan.mbarrier.arrive %ping : !bar
        }
        scf.yield %other : i32
      }
    }
    titan.partition "consumer" warps(1) {
      %r = scf.for %k = %id to %n step %nc iter_args(%p = %i0) -> (i32) {
        titan.mbarrier.wait %ping parity(%p) : !bar
        titan.elect {
          %x = titan.ld %buf[%c0, %c0] : !tile -> bf16
          titan.mbarrier.arrive %pong : !bar
        }
        %next = arith.xori %p, %i1 : i32
        scf.yield %next : i32
      }
    }
  }
  titan.return
}

// The bytes are what the launch requires.
titan.kernel @bytes_required(%A: !global, %D: !global, %s: i32) warps(4) launch {
  %c1 = arith.constant 1 : index
  %w = arith.constant 8192 : i32
  %eq = arith.cmpi eq, %s, %w : i32
  titan.require %eq, "launch-check", "s is 8192"
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %s : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// They are required to be others.
// BYTES-WRONG: {{\[}}barrier-bytes{{\]}}
titan.kernel @bytes_wrong(%A: !global, %D: !global, %s: i32) warps(4) launch {
  %c1 = arith.constant 1 : index
  %w = arith.constant 4096 : i32
  %eq = arith.cmpi eq, %s, %w : i32
  titan.require %eq, "launch-check", "s is 8192"
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %s : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}

// Any number of bytes.
// BYTES-ANY: {{\[}}undecided{{\]}}
titan.kernel @bytes_any(%A: !global, %D: !global, %s: i32) warps(4) launch {
  %c1 = arith.constant 1 : index
  %w = arith.constant 8192 : i32
  %eq = arith.cmpi eq, %s, %w : i32
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.mbarrier.arrive_expect_tx %full, %s : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  %x = titan.shared.load %buf : !tile -> !reg
  titan.return
}
