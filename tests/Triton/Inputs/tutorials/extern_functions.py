"""07: a function of the device's library."""
import math

import triton
import triton.language as tl
from triton.language.extra import libdevice

import titan
from definitions import check, f32, numbers


@triton.jit
def asin_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, libdevice.asin(x), mask=mask)


if __name__ == "__main__":
    x = numbers(14, 9843 // 8)
    y = titan.empty(len(x))
    grid = lambda meta: (triton.cdiv(len(x), meta["BLOCK"]), )
    asin_kernel[grid](f32(x), y, len(x), BLOCK=1024)
    check("extern_functions", y.tolist(), [math.asin(v) for v in x], 1e-6)
