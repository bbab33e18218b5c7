"""Norms forward and backward, of rows and of groups, with what is fused into them."""
import math

import triton
import triton.language as tl


@triton.jit
def add_rms_norm_kernel(x_ptr, residual_ptr, weight_ptr, y_ptr, n_cols, eps, BLOCK: tl.constexpr):
    # The sum takes the residual's place.
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    mask = columns < n_cols
    at = row * n_cols + columns
    x = tl.load(x_ptr + at, mask=mask, other=0.0).to(tl.float32)
    x += tl.load(residual_ptr + at, mask=mask, other=0.0).to(tl.float32)
    tl.store(residual_ptr + at, x.to(residual_ptr.dtype.element_ty), mask=mask)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / n_cols + eps)
    weight = tl.load(weight_ptr + columns, mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + at, (x * scale * weight).to(y_ptr.dtype.element_ty), mask=mask)


@triton.jit
def rms_norm_backward_kernel(dy_ptr, x_ptr, weight_ptr, dx_ptr, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    mask = columns < n_cols
    at = row * n_cols + columns
    x = tl.load(x_ptr + at, mask=mask, other=0.0).to(tl.float32)
    m = tl.load(dy_ptr + at, mask=mask, other=0.0).to(tl.float32)
    m *= tl.load(weight_ptr + columns, mask=mask, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / n_cols + eps)
    dx = scale * m - scale * scale * scale / n_cols * tl.sum(m * x, axis=0) * x
    tl.store(dx_ptr + at, dx.to(dx_ptr.dtype.element_ty), mask=mask)


@triton.jit
def group_norm_kernel(x_ptr, weight_ptr, bias_ptr, y_ptr, channels, pixels, eps, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    # Channels of a group follow each other: a program has one group of one image.
    image = tl.program_id(0)
    group = tl.program_id(1)
    first = (image * channels + group * GROUP) * pixels
    count = GROUP * pixels
    total = 0.0
    square = 0.0
    for start in range(0, count, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + first + i, mask=i < count, other=0.0).to(tl.float32)
        total += tl.sum(x, axis=0)
        square += tl.sum(x * x, axis=0)
    mean = total / count
    scale = tl.rsqrt(square / count - mean * mean + eps)
    for start in range(0, count, BLOCK):
        i = start + tl.arange(0, BLOCK)
        mask = i < count
        channel = group * GROUP + i // pixels
        x = tl.load(x_ptr + first + i, mask=mask, other=0.0).to(tl.float32)
        weight = tl.load(weight_ptr + channel, mask=mask, other=0.0)
        bias = tl.load(bias_ptr + channel, mask=mask, other=0.0)
        tl.store(y_ptr + first + i, ((x - mean) * scale * weight + bias).to(y_ptr.dtype.element_ty), mask=mask)


@triton.jit
def _both(mean_a, m2_a, count_a, mean_b, m2_b, count_b):
    # What is known of two parts, of both together.
    count = count_a + count_b
    share = tl.where(count == 0.0, 0.0, count_b / count)
    delta = mean_b - mean_a
    return mean_a + delta * share, m2_a + m2_b + delta * delta * count_a * share, count


@triton.jit
def welford_kernel(x_ptr, mean_ptr, variance_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n_cols
    x = tl.load(x_ptr + row * n_cols + columns, mask=mask, other=0.0)
    mean, m2, count = tl.reduce((x, tl.zeros((BLOCK, ), tl.float32), mask.to(tl.float32)), 0, _both)
    tl.store(mean_ptr + row, mean)
    tl.store(variance_ptr + row, m2 / count)


@triton.jit
def l2_normalize_kernel(x_ptr, y_ptr, rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.arange(0, BLOCK)
    mask = (row[:, None] < rows) & (columns[None, :] < n_cols)
    at = row[:, None] * n_cols + columns[None, :]
    x = tl.load(x_ptr + at, mask=mask, other=0.0).to(tl.float32)
    length = tl.sqrt(tl.sum(x * x, axis=1))
    tl.store(y_ptr + at, (x / tl.maximum(length, 1e-12)[:, None]).to(y_ptr.dtype.element_ty), mask=mask)


if __name__ == "__main__":
    import titan
    from definitions import check, f32, numbers

    M, N, eps = 7, 90, 1e-5
    x, r, w, dy = numbers(31, M, N), numbers(32, M, N), numbers(33, N), numbers(34, M, N)
    X, R, Y = f32(x), f32(r), titan.empty((M, N))
    add_rms_norm_kernel[(M, )](X, R, f32(w), Y, N, eps, BLOCK=128)
    sums = [[a + b for a, b in zip(*rows)] for rows in zip(x, r)]

    def rstd(row):
        return 1 / math.sqrt(math.fsum(v * v for v in row) / N + eps)
    check("add rms norm sum", R.tolist(), sums, 1e-6)
    check("add rms norm", Y.tolist(), [[v * rstd(row) * g for v, g in zip(row, w)] for row in sums], 1e-5)
    DX = titan.empty((M, N))
    rms_norm_backward_kernel[(M, )](f32(dy), f32(x), f32(w), DX, N, eps, BLOCK=128)
    want = []
    for row, d in zip(x, dy):
        s, m = rstd(row), [a * b for a, b in zip(d, w)]
        dot = math.fsum(a * b for a, b in zip(m, row))
        want.append([s * a - s**3 / N * dot * v for a, v in zip(m, row)])
    check("rms norm backward", DX.tolist(), want, 1e-5)

    B, C, P, G = 2, 6, 35, 3
    x, w, b = numbers(35, B, C, P), numbers(36, C), numbers(37, C)
    Y = titan.empty((B, C, P))
    group_norm_kernel[(B, C // G)](f32(x), f32(w), f32(b), Y, C, P, eps, GROUP=G, BLOCK=64)
    want = [[None] * C for _ in range(B)]
    for i in range(B):
        for g in range(C // G):
            part = [v for c in range(g * G, g * G + G) for v in x[i][c]]
            mean = math.fsum(part) / len(part)
            var = math.fsum((v - mean)**2 for v in part) / len(part)
            for c in range(g * G, g * G + G):
                want[i][c] = [(v - mean) / math.sqrt(var + eps) * w[c] + b[c] for v in x[i][c]]
    check("group norm", Y.tolist(), want, 1e-4)

    x = numbers(38, M, N, low=4, high=6)
    mean, variance = titan.empty(M), titan.empty(M)
    welford_kernel[(M, )](f32(x), mean, variance, N, BLOCK=128)
    means = [math.fsum(row) / N for row in x]
    check("welford mean", mean.tolist(), means, 1e-5)
    check("welford variance", variance.tolist(), [math.fsum((v - m)**2 for v in row) / N for row, m in zip(x, means)], 1e-5)
    Y = titan.empty((M, N))
    l2_normalize_kernel[(triton.cdiv(M, 4), )](f32(x), Y, M, N, ROWS=4, BLOCK=128)
    check("l2 normalize", Y.tolist(), [[v / math.sqrt(math.fsum(u * u for u in row)) for v in row] for row in x], 1e-5)
