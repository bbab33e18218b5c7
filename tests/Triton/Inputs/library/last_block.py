"""A sum over the grid: whoever comes last adds the parts of all, which an atomic counter tells."""
import math

import triton
import triton.language as tl

import titan
from definitions import check, f32, numbers


@triton.jit
def last_block_kernel(x_ptr, part_ptr, count_ptr, out_ptr, n, BLOCK: tl.constexpr, PROGRAMS: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    part = tl.sum(tl.load(x_ptr + offsets, mask=offsets < n, other=0.0))
    tl.store(part_ptr + pid, part)
    tl.debug_barrier()
    done = tl.atomic_add(count_ptr, 1)
    if done == tl.num_programs(0) - 1:
        i = tl.arange(0, PROGRAMS)
        tl.store(out_ptr, tl.sum(tl.load(part_ptr + i, mask=i < tl.num_programs(0), other=0.0)))


if __name__ == "__main__":
    n = 300
    x = numbers(16, n)
    programs = triton.cdiv(n, 64)
    part, count, out = titan.empty(programs), titan.zeros(1, "int32"), titan.empty(1)
    last_block_kernel[(programs, )](f32(x), part, count, out, n, BLOCK=64, PROGRAMS=8)
    check("last_block", out.tolist(), [math.fsum(x)], 1e-5)
