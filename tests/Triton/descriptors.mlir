// A descriptor that a kernel makes begins at a multiple of 16 bytes, and its rows are as many apart, as TMA asks for; along y and z
// a grid has at most 65535 programs.
// RUN: titan run %s --shape x=32x32 --arg x=random:1 --scalar first=4 --scalar stride=28 --kernel block
// RUN: not titan run %s --shape x=32x32 --arg x=random:1 --scalar first=1 --scalar stride=28 --kernel block 2>&1 | FileCheck %s --check-prefix=BASE
// BASE: descriptors.mlir:[[#@LINE+14]]:{{[0-9]+}}: error: [misaligned] program (0, 0, 0): the descriptor's tensor begins at x[1], at no multiple of 16 bytes
// RUN: not titan run %s --shape x=32x32 --arg x=random:1 --scalar first=0 --scalar stride=29 --kernel block 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: [misaligned] program (0, 0, 0): stride 29 of dimension 0 of the descriptor, 116 bytes, is no multiple of 16 bytes
// RUN: not titan run %s --shape x=32x32 --arg x=random:1 --scalar first=0 --scalar stride=28 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: name one with --kernel: block, other
// RUN: not titan run %s --grid 1,65536 --kernel other 2>&1 | FileCheck %s --check-prefix=GRID
// GRID: along y and z at most 65535
// RUN: titan run %s --grid 1,65535 --kernel other
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
