"""A step of AdamW, clipped gradients, sums under a lock, a mean over windows, a depthwise convolution, fused products."""
import math

import triton
import triton.language as tl


@triton.jit
def adamw_kernel(p_ptr, g_ptr, m_ptr, v_ptr, n, rate, beta1, beta2, eps, decay, correction1, correction2, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    p = tl.load(p_ptr + offsets, mask=mask)
    g = tl.load(g_ptr + offsets, mask=mask)
    m = tl.load(m_ptr + offsets, mask=mask) * beta1 + (1.0 - beta1) * g
    v = tl.load(v_ptr + offsets, mask=mask) * beta2 + (1.0 - beta2) * g * g
    p = p * (1.0 - rate * decay) - rate * (m / correction1) / (tl.sqrt(v / correction2) + eps)
    tl.store(p_ptr + offsets, p, mask=mask)
    tl.store(m_ptr + offsets, m, mask=mask)
    tl.store(v_ptr + offsets, v, mask=mask)


@triton.jit
def square_sum_kernel(x_ptr, total_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0).to(tl.float32)
    tl.atomic_add(total_ptr, tl.sum(x * x, axis=0), sem="relaxed")


@triton.jit
def clip_kernel(x_ptr, total_ptr, n, most, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    factor = tl.minimum(most / (tl.sqrt(tl.load(total_ptr)) + 1e-6), 1.0)
    tl.store(x_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) * factor, mask=mask)


@triton.jit
def locked_sum_kernel(x_ptr, y_ptr, lock_ptr, n_cols, BLOCK: tl.constexpr):
    # Rows are added to one row, each under the lock.
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n_cols
    x = tl.load(x_ptr + row * n_cols + columns, mask=mask, other=0.0)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    y = tl.load(y_ptr + columns, mask=mask, other=0.0)
    tl.store(y_ptr + columns, x + y, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def average_pool_kernel(x_ptr, y_ptr, height, width, WINDOW: tl.constexpr, BLOCK: tl.constexpr):
    # Windows beside each other, those at the edges smaller.
    image = tl.program_id(0)
    across = tl.cdiv(width, WINDOW)
    i = tl.program_id(1)
    j = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, ), dtype=tl.float32)
    count = tl.zeros((BLOCK, ), dtype=tl.float32)
    for di in tl.static_range(WINDOW):
        for dj in tl.static_range(WINDOW):
            y = i * WINDOW + di
            x = j * WINDOW + dj
            mask = (y < height) & (x < width)
            total += tl.load(x_ptr + (image * height + y) * width + x, mask=mask, other=0.0)
            count += mask.to(tl.float32)
    tl.store(y_ptr + (image * tl.cdiv(height, WINDOW) + i) * across + j, total / count, mask=j < across)


@triton.jit
def depthwise_kernel(x_ptr, w_ptr, y_ptr, channels, height, width, BLOCK: tl.constexpr):
    # 3 x 3, of each channel its own, zeros around.
    plane = tl.program_id(0)
    channel = plane % channels
    i = tl.program_id(1)
    j = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, ), dtype=tl.float32)
    for di in tl.static_range(3):
        for dj in tl.static_range(3):
            y = i + di - 1
            x = j + dj - 1
            mask = (y >= 0) & (y < height) & (x >= 0) & (x < width)
            total += tl.load(w_ptr + channel * 9 + di * 3 + dj) * tl.load(x_ptr + (plane * height + y) * width + x, mask=mask, other=0.0)
    tl.store(y_ptr + (plane * height + i) * width + j, total, mask=j < width)


@triton.jit
def linear_gelu_kernel(x_ptr, w_ptr, bias_ptr, y_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    sum = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(x_ptr + rows[:, None] * K + k[None, :], mask=(rows[:, None] < M) & (k[None, :] < K), other=0.0)
        w = tl.load(w_ptr + columns[:, None] * K + k[None, :], mask=(columns[:, None] < N) & (k[None, :] < K), other=0.0)
        sum = tl.dot(x, w.T, sum)
    y = sum + tl.load(bias_ptr + columns, mask=columns < N, other=0.0)[None, :].to(tl.float32)
    y = 0.5 * y * (1.0 + tl.erf(y * 0.7071067811865476))
    tl.store(y_ptr + rows[:, None] * N + columns[None, :], y.to(y_ptr.dtype.element_ty),
             mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def block_matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a = tl.make_block_ptr(a_ptr, (M, K), (K, 1), (tl.program_id(0) * BM, 0), (BM, BK), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (N, 1), (0, tl.program_id(1) * BN), (BK, BN), (1, 0))
    sum = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        sum = tl.dot(tl.load(a, boundary_check=(0, 1), padding_option="zero"),
                     tl.load(b, boundary_check=(0, 1), padding_option="zero"), sum)
        a = tl.advance(a, (0, BK))
        b = tl.advance(b, (BK, 0))
    c = tl.make_block_ptr(c_ptr, (M, N), (N, 1), (tl.program_id(0) * BM, tl.program_id(1) * BN), (BM, BN), (1, 0))
    tl.store(c, sum.to(c_ptr.dtype.element_ty), boundary_check=(0, 1))


if __name__ == "__main__":
    import titan
    from definitions import check, f16, f32, halved, numbers, product

    n, t = 1003, 3
    p, g, m, v = numbers(91, n), numbers(92, n), numbers(93, n), numbers(94, n, low=0, high=1)
    P, Mm, V = f32(p), f32(m), f32(v)
    adamw_kernel[(triton.cdiv(n, 256), )](P, f32(g), Mm, V, n, 0.01, 0.9, 0.99, 1e-8, 0.1, 1 - 0.9**t, 1 - 0.99**t, BLOCK=256)
    m = [0.9 * a + 0.1 * b for a, b in zip(m, g)]
    v = [0.99 * a + 0.01 * b * b for a, b in zip(v, g)]
    check("adamw m", Mm.tolist(), m, 1e-6)
    check("adamw v", V.tolist(), v, 1e-6)
    check("adamw", P.tolist(), [x * 0.999 - 0.01 * a / (1 - 0.9**t) / (math.sqrt(b / (1 - 0.99**t)) + 1e-8)
                                for x, a, b in zip(p, m, v)], 1e-5)
    total, G = titan.zeros(1), f32(g)
    square_sum_kernel[(triton.cdiv(n, 256), )](G, total, n, BLOCK=256)
    norm = math.sqrt(math.fsum(a * a for a in g))
    check("square sum", total.tolist(), [norm**2], 1e-5)
    clip_kernel[(triton.cdiv(n, 256), )](G, total, n, 2.0, BLOCK=256)
    check("clip", G.tolist(), [a * 2 / norm for a in g], 1e-5)

    M, N = 12, 50
    x, y, lock = numbers(95, M, N), titan.zeros(N), titan.zeros(1, "int32")
    locked_sum_kernel[(M, )](f32(x), y, lock, N, BLOCK=64)
    check("locked sum", y.tolist(), [math.fsum(column) for column in zip(*x)], 1e-5)

    I, H, W, D = 2, 11, 21, 2
    x = numbers(96, I, H, W)
    y = titan.empty((I, -(-H // D), -(-W // D)))
    average_pool_kernel[(I, -(-H // D))](f32(x), y, H, W, WINDOW=D, BLOCK=16)

    def mean(values):
        return math.fsum(values) / len(values)
    check("average pool", y.tolist(), [[[mean([u for row in plane[i:i + D] for u in row[j:j + D]]) for j in range(0, W, D)]
                                        for i in range(0, H, D)] for plane in x], 1e-6)
    C = 2
    w, y = numbers(97, C, 9), titan.empty((I, H, W))
    depthwise_kernel[(I, H)](f32(x), f32(w), y, C, H, W, BLOCK=32)
    at = lambda plane, i, j: plane[i][j] if 0 <= i < H and 0 <= j < W else 0.0
    check("depthwise", y.tolist(), [[[sum(w[c % C][a * 3 + b] * at(plane, i + a - 1, j + b - 1) for a in range(3) for b in range(3))
                                      for j in range(W)] for i in range(H)] for c, plane in enumerate(x)], 1e-5)

    M, N, K = 33, 40, 50
    a, b, bias = halved(numbers(98, M, K)), halved(numbers(99, N, K)), numbers(100, N)
    c = titan.empty((M, N))
    linear_gelu_kernel[(triton.cdiv(M, 16), triton.cdiv(N, 32))](f16(a), f16(b), f32(bias), c, M, N, K, BM=16, BN=32, BK=16)
    sums = [[s + t for s, t in zip(row, bias)] for row in product(a, list(zip(*b)))]
    check("linear gelu", c.tolist(), [[0.5 * s * (1 + math.erf(s / math.sqrt(2))) for s in row] for row in sums], 1e-4)
    c, b = titan.empty((M, N)), [list(column) for column in zip(*b)]
    block_matmul_kernel[(triton.cdiv(M, 16), triton.cdiv(N, 32))](f16(a), f16(b), c, M, N, K, BM=16, BN=32, BK=16)
    check("block matmul", c.tolist(), product(a, b), 1e-4)
