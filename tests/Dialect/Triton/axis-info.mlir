// RUN: titan-opt %s --print-axis-info --verify-diagnostics -o /dev/null
// RUN: titan-opt %s --print-axis-info=strict 2>&1 >/dev/null | FileCheck %s --check-prefix=STRICT
// A run that may begin anywhere may wrap.
// STRICT: remark: contiguity = [128], divisibility = [1], constancy = [1]
// STRICT: remark: contiguity = [1], divisibility = [2], constancy = [1]{{$}}
// STRICT: remark: store moves at once 1

// expected-remark @below {{argument 0: contiguity = [1], divisibility = [16], constancy = [1]}}
// expected-remark @below {{argument 1: contiguity = [1], divisibility = [16], constancy = [1]}}
// expected-remark @below {{argument 2: contiguity = [1], divisibility = [1], constancy = [1]}}
tt.func public @f(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %stride: i32) {
  // expected-remark @below {{divisibility = [128], constancy = [1], number = 128}}
  %c128 = arith.constant 128 : i32
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %pid = tt.get_program_id x : i32
  // expected-remark @below {{contiguity = [1], divisibility = [128], constancy = [1]}}
  %first = arith.muli %pid, %c128 : i32
  // expected-remark @below {{contiguity = [128], divisibility = [4611686018427387904], constancy = [1]}}
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [128], constancy = [128]}}
  %all = tt.splat %first : i32 -> tensor<128xi32>
  // expected-remark @below {{contiguity = [128], divisibility = [128], constancy = [1]}}
  %at = arith.addi %all, %range : tensor<128xi32>
  // A bound that is a multiple of 16 cuts no run of 16.
  // expected-remark @below {{divisibility = [16], constancy = [128]}}
  %bound = tt.splat %n : i32 -> tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [16]}}
  %mask = arith.cmpi slt, %at, %bound : tensor<128xi32>
  // expected-remark @below {{divisibility = [16], constancy = [128]}}
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  // In bytes: 128 of two each, but the argument is a multiple of 16 alone.
  // expected-remark @below {{contiguity = [128], divisibility = [16], constancy = [1]}}
  %to = tt.addptr %base, %at : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  // expected-remark @below {{load moves at once 8 (8 without its mask)}}
  %x = tt.load %to, %mask : tensor<128x!tt.ptr<f16>>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [128]}}
  %step = tt.splat %stride : i32 -> tensor<128xi32>
  // Runs are kept, and begin anywhere.
  // expected-remark @below {{contiguity = [128], divisibility = [1], constancy = [1]}}
  %off = arith.addi %step, %at : tensor<128xi32>
  // expected-remark @below {{contiguity = [128], divisibility = [2], constancy = [1], assuming its operand not negative or not wrapping}}
  %there = tt.addptr %base, %off : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  // expected-remark @below {{store moves at once 1 (1 without its mask)}}
  tt.store %there, %x, %mask : tensor<128x!tt.ptr<f16>>
  tt.return
}
