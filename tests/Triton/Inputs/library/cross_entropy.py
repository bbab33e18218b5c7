"""Cross entropy of rows by blocks with a running maximum; logits become their gradients in place."""
import array
import math

import triton
import triton.language as tl

import titan
from definitions import check, f32, numbers


@triton.jit
def cross_entropy_kernel(x_ptr, target_ptr, loss_ptr, stride, n, rows, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * stride
    target = tl.load(target_ptr + row)
    high = float("-inf")
    total = 0.0
    chosen = tl.load(x_ptr + target)
    for at in range(0, n, BLOCK):
        columns = at + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + columns, mask=columns < n, other=float("-inf"))
        new = tl.maximum(high, tl.max(x))
        total = total * tl.exp(high - new) + tl.sum(tl.exp(x - new))
        high = new
    tl.store(loss_ptr + row, high + tl.log(total) - chosen)
    tl.debug_barrier()
    for at in range(0, n, BLOCK):
        columns = at + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + columns, mask=columns < n, other=float("-inf"))
        p = tl.exp(x - high) / total
        p = tl.where(columns == target, p - 1, p) / rows
        tl.store(x_ptr + columns, p, mask=columns < n)


if __name__ == "__main__":
    M, N = 9, 100
    x = numbers(7, M, N, low=-4, high=4)
    targets = [(i * 37) % N for i in range(M)]
    X, loss = f32(x), titan.empty(M)
    cross_entropy_kernel[(M, )](X, titan.array(array.array("i", targets)), loss, N, N, M, BLOCK=32)
    sums = [math.fsum(math.exp(v) for v in row) for row in x]
    check("cross_entropy", loss.tolist(), [math.log(s) - row[t] for s, row, t in zip(sums, x, targets)], 1e-5)
    check("cross_entropy gradient", X.tolist(), [[(math.exp(v) / s - (j == t)) / M for j, v in enumerate(row)]
                                                 for row, s, t in zip(x, sums, targets)], 1e-5)
