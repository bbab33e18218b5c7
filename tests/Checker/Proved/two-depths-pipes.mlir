// IDIOM: rings of different depths in one loop
//
// Two pipes of different depths, filled and emptied in one loop: A has two slots, B three.
//
// RUN: titan check %s --require=searched | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @pipe: accepted
// CHECK: {{^}}  proved, for every size
//
// A's slots are never given back.
// VARIANT not_freed: drop releaseA
// RUN: %variant not_freed %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=NOT-FREED
// NOT-FREED: [pipe-release]

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!ring = !titan.shared<8x64xbf16, swizzle = 128, slots = 2>
!pipe = !titan.pipe<2>
!regs = tensor<8x64xbf16, #rows>
!where = tensor<8x64xi32, #rows>
!yes = tensor<8x64xi1, #rows>
!three = !titan.shared<8x64xbf16, swizzle = 128, slots = 3>
!pipe3 = !titan.pipe<3>

// A tile goes to rows of Y, as far as there are such.
func.func private @put(%x: !regs, %Y: !global, %row: index) {
  %row32 = arith.index_cast %row : index to i32
  %at = titan.splat %row32 : i32 -> !where
  %in = titan.coordinate 0 : !where
  %i = arith.addi %at, %in : !where
  %j = titan.coordinate 1 : !where
  %m = titan.dim %Y, 0 : !global
  %m32 = arith.index_cast %m : index to i32
  %end = titan.splat %m32 : i32 -> !where
  %inside = arith.cmpi slt, %i, %end : !where
  titan.global.store %x, %Y[%i, %j] mask(%inside : !yes) : !regs, !global, !where, !where
  return
}

titan.kernel @pipe(%X: !global, %Y: !global) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 61}, X = "Mx64 ints:1", Y = "Mx64"}} launch {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %most = arith.constant 1073741824 : index
  %few0 = arith.cmpi ule, %rows, %most : index
  titan.require %few0, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  %sizeY0 = titan.dim %Y, 0 : !global
  %few1 = arith.cmpi ule, %sizeY0, %most : index
  titan.require %few1, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  titan.launch grid(%one) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %tiles = titan.shared.alloc : !ring
  %more = titan.shared.alloc : !three
  %a = titan.pipe.create "load" -> ["use"] buffers ["x"](%tiles : !ring) : !pipe
  %b = titan.pipe.create "load" -> ["use"] buffers ["y"](%more : !three) : !pipe3
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %row = arith.muli %i, %c8 : index
        %slotA = titan.pipe.acquire %a : !pipe
        titan.pipe.load %map[%row, %c0] -> %slotA["x"] : !map
        titan.pipe.commit %slotA
        %slotB = titan.pipe.acquire %b : !pipe3
        titan.pipe.load %map[%row, %c0] -> %slotB["y"] : !map
        titan.pipe.commit %slotB
      }
    }
    titan.partition "use" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %slotB = titan.pipe.wait %b : !pipe3
        %inB = titan.pipe.buffer %slotB["y"] : !tile
        %slotA = titan.pipe.wait %a : !pipe
        %inA = titan.pipe.buffer %slotA["x"] : !tile
        %x = titan.shared.load %inA : !tile -> !regs
        titan.pipe.release %slotA // @releaseA
        %y = titan.shared.load %inB : !tile -> !regs
        titan.pipe.release %slotB
        %z = arith.addf %x, %y : !regs
        %row = arith.muli %i, %c8 : index
        func.call @put(%z, %Y, %row) : (!regs, !global, index) -> ()
      }
    }
  }
  titan.return
}
