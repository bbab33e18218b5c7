"""Rotary embedding of halves, in place: each program reads and writes its own rows."""
import math

import triton
import triton.language as tl

from definitions import check, f32, numbers


@triton.jit
def rope_kernel(q_ptr, cos_ptr, sin_ptr, stride, heads, D: tl.constexpr, HEADS: tl.constexpr):
    token = tl.program_id(0)
    half = tl.arange(0, D // 2)
    cos = tl.load(cos_ptr + token * (D // 2) + half)
    sin = tl.load(sin_ptr + token * (D // 2) + half)
    head = tl.arange(0, HEADS)
    mask = head[:, None] < heads
    first = q_ptr + token * stride + head[:, None] * D + half[None, :]
    second = first + D // 2
    a = tl.load(first, mask=mask, other=0)
    b = tl.load(second, mask=mask, other=0)
    tl.store(first, a * cos[None, :] - b * sin[None, :], mask=mask)
    tl.store(second, b * cos[None, :] + a * sin[None, :], mask=mask)


if __name__ == "__main__":
    T, H, D = 5, 3, 16
    q = numbers(6, T, H, D)
    angles = [[t / 10000**(2 * i / D) for i in range(D // 2)] for t in range(T)]
    Q = f32(q)
    rope_kernel[(T, )](Q, f32([[math.cos(a) for a in r] for r in angles]), f32([[math.sin(a) for a in r] for r in angles]),
                       H * D, H, D=D, HEADS=4)
    h = D // 2
    check("rope", Q.tolist(), [[[v[i] * math.cos(r[i % h]) + (v[i + h] * -1 if i < h else v[i - h]) * math.sin(r[i % h])
                                 for i in range(D)] for v in token] for token, r in zip(q, angles)], 1e-5)
