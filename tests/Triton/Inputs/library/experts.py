"""A mixture of experts: tokens counted, brought into the experts' order, multiplied, and summed again."""
import triton
import triton.language as tl


@triton.jit
def count_kernel(expert_ptr, count_ptr, n, EXPERTS: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    expert = tl.load(expert_ptr + offsets, mask=mask, other=0)
    counts = tl.histogram(expert, EXPERTS, mask=mask)
    tl.atomic_add(count_ptr + tl.arange(0, EXPERTS), counts, sem="relaxed")


@triton.jit
def place_kernel(expert_ptr, count_ptr, place_ptr, n, EXPERTS: tl.constexpr, BLOCK: tl.constexpr):
    # One program: each token's place is how many go to lower experts, or to its own before it.
    counts = tl.load(count_ptr + tl.arange(0, EXPERTS))
    seen = tl.cumsum(counts, axis=0) - counts
    experts = tl.arange(0, EXPERTS)
    for start in range(0, n, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        mask = offsets < n
        expert = tl.load(expert_ptr + offsets, mask=mask, other=0)
        chosen = ((expert[:, None] == experts[None, :]) & mask[:, None]).to(tl.int32)
        before = tl.cumsum(chosen, axis=0) - chosen + seen[None, :]
        tl.store(place_ptr + offsets, tl.sum(chosen * before, axis=1), mask=mask)
        seen += tl.sum(chosen, axis=0)


@triton.jit
def permute_kernel(x_ptr, place_ptr, y_ptr, d, TOP: tl.constexpr, BLOCK: tl.constexpr):
    # Each of a token's TOP copies goes to its place.
    slot = tl.program_id(0)
    place = tl.load(place_ptr + slot)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = columns < d
    x = tl.load(x_ptr + (slot // TOP) * d + columns, mask=mask)
    tl.store(y_ptr + place * d + columns, x, mask=mask)


@triton.jit
def combine_kernel(y_ptr, place_ptr, weight_ptr, out_ptr, d, TOP: tl.constexpr, BLOCK: tl.constexpr):
    token = tl.program_id(0)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = columns < d
    total = tl.zeros((BLOCK, ), dtype=tl.float32)
    for k in tl.static_range(TOP):
        place = tl.load(place_ptr + token * TOP + k)
        weight = tl.load(weight_ptr + token * TOP + k)
        total += weight * tl.load(y_ptr + place * d + columns, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + token * d + columns, total.to(out_ptr.dtype.element_ty), mask=mask)


@triton.jit
def expert_matmul_kernel(x_ptr, w_ptr, row_ptr, block_expert_ptr, y_ptr, rows, N, K, BM: tl.constexpr, BN: tl.constexpr,
                         BK: tl.constexpr):
    # Each block of rows is one expert's; its rows are those of row_ptr, padded by `rows`.
    block = tl.program_id(0)
    expert = tl.load(block_expert_ptr + block).to(tl.int64)
    slot = block * BM + tl.arange(0, BM)
    row = tl.load(row_ptr + slot)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    sum = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(x_ptr + row[:, None] * K + k[None, :], mask=(row[:, None] < rows) & (k[None, :] < K), other=0.0)
        w = tl.load(w_ptr + expert * N * K + columns[None, :] * K + k[:, None], mask=(columns[None, :] < N) & (k[:, None] < K),
                    other=0.0)
        sum = tl.dot(x, w, sum)
    tl.store(y_ptr + row[:, None] * N + columns[None, :], sum.to(y_ptr.dtype.element_ty),
             mask=(row[:, None] < rows) & (columns[None, :] < N))


if __name__ == "__main__":
    import array

    import titan
    from definitions import check, f16, f32, halved, numbers

    T, TOP, E, D = 45, 2, 8, 50
    chosen = [(t * t + 3 * k) % E for t in range(T) for k in range(TOP)]
    ints = lambda values: titan.array(array.array("i", values))
    counts, places = titan.zeros(E, "int32"), titan.empty(T * TOP, "int32")
    count_kernel[(triton.cdiv(T * TOP, 32), )](ints(chosen), counts, T * TOP, EXPERTS=E, BLOCK=32)
    check("experts count", counts.tolist(), [chosen.count(e) for e in range(E)], 0)
    place_kernel[(1, )](ints(chosen), counts, places, T * TOP, EXPERTS=E, BLOCK=32)
    order = sorted(range(T * TOP), key=lambda i: chosen[i])
    check("experts place", places.tolist(), [order.index(i) for i in range(T * TOP)], 0)
    x, weights = numbers(61, T, D), numbers(62, T, TOP, low=0, high=1)
    y, out = titan.empty((T * TOP, D)), titan.empty((T, D))
    permute_kernel[(T * TOP, triton.cdiv(D, 32))](f32(x), places, y, D, TOP=TOP, BLOCK=32)
    check("experts permute", y.tolist(), [x[i // TOP] for i in order], 0)
    combine_kernel[(T, triton.cdiv(D, 32))](y, places, f32(weights), out, D, TOP=TOP, BLOCK=32)
    check("experts combine", out.tolist(), [[v * (w[0] + w[1]) for v in row] for row, w in zip(x, weights)], 1e-5)

    R, N, K, BM = 37, 40, 48, 16
    expert_of = [(r * 5) % 3 for r in range(R)]
    slots, blocks = [], []
    for e in range(3):
        mine = [r for r in range(R) if expert_of[r] == e]
        mine += [R] * (-len(mine) % BM)
        slots += mine
        blocks += [e] * (len(mine) // BM)
    x, w, y = halved(numbers(63, R, K)), halved(numbers(64, 3, N, K)), titan.empty((R, N))
    expert_matmul_kernel[(len(blocks), triton.cdiv(N, 32))](f16(x), f16(w), ints(slots), ints(blocks), y, R, N, K, BM=BM, BN=32, BK=16)
    check("expert matmul", y.tolist(), [[sum(a * b for a, b in zip(row, column)) for column in w[expert_of[r]]]
                                        for r, row in enumerate(x)], 1e-4)
