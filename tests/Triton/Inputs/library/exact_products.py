"""A product of f32 matrices as f32 has it: products of threads, of any size, for which tensor cores have too few bits."""
import triton
import triton.language as tl

import titan
from definitions import check, f32, numbers, product


@triton.jit
def exact_matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PRECISION: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        at = k + tl.arange(0, BK)
        a = tl.load(a_ptr + rows[:, None] * K + at[None, :], mask=(rows[:, None] < M) & (at[None, :] < K), other=0.0)
        b = tl.load(b_ptr + at[:, None] * N + columns[None, :], mask=(at[:, None] < K) & (columns[None, :] < N), other=0.0)
        sums = tl.dot(a, b, sums, input_precision=PRECISION)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], sums, mask=(rows[:, None] < M) & (columns[None, :] < N))


if __name__ == "__main__":
    M, N, K = 37, 41, 50
    a, b = numbers(41, M, K), numbers(42, K, N)
    expected = product(a, b)
    for precision, bound in (("ieee", 4e-6), ("tf32x3", 1e-5)):
        c = titan.empty((M, N))
        exact_matmul_kernel[(triton.cdiv(M, 32), triton.cdiv(N, 16))](f32(a), f32(b), c, M, N, K, BM=32, BN=16, BK=16, PRECISION=precision)
        check(f"exact products {precision}", c.tolist(), expected, bound)
