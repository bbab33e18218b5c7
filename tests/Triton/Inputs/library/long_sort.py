"""Rows in order, and the largest of each: tl.sort and tl.topk of rows longer than a warp's registers."""
import triton
import triton.language as tl

import titan
from definitions import check, f32, numbers


@triton.jit
def long_sort_kernel(x_ptr, y_ptr, t_ptr, n, BLOCK: tl.constexpr, TOP: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + offsets, mask=offsets < n, other=float("inf"))
    tl.store(y_ptr + row * n + offsets, tl.sort(x), mask=offsets < n)
    high = tl.where(offsets < n, x, -float("inf"))
    tl.store(t_ptr + row * TOP + tl.arange(0, TOP), tl.topk(high, TOP))


if __name__ == "__main__":
    R, n, top = 3, 233, 8
    x = numbers(51, R, n)
    y, t = titan.empty((R, n)), titan.empty((R, top))
    long_sort_kernel[(R, )](f32(x), y, t, n, BLOCK=256, TOP=top)
    check("long sort", y.tolist(), [sorted(row) for row in x], 0)
    check("long top", t.tolist(), [sorted(row, reverse=True)[:top] for row in x], 0)
