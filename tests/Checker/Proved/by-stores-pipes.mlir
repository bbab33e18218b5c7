// IDIOM: rings filled by stores
//
// A pipe that threads fill by ordinary stores: its commit arrives for each warp, behind the stores of all lanes.
//
// RUN: titan check %s --require=searched | FileCheck %s
// RUN: titan run %s --schedule random:1
// CHECK: @pipe: accepted
// CHECK: {{^}}  proved, for every size
//
// Committed before it is written.
// VARIANT too_late: drop commit
// VARIANT too_late: before store add titan.pipe.commit %slot
// RUN: %variant too_late %s | not titan check - --kernel pipe 2>&1 | FileCheck %s --check-prefix=TOO-LATE
// TOO-LATE: [race]

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!ring = !titan.shared<8x64xbf16, swizzle = 128, slots = 3>
!pipe = !titan.pipe<3>
!regs = tensor<8x64xbf16, #rows>
!where = tensor<8x64xi32, #rows>
!yes = tensor<8x64xi1, #rows>

// A tile that holds a number everywhere.
func.func private @number(%i: index) -> !regs {
  %i32 = arith.index_cast %i : index to i32
  %value = arith.sitofp %i32 : i32 to bf16
  %x = titan.splat %value : bf16 -> !regs
  return %x : !regs
}

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
  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%tiles : !ring) fill(arrive) : !pipe
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %v = func.call @number(%i) : (index) -> !regs
        %slot = titan.pipe.acquire %pipe : !pipe
        %out = titan.pipe.buffer %slot["x"] : !tile
        titan.shared.store %v, %out : !regs, !tile // @store
        titan.pipe.commit %slot // @commit
      }
    }
    titan.partition "use" warps(1) {
      scf.for %i = %c0 to %n step %c1 {
        %slot = titan.pipe.wait %pipe : !pipe
        %in = titan.pipe.buffer %slot["x"] : !tile
        %x = titan.shared.load %in : !tile -> !regs
        titan.pipe.release %slot
        %row = arith.muli %i, %c8 : index
        func.call @put(%x, %Y, %row) : (!regs, !global, index) -> ()
      }
    }
  }
  titan.return
}
