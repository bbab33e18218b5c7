"""Softmax and its relatives: backward, logarithm, causal, divergences, and a cross entropy's gradient."""
import math

import triton
import triton.language as tl


@triton.jit
def softmax_backward_kernel(dy_ptr, y_ptr, dx_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    mask = columns < n_cols
    at = row * n_cols + columns
    y = tl.load(y_ptr + at, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(dy_ptr + at, mask=mask, other=0.0).to(tl.float32)
    dx = y * (dy - tl.sum(y * dy, axis=0))
    tl.store(dx_ptr + at, dx.to(dx_ptr.dtype.element_ty), mask=mask)


@triton.jit
def log_softmax_kernel(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    mask = columns < n_cols
    x = tl.load(x_ptr + row * n_cols + columns, mask=mask, other=-float("inf")).to(tl.float32)
    x -= tl.max(x, axis=0)
    y = x - tl.log(tl.sum(tl.exp(x), axis=0))
    tl.store(y_ptr + row * n_cols + columns, y.to(y_ptr.dtype.element_ty), mask=mask)


@triton.jit
def causal_softmax_kernel(s_ptr, p_ptr, n, scale, BLOCK: tl.constexpr):
    # Row i of a head sees columns 0 to i.
    row = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    at = (head * n + row) * n + columns
    s = tl.load(s_ptr + at, mask=columns <= row, other=-float("inf")).to(tl.float32) * scale
    p = tl.exp(s - tl.max(s, axis=0))
    p = p / tl.sum(p, axis=0)
    tl.store(p_ptr + at, p.to(p_ptr.dtype.element_ty), mask=columns < n)


@triton.jit
def kl_divergence_kernel(log_p_ptr, q_ptr, loss_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for start in range(0, n_cols, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        mask = columns < n_cols
        log_p = tl.load(log_p_ptr + row * n_cols + columns, mask=mask, other=0.0)
        q = tl.load(q_ptr + row * n_cols + columns, mask=mask, other=0.0)
        total += tl.sum(tl.where(q > 0.0, q * (tl.log(tl.where(q > 0.0, q, 1.0)) - log_p), 0.0), axis=0)
    tl.store(loss_ptr + row, total)


@triton.jit
def smoothed_gradient_kernel(x_ptr, target_ptr, dx_ptr, n_cols, smoothing, BLOCK: tl.constexpr):
    # Of a cross entropy with smoothed labels; rows whose target is negative are left out.
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    mask = columns < n_cols
    target = tl.load(target_ptr + row)
    x = tl.load(x_ptr + row * n_cols + columns, mask=mask, other=-float("inf")).to(tl.float32)
    p = tl.exp(x - tl.max(x, axis=0))
    dx = p / tl.sum(p, axis=0) - smoothing / n_cols
    dx = tl.where(columns == target, dx - (1.0 - smoothing), dx)
    dx = tl.where(target < 0, 0.0, dx)
    tl.store(dx_ptr + row * n_cols + columns, dx.to(dx_ptr.dtype.element_ty), mask=mask)


if __name__ == "__main__":
    import array

    import titan
    from definitions import check, f32, numbers

    def softmax(row):
        high = max(row)
        powers = [math.exp(v - high) for v in row]
        return [p / math.fsum(powers) for p in powers]

    M, N = 6, 70
    x, dy = numbers(41, M, N, low=-4, high=4), numbers(42, M, N)
    y = [softmax(row) for row in x]
    dx, logs, loss = titan.empty((M, N)), titan.empty((M, N)), titan.empty(M)
    softmax_backward_kernel[(M, )](f32(dy), f32(y), dx, N, BLOCK=128)
    check("softmax backward", dx.tolist(), [[p * (d - math.fsum(a * b for a, b in zip(p_row, d_row))) for p, d in zip(p_row, d_row)]
                                            for p_row, d_row in zip(y, dy)], 1e-5)
    log_softmax_kernel[(M, )](f32(x), logs, N, BLOCK=128)
    log_y = [[math.log(p) for p in row] for row in y]
    check("log softmax", logs.tolist(), log_y, 1e-5)
    q = [softmax(row) for row in dy]
    q[2][5:9] = [0.0] * 4
    kl_divergence_kernel[(M, )](f32(log_y), f32(q), loss, N, BLOCK=32)
    check("kl divergence", loss.tolist(), [math.fsum(a * (math.log(a) - b) for a, b in zip(*rows) if a) for rows in zip(q, log_y)],
          1e-5)
    H, S = 2, 37
    s, p = numbers(43, H, S, S, low=-3, high=3), titan.empty((H, S, S))
    causal_softmax_kernel[(S, H)](f32(s), p, S, 0.125, BLOCK=64)
    check("causal softmax", p.tolist(), [[softmax([v * 0.125 for v in row[:i + 1]]) + [0.0] * (S - 1 - i) for i, row in enumerate(head)]
                                         for head in s], 1e-5)
    targets = [5, -1, 69, 0, 33, 12]
    smoothed_gradient_kernel[(M, )](f32(x), titan.array(array.array("i", targets)), dx, N, 0.1, BLOCK=128)
    check("smoothed gradient", dx.tolist(), [[0.0 if t < 0 else p - 0.1 / N - 0.9 * (j == t) for j, p in enumerate(row)]
                                             for row, t in zip(y, targets)], 1e-5)
