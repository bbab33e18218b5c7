#!/usr/bin/env python3
"""What strong correctness costs, on the GPU: benchmarks/ragged_copy.mlir.

    ./titan compile benchmarks/ragged_copy.mlir -o ragged_copy.titanpkg
    python3 benchmarks/ragged_copy.py --library build-runtime/lib/Runtime/libtitan-runtime.so \\
        --json benchmarks/results/h200-ragged-copy.json ragged_copy.titanpkg

Copies an M x K matrix of bf16 (8190 x 8184; K a multiple of 8). Each kernel's
result is compared bit for bit, guard elements around it included, for this shape and
smaller ones. Then the kernels take turns, in another order each round; a round times
--launches launches of each with events. What counts is the median of the rounds' ratios
time(strong) / time(weak), and time(level_1) / time(weak) beside it: 1.02 is 2 % slower.
"""
import argparse
import json
import statistics

import torch

from gemm import Library, Output, inputs, read_packages, time_of
from race import describe


def case(kernel, m, k, seed):
    x, _ = inputs(m, 1, k, "normal", seed)
    out = Output(m, k, torch.bfloat16)
    kernel.launch(kernel.prepare(X=x, Y=out.d))
    torch.cuda.synchronize()
    wrong = int((out.d.view(torch.int16) != x.view(torch.int16)).sum())
    return {"kernel": kernel.name, "m": m, "k": k, "wrong": wrong,
            "guards": out.guards_hold()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("package")
    parser.add_argument("--library", required=True)
    parser.add_argument("--rows", type=int, default=8190)
    parser.add_argument("--columns", type=int, default=8184)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--launches", type=int, default=50)
    parser.add_argument("--json")
    options = parser.parse_args()
    torch.cuda.init()
    torch.zeros(1, device="cuda")
    kernels = {k.name: k for k in read_packages(Library(options.library), [options.package])}
    shapes = [(1, 8), (63, 64), (2047, 200), (2049, 264), (options.rows, options.columns)]
    checks = [case(kernel, *shape, seed=sum(shape))
              for shape in shapes for kernel in kernels.values()]
    bad = [row for row in checks if row["wrong"] or not row["guards"]]
    print(f"{len(checks) - len(bad)} of {len(checks)} checks", *bad, sep="\n")

    m, k = options.rows, options.columns
    x, _ = inputs(m, 1, k, "normal", 1)
    launches = {}
    for name, kernel in kernels.items():
        out = Output(m, k, torch.bfloat16)
        array = kernel.prepare(X=x, Y=out.d)
        launches[name] = lambda kernel=kernel, array=array, out=out: kernel.launch(array)
    for launch in launches.values():
        for _ in range(10):
            launch()
    torch.cuda.synchronize()
    rounds = []
    names = list(launches)
    for r in range(options.rounds):
        order = names[r % len(names):] + names[:r % len(names)]
        rounds.append({name: time_of(launches[name], options.launches) for name in order})
    ratios = {name: statistics.median(row[name] / row["weak"] for row in rounds)
              for name in names if name != "weak"}
    moved = 4 * m * k
    for name in names:
        seconds = statistics.median(row[name] for row in rounds)
        print(f"{name:8s} {seconds * 1e6:8.1f} us  {moved / seconds / 1e12:5.2f} TB/s")
    for name, ratio in ratios.items():
        print(f"time({name}) / time(weak): {ratio:.4f}, median of {options.rounds} rounds")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({**describe(), "shape": [m, k],
                       "launches": options.launches, "checks": checks,
                       "seconds": rounds, "median_ratio_to_weak": ratios}, file, indent=1)
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
