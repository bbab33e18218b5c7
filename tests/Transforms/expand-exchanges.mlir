// RUN: titan-opt %s --pass-pipeline='builtin.module(titan.kernel(titan-expand-exchanges))' | FileCheck %s
//
// Between warps: stores, a barrier, loads.

#rows = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [4, 1]>
#columns = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [1, 4]>
#wide = #titan.wgmma<1, 2>

// CHECK-LABEL: titan.kernel @through
// Eight elements of 16 bits a vector: the chunks of rows are swizzled over the banks.
// CHECK: %[[SCRATCH:.*]] = titan.shared.alloc
// CHECK: %[[LINE:.*]] = titan.relabel {{.*}} -> tensor<8192xbf16, #titan.layout<"reg: 8*i1
// CHECK-NEXT: titan.shared.store %[[LINE]], %[[SCRATCH]]
// CHECK-NEXT: titan.barrier.sync 2 threads(128)
// CHECK-NEXT: %[[LOADED:.*]] = titan.shared.load %[[SCRATCH]] {{.*}} -> tensor<8192xbf16, #titan.layout<"reg: 8*i1
// CHECK-NEXT: titan.relabel %[[LOADED]]
// CHECK-NOT: through
titan.kernel @through(%A: !titan.global<?x?xbf16>) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %one = arith.constant 1.0 : bf16
  %scratch = titan.shared.alloc : !titan.shared<8192xbf16>
  %x = titan.splat %one : bf16 -> tensor<64x128xbf16, #rows>
  %y = titan.convert_layout %x through %scratch barrier(2) threads(128) : tensor<64x128xbf16, #rows>, !titan.shared<8192xbf16> -> tensor<64x128xbf16, #columns>
  titan.return
}

// CHECK-LABEL: titan.kernel @rows
// Each warp's part, then the two parts; of a longer scratch as much as is needed.
// CHECK: titan.reduce add {{.*}} : tensor<64x2x64xf32, {{.*}}> -> tensor<64x2xf32,
// CHECK: titan.shared.view {{.*}} -> <128xf32>
// CHECK: titan.shared.store
// CHECK-NEXT: titan.cta_sync
// CHECK-NEXT: titan.shared.load
// CHECK: titan.reduce add {{.*}} : tensor<64x2xf32, {{.*}}> -> tensor<64xf32,
// CHECK: titan.broadcast {{.*}} -> tensor<64x128xf32, #titan.wgmma<1, 2>>
titan.kernel @rows(%A: !titan.global<?x?xf32>) warps(8) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %one = arith.constant 1.0 : f32
  %scratch = titan.shared.alloc : !titan.shared<200xf32>
  %x = titan.splat %one : f32 -> tensor<64x128xf32, #wide>
  %y = titan.reduce add %x through %scratch : tensor<64x128xf32, #wide>, !titan.shared<200xf32> -> tensor<64x128xf32, #wide>
  titan.return
}

// CHECK-LABEL: titan.kernel @scan
// Blocks of 32 columns, their last elements, which go to all warps; two steps for four blocks.
// CHECK: titan.scan add {{.*}} dimension(2) : tensor<64x4x32xf32,
// CHECK: titan.gather {{.*}} dimension(2) : tensor<64x4x32xf32, {{.*}} -> tensor<64x4x1xf32,
// CHECK: titan.shared.store {{.*}}, <256xf32>
// CHECK-NEXT: titan.barrier.sync 1 threads(128)
// CHECK-NEXT: titan.shared.load
// CHECK-COUNT-2: arith.select {{.*}}, tensor<64x4x32xf32,
// CHECK-NOT: arith.select {{.*}}, tensor<64x4x32xf32,
// CHECK: titan.relabel {{.*}} -> tensor<64x128xf32, #titan.blocked
titan.kernel @scan(%A: !titan.global<?x?xf32>) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %one = arith.constant 1.0 : f32
  %scratch = titan.shared.alloc : !titan.shared<256xf32>
  %x = titan.splat %one : f32 -> tensor<64x128xf32, #columns>
  %y = titan.scan add %x dimension(1) through %scratch barrier(1) threads(128) : tensor<64x128xf32, #columns>, !titan.shared<256xf32>
  titan.return
}

// CHECK-LABEL: titan.kernel @gather
// Each warp gets the rows whole, four times as many registers of them.
// CHECK: titan.shared.store {{.*}} tensor<8192xf32,
// CHECK-NEXT: titan.cta_sync
// CHECK-NEXT: titan.shared.load
// CHECK: titan.gather {{.*}} dimension(1) : tensor<64x128xf32, #titan.layout<{{.*}} warp: 4*rep{{.*}}, tensor<64x128xi32
// CHECK-NOT: through
titan.kernel @gather(%A: !titan.global<?x?xf32>) warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %one = arith.constant 1.0 : f32
  %scratch = titan.shared.alloc : !titan.shared<8192xf32>
  %x = titan.splat %one : f32 -> tensor<64x128xf32, #columns>
  %i = titan.coordinate 0 : tensor<64x128xi32, #columns>
  %y = titan.gather %x[%i] dimension(1) through %scratch : tensor<64x128xf32, #columns>, tensor<64x128xi32, #columns>, !titan.shared<8192xf32> -> tensor<64x128xf32, #columns>
  titan.return
}
