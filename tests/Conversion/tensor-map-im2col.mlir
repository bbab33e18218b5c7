// REQUIRES: ptxas
// im2col and interleaved maps: instructions, manifest, launch checks.
// RUN: titan compile %s --emit=ptx -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: ptxas -arch=sm_90a %t.ptx -o %t.cubin
// RUN: titan compile %s -o %t.titanpkg
// RUN: titan compile %s --emit=manifest | FileCheck %s --check-prefix=MANIFEST
// RUN: titan-launch %t.titanpkg --dry-run --scalar r=1 --arg X=zeros,shape=2x6x6x64 --arg S=zeros,shape=2x2x4x16x8 --arg Y=zeros | FileCheck %s --check-prefix=LAUNCH
// RUN: not titan-launch %t.titanpkg --dry-run --scalar r=1 --arg X=zeros,shape=2x1x6x64 --arg S=zeros,shape=2x2x4x16x8 --arg Y=zeros 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not titan run %s --scalar r=1 --arg X=zeros --shape X=2x1x6x64 --arg S=zeros --shape S=2x2x4x16x8 --arg Y=zeros 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not titan-launch %t.titanpkg --dry-run --scalar r=1 --arg X=zeros,shape=2x6x6x64 --arg S=zeros,shape=2x2x4x16x8,rowstride=16 --arg Y=zeros 2>&1 | FileCheck %s --check-prefix=APART
// RUN: not titan run %s --scalar r=1 --arg X=zeros --shape X=2x6x6x64 --arg S=zeros --shape S=2x2x4x16x8 --rowstride S=16 --arg Y=zeros 2>&1 | FileCheck %s --check-prefix=APART
// RUN: titan run %s --scalar r=2 --arg X=zeros --shape X=2x6x6x64 --arg S=zeros --shape S=2x2x4x16x8 --arg Y=zeros
// RUN: not titan run %s --scalar r=256 --arg X=zeros --shape X=2x6x6x64 --arg S=zeros --shape S=2x2x4x16x8 --arg Y=zeros 2>&1 | FileCheck %s --check-prefix=OFFSET
//
// Offsets innermost first, W before H, and a trap where the launch's is none.
// CHECK: setp.{{.*}}25{{[56]}};
// CHECK: trap;
// CHECK: cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r{{[0-9]+}}], [%rd{{[0-9]+}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}], [%r{{[0-9]+}}], {%rs[[W:[0-9]+]], %rs[[H:[0-9]+]]};
// CHECK: cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier
// CHECK: cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group
// CHECK: cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.im2col_no_offs.bulk_group
//
// MANIFEST{LITERAL}: "message":"slices of 16 bytes of S follow one another along W, and are {0} apart","nonzero":["eq",["mul",{"stride":["S",3]},2],16]
// MANIFEST-SAME{LITERAL}: "element_strides":[1,2,2,1]
// MANIFEST-SAME{LITERAL}: "im2col":{"channels":64,"lower":[-2,-1],"pixels":32,"upper":[-1,-2]}
// MANIFEST-SAME{LITERAL}: "box":[16,2,1,2]
// MANIFEST-SAME{LITERAL}: "dims":[{"dim":["S",3]},{"dim":["S",2]},{"dim":["S",1]},{"dim":["S",0]}]
// MANIFEST-SAME{LITERAL}: "interleave":"16B"
// MANIFEST-SAME{LITERAL}: "im2col":{"channels":32,"lower":[0],"pixels":8,"upper":[0]}
//
// LAUNCH: pixels
// EMPTY: [tma-im2col] pixelBoxUpperCorner[1]: the bounding box from -1 to 1 - 1 + -2 is empty
// APART: [tma-interleave] slices of 16 bytes{{.*}} follow one another along W
// OFFSET: [tma-im2col] im2colOffsets[1]: offset 256 is not in 0 .. 255

!X      = !titan.global<?x?x?x?xbf16>
!S      = !titan.global<?x?x?x?x8xbf16>
!Y      = !titan.global<4x8x32xf32, strides = [256, 32, 1]>
!pixels = !titan.tensor_map<im2col 32x64xbf16, lower = [-1, -2], upper = [-2, -1], element_strides = [1, 2, 2, 1], swizzle = 128>
!slices = !titan.tensor_map<2x1x2x16xbf16, interleave = 16>
!out    = !titan.tensor_map<im2col 8x32xf32, lower = [0], upper = [0]>
!tile   = !titan.shared<32x64xbf16, swizzle = 128>
!flat   = !titan.shared<64x8xbf16>
!row    = !titan.shared<8x32xf32>
!bar    = !titan.mbarrier
#lanes  = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [1, 1]>

titan.kernel @k(%X: !X, %S: !S, %Y: !Y, %r: i64) warps(1) launch {
  %c1 = arith.constant 1 : index
  %p = titan.tensor_map %X : !X -> !pixels
  %s = titan.tensor_map %S : !S -> !slices
  %o = titan.tensor_map %Y : !Y -> !out
  titan.launch grid(%c1) with(%p, %s, %o : !pixels, !slices, !out)
} body(%pixels: !pixels, %slices: !slices, %o: !out) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %bytes = arith.constant 5120 : i32
  %filter = arith.index_cast %r : i64 to index
  %tile = titan.shared.alloc : !tile
  %flat = titan.shared.alloc : !flat
  %row = titan.shared.alloc : !row
  %bar = titan.mbarrier.alloc : !bar
  %z = titan.splat %zero : f32 -> tensor<8x32xf32, #lanes>
  titan.shared.store %z, %row : tensor<8x32xf32, #lanes>, !row
  titan.fence.proxy_async shared_cta
  titan.syncwarp
  titan.elect {
    titan.mbarrier.init %bar count(1) : !bar
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %bar, %bytes : !bar
    titan.tma.load %pixels[%c0, %c1, %c0, %c0] offsets[%filter, %c1], %tile, %bar : !pixels, !tile, !bar
    titan.tma.load %slices[%c0, %c1, %c1, %c1], %flat, %bar : !slices, !flat, !bar
    titan.mbarrier.wait %bar parity(%i0) : !bar
    titan.tma.store %row, %o[%c0, %c0, %c0] : !row, !out
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g : !titan.token<bulk>
    titan.tma.reduce add %row, %o[%c1, %c0, %c0] : !row, !out
    %h = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %h : !titan.token<bulk>
  }
  titan.return
}
