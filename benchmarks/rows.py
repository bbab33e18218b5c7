#!/usr/bin/env python3
# Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two GEMMs against others of ours: rows that TMA does not take, and what stream-K's fix-up costs.

    benchmarks/rows.py prepare --titan build/bin/titan --out rows/              # needs no GPU
    TITAN_RUNTIME=.../libtitan-runtime.so benchmarks/rows.py run rows/ --json rows.json

rows: for each shape of ROWS (bf16, A M x K and B N x K, dense, so that rows begin where sizes say) the kernel of
`titan generate gemm --row-bytes`, and the way by copies: A and B, where their rows begin within 16 bytes, to
rows that do not, the picked kernel by TMA, D the first columns of a wider one. Both are held against float64, then
timed in turns: calls one behind the other, and replays of a CUDA graph.

cuts: one tile, 198 of them (a wave and a half), by K: whole tiles and --stream-k. What is left of the
difference at K = 0, by a line through both, is what the fix-up costs.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))

ROWS = [(1000, 1000, 1001, 2), (1000, 1001, 1000, 8), (256, 256, 255, 2), (512, 514, 510, 4), (1024, 1024, 1026, 4),
        (16, 4096, 4098, 4), (64, 8192, 8188, 8), (2048, 2048, 2047, 2), (4096, 4096, 4098, 4), (4096, 4096, 4100, 8), (4096, 4096, 4097, 2)]
TILES = {"coop": ("128x256x64", "cooperative", 256), "turns": ("128x128x64", "pingpong", 128)}
DEPTHS = [512, 1024, 2048, 4096, 8192]


def prepare(options):
    os.makedirs(options.out, exist_ok=True)

    def make(stem, *words):
        path = os.path.join(options.out, stem)
        subprocess.run([options.titan, "generate", "gemm", *words, "-o", path + ".mlir"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([options.titan, "compile", "--check=off", path + ".mlir", "-o", path + ".titanpkg"], check=True, stdout=subprocess.DEVNULL)
        os.remove(path + ".mlir")

    for m, n, k, bytes in ROWS:
        make(f"rows-{m}x{n}x{k}", "--shape", f"{m}x{n}x{k}", "--row-bytes", str(bytes))
        make(f"tma-{m}x{n}x{k}", "--shape", f"{m}x{-(-n // 8) * 8}x{k}")
    for name, (tile, consumers, _) in TILES.items():
        for cuts in ("off", "on"):
            make(f"{name}-{cuts}", "--tile", tile, "--consumers", consumers, "--stream-k", cuts)
    return 0


def timed(torch, calls, rounds=9):
    """{name: (microseconds of a call in a row, of a replay)}, in turns."""
    graphs, results = {}, {name: ([], []) for name in calls}
    for name, call in calls.items():
        for _ in range(3):
            call()
        torch.cuda.synchronize()
        graphs[name] = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graphs[name]):
            for _ in range(10):
                call()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)

    def measure(run, times):
        begin.record()
        for _ in range(times):
            run()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e3

    for _ in range(rounds):
        for name, call in calls.items():
            results[name][0].append(measure(call, 20) / 20)
            results[name][1].append(measure(graphs[name].replay, 2) / 20)
    return {name: tuple(map(statistics.median, both)) for name, both in results.items()}


def run(options):
    import torch
    import titan
    from titan.ops import _fitting
    from race import describe
    rows, device = {"machine": describe(), "rows": [], "cuts": []}, "cuda"
    for m, n, k, bytes in ROWS:
        name = f"{m}x{n}x{k}"
        a, b = (torch.randn(rows_, k, device=device).bfloat16() for rows_ in (m, n))
        ours, tma = (titan.load(os.path.join(options.folder, f"{kind}-{name}.titanpkg")) for kind in ("rows", "tma"))
        wide = -(-n // 8) * 8

        def by_threads():
            d = a.new_empty(m, n)
            ours(A=a, B=b, D=d)
            return d

        def by_copies():
            x, y = _fitting(a), b
            if wide != n:
                y = b.new_zeros(wide, k)
                y[:n].copy_(b)
            y, d = _fitting(y), a.new_empty(m, wide)
            tma(A=x, B=y, D=d)
            return d[:, :n]

        right = a.double() @ b.double().T
        errors = [float(((call().double() - right).abs() / (right.abs() / 256 + 1e-3 * k ** 0.5)).max()) for call in (by_threads, by_copies)]
        times = timed(torch, {"threads": by_threads, "copies": by_copies})
        rows["rows"].append({"shape": (m, n, k), "row_bytes": bytes, "errors": errors, "us": times})
        print(name, bytes, "errors", *(f"{e:.2f}" for e in errors), "calls", *(f"{t[0]:.1f}" for t in times.values()), "replays",
              *(f"{t[1]:.1f}" for t in times.values()), flush=True)
    for name, (_, _, columns) in TILES.items():
        kernels = {cuts: titan.load(os.path.join(options.folder, f"{name}-{cuts}.titanpkg")) for cuts in ("off", "on")}
        pages, flags = torch.empty(132, 128, columns, device=device), torch.zeros(132, dtype=torch.int32, device=device)
        for k in DEPTHS:
            m, n = 18 * 128, 11 * columns
            a, b = (torch.randn(rows_, k, device=device).bfloat16() for rows_ in (m, n))
            d = {cuts: a.new_empty(m, n) for cuts in kernels}
            calls = {"off": lambda: kernels["off"](A=a, B=b, D=d["off"]),
                     "on": lambda: kernels["on"](A=a, B=b, D=d["on"], pages=pages, flags=flags)}
            times = timed(torch, calls)
            equal = float((d["off"].float() - d["on"].float()).abs().max())
            rows["cuts"].append({"tile": name, "shape": (m, n, k), "difference": equal, "us": times})
            print(name, k, "difference", equal, "replays", *(f"{t[1]:.2f}" for t in times.values()), flush=True)
    with open(options.json, "w") as file:
        json.dump(rows, file, indent=1)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("prepare")
    command.add_argument("--titan", default="build/bin/titan")
    command.add_argument("--out", required=True)
    command = commands.add_parser("run")
    command.add_argument("folder")
    command.add_argument("--json", required=True)
    options = parser.parse_args()
    return prepare(options) if options.command == "prepare" else run(options)


if __name__ == "__main__":
    sys.exit(main())
