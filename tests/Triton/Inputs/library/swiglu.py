"""A gate: silu(a) b, in f16, two dimensions of programs."""
import math

import triton
import triton.language as tl

import titan
from definitions import check, f16, halved, numbers


@triton.jit
def swiglu_kernel(a_ptr, b_ptr, c_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = columns < n
    a = tl.load(a_ptr + row * stride + columns, mask=mask, other=0).to(tl.float32)
    b = tl.load(b_ptr + row * stride + columns, mask=mask, other=0)
    tl.store(c_ptr + row * stride + columns, (a * tl.sigmoid(a)).to(tl.float16) * b, mask=mask)


if __name__ == "__main__":
    M, N = 7, 150
    a, b = halved(numbers(4, M, N, low=-3, high=3)), halved(numbers(5, M, N))
    c = titan.empty((M, N), "float16")
    swiglu_kernel[(M, triton.cdiv(N, 64))](f16(a), f16(b), c, N, N, BLOCK=64)
    check("swiglu", c.tolist(), [[u / (1 + math.exp(-u)) * v for u, v in zip(r, s)] for r, s in zip(a, b)], 2e-3)
