"""05: layer norm, forward and backward; sums of the weights' gradients by groups, each under a lock."""
import array
import math

import triton
import triton.language as tl

import titan
from definitions import check, f32, numbers


@triton.jit
def forward_kernel(x_ptr, y_ptr, w_ptr, b_ptr, mean_ptr, rstd_ptr, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * stride
    y_ptr += row * stride
    sum = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        columns = off + tl.arange(0, BLOCK)
        sum += tl.load(x_ptr + columns, mask=columns < N, other=0.0)
    mean = tl.sum(sum, axis=0) / N
    square = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        columns = off + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + columns, mask=columns < N, other=0.0)
        x = tl.where(columns < N, x - mean, 0.0)
        square += x * x
    rstd = 1 / tl.sqrt(tl.sum(square, axis=0) / N + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    for off in range(0, N, BLOCK):
        columns = off + tl.arange(0, BLOCK)
        mask = columns < N
        w = tl.load(w_ptr + columns, mask=mask)
        b = tl.load(b_ptr + columns, mask=mask)
        x = tl.load(x_ptr + columns, mask=mask, other=0.0)
        tl.store(y_ptr + columns, (x - mean) * rstd * w + b, mask=mask)


@triton.jit
def backward_kernel(dx_ptr, dy_ptr, dw_ptr, db_ptr, x_ptr, w_ptr, mean_ptr, rstd_ptr, lock_ptr, stride, N,
                    GROUP: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < N
    lock = row % GROUP
    lock_ptr += lock
    count_ptr = lock_ptr + GROUP
    dw_ptr = dw_ptr + lock * N + columns
    db_ptr = db_ptr + lock * N + columns
    x = tl.load(x_ptr + row * stride + columns, mask=mask, other=0)
    dy = tl.load(dy_ptr + row * stride + columns, mask=mask, other=0)
    w = tl.load(w_ptr + columns, mask=mask)
    mean = tl.load(mean_ptr + row)
    rstd = tl.load(rstd_ptr + row)
    xhat = tl.where(mask, (x - mean) * rstd, 0.0)
    wdy = tl.where(mask, w * dy, 0.0)
    c1 = tl.sum(xhat * wdy, axis=0) / N
    c2 = tl.sum(wdy, axis=0) / N
    tl.store(dx_ptr + row * stride + columns, (wdy - (xhat * c1 + c2)) * rstd, mask=mask)
    partial_dw = dy * xhat
    partial_db = dy
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    count = tl.load(count_ptr)
    if count == 0:
        tl.atomic_xchg(count_ptr, 1)
    else:
        partial_dw += tl.load(dw_ptr, mask=mask)
        partial_db += tl.load(db_ptr, mask=mask)
    tl.store(dw_ptr, partial_dw, mask=mask)
    tl.store(db_ptr, partial_db, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def sum_kernel(part_w_ptr, part_b_ptr, dw_ptr, db_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    dw = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    db = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for i in range(0, M, BLOCK_M):
        rows = i + tl.arange(0, BLOCK_M)
        mask = (rows[:, None] < M) & (columns[None, :] < N)
        offsets = rows[:, None] * N + columns[None, :]
        dw += tl.load(part_w_ptr + offsets, mask=mask, other=0.0)
        db += tl.load(part_b_ptr + offsets, mask=mask, other=0.0)
    tl.store(dw_ptr + columns, tl.sum(dw, axis=0), mask=columns < N)
    tl.store(db_ptr + columns, tl.sum(db, axis=0), mask=columns < N)


if __name__ == "__main__":
    M, N, EPS, GROUP = 21, 90, 1e-5, 4
    x, dy, w, b = numbers(7, M, N), numbers(8, M, N), numbers(9, N), numbers(10, N)
    X, DY, W, B = f32(x), f32(dy), f32(w), f32(b)
    y, mean, rstd = titan.empty((M, N)), titan.empty(M), titan.empty(M)
    forward_kernel[(M, )](X, y, W, B, mean, rstd, X.stride(0), N, EPS, BLOCK=64)
    dx, dw, db = titan.empty((M, N)), titan.empty(N), titan.empty(N)
    part_w, part_b = titan.empty((GROUP, N)), titan.empty((GROUP, N))
    locks = titan.zeros(2 * GROUP, "int32")
    backward_kernel[(M, )](dx, DY, part_w, part_b, X, W, mean, rstd, locks, X.stride(0), N, GROUP=GROUP, BLOCK=128)
    sum_kernel[(triton.cdiv(N, 64), )](part_w, part_b, dw, db, GROUP, N, BLOCK_M=4, BLOCK_N=64)

    means = [math.fsum(row) / N for row in x]
    rstds = [1 / math.sqrt(math.fsum((v - m)**2 for v in row) / N + EPS) for row, m in zip(x, means)]
    hats = [[(v - m) * r for v in row] for row, m, r in zip(x, means, rstds)]
    check("layer_norm y", y.tolist(), [[h * ww + bb for h, ww, bb in zip(row, w, b)] for row in hats], 1e-5)
    expected = []
    for row, hat, r in zip(dy, hats, rstds):
        wdy = [ww * d for ww, d in zip(w, row)]
        c1, c2 = math.fsum(h * d for h, d in zip(hat, wdy)) / N, math.fsum(wdy) / N
        expected.append([(d - (h * c1 + c2)) * r for d, h in zip(wdy, hat)])
    check("layer_norm dx", dx.tolist(), expected, 1e-5)
    check("layer_norm dw", dw.tolist(), [math.fsum(dy[i][j] * hats[i][j] for i in range(M)) for j in range(N)], 1e-5)
    check("layer_norm db", db.tolist(), [math.fsum(dy[i][j] for i in range(M)) for j in range(N)], 1e-5)
