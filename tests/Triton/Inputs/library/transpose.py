"""A matrix transposed by blocks."""
import triton
import triton.language as tl

import titan
from definitions import check, f32, numbers


@triton.jit
def transpose_kernel(x_ptr, y_ptr, rows, columns, BR: tl.constexpr, BC: tl.constexpr):
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    mask = (r[:, None] < rows) & (c[None, :] < columns)
    x = tl.load(x_ptr + r[:, None] * columns + c[None, :], mask=mask)
    tl.store(y_ptr + c[:, None] * rows + r[None, :], tl.trans(x), mask=tl.trans(mask))


if __name__ == "__main__":
    M, N = 37, 51
    x, y = numbers(12, M, N), titan.empty((N, M))
    transpose_kernel[(triton.cdiv(M, 16), triton.cdiv(N, 32))](f32(x), y, M, N, BR=16, BC=32)
    check("transpose", y.tolist(), list(map(list, zip(*x))), 0)
