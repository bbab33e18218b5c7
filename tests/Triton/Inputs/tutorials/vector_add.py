"""01: z = x + y, a ragged end."""
import triton
import triton.language as tl

import titan
from definitions import check, f32, numbers


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(z_ptr + offsets, x + y, mask=mask)


def add(x, y):
    z = titan.empty(x.shape)
    grid = lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]), )
    add_kernel[grid](x, y, z, x.numel(), BLOCK=1024)
    return z


if __name__ == "__main__":
    n = 9843
    x, y = numbers(1, n), numbers(2, n)
    check("vector_add", add(f32(x), f32(y)).tolist(), [a + b for a, b in zip(x, y)], 1e-6)
