// REQUIRES: ptxas
// Of a kernel of which ptxas takes a few registers more than a thread may have for another CTA of the multiprocessor, fewer are asked for
// (lib/Conversion/Occupancy.h). The backward pass of RMS norm, rows of 4096: 53 registers a thread, CTAs of 8 warps, of which four fit in, and of 48 five.
// RUN: rm -rf %t && split-file %s %t && chmod +x %t/assembler
// RUN: titan compile %t/rms.ttir --num-warps 8 --check=off -o %t/rms.titanpkg
// RUN: %python %t/asked.py %t/rms.titanpkg | FileCheck %s
// CHECK: 5 CTAs asked for, of 48 registers and 0 bytes of stack a thread
// The package is the same each time.
// RUN: titan compile %t/rms.ttir --num-warps 8 --check=off -o %t/again.titanpkg && cmp %t/rms.titanpkg %t/again.titanpkg

// Who says how many registers is given those. The text in front of the assembler asks for nothing.
// RUN: titan compile %t/rms.ttir --num-warps 8 --check=off --maxnreg 56 -o %t/given.titanpkg
// RUN: %python %t/asked.py %t/given.titanpkg | FileCheck %s --check-prefix=GIVEN
// GIVEN: 1 CTAs asked for, of {{5[0-6]}} registers
// RUN: titan compile %t/rms.ttir --num-warps 8 --check=off --emit=ptx -o - | FileCheck %s --check-prefix=TEXT
// TEXT-NOT: .minnctapersm

// What spills is left as it was: this assembler makes of five CTAs six, for which 40 registers are too few. And so is what is refused.
// RUN: env TITAN_PTXAS=%t/assembler SIX=6 titan compile %t/rms.ttir --num-warps 8 --check=off -o %t/six.titanpkg
// RUN: %python %t/asked.py %t/six.titanpkg | FileCheck %s --check-prefix=LEFT
// RUN: env TITAN_PTXAS=%t/assembler SIX=no titan compile %t/rms.ttir --num-warps 8 --check=off -o %t/no.titanpkg
// RUN: %python %t/asked.py %t/no.titanpkg | FileCheck %s --check-prefix=LEFT
// LEFT: 0 CTAs asked for, of 53 registers and 0 bytes of stack a thread
//--- asked.py
import json
import re
import subprocess
import sys

[kernel] = json.loads(subprocess.run(["titan", "inspect", sys.argv[1], "--json"], capture_output=True, check=True).stdout)["kernels"]
asked = re.search(rb"\n\.minnctapersm (\d+)", open(sys.argv[1], "rb").read())
took = kernel["resources"]
print(asked[1].decode() if asked else 0, "CTAs asked for, of", took["registers"], "registers and", took["stack"], "bytes of stack a thread")
//--- assembler
#!/bin/sh
ptxas=ptxas
command -v ptxas > /dev/null || ptxas=/usr/local/cuda/bin/ptxas
for word; do case $word in *.ptx) file=$word;; esac; done
sed -i "s/^.minnctapersm .*/.minnctapersm $SIX/" "$file"
exec $ptxas "$@"
//--- rms.ttir
module {
  tt.func public @rms_norm_backward_kernel(%dy_ptr: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %x_ptr: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %weight_ptr: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %dx_ptr: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %n_cols: i32 {tt.divisibility = 16 : i32}, %eps: f32) attributes {noinline = false} {
    %cst = arith.constant dense<0.000000e+00> : tensor<4096xbf16>
    %row = tt.get_program_id x : i32
    %row_0 = arith.extsi %row : i32 to i64
    %columns = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32>
    %mask = tt.splat %n_cols : i32 -> tensor<4096xi32>
    %mask_1 = arith.cmpi slt, %columns, %mask : tensor<4096xi32>
    %at = arith.extsi %n_cols : i32 to i64
    %at_2 = arith.muli %row_0, %at : i64
    %at_3 = arith.extsi %columns : tensor<4096xi32> to tensor<4096xi64>
    %at_4 = tt.splat %at_2 : i64 -> tensor<4096xi64>
    %at_5 = arith.addi %at_4, %at_3 : tensor<4096xi64>
    %x = tt.splat %x_ptr : !tt.ptr<bf16> -> tensor<4096x!tt.ptr<bf16>>
    %x_6 = tt.addptr %x, %at_5 : tensor<4096x!tt.ptr<bf16>>, tensor<4096xi64>
    %x_7 = tt.load %x_6, %mask_1, %cst : tensor<4096x!tt.ptr<bf16>>
    %x_8 = arith.extf %x_7 : tensor<4096xbf16> to tensor<4096xf32>
    %m = tt.splat %dy_ptr : !tt.ptr<bf16> -> tensor<4096x!tt.ptr<bf16>>
    %m_9 = tt.addptr %m, %at_5 : tensor<4096x!tt.ptr<bf16>>, tensor<4096xi64>
    %m_10 = tt.load %m_9, %mask_1, %cst : tensor<4096x!tt.ptr<bf16>>
    %m_11 = arith.extf %m_10 : tensor<4096xbf16> to tensor<4096xf32>
    %m_12 = tt.splat %weight_ptr : !tt.ptr<bf16> -> tensor<4096x!tt.ptr<bf16>>
    %m_13 = tt.addptr %m_12, %columns : tensor<4096x!tt.ptr<bf16>>, tensor<4096xi32>
    %m_14 = tt.load %m_13, %mask_1, %cst : tensor<4096x!tt.ptr<bf16>>
    %m_15 = arith.extf %m_14 : tensor<4096xbf16> to tensor<4096xf32>
    %m_16 = arith.mulf %m_11, %m_15 : tensor<4096xf32>
    %scale = arith.mulf %x_8, %x_8 : tensor<4096xf32>
    %scale_17 = "tt.reduce"(%scale) <{axis = 0 : i32}> ({
    ^bb0(%scale_32: f32, %scale_33: f32):
      %scale_34 = arith.addf %scale_32, %scale_33 : f32
      tt.reduce.return %scale_34 : f32
    }) : (tensor<4096xf32>) -> f32
    %scale_18 = arith.sitofp %n_cols : i32 to f32
    %scale_19 = arith.divf %scale_17, %scale_18 : f32
    %scale_20 = arith.addf %scale_19, %eps : f32
    %scale_21 = math.rsqrt %scale_20 : f32
    %dx = tt.splat %scale_21 : f32 -> tensor<4096xf32>
    %dx_22 = arith.mulf %dx, %m_16 : tensor<4096xf32>
    %dx_23 = arith.mulf %scale_21, %scale_21 : f32
    %dx_24 = arith.mulf %dx_23, %scale_21 : f32
    %dx_25 = arith.divf %dx_24, %scale_18 : f32
    %dx_26 = arith.mulf %m_16, %x_8 : tensor<4096xf32>
    %dx_27 = "tt.reduce"(%dx_26) <{axis = 0 : i32}> ({
    ^bb0(%dx_32: f32, %dx_33: f32):
      %dx_34 = arith.addf %dx_32, %dx_33 : f32
      tt.reduce.return %dx_34 : f32
    }) : (tensor<4096xf32>) -> f32
    %dx_28 = arith.mulf %dx_25, %dx_27 : f32
    %dx_29 = tt.splat %dx_28 : f32 -> tensor<4096xf32>
    %dx_30 = arith.mulf %dx_29, %x_8 : tensor<4096xf32>
    %dx_31 = arith.subf %dx_22, %dx_30 : tensor<4096xf32>
    %0 = tt.splat %dx_ptr : !tt.ptr<bf16> -> tensor<4096x!tt.ptr<bf16>>
    %1 = tt.addptr %0, %at_5 : tensor<4096x!tt.ptr<bf16>>, tensor<4096xi64>
    %2 = arith.truncf %dx_31 : tensor<4096xf32> to tensor<4096xbf16>
    tt.store %1, %2, %mask_1 : tensor<4096x!tt.ptr<bf16>>
    tt.return
  }
}
