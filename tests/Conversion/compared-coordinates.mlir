// A row of many columns is masked by comparisons with constants: no register holds a column but the thread's first.
// RUN: titan compile %s --check=off --emit=ptx -o - | FileCheck %s

#acc = #titan.wgmma<1, 1>
!scores = tensor<64x128xf32, #acc>
!where = tensor<64x128xi32, #acc>
!mask = tensor<64x128xi1, #acc>
!global = !titan.global<?x?xf32>

titan.kernel @masked(%in: !global, %out: !global, %ahead: i32) warps(4) attributes {
  titan.example = {in = "64x128 random:1", out = "64x128", ahead = 17 : i32}
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %row = titan.coordinate 0 : !where
  %column = titan.coordinate 1 : !where
  %x = titan.global.load %in[%row, %column] : !global, !where, !where -> !scores
  %minus = arith.constant dense<0xFF800000> : !scores
  %aheads = titan.splat %ahead : i32 -> !where
  %last = arith.addi %row, %aheads : !where
  // Of each of a thread's two rows the limit, less the thread's first column; no limit is less than -2^31 + 128.
  // CHECK-LABEL: .entry masked(
  // CHECK-COUNT-2: max.s32 {{.*}}, -2147483520;
  // CHECK-NOT: max.s32
  // CHECK-COUNT-62: setp.{{lt|gt}}.s32 {{%p[0-9]+, %r[0-9]+, -?[0-9]+}};
  %seen = arith.cmpi sle, %column, %last : !where
  %y = arith.select %seen, %x, %minus : !mask, !scores
  titan.global.store %y, %out[%row, %column] : !scores, !global, !where, !where

  titan.return
}

// A row of few columns has them in registers: nothing is gained.
// CHECK-LABEL: .entry few(
// CHECK-NOT: max.s32
titan.kernel @few(%in: !global, %out: !global, %end: i32) warps(4) attributes {
  titan.example = {in = "64x16 random:1", out = "64x16", end = 9 : i32}
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %row = titan.coordinate 0 : tensor<64x16xi32, #acc>
  %column = titan.coordinate 1 : tensor<64x16xi32, #acc>
  %x = titan.global.load %in[%row, %column] : !global, tensor<64x16xi32, #acc>, tensor<64x16xi32, #acc> -> tensor<64x16xf32, #acc>
  %minus = arith.constant dense<0xFF800000> : tensor<64x16xf32, #acc>
  %ends = titan.splat %end : i32 -> tensor<64x16xi32, #acc>
  %seen = arith.cmpi slt, %column, %ends : tensor<64x16xi32, #acc>
  %y = arith.select %seen, %x, %minus : tensor<64x16xi1, #acc>, tensor<64x16xf32, #acc>
  titan.global.store %y, %out[%row, %column] : tensor<64x16xf32, #acc>, !global, tensor<64x16xi32, #acc>, tensor<64x16xi32, #acc>
  titan.return
}
