#!/usr/bin/env python3
# Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the model picks for attention.py's shapes, compiled, to be raced on another machine.

    python3 benchmarks/attention_packages.py --titan build/bin/titan --shapes fresh FOLDER
    python3 benchmarks/attention.py --library libtitan-runtime.so --shapes fresh --picks FOLDER/picks.json FOLDER/*.titanpkg

FOLDER gets a package a kernel and picks.json: which one is raced at which shape.
"""
import argparse
import hashlib
import json
import os
import subprocess

import attention_shapes


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--titan", required=True)
    parser.add_argument("--shapes", required=True, help="held-out, fresh, or 2x512x512x8x8,...")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    picks, made = {}, {}
    for size in (64, 128):
        for causal in (False, True):
            group = f"d{size}" + ("-causal" if causal else "-full")
            for shape in attention_shapes.read(options.shapes):
                words = "x".join(map(str, shape))
                text = subprocess.run([options.titan, "generate", "attention", "--shape", words, "--head-size", str(size),
                                       "--causal", "on" if causal else "off"], check=True, capture_output=True,
                                      text=True).stdout
                name = f"{group}-{hashlib.sha256(text.encode()).hexdigest()[:6]}"
                picks.setdefault(group, {})[words] = name
                if name in made:
                    continue
                made[name] = os.path.join(options.folder, name)
                with open(made[name] + ".mlir", "w") as file:
                    file.write(text)
                subprocess.run([options.titan, "compile", "--check=off", made[name] + ".mlir", "-o",
                                made[name] + ".titanpkg"], check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(options.folder, "picks.json"), "w") as file:
        json.dump(picks, file, indent=1)
    print(f"{len(made)} kernels")


if __name__ == "__main__":
    main()
