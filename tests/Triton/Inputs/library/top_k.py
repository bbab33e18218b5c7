"""Routing: softmax over experts, the two largest, and their weights again to one."""
import math

import triton
import triton.language as tl

import titan
from definitions import check, f32, numbers


@triton.jit
def top_k_kernel(x_ptr, w_ptr, i_ptr, tokens, experts, TOKENS: tl.constexpr, EXPERTS: tl.constexpr):
    token = tl.program_id(0) * TOKENS + tl.arange(0, TOKENS)
    expert = tl.arange(0, EXPERTS)
    mask = (token[:, None] < tokens) & (expert[None, :] < experts)
    x = tl.load(x_ptr + token[:, None] * experts + expert[None, :], mask=mask, other=-float("inf"))
    x = tl.where(token[:, None] < tokens, x, 0.0)
    p = tl.exp(x - tl.max(x, axis=1)[:, None])
    p = p / tl.sum(p, axis=1)[:, None]
    first = tl.argmax(p, axis=1)
    high = tl.max(p, axis=1)
    p = tl.where(expert[None, :] == first[:, None], -1.0, p)
    second = tl.argmax(p, axis=1)
    low = tl.max(p, axis=1)
    inside = token < tokens
    tl.store(w_ptr + 2 * token, high / (high + low), mask=inside)
    tl.store(w_ptr + 2 * token + 1, low / (high + low), mask=inside)
    tl.store(i_ptr + 2 * token, first, mask=inside)
    tl.store(i_ptr + 2 * token + 1, second, mask=inside)


if __name__ == "__main__":
    T, E = 13, 6
    x = numbers(18, T, E, low=-2, high=2)
    w, i = titan.empty((T, 2)), titan.empty((T, 2), "int32")
    top_k_kernel[(triton.cdiv(T, 8), )](f32(x), w, i, T, E, TOKENS=8, EXPERTS=8)
    best = [sorted(range(E), key=lambda e: -row[e])[:2] for row in x]
    check("top_k experts", i.tolist(), best, 0)
    check("top_k weights", w.tolist(), [[math.exp(row[e]) / math.fsum(math.exp(row[f]) for f in two) for e in two]
                                        for row, two in zip(x, best)], 1e-5)
