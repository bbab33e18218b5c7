#!/usr/bin/env python3
"""Is the variant that the dispatch chooses the fastest one? Random copies that several variants do, each forced
and timed.

    python3 benchmarks/dispatch_costs.py prepare --titan build/bin/titan --out FOLDER [--seed S] [--count N]
    python3 benchmarks/dispatch_costs.py run FOLDER --library libtitan-runtime.so --json OUT     # a GPU, PyTorch
    python3 benchmarks/dispatch_costs.py judge OUT --titan build/bin/titan FOLDER                # after another model

A case is one copy in a loop, on every multiprocessor: from shared memory to registers (vectors, ldmatrix), back
(vectors, stmatrix), from memory to memory (vectors, scalars). Where one variant alone fits there is nothing to choose.
`prepare` asks `titan explain copy --json` which variants fit and which one is chosen, and compiles the kernel once
for each of them. `run` compares what they leave, lets them take turns, and prints for each case the time of the chosen one over that
of the best; no more than 1.1 is wanted. What the loop itself takes is not taken away.
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

ROUNDS = 2001  # Odd: what is summed by exclusive or is one tile in the end.
GRID = 132
SIZES = {"i8": 1, "i16": 2, "i32": 4, "i64": 8}
WIDTHS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}

TEXT = """!x = !titan.global<{X}x{C}x{T}, strides = [{C}, 1]>
!p = !titan.global<{P}x{C}x{T}, strides = [{C}, 1]>
!tile = !titan.shared<{R}x{C}x{T}{SWIZZLE}>
!ring = !titan.shared<{R}x{C}x{T}{SWIZZLE}, slots = 2>
!a = tensor<{R}x{C}x{T}, {A}>
titan.kernel @{NAME}(%X: !x, %P: !p) warps({W}) attributes {{titan.alignment = {{X = 16, P = 16}}}} launch {{
  %g = arith.constant {GRID} : index
  titan.launch grid(%g)
}} body() {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = arith.constant {R} : index
  %rounds = arith.constant {ROUNDS} : index
  %cta = titan.cta_id 0
  %row = arith.muli %cta, %rows : index
  %ring = titan.shared.alloc : !ring
  %slot0 = titan.shared.slot %ring[%c0 : index] : !ring -> !tile
  %slot1 = titan.shared.slot %ring[%c1 : index] : !ring -> !tile
  titan.copy %X[%c0, %c0] to %slot0 : !x, !tile
  titan.copy %X[%rows, %c0] to %slot1 : !x, !tile
  titan.cta_sync
{BODY}
  titan.return
}}
"""
BODIES = {
    "load": """  %none = arith.constant dense<0> : !a
  %sum = scf.for %i = %c0 to %rounds step %c1 iter_args(%sum = %none) -> !a {{
    %h = arith.remui %i, %c2 : index
    %slot = titan.shared.slot %ring[%h : index] : !ring -> !tile
    %t = titan.copy %slot{HOW} : !tile -> !a
    %more = arith.xori %sum, %t : !a
    scf.yield %more : !a
  }}
  titan.copy %sum to %P[%row, %c0] : !a, !p""",
    "store": """  %t = titan.copy %X[%c0, %c0] : !x -> !a
  titan.cta_sync
  scf.for %i = %c0 to %rounds step %c1 {{
    %h = arith.remui %i, %c2 : index
    %slot = titan.shared.slot %ring[%h : index] : !ring -> !tile
    titan.copy %t to %slot{HOW} : !a, !tile
  }}
  titan.cta_sync
  titan.copy %slot1 to %P[%row, %c0] : !tile, !p""",
    "memory": """  scf.for %i = %c0 to %rounds step %c1 {{
    titan.copy %slot0 to %slot1{HOW} : !tile, !tile
    titan.cta_sync
  }}
  titan.copy %slot1 to %P[%row, %c0] : !tile, !p""",
}


class Case:
    def __init__(self, rng, kind):
        self.kind = kind
        while True:
            self.warps = rng.choice([1, 2, 4, 4, 8])
            self.type = "i16" if kind in ("load", "store") else rng.choice(["i8", "i16", "i32"])
            size = SIZES[self.type]
            if kind == "memory":
                self.rows, self.columns = rng.choice([(1, 16), (1, 64), (2, 16), (4, 32), (8, 64), (16, 16)])
            else:
                self.rows, self.columns = rng.choice([8, 16, 32, 64, 128]), rng.choice([16, 32, 64, 128])
            self.bytes = self.rows * self.columns * size
            each = self.bytes / (32 * self.warps)
            if kind == "memory" or 4 <= each <= 128 and self.columns * size >= 16:
                break
        swizzles = [s for s in (32, 64, 128) if self.columns * size % s == 0 and self.rows % 8 == 0]
        self.swizzle = rng.choice([0, *swizzles])
        self.a = self.layout(rng)

    def layout(self, rng):
        warps, rows, columns = self.warps, self.rows, self.columns
        matrices = self.type == "i16" and columns % 16 == 0 and rows % 16 == 0
        if matrices and rng.random() < 0.8:
            down = rng.choice([w for w in (1, 2, 4, 8) if warps % w == 0 and rows % (16 * w) == 0] or [0])
            if down:
                name = rng.choice(["mma_sync_a", "mma_sync_a", "mma_sync"])
                across = warps // down
                if name == "mma_sync_a":
                    return f"#titan.mma_sync_a<16, {down}, {across}>"
                if columns % (8 * across) == 0:
                    return f"#titan.mma_sync<{down}, {across}>"
        for _ in range(200):
            along = rng.choice([w for w in (1, 2, 4, 8) if warps % w == 0])
            lanes = rng.choice([1, 2, 4, 8, 16, 32])
            wide, high = rng.choice([1, 2, 4, 8, 16]), rng.choice([1, 1, 2, 4])
            if wide * lanes * along <= columns and high * (32 // lanes) * (warps // along) <= rows:
                return (f"#titan.blocked<elements = [{high}, {wide}], lanes = [{32 // lanes}, {lanes}], "
                        f"warps = [{warps // along}, {along}]>")
        return f"#titan.blocked<elements = [1, 1], lanes = [1, 32], warps = [{warps}, 1]>"

    def text(self, name, how):
        values = dict(R=self.rows, C=self.columns, X=2 * self.rows, P=GRID * self.rows, T=self.type, W=self.warps, A=self.a,
                      GRID=GRID, ROUNDS=ROUNDS, NAME=name,
                      SWIZZLE=f", swizzle = {self.swizzle}" if self.swizzle else "")
        return TEXT.format(BODY=BODIES[self.kind].format(HOW=f' dispatch("{how}")' if how else "", **values), **values)

    def __str__(self):
        return f"{self.kind} {self.rows}x{self.columns}x{self.type} warps {self.warps} swizzle {self.swizzle} {self.a}"


def asked(titan, text, kind):
    """Of the copy in the loop: the variants that fit, with their costs, and the chosen one; None where it is refused."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([titan, "explain", "copy", "--json", file.name], capture_output=True, text=True)
    if not done.stdout:
        return None
    copies = json.loads(done.stdout).get("copies", [])
    copies = [copy for copy in copies if copy["operands"] in ("%slot to %t", "%t to %slot", "%slot0 to %slot1")]
    if len(copies) != 1:
        return None
    return {v["name"]: v for v in copies[0]["variants"] if v["fits"]}, copies[0].get("chosen")


def prepare(options):
    out, rng, list, tried = pathlib.Path(options.out), random.Random(options.seed), [], set()
    out.mkdir(parents=True, exist_ok=True)
    few = options.count // 10
    quota = {"load": 4 * few, "store": options.count - 5 * few, "memory": few}
    while any(quota.values()):
        kind = rng.choice([kind for kind in quota if quota[kind]])
        case = Case(rng, kind)
        if str(case) in tried:
            continue
        tried.add(str(case))
        answer = asked(options.titan, case.text("k", ""), kind)
        if not answer:
            continue
        fits, chosen = answer
        if len(fits) < 2:
            continue
        name = f"case{len(list)}"
        text = out / f"{name}.mlir"
        parts = []
        for variant in fits:
            part = case.text(variant, variant)
            # The types' names are the file's: the first kernel brings them.
            parts.append(part[part.index("titan.kernel"):] if parts else part)
        text.write_text("".join(parts))
        done = subprocess.run([options.titan, "compile", str(text), "-o", str(out / f"{name}.titanpkg")], capture_output=True, text=True)
        if done.returncode:
            print("BAD", case, done.stderr[:600])
            return 1
        quota[kind] -= 1
        list.append({"name": name, "what": str(case), "kind": kind, "type": case.type, "rows": case.rows, "columns": case.columns,
                     "variants": fits, "chosen": chosen})
        print(f"{name}: {case}: {', '.join(fits)}; {chosen}", flush=True)
    (out / "cases.json").write_text(json.dumps({"seed": options.seed, "cases": list}, indent=1))
    return 0


def run(options):
    import torch
    import gemm
    import race
    types = {"i8": torch.int8, "i16": torch.int16, "i32": torch.int32}
    gemm.DTYPES.update({torch.int32: 8, torch.int16: 9, torch.int8: 10})
    torch.cuda.init()
    library, rng = gemm.Library(options.library), random.Random(options.seed)
    folder = pathlib.Path(options.folder)
    listed = json.loads((folder / "cases.json").read_text())
    generator = torch.Generator(device="cuda").manual_seed(options.seed)
    failures = 0
    for case in listed["cases"]:
        kernels = gemm.read_packages(library, [str(folder / (case["name"] + ".titanpkg"))])
        x = torch.randint(-100, 100, (2 * case["rows"], case["columns"]), device="cuda", generator=generator).to(types[case["type"]])
        launches, left = {}, {}
        for kernel in kernels:
            p = torch.full((GRID * case["rows"], case["columns"]), 77, device="cuda", dtype=types[case["type"]])
            array = kernel.prepare(X=x, P=p)
            launches[kernel.name] = lambda kernel=kernel, array=array: kernel.launch(array)
            launches[kernel.name]()
            torch.cuda.synchronize()
            left[kernel.name] = p
        first = next(iter(left.values()))
        case["wrong"] = {name: int((p != first).sum()) for name, p in left.items()}
        failures += any(case["wrong"].values())
        seconds, names = {name: [] for name in launches}, list(launches)
        for _ in range(options.rounds):
            rng.shuffle(names)
            for name in names:
                start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                launches[name]()
                start.record()
                for _ in range(5):
                    launches[name]()
                end.record()
                end.synchronize()
                seconds[name].append(start.elapsed_time(end) * 1e-3 / 5)
        case["seconds"] = {name: statistics.median(times) for name, times in seconds.items()}
    report = {**race.describe(), **listed}
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(report, indent=1))
    print("wrong:", failures)
    return tell(report["cases"]) or failures


def tell(cases):
    """Prints the times, worst first; the number of cases that miss."""
    rows = []
    for case in cases:
        seconds = case["seconds"]
        best = min(seconds.values())
        rows.append((seconds[case["chosen"]] / best, case))
    rows.sort(key=lambda row: -row[0])
    for ratio, case in rows:
        text = ", ".join(f"{name} {t * 1e9 / ROUNDS:.1f} ns (weight {v['weight']})" for name, t in case["seconds"].items()
                         for v in [case["variants"][name]])
        print(f"{ratio:.3f} {case['what']}: {case['chosen']}; {text}")
    missed = sum(ratio > 1.1 for ratio, _ in rows)
    print(f"{len(rows)} cases; the chosen variant over the best one: at most {rows[0][0]:.3f}; {missed} above 1.1")
    return missed


def judge(options):
    """The choice of another model, by the times that there are."""
    report = json.loads(pathlib.Path(options.json).read_text())
    for case in report["cases"]:
        text = (pathlib.Path(options.folder) / (case["name"] + ".mlir")).read_text()
        first = text[:text.index("\n}\n") + 3]
        for variant in case["variants"]:
            first = first.replace(f' dispatch("{variant}")', "")
        fits, chosen = asked(options.titan, first, case["kind"])
        case["variants"] = {**case["variants"], **fits}
        case["chosen"] = chosen
    return 1 if tell(report["cases"]) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("prepare")
    make.add_argument("--titan", required=True)
    make.add_argument("--out", required=True)
    make.add_argument("--seed", type=int, default=1)
    make.add_argument("--count", type=int, default=100)
    go = commands.add_parser("run")
    go.add_argument("folder")
    go.add_argument("--library", required=True)
    go.add_argument("--rounds", type=int, default=7)
    go.add_argument("--seed", type=int, default=1)
    go.add_argument("--json")
    again = commands.add_parser("judge")
    again.add_argument("json")
    again.add_argument("folder")
    again.add_argument("--titan", required=True)
    options = parser.parse_args()
    return {"prepare": prepare, "run": run, "judge": judge}[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
