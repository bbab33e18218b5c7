// A product and a sum are one operation, which rounds once, as in Triton; --fp-fusion=off (enable_fp_fusion=False): two,
// and what says how it rounds (.rn) ptxas does not fuse either. A product of matrices stays what it is.
// RUN: titan compile %s --check=off --emit=ptx | FileCheck %s --check-prefix=ON
// ON: fma.rn.f32
// ON-NOT: {{mul|add|sub}}.{{.*}}f32
// RUN: titan compile %s --check=off --fp-fusion=off --emit=ptx | FileCheck %s --check-prefix=OFF
// OFF-NOT: fma.
// OFF: mul.rn.f32
// OFF-NOT: fma.
// OFF: add.rn.f32
// OFF-NOT: fma.
// OFF: sub.rn.f32
// OFF-NOT: {{fma\.|(mul|add|sub)\.f32}}
// RUN: titan explain stages %s --fp-fusion=off --maxnreg 64 | FileCheck %s --check-prefix=STAGES
// STAGES: ---- 3. titan:
// STAGES: titan.kernel @both({{.*}}) warps(4) registers(64)
// STAGES-NOT: fastmath
// STAGES: .maxnreg 64
// RUN: not titan compile %s --fp-fusion=yes 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: --fp-fusion is on or off, not 'yes' [bad-argument]
// RUN: not titan explain stages %s --num-ctas 2 2>&1 | FileCheck %s --check-prefix=CTAS
// CTAS: --num-ctas 2: a program is one CTA in titan IR so far [not-supported-yet]

tt.func public @both(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %to: !tt.ptr<f32>) {
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %a = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %b = tt.load %yp : tensor<128x!tt.ptr<f32>>
  %p = arith.mulf %a, %b : tensor<128xf32>
  %s = arith.addf %p, %b : tensor<128xf32>
  %q = arith.mulf %s, %a : tensor<128xf32>
  %d = arith.subf %q, %a : tensor<128xf32>
  %ts = tt.splat %to : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %tp = tt.addptr %ts, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %tp, %d : tensor<128x!tt.ptr<f32>>
  tt.return
}
