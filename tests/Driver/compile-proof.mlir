// `titan compile` searches. Where the search does not come to counts that a loop may have it proves, and says so; with
// --proof=off it says what it does not know.
//
// RUN: titan compile %s -o %t.titanpkg 2>&1 | FileCheck %s --check-prefix=PROVED
// PROVED-NOT: warning
// PROVED: @minus: proved
// RUN: titan inspect %t.titanpkg | FileCheck %s --check-prefix=MANIFEST
// MANIFEST: proved
// RUN: titan compile --proof=off %s -o %t.off.titanpkg 2>&1 | FileCheck %s --check-prefix=OFF
// OFF: warning: [undecided] no sizes were found under which this loop runs 9 times or more
// OFF: @minus: undecided

// Z = X - Y, tiles loaded by schedule, stored by schedule.
#tile = #titan.schedule<
  tensor M x N
  Mo, Mi = split(M, 64)
  No, Ni = split(N, 32)
  bulk Mi, Ni>
#rows   = #titan.blocked<elements = [1, 4], lanes = [4, 8], warps = [4, 1]>
!matrix = !titan.global<?x?xf32>
!tile   = !titan.shared<64x32xf32, swizzle = 128>
!ring   = !titan.shared<64x32xf32, swizzle = 128, slots = 2>
!regs   = tensor<64x32xf32, #rows>
!bars   = !titan.mbarrier<2>
!bulk   = !titan.token<bulk>

titan.kernel @minus(%X: !matrix, %Y: !matrix, %Z: !matrix) warps(4) attributes {
  titan.example = {sizes = {M = 100, N = 200}, X = "MxN random:1", Y = "MxN random:2", Z = "MxN"},
  titan.reference = @minus_reference
} launch {
  %c64 = arith.constant 64 : index
  %c32 = arith.constant 32 : index
  %m = titan.dim %X, 0 : !matrix
  %n = titan.dim %X, 1 : !matrix
  %mY = titan.dim %Y, 0 : !matrix
  %nY = titan.dim %Y, 1 : !matrix
  %mZ = titan.dim %Z, 0 : !matrix
  %nZ = titan.dim %Z, 1 : !matrix
  %a = arith.cmpi eq, %m, %mY : index
  %b = arith.cmpi eq, %n, %nY : index
  %c = arith.cmpi eq, %m, %mZ : index
  %d = arith.cmpi eq, %n, %nZ : index
  titan.require %a, "launch-check", "rows agree"
  titan.require %b, "launch-check", "columns agree"
  titan.require %c, "launch-check", "rows of Z agree"
  titan.require %d, "launch-check", "columns of Z agree"
  %blocks = arith.ceildivui %m, %c64 : index
  %steps = arith.ceildivui %n, %c32 : index
  titan.launch grid(%blocks) with(%steps : index)
} body(%steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = titan.shared.alloc : !ring
  %y = titan.shared.alloc : !ring
  %z = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bars
  %block = titan.cta_id 0
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.fence.mbarrier_init
    %x0 = titan.shared.slot %x[%c0 : index] : !ring -> !tile
    %y0 = titan.shared.slot %y[%c0 : index] : !ring -> !tile
    titan.copy_async %X at(Mo = %block, No = %c0) to %x0 signals %full[%c0 : index] schedule(#tile) : !matrix, !tile, !bars
    titan.copy_async %Y at(Mo = %block, No = %c0) to %y0 signals %full[%c0 : index] schedule(#tile) : !matrix, !tile, !bars
    titan.mbarrier.arrive %full[%c0 : index] : !bars
  }
  titan.cta_sync
  scf.for %s = %c0 to %steps step %c1 {
    %next = arith.addi %s, %c1 : index
    %slot = arith.remui %s, %c2 : index
    %nslot = arith.remui %next, %c2 : index
    %more = arith.cmpi ult, %next, %steps : index
    scf.if %more {
      titan.elect warp(0) {
        %xn = titan.shared.slot %x[%nslot : index] : !ring -> !tile
        %yn = titan.shared.slot %y[%nslot : index] : !ring -> !tile
        titan.copy_async %X at(Mo = %block, No = %next) to %xn signals %full[%nslot : index] schedule(#tile) : !matrix, !tile, !bars
        titan.copy_async %Y at(Mo = %block, No = %next) to %yn signals %full[%nslot : index] schedule(#tile) : !matrix, !tile, !bars
        titan.mbarrier.arrive %full[%nslot : index] : !bars
      }
    }
    %round = arith.divui %s, %c2 : index
    %par = arith.remui %round, %c2 : index
    %par32 = arith.index_cast %par : index to i32
    titan.mbarrier.wait %full[%slot : index] parity(%par32) : !bars
    %xs = titan.shared.slot %x[%slot : index] : !ring -> !tile
    %ys = titan.shared.slot %y[%slot : index] : !ring -> !tile
    %xv = titan.shared.load %xs : !tile -> !regs
    %yv = titan.shared.load %ys : !tile -> !regs
    %zv = arith.subf %xv, %yv : !regs
    titan.elect warp(0) {
      titan.bulk.wait_group 0 read
    }
    titan.fence.proxy_async shared_cta
    titan.cta_sync
    titan.shared.store %zv, %z : !regs, !tile
    titan.fence.proxy_async shared_cta
    titan.cta_sync
    titan.elect warp(0) {
      titan.copy_async %z to %Z at(Mo = %block, No = %s) schedule(#tile) : !tile, !matrix
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g read : !bulk
    }
  }
  titan.return
}

func.func private @minus_reference(%X: memref<?x?xf32> {titan.input = "X"}, %Y: memref<?x?xf32> {titan.input = "Y"}, %Z: memref<?x?xf32> {titan.expected = "Z"}) {
  linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%X, %Y : memref<?x?xf32>, memref<?x?xf32>) outs(%Z : memref<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %e = arith.subf %x, %y : f32
    linalg.yield %e : f32
  }
  return
}
