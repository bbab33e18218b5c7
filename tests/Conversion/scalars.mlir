// Scalars in global and shared memory: loads, stores, atomics, flags.
// RUN: titan compile --check=off %s --emit=ptx -o - | FileCheck %s

!ints = !titan.global<?xi32>
!floats = !titan.global<?x?xf32>
!box = !titan.shared<4xi32>
!swizzled = !titan.shared<8x64xi32, swizzle = 64>

titan.kernel @scalars(%flags: !ints, %f: !floats) warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  // CHECK: .visible .entry scalars(
  // A pointer for each, the stride of the matrix.
  // CHECK-NEXT: .param .u64 .ptr .global .align 1 scalars_param_0,
  // CHECK-NEXT: .param .u64 .ptr .global .align 1 scalars_param_1,
  // CHECK-NEXT: .param .u64 scalars_param_2
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %i5 = arith.constant 5 : i32
  %box = titan.shared.alloc : !box
  // CHECK: ld.acquire.gpu.global.b32
  %a = titan.ld %flags[%c3] sem(acquire) scope(gpu) : !ints -> i32
  // CHECK: st.weak.shared::cta.b32
  titan.st %a, %box[%c3] : i32, !box
  // CHECK: ld.weak.shared::cta.b32
  %b = titan.ld %box[%c0] : !box -> i32
  // CHECK: atom.relaxed.gpu.global.add.u32
  %old = titan.atom add %b, %flags[%c0] : i32, !ints -> i32
  // CHECK: atom.acq_rel.sys.global.max.s32
  %older = titan.atom max %old, %flags[%c0] sem(acq_rel) scope(sys) : i32, !ints -> i32
  // CHECK: ld.weak.global.b32
  %x = titan.ld %f[%c3, %c0] : !floats -> f32
  // CHECK: atom.relaxed.gpu.global.add.f32
  %y = titan.atom add %x, %f[%c0, %c3] : f32, !floats -> f32
  // CHECK: atom.acquire.gpu.global.cas.b32 {{%r[0-9]+}}, [{{%rd[0-9]+}}], {{%r[0-9]+}}, {{%r[0-9]+}};
  %swapped = titan.atom exch %older where(%old : i32), %flags[%c3] sem(acquire) : i32, !ints -> i32
  // CHECK: atom.relaxed.gpu.global.cas.b32
  %z = titan.atom exch %x where(%y : f32), %f[%c3, %c0] : f32, !floats -> f32
  // CHECK: red.release.gpu.global.add.u32
  titan.flag.signal %flags[%c0], %older : !ints
  // CHECK: ld.acquire.gpu.global.b32 flag
  // CHECK: setp.ge.s32
  titan.flag.wait %flags[%c0], %i5 : !ints
  // Of a swizzled tile: 16 columns a panel of 512 bytes, rows of 64; bits 7 and 8 go to 4 and 5.
  %row = arith.index_cast %a : i32 to index
  %column = arith.index_cast %old : i32 to index
  %tile = titan.shared.alloc : !swizzled
  // CHECK: shl.b32 {{.*}}, 6;
  // CHECK: and.b32 {{.*}}, 60;
  // CHECK: and.b32 {{.*}}, -512;
  // CHECK: and.b32 [[BITS:.*]], {{.*}}, 48;
  // CHECK-NEXT: xor.b32 {{.*}}, [[BITS]];
  // CHECK: st.weak.shared::cta.b32
  titan.st %a, %tile[%row, %column] : i32, !swizzled
  titan.return
}
