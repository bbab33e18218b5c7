"""02: softmax of rows, a persistent grid sized by the device."""
import math

import triton
import triton.language as tl
from triton.runtime import driver

import titan
from definitions import check, f32, numbers


@triton.jit
def softmax_kernel(out_ptr, in_ptr, in_stride, out_stride, rows, columns, BLOCK: tl.constexpr,
                   num_stages: tl.constexpr):
    first = tl.program_id(0)
    step = tl.num_programs(0)
    for row in tl.range(first, rows, step, num_stages=num_stages):
        offsets = tl.arange(0, BLOCK)
        mask = offsets < columns
        values = tl.load(in_ptr + row * in_stride + offsets, mask=mask, other=-float("inf"))
        values = values - tl.max(values, axis=0)
        powers = tl.exp(values)
        total = tl.sum(powers, axis=0)
        tl.store(out_ptr + row * out_stride + offsets, powers / total, mask=mask)


def softmax(x):
    rows, columns = x.shape
    y = titan.empty(x.shape)
    block = triton.next_power_of_2(columns)
    properties = driver.active.utils.get_device_properties(driver.active.get_current_device())
    kernel = softmax_kernel.warmup(y, x, x.stride(0), y.stride(0), rows, columns, BLOCK=block, num_stages=4,
                                   num_warps=8, grid=(1, ))
    kernel._init_handles()
    occupancy = properties["max_num_regs"] // (kernel.n_regs * properties["warpSize"] * 8)
    programs = min(properties["multiprocessor_count"] * occupancy, rows)
    kernel[(programs, 1, 1)](y, x, x.stride(0), y.stride(0), rows, columns, block, 4)
    return y


def definition(row):
    powers = [math.exp(v - max(row)) for v in row]
    return [p / math.fsum(powers) for p in powers]


if __name__ == "__main__":
    x = numbers(3, 1823 // 16, 781 // 4)
    check("softmax", softmax(f32(x)).tolist(), [definition(row) for row in x], 1e-6)
