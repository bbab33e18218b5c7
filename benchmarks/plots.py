#!/usr/bin/env python3
# Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A page with a plot of each file of raw figures that race.py or attention.py wrote.

    python3 benchmarks/plots.py benchmarks/results/h200-gemm-race-now.json ... -o page.html

A line is a shape: the ratio to the fastest peer (a dot) and its 95 % interval; right of 1 is faster. It needs nothing but
Python; the page needs nothing but a browser.
"""
import argparse
import html
import json
import math
import os
import sys

LEFT, WIDTH, LINE = 330, 560, 16


def rows_of(figures):
    """Name, ratio, low, high of each line."""
    for row in figures.get("shapes", []):
        if "ratio" in row:
            yield " x ".join(map(str, row["shape"])), row["ratio"], row["low"], row["high"]
    for row in figures.get("races", []):
        batches, queries, keys, heads, heads_k = row.get("shape") or (1, row["tokens"], row["tokens"], row["heads"], row["heads"])
        tokens = str(queries) if queries == keys else f"{queries}, {keys}"
        for name, (ratio, low, high) in row["ratios"].items():
            if name.startswith("d"):  # d64-..., d128-...: ours
                yield f"{name}: {batches} x {tokens} tokens, {heads}/{heads_k} heads", ratio, low, high


def plot(rows):
    least, most = min(0.9, *(row[2] for row in rows)), max(1.1, *(row[3] for row in rows))
    at = lambda ratio: LEFT + WIDTH * math.log(ratio / least) / math.log(most / least)
    height = LINE * (len(rows) + 2)
    lines = [f'<svg width="{LEFT + WIDTH + 90}" height="{height}" font-family="sans-serif" font-size="12">']
    for tick in range(math.ceil(10 * least), math.floor(10 * most) + 1):
        x = at(tick / 10)
        lines.append(f'<line x1="{x:.1f}" y1="0" x2="{x:.1f}" y2="{height - LINE}" stroke="{"#444" if tick == 10 else "#ddd"}"/>'
                     f'<text x="{x:.1f}" y="{height - 3}" text-anchor="middle">{tick / 10:.1f}</text>')
    for number, (name, ratio, low, high) in enumerate(rows):
        y, colour = LINE * (number + 0.7), "#06a" if ratio >= 1 else "#c40"
        lines.append(f'<text x="{LEFT - 10}" y="{y + 4:.1f}" text-anchor="end">{html.escape(name)}</text>'
                     f'<line x1="{at(low):.1f}" y1="{y:.1f}" x2="{at(high):.1f}" y2="{y:.1f}" stroke="{colour}" stroke-width="2"/>'
                     f'<circle cx="{at(ratio):.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>'
                     f'<text x="{LEFT + WIDTH + 15}" y="{y + 4:.1f}">{ratio:.3f}</text>')
    return "\n".join(lines + ["</svg>"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("-o", required=True)
    options = parser.parse_args()
    parts = ['<!DOCTYPE html><meta charset="utf-8"><title>TITAN, measured</title>']
    for path in options.files:
        with open(path) as file:
            figures = json.load(file)
        rows = list(rows_of(figures))
        if not rows:
            print(f"{path}: no ratios in it", file=sys.stderr)
            return 1
        mean = math.exp(sum(math.log(row[1]) for row in rows) / len(rows))
        machine = ", ".join(f"{name} {figures[name]}" for name in ("device", "torch", "cuda", "triton", "cublasLt")
                            if name in figures)
        parts.append(f"<h2>{html.escape(os.path.basename(path))}</h2><p>{html.escape(machine)}. {len(rows)} lines, "
                     f"geometric mean {mean:.3f}.</p>\n{plot(rows)}")
    with open(options.o, "w") as file:
        file.write("\n".join(parts) + "\n")
    print(f"{options.o}: {len(options.files)} plots")
    return 0


if __name__ == "__main__":
    sys.exit(main())
