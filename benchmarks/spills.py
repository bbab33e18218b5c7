#!/usr/bin/env python3
# Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ptxas says of the kernels that the model picks: spills, stack frames, warnings.

    benchmarks/spills.py [--titan build/bin/titan] [--jobs N] [--kinds WORD] [--shapes N] [--heads] [--limit SECONDS] [--json FILE]

GEMMs: of the 13 shapes of race.py, the 60 of public models and some that leave tiles ragged, with each
kind of epilogue, D in bf16, f16 and f32, what `titan generate gemm --shape` picks; and layouts, fp8, batches, groups,
stream-K and rows that threads copy with some of these. Attention: of the shapes of attention_shapes.py, sizes, masks, ragged; decode. Equal
kernels are compiled once. Prints a line for each kernel of which ptxas says more than its registers, and a table;
the exit status is 1 if there is such a line. Needs ptxas (machine_code.py says where it is looked for), no GPU.

--kinds takes the kinds of kernels whose name has WORD; --shapes the first N shapes alone; --heads of kernels of a kind whose
texts begin alike (tiles, stages, who multiplies, panels; bands of tiles aside) one. No kernel is begun after --limit seconds; how many
were not is said.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--titan", default="build/bin/titan")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--kinds", default="")
    parser.add_argument("--shapes", type=int)
    parser.add_argument("--heads", action="store_true")
    parser.add_argument("--limit", type=float, default=float("inf"))
    parser.add_argument("--json")
    options = parser.parse_args()
    if not find_tool("ptxas"):
        sys.exit("no ptxas")
    shapes = list(dict.fromkeys(SHAPES + RAGGED + model_shapes()))[:options.shapes]
    lengths = (attention_shapes.HELD_OUT + attention_shapes.FRESH + attention_shapes.LONG)[:options.shapes]
    jobs = [("gemm", kind, words, shape) for kind, words in gemm_kinds().items() for shape in shapes]
    for kind, words in attention_kinds().items():
        jobs += [("attention", kind, words, shape) for shape in ([None] if "--decode" in words else lengths)]
    jobs = [job for job in jobs if options.kinds in job[1]]

    begun, left = time.time(), 0
    kernels, refused, heads = {}, collections.Counter(), set()  # by text: kinds and the first shape
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        texts = pool.map(lambda job: generate(options.titan, job[0], job[3], job[2]), jobs)
        for (_, kind, words, shape), (text, wrong) in zip(jobs, texts):
            if wrong:
                refused[kind, wrong] += 1
                continue
            if options.heads:
                head = kind, re.sub(r"// Tiles come in bands.*\n", "", "".join(
                    line + "\n" for line in text.splitlines() if line.startswith(("//", "titan.kernel", "!ring", "#acc")) or "titan.partition" in line or
                    "panels of" in line))
                if head in heads:
                    continue
                heads.add(head)
            kernels.setdefault(text, (kind, words, shape))
        results = pool.map(lambda text: assemble(options.titan, text) if time.time() - begun < options.limit else None, kernels)
        rows, bad = [], 0
        for (text, (kind, words, shape)), result in zip(kernels.items(), results):
            if result is None:
                left += 1
                continue
            found, said = result
            header = [line[3:] for line in text.splitlines() if line.startswith("// Tiles of ")]
            spilled = sum(numbers[2] for numbers in found.values())
            row = {"kind": kind, "options": words, "shape": shape, "tile": header[0] if header else "", "said": said,
                   "sha256": hashlib.sha256(text.encode()).hexdigest()[:16],
                   "kernels": {name: dict(zip(("registers", "stack", "spilled"), numbers)) for name, numbers in found.items()}}
            rows.append(row)
            if spilled or said or any(numbers[1] for numbers in found.values()):
                bad += 1
                print(f"{kind}; {shape}; {row['tile']} {'two turns' if 'take turns' in text else ''}: {spilled} bytes spilled", *said, flush=True)
    if left:
        print(f"{left} kernels not begun after {options.limit:g} s")
    for (kind, wrong), count in refused.items():
        print(f"{kind}: {count} shapes: {wrong}")
    table = collections.defaultdict(lambda: [0, 0, 0, 0])
    for row in rows:
        for group in (row["kind"].rsplit(";", 1)[0] if ";" in row["kind"] else row["kind"].split(",")[0], "all"):
            line = table[group]
            spilled = sum(numbers["spilled"] for numbers in row["kernels"].values())
            line[0] += 1
            line[1] += spilled > 0
            line[2] = max(line[2], spilled)
            line[3] += len(row["said"])
    print(f"\n{'kind':60} {'kernels':>8} {'spill':>6} {'bytes, at most':>15} {'warnings':>9}")
    for group, numbers in table.items():
        print(f"{group:60} {numbers[0]:8} {numbers[1]:6} {numbers[2]:15} {numbers[3]:9}")
    if options.json:
        version = subprocess.run([find_tool("ptxas"), "--version"], capture_output=True, text=True).stdout.split("\n")
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"ptxas": [line for line in version if "release" in line], "left": left, "rows": rows}, file, indent=1)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
