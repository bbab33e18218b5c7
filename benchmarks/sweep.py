#!/usr/bin/env python3
# Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variants of a generated kernel: compiled here, in parallel; measured there, in one go.

    python3 benchmarks/sweep.py gemm --titan build/bin/titan --out sweep/ --library libtitan-runtime.so \\
        --sweep tile=128x128x64,128x192x64 --sweep stages=3,4 --shapes 4096x4096x4096 [-- --programmatic on]
    python3 benchmarks/sweep.py attention --titan build/bin/titan --out sweep/ --library libtitan-runtime.so \\
        --sweep tile=128x128,128x176 --sweep rescale=always,conditional --shapes 4x2048x2048x32x8 [-- --causal on]
    sweep/run.sh OUT.json                                       # on the machine with the GPU

All combinations of the options of `titan generate` that are swept, with those behind `--` the same for all. What the
generator or the checker refuses is named, with its reason, and left out. The folder is all that has to be
carried: packages, the scripts that check and time them (race.py, attention.py), the runtime's library, and run.sh.
"""
import argparse
import concurrent.futures
import itertools
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def words_of(kernel, options):
    """What the package's name has to say (attention.py): the head's size, the type, the mask."""
    if kernel == "gemm":
        return ["gemm"]
    words = ["d" + options.get("head-size", "128")]
    return words + [word for word, there in (("f16", options.get("input") == "f16"),
                                             ("causal", options.get("causal") == "on")) if there]


def variants_of(kernel, swept, fixed):
    """Names to options."""
    axes = [(name, values.split(",")) for name, values in (axis.split("=", 1) for axis in swept)]
    result = {}
    for values in itertools.product(*(values for _, values in axes)):
        options = {**fixed, **dict(zip((name for name, _ in axes), values))}
        result["-".join(words_of(kernel, options) + list(values))] = options
    return result


def make(titan, kernel, options, stem, check):
    """None, or why there is no such package."""
    words = [word for name, value in options.items() for word in ("--" + name, value)]
    for command in (["generate", kernel, *words, "-o", stem + ".mlir"],
                    ["compile", *([] if check else ["--check=off"]), stem + ".mlir", "-o", stem + ".titanpkg"]):
        done = subprocess.run([titan, *command], capture_output=True, text=True)
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if "error: " in line]
            return said[0] if said else f"titan {command[0]}: exit status {done.returncode}"
    return None


def main():
    arguments = sys.argv[1:]
    behind = arguments[arguments.index("--") + 1:] if "--" in arguments else []
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("kernel", choices=["gemm", "attention"])
    parser.add_argument("--titan", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--library", help="the runtime's library, to be carried")
    parser.add_argument("--sweep", action="append", required=True, metavar="OPTION=VALUE,...")
    parser.add_argument("--shapes", required=True, help="as race.py and attention.py have them")
    parser.add_argument("--check", choices=["on", "off"], default="on", help="titan compile's")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args(arguments[:len(arguments) - len(behind) - 1] if "--" in arguments else arguments)
    if wrong := [axis for axis in options.sweep if "=" not in axis]:
        parser.error(f"--sweep {wrong[0]}: it is OPTION=VALUE,VALUE,...")
    if len(behind) % 2 or any(not name.startswith("--") for name in behind[::2]):
        parser.error("behind -- go options with a value each, as --programmatic on")
    fixed = {name[2:]: value for name, value in zip(behind[::2], behind[1::2])}
    variants = variants_of(options.kernel, options.sweep, fixed)
    os.makedirs(options.out, exist_ok=True)
    good = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        why = pool.map(lambda name: make(options.titan, options.kernel, variants[name],
                                         os.path.join(options.out, name), options.check == "on"), variants)
        for name, refused in zip(variants, why):
            print(name, f"left out: {refused}" if refused else "compiled", flush=True)
            if not refused:
                good[name] = {"options": " ".join(f"--{o} {v}" for o, v in variants[name].items())}
    if not good:
        print("no variant is left", file=sys.stderr)
        return 1
    with open(os.path.join(options.out, "variants.json"), "w") as file:
        json.dump(good, file, indent=1)
    for script in ("gemm.py", "race.py", "attention.py"):
        shutil.copy(os.path.join(HERE, script), options.out)
    if options.library:
        shutil.copy(options.library, os.path.join(options.out, "libtitan-runtime.so"))
    library = '"$PWD/libtitan-runtime.so"' if options.library else '"$TITAN_RUNTIME"'
    command = (f"race.py run . --sweep variants.json --shapes {options.shapes}" if options.kernel == "gemm" else
               f"attention.py --shapes {options.shapes} " + " ".join(f"{name}.titanpkg" for name in good))
    path = os.path.join(options.out, "run.sh")
    with open(path, "w") as file:
        file.write("#!/bin/sh\n# Checks and times all variants; raw figures go to $1.\n"
                   'out=$(realpath "$1") && cd "$(dirname "$0")" || exit 2\n'
                   f'exec python3 {command} --library {library} --json "$out"\n')
    os.chmod(path, 0o755)
    print(f"{len(good)} of {len(variants)} variants; carry {options.out}, and run {path} OUT.json there")
    return 0


if __name__ == "__main__":
    sys.exit(main())
