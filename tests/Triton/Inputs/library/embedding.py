"""Rows of a table by indices, and the table's gradient by atomics where indices repeat."""
import array

import triton
import triton.language as tl

import titan
from definitions import check, f32, numbers


@triton.jit
def embedding_kernel(table_ptr, index_ptr, out_ptr, tokens, d, TOKENS: tl.constexpr, BLOCK: tl.constexpr):
    token = tl.program_id(0) * TOKENS + tl.arange(0, TOKENS)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = (token[:, None] < tokens) & (columns[None, :] < d)
    index = tl.load(index_ptr + token, mask=token < tokens, other=0)
    rows = tl.load(table_ptr + index[:, None] * d + columns[None, :], mask=mask)
    tl.store(out_ptr + token[:, None] * d + columns[None, :], rows, mask=mask)


@triton.jit
def embedding_backward_kernel(dy_ptr, index_ptr, dtable_ptr, d, BLOCK: tl.constexpr):
    token = tl.program_id(0)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = columns < d
    index = tl.load(index_ptr + token)
    tl.atomic_add(dtable_ptr + index * d + columns, tl.load(dy_ptr + token * d + columns, mask=mask), mask=mask)


if __name__ == "__main__":
    V, D, T = 10, 45, 11
    table, dy = numbers(9, V, D), numbers(10, T, D)
    indices = [(i * i) % V for i in range(T)]
    index = titan.array(array.array("i", indices))
    out, dtable = titan.empty((T, D)), titan.zeros((V, D))
    embedding_kernel[(triton.cdiv(T, 4), triton.cdiv(D, 32))](f32(table), index, out, T, D, TOKENS=4, BLOCK=32)
    embedding_backward_kernel[(T, triton.cdiv(D, 32))](f32(dy), index, dtable, D, BLOCK=32)
    check("embedding", out.tolist(), [table[i] for i in indices], 0)
    check("embedding gradient", dtable.tolist(),
          [[sum(dy[t][j] for t in range(T) if indices[t] == i) for j in range(D)] for i in range(V)], 1e-6)
