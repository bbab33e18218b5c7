// A tile over the first slot of a ring is that slot, and no other one.
//
// RUN: titan check %s --require=proved
// VARIANT other_slot: in read `%c0` -> `%c1`
// RUN: %variant other_slot %s > %t.mlir
// RUN: not titan check %t.mlir 2>&1 | FileCheck %s
// CHECK: [undefined-read]
// RUN: titan-mutate %t.mlir --prove --every 1000000 --schedules 0 | FileCheck %s --check-prefix=ASKED
// ASKED: kernels as they are: 1, 1 refused, 0 proved

#one = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!tile = !titan.shared<8x64xbf16>
!ring = !titan.shared<8x64xbf16, slots = 2>
!reg = tensor<8x64xbf16, #one>

titan.kernel @part() warps(1) attributes {titan.target = "sm_90a"} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : bf16
  %v = titan.splat %z : bf16 -> !reg
  %ring = titan.shared.alloc : !ring
  %first = titan.shared.reuse %ring : !ring -> !tile
  titan.shared.store %v, %first : !reg, !tile
  titan.cta_sync
  %slot = titan.shared.slot %ring[%c0 : index] : !ring -> !tile // @read
  %x = titan.shared.load %slot : !tile -> !reg
  titan.return
}
