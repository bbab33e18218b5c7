"""09: a b^T by as many programs as the device runs at once, through descriptors that the kernel makes."""
import triton
import triton.language as tl

import titan
from definitions import check, f16, halved, numbers, product


@triton.jit
def place(tile, in_group, down, GROUP: tl.constexpr):
    first = tile // in_group * GROUP
    size = min(down - first, GROUP)
    return first + tile % size, tile % in_group // size


@triton.jit
def persistent_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                      GROUP: tl.constexpr, PROGRAMS: tl.constexpr):
    start = tl.program_id(axis=0)
    down, across = tl.cdiv(M, BM), tl.cdiv(N, BN)
    steps = tl.cdiv(K, BK)
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BN, BK])
    c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    for tile in tl.range(start, down * across, PROGRAMS, flatten=True):
        pid_m, pid_n = place(tile, GROUP * across, down, GROUP)
        sum = tl.zeros((BM, BN), dtype=tl.float32)
        for step in range(steps):
            a = a_desc.load([pid_m * BM, step * BK])
            b = b_desc.load([pid_n * BN, step * BK])
            sum = tl.dot(a, b.T, sum)
        c_desc.store([pid_m * BM, pid_n * BN], sum.to(tl.float16))


def matmul(a, b):
    (M, K), N = a.shape, b.shape[0]
    c = titan.empty((M, N), "float16")
    programs = min(3, triton.cdiv(M, 32) * triton.cdiv(N, 32))
    persistent_kernel[(programs, )](a, b, c, M, N, K, BM=32, BN=32, BK=16, GROUP=8, PROGRAMS=programs)
    return c


if __name__ == "__main__":
    a, b = halved(numbers(40, 72, 40)), halved(numbers(41, 56, 40))
    check("persistent_matmul", matmul(f16(a), f16(b)).tolist(), product(a, list(zip(*b))), 2e-3)
