"""Few bits: weights of 4 bits and their product, 8-bit floats by blocks, 8-bit integers with scales."""
import math

import triton
import triton.language as tl


@triton.jit
def unpack_int4_kernel(packed_ptr, scale_ptr, zero_ptr, w_ptr, n_cols, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    # Two numbers a byte, the lower one first; a scale and a zero for each group of a row.
    row = tl.program_id(0)
    half = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = half < n_cols // 2
    byte = tl.load(packed_ptr + row * (n_cols // 2) + half, mask=mask, other=0).to(tl.int32)
    group = row * (n_cols // GROUP) + half * 2 // GROUP
    scale = tl.load(scale_ptr + group, mask=mask, other=0.0)
    zero = tl.load(zero_ptr + group, mask=mask, other=0.0)
    low = ((byte & 15).to(tl.float32) - zero) * scale
    high = ((byte >> 4 & 15).to(tl.float32) - zero) * scale
    columns = tl.program_id(1) * 2 * BLOCK + tl.arange(0, 2 * BLOCK)
    w = tl.interleave(low, high)
    tl.store(w_ptr + row * n_cols + columns, w.to(w_ptr.dtype.element_ty), mask=columns < n_cols)


@triton.jit
def int4_matmul_kernel(a_ptr, packed_ptr, scale_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    # Eight numbers a word along K, less 8; a scale for each column.
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    sum = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        k = step * BK + tl.arange(0, BK)
        a = tl.load(a_ptr + rows[:, None] * K + k[None, :], mask=(rows[:, None] < M) & (k[None, :] < K), other=0.0)
        word = tl.load(packed_ptr + (k[:, None] // 8) * N + columns[None, :], mask=(k[:, None] < K) & (columns[None, :] < N), other=0)
        b = ((word >> (k[:, None] % 8 * 4)) & 15) - 8
        sum = tl.dot(a, b.to(tl.float16), sum)
    scale = tl.load(scale_ptr + columns, mask=columns < N, other=0.0)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], (sum * scale[None, :]).to(c_ptr.dtype.element_ty),
             mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def fp8_blocks_kernel(x_ptr, q_ptr, scale_ptr, n_cols, GROUP: tl.constexpr, GROUPS: tl.constexpr):
    # A scale for each group of a row, so that its largest element becomes 448.
    row = tl.program_id(0)
    at = tl.arange(0, GROUPS)[:, None] * GROUP + tl.arange(0, GROUP)[None, :]
    mask = at < n_cols
    x = tl.load(x_ptr + row * n_cols + at, mask=mask, other=0.0).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(x), axis=1), 1e-12) / 448.0
    q = tl.clamp(x / scale[:, None], -448.0, 448.0)
    tl.store(q_ptr + row * n_cols + at, q.to(tl.float8e4nv), mask=mask)
    group = tl.arange(0, GROUPS)
    tl.store(scale_ptr + row * tl.cdiv(n_cols, GROUP) + group, scale, mask=group * GROUP < n_cols)


@triton.jit
def int8_matmul_kernel(a_ptr, b_ptr, scale_a_ptr, scale_b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
                       BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    sum = tl.zeros((BM, BN), dtype=tl.int32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        a = tl.load(a_ptr + rows[:, None] * K + k[None, :], mask=(rows[:, None] < M) & (k[None, :] < K), other=0)
        b = tl.load(b_ptr + columns[None, :] * K + k[:, None], mask=(columns[None, :] < N) & (k[:, None] < K), other=0)
        sum += tl.dot(a, b)
    scale_a = tl.load(scale_a_ptr + rows, mask=rows < M, other=0.0)
    scale_b = tl.load(scale_b_ptr + columns, mask=columns < N, other=0.0)
    c = sum.to(tl.float32) * scale_a[:, None] * scale_b[None, :]
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], c.to(c_ptr.dtype.element_ty),
             mask=(rows[:, None] < M) & (columns[None, :] < N))


if __name__ == "__main__":
    import array

    import titan
    from definitions import _shaped, check, f16, f32, halved, numbers, product

    M, N, GROUP = 5, 96, 32
    words = [[(i * 7 + j * 5) % 16 for j in range(N)] for i in range(M)]
    packed = array.array("B", [row[j] | row[j + 1] << 4 for row in words for j in range(0, N, 2)])
    scale, zero = numbers(51, M, N // GROUP, low=0.1, high=1), [[float(7 + i % 3 + j % 2) for j in range(N // GROUP)] for i in range(M)]
    w = titan.empty((M, N))
    unpack_int4_kernel[(M, triton.cdiv(N // 2, 32))](titan.array(packed), f32(scale), f32(zero), w, N, GROUP=GROUP, BLOCK=32)
    check("unpack int4", w.tolist(), [[(q - zero[i][j // GROUP]) * scale[i][j // GROUP] for j, q in enumerate(row)]
                                      for i, row in enumerate(words)], 1e-6)

    M, N, K = 20, 40, 48
    a, b = halved(numbers(52, M, K)), [[(i * 5 + j * 3) % 16 for j in range(N)] for i in range(K)]
    packed = [sum(b[i + d][j] << 4 * d for d in range(8)) for i in range(0, K, 8) for j in range(N)]
    packed = array.array("i", [p - 2**32 if p >= 2**31 else p for p in packed])
    scale, c = numbers(53, N, low=0.1, high=1), titan.empty((M, N))
    int4_matmul_kernel[(triton.cdiv(M, 16), triton.cdiv(N, 32))](f16(a), titan.array(packed), f32(scale), c, M, N, K, BM=16, BN=32,
                                                               BK=32)
    check("int4 matmul", c.tolist(), [[v * s for v, s in zip(row, scale)] for row in product(a, [[q - 8 for q in r] for r in b])], 1e-4)

    M, N, GROUP = 4, 300, 128
    x = numbers(54, M, N, low=-3, high=3)
    q, scales = titan.empty((M, N), "float8_e4m3fn"), titan.empty((M, 3))
    fp8_blocks_kernel[(M, )](f32(x), q, scales, N, GROUP=GROUP, GROUPS=4)
    parts = [[row[j:j + GROUP] for j in range(0, N, GROUP)] for row in x]
    check("fp8 blocks scale", scales.tolist(), [[max(map(abs, part)) / 448 for part in row] for row in parts], 1e-6)

    def e4m3(byte):
        exponent, fraction = byte >> 3 & 15, byte & 7
        size = math.ldexp(fraction, -9) if exponent == 0 else math.ldexp(8 + fraction, exponent - 10)
        return -size if byte & 128 else size
    found = [[e4m3(byte) * s for byte, s in zip(row, (s for s in line for _ in range(GROUP)))]
             for row, line in zip(q.tolist(), scales.tolist())]
    check("fp8 blocks", found, x, 1 / 16 + 1e-6)

    M, N, K = 20, 24, 70
    a, b = ([[(i * s + j * t) % 255 - 127 for j in range(K)] for i in range(m)] for m, s, t in ((M, 37, 11), (N, 29, 13)))
    bytes_of = lambda m: _shaped(titan.array(array.array("b", [v for row in m for v in row])), (len(m), len(m[0])))
    sa, sb, c = numbers(55, M, low=0, high=0.1), numbers(56, N, low=0, high=0.1), titan.empty((M, N))
    int8_matmul_kernel[(triton.cdiv(M, 16), triton.cdiv(N, 16))](bytes_of(a), bytes_of(b), f32(sa), f32(sb), c, M, N, K, BM=16, BN=16,
                                                               BK=32)
    check("int8 matmul", c.tolist(), [[sum(p * q for p, q in zip(r, s)) * x * y for s, y in zip(b, sb)] for r, x in zip(a, sa)], 1e-5)
