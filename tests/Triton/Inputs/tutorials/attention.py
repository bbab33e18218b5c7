"""06: attention, causal and not, forward, by descriptors that the host makes; a running maximum and sum."""
import math

import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import titan
from definitions import check, f16, halved, numbers


@triton.jit
def inner(acc, total, high, q, k_desc, v_desc, first, start, scale, BM: tl.constexpr, BN: tl.constexpr,
          STAGE: tl.constexpr, rows, n: tl.constexpr):
    if STAGE == 1:
        lo, hi = 0, start * BM
    elif STAGE == 2:
        lo, hi = start * BM, (start + 1) * BM
        lo = tl.multiple_of(lo, BM)
    else:
        lo, hi = 0, n
    for at in tl.range(lo, hi, BN):
        at = tl.multiple_of(at, BN)
        k = k_desc.load([first + at, 0]).T
        s = tl.dot(q, k)
        if STAGE == 2:
            keep = rows[:, None] >= (at + tl.arange(0, BN))[None, :]
            s = s * scale + tl.where(keep, 0, -1.0e6)
            new = tl.maximum(high, tl.max(s, 1))
            s -= new[:, None]
        else:
            new = tl.maximum(high, tl.max(s, 1) * scale)
            s = s * scale - new[:, None]
        p = tl.math.exp2(s)
        fade = tl.math.exp2(high - new)
        sums = tl.sum(p, 1)
        acc = acc * fade[:, None]
        v = v_desc.load([first + at, 0])
        acc = tl.dot(p.to(tl.float16), v, acc)
        total = total * fade + sums
        high = new
    return acc, total, high


@triton.jit
def attention_kernel(q_desc, k_desc, v_desc, o_desc, m_ptr, scale, n: tl.constexpr, D: tl.constexpr, BM: tl.constexpr,
                     BN: tl.constexpr, STAGE: tl.constexpr):
    start = tl.program_id(0)
    first = tl.program_id(1) * n
    rows = start * BM + tl.arange(0, BM)
    high = tl.zeros([BM], dtype=tl.float32) - float("inf")
    total = tl.zeros([BM], dtype=tl.float32) + 1.0
    acc = tl.zeros([BM, D], dtype=tl.float32)
    scale *= 1.44269504
    q = q_desc.load([first + start * BM, 0])
    if STAGE & 1:
        acc, total, high = inner(acc, total, high, q, k_desc, v_desc, first, start, scale, BM, BN, 4 - STAGE, rows, n)
    if STAGE & 2:
        acc, total, high = inner(acc, total, high, q, k_desc, v_desc, first, start, scale, BM, BN, 2, rows, n)
    high += tl.math.log2(total)
    tl.store(m_ptr + first + rows, high)
    o_desc.store([first + start * BM, 0], (acc / total[:, None]).to(tl.float16))


def attention(q, k, v, heads, n, d, scale, causal):
    o, m = titan.empty((heads * n, d), "float16"), titan.empty(heads * n)
    BM, BN = 32, 16
    make = lambda t, rows: TensorDescriptor(t, shape=[heads * n, d], strides=[d, 1], block_shape=[rows, d])
    attention_kernel[(n // BM, heads)](make(q, BM), make(k, BN), make(v, BN), make(o, BM), m, scale, n=n, D=d, BM=BM,
                                       BN=BN, STAGE=3 if causal else 1)
    return o


def definition(q, k, v, scale, causal):
    rows = []
    for i, a in enumerate(q):
        scores = [scale * math.fsum(x * y for x, y in zip(a, b)) for b in (k[:i + 1] if causal else k)]
        powers = [math.exp(s - max(scores)) for s in scores]
        rows.append([math.fsum(p * b[j] for p, b in zip(powers, v)) / math.fsum(powers) for j in range(len(v[0]))])
    return rows


if __name__ == "__main__":
    heads, n, d = 2, 64, 32
    q, k, v = (halved(numbers(seed, heads * n, d)) for seed in (11, 12, 13))
    for causal in (False, True):
        # The sum begins at 1 in the tutorial, too: the first maximum fades it out.
        found = attention(f16(q), f16(k), f16(v), heads, n, d, 0.5, causal)
        expected = []
        for h in range(heads):
            part = slice(h * n, (h + 1) * n)
            expected += definition(q[part], k[part], v[part], 0.5, causal)
        check(f"attention causal={causal}", found.tolist(), expected, 3e-3)
