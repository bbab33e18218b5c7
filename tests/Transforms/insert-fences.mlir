// titan-insert-fences: where fences are put in, and where none is enough (docs/fences.md).
//
// RUN: titan check %s --insert-fences -o %t.mlir
// RUN: titan check %t.mlir
// RUN: grep -v CHECK %t.mlir | FileCheck %s
// RUN: titan check %t.mlir --insert-fences -o %t.again.mlir
// RUN: diff %t.mlir %t.again.mlir
//
// On a kernel that asks for it, check, run and compile do so by themselves.
// RUN: not titan check %s --kernel loop 2>&1 | FileCheck %s --check-prefix=LACKS
// LACKS: [proxy-fence-missing]
// RUN: sed 's/warps(4) launch/warps(4) attributes {titan.fences = "auto"} launch/' %s > %t.auto.mlir
// RUN: titan check %t.auto.mlir
// RUN: titan compile %t.auto.mlir --kernel loop --emit=ptx | FileCheck %s --check-prefix=PTX
// PTX: fence.proxy.async.shared::cta
// PTX: barrier.sync.aligned 0
// RUN: titan run %t.auto.mlir --kernel loop --shape D=64x64 --arg D=zeros --no-reference
// RUN: titan-opt --titan-insert-fences=all %s | FileCheck %s --check-prefix=PASS
// PASS-COUNT-4: titan.fence.proxy_async shared_cta
// RUN: sed 's/warps(4) launch/warps(4) attributes {titan.fences = "all"} launch/' %s | not titan check - 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: [fences-auto]
//
// What goes where, and why, as JSON is.
// RUN: titan check %s --kernel loop --insert-fences --json | FileCheck %s --check-prefix=JSON
// JSON: "fences": [
// JSON: "code": "proxy-fence-missing"
// JSON: "line": [[#]]
// JSON: "text": "  titan.fence.proxy_async shared_cta\n"

!global = !titan.global<?x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// Stores in a loop, one copy behind it: one fence, out of the loop.
// CHECK-LABEL: @loop
titan.kernel @loop(%D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  // CHECK: scf.for
  // CHECK-NEXT: titan.shared.store
  // CHECK-NEXT: }
  // CHECK-NEXT: titan.fence.proxy_async shared_cta
  // CHECK-NEXT: titan.cta_sync
  scf.for %i = %c0 to %c5 step %c1 {
    titan.shared.store %v, %buf : !reg, !tile
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.tma.store %buf, %map[%c0, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

// The loop may run zero times, and the store before it is copied all the same: the fence stands on both paths.
// CHECK-LABEL: @zero_trips
titan.kernel @zero_trips(%D: !global, %n: i32) warps(4) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %steps = arith.index_cast %n : i32 to index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  // CHECK: titan.shared.store
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: titan.shared.store
  // CHECK-NEXT: }
  // CHECK-NEXT: titan.fence.proxy_async shared_cta
  titan.shared.store %v, %buf : !reg, !tile
  scf.for %i = %c0 to %steps step %c1 {
    titan.shared.store %v, %buf : !reg, !tile
  }
  titan.cta_sync
  titan.elect warp(0) {
    titan.tma.store %buf, %map[%c0, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}

// Two buffers, one barrier: one fence for both. What is stored between two barriers and not copied needs none.
// CHECK-LABEL: @two
titan.kernel @two(%D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : bf16
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  // CHECK: titan.shared.store
  // CHECK-NEXT: titan.shared.store
  // CHECK-NEXT: titan.fence.proxy_async shared_cta
  // CHECK-NEXT: titan.cta_sync
  titan.shared.store %v, %a : !reg, !tile
  titan.shared.store %v, %b : !reg, !tile
  titan.cta_sync
  titan.elect warp(0) {
    titan.tma.store %a, %map[%c0, %c0] : !tile, !map
    titan.tma.store %b, %map[%c64, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  // CHECK: }
  // CHECK-NEXT: titan.cta_sync
  // CHECK-NEXT: titan.shared.store
  // CHECK-NEXT: titan.return
  titan.cta_sync
  titan.shared.store %v, %a : !reg, !tile
  titan.return
}

// A function that is called twice: one line in its text.
// CHECK-LABEL: func.func @both
// CHECK: titan.shared.store
// CHECK-NEXT: titan.fence.proxy_async shared_cta
// CHECK-NEXT: titan.cta_sync
func.func @both(%v: !reg, %x: !tile) {
  titan.shared.store %v, %x : !reg, !tile
  titan.cta_sync
  return
}
// CHECK-LABEL: @called
titan.kernel @called(%D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  func.call @both(%v, %buf) : (!reg, !tile) -> ()
  titan.elect warp(0) {
    titan.tma.store %buf, %map[%c0, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.cta_sync
  func.call @both(%v, %buf) : (!reg, !tile) -> ()
  titan.elect warp(0) {
    titan.tma.store %buf, %map[%c64, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}
