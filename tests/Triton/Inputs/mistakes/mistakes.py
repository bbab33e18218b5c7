"""Each kernel twice: with a mistake, and right. What is found is printed, with the line of Python."""
import sys

import triton
import triton.language as tl

import titan
from titan.simulation import Refused


def run(name, launch):
    try:
        launch()
        print(f"{name}: runs")
    except Refused as error:
        print(f"{name}: {error}")
    print(flush=True)


def both(name, launch):
    run(name, lambda: launch(0))
    run(name + ", right", lambda: launch(1))


def numbers(n, dtype="float32"):
    return titan.zeros(n, dtype)


@triton.jit
def mask(x, y, n, B: tl.constexpr, RIGHT: tl.constexpr):
    offsets = tl.program_id(0) * B + tl.arange(0, B)
    inside = offsets < n if RIGHT else offsets <= n
    tl.store(y + offsets, tl.load(x + offsets, mask=inside), mask=inside)


both("a mask off by one", lambda right: mask[(4, )](numbers(100), numbers(128), 100, B=32, RIGHT=right))
# A view may go on in its storage, but not further.
both("a view", lambda right: mask[(4, )](numbers(200)[100 if right else 101:], numbers(128), 100, B=32, RIGHT=1))


@triton.jit
def matrix(x, y, rows, columns, stride, B: tl.constexpr):
    r, c = tl.arange(0, B)[:, None], tl.arange(0, B)[None, :]
    inside = (r < rows) & (c < columns)
    tl.store(y + r * B + c, tl.load(x + r * stride + c, mask=inside, other=0.0))


both("a stride", lambda right: matrix[(1, )](numbers((20, 30)), numbers((32, 32)), 20, 30, 30 if right else 31, B=32))


@triton.jit
def cast(x, y, RIGHT: tl.constexpr):
    i = tl.arange(0, 16)
    bytes = x.to(tl.pointer_type(tl.int8)) + (4 if RIGHT else 2)
    tl.store(y + i, tl.load(bytes.to(tl.pointer_type(tl.float32)) + i))


both("misaligned", lambda right: cast[(1, )](numbers(32), numbers(16), RIGHT=right))


@triton.jit
def accumulate(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(y + i) + tl.load(x + i))


both("an accumulator that nobody wrote",
     lambda right: accumulate[(1, )](numbers(64), numbers(64) if right else titan.empty(64), B=64))


@triton.jit
def total(x, y, n, B: tl.constexpr, RIGHT: tl.constexpr):
    i = tl.arange(0, B)
    if RIGHT:
        values = tl.load(x + i, mask=i < n, other=0.0)
    else:
        values = tl.load(x + i, mask=i < n)
    tl.store(y, tl.sum(values))


both("a sum over masked lanes", lambda right: total[(1, )](numbers(50), numbers(1), 50, B=64, RIGHT=right))


@triton.jit
def gather(x, indices, y, n, B: tl.constexpr, RIGHT: tl.constexpr):
    i = tl.arange(0, B)
    if RIGHT:
        at = tl.load(indices + i, mask=i < n, other=0)
    else:
        at = tl.load(indices + i, mask=i < n)
    tl.store(y + i, tl.load(x + at))


both("an index from masked lanes",
     lambda right: gather[(1, )](numbers(64), numbers(50, "int32"), numbers(64), 50, B=64, RIGHT=right))


@triton.jit
def branch(x, y, n, RIGHT: tl.constexpr):
    flag = tl.load(x, mask=n > 3, other=0) if RIGHT else tl.load(x, mask=n > 3)
    if flag > 0:
        tl.store(y, 1)


both("a branch on a masked value",
     lambda right: branch[(1, )](numbers(1, "int32"), numbers(1, "int32"), 2, RIGHT=right))


@triton.jit
def rows(y, B: tl.constexpr, RIGHT: tl.constexpr):
    stride = B if RIGHT else B - 1
    tl.store(y + tl.program_id(0) * stride + tl.arange(0, B), tl.program_id(0).to(tl.float32))


both("two programs on one element", lambda right: rows[(3, )](numbers(96), B=32, RIGHT=right))


@triton.jit
def neighbour(x, y, B: tl.constexpr, RIGHT: tl.constexpr):
    pid = tl.program_id(0)
    i = tl.arange(0, B)
    tl.store(x + pid * B + i, 1.0)
    other = pid if RIGHT else (pid + 1) % tl.num_programs(0)
    tl.store(y + pid * B + i, tl.load(x + other * B + i))


both("a read of what another program writes",
     lambda right: neighbour[(2, )](numbers(64), numbers(64), B=32, RIGHT=right))


@triton.jit
def shift(x, n, B: tl.constexpr, RIGHT: tl.constexpr):
    i = tl.arange(0, B)
    values = tl.load(x + i, mask=i < n - 1)
    if RIGHT:
        tl.debug_barrier()
    tl.store(x + 1 + i, values, mask=i < n - 1)


both("elements of one program", lambda right: shift[(1, )](numbers(64), 64, B=64, RIGHT=right))


@triton.jit
def copy(x, y, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i))


def in_place(right):
    memory = numbers(128)
    copy[(2, )](memory, memory if right else memory[32:], B=32)


both("two arguments in one storage", in_place)


@triton.jit
def count(x, sum, B: tl.constexpr, RIGHT: tl.constexpr):
    part = tl.sum(tl.load(x + tl.program_id(0) * B + tl.arange(0, B)))
    if RIGHT:
        tl.atomic_add(sum, part)
    else:
        tl.store(sum, tl.load(sum) + part)


both("plain where it is to be atomic", lambda right: count[(4, )](numbers(128), numbers(1), B=32, RIGHT=right))


@triton.jit
def scope(sum, RIGHT: tl.constexpr):
    if RIGHT:
        tl.atomic_add(sum, 1)
    else:
        tl.atomic_add(sum, 1, scope="cta")


both("an atomic of the program's own scope", lambda right: scope[(2, )](numbers(1, "int32"), RIGHT=right))


@triton.jit
def lock(sum, lock_ptr, n, B: tl.constexpr, BARRIER: tl.constexpr, RELEASE: tl.constexpr):
    i = tl.arange(0, B)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(sum + i, tl.load(sum + i, mask=i < n, other=0) + 1, mask=i < n)
    if BARRIER:
        tl.debug_barrier()
    if RELEASE:
        tl.atomic_xchg(lock_ptr, 0)


both("a lock released before the stores",
     lambda right: lock[(5, )](numbers(50), numbers(1, "int32"), 50, B=64, BARRIER=right, RELEASE=1))
both("a lock that nobody releases",
     lambda right: lock[(3, )](numbers(50), numbers(1, "int32"), 50, B=64, BARRIER=1, RELEASE=right))


@triton.jit
def hand_over(data, flag, out, B: tl.constexpr, RIGHT: tl.constexpr):
    i = tl.arange(0, B)
    if tl.program_id(0) == 0:
        tl.store(data + i, 7.0)
        tl.debug_barrier()
        if RIGHT:
            tl.atomic_xchg(flag, 1, sem="release")
        else:
            tl.atomic_xchg(flag, 1, sem="relaxed")
    else:
        while tl.atomic_add(flag, 0, sem="acquire") == 0:
            pass
        tl.store(out + i, tl.load(data + i))


both("a flag that releases nothing",
     lambda right: hand_over[(2, )](numbers(32), numbers(1, "int32"), numbers(32), B=32, RIGHT=right))


@triton.jit
def turn(ticket):
    # Each program waits for the one behind it.
    behind = tl.num_programs(0) - 1 - tl.program_id(0)
    while tl.atomic_add(ticket, 0) < behind:
        pass
    tl.atomic_add(ticket, 1)


both("more programs than are resident", lambda right: turn[(132 if right else 133, )](numbers(1, "int32")))


@triton.jit
def ptx(x, RIGHT: tl.constexpr):
    i = tl.arange(0, 32)
    value = tl.load(x + i)
    if RIGHT:
        value = tl.abs(value)
    else:
        value = tl.inline_asm_elementwise("abs.f32 $0, $1;", "=r,r", [value], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(x + i, value)


both("PTX in a string", lambda right: ptx[(1, )](numbers(32), RIGHT=right))


@triton.jit
def inner(x, offsets):
    return tl.load(x + offsets)


@triton.jit
def calls(x, y, B: tl.constexpr):
    offsets = tl.arange(0, B)
    tl.store(y + offsets, inner(x, offsets))


both("in a function that is called", lambda right: calls[(1, )](numbers(64 if right else 60), numbers(64), B=64))
