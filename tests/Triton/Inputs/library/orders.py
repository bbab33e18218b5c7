"""Recurrences by scans, sorted rows, the largest of a row, and what a sampler takes of them."""
import itertools

import triton
import triton.language as tl


@triton.jit
def _then(a, b, c, d):
    # h -> a h + b, then h -> c h + d.
    return a * c, b * c + d


@triton.jit
def recurrence_kernel(a_ptr, b_ptr, h_ptr, time, channels, BT: tl.constexpr, BC: tl.constexpr):
    # h[t] = a[t] h[t - 1] + b[t], blocks of time one after the other.
    columns = tl.program_id(0) * BC + tl.arange(0, BC)
    state = tl.zeros((BC, ), dtype=tl.float32)
    for start in range(0, time, BT):
        t = start + tl.arange(0, BT)
        mask = (t[:, None] < time) & (columns[None, :] < channels)
        at = t[:, None] * channels + columns[None, :]
        a = tl.load(a_ptr + at, mask=mask, other=1.0)
        b = tl.load(b_ptr + at, mask=mask, other=0.0)
        p, q = tl.associative_scan((a, b), 0, _then)
        h = p * state[None, :] + q
        tl.store(h_ptr + at, h, mask=mask)
        state = tl.sum(tl.where(tl.arange(0, BT)[:, None] == BT - 1, h, 0.0), axis=0)


@triton.jit
def _later(x, i, y, j):
    first = (x > y) | ((x == y) & (i < j))
    return tl.where(first, x, y), tl.where(first, i, j)


@triton.jit
def cummax_kernel(x_ptr, y_ptr, i_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n_cols
    x = tl.load(x_ptr + row * n_cols + columns, mask=mask, other=-float("inf"))
    y, i = tl.associative_scan((x, columns), 0, _later)
    tl.store(y_ptr + row * n_cols + columns, y, mask=mask)
    tl.store(i_ptr + row * n_cols + columns, i, mask=mask)


@triton.jit
def returns_kernel(r_ptr, g_ptr, n_cols, BLOCK: tl.constexpr):
    # Sums of what is to come, of rows.
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n_cols
    r = tl.load(r_ptr + row * n_cols + columns, mask=mask, other=0.0)
    tl.store(g_ptr + row * n_cols + columns, tl.cumsum(r, axis=0, reverse=True), mask=mask)


@triton.jit
def sort_kernel(x_ptr, y_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n_cols
    x = tl.load(x_ptr + row * n_cols + columns, mask=mask, other=float("inf"))
    tl.store(y_ptr + row * n_cols + columns, tl.sort(x), mask=mask)


@triton.jit
def largest_kernel(x_ptr, y_ptr, n_cols, K: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + columns, mask=columns < n_cols, other=-float("inf"))
    tl.store(y_ptr + row * K + tl.arange(0, K), tl.topk(x, K))


@triton.jit
def greedy_kernel(x_ptr, token_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    high = -float("inf")
    token = 0
    for start in range(0, n_cols, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n_cols + columns, mask=columns < n_cols, other=-float("inf")).to(tl.float32)
        most, at = tl.max(x, axis=0, return_indices=True)
        token = tl.where(most > high, start + at, token)
        high = tl.maximum(most, high)
    tl.store(token_ptr + row, token)


@triton.jit
def nucleus_kernel(p_ptr, kept_ptr, n_cols, top_p, BLOCK: tl.constexpr):
    # The most likely ones, until together they have top_p: the rest become 0, these sum to 1.
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n_cols
    p = tl.load(p_ptr + row * n_cols + columns, mask=mask, other=0.0)
    ordered = tl.sort(p, descending=True)
    before = tl.cumsum(ordered, axis=0) - ordered
    least = tl.min(tl.where(before < top_p, ordered, 2.0), axis=0)
    kept = tl.where(p >= least, p, 0.0)
    tl.store(kept_ptr + row * n_cols + columns, kept / tl.sum(kept, axis=0), mask=mask)


if __name__ == "__main__":
    import titan
    from definitions import check, f32, numbers

    T, C = 70, 20
    a, b, h = numbers(71, T, C, low=0, high=1), numbers(72, T, C), titan.empty((T, C))
    recurrence_kernel[(triton.cdiv(C, 16), )](f32(a), f32(b), h, T, C, BT=32, BC=16)
    want, state = [], [0.0] * C
    for gate, new in zip(a, b):
        state = [g * s + v for g, s, v in zip(gate, state, new)]
        want.append(state)
    check("recurrence", h.tolist(), want, 1e-5)

    M, N = 4, 100
    x = numbers(73, M, N)
    y, i = titan.empty((M, N)), titan.empty((M, N), "int32")
    cummax_kernel[(M, )](f32(x), y, i, N, BLOCK=128)
    check("cummax", y.tolist(), [list(itertools.accumulate(row, max)) for row in x], 0)
    check("cummax index", i.tolist(), [[max(range(j + 1), key=row.__getitem__) for j in range(N)] for row in x], 0)
    returns_kernel[(M, )](f32(x), y, N, BLOCK=128)
    check("returns", y.tolist(), [list(itertools.accumulate(row[::-1]))[::-1] for row in x], 1e-5)
    sort_kernel[(M, )](f32(x), y, N, BLOCK=128)
    check("sort", y.tolist(), [sorted(row) for row in x], 0)
    most = titan.empty((M, 8))
    largest_kernel[(M, )](f32(x), most, N, K=8, BLOCK=128)
    check("largest", most.tolist(), [sorted(row, reverse=True)[:8] for row in x], 0)
    tokens = titan.empty(M, "int32")
    greedy_kernel[(M, )](f32(x), tokens, N, BLOCK=32)
    check("greedy", tokens.tolist(), [row.index(max(row)) for row in x], 0)
    p = [[v / sum(row) for v in row] for row in numbers(74, M, N, low=0, high=1)]
    nucleus_kernel[(M, )](f32(p), y, N, 0.6, BLOCK=128)
    want = []
    for row in p:
        total, least = 0.0, 2.0
        for v in sorted(row, reverse=True):
            if total < 0.6:
                least = v
            total += v
        kept = [v if v >= least else 0.0 for v in row]
        want.append([v / sum(kept) for v in kept])
    check("nucleus", y.tolist(), want, 1e-5)
