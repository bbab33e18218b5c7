#!/usr/bin/env python3
# Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ptxas says of the kernels that the model picks: spills, stack frames, warnings.

    benchmarks/spills.py [--titan build/bin/titan] [--jobs N] [--kinds WORD] [--shapes N] [--heads]
                         [--shard I/N] [--limit SECONDS] [--out FILE] [KNOWN...]

GEMMs: of the 13 shapes of race.py, the 60 of public models and some that leave tiles ragged, with each
kind of epilogue, D in bf16, f16 and f32, what `titan generate gemm --shape` picks; and layouts, fp8, batches, groups,
stream-K and rows that threads copy with some of these. Attention: of the shapes of attention_shapes.py, sizes, masks, ragged; decode. Equal
kernels are compiled once. Prints a line for each kernel of which ptxas says more than its registers, or that titan refuses,
and a table; the exit status is 1 if there is such a line. Needs ptxas (machine_code.py says where it is looked for), no GPU.

--kinds takes the kinds of kernels whose name has WORD; --shapes the first N shapes alone; --heads of kernels of a kind whose
texts begin alike (tiles, stages, who multiplies, panels; bands of tiles aside) one. No kernel is begun after --limit seconds; how many
were not is said. --shard I/N: the I-th of N parts of all kernels, I from 1 on. They are taken by the digests of their texts, so
that what a run was cut short at is a share of each kind. Every ten seconds stderr says how far it is.

--out: gets a line for each kernel as soon as it is there. What FILE and KNOWN, such files of other parts, have of the same texts is not
compiled again (whether by the same compiler nobody asks): with --limit 0 and the files of all parts, the table of all.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import itertools
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

import attention_shapes
from machine_code import find_tool
from race import SHAPES, model_shapes

RAGGED = [(1000, 1000, 1000), (3000, 5000, 520), (16384, 320, 320), (100, 100, 4096), (5000, 200, 72)]
TERMS = {"nothing": [], "bias": ["--epilogue", "bias"], "alpha, beta, bias": ["--epilogue", "alpha,beta,bias"]}
ACTIVATIONS = ["none", "relu", "gelu", "gelu-tanh", "silu"]
OUTPUTS = ["bf16", "f16", "f32"]


def gemm_kinds():
    """{name: options}, without a shape."""
    kinds = {}
    for (terms, options), activation, output in itertools.product(TERMS.items(), ACTIVATIONS, OUTPUTS):
        kinds[f"{terms}; {activation}; {output}"] = [*options, "--activation", activation, "--output", output]
    for activation, output, terms in itertools.product(ACTIVATIONS[2:], OUTPUTS, ["nothing", "bias"]):
        kinds[f"gate, {terms}; {activation}; {output}"] = [
            *TERMS[terms], "--activation", activation, "--output", output, "--gate", "on"]
    for words in (["--layout", "nn"], ["--layout", "tt"], ["--layout", "tn"], ["--input", "f16"], ["--batch", "equal", "--batches", "16"],
                  ["--batch", "grouped", "--batches", "8"], ["--stream-k", "on"], ["--input", "e4m3"], ["--input", "e5m2"],
                  ["--input", "e4m3", "--promote", "on"], ["--programmatic", "on"], ["--split", "2"], ["--row-bytes", "8"],
                  ["--row-bytes", "4"], ["--row-bytes", "2"], ["--row-bytes", "8", "--layout", "nn"], ["--row-bytes", "2", "--layout", "tn"]):
        for terms, activation in (("nothing", "none"), ("bias", "gelu"), ("alpha, beta, bias", "silu")):
            kinds[f"{' '.join(words)}, {terms}; {activation}; bf16"] = [*TERMS[terms], "--activation", activation, *words]
    return kinds


def attention_kinds():
    kinds = {}
    for size, causal in itertools.product(["64", "128"], ["off", "on"]):
        for name, words in {"": [], " f16": ["--input", "f16"], " lse": ["--lse", "on"], " window": ["--window", "on"],
                            " ragged": ["--ragged", "on"], " ragged lse": ["--ragged", "on", "--lse", "on"]}.items():
            kinds[f"attention {size} {'causal' if causal == 'on' else 'full'}{name}"] = [
                "--head-size", size, "--causal", causal, *words]
    for size, pages, causal in itertools.product(["64", "128"], ["0", "16", "64"], ["off", "on"]):
        kinds[f"decode {size}, {'causal, ' if causal == 'on' else ''}pages of {pages}"] = [
            "--decode", "on", "--head-size", size, "--page", pages, "--causal", causal, "--lse", causal]
    return kinds


def generate(titan, kernel, shape, options):
    """The text, or what is wrong."""
    done = subprocess.run([titan, "generate", kernel, *(["--shape", "x".join(map(str, shape))] if shape else []), *options, "-o", "-"],
                          capture_output=True, text=True)
    return (done.stdout, None) if done.returncode == 0 else (None, done.stderr.splitlines()[0])


def assemble(titan, text):
    """{kernel: (registers, stack, spilled)} and what else ptxas says."""
    with tempfile.TemporaryDirectory() as folder:
        source, ptx = os.path.join(folder, "k.mlir"), os.path.join(folder, "k.ptx")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        if subprocess.run([titan, "compile", source, "--check=off", "--emit=ptx", "-o", ptx], capture_output=True).returncode:
            return {}, ["titan compile refuses"]
        done = subprocess.run([find_tool("ptxas"), "-arch=sm_90a", "-v", ptx, "-o", os.path.join(folder, "k.cubin")],
                              capture_output=True, text=True)
    kernels, kernel, said = {}, None, []
    for line in done.stderr.splitlines():
        if begin := re.search(r"Compiling entry function '(\w+)'", line):
            kernel = begin.group(1)
            kernels[kernel] = [0, 0, 0]
        elif frame := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            kernels[kernel][1:] = [int(frame.group(1)), int(frame.group(2)) + int(frame.group(3))]
        elif used := re.search(r"Used (\d+) registers", line):
            kernels[kernel][0] = int(used.group(1))
        elif re.search("warning|error|Performance", line):
            said.append(line.strip())
    return kernels, said


def digest_of(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def texts(options, pool):
    """{digest: kind, shape, text} of all kernels, and how often (kind, reason) were refused."""
    shapes = list(dict.fromkeys(SHAPES + RAGGED + model_shapes()))[:options.shapes]
    lengths = (attention_shapes.HELD_OUT + attention_shapes.FRESH + attention_shapes.LONG)[:options.shapes]
    jobs = [("gemm", kind, words, shape) for kind, words in gemm_kinds().items() for shape in shapes]
    for kind, words in attention_kinds().items():
        jobs += [("attention", kind, words, shape) for shape in ([None] if "--decode" in words else lengths)]
    jobs = [job for job in jobs if options.kinds in job[1]]
    kernels, refused, heads = {}, collections.Counter(), set()
    made = pool.map(lambda job: generate(options.titan, job[0], job[3], job[2]), jobs)
    for (_, kind, words, shape), (text, wrong) in zip(jobs, made):
        if wrong:
            refused[kind, wrong] += 1
            continue
        if options.heads:
            head = kind, re.sub(r"// Tiles come in bands.*\n", "", "".join(
                line + "\n" for line in text.splitlines() if line.startswith(("//", "titan.kernel", "!ring", "#acc")) or
                "titan.partition" in line or "panels of" in line))
            if head in heads:
                continue
            heads.add(head)
        kernels.setdefault(digest_of(text), (kind, "x".join(map(str, shape)) if shape else "no shape", text))
    return kernels, refused


def read(path):
    """{digest: ({kernel: [registers, stack, spilled]}, what else ptxas says)} of a file that Results wrote."""
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not re.match("[0-9a-f]{16} ", line) or not line.endswith("\n"):  # The first one; one that was cut short.
                continue
            line, *said = line.rstrip("\n").split(" | ")
            found[line[:16]] = {name: [int(n) for n in numbers] for name, *numbers in re.findall(
                r"(\w+): (\d+) registers, (\d+) stack, (\d+) spilled", line)}, said
    return found


class Results:
    """What assemble() says of kernels, kept in options.out as it comes; `found`: what is there already."""

    def __init__(self, options, begun, kernels, found):
        self.options, self.begun, self.kernels, self.found = options, begun, kernels, dict(found)
        self.lock, self.said, self.file = threading.Lock(), time.time(), None
        if not options.out:
            return
        known = read(options.out) if os.path.exists(options.out) else {}
        self.found.update((digest, result) for digest, result in known.items() if digest in kernels)
        self.file = open(options.out, "a+", encoding="utf-8")
        self.file.seek(0)
        text = self.file.read()
        if not text:
            version = subprocess.run([find_tool("ptxas"), "--version"], capture_output=True, text=True).stdout.split("\n")
            self.file.write(f"ptxas: {next(line for line in version if 'release' in line)}\n")
        elif not text.endswith("\n"):
            self.file.write("\n")

    def make(self, digest):
        if time.time() - self.begun >= self.options.limit:
            return
        kind, shape, text = self.kernels[digest]
        numbers, said = result = assemble(self.options.titan, text)
        with self.lock:
            self.found[digest] = result
            if self.file:
                told = ", ".join("{}: {} registers, {} stack, {} spilled".format(name, *of) for name, of in numbers.items())
                self.file.write(" | ".join([f"{digest} {kind}; {shape}; {told}", *said]) + "\n")
                self.file.flush()
            if time.time() - self.said > 10:
                self.said = time.time()
                print(f"{len(self.found)} of {len(self.kernels)}, {self.said - self.begun:.0f} s", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--titan", default="build/bin/titan")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--kinds", default="")
    parser.add_argument("--shapes", type=int)
    parser.add_argument("--heads", action="store_true")
    parser.add_argument("--shard", default="1/1")
    parser.add_argument("--limit", type=float, default=float("inf"))
    parser.add_argument("--out")
    parser.add_argument("known", nargs="*")
    options = parser.parse_args()
    shard, shards = map(int, options.shard.split("/"))
    if not 1 <= shard <= shards:
        parser.error("--shard is I/N, I from 1 to N")
    if not find_tool("ptxas"):
        sys.exit("no ptxas")
    begun = time.time()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        kernels, refused = texts(options, pool)
        print(f"{len(kernels)} kernels, {time.time() - begun:.0f} s", file=sys.stderr, flush=True)
        kernels = dict(sorted(kernels.items())[shard - 1::shards])
        found = {digest: result for path in options.known for digest, result in read(path).items() if digest in kernels}
        results = Results(options, begun, kernels, found)
        list(pool.map(results.make, [digest for digest in kernels if digest not in results.found]))
    bad, found = 0, results.found
    table = collections.defaultdict(lambda: [0, 0, 0, 0])
    for digest, (kind, shape, text) in kernels.items():
        if digest not in found:
            continue
        numbers, said = found[digest]
        spilled = sum(of[2] for of in numbers.values())
        if spilled or said or any(of[1] for of in numbers.values()):
            bad += 1
            tile = next((line[3:] for line in text.splitlines() if line.startswith("// Tiles of ")), "")
            print(f"{kind}; {shape}; {tile} {'two turns' if 'take turns' in text else ''}: {spilled} bytes spilled", *said, flush=True)
        for group in (kind.rsplit(";", 1)[0] if ";" in kind else kind.split(",")[0], "all"):
            line = table[group]
            line[0] += 1
            line[1] += spilled > 0
            line[2] = max(line[2], spilled)
            line[3] += len(said)
    if left := len(kernels) - len(found):
        print(f"{left} kernels not begun after {options.limit:g} s")
    for (kind, wrong), count in refused.items():
        print(f"{kind}: {count} shapes: {wrong}")
    print(f"\n{'kind':60} {'kernels':>8} {'spill':>6} {'bytes, at most':>15} {'warnings':>9}")
    for group, numbers in sorted(table.items(), key=lambda item: (item[0] == "all", item[0])):
        print(f"{group:60} {numbers[0]:8} {numbers[1]:6} {numbers[2]:15} {numbers[3]:9}")
    return bool(bad or refused)


if __name__ == "__main__":
    sys.exit(main())
