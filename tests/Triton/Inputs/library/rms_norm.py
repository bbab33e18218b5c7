"""Root mean square norm of rows; the weight's gradient by atomics."""
import math

import triton
import triton.language as tl

import titan
from definitions import check, f32, numbers


@triton.jit
def rms_norm_kernel(x_ptr, w_ptr, y_ptr, r_ptr, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n
    x = tl.load(x_ptr + row * stride + columns, mask=mask, other=0.0)
    w = tl.load(w_ptr + columns, mask=mask)
    r = tl.rsqrt(tl.sum(x * x, axis=0) / n + eps)
    tl.store(r_ptr + row, r)
    tl.store(y_ptr + row * stride + columns, x * r * w, mask=mask)


@triton.jit
def rms_norm_weight_kernel(x_ptr, dy_ptr, r_ptr, dw_ptr, stride, n, rows, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    mask = columns < n
    sum = tl.zeros([BLOCK], dtype=tl.float32)
    for i in range(ROWS):
        row = tl.program_id(0) * ROWS + i
        inside = mask & (row < rows)
        x = tl.load(x_ptr + row * stride + columns, mask=inside, other=0.0)
        dy = tl.load(dy_ptr + row * stride + columns, mask=inside, other=0.0)
        r = tl.load(r_ptr + row, mask=row < rows, other=0.0)
        sum += dy * x * r
    tl.atomic_add(dw_ptr + columns, sum, mask=mask)


if __name__ == "__main__":
    M, N = 13, 75
    x, w, dy = numbers(1, M, N), numbers(2, N), numbers(3, M, N)
    X = f32(x)
    y, r, dw = titan.empty((M, N)), titan.empty(M), titan.zeros(N)
    rms_norm_kernel[(M, )](X, f32(w), y, r, N, N, 1e-6, BLOCK=128)
    rms_norm_weight_kernel[(triton.cdiv(M, 4), )](X, f32(dy), r, dw, N, N, M, ROWS=4, BLOCK=128)
    rs = [1 / math.sqrt(math.fsum(v * v for v in row) / N + 1e-6) for row in x]
    check("rms_norm", y.tolist(), [[v * s * ww for v, ww in zip(row, w)] for row, s in zip(x, rs)], 1e-5)
    check("rms_norm dw", dw.tolist(), [math.fsum(dy[i][j] * x[i][j] * rs[i] for i in range(M)) for j in range(N)], 1e-5)
