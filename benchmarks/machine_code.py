#!/usr/bin/env python3
# Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What two compilers make of the same kernels, as machine code.

    benchmarks/machine_code.py BEFORE AFTER [FILE.mlir ...] [--all] [--out TABLE]

BEFORE and AFTER are two `titan` binaries. Each file (without any: all examples,
programs and benchmarks) is compiled to PTX by both, the PTX is assembled by
ptxas (-arch=sm_90a -v), and what comes out is counted a kernel: instructions
(nvdisasm, without NOP), registers, bytes of spills and of the stack frame. The
table lists what differs; --all lists every kernel. The exit status is 1 if a
kernel got worse in any of them, or no longer compiles. Registers are shown as
ptxas tells them and compared as a multiprocessor gives them out: a thread gets
a multiple of 8 (register allocation unit: 256 a warp, CUDA's occupancy tables).

ptxas and nvdisasm are looked for in $CUDA_HOME/bin, PATH and /usr/local/cuda/bin;
$TITAN_PTXAS and $TITAN_NVDISASM name others. Without nvdisasm, instructions are
those of `cuobjdump -sass`.
"""
import argparse
import collections
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

COLUMNS = ["instructions", "registers", "spills", "stack"]
REGISTER_UNIT = 8  # a thread: 256 registers a warp


def cost(numbers):
    """A kernel's numbers, registers as they are allocated."""
    return {c: -(-n // REGISTER_UNIT) * REGISTER_UNIT if c == "registers" else n
            for c, n in numbers.items()}


def find_tool(name):
    chosen = os.environ.get("TITAN_" + name.upper())
    if chosen:
        return chosen
    path = os.pathsep.join(
        [os.path.join(os.environ["CUDA_HOME"], "bin")] if "CUDA_HOME" in os.environ else [])
    return (shutil.which(name, path=path) if path else None) or shutil.which(
        name) or shutil.which(name, path="/usr/local/cuda/bin")


def compile_ptx(titan, source):
    done = subprocess.run(
        [titan, "compile", "--target=sm_90a", "--emit=ptx", source],
        capture_output=True, text=True, errors="replace")
    return done.stdout if done.returncode == 0 else None


def count_instructions(cubin):
    """Instructions of each kernel of a cubin, without NOP."""
    tool = find_tool("nvdisasm")
    command = [tool, "-c", cubin] if tool else [
        find_tool("cuobjdump") or sys.exit("neither nvdisasm nor cuobjdump"), "-sass", cubin]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    counts, opcodes, kernel = collections.Counter(), {}, None
    for line in text.splitlines():
        begin = re.match(r"\s*\.text\.(\w+):|\s*Function : (\w+)", line)
        if begin:
            kernel = begin.group(1) or begin.group(2)
            opcodes[kernel] = collections.Counter()
            continue
        found = re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)", line)
        if kernel and found and found.group(1) != "NOP":
            counts[kernel] += 1
            opcodes[kernel][found.group(1)] += 1
    return counts, opcodes


def measure(ptx):
    """{kernel: {column: number}} of what ptxas makes of the text, and opcodes."""
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = os.path.join(folder, "k.ptx"), os.path.join(folder, "k.cubin")
        with open(source, "w", encoding="utf-8") as file:
            file.write(ptx)
        done = subprocess.run(
            [find_tool("ptxas") or sys.exit("no ptxas"), "-arch=sm_90a", "-v", source, "-o", cubin],
            capture_output=True, text=True)
        if done.returncode:
            return None, None
        counts, opcodes = count_instructions(cubin)
    kernels, kernel = {}, None
    for line in done.stderr.splitlines():
        begin = re.search(r"Compiling entry function '(\w+)'", line)
        if begin:
            kernel = begin.group(1)
            kernels[kernel] = dict.fromkeys(COLUMNS, 0)
            kernels[kernel]["instructions"] = counts[kernel]
        frame = re.search(
            r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line)
        if frame and kernel:
            kernels[kernel]["stack"] = int(frame.group(1))
            kernels[kernel]["spills"] = int(frame.group(2)) + int(frame.group(3))
        used = re.search(r"Used (\d+) registers", line)
        if used and kernel:
            kernels[kernel]["registers"] = int(used.group(1))
    return kernels, opcodes


def compare(before, after, source):
    """Rows (kernel, verdict, before, after, opcodes that differ) of a file."""
    old, new = compile_ptx(before, source), compile_ptx(after, source)
    if old is None:
        return []
    if new is None:
        return [("-", "does not compile", None, None, "")]
    first, firstCodes = measure(old)
    if first is None:
        return [("-", "ptxas refused the first", None, None, "")]
    second, secondCodes = (first, firstCodes) if old == new else measure(new)
    if second is None:
        return [("-", "ptxas refuses", None, None, "")]
    rows = []
    for kernel, numbers in first.items():
        other = second.get(kernel)
        if other is None:
            rows.append((kernel, "gone", numbers, None, ""))
            continue
        verdict = "equal"
        if any(cost(other)[c] > cost(numbers)[c] for c in COLUMNS):
            verdict = "worse"
        elif other != numbers:
            verdict = "better"
        elif firstCodes[kernel] != secondCodes[kernel]:
            verdict = "other instructions"
        elif old == new:
            verdict = "same text"
        change = secondCodes[kernel].copy()
        change.subtract(firstCodes[kernel])
        rows.append((kernel, verdict, numbers, other,
                     " ".join(f"{code}{n:+d}" for code, n in sorted(change.items()) if n)))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--all", action="store_true", help="list every kernel")
    parser.add_argument("--opcodes", action="store_true", help="list the opcodes that differ")
    parser.add_argument("--out", help="write the table here, too")
    options = parser.parse_args()
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    files = options.files or sorted(
        os.path.relpath(path, root)
        for folder in ["examples", "examples/programs", "benchmarks", "tests/Programs"]
        for path in glob.glob(os.path.join(root, folder, "*.mlir")))
    sources = options.files or [os.path.join(root, file) for file in files]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(
            pool.map(lambda source: compare(options.before, options.after, source), sources))

    lines, verdicts = [], collections.Counter()
    header = f"{'file':44} {'kernel':28} " + " ".join(f"{c:>14}" for c in COLUMNS) + "  verdict"
    lines.append(header)
    for file, rows in zip(files, results):
        for kernel, verdict, old, new, change in rows:
            verdicts[verdict] += 1
            if not options.all and verdict in ("equal", "same text"):
                continue
            def cell(column):
                if not old or not new:
                    return "-"
                a, b = old[column], new[column]
                return str(a) if a == b else f"{a} -> {b}"
            lines.append(f"{file:44} {kernel:28} " + " ".join(
                f"{cell(c):>14}" for c in COLUMNS) + f"  {verdict}")
            if options.opcodes and change:
                lines.append(f"{'':74}{change}")
    lines.append("")
    lines.append("kernels: " + ", ".join(f"{n} {v}" for v, n in sorted(verdicts.items())))
    text = "\n".join(lines) + "\n"
    print(text, end="")
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            file.write(text)
    good = {"equal", "same text", "better", "other instructions"}
    return 0 if set(verdicts) <= good else 1


if __name__ == "__main__":
    sys.exit(main())
