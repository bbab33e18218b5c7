#!/usr/bin/env python3
# Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton programs, unchanged, compiled by titan and by Triton 3.6, in one run.

    python3 benchmarks/triton_programs.py prepare --titan build/bin/titan --out programs/    # needs triton, no GPU
    python3 benchmarks/triton_programs.py race --library libtitan-runtime.so programs/ [--json OUT] [--only NAME ...]

Besides the programs here, those of tests/Triton/Inputs/tutorials and library (triton_library.py). Names choose some.

prepare   the TTIR of each program, as Triton's own make_ttir leaves it for capability 90, compiled by
          `titan compile` with the same number of warps; with the verdict of `titan check`.
race      both are right first: within the program's bound of what PyTorch computes in float64 (of a result that
          has no other definition, of each other's), guards around the outputs intact. Then CUDA graphs of launches over rotating tensors of more than four times the L2 cache, in
          turns, in random order; the figures are the median of the rounds' ratios (above 1: titan is faster), with
          quartiles, and each one's share of a device-to-device copy of as many bytes, which takes turns, too.
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import types

import triton
import triton.language as tl

import triton_library as library
from triton_library import BF16, Case, In, Out, cdiv

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


def silu(torch, x):
    return torch.nn.functional.silu(x)


def cases():
    """The programs of this file, then those of the library."""
    rows, wide = 16384, 1 << 27
    matrix = lambda dtype, cls=In, m=rows, n=4096: cls(dtype, m, n)
    softmax_of = lambda torch, a: dict(out_ptr=torch.softmax(a.x_ptr, 1))
    table = {
        "add": Case(add, dict(x_ptr=In("f32", 1 << 26), y_ptr=In("f32", 1 << 26), out_ptr=Out("f32", 1 << 26), n=1 << 26),
                    ((1 << 26) // 1024, ), lambda torch, a: dict(out_ptr=a.x_ptr + a.y_ptr), 2.0**-24, BLOCK=1024),
        "gelu": Case(gelu, dict(x_ptr=In("bf16", wide), out_ptr=Out("bf16", wide), n=wide), (wide // 2048, ), lambda torch, a: dict(
            out_ptr=torch.nn.functional.gelu(a.x_ptr, approximate="tanh")), 2.0**-8, BLOCK=2048),
        "swiglu": Case(swiglu, dict(gate_ptr=matrix("bf16", In, 8192, 14336), up_ptr=matrix("bf16", In, 8192, 14336),
                                    out_ptr=matrix("bf16", Out, 8192, 14336), stride=14336, n_cols=14336), (8192, 7),
                       lambda torch, a: dict(out_ptr=silu(torch, a.gate_ptr) * a.up_ptr), 2.0**-8, checks=["stride >= n_cols"],
                       BLOCK=2048),
        "softmax": Case(softmax, dict(x_ptr=matrix("f32"), out_ptr=matrix("f32", Out), stride=4096, n_cols=4096), (rows, ), softmax_of,
                        2.0**-18, warps=8, checks=["stride >= n_cols"], BLOCK=4096),
        "softmax_1024": Case(softmax, dict(x_ptr=matrix("f32", In, 65536, 1024), out_ptr=matrix("f32", Out, 65536, 1024), stride=1024,
                                           n_cols=1024), (65536, ), softmax_of, 2.0**-18, checks=["stride >= n_cols"], BLOCK=1024),
        "rms_norm": Case(rms_norm, dict(x_ptr=matrix("bf16"), weight_ptr=In("bf16", 4096), out_ptr=matrix("bf16", Out), stride=4096,
                                        n_cols=4096, eps=1e-5), (rows, ), lambda torch, a: dict(out_ptr=a.x_ptr * torch.rsqrt(
                                            (a.x_ptr**2).mean(1, True) + 1e-5) * a.weight_ptr), 2.0**-8, warps=8,
                         checks=["stride >= n_cols"], BLOCK=4096),
        "layer_norm": Case(layer_norm, dict(x_ptr=matrix("bf16"), weight_ptr=In("bf16", 4096), bias_ptr=In("bf16", 4096),
                                            out_ptr=matrix("bf16", Out), stride=4096, n_cols=4096, eps=1e-5), (rows, ),
                           lambda torch, a: dict(out_ptr=torch.nn.functional.layer_norm(a.x_ptr, (4096, ), a.weight_ptr, a.bias_ptr, 1e-5)),
                           BF16, warps=8, checks=["stride >= n_cols"], BLOCK=4096),
        "row_sums": Case(row_sums, dict(x_ptr=In("f32", 4096, 32768), out_ptr=Out("f32", 4096), n_cols=32768), (4096, ),
                         lambda torch, a: dict(out_ptr=a.x_ptr.sum(1)), 2.0**-10, warps=8, BLOCK=4096),
        "transpose": Case(transpose, dict(x_ptr=In("f32", 8192, 8192), out_ptr=Out("f32", 8192, 8192), m=8192, n=8192), (128, 128),
                          lambda torch, a: dict(out_ptr=a.x_ptr.T), 0, BM=64, BN=64),
    }
    return table | library.CASES


def chosen(options):
    table = cases()
    for name in options.only:
        if name not in table:
            sys.exit(f"no program {name!r}; there are {', '.join(table)}")
    return {name: case for name, case in table.items() if not options.only or name in options.only}


def prepare(options):
    sys.path.insert(0, str(ROOT / "scripts"))
    from triton_check import make
    os.makedirs(options.out, exist_ok=True)
    failed = 0
    for name, case in chosen(options).items():
        path = os.path.join(options.out, name)
        with open(path + ".ttir", "w") as file:
            file.write(make(case.fn, case.signature(), case.constants)[1])
        flags = [path + ".ttir", "--num-warps", str(case.warps), "--num-stages", str(options.num_stages)]
        for check in case.checks:
            flags += ["--launch-check", check]
        told = subprocess.run([options.titan, "check", *flags], capture_output=True, text=True)
        words = (told.stdout + told.stderr).splitlines()
        verdict = next((w.split(": ", 1)[1] for w in words if w.startswith("@")), words[-1] if words else "")
        if told.returncode:
            verdict += " " + next((w[w.find("["):] for w in words if "error: [" in w), "")
        # What the checker cannot decide, as where data decides, is compiled all the same; what it refuses is not.
        done = subprocess.run([options.titan, "compile", *flags, "-o", path + ".titanpkg"], capture_output=True, text=True)
        print(f"{name:22s} {verdict}" if not done.returncode else f"{name:22s} not compiled\n{done.stderr}", flush=True)
        failed += done.returncode != 0
    print("not compiled:", failed)
    return 1 if failed else 0


GUARD = 4096  # bytes


class Set:
    """The arguments of a launch in memory of their own, each output between guards."""

    def __init__(self, torch, case, tensors):
        self.torch, self.case, self.values, self.guarded = torch, case, {}, []
        for name, value in case.arguments.items():
            if not isinstance(value, In):
                self.values[name] = value
            elif not value.written:
                self.values[name] = tensors[name].clone()
            else:
                source = tensors[name]
                size = source.numel() * source.element_size()
                memory = torch.full((size + 2 * GUARD, ), 7, device="cuda", dtype=torch.uint8)
                inner = memory[GUARD:GUARD + size].view(source.dtype).view(source.shape)
                if type(value) is not Out:
                    inner.copy_(source)
                self.values[name] = inner
                self.guarded.append(memory)

    def titan(self, kernel):
        values = {name: v.view(-1) if isinstance(v, self.torch.Tensor) else v for name, v in self.values.items()}
        # Bytes are signless.
        values = {name: v.view(self.torch.int8) if isinstance(v, self.torch.Tensor) and v.dtype == self.torch.uint8 else v
                  for name, v in values.items()}
        values.update({f"grid_{axis}": size for axis, size in zip("xyz", self.case.grid)})
        array = kernel.prepare(**values)
        keep = dict(kernel.keep)
        return lambda keep=keep: kernel.launch(array)

    def triton(self):
        case = self.case
        return lambda: case.fn[case.grid](*self.values.values(), **case.constants, num_warps=case.warps)

    def outputs(self):
        return {name: self.values[name].double() for name, value in self.case.arguments.items()
                if isinstance(value, In) and value.written}

    def intact(self):
        return all(bool((m[:GUARD] == 7).all() and (m[-GUARD:] == 7).all()) for m in self.guarded)


def wrong(torch, found, wanted, bound):
    """How many elements are further from what is wanted than the bound; NaN is right where it is wanted."""
    wanted = wanted.double()
    close = ((found - wanted).abs() <= bound * torch.clamp(wanted.abs(), min=1)) | (found == wanted) | (found.isnan() & wanted.isnan())
    return int((~close).sum())


def check(torch, name, case, kernel, tensors):
    """Whether both contenders are right."""
    results = {}
    for label in ("titan", "triton"):
        one = Set(torch, case, tensors)
        (one.titan(kernel) if label == "titan" else one.triton())()
        torch.cuda.synchronize()
        results[label] = one.outputs()
        if not one.intact():
            print(f"{name:22s} {label}: writes beside its outputs")
            return False
    if case.expected:
        arguments = types.SimpleNamespace(**{k: v.double() for k, v in tensors.items()})
        wanted = case.expected(torch, arguments)
        del arguments
        pairs = [(label, results[label], wanted, case.bound) for label in results]
        # Numbers of few bits, which rounding decides: each other's.
        others = {which: value for which, value in results["triton"].items() if which not in wanted}
        pairs.append(("titan", results["titan"], others, max(case.bound, 1 / 8)))
    else:
        pairs = [("titan", results["titan"], results["triton"], case.bound)]
    right = True
    for label, found, wanted, bound in pairs:
        for which, value in wanted.items():
            bad = wrong(torch, found[which], value, bound)
            if bad:
                print(f"{name:22s} {label}: {bad} of {value.numel()} elements of {which} wrong")
                right = False
    return right


def race(options):
    import torch
    import gemm
    from gemm import Library, read_packages
    from race import describe
    gemm.DTYPES.update({torch.float64: 0, torch.float8_e4m3fn: 5, torch.int64: 7, torch.int16: 9, torch.int8: 10})
    rng = random.Random(options.seed)
    runtime = Library(options.library)
    torch.zeros(1, device="cuda")
    report = {**describe(), "seed": options.seed, "cases": []}
    failures, ratios = [], []
    for name, case in chosen(options).items():
        path = os.path.join(options.folder, name + ".titanpkg")
        if not os.path.exists(path):
            print(f"{name:22s} no package")
            failures.append(name)
            continue
        try:
            row = one_race(torch, options, rng, name, case, read_packages(runtime, [path])[0])
        except Exception as error:  # The others are raced all the same.
            print(f"{name:22s} {type(error).__name__}: {error}")
            row = None
        torch.cuda.empty_cache()
        if row is None:
            failures.append(name)
            continue
        ratios.append(row["ratio"][1])
        report["cases"].append(row)
        if options.json:
            with open(options.json, "w") as file:
                json.dump(report, file)
    if ratios:
        print(f"geometric mean {statistics.geometric_mean(ratios):.3f}, least {min(ratios):.3f} of {len(ratios)}; failures: "
              f"{', '.join(failures) or 'none'}")
    return 1 if failures else 0


def one_race(torch, options, rng, name, case, kernel):
    g = torch.Generator("cuda").manual_seed(options.seed)
    tensors = {key: value.make(torch, g) for key, value in case.arguments.items() if isinstance(value, In)}
    if not check(torch, name, case, kernel, tensors):
        return None
    # What is changed in place is read, too.
    moved = sum(t.numel() * t.element_size() * (2 if case.arguments[key].written and type(case.arguments[key]) is not Out else 1)
                for key, t in tensors.items())
    sets = [Set(torch, case, tensors) for _ in range(min(max(2, 4 * 60 * 2**20 // moved + 1), 64))]
    source, target = (torch.empty(max(moved // 2, 1), device="cuda", dtype=torch.uint8) for _ in range(2))
    contenders = {"titan": [s.titan(kernel) for s in sets], "triton": [s.triton() for s in sets],
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
    of_copy = {label: statistics.median(c / t for c, t in zip(seconds["copy"], seconds[label])) for label in ("titan", "triton")}
    print(f"{name:22s} {median:.3f} ({low:.3f} to {high:.3f}) of Triton; {statistics.median(seconds['titan']) * 1e6:.0f} us; of the copy: "
          f"titan {of_copy['titan']:.3f}, Triton {of_copy['triton']:.3f}", flush=True)
    return {"name": name, "bytes": moved, "seconds": seconds, "ratio": [low, median, high], "of_copy": of_copy}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("prepare")
    p.add_argument("--titan", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--num-stages", type=int, default=3)
    p.add_argument("--only", nargs="+", default=[])
    p = commands.add_parser("race")
    p.add_argument("folder")
    p.add_argument("--library", required=True)
    p.add_argument("--rounds", type=int, default=15)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--json")
    p.add_argument("--only", nargs="+", default=[])
    options = parser.parse_args()
    return prepare(options) if options.command == "prepare" else race(options)


if __name__ == "__main__":
    raise SystemExit(main())
