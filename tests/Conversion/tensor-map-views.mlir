// Maps with sizes and strides of their own, and element strides, in the package's manifest.
// RUN: titan compile --check=off %s -o %t.titanpkg
// RUN: titan compile --check=off %s --emit=manifest | FileCheck %s
// RUN: titan-launch %t.titanpkg --dry-run --arg X=zeros,shape=128x72 --arg Y=zeros,shape=6x4 | FileCheck %s --check-prefix=LAUNCH
// RUN: not titan-launch %t.titanpkg --dry-run --arg X=zeros,shape=127x72 --arg Y=zeros,shape=6x4 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not titan run %s --arg X=zeros --shape X=127x72 --arg Y=zeros --shape Y=6x4 2>&1 | FileCheck %s --check-prefix=SIMULATED
//
// The view may end where the tensor does.
// CHECK: "compiler":"titan
// CHECK-SAME{LITERAL}: "code":"tma-view-range"
// CHECK-SAME{LITERAL}: "nonzero":["le",["add",["add",["mul",64,2],["mul",["sub",2,1],["mul",{"stride":["X",0]},2]]],["mul",["sub",["ceildiv",{"dim":["X",0]},2],1],["mul",["mul",{"stride":["X",0]},2],2]]],["add",["mul",{"dim":["X",1]},2],["mul",["sub",{"dim":["X",0]},1],["mul",{"stride":["X",0]},2]]]]
// CHECK-SAME{LITERAL}: "box":[64,2,16],"byte_strides":[["mul",{"stride":["X",0]},2],["mul",["mul",{"stride":["X",0]},2],2]],"dims":[64,2,["ceildiv",{"dim":["X",0]},2]],"element_strides":[1,2,3]
// Reduced by min: signed.
// CHECK-SAME{LITERAL}: "type":"s64"
//
// LAUNCH: rowsOfX
// SIMULATED: [tma-view-range] the map spans 18416 bytes, its tensor 18288
// RANGE: error: [tma-view-range] a tensor map over X spans 18416 bytes, and the tensor 18288

!matrix = !titan.global<?x?xbf16>
!longs  = !titan.global<?x?xi64>
!rows   = !titan.tensor_map<16x2x64xbf16, element_strides = [3, 2, 1], swizzle = 128>
!long   = !titan.tensor_map<2x4xi64>
!tile   = !titan.shared<6x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier

titan.kernel @views(%X: !matrix, %Y: !longs) warps(1) launch {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %m = titan.dim %X, 0 : !matrix
  %pitch = titan.stride %X, 0 : !matrix
  %bytes = arith.muli %pitch, %c2 : index
  %two = arith.muli %bytes, %c2 : index
  %pairs = arith.ceildivui %m, %c2 : index
  // Rows in pairs: of a matrix with an odd number of rows the last would be left.
  %rows = titan.tensor_map %X dims(%pairs, %c2, %c64) byte_strides(%two, %bytes) : !matrix -> !rows
  %long = titan.tensor_map %Y : !longs -> !long
  titan.launch grid(%c1) with(%rows, %long : !rows, !long)
} body(%rowsOfX: !rows, %long: !long) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 768 : i32
  %tile = titan.shared.alloc : !tile
  %longs = titan.shared.alloc : !titan.shared<2x4xi64>
  %bar = titan.mbarrier.alloc : !bar
  titan.elect {
    titan.mbarrier.init %bar count(1) : !bar
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %bar, %bytes : !bar
    titan.tma.load %rowsOfX[%c0, %c0, %c0], %tile, %bar : !rows, !tile, !bar
    titan.mbarrier.wait %bar parity(%i0) : !bar
    titan.tma.reduce min %longs, %long[%c0, %c0] : !titan.shared<2x4xi64>, !long
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g : !titan.token<bulk>
  }
  titan.return
}
