"""06, backward: what the result's gradient is of Q, K and V, from the logarithms of the sums that the forward pass leaves."""
import math

import triton
import triton.language as tl

import titan
from definitions import check, f16, f32, halved, numbers


@triton.jit
def delta_kernel(o_ptr, do_ptr, delta_ptr, n, BM: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(1) * n + tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.arange(0, D)
    o = tl.load(o_ptr + rows[:, None] * D + columns[None, :])
    do = tl.load(do_ptr + rows[:, None] * D + columns[None, :]).to(tl.float32)
    tl.store(delta_ptr + rows, tl.sum(o * do, axis=1))


@triton.jit
def of_keys(dk, dv, q_ptr, k, v, do_ptr, m_ptr, delta_ptr, keys, at, steps, BM: tl.constexpr, D: tl.constexpr, MASK: tl.constexpr):
    columns = tl.arange(0, D)
    for step in range(steps):
        rows = at + step * BM + tl.arange(0, BM)
        qt = tl.load(q_ptr + rows[None, :] * D + columns[:, None])
        m = tl.load(m_ptr + rows)
        pt = tl.math.exp2(tl.dot(k, qt) - m[None, :])
        if MASK:
            pt = tl.where(rows[None, :] >= keys[:, None], pt, 0.0)
        do = tl.load(do_ptr + rows[:, None] * D + columns[None, :])
        dv += tl.dot(pt.to(tl.float16), do)
        delta = tl.load(delta_ptr + rows)
        dpt = tl.dot(v, tl.trans(do)).to(tl.float32)
        dst = pt * (dpt - delta[None, :])
        dk += tl.dot(dst.to(tl.float16), tl.trans(qt))
    return dk, dv


@triton.jit
def of_queries(dq, q, k_ptr, v_ptr, do, m, delta, rows, at, steps, BN: tl.constexpr, D: tl.constexpr, MASK: tl.constexpr):
    columns = tl.arange(0, D)
    for step in range(steps):
        keys = at + step * BN + tl.arange(0, BN)
        kt = tl.load(k_ptr + keys[None, :] * D + columns[:, None])
        vt = tl.load(v_ptr + keys[None, :] * D + columns[:, None])
        p = tl.math.exp2(tl.dot(q, kt) - m)
        if MASK:
            p = tl.where(rows[:, None] >= keys[None, :], p, 0.0)
        dp = tl.dot(do, vt).to(tl.float32)
        ds = (p * (dp - delta[:, None])).to(tl.float16)
        dq += tl.dot(ds, tl.trans(kt))
    return dq


@triton.jit
def backward_kernel(q_ptr, k_ptr, v_ptr, scale, do_ptr, dq_ptr, dk_ptr, dv_ptr, m_ptr, delta_ptr, n, BM1: tl.constexpr,
                    BN1: tl.constexpr, BM2: tl.constexpr, BN2: tl.constexpr, SLICES: tl.constexpr, D: tl.constexpr,
                    CAUSAL: tl.constexpr):
    LN2: tl.constexpr = 0.6931471824645996
    place = tl.program_id(1).to(tl.int64) * n
    pid = tl.program_id(0)
    q_ptr += place * D
    k_ptr += place * D
    v_ptr += place * D
    do_ptr += place * D
    dq_ptr += place * D
    dk_ptr += place * D
    dv_ptr += place * D
    m_ptr += place
    delta_ptr += place
    columns = tl.arange(0, D)
    # The keys of this program, and the queries that see them: those on the diagonal by smaller steps, under a mask.
    first = pid * BN1
    begin = 0
    keys = first + tl.arange(0, BN1)
    dk = tl.zeros([BN1, D], dtype=tl.float32)
    dv = tl.zeros([BN1, D], dtype=tl.float32)
    k = tl.load(k_ptr + keys[:, None] * D + columns[None, :])
    v = tl.load(v_ptr + keys[:, None] * D + columns[None, :])
    if CAUSAL:
        begin = first
        MASKED: tl.constexpr = BM1 // SLICES
        steps = BN1 // MASKED
        dk, dv = of_keys(dk, dv, q_ptr, k, v, do_ptr, m_ptr, delta_ptr, keys, begin, steps, MASKED, D, True)
        begin += steps * MASKED
    steps = (n - begin) // BM1
    dk, dv = of_keys(dk, dv, q_ptr, k, v, do_ptr, m_ptr, delta_ptr, keys, begin, steps, BM1, D, False)
    tl.store(dv_ptr + keys[:, None] * D + columns[None, :], dv)
    tl.store(dk_ptr + keys[:, None] * D + columns[None, :], dk * scale)
    # Its queries.
    first = pid * BM2
    end = n
    rows = first + tl.arange(0, BM2)
    q = tl.load(q_ptr + rows[:, None] * D + columns[None, :])
    do = tl.load(do_ptr + rows[:, None] * D + columns[None, :])
    m = tl.load(m_ptr + rows)[:, None]
    delta = tl.load(delta_ptr + rows)
    dq = tl.zeros([BM2, D], dtype=tl.float32)
    if CAUSAL:
        end = first + BM2
        NARROW: tl.constexpr = BN2 // SLICES
        steps = BM2 // NARROW
        dq = of_queries(dq, q, k_ptr, v_ptr, do, m, delta, rows, end - steps * NARROW, steps, NARROW, D, True)
        end -= steps * NARROW
    steps = end // BN2
    dq = of_queries(dq, q, k_ptr, v_ptr, do, m, delta, rows, end - steps * BN2, steps, BN2, D, False)
    tl.store(dq_ptr + rows[:, None] * D + columns[None, :], dq * LN2)


def definition(q, k, v, do, scale, causal):
    """Of one head: o, the logarithms (base 2) of the sums, dq, dk, dv."""
    n, d = len(q), len(q[0])
    dot = lambda x, y: math.fsum(a * b for a, b in zip(x, y))
    o, m = [], []
    dq, dk, dv = ([[0.0] * d for _ in range(n)] for _ in range(3))
    for i in range(n):
        last = i + 1 if causal else n
        powers = [math.exp(scale * dot(q[i], k[j])) for j in range(last)]
        total = math.fsum(powers)
        p = [x / total for x in powers]
        m.append(math.log2(total))
        o.append([math.fsum(p[j] * v[j][c] for j in range(last)) for c in range(d)])
        delta = dot(o[i], do[i])
        for j in range(last):
            ds = p[j] * (dot(do[i], v[j]) - delta)
            for c in range(d):
                dv[j][c] += p[j] * do[i][c]
                dk[j][c] += scale * ds * q[i][c]
                dq[i][c] += scale * ds * k[j][c]
    return o, m, dq, dk, dv


if __name__ == "__main__":
    heads, n, d, scale = 2, 64, 16, 0.5
    q, k, v, do = (halved(numbers(seed, heads * n, d)) for seed in (61, 62, 63, 64))
    for causal in (False, True):
        o, m, dq, dk, dv = [], [], [], [], []
        for h in range(heads):
            part = slice(h * n, (h + 1) * n)
            for whole, rows in zip((o, m, dq, dk, dv), definition(q[part], k[part], v[part], do[part], scale, causal)):
                whole += rows
        scaled = halved([[x * scale * 1.4426950408889634 for x in row] for row in k])
        delta = titan.empty(heads * n)
        found = [titan.empty((heads * n, d)) for _ in range(3)]
        delta_kernel[(n // 32, heads)](f16(halved(o)), f16(do), delta, n, BM=32, D=d)
        backward_kernel[(n // 32, heads)](f16(q), f16(scaled), f16(v), scale, f16(do), *found, f32(m), delta, n, BM1=32, BN1=32,
                                          BM2=32, BN2=32, SLICES=2, D=d, CAUSAL=causal)
        for name, got, want in zip(("dq", "dk", "dv"), found, (dq, dk, dv)):
            check(f"attention causal={causal}: {name}", got.tolist(), want, 1e-2)
