"""Of each row the largest cosine similarity to a key: rows are scaled and go to their fragments before the loop that copies keys ahead."""
import math

import triton
import triton.language as tl

import titan
from definitions import check, f16, halved, numbers, product


@triton.jit
def similarity_kernel(x_ptr, key_ptr, out_ptr, n, keys, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows, columns = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    x = tl.load(x_ptr + rows[:, None] * D + columns[None, :], mask=rows[:, None] < n, other=0.0).to(tl.float32)
    x = (x / tl.sqrt(tl.sum(x * x, axis=1) + 1e-6)[:, None]).to(tl.float16)
    best = tl.full((BM, ), -float("inf"), tl.float32)
    for first in range(0, keys, BN):
        at = first + tl.arange(0, BN)
        key = tl.load(key_ptr + at[:, None] * D + columns[None, :], mask=at[:, None] < keys, other=0.0)
        cosines = tl.where(at[None, :] < keys, tl.dot(x, tl.trans(key)), -float("inf"))
        best = tl.maximum(best, tl.max(cosines, axis=1))
    tl.store(out_ptr + rows, best, mask=rows < n)


if __name__ == "__main__":
    n, keys, d = 100, 104, 32
    x, key = halved(numbers(70, n, d)), numbers(71, keys, d)
    key = halved([[v / math.hypot(*row) for v in row] for row in key])
    expected = [max(row) / math.hypot(*own) for row, own in zip(product(x, list(zip(*key))), x)]
    out = titan.empty(n, "float32")
    similarity_kernel[(triton.cdiv(n, 64), )](f16(x), f16(key), out, n, keys, BM=64, BN=32, D=d)
    check("similarity", out.tolist(), expected, 2e-3)
