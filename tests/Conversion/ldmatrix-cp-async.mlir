// ldmatrix reads rows that other lanes have brought by cp.async, and a thread waits for its own groups alone: the lanes
// of the warp meet before it (MM-16). Copies that signal a barrier need no such meeting.
//
// RUN: titan compile --check=off --emit=ptx %s | FileCheck %s
// CHECK: cp.async.wait_group
// CHECK: bar.warp.sync
// CHECK: ldmatrix

#a = #titan.mma_sync_a<16, 1, 1>
!matrix = !titan.global<16x16xbf16, strides = [16, 1]>
!tile = !titan.shared<16x16xbf16>
!index = tensor<16x16xi32, #a>
!reg = tensor<16x16xbf16, #a>

titan.kernel @own(%A: !matrix, %D: !matrix) warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %tile = titan.shared.alloc : !tile
  %i = titan.coordinate 0 : !index
  %j = titan.coordinate 1 : !index
  titan.cp_async %A[%i, %j], %tile bytes(4) : !matrix, !index, !index -> !tile
  %g = titan.cp_async.commit : !titan.token<async>
  titan.cp_async.wait %g : !titan.token<async>
  %x = titan.shared.load %tile matrix : !tile -> !reg
  titan.global.store %x, %D[%i, %j] : !reg, !matrix, !index, !index
  titan.return
}
