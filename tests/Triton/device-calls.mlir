// A call of a function of libdevice has its operands and its result, in the simulator as in a kernel.
// RUN: not titan compile %s --check=off --emit=ptx -o %t.ptx 2>&1 | FileCheck %s
// RUN: not titan run %s --shape x=1 --arg x=zeros 2>&1 | FileCheck %s
// CHECK: device-calls.mlir:[[#@LINE+10]]:{{[0-9]+}}: error: [tt-type] __nv_sinf takes 1 f32 and yields f32
// RUN: sed 's/sinf/sin/' %s > %t.wide.mlir
// RUN: not titan run %t.wide.mlir --shape x=1 --arg x=zeros 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: [tt-type] __nv_sin takes 1 f64 and yields f64
// RUN: sed 's/%a, %a {/{/; s/(f32, f32) -> f32/() -> f32/' %s > %t.none.mlir
// RUN: not titan compile %t.none.mlir --check=off --emit=ptx -o %t.ptx 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not titan run %t.none.mlir --shape x=1 --arg x=zeros 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: [tt-type] __nv_sinf takes 1 f32 and yields f32
tt.func public @two(%x: !tt.ptr<f32>) {
  %a = tt.load %x : !tt.ptr<f32>
  %s = tt.extern_elementwise %a, %a {libname = "", libpath = "", pure = true, symbol = "__nv_sinf"} : (f32, f32) -> f32
  tt.store %x, %s : !tt.ptr<f32>
  tt.return
}
