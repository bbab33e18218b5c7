// Consumers that take turns: each begins at a slot of its own, and steps over those
// of the other.
//
// RUN: titan check %s | FileCheck %s
// RUN: titan run %s | FileCheck %s --check-prefix=SAME
// RUN: titan run %s --schedule random:3 | FileCheck %s --check-prefix=SAME
// RUN: titan run %s --hazards=off --schedule lazy | FileCheck %s --check-prefix=SAME
// VARIANT swapped: replace pipe with %pipe = titan.pipe.create "load" -> ["second", "first"] buffers ["x"](%ring : !ring) alternating : !titan.pipe<4>
// RUN: %variant swapped %s > %t.swapped.mlir
// RUN: not titan check %t.swapped.mlir 2>&1 | FileCheck %s --check-prefix=SWAPPED
// CHECK: @turns: accepted
// SAME: @turns: verified
// SWAPPED: [deadlock]

!matrix = !titan.global<32x160xf32>
!map  = !titan.tensor_map<32x32xf32, swizzle = 128>
!ring = !titan.shared<32x32xf32, swizzle = 128, slots = 4>
!tile = !titan.shared<32x32xf32, swizzle = 128>
#warp = #titan.blocked<elements = [1, 4], lanes = [4, 8], warps = [1, 1]>
!regs = tensor<32x32xf32, #warp>
!at   = tensor<32x32xi32, #warp>

titan.kernel @turns(%X: !matrix, %Y: !matrix) warps(3) attributes {
  titan.example = {X = "32x160 ints:1", Y = "32x160"},
  titan.reference = @turns_reference
} launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %X : !matrix -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %c32 = arith.constant 32 : index
  %ring = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["first", "second"] buffers ["x"](%ring : !ring) alternating : !titan.pipe<4> // @pipe
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %s = %c0 to %c5 step %c1 {
        %k = arith.muli %s, %c32 : index
        %slot = titan.pipe.acquire %pipe : !titan.pipe<4>
        titan.pipe.load %map[%c0, %k] -> %slot["x"] : !map
        titan.pipe.commit %slot
      }
    }
    titan.partition "first" warps(1) {
      scf.for %s = %c0 to %c5 step %c2 {
        %slot = titan.pipe.wait %pipe : !titan.pipe<4>
        %x = titan.pipe.buffer %slot["x"] : !tile
        %v = titan.shared.load %x : !tile -> !regs
        titan.pipe.release %slot
        %k = arith.muli %s, %c32 : index
        %k32 = arith.index_cast %k : index to i32
        %start = titan.splat %k32 : i32 -> !at
        %row = titan.coordinate 0 : !at
        %in = titan.coordinate 1 : !at
        %column = arith.addi %start, %in : !at
        titan.global.store %v, %Y[%row, %column] : !regs, !matrix, !at, !at
      }
    }
    titan.partition "second" warps(1) {
      scf.for %s = %c1 to %c5 step %c2 {
        %slot = titan.pipe.wait %pipe : !titan.pipe<4>
        %x = titan.pipe.buffer %slot["x"] : !tile
        %v = titan.shared.load %x : !tile -> !regs
        titan.pipe.release %slot
        %k = arith.muli %s, %c32 : index
        %k32 = arith.index_cast %k : index to i32
        %start = titan.splat %k32 : i32 -> !at
        %row = titan.coordinate 0 : !at
        %in = titan.coordinate 1 : !at
        %column = arith.addi %start, %in : !at
        titan.global.store %v, %Y[%row, %column] : !regs, !matrix, !at, !at
      }
    }
  }
  titan.return
}

func.func private @turns_reference(%X: memref<32x160xf32> {titan.input = "X"},
                                   %Y: memref<32x160xf32> {titan.expected = "Y"}) {
  memref.copy %X, %Y : memref<32x160xf32> to memref<32x160xf32>
  return
}
