#!/usr/bin/env python3
# Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton programs, unchanged, compiled by titan and by Triton 3.6, in one run.

    python3 benchmarks/triton_programs.py prepare --titan build/bin/titan --out programs/    # needs triton, no GPU
    python3 benchmarks/triton_programs.py race --library libtitan-runtime.so programs/ [--json OUT]

prepare   the TTIR of each program, as Triton's own make_ttir leaves it for capability 90, compiled by
          `titan compile` with the same number of warps.
race      both are right first: within the program's bound of what PyTorch computes in float64, guards around the
          output intact. Then CUDA graphs of launches over rotating tensors of more than four times the L2 cache, in
          turns, in random order; the figures are the median of the rounds' ratios (above 1: titan is faster), with
          quartiles, and each one's share of a device-to-device copy of as many bytes, which takes turns, too.
"""
import argparse
import functools
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys

import triton
import triton.language as tl

ROOT = pathlib.Path(__file__).resolve().parent.parent


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


@triton.jit
def gelu(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    inner = 0.7978845608 * (x + 0.044715 * x * x * x)
    tanh = 1 - 2 / (tl.exp(2 * inner) + 1)
    tl.store(out_ptr + offsets, (0.5 * x * (1 + tanh)).to(tl.bfloat16), mask=mask)


@triton.jit
def swiglu(gate_ptr, up_ptr, out_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = columns < n_cols
    gate = tl.load(gate_ptr + row * stride + columns, mask=mask).to(tl.float32)
    up = tl.load(up_ptr + row * stride + columns, mask=mask).to(tl.float32)
    tl.store(out_ptr + row * stride + columns, (gate * tl.sigmoid(gate) * up).to(tl.bfloat16), mask=mask)


@triton.jit
def softmax(x_ptr, out_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n_cols
    x = tl.load(x_ptr + row * stride + columns, mask=mask, other=-float("inf"))
    powers = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * stride + columns, powers / tl.sum(powers, axis=0), mask=mask)


@triton.jit
def rms_norm(x_ptr, weight_ptr, out_ptr, stride, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n_cols
    x = tl.load(x_ptr + row * stride + columns, mask=mask, other=0.0).to(tl.float32)
    scale = 1 / tl.sqrt(tl.sum(x * x, axis=0) / n_cols + eps)
    weight = tl.load(weight_ptr + columns, mask=mask).to(tl.float32)
    tl.store(out_ptr + row * stride + columns, (x * scale * weight).to(tl.bfloat16), mask=mask)


@triton.jit
def layer_norm(x_ptr, weight_ptr, bias_ptr, out_ptr, stride, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n_cols
    x = tl.load(x_ptr + row * stride + columns, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / n_cols
    centred = tl.where(mask, x - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / n_cols + eps)
    weight = tl.load(weight_ptr + columns, mask=mask).to(tl.float32)
    bias = tl.load(bias_ptr + columns, mask=mask).to(tl.float32)
    tl.store(out_ptr + row * stride + columns, (centred * scale * weight + bias).to(tl.bfloat16), mask=mask)


@triton.jit
def row_sums(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for first in range(0, n_cols, BLOCK):
        columns = first + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + row * n_cols + columns, mask=columns < n_cols, other=0.0)
    tl.store(out_ptr + row, tl.sum(total, axis=0))


@triton.jit
def transpose(x_ptr, out_ptr, m, n, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inside = (rows[:, None] < m) & (columns[None, :] < n)
    x = tl.load(x_ptr + rows[:, None] * n + columns[None, :], mask=inside)
    tl.store(out_ptr + columns[:, None] * m + rows[None, :], tl.trans(x), mask=tl.trans(inside))


def ceildiv(a, b):
    return (a + b - 1) // b


# name: program, signature (as tests/Triton/Inputs/programs.py marks it), constants, warps, launch checks.
CASES = {
    "add": (add, "*fp32:16 *fp32:16 *fp32:16 i32:16", dict(BLOCK=1024), 4, []),
    "gelu": (gelu, "*bf16:16 *bf16:16 i32:16", dict(BLOCK=2048), 4, []),
    "swiglu": (swiglu, "*bf16:16 *bf16:16 *bf16:16 i32:16 i32:16", dict(BLOCK=2048), 4, ["stride >= n_cols"]),
    "softmax": (softmax, "*fp32:16 *fp32:16 i32:16 i32:16", dict(BLOCK=4096), 8, ["stride >= n_cols"]),
    "softmax_1024": (softmax, "*fp32:16 *fp32:16 i32:16 i32:16", dict(BLOCK=1024), 4, ["stride >= n_cols"]),
    "rms_norm": (rms_norm, "*bf16:16 *bf16:16 *bf16:16 i32:16 i32:16 fp32", dict(BLOCK=4096), 8, ["stride >= n_cols"]),
    "layer_norm": (layer_norm, "*bf16:16 *bf16:16 *bf16:16 *bf16:16 i32:16 i32:16 fp32", dict(BLOCK=4096), 8,
                   ["stride >= n_cols"]),
    "row_sums": (row_sums, "*fp32:16 *fp32:16 i32:16", dict(BLOCK=4096), 8, []),
    "transpose": (transpose, "*fp32:16 *fp32:16 i32:16 i32:16", dict(BM=64, BN=64), 4, []),
}


def prepare(options):
    sys.path.insert(0, str(ROOT / "scripts"))
    from triton_check import make
    os.makedirs(options.out, exist_ok=True)
    failed = 0
    for name, (fn, signature, constants, warps, checks) in CASES.items():
        path = os.path.join(options.out, name)
        with open(path + ".ttir", "w") as file:
            file.write(make(fn, signature.split(), constants)[1])
        command = [options.titan, "compile", path + ".ttir", "--num-warps", str(warps), "-o", path + ".titanpkg"]
        for check in checks:
            command += ["--launch-check", check]
        done = subprocess.run(command, capture_output=True, text=True)
        print(name, (done.stdout or done.stderr).splitlines()[-1] if done.stdout or done.stderr else "")
        if done.returncode:
            failed += 1
            print(done.stderr)
    return 1 if failed else 0


def inputs_of(name, torch, g):
    """Tensors of one launch (the last one is the output), scalars, the grid, the float64 result, its bound."""
    normal = lambda shape, dtype: torch.randn(shape, device="cuda", generator=g).to(dtype)
    f32, bf16 = torch.float32, torch.bfloat16
    if name == "add":
        n = 1 << 26
        x, y = normal(n, f32), normal(n, f32)
        return [x, y], (n,), f32, dict(n=n), lambda c: (ceildiv(n, c["BLOCK"]),), lambda: x.double() + y.double(), 2.0**-24
    if name == "gelu":
        n = 1 << 27
        x = normal(n, bf16)
        return [x], (n,), bf16, dict(n=n), lambda c: (ceildiv(n, c["BLOCK"]),), lambda: torch.nn.functional.gelu(
            x.double(), approximate="tanh"), 2.0**-8
    if name == "swiglu":
        m, n = 8192, 14336
        a, b = normal((m, n), bf16), normal((m, n), bf16)
        return [a, b], (m, n), bf16, dict(stride=n, n_cols=n), lambda c: (m, ceildiv(n, c["BLOCK"])), lambda: (
            torch.nn.functional.silu(a.double()) * b.double()), 2.0**-8
    if name.startswith("softmax"):
        m, n = (16384, 4096) if name == "softmax" else (65536, 1024)
        x = normal((m, n), f32)
        return [x], (m, n), f32, dict(stride=n, n_cols=n), lambda c: (m,), lambda: torch.softmax(x.double(), 1), 2.0**-18
    if name == "rms_norm":
        m, n = 16384, 4096
        x, w = normal((m, n), bf16), normal(n, bf16)
        return [x, w], (m, n), bf16, dict(stride=n, n_cols=n, eps=1e-5), lambda c: (m,), lambda: (
            x.double() * torch.rsqrt((x.double()**2).mean(1, True) + 1e-5) * w.double()), 2.0**-8
    if name == "layer_norm":
        m, n = 16384, 4096
        x, w, b = normal((m, n), bf16), normal(n, bf16), normal(n, bf16)
        return [x, w, b], (m, n), bf16, dict(stride=n, n_cols=n, eps=1e-5), lambda c: (m,), lambda: (
            torch.nn.functional.layer_norm(x.double(), (n,), w.double(), b.double(), 1e-5)), 2.0**-7
    if name == "row_sums":
        m, n = 4096, 32768
        x = normal((m, n), f32)
        return [x], (m,), f32, dict(n_cols=n), lambda c: (m,), lambda: x.double().sum(1), 2.0**-10
    m, n = 8192, 8192
    x = normal((m, n), f32)
    return [x], (n, m), f32, dict(m=m, n=n), lambda c: (ceildiv(m, c["BM"]), ceildiv(n, c["BN"])), lambda: x.double().T, 0


def race(options):
    import torch
    import gemm
    from gemm import Library, read_packages
    gemm.DTYPES.setdefault(torch.int8, 10)
    rng = random.Random(options.seed)
    library = Library(options.library)
    torch.zeros(1, device="cuda")
    report = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "triton": triton.__version__,
              "seed": options.seed, "cases": []}
    failures, ratios = 0, []
    for name, (fn, _, constants, warps, _) in CASES.items():
        path = os.path.join(options.folder, name + ".titanpkg")
        if not os.path.exists(path):
            print(f"{name:14s} no package")
            continue
        kernel = read_packages(library, [path])[0]
        g = torch.Generator("cuda").manual_seed(options.seed)
        tensors, shape, dtype, scalars, grid, expected, bound = inputs_of(name, torch, g)
        grid = grid(constants)
        count = functools.reduce(lambda a, b: a * b, shape, 1)

        def buffers():
            """The tensors again, and an output between guards."""
            return [t.clone() for t in tensors], torch.full((count + 512,), 7, device="cuda", dtype=dtype)

        def ours(ins, out):
            names = [n for n in fn.arg_names if n not in constants]
            values = dict(zip(names, [t.view(-1) for t in ins] + [out[256:-256]]))
            values.update(scalars)
            values.update({f"grid_{axis}": size for axis, size in zip("xyz", grid)})
            array = kernel.prepare(**values)
            return lambda: kernel.launch(array)

        def theirs(ins, out):
            return lambda: fn[grid](*ins, out[256:-256], *scalars.values(), **constants, num_warps=warps)

        want = expected()
        right = True
        for label, contender in (("titan", ours), ("triton", theirs)):
            ins, out = buffers()
            contender(ins, out)()
            torch.cuda.synchronize()
            got = out[256:-256].view(shape).double()
            wrong = int((~((got - want).abs() <= bound * torch.clamp(want.abs(), min=1))).sum())
            guards = bool((out[:256] == 7).all() and (out[-256:] == 7).all())
            if wrong or not guards:
                print(f"{name:14s} {label}: {wrong} elements wrong, guards {guards}")
                right = False
        del want
        if not right:
            failures += 1
            continue
        moved = sum(t.numel() * t.element_size() for t in tensors) + count * torch.finfo(dtype).bits // 8
        sets = [buffers() for _ in range(max(2, 4 * 60 * 2**20 // moved + 1))]
        source, target = (torch.empty(moved // 2, device="cuda", dtype=torch.uint8) for _ in range(2))
        contenders = {"titan": [ours(*s) for s in sets], "triton": [theirs(*s) for s in sets],
                      "copy": [lambda: target.copy_(source)]}
        launches = 2 * len(sets)
        graphs = {}
        for label, calls in contenders.items():
            for call in calls:
                call()
            torch.cuda.synchronize()
            if label == "copy":
                graphs[label] = lambda calls=calls: [calls[0]() for _ in range(launches)]
                continue
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                for i in range(launches):
                    calls[i % len(calls)]()
            graphs[label] = graph.replay
        seconds = {label: [] for label in graphs}
        for _ in range(options.rounds):
            for label in rng.sample(list(graphs), len(graphs)):
                start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                graphs[label]()
                start.record()
                graphs[label]()
                end.record()
                end.synchronize()
                seconds[label].append(start.elapsed_time(end) * 1e-3 / launches)
        each = [b / a for a, b in zip(seconds["titan"], seconds["triton"])]
        low, median, high = statistics.quantiles(each)
        of_copy = {label: statistics.median(c / t for c, t in zip(seconds["copy"], seconds[label]))
                   for label in ("titan", "triton")}
        ratios.append(median)
        report["cases"].append({"name": name, "bytes": moved, "seconds": seconds, "ratio": [low, median, high],
                                "of_copy": of_copy})
        print(f"{name:14s} {median:.3f} ({low:.3f} to {high:.3f}) of Triton; of the copy: titan {of_copy['titan']:.3f}, "
              f"Triton {of_copy['triton']:.3f}")
        del sets, contenders, graphs
        torch.cuda.empty_cache()
    if ratios:
        print(f"geometric mean {statistics.geometric_mean(ratios):.3f}, least {min(ratios):.3f}; failures: {failures}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(report, file)
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("prepare")
    p.add_argument("--titan", required=True)
    p.add_argument("--out", required=True)
    p = commands.add_parser("race")
    p.add_argument("folder")
    p.add_argument("--library", required=True)
    p.add_argument("--rounds", type=int, default=15)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--json")
    options = parser.parse_args()
    return prepare(options) if options.command == "prepare" else race(options)


if __name__ == "__main__":
    raise SystemExit(main())
