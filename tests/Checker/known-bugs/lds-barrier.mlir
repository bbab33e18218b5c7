// ROCm/rocm-libraries#10893: waves store to LDS and meet at a bare s_barrier, which waits for no store.
//
// RUN: titan check %s --kernel fix
// RUN: not titan check %s --kernel bug 2>&1 | FileCheck %s --check-prefix=BUG

#rows   = #titan.blocked<elements = [1, 4], lanes = [8, 8], warps = [4, 1]>
#columns = #titan.blocked<elements = [1, 4], lanes = [16, 4], warps = [1, 4]>
!tile   = !titan.shared<64x64xf16>
!mine   = tensor<64x64xf16, #rows>
!theirs = tensor<64x64xf16, #columns>
!coming = !titan.inflight<tensor<64x64xf16, #columns>>

titan.kernel @bug(%rounds: i32) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f16
  %lds = titan.shared.alloc : !tile
  %ones = titan.splat %f1 : f16 -> !mine
  scf.for %i = %i0 to %rounds step %i1 : i32 {
    titan.ds_write %ones, %lds : !mine, !tile
    titan.s_barrier
    // BUG: [[@LINE+1]]:{{.*}}[lds-counter-missing] 'titan.ds_read' reads shared memory
    %coming = titan.ds_read %lds : !tile -> !coming
    %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !coming -> !theirs)
    titan.s_barrier
  }
  titan.return
}

titan.kernel @fix(%rounds: i32) warps(4) attributes {titan.target = "gfx942"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f16
  %lds = titan.shared.alloc : !tile
  %ones = titan.splat %f1 : f16 -> !mine
  scf.for %i = %i0 to %rounds step %i1 : i32 {
    titan.ds_write %ones, %lds : !mine, !tile
    titan.s_waitcnt lgkmcnt(0)
    titan.s_barrier
    %coming = titan.ds_read %lds : !tile -> !coming
    %got = titan.s_waitcnt lgkmcnt(0) arrive(%coming : !coming -> !theirs)
    titan.s_barrier
  }
  titan.return
}
