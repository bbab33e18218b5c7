// RUN: titan-opt --titan-inline %s | FileCheck %s
// Functions go where kernels call them; those that they call, too.
//
// Places say both where an operation stands and where it was called.
// RUN: titan-opt --titan-inline --mlir-print-debuginfo %s | FileCheck %s --check-prefix=PLACES

#row = #titan.blocked<elements = [1, 2], lanes = [4, 8], warps = [1, 1]>
!tile = tensor<4x16xf32, #row>
!view = !titan.shared<4x16xf32>

func.func private @twice(%x: !tile) -> !tile {
  %two = arith.constant dense<2.0> : !tile
  %y = arith.mulf %x, %two : !tile
  return %y : !tile
}

func.func private @store_twice(%x: !tile, %to: !view) {
  %y = func.call @twice(%x) : (!tile) -> !tile
  titan.shared.store %y, %to : !tile, !view
  return
}

// CHECK-LABEL: titan.kernel @k
titan.kernel @k() warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %a = titan.shared.alloc : !view
  %b = titan.shared.alloc : !view
  titan.warp_specialize {
    // CHECK: titan.partition "left"
    // CHECK-NOT: call
    // CHECK: arith.mulf
    // CHECK: titan.shared.store %{{.*}}, %0
    titan.partition "left" warps(1) {
      %zero = arith.constant dense<0.0> : !tile
      func.call @store_twice(%zero, %a) : (!tile, !view) -> ()
    }
    // CHECK: titan.partition "right"
    // CHECK-NOT: call
    // CHECK: arith.mulf
    // CHECK: titan.shared.store %{{.*}}, %1
    // PLACES-DAG: loc(callsite({{.*}} at {{.*}}))
    titan.partition "right" warps(1) {
      %one = arith.constant dense<1.0> : !tile
      func.call @store_twice(%one, %b) : (!tile, !view) -> ()
    }
  }
  titan.return
}
