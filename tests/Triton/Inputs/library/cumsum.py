"""Sums of all before, along rows by blocks with a carry."""
import itertools

import triton
import triton.language as tl

import titan
from definitions import check, f32, numbers


@triton.jit
def cumsum_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    carry = 0.0
    for at in range(0, n, BLOCK):
        columns = at + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + columns, mask=columns < n, other=0.0)
        tl.store(y_ptr + row * n + columns, tl.cumsum(x, axis=0) + carry, mask=columns < n)
        carry += tl.sum(x)


if __name__ == "__main__":
    M, N = 5, 77
    x, y = numbers(11, M, N), titan.empty((M, N))
    cumsum_kernel[(M, )](f32(x), y, N, BLOCK=16)
    check("cumsum", y.tolist(), [list(itertools.accumulate(row)) for row in x], 1e-5)
