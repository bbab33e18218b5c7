// REQUIRES: ptxas
// A grouped GEMM that edits its tensor maps on the device.
// RUN: titan compile %examples/programs/gemm_grouped.mlir --emit=ptx -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: ptxas -arch=sm_90a -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS --implicit-check-not="Potential Performance Loss"

// CHECK: tensormap.replace.tile.global_address.shared::cta.b1024.b64
// Dimension 0 of two is ordinal 1.
// CHECK: tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r{{[0-9]+}}], 1, %r
// CHECK: tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned
// CHECK: fence.proxy.tensormap::generic.acquire.gpu [%rd{{[0-9]+}}], 128;
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global

// PTXAS: 0 bytes spill stores, 0 bytes spill loads
