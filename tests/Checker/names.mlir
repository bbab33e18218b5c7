// Barriers are called by the names of the text; those of a pipe after the pipe.
//
// RUN: not titan check %s 2>&1 | FileCheck %s
// RUN: not titan run %s --arg A=random:1 2>&1 | FileCheck %s --check-prefix=RUNS

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!tiles  = !titan.shared<64x64xbf16, swizzle = 128, slots = 2>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// CHECK: names.mlir:[[@LINE+30]]:17: error: [deadlock]
// CHECK: {{^}}  partition use, warps 0, 1, 2, 3, iteration 3: waits for barrier %ab.full[1], parity 1: phase 1 misses 1 of 1 arrivals and 0 bytes
// CHECK-NEXT: {{^}}  partition load, warp 0: ended
// CHECK-NEXT: {{^}}  warps 5, 6, 7: ended
// CHECK: fix: nobody commits the slot of %ab that is waited for: let titan.pipe.wait %ab run as often as titan.pipe.acquire and titan.pipe.commit do
// RUNS: names.mlir:[[@LINE+25]]:17: error: [deadlock]
// RUNS-SAME: waits for ever for barrier %ab.full[1], parity 1: phase 1 (parity 1), 1 of 1 arrivals pending
titan.kernel @consumer_runs_on(%A: !global) warps(8) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %a = titan.shared.alloc : !tiles
  %ab = titan.pipe.create "load" -> ["use"] buffers ["a"](%a : !tiles) : !titan.pipe<2>
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      titan.elect {
        scf.for %k = %c0 to %c3 step %c1 {
          %slot = titan.pipe.acquire %ab : !titan.pipe<2>
          titan.pipe.load %mapA[%c0, %c0] -> %slot["a"] : !map
          titan.pipe.commit %slot
        }
      }
    }
    titan.partition "use" warps(4) {
      scf.for %k = %c0 to %c4 step %c1 {
        %slot = titan.pipe.wait %ab : !titan.pipe<2>
        %in = titan.pipe.buffer %slot["a"] : !tile
        %v = titan.shared.load %in : !tile -> !reg
        titan.pipe.release %slot
      }
    }
  }
  titan.return
}
