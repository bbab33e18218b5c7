// Whether a round comes that is copied ahead is asked of bounds of any sign and size, near the ends of the counter's type,
// too, for constant steps and others, of 32 and 64 bits, with and without a sign (lib/Conversion/TritonToTitan/Prefetch.cpp).
//
// RUN: titan compile %s --check=off --emit=titan -o - | FileCheck %s
// CHECK: titan.cp_async
// DEFINE: %{run} = %python %S/Inputs/converted.py titan %s out=128:poison
// RUN: %{run} x=768:random:1 from=2147483640 to=2147483646 step=1
// RUN: %{run} x=384:random:1 from=2147483600 to=2147483640 step=20
// RUN: %{run} x=1024:random:1 from=-5 to=3 step=1
// RUN: %{run} x=128:random:1 from=5 to=-3 step=1
// RUN: %{run} x=128:random:1 from=2147483647 to=-2147483648 step=1
// RUN: %{run} x=256:random:1 from=-2147483648 to=-2147483646 step=1
//
// A constant step.
// RUN: sed 's/step %%step/step %%c3/' %s > %t.constant.mlir
// RUN: titan compile %t.constant.mlir --check=off --emit=titan -o - | FileCheck %s
// DEFINE: %{constant} = %python %S/Inputs/converted.py titan %t.constant.mlir out=128:poison step=3
// RUN: %{constant} x=640:random:1 from=2147483630 to=2147483644
// RUN: %{constant} x=384:random:1 from=-4 to=4
// RUN: %{constant} x=128:random:1 from=4 to=-4
// RUN: %{constant} x=128:random:1 from=2147483647 to=-2147483648
// From a constant on, to bounds below it, too.
// RUN: sed 's/ %%from to/ %%c3 to/' %t.constant.mlir > %t.start.mlir
// DEFINE: %{start} = %python %S/Inputs/converted.py titan %t.start.mlir out=128:poison step=3 from=3
// RUN: titan compile %t.start.mlir --check=off --emit=titan -o - | FileCheck %s
// RUN: %{start} x=384:random:1 to=12
// RUN: %{start} x=128:random:1 to=4
// RUN: %{start} x=128:random:1 to=3
// RUN: %{start} x=128:random:1 to=-2147483648
// Without a sign: -4 is more than 4.
// RUN: sed 's/scf.for/scf.for unsigned/' %t.constant.mlir > %t.unsigned.mlir
// RUN: titan compile %t.unsigned.mlir --check=off --emit=titan -o - | FileCheck %s
// DEFINE: %{unsigned} = %python %S/Inputs/converted.py titan %t.unsigned.mlir out=128:poison step=3
// RUN: %{unsigned} x=512:random:1 from=2147483640 to=-2147483646
// RUN: %{unsigned} x=128:random:1 from=-4 to=4
// Of 64 bits; of a step that is not known there is none.
// RUN: sed 's/%%from: i32, %%to: i32, %%step: i32/%%from: i64, %%to: i64, %%step: i64/; s/ 3 : i32/ 3 : i64/; s/tensor<128xf32>) : i32 {/tensor<128xf32>) : i64 {/' %t.constant.mlir > %t.wide.mlir
// RUN: titan compile %t.wide.mlir --check=off --emit=titan -o - | FileCheck %s
// DEFINE: %{wide} = %python %S/Inputs/converted.py titan %t.wide.mlir out=128:poison step=3
// RUN: %{wide} x=384:random:1 from=9223372036854775790 to=9223372036854775799
// RUN: %{wide} x=128:random:1 from=5 to=-5
// RUN: sed 's/step %%c3/step %%step/' %t.wide.mlir | titan compile - --check=off --emit=titan -o - | FileCheck %s --check-prefix=LOAD
// LOAD-NOT: titan.cp_async
// LOAD: titan.global.load
// From 0 by 1 the counter is the number of the round; slots are numbers of i32, of counters of 64 and of 16 bits, too.
// RUN: sed 's/ %%from to %%to step %%step/ %%zero_ to %%to step %%one_/; s/^  %%c3 = .*/  %%zero_ = arith.constant 0 : i64\n  %%one_ = arith.constant 1 : i64/; s/%%from: i32, %%to: i32, %%step: i32/%%to: i64/; s/tensor<128xf32>) : i32 {/tensor<128xf32>) : i64 {/' %s > %t.count.mlir
// RUN: titan compile %t.count.mlir --check=off --emit=titan -o - | FileCheck %s
// RUN: %python %S/Inputs/converted.py titan %t.count.mlir x=1408:random:1 out=128:poison to=11
// RUN: sed 's/constant \([01]\) : i64/constant \1 : i16/; s/%%to: i64/%%bound: i32/; s/tensor<128xf32>) : i64 {/tensor<128xf32>) : i16 {/; s/^  %%zero = /  %%to = arith.trunci %%bound : i32 to i16\n&/' %t.count.mlir > %t.narrow.mlir
// RUN: titan compile %t.narrow.mlir --check=off --emit=titan -o - | FileCheck %s
// RUN: %python %S/Inputs/converted.py titan %t.narrow.mlir x=1408:random:1 out=128:poison bound=11
module {
tt.func public @bounds(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %from: i32, %to: i32, %step: i32) {
  %c3 = arith.constant 3 : i32
  %c128 = arith.constant 128 : i32
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %places = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %base = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p0 = tt.addptr %base, %places : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %next = arith.constant dense<128> : tensor<128xi32>
  %sum:2 = scf.for %i = %from to %to step %step iter_args(%p = %p0, %s = %zero) -> (tensor<128x!tt.ptr<f32>>, tensor<128xf32>) : i32 {
    %v = tt.load %p : tensor<128x!tt.ptr<f32>>
    %t = arith.addf %s, %v : tensor<128xf32>
    %q = tt.addptr %p, %next : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    scf.yield %q, %t : tensor<128x!tt.ptr<f32>>, tensor<128xf32>
  } {tt.num_stages = 4 : i32}
  %to_0 = tt.splat %out : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %to_p = tt.addptr %to_0, %places : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %to_p, %sum#1 : tensor<128x!tt.ptr<f32>>
  tt.return
}
}
