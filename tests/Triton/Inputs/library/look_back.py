"""A scan in one pass: each program waits for the sum of all before it, and publishes its own (release, acquire)."""
import itertools

import triton
import triton.language as tl

import titan
from definitions import check, f32, numbers


@triton.jit
def look_back_kernel(x_ptr, y_ptr, sum_ptr, flag_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    before = 0.0
    if pid > 0:
        while tl.atomic_add(flag_ptr + pid - 1, 0, sem="acquire") == 0:
            pass
        before = tl.load(sum_ptr + pid - 1)
    tl.store(sum_ptr + pid, before + tl.sum(x))
    tl.debug_barrier()
    tl.atomic_xchg(flag_ptr + pid, 1, sem="release")
    tl.store(y_ptr + offsets, before + tl.cumsum(x, axis=0), mask=offsets < n)


if __name__ == "__main__":
    n = 300
    x = numbers(17, n)
    programs = triton.cdiv(n, 32)
    y, sums, flags = titan.empty(n), titan.empty(programs), titan.zeros(programs, "int32")
    look_back_kernel[(programs, )](f32(x), y, sums, flags, n, BLOCK=32)
    check("look_back", y.tolist(), list(itertools.accumulate(x)), 1e-5)
