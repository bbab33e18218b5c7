"""Rows of a matrix, copied. By this name and with these parameters a driver that runs on the CPU does it, too
(unittests/Runtime/FakeCuda.cpp)."""
import array
import sys

import triton
import triton.language as tl

import titan


@triton.jit
def copy(d_ptr, a_ptr, rows, columns, stride_d: tl.int64, stride_a: tl.int64, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    mask = (i < columns) & (row < rows)
    tl.store(d_ptr + row * stride_d + i, tl.load(a_ptr + row * stride_a + i, mask=mask), mask=mask)


if __name__ == "__main__":
    grid = tuple(map(int, sys.argv[1:])) or (5, )
    a, d = titan.array(array.array("h", range(5 * 12))), titan.zeros(5 * 9, "int16")
    kernel = copy[grid](d, a, 5, 9, 9, 12, BLOCK=16)
    wanted = [12 * row + i for row in range(5) for i in range(9)]
    print("copied" if d.tolist() == wanted else "not copied", len(wanted), "elements")
