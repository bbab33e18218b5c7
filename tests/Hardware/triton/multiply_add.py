# Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A product and a sum, which round once or twice (backend.py)."""
import triton
import triton.language as tl


@triton.jit
def multiply_add(x_ptr, y_ptr, z_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x, y, z = tl.load(x_ptr + i, mask=i < n), tl.load(y_ptr + i, mask=i < n), tl.load(z_ptr + i, mask=i < n)
    tl.store(out_ptr + i, x * y + z, mask=i < n)
