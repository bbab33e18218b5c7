#!/usr/bin/env python3
# Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton programs, unchanged, through the back end of TITAN=compile, on a GPU.

    TITAN=compile TITAN_STORE=DIR TITAN_STORE_MISSES=skip backend.py    # what is missing is written down
    python3 -m titan.store DIR                                          # where the compiler is
    TITAN=compile TITAN_STORE=DIR backend.py                            # what comes out is compared

`programs`: those of tests/Triton/Inputs/tutorials, library and further at their ragged sizes, against the definitions in plain
Python that stand in them. `torch`: the kernels of benchmarks/triton_programs.py on PyTorch's tensors at the sizes at which they
are raced, against what PyTorch computes in float64, with guards around what is written. Without a word: both. Then what an autotuner
picks, launches on a stream of PyTorch's that are captured into a graph, and options.
"""
import argparse
import os
import pathlib
import runpy
import sys
import traceback
import types

ROOT = pathlib.Path(__file__).resolve().parents[3]
INPUTS = ROOT / "tests" / "Triton" / "Inputs"
sys.path[:0] = [str(ROOT / "python"), str(INPUTS / "tutorials"), str(ROOT / "benchmarks")]


class Tally:
    def __init__(self):
        self.right, self.wrong = 0, []

    def note(self, what, problem=None):
        if problem:
            self.wrong.append(what)
            print(f"{what}: {problem}", flush=True)
        else:
            self.right += 1

    def end(self, what):
        print(f"{what}: {self.right} right, {len(self.wrong)} wrong: {', '.join(self.wrong) or 'none'}", flush=True)
        return bool(self.wrong)


def programs(skip, only):
    import definitions
    tally, check = Tally(), definitions.check

    def keep_on(what, *values):
        try:
            check(what, *values)
            tally.note(what)
        except AssertionError as error:
            tally.note(what, error)
    definitions.check = keep_on
    for path in sorted(path for folder in ("tutorials", "library", "further") for path in INPUTS.glob(f"{folder}/*.py")):
        if path.stem == "definitions" or only and path.stem not in only:
            continue
        sys.argv = [str(path)]
        try:
            runpy.run_path(str(path), run_name="__main__")
        except Exception as error:
            if not skip:
                traceback.print_exc(limit=-2)
            tally.note(path.stem, f"{type(error).__name__}: {error}")
    return tally.end("programs")


def on_torch(only):
    import torch
    import triton_programs as raced
    tally = Tally()
    for name, case in raced.cases().items():
        if only and name not in only:
            continue
        g = torch.Generator("cuda").manual_seed(1)
        tensors = {key: value.make(torch, g) for key, value in case.arguments.items() if isinstance(value, raced.In)}
        one = raced.Set(torch, case, tensors)
        try:
            one.triton()()
            torch.cuda.synchronize()
        except Exception as error:
            tally.note(name, f"{type(error).__name__}: {error}")
            continue
        problem = None if one.intact() else "writes beside its outputs"
        if case.expected:
            found, wanted = one.outputs(), case.expected(torch, types.SimpleNamespace(**{k: v.double() for k, v in tensors.items()}))
            for which, value in wanted.items():
                bad = raced.wrong(torch, found[which], value, case.bound)
                if bad:
                    problem = f"{bad} of {value.numel()} elements of {which} wrong"
        tally.note(name if case.expected else name + " (no definition)", problem)
        del one, tensors
        torch.cuda.empty_cache()
    return tally.end("torch")


def tuned_and_captured():
    import torch
    import triton
    import triton_programs as raced
    from multiply_add import multiply_add
    tally, n = Tally(), 1 << 24
    x, y, out = torch.randn(n, device="cuda"), torch.randn(n, device="cuda"), torch.empty(n, device="cuda")
    grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]), )
    tuned = triton.autotune([triton.Config({"BLOCK": b}, num_warps=w) for b, w in ((256, 2), (1024, 4), (4096, 8))], key=["n"])(raced.add)
    tuned[grid](x, y, out, n)
    print(f"the autotuner's pick: {tuned.best_config}")
    tally.note("autotune", None if torch.equal(out, x + y) else "wrong")
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    out.zero_()
    graph = torch.cuda.CUDAGraph()
    raced.add[grid](x, y, out, n, BLOCK=1024)
    with torch.cuda.graph(graph, stream=stream):
        raced.add[grid](x, y, out, n, BLOCK=1024)
    out.zero_()
    x += 1
    graph.replay()
    torch.cuda.synchronize()
    tally.note("graph", None if torch.equal(out, x + y) else "wrong")
    view = torch.randn(3 * n + 7, device="cuda")[7:7 + n]  # Another specialisation: it begins at no multiple of 16 bytes.
    raced.add[grid](view, y, out, n, BLOCK=1024)
    tally.note("view", None if torch.equal(out, view + y) else "wrong")
    try:
        raced.add[grid](x.cpu(), y, out, n, BLOCK=1024)
        tally.note("host", "launched")
    except Exception as error:
        tally.note("host", None if getattr(error, "code", "") == "argument-shape" else f"{type(error).__name__}: {error}")
    few = raced.add[grid](x, y, out, n, BLOCK=4096, num_warps=1, maxnreg=32)
    tally.note("maxnreg", None if few.n_regs <= 32 and torch.equal(out, x + y) else f"wrong, with {few.n_regs} registers")
    z = torch.randn(n, device="cuda")
    for fused in (True, False):
        multiply_add[grid](x, y, z, out, n, BLOCK=1024, enable_fp_fusion=fused)
        tally.note(f"enable_fp_fusion={fused}", None if torch.equal(out, x * y + z) != fused else "wrong")
    return tally.end("PyTorch")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", nargs="*", default=["programs", "torch", "pytorch"])
    parser.add_argument("--only", nargs="+", default=[])
    options = parser.parse_args()
    skip = bool(os.environ.get("TITAN_STORE_MISSES"))
    bad = False
    if "programs" in options.what:
        bad |= programs(skip, options.only)
    if "torch" in options.what:
        bad |= on_torch(options.only)
    if "pytorch" in options.what:
        bad |= tuned_and_captured()
    return bad


if __name__ == "__main__":
    sys.exit(main())
