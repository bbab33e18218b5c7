"""03: c = leaky_relu(a b), autotuned, in groups of rows of blocks."""
import triton
import triton.language as tl

import titan
from definitions import check, f16, halved, numbers, product

CONFIGS = [
    triton.Config({"BM": 32, "BN": 64, "BK": 32, "GROUP": 8}, num_stages=3, num_warps=4),
    triton.Config({"BM": 64, "BN": 32, "BK": 32, "GROUP": 8}, num_stages=4, num_warps=4),
]


@triton.autotune(configs=CONFIGS, key=["M", "N", "K"])
@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
                  ACTIVATION: tl.constexpr):
    pid = tl.program_id(axis=0)
    down, across = tl.cdiv(M, BM), tl.cdiv(N, BN)
    first = pid // (GROUP * across) * GROUP
    size = min(down - first, GROUP)
    pid_m = first + pid % (GROUP * across) % size
    pid_n = pid % (GROUP * across) // size
    tl.assume(pid_m >= 0)
    tl.assume(pid_n >= 0)
    tl.assume(stride_am > 0)
    rows = (pid_m * BM + tl.arange(0, BM)) % M
    columns = (pid_n * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    a_ptrs = a_ptr + rows[:, None] * stride_am + k[None, :] * stride_ak
    b_ptrs = b_ptr + k[:, None] * stride_bk + columns[None, :] * stride_bn
    sum = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=k[None, :] < K - step * BK, other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < K - step * BK, other=0.0)
        sum = tl.dot(a, b, sum)
        a_ptrs += BK * stride_ak
        b_ptrs += BK * stride_bk
    if ACTIVATION == "leaky_relu":
        sum = leaky_relu(sum)
    rows = pid_m * BM + tl.arange(0, BM)
    columns = pid_n * BN + tl.arange(0, BN)
    c_ptrs = c_ptr + stride_cm * rows[:, None] + stride_cn * columns[None, :]
    tl.store(c_ptrs, sum.to(tl.float16), mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


def matmul(a, b, activation=""):
    (M, K), N = a.shape, b.shape[1]
    c = titan.empty((M, N), "float16")
    grid = lambda meta: (triton.cdiv(M, meta["BM"]) * triton.cdiv(N, meta["BN"]), )
    matmul_kernel[grid](a, b, c, M, N, K, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1),
                        ACTIVATION=activation)
    return c


if __name__ == "__main__":
    a, b = halved(numbers(4, 70, 45)), halved(numbers(5, 45, 90))
    c = product(a, b)
    check("matmul", matmul(f16(a), f16(b)).tolist(), c, 2e-3)
    # The second operand transposed, by strides.
    turned = f16([list(column) for column in zip(*b)])
    check("matmul leaky_relu", matmul(f16(a), turned.T, "leaky_relu").tolist(),
          [[x if x >= 0 else 0.01 * x for x in row] for row in c], 2e-3)
