// RUN: titan-opt %s | titan-opt | FileCheck %s
// RUN: titan-opt %s --mlir-print-op-generic | titan-opt | FileCheck %s
// RUN: titan explain effects %s | FileCheck %s --check-prefix=EFFECTS

#row = #titan.blocked<elements = [1, 2], lanes = [4, 8], warps = [1, 1]>
#word = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [1, 1]>
!view = !titan.shared<4x16xf32>
!bar = !titan.mbarrier

// CHECK: attributes {titan.programmatic = ["W"]}
titan.kernel @all(%W: !titan.global<?xf32>) warps(1) attributes {titan.programmatic = ["W"]} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %a = titan.shared.alloc : !view
  %full = titan.mbarrier.alloc : !bar
  %x = arith.constant 1.0 : f32
  %n = arith.constant 1 : i32
  %tile = arith.constant dense<1.0> : tensor<4x16xf32, #row>
  // CHECK: titan.griddepcontrol.wait
  // EFFECTS: wait for the end of the grids before this one  [PTX ISA, griddepcontrol]
  titan.griddepcontrol.wait
  // CHECK: titan.griddepcontrol.launch_dependents
  // EFFECTS: let the grids after this one begin
  titan.griddepcontrol.launch_dependents
  // CHECK: %{{.*}} = titan.inline_ptx "prmt.b32 $0, $1, $2, 0x5410;"(%{{.*}}, %{{.*}}) pure : (i32, i32) -> i32
  %p = titan.inline_ptx "prmt.b32 $0, $1, $2, 0x5410;"(%n, %n) pure : (i32, i32) -> i32
  // CHECK: %{{.*}}:2 = titan.inline_ptx "mov.b32 $0, $2; mov.b32 $1, $2;"(%{{.*}}) pure : (i32) -> (i32, i32)
  %q:2 = titan.inline_ptx "mov.b32 $0, $2; mov.b32 $1, $2;"(%n) pure : (i32) -> (i32, i32)
  // CHECK: titan.inline_ptx "rcp.approx.ftz.f32 $0, $1;"(%{{.*}}) pure reference(@inverse) : (tensor<4x16xf32, #{{.*}}>) -> tensor<4x16xf32, #{{.*}}>
  %r = titan.inline_ptx "rcp.approx.ftz.f32 $0, $1;"(%tile) pure reference(@inverse)
      : (tensor<4x16xf32, #row>) -> tensor<4x16xf32, #row>
  // CHECK: titan.inline_ptx "st.shared.f32 [$0], $1;"(%{{.*}}, %{{.*}}) does [#titan.ptx<write 0>] : (!titan.shared<4x16xf32>, f32) -> ()
  // EFFECTS: write possibly all of %a, generic proxy, at issue  [titan.inline_ptx, as declared]
  titan.inline_ptx "st.shared.f32 [$0], $1;"(%a, %x) does [#titan.ptx<write 0>] : (!view, f32) -> ()
  // CHECK: does [#titan.ptx<read 0, async>, #titan.ptx<arrive 1, 2>, #titan.ptx<fence acq_rel, gpu>, #titan.ptx<fence_proxy_async>]
  // EFFECTS: read possibly all of %a, async proxy
  // EFFECTS: arrive 2 on %full
  // EFFECTS: fence, .acq_rel.gpu
  // EFFECTS: fence.proxy.async
  titan.inline_ptx "..."(%a, %full) does [#titan.ptx<read 0, async>, #titan.ptx<arrive 1, 2>,
      #titan.ptx<fence acq_rel, gpu>, #titan.ptx<fence_proxy_async>] : (!view, !bar) -> ()
  // CHECK: titan.inline_ptx "nanosleep.u32 100;"() opaque : () -> ()
  // EFFECTS: something that is not declared
  titan.inline_ptx "nanosleep.u32 100;"() opaque : () -> ()
  // CHECK: titan.bitcast %{{.*}} : tensor<4x8xi32, #{{.*}}> -> tensor<4x16xf16, #{{.*}}>
  %w = arith.constant dense<1> : tensor<4x8xi32, #word>
  %h = titan.bitcast %w : tensor<4x8xi32, #word> -> tensor<4x16xf16, #row>
  titan.return
}

func.func private @inverse(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %y = arith.divf %one, %x : f32
  return %y : f32
}
