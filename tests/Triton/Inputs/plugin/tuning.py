"""Autotuning and do_bench of 3.6 under TITAN=simulate."""
import os

os.environ["TITAN"] = "simulate"

import triton
import triton.language as tl

import titan

CONFIGS = [triton.Config({"B": size}) for size in (32, 64, 128)]


@triton.autotune(configs=CONFIGS, key=["n"], reset_to_zero=["y"])
@triton.jit
def add_all(x, y, n, B: tl.constexpr):
    tl.static_assert(B > 32)
    offsets = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(y, tl.sum(tl.load(x + offsets, mask=offsets < n, other=0)))


x, y = titan.zeros(100, "int32"), titan.zeros(1, "int32")
add_all[lambda meta: (triton.cdiv(100, meta["B"]), )](x, y, 100)
print("the first configuration that compiles:", add_all.best_config.kwargs["B"])
calls = []
triton.testing.do_bench(lambda: calls.append(add_all[(2, )](x, y, 100)))
print(f"do_bench called it {len(calls)} times")
