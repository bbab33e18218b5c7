#!/usr/bin/env python3
# Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random TTIR (tests/Triton/Inputs/random_programs.py) as kernels on a GPU: bit for bit what plain Python makes of it.

    random_programs.py prepare --titan build/bin/titan --out DIR --seed 1 --count 1000     # needs no GPU
    random_programs.py run DIR --library libtitan-runtime.so --seed 1 --count 1000

Seeds decide everything; a program has 1 to 8 warps. Programs of as many warps stand in packages together. Quotients of f32 are
tt.precise_divf here: arith.divf is div.full, which is within two units of the last place of Python's.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests" / "Triton" / "Inputs"), str(ROOT / "benchmarks")]
os.environ.setdefault("TITAN", "simulate")
import random_programs as made

TOGETHER = 25


def parts(options):
    """(name, warps, seeds) of each package."""
    seeds = range(options.seed, options.seed + options.count)
    for log in range(4):
        own = [seed for seed in seeds if seed % 4 == log]
        for first in range(0, len(own), TOGETHER):
            yield f"random-{1 << log}-{own[first]}", 1 << log, own[first:first + TOGETHER]


def prepare(options):
    folder = pathlib.Path(options.out)
    folder.mkdir(exist_ok=True)
    failed = 0
    for name, warps, seeds in parts(options):
        texts = []
        for seed in seeds:
            text = made.Program(seed, 0, made.inputs(seed)).text().replace("@random(", f"@random_{seed}(")
            text = re.sub(r"arith\.divf (.* : tensor<[0-9x]+xf32>)", r"tt.precise_divf \1", text)
            texts.append(re.search(r"module \{\n(.*)\}\n$", text, re.S)[1])
        source = folder / (name + ".ttir")
        source.write_text("module {\n" + "".join(texts) + "}\n")
        done = subprocess.run([options.titan, "compile", "--check=off", f"--num-warps={warps}", str(source), "-o",
                               str(folder / (name + ".titanpkg"))], capture_output=True, text=True)
        if done.returncode:
            print(f"{name}: {done.stderr}")
            failed += 1
    print("packages not compiled:", failed)
    return bool(failed)


def run(options):
    import torch
    import gemm
    gemm.DTYPES.update({torch.int64: 7, torch.int16: 9, torch.int8: 10})
    types = {"i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64, "f16": torch.float16,
             "bf16": torch.bfloat16, "f32": torch.float32}
    runtime, good, total, elements = gemm.Library(options.library), 0, 0, 0
    for name, _, seeds in parts(options):
        kernels = {k.name: k for k in gemm.read_packages(runtime, [str(pathlib.Path(options.folder) / (name + ".titanpkg"))])}
        for seed in seeds:
            given = made.inputs(seed)
            both = [made.Program(seed, pid, given) for pid in (0, 1)]
            values = {"grid_x": 2}
            for i, kind in enumerate(both[0].kinds):
                data = bytearray(made.pack(kind, given[kind]))
                values[f"in{i}"] = torch.frombuffer(data, dtype=types[kind]).cuda()
            outs = []
            for i, value in enumerate(both[0].outputs):
                kind = "i8" if value.kind == "i1" else value.kind
                # What nobody writes is no number that Python computes.
                outs.append(torch.full((2 * len(value.elements) * types[kind].itemsize, ), 0xA5, device="cuda",
                                       dtype=torch.uint8).view(types[kind]))
                values[f"out{i}"] = outs[-1]
            kernel = kernels[f"random_{seed}"]
            kernel.launch(kernel.prepare(**values))
            torch.cuda.synchronize()
            found = [(out.view(torch.int16) if out.dtype == torch.bfloat16 else out).cpu() for out in outs]
            found = [[x & 0xFFFF for x in one.tolist()] if out.dtype == torch.bfloat16 else one.tolist()
                     for one, out in zip(found, outs)]
            right, count = made.compare(seed, both, both[0].text(), found)
            good, total, elements = good + bool(right), total + 1, elements + count
    print(f"seeds {options.seed} to {options.seed + options.count - 1}: {good} of {total} kernels as in Python, {elements} elements, on "
          f"{torch.cuda.get_device_name()}")
    return good != total


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("prepare")
    p.add_argument("--titan", required=True)
    p.add_argument("--out", required=True)
    r = commands.add_parser("run")
    r.add_argument("folder")
    r.add_argument("--library", required=True)
    for each in (p, r):
        each.add_argument("--seed", type=int, default=1)
        each.add_argument("--count", type=int, default=1000)
    options = parser.parse_args()
    return prepare(options) if options.command == "prepare" else run(options)


if __name__ == "__main__":
    sys.exit(main())
