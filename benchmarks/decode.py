#!/usr/bin/env python3
# Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generated decoding attention on one GPU: every element checked, and raced against PyTorch's cuDNN and
FlashAttention back ends and a Triton kernel that splits the keys.

    titan generate attention --decode on -o d128.mlir && titan compile d128.mlir --check=off -o d128.titanpkg
    python3 benchmarks/decode.py --library libtitan-runtime.so --json OUT d128.titanpkg d128-page64.titanpkg

A package's name says what it is, in words between dashes: d64 or d128, f16, causal, lse, page16 (keys in pages of 16).

First each is checked, both kernels together: O, poisoned before, within 2^-8 (|ref| + the weighted mean of |v|)
+ 2^-16 of float64 (f16: 2^-10), the rows around it untouched. Parts and Logs are full of NaN before. Then CUDA-graph
replays over sets of tensors of more than four times the L2 cache, contenders in random order round by round. Triton's is the fastest of its
configurations and numbers of splits at each shape. The figure is the median of the rounds' ratios to the peer that is
the fastest by its median, with a 95 % bootstrap interval; beside it the bytes of K and V a second.
"""
import argparse
import math
import os
import random
import statistics
import time

import torch
import triton
import triton.language as tl
from torch.nn.attention import SDPBackend, sdpa_kernel

from gemm import Library, read_packages
from race import Meter, add_energy_option, capture, describe, energies, interval, replays_for, save, seconds_of

# Batches, queries, keys, heads of K, heads of Q that one of these serves.
SHAPES = [(1, 1, 1, 1, 1), (2, 1, 77, 2, 3), (1, 3, 1000, 1, 8), (3, 2, 4097, 2, 4), (2, 5, 129, 1, 33),
          (1, 1, 32768, 8, 8), (7, 1, 3001, 3, 8)]
BACKENDS = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}
PEERS = [*BACKENDS, "triton"]


class Kind:
    def __init__(self, path):
        self.name = os.path.basename(path).rsplit(".", 1)[0]
        words = self.name.split("-")
        self.size = 64 if "d64" in words else 128
        self.dtype = torch.float16 if "f16" in words else torch.bfloat16
        self.causal, self.lse = "causal" in words, "lse" in words
        self.ctas = next((int(word[1:]) for word in words if word[0] == "c" and word[1:].isdigit()), 0)
        self.page = next((int(word[4:]) for word in words if word.startswith("page")), 0)


class Inputs:
    """Q, K and V as every contender has them (batch x tokens x heads x size), pages of the same keys, and where O goes."""

    def __init__(self, size, dtype, shape, seed, pages=(), lengths=None):
        batches, queries, keys, heads, group = shape
        generator = torch.Generator(device="cuda").manual_seed(seed)
        normal = lambda *sizes: torch.randn(*sizes, size, device="cuda", generator=generator).to(dtype)
        self.q, self.k, self.v = normal(batches, queries, heads, group), normal(batches, keys, heads), normal(batches, keys, heads)
        self.guarded = torch.full((batches, queries + 2, heads, group, size), math.nan, device="cuda", dtype=dtype)
        self.o = self.guarded[:, 1:-1]
        self.lengths = torch.tensor(lengths or [keys] * batches, device="cuda", dtype=torch.int32)
        self.paged = {page: self.pages(page, generator) for page in pages}
        self.shape = shape

    def pages(self, page, generator):
        """The keys scattered over pages in random order; what no key fills is NaN but for zeros behind a batch's last."""
        batches, keys = self.k.shape[:2]
        columns = -(-keys // page)
        order = torch.randperm(batches * columns, generator=generator, device="cuda")
        table = order.reshape(batches, columns)
        result = []
        for tensor in (self.k, self.v):
            whole = torch.zeros(batches, columns * page, *tensor.shape[2:], device="cuda", dtype=tensor.dtype)
            whole[:, :keys] = tensor
            pool = torch.empty(batches * columns, page, *tensor.shape[2:], device="cuda", dtype=tensor.dtype)
            pool[order] = whole.reshape(batches * columns, page, *tensor.shape[2:])
            result.append(pool)
        return *result, table.to(torch.int32)


class Ours:
    def __init__(self, library, path):
        self.kind = Kind(path)
        kernels = read_packages(library, [path])
        self.parts = next(k for k in kernels if not k.name.endswith("_combine"))
        self.combine = next(k for k in kernels if k.name.endswith("_combine"))
        self.kept = {}

    def __call__(self, inputs, lse=None):
        if id(inputs) not in self.kept:
            self.kept[id(inputs)] = self.prepare(inputs, lse)
        first, second, *_ = self.kept[id(inputs)]
        self.parts.launch(first)
        self.combine.launch(second)

    def prepare(self, inputs, lse):
        batches, queries, keys, heads, group = inputs.shape
        kind = self.kind
        ctas = kind.ctas or torch.cuda.get_device_properties(0).multi_processor_count
        rows = batches * heads * -(-queries * group // 64) + ctas
        values = dict(Q=inputs.q, K=inputs.k, V=inputs.v, O=inputs.o, ctas=ctas, scale=1 / math.sqrt(kind.size),
                      Parts=torch.full((rows, 64, kind.size), math.nan, device="cuda"),
                      Logs=torch.full((rows, 64), math.nan, device="cuda"))
        if kind.page:
            k, v, table = inputs.paged[kind.page]
            values.update(K=k, V=v, table=table, lengths=inputs.lengths, longest=keys)
        if kind.lse:
            values["LSE"] = torch.full((batches, heads, group, queries), math.nan, device="cuda") if lse is None else lse
        return self.parts.prepare(**values), self.combine.prepare(**values), values


def truth(kind, inputs):
    q, k, v = inputs.q.double(), inputs.k.double(), inputs.v.double()
    batches, queries, keys, heads, group = inputs.shape
    ref, mean = torch.empty_like(q), torch.empty_like(q)
    lse = torch.empty(batches, heads, group, queries, device="cuda", dtype=torch.float64)
    for b in range(batches):
        length = int(inputs.lengths[b])
        seen = torch.ones(queries, length, device="cuda", dtype=torch.bool)
        if kind.causal:
            rows = torch.arange(queries, device="cuda")[:, None] + length - queries
            seen = torch.arange(length, device="cuda")[None] <= rows
        for h in range(heads):
            scores = torch.einsum("nrd,sd->rns", q[b, :, h], k[b, :length, h]) / math.sqrt(kind.size)
            scores = scores.masked_fill(~seen, -math.inf)
            lse[b, h] = torch.logsumexp(scores, -1)
            p = torch.softmax(scores, -1).nan_to_num(0)
            ref[b, :, h] = torch.einsum("rns,sd->nrd", p, v[b, :length, h])
            mean[b, :, h] = torch.einsum("rns,sd->nrd", p, v[b, :length, h].abs())
    return ref, mean, lse


def check(ours, report, only=None):
    kind, good = ours.kind, True
    for number, shape in enumerate(SHAPES):
        lengths = None
        if kind.page and shape[0] > 1:  # Batches of different lengths, one key among them.
            lengths = [1 + (shape[2] - 1) * b // (shape[0] - 1) for b in range(shape[0])]
        inputs = Inputs(kind.size, kind.dtype, shape, number, (kind.page,) if kind.page else (), lengths)
        batches, queries, keys, heads, group = shape
        lse = torch.full((batches, heads, group, queries), math.nan, device="cuda") if kind.lse else None
        try:
            ours(inputs, lse)
            torch.cuda.synchronize()
        except Exception as error:
            print("FAIL", kind.name, shape, error)
            report["checks"].append({"kernel": kind.name, "shape": shape, "wrong": str(error)})
            return False
        ref, mean, lse_ref = truth(kind, inputs)
        unit = 2.0**-8 if kind.dtype == torch.bfloat16 else 2.0**-10
        limit = unit * (ref.abs() + mean) + 2.0**-16
        error = (inputs.o.double() - ref).abs()
        wrong = int((~(error <= limit)).sum())
        if kind.lse:
            same = lse.double() == lse_ref
            wrong += int((~(same | ((lse.double() - lse_ref).abs() <= 2.0**-16 * (8 + lse_ref.abs())))).sum())
        guards = bool(inputs.guarded[:, ::queries + 1].isnan().all())
        report["checks"].append({"kernel": kind.name, "shape": shape, "wrong": wrong, "guards": guards,
                                 "share": float((error / limit).max())})
        if wrong or not guards:
            good = False
            print("FAIL", report["checks"][-1])
        ours.kept.clear()
    print(f"{kind.name}: {'right' if good else 'WRONG'}", flush=True)
    return good


def peer(backend):
    def launch(inputs):
        batches, queries, keys, heads, group = inputs.shape
        q = inputs.q.reshape(batches, queries, heads * group, -1).transpose(1, 2)
        with sdpa_kernel(backend):
            torch.nn.functional.scaled_dot_product_attention(q, inputs.k.transpose(1, 2), inputs.v.transpose(1, 2), enable_gqa=True)
    return launch


def folded(backend):
    """A group's queries as rows of one head of K, without heads that share."""
    def launch(inputs):
        batches, queries, keys, heads, group = inputs.shape
        q = inputs.q.permute(0, 2, 1, 3, 4).reshape(batches, heads, queries * group, -1)
        with sdpa_kernel(backend):
            torch.nn.functional.scaled_dot_product_attention(q, inputs.k.transpose(1, 2), inputs.v.transpose(1, 2))
    return launch


@triton.jit
def split_keys(Q, K, V, Part, Log, keys, scale, splits, stride_kb, stride_ks, stride_kh, HEADS: tl.constexpr,
               GROUP: tl.constexpr, SIZE: tl.constexpr, BLOCK: tl.constexpr):
    pair, split = tl.program_id(0), tl.program_id(1)
    batch, head = pair // HEADS, pair % HEADS
    row, column, key = tl.arange(0, 16), tl.arange(0, SIZE), tl.arange(0, BLOCK)
    q = tl.load(Q + (pair * GROUP + row[:, None]) * SIZE + column[None], mask=row[:, None] < GROUP, other=0.0)
    each = tl.cdiv(tl.cdiv(keys, splits), BLOCK) * BLOCK
    begin = split * each
    end = tl.minimum(begin + each, keys)
    top = tl.full([16], -float("inf"), tl.float32)
    total = tl.zeros([16], tl.float32)
    acc = tl.zeros([16, SIZE], tl.float32)
    base = batch.to(tl.int64) * stride_kb + head * stride_kh
    for at in range(begin, end, BLOCK):
        there = at + key < end
        offsets = base + (at + key).to(tl.int64) * stride_ks
        k = tl.load(K + offsets[None, :] + column[:, None], mask=there[None, :], other=0.0)
        s = tl.dot(q, k) * (scale * 1.44269504)
        s = tl.where(there[None, :], s, -float("inf"))
        larger = tl.maximum(tl.maximum(top, tl.max(s, 1)), -1e30)
        p = tl.exp2(s - larger[:, None])
        decay = tl.exp2(top - larger)
        v = tl.load(V + offsets[:, None] + column[None, :], mask=there[:, None], other=0.0)
        total = total * decay + tl.sum(p, 1)
        acc = tl.dot(p.to(v.dtype), v, acc * decay[:, None])
        top = larger
    at = (pair * splits + split) * 16 + row
    tl.store(Part + at[:, None] * SIZE + column[None], acc / tl.maximum(total, 1e-30)[:, None])
    tl.store(Log + at, top + tl.log2(total))


@triton.jit
def add_splits(Part, Log, O, splits, GROUP: tl.constexpr, SIZE: tl.constexpr, MOST: tl.constexpr):
    pair, row = tl.program_id(0), tl.program_id(1)
    split, column = tl.arange(0, MOST), tl.arange(0, SIZE)
    there = split < splits
    at = (pair * splits + split) * 16 + row
    log = tl.load(Log + at, mask=there, other=-float("inf"))
    weight = tl.exp2(log - tl.max(log, 0))
    part = tl.load(Part + at[:, None] * SIZE + column[None], mask=there[:, None], other=0.0)
    sums = tl.sum(part * weight[:, None], 0) / tl.sum(weight, 0)
    tl.store(O + (pair * GROUP + row) * SIZE + column, sums.to(O.dtype.element_ty))


class Triton:
    """One query a batch."""

    def __init__(self, block, warps, stages, splits):
        self.options, self.splits, self.kept = (block, warps, stages), splits, {}

    def __call__(self, inputs):
        batches, _, keys, heads, group = inputs.shape
        size = inputs.q.shape[-1]
        if id(inputs) not in self.kept:
            self.kept[id(inputs)] = (torch.empty(batches * heads, self.splits, 16, size, device="cuda"),
                                     torch.empty(batches * heads, self.splits, 16, device="cuda"),
                                     torch.empty(batches, heads, group, size, device="cuda", dtype=inputs.q.dtype))
        part, log, o = self.kept[id(inputs)]
        block, warps, stages = self.options
        split_keys[(batches * heads, self.splits)](
            inputs.q, inputs.k, inputs.v, part, log, keys, 1 / math.sqrt(size), self.splits, *inputs.k.stride()[:3],
            HEADS=heads, GROUP=group, SIZE=size, BLOCK=block, num_warps=warps, num_stages=stages)
        add_splits[(batches * heads, group)](part, log, o, self.splits, GROUP=group, SIZE=size,
                                            MOST=triton.next_power_of_2(self.splits), num_warps=4)
        return o


def best_triton(sets, kind, report):
    """The fastest of its configurations here; right first."""
    batches, _, keys, heads, group = sets[0].shape
    found, best, limit = None, math.inf, None
    ref, mean, _ = truth(kind, sets[0])
    limit = 2.0**-8 * (ref.abs() + mean) + 2.0**-16
    counts = {max(1, round(n * 132 / (batches * heads))) for n in (1, 2, 4)}
    for splits in sorted(counts):
        for block, warps, stages in ((64, 4, 2), (64, 4, 3), (64, 4, 4), (128, 4, 2), (128, 4, 3), (128, 8, 2), (128, 8, 3)):
            candidate = Triton(block, warps, stages, splits)
            try:
                o = candidate(sets[0])
                torch.cuda.synchronize()
                if not bool(((o.reshape(ref.shape).double() - ref).abs() <= limit).all()):
                    print("triton WRONG", block, warps, stages, splits)
                    continue
                graph = capture(candidate, [(s,) for s in sets])
            except Exception as error:  # out of shared memory
                print("triton", block, warps, stages, splits, str(error).splitlines()[0][:80])
                continue
            seconds = min(seconds_of(graph, len(sets), 2, before=1) for _ in range(3))
            if seconds < best:
                found, best = candidate, seconds
    print("   triton:", found and (found.options, found.splits))
    return found


def race(size, shape, ours, options, meter, rng, report):
    kind = Kind(f"d{size}")
    batches, queries, keys, heads, group = shape
    moved = 2 * batches * keys * heads * size * 2
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    pages = sorted({o.kind.page for o in ours if o.kind.page})
    sets = [Inputs(size, torch.bfloat16, shape, seed, pages) for seed in range(max(2, -(-4 * l2 // moved)))]
    contenders = {o.kind.name: o for o in ours}
    for name, backend in BACKENDS.items():
        contenders[name] = peer(backend)
    contenders["flash-folded"], contenders["cudnn-folded"] = folded(BACKENDS["flash"]), folded(BACKENDS["cudnn"])
    tuned = best_triton(sets, kind, report)
    if tuned:
        contenders["triton"] = tuned
    graphs = {}
    for name, launch in contenders.items():
        try:
            graphs[name] = capture(launch, [(s,) for s in sets])
        except Exception as error:  # a back end that does not take this
            print(name, str(error).splitlines()[0][:120])
    replays = {name: replays_for(graph, len(sets), options.milliseconds) for name, graph in graphs.items()}
    times, meters, names = {name: [] for name in graphs}, [], list(graphs)
    for _ in range(options.rounds):
        rng.shuffle(names)
        for name in names:
            times[name].append(seconds_of(graphs[name], len(sets), replays[name], before=1))
        meters.append(meter.read())
    joules = energies(meter, graphs, len(sets), replays, options, rng)
    median = {name: statistics.median(t) for name, t in times.items()}
    fastest = min((n for n in median if n.split("-")[0] in PEERS), key=median.get)
    print(f"-- d{size}, {batches} x {queries} queries, {keys} keys, {heads} heads of {group}; fastest peer {fastest}")
    row = {"size": size, "shape": shape, "seconds": times, "meters": meters, "joules": joules, "fastest": fastest, "ratios": {},
           "triton": tuned and [*tuned.options, tuned.splits]}
    for name in sorted(median, key=median.get):
        ratios = [p / t for p, t in zip(times[fastest], times[name])]
        low, high = interval(ratios)
        row["ratios"][name] = (statistics.median(ratios), low, high)
        energy = f" {1e3 * statistics.mean(joules[name]):9.3f} mJ" if joules else ""
        print(f"   {name:24s} {median[name] * 1e6:9.2f} us {moved / median[name] / 1e12:6.3f} TB/s "
              f"{statistics.median(ratios):6.3f} [{low:.3f}, {high:.3f}]{energy}", flush=True)
    report["races"].append(row)
    for o in ours:
        o.kept.clear()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("packages", nargs="+")
    parser.add_argument("--library", required=True)
    parser.add_argument("--batches", default="1,2,3,4,8,16,32")
    parser.add_argument("--keys", type=int, default=32768)
    parser.add_argument("--sizes", default="128,64")
    parser.add_argument("--limit", type=float, default=300, help="seconds; no shape begins later")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--milliseconds", type=float, default=8)
    add_energy_option(parser)
    parser.add_argument("--json")
    options = parser.parse_args()
    begun = time.time()
    torch.zeros(1, device="cuda")
    report = {**describe(), "checks": [], "races": []}
    library = Library(options.library)
    ours = [Ours(library, path) for path in options.packages]
    right = [o for o in ours if check(o, report)]
    save(options, report)
    rng, meter = random.Random(1), Meter()
    for size in map(int, options.sizes.split(",")):
        mine = [o for o in right if o.kind.size == size and o.kind.dtype == torch.bfloat16 and not o.kind.causal]
        for batches in map(int, options.batches.split(",")):
            if time.time() - begun > options.limit:
                print("no time left")
                break
            race(size, (batches, 1, options.keys, 8, 8), mine, options, meter, rng, report)
            save(options, report)
            torch.cuda.empty_cache()
    return 1 if len(right) < len(ours) else 0


if __name__ == "__main__":
    raise SystemExit(main())
