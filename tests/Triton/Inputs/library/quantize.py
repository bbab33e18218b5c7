"""Rows to 8-bit integers with a scale each, and back."""
import triton
import triton.language as tl

import titan
from definitions import check, f32, numbers


@triton.jit
def quantize_kernel(x_ptr, q_ptr, scale_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n
    x = tl.load(x_ptr + row * n + columns, mask=mask, other=0.0)
    scale = tl.maximum(tl.max(tl.abs(x), axis=0), 1e-10) / 127.0
    q = tl.floor(x / scale + 0.5)
    tl.store(q_ptr + row * n + columns, q.to(tl.int8), mask=mask)
    tl.store(scale_ptr + row, scale)


@triton.jit
def dequantize_kernel(q_ptr, scale_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n
    q = tl.load(q_ptr + row * n + columns, mask=mask, other=0)
    tl.store(y_ptr + row * n + columns, q.to(tl.float32) * tl.load(scale_ptr + row), mask=mask)


if __name__ == "__main__":
    M, N = 6, 90
    x = numbers(8, M, N)
    q, scale, y = titan.empty((M, N), "int8"), titan.empty(M), titan.empty((M, N))
    quantize_kernel[(M, )](f32(x), q, scale, N, BLOCK=128)
    dequantize_kernel[(M, )](q, scale, y, N, BLOCK=128)
    check("quantize scale", scale.tolist(), [max(map(abs, row)) / 127 for row in x], 1e-6)
    check("quantize", y.tolist(), x, 0.5 / 127 + 1e-5)
