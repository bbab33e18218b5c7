// The launch region in the package's manifest.
// RUN: titan compile --check=off %s --emit=manifest -o %t.json && FileCheck %s < %t.json
// The package holds just this.
// RUN: titan compile --check=off %s -o %t.titanpkg && grep -q -a -F -f %t.json %t.titanpkg

!matrix = !titan.global<?x?xbf16>
!map = !titan.tensor_map<32x64xbf16, swizzle = 128>
!tile = !titan.shared<32x64xbf16, swizzle = 128>
!bar = !titan.mbarrier

// CHECK: {{^}}{"code":[{"arch":"sm_90a"
// CHECK-SAME{LITERAL}: "access":"read"
// CHECK-SAME{LITERAL}: "name":"X"
// CHECK-SAME{LITERAL}: "access":"write"
// CHECK-SAME{LITERAL}: "name":"Y"
// CHECK-SAME{LITERAL}: "kind":"scalar","name":"rows","type":"i32"
// CHECK-SAME{LITERAL}: "block":32
// Every size at least 1; what the region requires; whole chunks for the store.
// CHECK-SAME{LITERAL}: "code":"launch-zero-dim"
// CHECK-SAME{LITERAL}: "nonzero":["lt",0,{"dim":["X",0]}]
// CHECK-SAME{LITERAL}: "code":"bad-argument"
// CHECK-SAME{LITERAL}: "message":"rows is positive (rows is {0})"
// CHECK-SAME{LITERAL}: "nonzero":["lt",0,{"scalar":"rows"}]
// CHECK-SAME{LITERAL}: "code":"tma-store-tail"
// CHECK-SAME{LITERAL}: "nonzero":["eq",["mod",["mul",{"dim":["Y",1]},2],16],0]
// CHECK-SAME{LITERAL}: "entry":"copy"
// CHECK-SAME{LITERAL}: "grid":[["min",["ceildiv",{"dim":["X",0]},32],{"device":"multiprocessor_count"}],1,1]
// CHECK-SAME{LITERAL}: "parameters":[{"scalar":"rows"},{"tensor_map":"mapX"},{"tensor_map":"mapY"},{"type":"i64","value":["ceildiv",{"dim":["X",0]},32]}]
// CHECK-SAME{LITERAL}: "shared_memory":{"dynamic":4104}
// CHECK-SAME{LITERAL}: "box":[64,32],"byte_strides":[["mul",{"stride":["X",0]},2]],"dims":[{"dim":["X",1]},{"dim":["X",0]}]
// CHECK-SAME{LITERAL}: "swizzle":"128B","type":"bf16"
titan.kernel @copy(%X: !matrix, %Y: !matrix, %rows: i32) warps(1) launch {
  %c32 = arith.constant 32 : index
  %i0 = arith.constant 0 : i32
  %m = titan.dim %X, 0 : !matrix
  %blocks = arith.ceildivui %m, %c32 : index
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %blocks, %sms : index
  %positive = arith.cmpi sgt, %rows, %i0 : i32
  titan.require %positive, "bad-argument", "rows is positive"
  %mapX = titan.tensor_map %X : !matrix -> !map
  %mapY = titan.tensor_map %Y : !matrix -> !map
  titan.launch grid(%grid) with(%mapX, %mapY, %blocks : !map, !map, index)
} body(%mapX: !map, %mapY: !map, %blocks: index) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 4096 : i32
  %first = titan.cta_id 0
  %limit = arith.index_cast %rows : i32 to index
  %inside = arith.cmpi ult, %first, %blocks : index
  %tile = titan.shared.alloc : !tile
  %bar = titan.mbarrier.alloc : !bar
  titan.elect {
    titan.mbarrier.init %bar count(1) : !bar
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %bar, %bytes : !bar
    titan.tma.load %mapX[%limit, %c0], %tile, %bar : !map, !tile, !bar
  }
  titan.mbarrier.wait %bar parity(%i0) : !bar
  scf.if %inside {
    titan.elect {
      titan.tma.store %tile, %mapY[%c0, %c0] : !tile, !map
      %g = titan.bulk.commit : !titan.token<bulk>
      titan.bulk.wait %g : !titan.token<bulk>
    }
  }
  titan.return
}
