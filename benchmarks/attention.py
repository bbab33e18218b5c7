#!/usr/bin/env python3
# Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generated attention on one GPU: every element checked, and raced against PyTorch's cuDNN
and FlashAttention back ends, and FlashAttention 4 (CUTLASS's DSL) where flash-attn-4 is installed.

    titan generate attention -o d128.mlir && titan compile d128.mlir -o d128-full.titanpkg
    titan compile examples/programs/attention.mlir -o d128-full-hand.titanpkg
    python3 benchmarks/attention.py --library libtitan-runtime.so [--no-race] --json OUT *.titanpkg

--shapes held-out or fresh (attention_shapes.py) races what no default was chosen from instead of 16 heads of --tokens: other
lengths, other numbers of heads, batches, heads of K that serve several of Q. --picks FILE (attention_packages.py) races, at
each shape, what the model picks for it, and nothing else of ours (where the file has several a shape, these; the first is
the pick); the geometric means of its ratios stand last. --peers leaves some out.

A package's name says what it is, in words between dashes: d64 or d128 (heads of that size), f16,
causal; others are ignored. Its arguments say the rest (the example's tensors have two dimensions).

First each kernel is checked at shapes whole and ragged: O, poisoned before, within 2^-8 (|ref| + the
weighted mean of |v|) + 2^-16 of float64 (f16: 2^-10), the rows around it untouched, the logarithms
within 2^-16 of their magnitudes. Then, for each head size and mask, the kernels that are right
and the peers: CUDA-graph replays over sets of tensors of more than four times the L2
cache, in turns, in random order; the figure is the median of the rounds' ratios to the peer that is the fastest by
its median, with a 95 % bootstrap interval.
"""
import argparse
import json
import math
import os
import random
import statistics
import time

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

import attention_shapes
from gemm import Library, TitanError, read_packages
from race import Meter, add_energy_option, capture, describe, energies, interval, replays_for, save, seconds_of

# Batches, queries, keys, heads of Q and of K.
SHAPES = [(1, 1, 1, 1, 1), (2, 130, 77, 4, 2), (1, 300, 1000, 2, 1), (3, 64, 176, 2, 2),
          (1, 513, 353, 3, 1), (2, 128, 128, 2, 1), (1, 1000, 2049, 8, 2), (1, 200, 64, 2, 2),
          # Of the last band of heads not all are there (kernels with a mask).
          (1, 200, 30000, 3, 3), (1, 200, 60000, 3, 1)]
WINDOW = 90
BACKENDS = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}
PEERS = [*BACKENDS, "flash4"]


class Kind:
    """What a package's name says."""

    def __init__(self, path, arguments=("Q", "K", "V", "O", "scale")):
        self.name = os.path.basename(path).rsplit(".", 1)[0]
        words = self.name.split("-")
        self.size = 64 if "d64" in words else 128
        self.dtype = torch.float16 if "f16" in words else torch.bfloat16
        self.causal, self.window = "causal" in words, "window" in arguments
        self.lse, self.hand = "LSE" in arguments, "scale" not in arguments

    def group(self):
        return (self.size, str(self.dtype).split(".")[1],
                "causal" if self.causal else "window" if self.window else "full")


def tensors(kind, shape, seed):
    batches, queries, keys, heads, heads_k = shape
    generator = torch.Generator(device="cuda").manual_seed(seed)

    def normal(*sizes):
        return torch.randn(*sizes, kind.size, device="cuda", generator=generator).to(kind.dtype)
    return (normal(batches, queries, heads), normal(batches, keys, heads_k),
            normal(batches, keys, heads_k))


def launcher(kernel, kind):
    kept = {}

    def launch(q, k, v, o, lse=None):
        key = (q.data_ptr(), o.data_ptr())
        if key not in kept:
            if kind.hand:
                flat = lambda x: x.reshape(x.shape[1], -1)
                values = dict(Q=flat(q), K=flat(k), V=flat(v), O=flat(o))
            else:
                values = dict(Q=q, K=k, V=v, O=o, scale=1 / math.sqrt(kind.size))
                if kind.lse:
                    values["LSE"] = lse if lse is not None else torch.empty(
                        q.shape[0], q.shape[2], q.shape[1], device="cuda")
                if kind.window:
                    values["window"] = WINDOW
            kept[key] = kernel.prepare(**values), values
        kernel.launch(kept[key][0])
    return launch


def truth(kind, q, k, v):
    """O, the weighted mean of |v|, the logarithms of the sums; a batch and a head at a time."""
    group = q.shape[2] // k.shape[2]
    queries, keys = q.shape[1], k.shape[1]
    rows = torch.arange(queries, device="cuda")[:, None] + keys - queries
    columns = torch.arange(keys, device="cuda")[None]
    seen = torch.ones(queries, keys, device="cuda", dtype=torch.bool)
    if kind.causal:
        seen &= columns <= rows
    if kind.window:
        seen &= columns >= rows - WINDOW
    ref, mean = (torch.empty(q.shape, device="cuda", dtype=torch.float64) for _ in range(2))
    lse = torch.empty(q.shape[0], q.shape[2], queries, device="cuda", dtype=torch.float64)
    for b in range(q.shape[0]):
        for h in range(q.shape[2]):
            y = v[b, :, h // group].double()
            scores = q[b, :, h].double() @ k[b, :, h // group].double().T / math.sqrt(kind.size)
            scores = scores.masked_fill(~seen, -math.inf)
            lse[b, h] = torch.logsumexp(scores, -1)
            p = torch.softmax(scores, -1).nan_to_num(0)
            ref[b, :, h], mean[b, :, h] = p @ y, p @ y.abs()
    return ref, mean, lse


def check(launch, kind, shape, seed):
    """Elements that are wrong, and whether the rows around O are as they were."""
    q, k, v = tensors(kind, shape, seed)
    batches, queries, _, heads, _ = shape
    guarded = torch.full((batches, queries + 2, heads, kind.size), math.nan, device="cuda",
                         dtype=kind.dtype)
    if kind.hand:
        guarded = torch.full((queries + 2, heads * kind.size), math.nan, device="cuda", dtype=kind.dtype)
        o = guarded[1:-1].view(1, queries, heads, kind.size)
        guards = guarded[::queries + 1]
    else:
        o, guards = guarded[:, 1:-1], guarded[:, ::queries + 1]
    lse = torch.full((batches, heads, queries), math.nan, device="cuda") if kind.lse else None
    launch(q, k, v, o, lse)
    torch.cuda.synchronize()
    ref, mean, lse_ref = truth(kind, q, k, v)
    unit = 2.0**-8 if kind.dtype == torch.bfloat16 else 2.0**-10
    limit = unit * (ref.abs() + mean) + 2.0**-16
    wrong = int((~((o.double() - ref).abs() <= limit)).sum())
    if kind.lse:
        same = lse.double() == lse_ref  # minus infinity
        wrong += int((~(same | ((lse.double() - lse_ref).abs() <= 2.0**-16 * (8 + lse_ref.abs())))).sum())
    return wrong, bool(guards.isnan().all()), float(((o.double() - ref).abs() / limit).max())


def check_all(kernel, launch, kind, report):
    good = True
    for number, shape in enumerate(SHAPES):
        if kind.hand and (shape[0] != 1 or shape[3] != shape[4]):
            continue
        try:
            wrong, guards, share = check(launch, kind, shape, number)
        except TitanError as error:
            wrong, guards, share = f"[{error.code}] {error}", False, 0
        report["checks"].append({"kernel": kind.name, "shape": shape, "wrong": wrong,
                                 "guards": guards, "share": share})
        if wrong or not guards:
            good = False
            print("FAIL", report["checks"][-1])
    print(f"{kind.name}: {'right' if good else 'WRONG'}")
    return good


def peer(backend, causal):
    def launch(q, k, v, o, lse=None):
        by_head = [x.transpose(1, 2) for x in (q, k, v)]
        with sdpa_kernel(backend):
            torch.nn.functional.scaled_dot_product_attention(*by_head, is_causal=causal,
                                                             enable_gqa=q.shape[2] != k.shape[2])
    return launch


def flash4(causal):
    """FlashAttention 4, or nothing where it is not installed."""
    try:
        from flash_attn.cute.interface import _flash_attn_fwd
    except ImportError as error:
        print("no FlashAttention 4:", error)
        return {}

    def launch(q, k, v, o, lse=None):
        _flash_attn_fwd(q, k, v, softmax_scale=1 / math.sqrt(q.shape[3]), causal=causal, out=o)
    return {"flash4": launch}


def ours_at(picks, group, shape):
    """The names of what is raced at a shape, the pick first."""
    names = picks[f"d{group[0]}-{group[2]}"]["x".join(map(str, shape))]
    return [names] if isinstance(names, str) else names


def race(group, contenders, shape, options, meter, rng, report):
    size, dtype, mask = group
    batches, tokens, keys, heads, heads_k = shape
    kind = Kind(f"d{size}" + ("-f16" if dtype == "float16" else ""))
    bytes_of_set = 4 * batches * size * (tokens * heads + keys * heads_k)
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    sets = []
    for seed in range(max(2, -(-4 * l2 // bytes_of_set))):
        q, k, v = tensors(kind, shape, seed)
        sets.append((q, k, v, torch.empty_like(q)))
    flops = 4 * batches * heads * tokens * keys * size * (0.5 if mask == "causal" else 1)
    graphs = {}
    for name, launch in contenders.items():
        try:
            graphs[name] = capture(launch, sets)
        except Exception as error:  # a back end that does not take this
            print(name, str(error).splitlines()[0][:120])
    replays = {name: replays_for(graph, len(sets), options.milliseconds)
               for name, graph in graphs.items()}
    times, meters, names = {name: [] for name in graphs}, [], list(graphs)
    for _ in range(options.rounds):
        rng.shuffle(names)
        for name in names:
            times[name].append(seconds_of(graphs[name], len(sets), replays[name], before=1))
        meters.append(meter.read())
    joules = energies(meter, graphs, len(sets), replays, options, rng)
    median = {name: statistics.median(t) for name, t in times.items()}
    fastest = min((p for p in PEERS if p in median), key=median.get, default=None)
    print(f"-- {' '.join(map(str, group))}, {batches} x {tokens} x {keys} tokens, {heads} / {heads_k} heads; "
          f"fastest peer {fastest}")
    row = {"group": group, "shape": shape, "tokens": tokens, "heads": heads, "seconds": times, "meters": meters, "joules": joules,
           "fastest": fastest, "ratios": {}}
    for name in sorted(median, key=median.get):
        ratios = [p / t for p, t in zip(times[fastest], times[name])] if fastest else [1]
        low, high = interval(ratios)
        row["ratios"][name] = (statistics.median(ratios), low, high)
        energy = f" {1e3 * statistics.mean(joules[name]):9.3f} mJ" if joules else ""
        print(f"   {name:36s} {flops / median[name] / 1e12:6.1f} TFLOP/s {statistics.median(ratios):6.3f} "
              f"[{low:.3f}, {high:.3f}]{energy}", flush=True)
    report["races"].append(row)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("packages", nargs="+")
    parser.add_argument("--library", required=True)
    parser.add_argument("--no-race", action="store_true")
    parser.add_argument("--tokens", default="4096,8192,16384")
    parser.add_argument("--heads", type=int, default=16)
    parser.add_argument("--shapes", help="held-out, fresh, or batches x queries x keys x heads x heads of K: 2x512x512x8x8,...")
    parser.add_argument("--picks", help="which package is raced at which shape: attention_packages.py")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--limit", type=float, default=480, help="seconds; no shape begins later")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--milliseconds", type=float, default=10)
    add_energy_option(parser)
    parser.add_argument("--json")
    options = parser.parse_args()
    begun, peers = time.time(), options.peers.split(",")
    torch.cuda.init()
    torch.zeros(1, device="cuda")
    report = {**describe(), "checks": [], "races": []}
    library, groups, failures = Library(options.library), {}, 0
    for path in options.packages:
        kernel = read_packages(library, [path])[0]
        kind = Kind(path, kernel.arguments)
        launch = launcher(kernel, kind)
        if check_all(kernel, launch, kind, report):
            groups.setdefault(kind.group(), {})[kind.name] = launch
        else:
            failures += 1
        save(options, report)
    shapes = ([(1, tokens, tokens, options.heads, options.heads) for tokens in map(int, options.tokens.split(","))]
              if not options.shapes else attention_shapes.read(options.shapes))
    picks = json.load(open(options.picks)) if options.picks else None
    rng, meter = random.Random(1), Meter()
    for group, contenders in () if options.no_race else groups.items():
        if group[2] != "window":
            contenders.update({name: peer(backend, group[2] == "causal")
                               for name, backend in BACKENDS.items() if name in peers})
            for name, launch in (flash4(group[2] == "causal") if "flash4" in peers else {}).items():
                kind = Kind("-".join((f"d{group[0]}", "f16" if group[1] == "float16" else "bf16", group[2])))
                if check_all(None, launch, argparse.Namespace(**{**vars(kind), "name": name}), report):
                    contenders[name] = launch
        for shape in shapes:
            if time.time() - begun > options.limit:
                print("no time left")
                break
            raced = contenders
            if picks:
                ours = ours_at(picks, group, shape)
                raced = {name: launch for name, launch in contenders.items() if name in ours or name in PEERS}
            race(group, raced, shape, options, meter, rng, report)
            save(options, report)
        if picks:
            ratios = [row["ratios"][ours_at(picks, group, row["shape"])[0]][0] for row in report["races"]
                      if row["group"] == group]
            print(f"== {' '.join(map(str, group))}: geometric mean {statistics.geometric_mean(ratios):.3f}, "
                  f"{min(ratios):.3f} to {max(ratios):.3f}", flush=True)
    print("failures:", failures)
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
