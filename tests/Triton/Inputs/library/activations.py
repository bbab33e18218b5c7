"""Activations and gates, forward and backward; a bias, dropout and a residual in one; a binary cross entropy."""
import math

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def gelu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
    y = 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))
    tl.store(y_ptr + offsets, y.to(y_ptr.dtype.element_ty), mask=mask)


@triton.jit
def gelu_backward_kernel(dy_ptr, x_ptr, dx_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
    dy = tl.load(dy_ptr + offsets, mask=mask).to(tl.float32)
    below = 0.5 * (1.0 + tl.erf(x * 0.7071067811865476))
    density = 0.3989422804014327 * tl.exp(-0.5 * x * x)
    tl.store(dx_ptr + offsets, (dy * (below + x * density)).to(dx_ptr.dtype.element_ty), mask=mask)


@triton.jit
def geglu_kernel(ab_ptr, c_ptr, n_cols, BLOCK: tl.constexpr):
    # Both halves lie side by side in a row.
    row = tl.program_id(0).to(tl.int64)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = columns < n_cols
    a = tl.load(ab_ptr + row * 2 * n_cols + columns, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(ab_ptr + row * 2 * n_cols + n_cols + columns, mask=mask, other=0.0).to(tl.float32)
    gate = 0.5 * a * (1.0 + libdevice.tanh(0.7978845608028654 * (a + 0.044715 * a * a * a)))
    tl.store(c_ptr + row * n_cols + columns, (gate * b).to(c_ptr.dtype.element_ty), mask=mask)


@triton.jit
def swiglu_backward_kernel(dc_ptr, a_ptr, b_ptr, n_cols, BLOCK: tl.constexpr):
    # Inputs become their gradients in place.
    row = tl.program_id(0).to(tl.int64)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = columns < n_cols
    at = row * n_cols + columns
    dc = tl.load(dc_ptr + at, mask=mask, other=0.0).to(tl.float32)
    a = tl.load(a_ptr + at, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + at, mask=mask, other=0.0).to(tl.float32)
    sigmoid = tl.sigmoid(a)
    silu = a * sigmoid
    tl.store(a_ptr + at, (dc * b * (sigmoid + silu * (1 - sigmoid))).to(a_ptr.dtype.element_ty), mask=mask)
    tl.store(b_ptr + at, (dc * silu).to(b_ptr.dtype.element_ty), mask=mask)


@triton.jit
def mish_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
    softplus = tl.where(x > 20.0, x, libdevice.log1p(tl.exp(x)))
    tl.store(y_ptr + offsets, (x * libdevice.tanh(softplus)).to(y_ptr.dtype.element_ty), mask=mask)


@triton.jit
def bias_dropout_residual_kernel(x_ptr, bias_ptr, residual_ptr, y_ptr, n_cols, p, seed, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n_cols
    at = row * n_cols + columns
    x = tl.load(x_ptr + at, mask=mask, other=0.0).to(tl.float32)
    bias = tl.load(bias_ptr + columns, mask=mask, other=0.0).to(tl.float32)
    residual = tl.load(residual_ptr + at, mask=mask, other=0.0).to(tl.float32)
    keep = tl.rand(seed, at) >= p
    y = residual + tl.where(keep, (x + bias) / (1.0 - p), 0.0)
    tl.store(y_ptr + at, y.to(y_ptr.dtype.element_ty), mask=mask)


@triton.jit
def bce_kernel(x_ptr, t_ptr, loss_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    t = tl.load(t_ptr + offsets, mask=mask, other=0.0)
    tl.store(loss_ptr + offsets, tl.maximum(x, 0.0) - x * t + libdevice.log1p(tl.exp(-tl.abs(x))), mask=mask)


if __name__ == "__main__":
    import titan
    from definitions import check, f32, numbers

    n = 1003
    x, dy, t = numbers(21, n, low=-4, high=4), numbers(22, n), numbers(23, n, low=0, high=1)
    y, dx, m, loss = (titan.empty(n) for _ in range(4))
    grid = (triton.cdiv(n, 256), )
    gelu_kernel[grid](f32(x), y, n, BLOCK=256)
    check("gelu", y.tolist(), [0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in x], 2e-6)
    gelu_backward_kernel[grid](f32(dy), f32(x), dx, n, BLOCK=256)
    check("gelu backward", dx.tolist(), [d * (0.5 * (1 + math.erf(v / math.sqrt(2))) + v * math.exp(-v * v / 2) / math.sqrt(
        2 * math.pi)) for v, d in zip(x, dy)], 2e-6)
    mish_kernel[grid](f32(x), m, n, BLOCK=256)
    check("mish", m.tolist(), [v * math.tanh(math.log1p(math.exp(v))) for v in x], 2e-6)
    bce_kernel[grid](f32(x), f32(t), loss, n, BLOCK=256)
    check("bce", loss.tolist(), [-math.log(1 / (1 + math.exp(-v))) * w - math.log(1 / (1 + math.exp(v))) * (1 - w)
                                 for v, w in zip(x, t)], 2e-6)

    M, N = 5, 300
    a, b, dc = numbers(24, M, N, low=-3, high=3), numbers(25, M, N), numbers(26, M, N)
    c = titan.empty((M, N))
    geglu_kernel[(M, triton.cdiv(N, 128))](f32([r + s for r, s in zip(a, b)]), c, N, BLOCK=128)
    check("geglu", c.tolist(), [[0.5 * v * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3))) * w
                                 for v, w in zip(*rows)] for rows in zip(a, b)], 2e-6)
    A, B = f32(a), f32(b)
    swiglu_backward_kernel[(M, triton.cdiv(N, 128))](f32(dc), A, B, N, BLOCK=128)
    s = [[1 / (1 + math.exp(-v)) for v in row] for row in a]
    check("swiglu backward a", A.tolist(), [[d * w * (g + v * g * (1 - g)) for v, w, d, g in zip(*rows)]
                                            for rows in zip(a, b, dc, s)], 2e-6)
    check("swiglu backward b", B.tolist(), [[d * v * g for v, d, g in zip(*rows)] for rows in zip(a, dc, s)], 2e-6)
    # What is kept is kept with its bias, twice as large, and about half is.
    bias, residual, out = numbers(27, N), numbers(28, M, N), titan.empty((M, N))
    bias_dropout_residual_kernel[(M, )](f32(a), f32(bias), f32(residual), out, N, 0.5, 77, BLOCK=512)
    found, kept = out.tolist(), 0
    for i in range(M):
        for j in range(N):
            dropped = abs(found[i][j] - residual[i][j]) < 1e-6
            kept += not dropped
            found[i][j] -= 0 if dropped else 2 * (a[i][j] + bias[j])
    assert 0.4 < kept / (M * N) < 0.6, kept
    check("bias dropout residual", found, residual, 1e-5)
