// A number that the program was specialised for as a multiple of 16 may be a negative one: the launch, the package's
// launch region and the checker's search agree.
// RUN: titan compile %s --emit=titan -o %t.mlir
// RUN: titan run %t.mlir --shape y_ptr=128 --arg y_ptr=poison --scalar first=-32 --out y_ptr=%t.npy
// RUN: not titan run %t.mlir --shape y_ptr=128 --arg y_ptr=poison --scalar first=-24 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not titan run %t.mlir --shape y_ptr=128 --arg y_ptr=poison --scalar first=24 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: [launch-check] first is a multiple of 16, for which the kernel was specialised (first is {{-?}}24)
// RUN: %python %S/Inputs/converted.py titan %s y_ptr=128:poison first=-32
// RUN: %python %S/Inputs/converted.py titan %s y_ptr=128:poison first=-2147483648
// RUN: titan compile %s --emit=manifest -o - | FileCheck %s --check-prefix=MANIFEST
// MANIFEST: "nonzero":["eq",["rem",{"scalar":"first"},16],0]
// RUN: titan check --proof=off %s
//
// What the program does with a negative number is seen, too: it writes in front of its tensor.
// VARIANT before: in AT `%s, %i` -> `%s, %sum`
// RUN: %variant before %s > %t.before.ttir
// RUN: titan compile %t.before.ttir --check=off --emit=titan -o %t.before.mlir
// RUN: not titan run %t.before.mlir --shape y_ptr=128 --arg y_ptr=poison --scalar first=-32 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: [out-of-bounds]
tt.func public @count(%y_ptr: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %first: i32 {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %f = tt.splat %first : i32 -> tensor<128xi32>
  %sum = arith.addi %f, %i : tensor<128xi32>
  %s = tt.splat %y_ptr : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %p = tt.addptr %s, %i : tensor<128x!tt.ptr<i32>>, tensor<128xi32> // @AT
  tt.store %p, %sum : tensor<128x!tt.ptr<i32>>
  tt.return
}
