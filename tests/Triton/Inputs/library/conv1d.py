"""A causal convolution of channels of their own along time."""
import triton
import triton.language as tl

import titan
from definitions import check, f32, numbers


@triton.jit
def conv1d_kernel(x_ptr, w_ptr, y_ptr, time, channels, WIDTH: tl.constexpr, BT: tl.constexpr, BC: tl.constexpr):
    t = tl.program_id(0) * BT + tl.arange(0, BT)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    inside = c < channels
    sum = tl.zeros((BT, BC), dtype=tl.float32)
    for i in tl.static_range(WIDTH):
        at = t - (WIDTH - 1 - i)
        mask = (at[:, None] >= 0) & (at[:, None] < time) & inside[None, :]
        x = tl.load(x_ptr + at[:, None] * channels + c[None, :], mask=mask, other=0.0)
        w = tl.load(w_ptr + c * WIDTH + i, mask=inside, other=0.0)
        sum += x * w[None, :]
    tl.store(y_ptr + t[:, None] * channels + c[None, :], sum, mask=(t[:, None] < time) & inside[None, :])


if __name__ == "__main__":
    T, C, W = 30, 20, 4
    x, w = numbers(19, T, C), numbers(20, C, W)
    y = titan.empty((T, C))
    conv1d_kernel[(triton.cdiv(T, 16), triton.cdiv(C, 16))](f32(x), f32(w), y, T, C, WIDTH=W, BT=16, BC=16)
    check("conv1d", y.tolist(), [[sum(x[t - W + 1 + i][c] * w[c][i] for i in range(W) if t - W + 1 + i >= 0)
                                  for c in range(C)] for t in range(T)], 1e-5)
