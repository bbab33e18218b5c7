// RUN: titan-opt %s | titan-opt | FileCheck %s
// RUN: titan-opt %s --mlir-print-op-generic | titan-opt | FileCheck %s
//
// Every operation on tensor maps in memory as it is written, and as it is printed back.

!map = !titan.tensor_map<128x64xbf16, swizzle = 128>
!matrix = !titan.global<?x?xbf16>
!maps = !titan.global<?x128xi8>

// CHECK: titan.kernel @edits(
titan.kernel @edits(%maps: !maps, %X: !matrix) warps(1) launch {
  %one = arith.constant 1 : index
  %map = titan.tensor_map %X : !matrix -> !map
  titan.launch grid(%one) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %rows = arith.constant 1000 : i32
  %stride = arith.constant 4096 : i64
  // CHECK: titan.tensormap.alloc : <128x64xbf16, swizzle = 128>
  %edit = titan.tensormap.alloc : !map
  // CHECK: titan.tensormap.at %maps[%{{.*}}] over %X
  %slot = titan.tensormap.at %maps[%c0] over %X : !maps, !matrix -> !map
  // CHECK: titan.tensormap.copy %map, %{{.*}} :
  titan.tensormap.copy %map, %edit : !map, !map
  titan.syncwarp
  titan.elect {
    // CHECK: titan.tensormap.replace_address %{{.*}}, %X[%{{.*}}, %{{.*}}]
    titan.tensormap.replace_address %edit, %X[%c0, %c0] : !map, !matrix
    // CHECK: titan.tensormap.replace_dim %{{.*}}, 0, %{{.*}} :
    titan.tensormap.replace_dim %edit, 0, %rows : !map
    // CHECK: titan.tensormap.replace_stride %{{.*}}, 0, %{{.*}} :
    titan.tensormap.replace_stride %edit, 0, %stride : !map
  }
  titan.syncwarp
  // CHECK: titan.tensormap.cp_fenceproxy %{{.*}}, %{{.*}} gpu :
  titan.tensormap.cp_fenceproxy %edit, %slot gpu : !map, !map
  // CHECK: titan.fence.tensormap_release gpu
  titan.fence.tensormap_release gpu
  titan.elect {
    // CHECK: titan.fence.tensormap_acquire %{{.*}} gpu
    titan.fence.tensormap_acquire %slot gpu : !map
  }
  titan.return
}
