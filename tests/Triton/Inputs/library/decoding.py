"""One query at a time over a cache of pages, in parts that are put together again."""
import math

import triton
import triton.language as tl


@triton.jit
def paged_decode_kernel(q_ptr, k_ptr, v_ptr, table_ptr, length_ptr, part_ptr, lse_ptr, scale, pages, HEADS: tl.constexpr,
                        PAGE: tl.constexpr, D: tl.constexpr, PARTS: tl.constexpr):
    # Of one head of one sequence, every PARTS-th page.
    sequence = tl.program_id(0)
    head = tl.program_id(1)
    part = tl.program_id(2)
    d = tl.arange(0, D)
    i = tl.arange(0, PAGE)
    q = tl.load(q_ptr + (sequence * HEADS + head) * D + d).to(tl.float32) * scale
    length = tl.load(length_ptr + sequence)
    high = -float("inf")
    total = 0.0
    out = tl.zeros((D, ), dtype=tl.float32)
    for number in range(part, tl.cdiv(length, PAGE), PARTS):
        page = tl.load(table_ptr + sequence * pages + number)
        mask = number * PAGE + i < length
        at = ((page * HEADS + head) * PAGE + i[:, None]) * D + d[None, :]
        k = tl.load(k_ptr + at, mask=mask[:, None], other=0.0).to(tl.float32)
        s = tl.where(mask, tl.sum(q[None, :] * k, axis=1), -float("inf"))
        new = tl.maximum(high, tl.max(s, axis=0))
        p = tl.exp(s - new)
        fade = tl.exp(high - new)
        v = tl.load(v_ptr + at, mask=mask[:, None], other=0.0).to(tl.float32)
        out = out * fade + tl.sum(p[:, None] * v, axis=0)
        total = total * fade + tl.sum(p, axis=0)
        high = new
    at = (sequence * HEADS + head) * PARTS + part
    tl.store(part_ptr + at * D + d, out / tl.where(total > 0.0, total, 1.0))
    tl.store(lse_ptr + at, high + tl.log(tl.where(total > 0.0, total, 1.0)))


@triton.jit
def combine_parts_kernel(part_ptr, lse_ptr, o_ptr, PARTS: tl.constexpr, D: tl.constexpr):
    row = tl.program_id(0)
    part = tl.arange(0, PARTS)
    d = tl.arange(0, D)
    lse = tl.load(lse_ptr + row * PARTS + part)
    weight = tl.exp(lse - tl.max(lse, axis=0))
    weight = weight / tl.sum(weight, axis=0)
    x = tl.load(part_ptr + (row * PARTS + part[:, None]) * D + d[None, :])
    tl.store(o_ptr + row * D + d, tl.sum(weight[:, None] * x, axis=0).to(o_ptr.dtype.element_ty))


if __name__ == "__main__":
    import array

    import titan
    from definitions import check, f16, halved, numbers

    S, H, D, PAGE, PAGES, PARTS = 3, 2, 32, 16, 5, 4
    lengths = [70, 5, 33]
    pool = S * PAGES
    table = [(7 * j + 3) % pool for j in range(pool)]
    q, k, v = halved(numbers(81, S, H, D)), halved(numbers(82, pool, H, PAGE, D)), halved(numbers(83, pool, H, PAGE, D))
    ints = lambda values: titan.array(array.array("i", values))
    part, lse, out = titan.empty((S, H, PARTS, D)), titan.empty((S, H, PARTS)), titan.empty((S, H, D))
    paged_decode_kernel[(S, H, PARTS)](f16(q), f16(k), f16(v), ints(table), ints(lengths), part, lse, 1 / math.sqrt(D), PAGES,
                                       HEADS=H, PAGE=PAGE, D=D, PARTS=PARTS)
    combine_parts_kernel[(S * H, )](part, lse, out, PARTS=PARTS, D=D)
    want = []
    for s, length in enumerate(lengths):
        for h in range(H):
            at = [(table[s * PAGES + t // PAGE], t % PAGE) for t in range(length)]
            scores = [sum(a * b for a, b in zip(q[s][h], k[page][h][i])) / math.sqrt(D) for page, i in at]
            powers = [math.exp(x - max(scores)) for x in scores]
            want.append([math.fsum(p * v[page][h][i][c] for p, (page, i) in zip(powers, at)) / math.fsum(powers) for c in range(D)])
    check("paged decode", out.tolist(), want, 1e-4)
