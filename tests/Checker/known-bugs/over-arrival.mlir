// Dao-AILab/flash-attention#2258: an empty tile still arrives on a barrier that nobody waits for in that round.
//
// CODES: barrier-arrivals phase-ambiguous barrier-unobserved
// RUN: %python %S/Inputs/bug_and_fix.py %s --shape A=64x64 --arg A=random:1 --shape D=64x64 --shape S=7 --arg S=zeros

!global = !titan.global<?x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
!sequence = !titan.global<?xf32>

titan.kernel @bug(%A: !global, %D: !global, %S: !sequence) warps(8) launch {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  %tiles = titan.dim %S, 0 : !sequence
  titan.launch grid(%c1) with(%mapA, %mapD, %tiles : !map, !map, index)
} body(%mapA: !map, %mapD: !map, %tiles: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %empty = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(4) : !bar
    titan.mbarrier.init %empty count(4) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "produce" warps(4) {
      %v = titan.splat %one : bf16 -> !reg
      %end = scf.for %i = %c0 to %tiles step %c1 iter_args(%use = %c0) -> (index) {
        // Every third tile is empty.
        %third = arith.remui %i, %c3 : index
        %some = arith.cmpi ne, %third, %c2 : index
        %next = scf.if %some -> (index) {
          %uses = arith.addi %use, %c1 : index
          %odd = arith.remui %uses, %c2 : index
          %parity = arith.index_cast %odd : index to i32
          titan.mbarrier.wait %empty parity(%parity) : !bar
          titan.shared.store %v, %buf : !reg, !tile
          titan.syncwarp
          titan.elect {
            titan.mbarrier.arrive %full : !bar
          }
          scf.yield %uses : index
        } else {
          scf.yield %use : index
        }
        scf.yield %next : index
      }
    }
    titan.partition "consume" warps(4) {
      %end = scf.for %i = %c0 to %tiles step %c1 iter_args(%use = %c0) -> (index) {
        %third = arith.remui %i, %c3 : index
        %some = arith.cmpi ne, %third, %c2 : index
        %next = scf.if %some -> (index) {
          %odd = arith.remui %use, %c2 : index
          %parity = arith.index_cast %odd : index to i32
          titan.mbarrier.wait %full parity(%parity) : !bar
          %x = titan.shared.load %buf : !tile -> !reg
          titan.syncwarp
          %uses = arith.addi %use, %c1 : index
          scf.yield %uses : index
        } else {
          scf.yield %use : index
        }
        titan.elect {
          // BUG
          titan.mbarrier.arrive %empty : !bar
        }
        scf.yield %next : index
      }
    }
  }
  titan.return
}

titan.kernel @fix(%A: !global, %D: !global, %S: !sequence) warps(8) launch {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  %tiles = titan.dim %S, 0 : !sequence
  titan.launch grid(%c1) with(%mapA, %mapD, %tiles : !map, !map, index)
} body(%mapA: !map, %mapD: !map, %tiles: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %empty = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %full count(4) : !bar
    titan.mbarrier.init %empty count(4) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "produce" warps(4) {
      %v = titan.splat %one : bf16 -> !reg
      %end = scf.for %i = %c0 to %tiles step %c1 iter_args(%use = %c0) -> (index) {
        // Every third tile is empty.
        %third = arith.remui %i, %c3 : index
        %some = arith.cmpi ne, %third, %c2 : index
        %next = scf.if %some -> (index) {
          %uses = arith.addi %use, %c1 : index
          %odd = arith.remui %uses, %c2 : index
          %parity = arith.index_cast %odd : index to i32
          titan.mbarrier.wait %empty parity(%parity) : !bar
          titan.shared.store %v, %buf : !reg, !tile
          titan.syncwarp
          titan.elect {
            titan.mbarrier.arrive %full : !bar
          }
          scf.yield %uses : index
        } else {
          scf.yield %use : index
        }
        scf.yield %next : index
      }
    }
    titan.partition "consume" warps(4) {
      %end = scf.for %i = %c0 to %tiles step %c1 iter_args(%use = %c0) -> (index) {
        %third = arith.remui %i, %c3 : index
        %some = arith.cmpi ne, %third, %c2 : index
        %next = scf.if %some -> (index) {
          %odd = arith.remui %use, %c2 : index
          %parity = arith.index_cast %odd : index to i32
          titan.mbarrier.wait %full parity(%parity) : !bar
          %x = titan.shared.load %buf : !tile -> !reg
          titan.syncwarp
          titan.elect {
            titan.mbarrier.arrive %empty : !bar
          }
          %uses = arith.addi %use, %c1 : index
          scf.yield %uses : index
        } else {
          scf.yield %use : index
        }
        scf.yield %next : index
      }
    }
  }
  titan.return
}
