#!/usr/bin/env python3
"""How long titan-lower-copies takes for a kernel of many copies by schedule.

    benchmarks/inference.py [--titan-opt build/bin/titan-opt] [--copies 200] [--runs 15]

Inference is all of it: the schedules are read and lowered, the uses of each copy's tile
are followed (an accumulation in a loop, a mask, a sum), the correctness is decided, and
maps, checks and copies are written. MLIR's own timing tells the time of the pass; the
least of the runs is printed, and the median.
"""

import argparse
import re
import statistics
import subprocess
import tempfile

HEAD = """
!x = !titan.global<?x?xf32>
!ring = !titan.shared<16x64xf32, slots = {slots}>
!t = !titan.shared<16x64xf32>
#rows = #titan.blocked<elements = [1, 4], lanes = [2, 16], warps = [1, 1]>
!v = tensor<16x64xf32, #rows>
!i = tensor<16x64xi32, #rows>
!b = tensor<16x64xi1, #rows>
#matrix = #titan.schedule<tensor M x K Mo, Mi = split(M, 16) Ko, Ki = split(K, 64) bulk Mi, Ki>
#groups = #titan.schedule<tensor M x K Mo, Mi = split(M, 16) Ko, Ki = split(K, 64)
  Kg, Kt = split(Ko, 5) Ks, Ku = split(Kt, 2) bulk Mi, Ki>
titan.kernel @k(%X: !x, %S: !x) warps(1) launch {{
  %one = arith.constant 1 : index
  titan.launch grid(%one)
}} body() {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %zeros = arith.constant dense<0.0> : !v
  %block = titan.cta_id 0
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %i = titan.coordinate 0 : !i
  %j = titan.coordinate 1 : !i
  %m = titan.dim %X, 0 : !x
  %m32 = arith.index_cast %m : index to i32
  %ms = titan.splat %m32 : i32 -> !i
  %inside = arith.cmpi slt, %i, %ms : !i
"""

COPY = {
    "matrix": "at(Mo = %block, Ko = %k{n})",
    "groups": "at(Mo = %block, Kg = %k{n}, Ks = %c0, Ku = %c1)",
}


def kernel(copies, slots, schedule):
    """`copies` copies to `slots` rings' slots, each ring read and summed."""
    text = HEAD.format(slots=slots)
    rings = -(-copies // slots)
    for r in range(rings):
        text += f"  %ring{r} = titan.shared.alloc : !ring\n"
        for s in range(min(slots, copies - r * slots)):
            n = r * slots + s
            text += f"""  %s{n} = arith.constant {s} : index
  %k{n} = arith.constant {n} : index
  %t{n} = titan.shared.slot %ring{r}[%s{n} : index] : !ring -> !t
  titan.elect {{
    titan.copy_async %X {COPY[schedule].format(n=n)} to %t{n} signals %full schedule(#{schedule}) : !x, !t, !titan.mbarrier
  }}
"""
        text += f"""  %total{r} = scf.for %g{r} = %c0 to %c9 step %c1 iter_args(%sofar{r} = %zeros) -> (!v) {{
    %x{r} = titan.shared.load %t{r * slots} : !t -> !v
    %y{r} = arith.mulf %x{r}, %x{r} : !v
    %z{r} = arith.select %inside, %y{r}, %zeros : !b, !v
    %w{r} = arith.addf %sofar{r}, %z{r} : !v
    scf.yield %w{r} : !v
  }}
  %sum{r} = titan.reduce add %total{r} : !v -> !v
  titan.global.store %sum{r}, %S[%i, %j] mask(%inside : !b) : !v, !x, !i, !i
"""
    return text + "  titan.return\n}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--titan-opt", default="build/bin/titan-opt")
    parser.add_argument("--copies", type=int, default=200)
    parser.add_argument("--runs", type=int, default=15)
    options = parser.parse_args()
    print(f"{options.copies} copies, ms of titan-lower-copies: least, median")
    for schedule in COPY:
        for slots in (4, 50, options.copies):
            with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
                file.write(kernel(options.copies, slots, schedule))
                file.flush()
                times = []
                for _ in range(options.runs):
                    report = subprocess.run(
                        [options.titan_opt, file.name, "-o", "/dev/null",
                         "--mlir-disable-threading", "--mlir-timing",
                         "--mlir-timing-display=list", "--verify-each=0",
                         "--pass-pipeline=builtin.module(titan.kernel(titan-lower-copies))"],
                        check=True, capture_output=True, text=True).stderr
                    times.append(1000 * float(
                        re.search(r"([\d.]+) \([^)]*\)\s+LowerCopies", report)[1]))
            print(f"  {schedule}, rings of {slots:3}: "
                  f"{min(times):6.1f} {statistics.median(times):6.1f}")


if __name__ == "__main__":
    main()
