// Where bulk copies and cp.async begin in global memory: what only the launch knows, it checks.
// RUN: titan-opt %s --pass-pipeline='builtin.module(titan.kernel(titan-align-copies))' | FileCheck %s
// RUN: titan compile %s --kernel rows --emit=manifest -o - | FileCheck %s --check-prefix=MANIFEST
// RUN: titan run %s --kernel rows | FileCheck %s --check-prefix=RUNS
// RUN: not titan run %s --kernel rows --rowstride X=66 2>&1 | FileCheck %s --check-prefix=STRIDE
// RUN: not titan run %s --kernel chunks --rowstride X=68 2>&1 | FileCheck %s --check-prefix=CHUNK
// RUN: titan check %s --kernel rows
// RUN: not titan check %s --kernel odd 2>&1 | FileCheck %s --check-prefix=ODD
//
// MANIFEST-COUNT-2: "alignment":16
// MANIFEST: "code":"bulk-alignment"
// RUNS: verified
// STRIDE: error: [bulk-alignment] X: the stride of dimension 0, along which copies begin, is a multiple of 4 elements{{.*}}66
// STRIDE: fix: pad the rows of X: its stride of dimension 0 is to be a multiple of 4 elements
// CHUNK: error: [cp-async-chunk] X: the stride of dimension 0, along which copies begin, is a multiple of 8 elements{{.*}}68
// ODD: error: [undecided] that coordinate 0, the innermost, is a multiple of 4 elements, as the copy asks

!m = !titan.global<?x?xf32>
!row = !titan.shared<64xf32>

func.func private @same(%X: memref<?x?xf32> {titan.input = "X"}, %Y: memref<?x?xf32> {titan.expected = "Y"}) {
  memref.copy %X, %Y : memref<?x?xf32> to memref<?x?xf32>
  return
}

// CHECK-LABEL: titan.kernel @rows
// CHECK-SAME: titan.alignment = {X = 16 : i64, Y = 16 : i64}
// CHECK: %[[X:.*]] = titan.stride %X, 0
// CHECK: arith.remui %[[X]], %c4
// CHECK: titan.require {{.*}}, "bulk-alignment", "X: the stride of dimension 0
// CHECK: titan.require {{.*}}, "bulk-alignment", "Y: the stride of dimension 0
// CHECK-NOT: titan.require
// CHECK: titan.launch
titan.kernel @rows(%X: !m, %Y: !m) warps(1) attributes {
  titan.example = {sizes = {M = 8}, X = "Mx64 random:1", Y = "Mx64"}, titan.reference = @same
} launch {
  %m = titan.dim %X, 0 : !m
  titan.launch grid(%m)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 256 : i32
  %mine = titan.shared.alloc : !row
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %r = titan.cta_id 0
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.bulk.load %X[%r, %c0], %mine, %full : !m, !row, !titan.mbarrier
    titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier
    titan.bulk.store %mine, %Y[%r, %c0] : !row, !m
    %group = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %group : !titan.token<bulk>
  }
  titan.return
}

// An index that is a multiple of 2 asks for half as much of the stride; the program asks for enough of Y's.
// CHECK-LABEL: titan.kernel @even
// CHECK: titan.require {{.*}}, "launch-check"
// CHECK: titan.require {{.*}}, "bulk-alignment", "X: the stride of dimension 0, along which copies begin, is a multiple of 2 elements"
// CHECK-NOT: titan.require
// CHECK: titan.launch
titan.kernel @even(%X: !m, %Y: !m) warps(1) launch {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %stride = titan.stride %Y, 0 : !m
  %left = arith.remui %stride, %c4 : index
  %good = arith.cmpi eq, %left, %c0 : index
  titan.require %good, "launch-check", "rows of Y begin at multiples of 16 bytes"
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 256 : i32
  %mine = titan.shared.alloc : !row
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %id = titan.cta_id 0
  %r = arith.muli %id, %c2 : index
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.bulk.load %X[%r, %c0], %mine, %full : !m, !row, !titan.mbarrier
    titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier
    titan.bulk.store %mine, %Y[%id, %c0] : !row, !m
    %group = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %group : !titan.token<bulk>
  }
  titan.return
}

// The last index is the program's business.
titan.kernel @odd(%X: !titan.global<?xf32>) warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1) with(%c1 : index)
} body(%from: index) {
  %i0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : index
  %n = titan.dim %X, 0 : !titan.global<?xf32>
  %third = arith.divui %n, %c4 : index
  %start = arith.subi %third, %third : index
  %bytes = arith.constant 256 : i32
  %mine = titan.shared.alloc : !row
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.bulk.load %X[%start], %mine, %full : !titan.global<?xf32>, !row, !titan.mbarrier
    titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier
  }
  titan.return
}

// Each thread begins at a row of its own.
// CHECK-LABEL: titan.kernel @chunks
// CHECK-SAME: titan.alignment = {X = 16 : i64}
// CHECK: titan.require {{.*}}, "cp-async-chunk", "X: the stride of dimension 0, along which copies begin, is a multiple of 8 elements"
#lines = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!tile = tensor<4x64xf16, #lines>
!index = tensor<4x64xi32, #lines>
!h = !titan.global<?x?xf16>
titan.kernel @chunks(%X: !h) warps(1) attributes {
  titan.example = {sizes = {}, X = "4x64 random:1"}
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %buffer = titan.shared.alloc : !titan.shared<4x64xf16>
  %r = titan.coordinate 0 : !index
  %c = titan.coordinate 1 : !index
  titan.cp_async %X[%r, %c], %buffer bytes(16) cg : !h, !index, !index -> !titan.shared<4x64xf16>
  %group = titan.cp_async.commit : !titan.token<async>
  titan.cp_async.wait %group : !titan.token<async>
  titan.return
}
