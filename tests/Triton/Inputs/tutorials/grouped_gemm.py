"""08: products of several sizes by one grid; the tensors' addresses stand in memory."""
import array

import triton
import triton.language as tl

import titan
from definitions import check, f16, halved, numbers, product


@triton.jit
def grouped_kernel(a_ptrs, b_ptrs, c_ptrs, sizes_ptr, strides_ptr, group, PROGRAMS: tl.constexpr, BM: tl.constexpr,
                   BN: tl.constexpr, BK: tl.constexpr):
    tile = tl.program_id(0)
    end = 0
    for g in range(group):
        gm = tl.load(sizes_ptr + g * 3)
        gn = tl.load(sizes_ptr + g * 3 + 1)
        gk = tl.load(sizes_ptr + g * 3 + 2)
        across = tl.cdiv(gn, BN)
        count = tl.cdiv(gm, BM) * across
        while tile >= end and tile < end + count:
            lda = tl.load(strides_ptr + g * 3)
            ldb = tl.load(strides_ptr + g * 3 + 1)
            ldc = tl.load(strides_ptr + g * 3 + 2)
            a_ptr = tl.load(a_ptrs + g).to(tl.pointer_type(tl.float16))
            b_ptr = tl.load(b_ptrs + g).to(tl.pointer_type(tl.float16))
            c_ptr = tl.load(c_ptrs + g).to(tl.pointer_type(tl.float16))
            rows = (tile - end) // across * BM + tl.arange(0, BM)
            columns = (tile - end) % across * BN + tl.arange(0, BN)
            k = tl.arange(0, BK)
            sum = tl.zeros((BM, BN), dtype=tl.float32)
            for step in range(0, tl.cdiv(gk, BK)):
                left = gk - step * BK
                a = tl.load(a_ptr + rows[:, None] * lda + step * BK + k[None, :],
                            mask=(rows[:, None] < gm) & (k[None, :] < left), other=0.0)
                b = tl.load(b_ptr + (step * BK + k)[:, None] * ldb + columns[None, :],
                            mask=(k[:, None] < left) & (columns[None, :] < gn), other=0.0)
                sum += tl.dot(a, b)
            tl.store(c_ptr + rows[:, None] * ldc + columns[None, :], sum.to(tl.float16),
                     mask=(rows[:, None] < gm) & (columns[None, :] < gn))
            tile += PROGRAMS
        end += count


if __name__ == "__main__":
    SIZES = [(40, 33, 24), (17, 64, 50), (64, 20, 16)]
    PROGRAMS = 5
    values = [(halved(numbers(20 + i, m, k)), halved(numbers(30 + i, k, n))) for i, (m, n, k) in enumerate(SIZES)]
    A, B = [f16(a) for a, _ in values], [f16(b) for _, b in values]
    C = [titan.empty((m, n), "float16") for m, n, _ in SIZES]
    addresses = lambda tensors: titan.array(array.array("q", [t.data_ptr() for t in tensors]))
    ints = lambda numbers: titan.array(array.array("i", [x for row in numbers for x in row]))
    grouped_kernel[(PROGRAMS, )](addresses(A), addresses(B), addresses(C), ints(SIZES),
                                 ints([(a.stride(0), b.stride(0), c.stride(0)) for a, b, c in zip(A, B, C)]), len(SIZES),
                                 PROGRAMS=PROGRAMS, BM=32, BN=32, BK=16)
    for i, ((a, b), c) in enumerate(zip(values, C)):
        check(f"grouped_gemm {i}", c.tolist(), product(a, b), 2e-3)
