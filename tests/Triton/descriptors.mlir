// A descriptor that a kernel makes begins at a multiple of 16 bytes, and its rows are as many apart, as TMA asks for; along y and z
// a grid has at most 65535 programs.
// RUN: titan run %s --shape x=32x32 --arg x=random:1 --scalar first=4 --scalar stride=28 --kernel block
// RUN: not titan run %s --shape x=32x32 --arg x=random:1 --scalar first=1 --scalar stride=28 --kernel block 2>&1 | FileCheck %s --check-prefix=BASE
// BASE: descriptors.mlir:[[#@LINE+23]]:{{[0-9]+}}: error: [misaligned] program (0, 0, 0): the descriptor's tensor begins at x[1], at no multiple of 16 bytes
// RUN: not titan run %s --shape x=32x32 --arg x=random:1 --scalar first=0 --scalar stride=29 --kernel block 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: [misaligned] program (0, 0, 0): stride 29 of dimension 0 of the descriptor, 116 bytes, is no multiple of 16 bytes
// RUN: not titan run %s --shape x=32x32 --arg x=random:1 --scalar first=0 --scalar stride=28 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: name one with --kernel: block, other
// RUN: not titan run %s --grid 1,65536 --kernel other 2>&1 | FileCheck %s --check-prefix=GRID
// GRID: along x at most 2147483647, along y and z 65535, 2^24 - 2 in all
// RUN: titan run %s --grid 1,65535 --kernel other
// Elements of the last dimension lie beside each other, and no size is negative.
// RUN: sed 's/%c1 = arith.constant 1/%c1 = arith.constant 2/' %s > %t.last.mlir
// RUN: not titan run %t.last.mlir --shape x=32x32 --arg x=random:1 --scalar first=4 --scalar stride=28 --kernel block 2>&1 | FileCheck %s --check-prefix=LAST
// LAST: [invalid-op] program (0, 0, 0): the last stride of the descriptor is 2: elements along it lie beside each other
// RUN: not titan compile %t.last.mlir --kernel block --check=off --emit=titan -o - 2>&1 | FileCheck %s --check-prefix=COMPILED
// COMPILED: [not-supported-yet] a descriptor whose last stride is not the constant 1
// RUN: sed 's/%c8 = arith.constant 8/%c8 = arith.constant -3/' %s > %t.size.mlir
// RUN: not titan run %t.size.mlir --shape x=32x32 --arg x=random:1 --scalar first=4 --scalar stride=28 --kernel block 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: [invalid-op] program (0, 0, 0): dimension 0 of the descriptor has size -3 and stride 28: neither may be negative
module {
tt.func public @block(%x: !tt.ptr<f32>, %first: i32, %stride: i64) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %base = tt.addptr %x, %first : !tt.ptr<f32>, i32
  %d = tt.make_tensor_descriptor %base, [%c8, %c8], [%stride, %c1] : !tt.ptr<f32>, !tt.tensordesc<tensor<8x8xf32>>
  %v = tt.descriptor_load %d[%c0, %c0] : !tt.tensordesc<tensor<8x8xf32>> -> tensor<8x8xf32>
  tt.descriptor_store %d[%c0, %c0], %v : !tt.tensordesc<tensor<8x8xf32>>, tensor<8x8xf32>
  tt.return
}
tt.func public @other() {
  tt.return
}
}
