"""A product whose K is split over programs, which add what they have by atomics."""
import triton
import triton.language as tl

import titan
from definitions import check, f16, halved, numbers, product


@triton.jit
def split_k_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                   SPLIT: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    part = tl.program_id(2)
    sum = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(part, tl.cdiv(K, BK), SPLIT):
        k = step * BK + tl.arange(0, BK)
        a = tl.load(a_ptr + rows[:, None] * K + k[None, :], mask=(rows[:, None] < M) & (k[None, :] < K), other=0.0)
        b = tl.load(b_ptr + k[:, None] * N + columns[None, :], mask=(k[:, None] < K) & (columns[None, :] < N), other=0.0)
        sum = tl.dot(a, b, sum)
    tl.atomic_add(c_ptr + rows[:, None] * N + columns[None, :], sum, mask=(rows[:, None] < M) & (columns[None, :] < N))


if __name__ == "__main__":
    M, N, K = 33, 40, 90
    a, b = halved(numbers(13, M, K)), halved(numbers(14, K, N))
    c = titan.zeros((M, N))
    split_k_kernel[(triton.cdiv(M, 16), triton.cdiv(N, 32), 3)](f16(a), f16(b), c, M, N, K, BM=16, BN=32, BK=16, SPLIT=3)
    check("split_k", c.tolist(), product(a, b), 1e-4)
