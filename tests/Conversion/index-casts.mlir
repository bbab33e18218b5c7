// A cast of an index to fewer bits cuts, there and back again: as titan run computes, so do the PTX, and a reference. (MLIR's
// canonicalisation takes the two casts for none.)
//
// RUN: titan run %s --out Y=%t.npy | FileCheck %s
// CHECK: 4 elements equal to the reference
// RUN: %python -c "import struct; print(struct.unpack('<4i', open(r'%t.npy', 'rb').read()[-16:]))" | FileCheck %s --check-prefix=VALUES
// VALUES: (-56, 200, 0, 7)
// RUN: titan compile --check=off %s --emit=llvm -o - | FileCheck %s --check-prefix=LLVM
// LLVM-LABEL: define {{.*}}@k
// LLVM-DAG: trunc {{.*}}to i8
// LLVM-DAG: sext i8
// LLVM-DAG: {{zext (nneg )?i8|and i64 .*, 255|and i32 .*, 255}}

!data = !titan.global<4xi32>

titan.kernel @k(%Y: !data, %n: i64) warps(1) attributes {
  titan.example = {Y = "4 zeros", n = 30064771272 : i64}, titan.reference = @cuts
} launch {
  %g = arith.constant 1 : index
  titan.launch grid(%g)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %i = arith.index_cast %n : i64 to index
  %b = arith.index_cast %i : index to i8
  %signed = arith.index_cast %b : i8 to index
  %ub = arith.index_castui %i : index to i8
  %unsigned = arith.index_castui %ub : i8 to index
  %w = arith.index_castui %i : index to i32
  %low = arith.index_castui %w : i32 to index
  %c32 = arith.constant 32 : index
  %none = arith.shrui %low, %c32 : index
  %high = arith.shrui %i, %c32 : index
  %y0 = arith.index_cast %signed : index to i32
  %y1 = arith.index_cast %unsigned : index to i32
  %y2 = arith.index_cast %none : index to i32
  %y3 = arith.index_cast %high : index to i32
  titan.elect warp(0) {
    titan.st %y0, %Y[%c0] : i32, !data
    titan.st %y1, %Y[%c1] : i32, !data
    titan.st %y2, %Y[%c2] : i32, !data
    titan.st %y3, %Y[%c3] : i32, !data
  }
  titan.return
}

func.func private @cuts(%n: i64 {titan.input = "n"}, %Y: memref<?xi32> {titan.expected = "Y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %i = arith.index_cast %n : i64 to index
  %b = arith.index_cast %i : index to i8
  %signed = arith.index_cast %b : i8 to index
  %ub = arith.index_castui %i : index to i8
  %unsigned = arith.index_castui %ub : i8 to index
  %w = arith.index_castui %i : index to i32
  %low = arith.index_castui %w : i32 to index
  %c32 = arith.constant 32 : index
  %none = arith.shrui %low, %c32 : index
  %high = arith.shrui %i, %c32 : index
  %y0 = arith.index_cast %signed : index to i32
  %y1 = arith.index_cast %unsigned : index to i32
  %y2 = arith.index_cast %none : index to i32
  %y3 = arith.index_cast %high : index to i32
  memref.store %y0, %Y[%c0] : memref<?xi32>
  memref.store %y1, %Y[%c1] : memref<?xi32>
  memref.store %y2, %Y[%c2] : memref<?xi32>
  memref.store %y3, %Y[%c3] : memref<?xi32>
  return
}
