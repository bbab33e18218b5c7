// A bit converted as signed is 0 or -1, for bf16, too, where LLVM's NVPTX target would make 1 of it.
// RUN: titan compile %s --emit=ptx -o - | FileCheck %s

!ints = !titan.global<?xi32>
!halves = !titan.global<?xbf16>

titan.kernel @signed_bits(%F: !ints, %D: !halves) warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  titan.elect {
    %x = titan.ld %F[%c0] : !ints -> i32
    %bit = arith.trunci %x : i32 to i1
    // CHECK: selp.b16 %{{.*}}, 0xBF80, 0x0000,
    // CHECK-NOT: cvt.rn.bf16.s32
    %minus = arith.sitofp %bit : i1 to bf16
    titan.st %minus, %D[%c0] : bf16, !halves
  }
  titan.return
}
