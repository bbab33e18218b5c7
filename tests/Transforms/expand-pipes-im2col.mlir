// RUN: titan-opt %s --pass-pipeline='builtin.module(titan.kernel(titan-expand-pipes))' | FileCheck %s
// RUN: titan check %s
//
// Loads of pixels into a pipe: one position of the filter a slot. The barrier expects the tile,
// whatever the element strides are.

!X    = !titan.global<?x?x?x?xbf16>
!map  = !titan.tensor_map<im2col 64x64xbf16, lower = [-1, -1], upper = [-1, -1], element_strides = [1, 2, 2, 1], swizzle = 128>
!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 3>
!tile = !titan.shared<64x64xbf16, swizzle = 128>
!regs = tensor<64x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>

// CHECK: arith.constant 8192 : i32
// CHECK: titan.tma.load %{{.+}}[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}] offsets[%[[R:.+]], %[[S:.+]]], %{{.+}}, %{{.+}}[%{{.+}} : i32] : <im2col 64x64xbf16
titan.kernel @pixels(%X: !X) warps(5) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %X : !X -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %ring = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%ring : !ring) : !titan.pipe<3>
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %i = %c0 to %c9 step %c1 {
        %r = arith.divui %i, %c3 : index
        %s = arith.remui %i, %c3 : index
        %slot = titan.pipe.acquire %pipe : !titan.pipe<3>
        titan.pipe.load %map[%c0, %c0, %c0, %c0] offsets[%r, %s] -> %slot["x"] : !map
        titan.pipe.commit %slot
      }
    }
    titan.partition "use" warps(4) {
      scf.for %i = %c0 to %c9 step %c1 {
        %slot = titan.pipe.wait %pipe : !titan.pipe<3>
        %tile = titan.pipe.buffer %slot["x"] : !tile
        %v = titan.shared.load %tile : !tile -> !regs
        titan.pipe.release %slot
      }
    }
  }
  titan.return
}
