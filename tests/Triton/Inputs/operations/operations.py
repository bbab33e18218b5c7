"""Operations that the tutorials and the library's kernels have no use for, each against its definition in plain Python."""
import array
import random

import triton
import triton.language as tl

import titan
from definitions import check, f32, flat, numbers


def integers(seed, count, low, high, code="i"):
    source = random.Random(seed)
    return array.array(code, [source.randrange(low, high) for _ in range(count)])


@triton.jit
def descriptor_kernel(x_ptr, y_ptr, i_ptr, u_ptr, M, N):
    x = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [1, 32])
    y = tl.make_tensor_descriptor(y_ptr, [M, N], [N, 1], [16, 32])
    u = tl.make_tensor_descriptor(u_ptr, [M, N], [N, 1], [16, 32])
    rows = tl.load(i_ptr + tl.arange(0, 16))
    values = x.gather(rows, 32)
    x.scatter(values, rows, 64)
    y.atomic_add([8, 0], y.load([8, 0]))
    k = tl.load(i_ptr + 16 + tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :]).to(tl.uint32)
    u.atomic_max([0, 0], k)
    u.atomic_min([0, 32], k)
    u.atomic_and([0, 64], k)
    u.atomic_or([0, 96], k)
    u.atomic_xor([16, 0], k)


def descriptors():
    M, N = 20, 128
    rows = list(range(M))
    random.Random(1).shuffle(rows)
    keys = list(integers(2, 512, 0, 1 << 30))
    x0, u0 = list(integers(3, M * N, -100, 100, "b")), list(integers(4, M * N, 0, 1 << 30))
    y0 = flat(numbers(5, M, N))
    x, u = titan.array(array.array("b", x0)), titan.array(array.array("I", u0))
    y, i = f32(y0), titan.array(array.array("i", rows[:16] + keys))
    descriptor_kernel[(1,)](x, y, i, u, M, N)
    want = list(x0)
    for row in rows[:16]:
        want[row * N + 64:row * N + 96] = x0[row * N + 32:row * N + 64]
    check("descriptor_gather, descriptor_scatter", x.tolist(), want, 0)
    # The block leaves the tensor behind row 20.
    check("descriptor_reduce add", y.tolist(), [v * 2 if at // N >= 8 and at % N < 32 else v for at, v in enumerate(y0)], 0)
    combine = {(0, 0): max, (0, 32): min, (0, 64): int.__and__, (0, 96): int.__or__, (16, 0): int.__xor__}
    want = list(u0)
    for (row, column), do in combine.items():
        for r in range(16):
            for c in range(32):
                if row + r < M:
                    at = (row + r) * N + column + c
                    want[at] = do(u0[at], keys[r * 32 + c])
    check("descriptor_reduce max min and or xor", u.tolist(), want, 0)


@triton.jit
def _branch(a, b):
    if a > b:
        return a - b, a
    else:
        return b * 2, b


@triton.jit
def map_kernel(x_ptr, y_ptr, z_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    p, q = tl.map_elementwise(_branch, tl.load(x_ptr + i), tl.load(y_ptr + i))
    tl.store(z_ptr + i, p * 1000 + q)


def maps():
    x, y = integers(6, 64, -100, 100), integers(7, 64, -100, 100)
    z = titan.empty(64, "int32")
    map_kernel[(1,)](titan.array(x), titan.array(y), z, BLOCK=64)
    check("map_elementwise", z.tolist(), [(a - b) * 1000 + a if a > b else b * 2000 + b for a, b in zip(x, y)], 0)


@triton.jit
def cat_kernel(x_ptr, y_ptr, z_ptr, one_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(z_ptr + tl.arange(0, 2 * BLOCK), tl.cat(x, y, can_reorder=True))
    one = tl.load(x_ptr + 5 + tl.arange(0, 1))
    tl.store(one_ptr, one.reshape(1).item() * 2)


def parts():
    x, y = integers(8, 32, -100, 100), integers(9, 32, -100, 100)
    z, one = titan.empty(64, "int32"), titan.empty(1, "int32")
    cat_kernel[(1,)](titan.array(x), titan.array(y), z, one, BLOCK=32)
    check("cat", sorted(z.tolist()), sorted(list(x) + list(y)), 0)  # In any order.
    check("unsplat", one.tolist(), [x[5] * 2], 0)


@triton.jit
def scaled_kernel(a_ptr, sa_ptr, b_ptr, sb_ptr, c_ptr):
    m, n, s = tl.arange(0, 32), tl.arange(0, 32), tl.arange(0, 4)
    k = tl.arange(0, 64)
    a = tl.load(a_ptr + m[:, None] * 64 + k[None, :])
    b = tl.load(b_ptr + k[:, None] * 32 + n[None, :])
    sa = tl.load(sa_ptr + m[:, None] * 4 + s[None, :])
    sb = tl.load(sb_ptr + n[:, None] * 4 + s[None, :])
    tl.store(c_ptr + m[:, None] * 32 + n[None, :], tl.dot_scaled(a, sa, "e2m1", b, sb, "e2m1"))


def scaled():
    values = [0, .5, 1, 1.5, 2, 3, 4, 6, -0., -.5, -1, -1.5, -2, -3, -4, -6]
    a, b = integers(10, 32 * 64, 0, 256, "B"), integers(11, 64 * 32, 0, 256, "B")
    sa, sb = integers(12, 32 * 4, 122, 132, "B"), integers(13, 32 * 4, 122, 132, "B")
    c = titan.empty((32, 32))
    scaled_kernel[(1,)](titan.array(a), titan.array(sa), titan.array(b), titan.array(sb), c)
    # Two elements a byte along K, the first in the low bits; a scale is 2^(byte - 127) of 32 elements.
    half = lambda byte, k: values[byte >> 4 if k % 2 else byte & 15]
    want = [sum(half(a[m * 64 + k // 2], k) * 2.0 ** (sa[m * 4 + k // 32] - 127) *
                half(b[k // 2 * 32 + n], k) * 2.0 ** (sb[n * 4 + k // 32] - 127) for k in range(128))
            for m in range(32) for n in range(32)]
    check("dot_scaled", flat(c.tolist()), want, 1e-6)


@triton.jit
def print_kernel(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.device_print("values", tl.load(x_ptr + i), n)


@triton.jit
def write_addresses_kernel(x_ptr, address_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(address_ptr + i, (x_ptr + i).to(tl.int64))


@triton.jit
def follow_addresses_kernel(address_ptr, y_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(tl.load(address_ptr + i).to(tl.pointer_type(tl.float32))))


@triton.jit
def both_kernel(x_ptr, address_ptr, y_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(address_ptr + i, (x_ptr + i).to(tl.int64))
    tl.debug_barrier()
    tl.store(y_ptr + i, tl.load(tl.load(address_ptr + i).to(tl.pointer_type(tl.float32))))


def addresses():
    """An address is the host's: another launch finds what it is of."""
    values = flat(numbers(14, 16))
    x, address = f32(values), titan.empty(16, "int64")
    write_addresses_kernel[(1,)](x, address, BLOCK=16)
    check("ptr_to_int", address.tolist(), [x.data_ptr() + 4 * i for i in range(16)], 0)
    y = titan.empty(16)
    follow_addresses_kernel[(1,)](address, y, BLOCK=16)
    check("int_to_ptr of another launch", y.tolist(), values, 0)
    y = titan.empty(16)
    both_kernel[(1,)](x, titan.empty(16, "int64"), y, BLOCK=16)
    check("int_to_ptr of the same launch", y.tolist(), values, 0)


if __name__ == "__main__":
    descriptors()
    maps()
    parts()
    scaled()
    addresses()
    print_kernel[(1,)](titan.array(array.array("i", [3, -4])), 30, BLOCK=2)
