// What constants and the ids of warps keep from being executed no launch executes: it is not asked to be shown. What sizes
// or iterations decide is.
//
// RUN: titan check %s | FileCheck %s
// CHECK: @zero_trips: accepted: 0 errors
// CHECK: @untaken: accepted: 0 errors
// CHECK: @no_such_warp: accepted: 0 errors
// CHECK: @nested: accepted: 0 errors
// RUN: titan run %s --kernel nested
//
// VARIANT by_size: in condition `%no {` -> `%deep {`
// RUN: %variant by_size %s | not titan check - --kernel nested 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: [undecided] no {{sizes were|launch was}} found under which this

!vector = !titan.global<?xi32>

titan.kernel @zero_trips() warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c4 to %c0 step %c1 {
    titan.cta_sync
  }
  titan.return
}

titan.kernel @untaken() warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %no = arith.constant false
  scf.if %no {
    titan.cta_sync
  }
  titan.return
}

titan.kernel @no_such_warp() warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i9 = arith.constant 9 : i32
  %warp = titan.warp_id
  %it = arith.cmpi eq, %warp, %i9 : i32
  scf.if %it {
    titan.syncwarp
  }
  titan.return
}

titan.kernel @nested(%X: !vector) warps(1) attributes {titan.example = {X = "64 zeros"}} launch {
  %c1 = arith.constant 1 : index
  %c4096 = arith.constant 4096 : index
  %n = titan.dim %X, 0 : !vector
  %few = arith.cmpi ule, %n, %c4096 : index
  titan.require %few, "launch-check", "few elements"
  titan.launch grid(%c1) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c5000 = arith.constant 5000 : index
  %no = arith.constant false
  %tiles = arith.ceildivui %n, %c64 : index
  scf.for %i = %c0 to %tiles step %c1 {
    %deep = arith.cmpi eq, %i, %c5000 : index
    scf.if %no { // @condition
      titan.cta_sync
    }
  }
  titan.return
}
