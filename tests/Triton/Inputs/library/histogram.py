"""How often each value occurs: a histogram a program, added by atomics."""
import array

import triton
import triton.language as tl

import titan
from definitions import check


@triton.jit
def histogram_kernel(x_ptr, h_ptr, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0)
    tl.atomic_add(h_ptr + tl.arange(0, BINS), tl.histogram(x, BINS, mask=mask))


if __name__ == "__main__":
    n = 700
    x = [(i * i + 3 * i) % 15 for i in range(n)]
    h = titan.zeros(16, "int32")
    histogram_kernel[(triton.cdiv(n, 128), )](titan.array(array.array("i", x)), h, n, BLOCK=128, BINS=16)
    check("histogram", h.tolist(), [x.count(i) for i in range(16)], 0)
