// Register tiles: arithmetic register by register, rows by shuffles.
// RUN: titan compile %s --emit=ptx -o - | FileCheck %s

#acc = #titan.wgmma<1, 1>
#row = #titan.slice<1, #acc>
!tile = tensor<64x16xf32, #acc>
!row = tensor<64xf32, #row>
!global = !titan.global<?x?xf32>

titan.kernel @tiles(%in: !global, %out: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %n = titan.dim %in, 1 : !global
  %n32 = arith.index_cast %n : index to i32
  %i = titan.coordinate 0 : tensor<64x16xi32, #acc>
  %j = titan.coordinate 1 : tensor<64x16xi32, #acc>
  %limit = titan.splat %n32 : i32 -> tensor<64x16xi32, #acc>
  %inside = arith.cmpi slt, %j, %limit : tensor<64x16xi32, #acc>
  // Eight registers, each loaded where its column is inside.
  // CHECK-COUNT-8: @active ld.global.b32
  %x = titan.global.load %in[%i, %j] mask(%inside : tensor<64x16xi1, #acc>) : !global, tensor<64x16xi32, #acc>, tensor<64x16xi32, #acc> -> !tile
  // Two rows of a thread: registers first, then two butterflies each.
  // CHECK: max.NaN.f32
  // CHECK: shfl.sync.bfly.b32 {{.*}}, 1, 31, -1;
  // CHECK: shfl.sync.bfly.b32 {{.*}}, 2, 31, -1;
  %max = titan.reduce max %x : !tile -> !row
  %all = titan.broadcast %max : !row -> !tile
  %d = arith.subf %x, %all : !tile
  // CHECK-COUNT-8: ex2.approx.f32
  %e = math.exp2 %d : !tile
  // CHECK-COUNT-8: @active st.global.b32
  titan.global.store %e, %out[%i, %j] mask(%inside : tensor<64x16xi1, #acc>) : !tile, !global, tensor<64x16xi32, #acc>, tensor<64x16xi32, #acc>
  // Copies: the lanes and warps that hold a row's first copy store it.
  titan.return
}
