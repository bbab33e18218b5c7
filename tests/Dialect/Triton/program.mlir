// The operations are printed as they stand here, which is how Triton 3.6 prints them.
// RUN: titan-opt %s | diff - <(grep -v '^//' %s; echo)
module {
  tt.func public @kernel(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: i32) attributes {noinline = false} {
    %0 = tt.get_program_id x : i32
    %1 = tt.get_num_programs z : i32
    %2:2 = tt.call @pair(%0, %1) : (i32, i32) -> (i32, i32)
    %3 = arith.cmpi slt, %2#0, %2#1 : i32
    llvm.intr.assume %3 : i1
    tt.assert %3, "wrong order" : i1
    tt.print " pid " {hex = false, isSigned = array<i32: 1, 1>} : %0, %1 : i32, i32
    tt.print " here" {hex = true, isSigned = array<i32>}
    gpu.barrier
    scf.for %arg2 = %0 to %1 step %0  : i32 {
      tt.print "in" {hex = false, isSigned = array<i32: 1>} : %arg2 : i32
    } {tt.disallow_acc_multi_buffer, tt.flatten, tt.loop_unroll_factor = 2 : i32, tt.num_stages = 3 : i32, tt.warp_specialize}
    tt.return
  }
  tt.func private @pair(%arg0: i32, %arg1: i32) -> (i32, i32) attributes {noinline = true} {
    tt.return %arg1, %arg0 : i32, i32
  }
  tt.func private @declared(f32) -> f32
  tt.func @foreign(%arg0: tensor<8xf32>, %arg1: tensor<8xi32>) {
    %0 = tt.extern_elementwise %arg0, %arg0 {libname = "", libpath = "", pure = true, symbol = "__nv_powf"} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %1 = tt.elementwise_inline_asm "add.s32 $0, $1, $2;" {constraints = "=r,r,r", packed_element = 1 : i32, pure = true} %arg1, %arg1 : tensor<8xi32>, tensor<8xi32> -> tensor<8xi32>
    %2:2 = tt.elementwise_inline_asm "mov.b32 $0, $2; mov.b32 $1, $2;" {constraints = "=r,=r,r", packed_element = 1 : i32, pure = false} %arg1 : tensor<8xi32> -> tensor<8xi32>, tensor<8xf32>
    tt.return
  }
}
