"""Triton programs, and how each is specialised: what the TTIR of Inputs/ttir is printed from.

Written after the tutorials and the kernels that public libraries have: element-wise, softmax,
products, norms, attention, scans, atomics, descriptors, and one or more for each operation of
the dialect. scripts/triton.py prints, checks and compares.
"""
import triton
import triton.language as tl
from triton.language.extra import libdevice

PROGRAMS = {}


def program(signature, **constants):
    """Registers a kernel. A name of the signature may be marked :16 (divisible by 16) or =1."""

    def register(fn):
        PROGRAMS[fn.fn.__name__] = (fn, signature.split(), constants)
        return fn

    return register


# ---------------------------------------------------------------- element-wise


@program("*fp32:16 *fp32:16 *fp32:16 i32", BLOCK=1024)
@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


@program("*fp32 *fp32 i32 i32 i32 i32", BLOCK=1024)
@triton.jit
def softmax(out_ptr, in_ptr, in_stride, out_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    first = tl.program_id(0)
    step = tl.num_programs(0)
    for row in tl.range(first, n_rows, step, num_stages=2):
        columns = tl.arange(0, BLOCK)
        mask = columns < n_cols
        values = tl.load(in_ptr + row * in_stride + columns, mask=mask, other=-float("inf"))
        values = values - tl.max(values, axis=0)
        powers = tl.exp(values)
        tl.store(out_ptr + row * out_stride + columns, powers / tl.sum(powers, axis=0), mask=mask)


@program("*fp16:16 *fp32:16 i32:16", BLOCK=512)
@triton.jit
def gelu_tanh(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    inner = 0.7978845608 * (x + 0.044715 * x * x * x)
    tanh = 1 - 2 / (tl.exp(2 * inner) + 1)
    tl.store(out_ptr + offsets, 0.5 * x * (1 + tanh), mask=mask)


@program("*bf16:16 *bf16:16 *bf16:16 i32:16 i32:16", BLOCK=256)
@triton.jit
def swiglu(gate_ptr, up_ptr, out_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = columns < n_cols
    gate = tl.load(gate_ptr + row * stride + columns, mask=mask).to(tl.float32)
    up = tl.load(up_ptr + row * stride + columns, mask=mask)
    result = gate * tl.sigmoid(gate) * up.to(tl.float32)
    tl.store(out_ptr + row * stride + columns, result.to(tl.bfloat16), mask=mask)


@program("*fp32 *fp32 i32 fp32 i32", BLOCK=1024)
@triton.jit
def dropout(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    keep = tl.rand(seed, offsets) > p
    tl.store(out_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=mask)


@program("*fp32 *fp32 i32", BLOCK=256)
@triton.jit
def asin(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, libdevice.asin(x), mask=mask)


@program("*fp32 *fp32 *i32 i32", BLOCK=128)
@triton.jit
def unary(x_ptr, out_ptr, int_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    y = tl.exp2(x) + tl.log(x) + tl.log2(x) + tl.sin(x) + tl.cos(x) + tl.sqrt(x)
    y += tl.rsqrt(x) + tl.abs(x) + tl.floor(x) + tl.ceil(x) + tl.erf(x)
    y += tl.sqrt_rn(x) + tl.div_rn(x, y) + tl.fma(x, y, x) + tl.clamp(x, -1.0, 1.0)
    y = tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL) + tl.minimum(x, y)
    y = tl.clamp(y, 0.0, 1.0, propagate_nan=tl.PropagateNan.ALL)
    k = tl.load(int_ptr + i)
    k = tl.umulhi(k, k) + tl.abs(k) + (k // 3) + (k % 5) + (k << 2) + (k >> 1) + (k ^ 7) + (~k & 3) + (k | 8)
    u = k.to(tl.uint32, bitcast=True)
    k += ((u // 3) + (u % 5) + (u >> 2)).to(tl.int32, bitcast=True)
    y += k.to(tl.float32) + u.to(tl.float32) + x.to(tl.int32) + x.to(tl.uint32, bitcast=True)
    y = y % x
    tl.store(out_ptr + i, y)
    tl.store(int_ptr + i, y.to(tl.int32), mask=i < n)


@program("*fp8e4nv *fp8e5 *bf16 *fp16 *fp64 *i64 *i8 *u8 *i16 *i1", BLOCK=64)
@triton.jit
def conversions(a, b, c, d, e, f, g, h, k, m, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(a + i).to(tl.float32) + tl.load(b + i).to(tl.float32)
    tl.store(a + i, x.to(tl.float8e4nv))
    tl.store(b + i, x.to(tl.float8e5))
    tl.store(c + i, x.to(tl.bfloat16))
    tl.store(c + i, x.to(tl.bfloat16, fp_downcast_rounding="rtz"))
    tl.store(d + i, x.to(tl.float16))
    tl.store(e + i, x.to(tl.float64) + tl.load(c + i))
    tl.store(f + i, x.to(tl.int64))
    tl.store(g + i, tl.load(f + i).to(tl.int8))
    tl.store(h + i, tl.load(k + i).to(tl.uint8))
    tl.store(k + i, tl.load(h + i).to(tl.int16))
    tl.store(m + i, tl.load(g + i) > 3)
    tl.store(d + i, tl.load(m + i).to(tl.float16))


# ---------------------------------------------------------------- products


@program("*fp16:16 *fp16:16 *fp16:16 i32:16 i32:16 i32:16 i32:16 i32:16 i32:16",
         BM=64, BN=64, BK=32, GROUP=8)
@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, stride_a, stride_b, stride_c,
           BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    across = tl.cdiv(N, BN)
    group = GROUP * across
    first = pid // group * GROUP
    size = min(tl.cdiv(M, BM) - first, GROUP)
    row = first + pid % group % size
    column = pid % group // size
    tl.assume(row >= 0)
    tl.assume(column >= 0)
    rows = (row * BM + tl.arange(0, BM)) % M
    columns = (column * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    a = a_ptr + rows[:, None] * stride_a + k[None, :]
    b = b_ptr + k[:, None] * stride_b + columns[None, :]
    sum = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        left = K - step * BK
        x = tl.load(a, mask=k[None, :] < left, other=0.0)
        y = tl.load(b, mask=k[:, None] < left, other=0.0)
        sum = tl.dot(x, y, sum)
        a += BK
        b += BK * stride_b
    rows = row * BM + tl.arange(0, BM)
    columns = column * BN + tl.arange(0, BN)
    c = c_ptr + stride_c * rows[:, None] + columns[None, :]
    tl.store(c, sum.to(tl.float16), mask=(rows[:, None] < M) & (columns[None, :] < N))


@program("*fp32 *fp32 *fp32 i32", S=32)
@triton.jit
def dots(a_ptr, b_ptr, c_ptr, n, S: tl.constexpr):
    i = tl.arange(0, S)
    square = i[:, None] * S + i[None, :]
    a = tl.load(a_ptr + square)
    b = tl.load(b_ptr + square)
    c = tl.dot(a, b) + tl.dot(a, b, input_precision="ieee") + tl.dot(a, b, input_precision="tf32x3")
    c += tl.dot(a.to(tl.bfloat16), b.to(tl.bfloat16))
    c += tl.dot(a.to(tl.float8e4nv), b.to(tl.float8e4nv), max_num_imprecise_acc=16)
    c += tl.dot(a.to(tl.int8), b.to(tl.int8)).to(tl.float32)
    c = tl.dot(a, tl.trans(b), c)
    tl.store(c_ptr + square, c)


@program("*u8 *u8 *u8 *u8 *fp32")
@triton.jit
def dot_scaled(a_ptr, sa_ptr, b_ptr, sb_ptr, c_ptr):
    m, n, k, s = tl.arange(0, 32), tl.arange(0, 32), tl.arange(0, 64), tl.arange(0, 4)
    a = tl.load(a_ptr + m[:, None] * 64 + k[None, :])
    b = tl.load(b_ptr + k[:, None] * 32 + n[None, :])
    sa = tl.load(sa_ptr + m[:, None] * 4 + s[None, :])
    sb = tl.load(sb_ptr + n[:, None] * 4 + s[None, :])
    c = tl.dot_scaled(a, sa, "e2m1", b, sb, "e2m1")
    k = tl.arange(0, 128)
    d = tl.load(a_ptr + m[:, None] * 128 + k[None, :])
    e = tl.load(b_ptr + k[:, None] * 32 + n[None, :]).to(tl.float8e5, bitcast=True)
    c = tl.dot_scaled(d, sa, "e4m3", e.to(tl.bfloat16), None, "bf16", acc=c)
    tl.store(c_ptr + m[:, None] * 32 + n[None, :], c)


@program("*fp16:16 *fp16:16 *fp16:16 i32 i32 i32", BM=32, BN=32, BK=32)
@triton.jit
def block_pointers(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    a = tl.make_block_ptr(a_ptr, (M, K), (K, 1), (row, 0), (BM, BK), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (N, 1), (0, column), (BK, BN), (1, 0))
    c = tl.make_block_ptr(c_ptr, (M, N), (N, 1), (row, column), (BM, BN), (1, 0))
    sum = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a, boundary_check=(0, 1), padding_option="zero")
        y = tl.load(b, boundary_check=(0, 1), padding_option="nan", cache_modifier=".cg")
        sum = tl.dot(x, y, sum)
        a = tl.advance(a, (0, BK))
        b = b.advance((BK, 0))
    tl.store(c, sum.to(tl.float16), boundary_check=(0, 1))


@program("*fp16:16 *fp16:16 *fp16:16 i32 i32 i32", BM=64, BN=64, BK=64)
@triton.jit
def descriptors(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK], padding_option="nan")
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    programs = tl.num_programs(0)
    tiles = tl.cdiv(M, BM) * tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tiles, programs, flatten=True, warp_specialize=True,
                         disallow_acc_multi_buffer=True):
        row = tile // tl.cdiv(N, BN) * BM
        column = tile % tl.cdiv(N, BN) * BN
        sum = tl.zeros((BM, BN), tl.float32)
        for k in tl.range(0, K, BK, loop_unroll_factor=2, num_stages=3):
            sum = tl.dot(a.load([row, k]), b.load([column, k]).T, sum)
        c.store([row, column], sum.to(tl.float16))


@program("*i8:16 *fp32:16 *i32:16 *u32:16 i32 i32")
@triton.jit
def descriptor_forms(x_ptr, y_ptr, i_ptr, u_ptr, M, N):
    x = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [1, 32])
    y = tl.make_tensor_descriptor(y_ptr, [M, N], [N, 1], [16, 32])
    u = tl.make_tensor_descriptor(u_ptr, [M, N], [N, 1], [16, 32])
    rows = tl.load(i_ptr + tl.arange(0, 16))
    values = x.gather(rows, 32)
    x.scatter(values, rows, 64)
    z = y.load([0, 0])
    y.atomic_add([0, 0], z)
    k = tl.load(i_ptr + tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :]).to(tl.uint32)
    u.atomic_max([0, 32], k)
    u.atomic_min([0, 32], k)
    u.atomic_and([0, 32], k)
    u.atomic_or([0, 32], k)
    u.atomic_xor([0, 32], k)


@program("tensordesc<fp16[64,64]> *fp32 i32")
@triton.jit
def descriptor_argument(a, out_ptr, k):
    i = tl.arange(0, 64)
    tl.store(out_ptr + i[:, None] * 64 + i[None, :], a.load([k, 0]).to(tl.float32))


@program("*fp16:16 *fp16:16 *fp16:16 *fp16:16 i32 fp32", BM=64, BN=32, D=64)
@triton.jit
def attention(q_ptr, k_ptr, v_ptr, o_ptr, n, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(1).to(tl.int64) * n * D
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + head + rows[:, None] * D + d[None, :], mask=rows[:, None] < n, other=0.0)
    high = tl.full([BM], -float("inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    out = tl.zeros([BM, D], tl.float32)
    end = min(n, (tl.program_id(0) + 1) * BM)
    for start in range(0, end, BN):
        start = tl.multiple_of(start, BN)
        columns = start + tl.arange(0, BN)
        k = tl.load(k_ptr + head + columns[None, :] * D + d[:, None], mask=columns[None, :] < n, other=0.0)
        s = tl.dot(q, k) * (scale * 1.44269504)
        s = tl.where((rows[:, None] >= columns[None, :]) & (columns[None, :] < n), s, -1.0e6)
        new = tl.maximum(high, tl.max(s, 1))
        p = tl.math.exp2(s - new[:, None])
        fade = tl.math.exp2(high - new)
        total = total * fade + tl.sum(p, 1)
        v = tl.load(v_ptr + head + columns[:, None] * D + d[None, :], mask=columns[:, None] < n, other=0.0)
        out = tl.dot(p.to(tl.float16), v, out * fade[:, None])
        high = new
    out = out / total[:, None]
    tl.store(o_ptr + head + rows[:, None] * D + d[None, :], out.to(tl.float16), mask=rows[:, None] < n)


# ---------------------------------------------------------------- norms, reductions, scans


@program("*fp16:16 *fp16:16 *fp16:16 *fp16:16 *fp32 *fp32 i32 i32 fp32", BLOCK=512)
@triton.jit
def layer_norm(x_ptr, y_ptr, w_ptr, b_ptr, mean_ptr, rstd_ptr, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * stride
    y_ptr += row * stride
    sum = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        columns = off + tl.arange(0, BLOCK)
        sum += tl.load(x_ptr + columns, mask=columns < N, other=0.0).to(tl.float32)
    mean = tl.sum(sum, axis=0) / N
    square = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        columns = off + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + columns, mask=columns < N, other=0.0).to(tl.float32)
        x = tl.where(columns < N, x - mean, 0.0)
        square += x * x
    rstd = 1 / tl.sqrt(tl.sum(square, axis=0) / N + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    for off in range(0, N, BLOCK):
        columns = off + tl.arange(0, BLOCK)
        mask = columns < N
        w = tl.load(w_ptr + columns, mask=mask)
        b = tl.load(b_ptr + columns, mask=mask)
        x = tl.load(x_ptr + columns, mask=mask, other=0.0, eviction_policy="evict_first").to(tl.float32)
        tl.store(y_ptr + columns, (x - mean) * rstd * w + b, mask=mask)


@program("*fp16 *fp32 *fp32 *i32 i32 i32", GROUP=4, BLOCK=128)
@triton.jit
def layer_norm_backward(dw_part, dw_ptr, db_ptr, lock_ptr, M, N, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < N
    lock_ptr += row % GROUP
    count_ptr = lock_ptr + GROUP
    part = tl.load(dw_part + row * N + columns, mask=mask, other=0).to(tl.float32)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    count = tl.load(count_ptr)
    if count == 0:
        tl.atomic_xchg(count_ptr, 1)
    else:
        part += tl.load(dw_ptr + row % GROUP * N + columns, mask=mask)
    tl.store(dw_ptr + row % GROUP * N + columns, part, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@program("*fp32 *fp32 *i32 i32", BLOCK=64)
@triton.jit
def reductions(x_ptr, out_ptr, index_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i[:, None] * BLOCK + i[None, :])
    high, where = tl.max(x, 1, return_indices=True)
    low, at = tl.min(x, 1, return_indices=True, return_indices_tie_break_left=False)
    tl.store(out_ptr + i, high + low + tl.sum(x, 0))
    tl.store(index_ptr + i, where + at + tl.argmax(x, 0) + tl.argmin(x, 0))
    tl.store(out_ptr, tl.max(x) + tl.min(x) + tl.sum(x, keep_dims=True).reshape(1).sum())
    k = tl.load(index_ptr + i)
    tl.store(index_ptr, tl.xor_sum(k) + tl.reduce_or(k, 0) + tl.max(k, 0, keep_dims=True).sum())


@triton.jit
def _first_order(a0, b0, a1, b1):
    return a0 * a1, b0 * a1 + b1


@program("*fp32 *fp32 *fp32 *i32", BLOCK=64)
@triton.jit
def scans(a_ptr, b_ptr, out_ptr, i_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(a_ptr + i)
    b = tl.load(b_ptr + i)
    tl.store(out_ptr + i, tl.cumsum(a, 0) + tl.cumprod(b, 0, reverse=True))
    p, q = tl.associative_scan((a, b), 0, _first_order)
    tl.store(out_ptr + i, p + q)
    k = tl.load(i_ptr + i)
    tl.store(i_ptr + i, tl.sort(k))
    tl.store(i_ptr + i, tl.flip(k, 0) + tl.histogram(k, BLOCK) + tl.histogram(k, BLOCK, mask=k < 9))
    tl.store(i_ptr + tl.arange(0, 8), tl.topk(k, 8))


# ---------------------------------------------------------------- the rest of the operations


@program("*i32 *u32 *fp32 *fp16 *i64 i32", BLOCK=64)
@triton.jit
def atomics(i_ptr, u_ptr, f_ptr, h_ptr, l_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n
    k = tl.atomic_add(i_ptr + i, 1, mask=mask)
    k += tl.atomic_max(i_ptr + i, k) + tl.atomic_min(i_ptr + i, k, sem="relaxed")
    k += tl.atomic_and(i_ptr + i, k, sem="acquire") + tl.atomic_or(i_ptr + i, k, sem="release")
    k += tl.atomic_xor(i_ptr + i, k, scope="cta") + tl.atomic_xchg(i_ptr + i, k, scope="sys")
    u = tl.atomic_max(u_ptr + i, k.to(tl.uint32)) + tl.atomic_min(u_ptr + i, k.to(tl.uint32))
    x = tl.atomic_add(f_ptr + i, 1.5) + tl.atomic_max(f_ptr + i, 2.0) + tl.atomic_min(f_ptr + i, -2.0)
    tl.atomic_add(h_ptr + i, x.to(tl.float16))
    tl.atomic_cas(i_ptr + i, k, u.to(tl.int32))
    zero = tl.full([], 0, tl.int64)
    tl.atomic_cas(l_ptr, zero, zero + 1, sem="acquire", scope="gpu")


@program("*fp32 *i32", BLOCK=32)
@triton.jit
def shapes(x_ptr, i_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    y = tl.join(x, x + 1)
    a, b = y.split()
    c = tl.cat(a, b, can_reorder=True)
    d = tl.interleave(a, b)
    e = tl.reshape(c + d, (4, 2, 8)).permute(2, 0, 1)
    f = tl.ravel(e) + tl.view(e, (64,))
    g = tl.broadcast_to(x[:, None], (BLOCK, 4)).trans(1, 0)
    h = tl.gather(g, tl.broadcast_to(tl.load(i_ptr + i)[None, :], (4, BLOCK)) % BLOCK, 1)
    tl.store(x_ptr + tl.arange(0, 64), f)
    tl.store(x_ptr + tl.arange(0, 4)[:, None] * BLOCK + i[None, :], h)
    one = tl.load(x_ptr + tl.arange(0, 1))
    tl.store(x_ptr, one.reshape(1).item())


@triton.jit
def _branch(a, b):
    if a > b:
        return a - b, a
    else:
        return b * 2, b


@program("*i32 *i32", BLOCK=64)
@triton.jit
def map_elementwise(x_ptr, y_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    p, q = tl.map_elementwise(_branch, x, y)
    tl.store(x_ptr + i, p + q)


@program("*i64 *fp32 i32", BLOCK=16)
@triton.jit
def pointers(p_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    address = tl.load(p_ptr).to(tl.pointer_type(tl.float32))
    many = tl.load(p_ptr + i).to(tl.pointer_type(tl.float16))
    x = tl.load(address + i, volatile=True, cache_modifier=".ca", eviction_policy="evict_last")
    y = tl.load(many, mask=i < n, other=1.0)
    tl.store(out_ptr + i, x + y, cache_modifier=".wt", eviction_policy="evict_first")
    tl.store(p_ptr + i, (out_ptr + i).to(tl.int64))
    tl.store((out_ptr + i).to(tl.pointer_type(tl.int32), bitcast=True), i)
    hint = tl.max_constancy(tl.max_contiguous(tl.multiple_of(i * n, [8]), [4]), [2])
    tl.store(out_ptr + hint, y)


@program("*i32 *fp32 i32", BLOCK=32)
@triton.jit
def debug_print(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.device_print("values", x, n)
    tl.device_print("hex ", x, hex=True)
    tl.device_print("nothing")
    tl.device_assert(x < 100, "x is too large")
    tl.store(y_ptr + i, x / n)


@program("*i32 *i32", BLOCK=64)
@triton.jit
def inline_asm(x_ptr, y_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    y = tl.inline_asm_elementwise("add.s32 $0, $1, $2;", "=r,r,r", [x, i], dtype=tl.int32,
                                  is_pure=True, pack=1)
    a, b = tl.inline_asm_elementwise("mov.b32 $0, $2; mov.b32 $1, $2;", "=r,=r,r", [y],
                                     dtype=(tl.int32, tl.float32), is_pure=False, pack=1)
    tl.store(y_ptr + i, a + b.to(tl.int32))


@triton.jit
def _twice(x, n):
    if n > 3:
        return x
    return x * 2


@triton.jit(noinline=True)
def _far(x, y):
    return x + y, x - y


@program("*fp32 i32 i32 i32=1", BLOCK=64)
@triton.jit
def control_flow(x_ptr, n, m, one, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK) * one
    if n == 0:
        return
    x = tl.load(x_ptr + i)
    x = _twice(x, n)
    a, b = _far(n, m)
    while a > 0:
        if b > 4:
            x += 1.0
            b -= 1
        elif b > 2 and a < 7:
            x -= 1.0
        a -= 1
    for k in tl.static_range(2):
        x *= k
    for j in tl.range(m, 0, -1, disable_licm=True):
        x = x * 0.5 + (n * m)
    x = x if m > 3 else -x
    tl.store(x_ptr + i, x)


@program("*fp16 *fp16 *i64 *i32 i32 i32", BLOCK=128)
@triton.jit
def embedding_rope(table_ptr, out_ptr, index_ptr, position_ptr, dim, stride, BLOCK: tl.constexpr):
    token = tl.program_id(0)
    index = tl.load(index_ptr + token)
    position = tl.load(position_ptr + token)
    i = tl.arange(0, BLOCK)
    mask = i < dim // 2
    a = tl.load(table_ptr + index * stride + i, mask=mask, other=0).to(tl.float32)
    b = tl.load(table_ptr + index * stride + dim // 2 + i, mask=mask, other=0).to(tl.float32)
    angle = position * tl.exp2(-i.to(tl.float32) * 13.28771238 / (dim // 2))
    tl.store(out_ptr + token * dim + i, a * tl.cos(angle) - b * tl.sin(angle), mask=mask)
    tl.store(out_ptr + token * dim + dim // 2 + i, b * tl.cos(angle) + a * tl.sin(angle), mask=mask)


@program("*bf16 *i64 *fp32 i32 i32", BLOCK=256)
@triton.jit
def cross_entropy(logits_ptr, target_ptr, loss_ptr, stride, V, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    target = tl.load(target_ptr + row)
    high = -float("inf")
    total = 0.0
    for start in range(0, V, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(logits_ptr + row * stride + i, mask=i < V, other=-float("inf")).to(tl.float32)
        new = tl.maximum(high, tl.max(x))
        total = total * tl.exp(high - new) + tl.sum(tl.exp(x - new))
        high = new
    picked = tl.load(logits_ptr + row * stride + target).to(tl.float32)
    tl.store(loss_ptr + row, tl.log(total) + high - picked)


@program("*fp32 *i8 *fp32 i32", BLOCK=256)
@triton.jit
def quantize_rows(x_ptr, q_ptr, scale_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + i, mask=i < n, other=0.0)
    scale = tl.max(tl.abs(x)) / 127.0
    q = libdevice.rint(x / scale)
    tl.store(q_ptr + row * n + i, q.to(tl.int8), mask=i < n)
    tl.store(scale_ptr + row, scale)


@program("*i32 *i32 i32", BLOCK=64)
@triton.jit
def masked_lanes(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    # Masked lanes shift by 32 and more, divide by 0, and the least number by -1.
    i = tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask, other=-2147483648)
    tl.store(out_ptr + i, (1 << i) + (x >> i) + x // (i - 40) + x % (i - 41), mask=mask)
