#!/usr/bin/env python3
# Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the variants that `titan bench` has compiled into this folder.

    python3 measure.py [--launch titan-launch] [--rounds 3] [--json results.json] [NAME ...]

TITAN_COMMIT says which TITAN made them. Needs a GPU, titan-launch (beside this file, or on PATH), and no module beyond Python's own. Each variant is
right first: titan-launch checks the bytes around each tensor, and elements of the output (the corners, and places
drawn from a seed) are held against what they have to be; a GEMM's arguments are small integers, so that its
elements are exact unless a function ends it, and variants that compute the same have to agree in all. Then rounds
in which all take turns, in random order, each a process of its own; the figure is the median of the rounds, of a
launch that follows another of the same kernel (what fits the L2 cache is read from there). It ranks variants: what is
held against other libraries is raced in one process, over rotating tensors (race.py run FOLDER --sweep
FOLDER/variants.json, attention.py).
"""
import argparse
import array
import hashlib
import json
import math
import mmap
import os
import random
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def fp8(bits, exponents, mantissas):
    """What eight bits are, with so many bits of exponent and mantissa."""
    exponent, mantissa, bias = bits >> mantissas & (1 << exponents) - 1, bits & (1 << mantissas) - 1, (1 << exponents - 1) - 1
    value = math.ldexp(mantissa + (1 << mantissas if exponent else 0), max(exponent, 1) - bias - mantissas)
    return -value if bits & 128 else value


FP8 = {"e4m3": [fp8(bits, 4, 3) for bits in range(256)], "e5m2": [fp8(bits, 5, 2) for bits in range(256)]}


class Npy:
    """Elements of an array that titan-launch has written, which stays on the disk."""

    def __init__(self, path, kind):
        self.kind = kind  # bf16, f16, f32, e4m3 or e5m2
        with open(path, "rb") as file:
            self.data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.begin = 10 + struct.unpack("<H", self.data[8:10])[0]

    def row(self, first, count):
        size = 4 if self.kind == "f32" else 1 if self.kind in FP8 else 2
        raw = self.data[self.begin + size * first:self.begin + size * (first + count)]
        if self.kind in FP8:
            return [FP8[self.kind][bits] for bits in raw]
        if self.kind == "bf16":
            bits = struct.unpack(f"<{count}H", raw)
            return array.array("f", array.array("I", [b << 16 for b in bits]).tobytes())
        return struct.unpack(f"<{count}{'f' if self.kind == 'f32' else 'e'}", raw)

    def __getitem__(self, index):
        return self.row(index, 1)[0]


def rounded(value, kind):
    """To nearest even, as the element that is stored."""
    if kind == "f16":
        return struct.unpack("<e", struct.pack("<e", value))[0]
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    if kind == "bf16":
        bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return struct.unpack("<f", struct.pack("<I", bits))[0]


UNIT = {"bf16": 2.0**-8, "f16": 2.0**-10, "f32": 2.0**-10}  # f32 behind a function that PTX approximates
ACTIVATIONS = {"none": lambda x: x, "relu": lambda x: max(x, 0.0),
               "silu": lambda x: x / (1 + math.exp(-x)) if x > -700 else 0.0,
               "gelu": lambda x: 0.5 * x * (1 + math.erf(x * 0.5**0.5)),
               "gelu-tanh": lambda x: 0.5 * x * (1 + math.tanh(0.7978845608028654 * (x + 0.044715 * x**3)))}


def sizes(variant):
    return [int(size) for size in variant["shape"].split("x")]


class Gemm:
    inputs, output = ["A", "B", "C", "bias"], "D"

    def __init__(self, variant):
        self.kind_in, self.kind = variant.get("input", "bf16"), variant.get("output", "bf16")
        self.activation = variant.get("activation", "none")
        self.layout = variant.get("layout", "nt")
        self.terms = [term for term in variant.get("epilogue", "").split(",") if term]
        # Tensor cores cut off what lies 2^-13 below the largest product or sum of fp8, of each instruction of K = 32.
        self.cut = 34 * 2.0**-13 if self.kind_in in FP8 else 0
        self.batch, self.gate = variant.get("batch", "none"), variant.get("gate") == "on"
        self.batches = int(variant.get("batches", 1)) if self.batch != "none" else 1
        # A product of two sums may have more bits than f32.
        self.exact = self.activation in ("none", "relu") and not self.cut and not self.gate
        self.m, self.n, self.k = sizes(variant)

    def kind_of(self, name):
        return self.kind_in if name in "AB" else "f32" if name == "bias" else self.kind

    def truth(self, files, rng):
        """Some elements: place, value, and how far off one may be."""
        m, n, k, batches = self.m, self.n, self.k, self.batches
        rows = 2 * n if self.gate else n  # B's, in each batch
        ends = (0, 0, 0), (0, 0, n - 1), (batches - 1, m - 1, 0), (batches - 1, m - 1, n - 1)
        places = [*ends, *((rng.randrange(batches), rng.randrange(m), rng.randrange(n)) for _ in range(60))]

        def sum_of(z, i, j):
            """Before any function; j is a row of B."""
            if self.layout[0] == "n":
                a = files["A"].row((z * m + i) * k, k)
            else:  # Groups lie side by side in one matrix.
                at, step = (z * m + i, batches * m) if self.batch == "grouped" else (z * k * m + i, m)
                a = [files["A"][at + p * step] for p in range(k)]
            if self.layout[1] == "t":
                b = files["B"].row((z * rows + j) * k, k)
            else:
                b = [files["B"][(z * k + p) * rows + j] for p in range(k)]
            value = sum(x * y for x, y in zip(a, b))
            if "alpha" in self.terms:
                value *= 0.5
            if "beta" in self.terms:
                value -= 2 * files["C"][(z * m + i) * n + j]
            if "bias" in self.terms:
                value += files["bias"][z * rows + j]
            return value, self.cut * sum(abs(x * y) for x, y in zip(a, b)) if self.cut else 0
        for z, i, j in places:
            value, cut = sum_of(z, i, j)
            value, factor, cut_factor = ACTIVATIONS[self.activation](value), 1.0, 0
            if self.gate:
                factor, cut_factor = sum_of(z, i, n + j)
            unsure = UNIT[self.kind] * (abs(value) + 2.0**-4) * max(abs(factor), 2.0**-4)
            yield ((z * m + i) * n + j, rounded(value * factor, self.kind),
                   0 if self.exact else unsure + cut * abs(factor) + cut_factor * (abs(value) + cut))


class Attention:
    inputs, output, exact = ["Q", "K", "V"], "O", False

    def __init__(self, variant):
        self.kind = variant.get("input", "bf16")
        self.size = int(variant.get("head-size", 128))
        self.causal, self.window = (variant.get(name) == "on" for name in ("causal", "window"))
        self.batches, self.queries, self.keys, self.heads, self.heads_k = sizes(variant)

    def kind_of(self, name):
        return self.kind

    def truth(self, files, rng):
        d, group = self.size, self.heads // self.heads_k
        for place in range(3):
            b, h = rng.randrange(self.batches), rng.randrange(self.heads)
            query = (0, self.queries - 1, rng.randrange(self.queries))[place]
            at = ((b * self.queries + query) * self.heads + h) * d
            q = files["Q"].row(at, d)
            last = query + self.keys - self.queries
            seen = [key for key in range(self.keys) if not (self.causal or self.window) or
                    key <= last and not (self.window and key < last - 90)]
            of = lambda key: ((b * self.keys + key) * self.heads_k + h // group) * d
            scores = [sum(x * y for x, y in zip(q, files["K"].row(of(key), d))) / math.sqrt(d) for key in seen]
            highest = max(scores, default=0)
            weights = [math.exp(score - highest) for score in scores]
            total = sum(weights) or 1
            value, mean = [0.0] * d, [0.0] * d
            for key, weight in zip(seen, weights):
                for c, v in enumerate(files["V"].row(of(key), d)):
                    value[c] += weight * v / total
                    mean[c] += weight * abs(v) / total
            for c in range(d):
                yield at + c, value[c], UNIT[self.kind] * (abs(value[c]) + mean[c]) + 2.0**-16


NOT_HERE = ("no-gpu", "device-mismatch")  # Says nothing of a variant: none can run on this machine.


def launch(options, name, variant, *more):
    """titan-launch's report, or what it says against the launch."""
    done = subprocess.run([options.launch, os.path.join(HERE, name + ".titanpkg"), "--json", *variant["launch"], *more],
                          capture_output=True, text=True)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        return {"error": {"code": "internal-error", "message": done.stderr.strip() or f"status {done.returncode}"}}
    return report


def wrong(options, name, variant, kept, folder):
    """None where a variant is right; else what is wrong."""
    kernel = {"gemm": Gemm, "attention": Attention}[variant["kernel"]](variant)
    # What variants have in common whose arguments, and so results, are the same.
    alike = tuple(variant.get(key) for key in ("shape", "input", "output", "layout", "epilogue", "activation",
                                               "batch", "batches", "gate", "head-size", "causal", "window"))
    output, words = os.path.join(folder, "out.npy"), []
    if alike not in kept:
        for other in list(kept):
            kept[other].pop("files", None)
        inputs = [x for x in kernel.inputs if any(w.startswith(x + "=") for w in variant["launch"])]
        for x in inputs:
            words += ["--out", f"{x}={os.path.join(folder, x + '.npy')}"]
    report = launch(options, name, variant, "--out", f"{kernel.output}={output}", *words)
    if "error" in report:
        error = report["error"]
        if error["code"] in NOT_HERE:
            sys.exit(f"measure.py: nothing is measured: {error['message']}  [{error['code']}]\n"
                     f"  fix: {error.get('fix') or 'run it where the GPU is'}")
        return f"[{error['code']}] {error['message']}"
    if alike not in kept:
        files = {x: Npy(os.path.join(folder, x + ".npy"), kernel.kind_of(x)) for x in inputs}
        kept[alike] = {"truth": list(kernel.truth(files, random.Random(1)))}
    found = Npy(output, kernel.kind)
    for place, value, allowed in kept[alike]["truth"]:
        if not abs(found[place] - value) <= allowed:
            return f"element {place} is {found[place]:g}, and not {value:g}"
    if kernel.exact:
        digest = hashlib.sha256(found.data).hexdigest()
        if kept[alike].setdefault("digest", digest) != digest:
            return "its elements are not those of the variants before it"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="variants; all, if none is named")
    here = os.path.join(HERE, "titan-launch")
    parser.add_argument("--launch", default=here if os.access(here, os.X_OK) else shutil.which("titan-launch"),
                        help="titan-launch (the one beside this file, else PATH's)")
    parser.add_argument("--rounds", type=int, default=3, help="how often all take their turn (3)")
    parser.add_argument("--json", default=os.path.join(HERE, "results.json"),
                        help="the file for what is measured (results.json beside this file)")
    options = parser.parse_args()
    if not options.launch:
        parser.error("no titan-launch: name it with --launch")
    with open(os.path.join(HERE, "variants.json")) as file:
        variants = json.load(file)
    unknown = [name for name in options.names if name not in variants]
    if unknown:
        parser.error(f"no variant {unknown[0]}")
    report = {"titan": os.environ.get("TITAN_COMMIT"), "variants": variants, "wrong": {}, "milliseconds": {}}
    good, kept = [], {}
    with tempfile.TemporaryDirectory(dir=HERE) as folder:
        for name, variant in variants.items():
            if "refused" in variant or options.names and name not in options.names:
                continue
            what = wrong(options, name, variant, kept, folder)
            if what:
                report["wrong"][name] = what
                print(f"{name}: WRONG: {what}", flush=True)
            else:
                good.append(name)
    rng, milliseconds = random.Random(2), report["milliseconds"]
    for number in range(options.rounds if good else 0):
        for name in rng.sample(good, len(good)):
            done = launch(options, name, variants[name], "--bench=5")
            if "error" in done:
                report["wrong"][name] = done["error"]["message"]
                continue
            report["device"], report["driver"] = done["device"], done["driver_version"]
            milliseconds.setdefault(name, []).append(done["bench"]["median_ms"])
        with open(options.json, "w") as file:
            json.dump(report, file, indent=1)
        print(f"round {number + 1} of {options.rounds}", flush=True)
    median = {name: statistics.median(times) for name, times in milliseconds.items() if name not in report["wrong"]}
    for shape in dict.fromkeys(variants[name]["shape"] for name in median):
        print(f"{variants[next(iter(median))]['kernel']} {shape}, {report['device']}")
        for name in sorted((name for name in median if variants[name]["shape"] == shape), key=median.get):
            rate = variants[name]["flops"] / median[name] / 1e9
            print(f"  {name:40s} {median[name]:10.5f} ms {rate:8.1f} TFLOP/s")
    with open(options.json, "w") as file:
        json.dump(report, file, indent=1)
    return 1 if report["wrong"] or not good else 0


if __name__ == "__main__":
    sys.exit(main())
