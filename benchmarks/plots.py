#!/usr/bin/env python3
# Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the results of race.py, attention.py, decode.py and gemm_kinds.py: a dot for each shape's ratio to the
fastest peer, a line for its 95 % interval.

    python3 benchmarks/plots.py benchmarks/results/h200-gemm-race-60.json ...    # a .svg beside each
"""
import json
import sys
from xml.sax.saxutils import escape

ROW, LEFT, WIDTH, LOW, HIGH = 15, 260, 480, 0.7, 1.5


def rows_of(report):
    """Label, ratio, ends of the interval, and what else there is to say."""
    for row in report.get("shapes", []):
        if "ratio" in row:
            yield (" x ".join(map(str, row["shape"])), row["ratio"], row["low"], row["high"],
                   f"{row['tflops']['ours']:.0f} TFLOP/s; {row['peer'].split()[0]} {row['tflops'][row['peer']]:.0f}")
    for row in report.get("races", []):
        for name, (ratio, low, high) in row["ratios"].items():
            if name.split("-")[0] in ("cudnn", "flash", "flash4", "triton"):
                continue
            if "size" in row:  # decode.py
                batches, _, keys, heads, group = row["shape"]
                label = f"{name}: {batches} x {keys} keys, {heads} heads of {group}"
            else:
                batches, tokens, _, heads, heads_k = row["shape"]
                label = f"{name}: {batches} x {tokens}, {heads} / {heads_k}"
            yield label, ratio, low, high, row["fastest"]
    for row in report.get("cases", []):
        if "ratio" in row:
            yield row["case"], row["ratio"], row["low"], row["high"], row["peer"]


def draw(report):
    rows = sorted(rows_of(report), key=lambda row: -row[1])
    x = lambda ratio: LEFT + WIDTH * (min(max(ratio, LOW), HIGH) - LOW) / (HIGH - LOW)
    height = ROW * (len(rows) + 3)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 200}" height="{height}" '
           'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>',
           f'<text x="6" y="13">{escape(report["device"])}: ratio to the fastest peer</text>']
    for step in range(round((HIGH - LOW) * 10) + 1):
        ratio = LOW + step / 10
        out.append(f'<path d="M{x(ratio):.1f} {ROW + 5}V{height - ROW}" stroke="{"black" if step == 3 else "#ddd"}"/>'
                   f'<text x="{x(ratio):.1f}" y="{height - 3}" text-anchor="middle">{ratio:.1f}</text>')
    for number, (label, ratio, low, high, more) in enumerate(rows):
        y, colour = ROW * (number + 2), "#1a7f37" if ratio >= 1 else "#b35900"
        out.append(f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{escape(label)}</text>'
                   f'<path d="M{x(low):.1f} {y}H{x(high):.1f}" stroke="{colour}" stroke-width="2"/>'
                   f'<circle cx="{x(ratio):.1f}" cy="{y}" r="3.5" fill="{colour}"><title>{ratio:.3f} ({low:.3f} to '
                   f'{high:.3f})</title></circle>'
                   f'<text x="{LEFT + WIDTH + 8}" y="{y + 4}">{ratio:.3f}  {escape(more)}</text>')
    return "\n".join(out + ["</svg>", ""])


def main():
    for path in sys.argv[1:]:
        with open(path) as file:
            report = json.load(file)
        with open(path[:-len("json")] + "svg", "w") as file:
            file.write(draw(report))
    return 0 if sys.argv[1:] else sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main())
