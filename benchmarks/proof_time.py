#!/usr/bin/env python3
"""How long the proof of a kernel takes (docs/checker.md): of the examples, and as bodies and rings grow.

    python3 benchmarks/proof_time.py --titan build/bin/titan [--rounds 5] [--json FILE] [--only bodies uses depths examples]

What is timed is the proof alone, as `titan check --json` tells it: no parsing, no search; CPU seconds of its thread, as
other work on the machine moves them least. Each figure is the least of the rounds. Tables:

    bodies    a ring of 2 slots of many tiles between a loading and a computing partition: 16, 32, ... 512 operations in
              the bodies of their loops, and the power of that which fits the times
    uses      the same of one tile, written out several times: 2, 4, ... 32 uses of the ring in an iteration
    depths    one use of one tile in an iteration, rings of 2, 4, ... 64 slots
    examples  each kernel of examples/ that is proved
    picks     each different kernel that `titan generate gemm` picks for a shape of race.py's (once, whatever --rounds says)
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

from race import SHAPES, commit, model_shapes, name_of

TABLES = ("bodies", "uses", "depths", "examples", "picks")
ROOT = pathlib.Path(__file__).resolve().parent.parent

def pipeline(parts=1, slots=2, uses=1, without=None):
    """Two partitions and a ring of `slots` slots of `parts` tiles each: their loops come to `uses` uses of it in an
    iteration. Of each tile there are 5 operations. `without`: of this use and tile nothing is loaded, which is wrong."""
    rows, columns = 8, 32
    numbers = [(u, p) for u in range(uses) for p in range(parts)]
    each = lambda text, separator=", ": separator.join(text.format(p) for p in range(parts))
    constants = "".join(f"  %d{u}_{p} = arith.constant {columns * (u * parts + p)} : index\n" for u, p in numbers)
    allocations = each("  %x{0} = titan.shared.alloc : !ring", "\n")
    load = compute = ""
    for u in range(uses):
        load += f"        %slot{u} = titan.pipe.acquire %pipe : !titan.pipe<{slots}>\n"
        compute += f"        %slot{u} = titan.pipe.wait %pipe : !titan.pipe<{slots}>\n"
        for p in range(parts):
            if (u, p) != without:
                load += f"""        %column{u}_{p} = arith.addi %base, %d{u}_{p} : index
        titan.pipe.load %mapX[%row, %column{u}_{p}] -> %slot{u}["x{p}"] : !map
"""
            compute += f"""        %in{u}_{p} = titan.pipe.buffer %slot{u}["x{p}"] : !tile
        %v{u}_{p} = titan.shared.load %in{u}_{p} : !tile -> !regs
        %w{u}_{p} = arith.addf %v{u}_{p}, %v{u}_{p} : !regs
"""
        load += f"        titan.pipe.commit %slot{u}\n"
        compute += f"        titan.pipe.release %slot{u}\n"
    return f"""!matrix = !titan.global<?x?xf32>
!map    = !titan.tensor_map<{rows}x{columns}xf32, swizzle = 128>
!ring   = !titan.shared<{rows}x{columns}xf32, swizzle = 128, slots = {slots}>
!tile   = !titan.shared<{rows}x{columns}xf32, swizzle = 128>
!regs   = tensor<{rows}x{columns}xf32, #titan.blocked<elements = [2, 4], lanes = [4, 8], warps = [1, 1]>>

titan.kernel @pipeline(%X: !matrix) warps(2) launch {{
  %rows = arith.constant {rows} : index
  %columns = arith.constant {columns * parts * uses} : index
  %m = titan.dim %X, 0 : !matrix
  %n = titan.dim %X, 1 : !matrix
  %grid = arith.ceildivui %m, %rows : index
  %steps = arith.ceildivui %n, %columns : index
  %mapX = titan.tensor_map %X : !matrix -> !map
  titan.launch grid(%grid) with(%mapX, %steps : !map, index)
}} body(%mapX: !map, %steps: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %high = arith.constant {rows} : index
  %wide = arith.constant {columns * parts * uses} : index
{constants}{allocations}
  %pipe = titan.pipe.create "load" -> ["compute"] buffers [{each('"x{0}"')}]({each("%x{0}")} : {each("!ring")}) : !titan.pipe<{slots}>
  %block = titan.cta_id 0
  %row = arith.muli %block, %high : index
  titan.warp_specialize {{
    titan.partition "load" warps(1) {{
      scf.for %i = %c0 to %steps step %c1 {{
        %base = arith.muli %i, %wide : index
{load}      }}
    }}
    titan.partition "compute" warps(1) {{
      scf.for %i = %c0 to %steps step %c1 {{
{compute}      }}
    }}
  }}
  titan.return
}}
"""


def proofs(titan, path, rounds):
    """Of each kernel of a file: its proof, with the least seconds of the rounds."""
    best = {}
    for _ in range(rounds):
        run = subprocess.run([titan, "check", "--json", path], capture_output=True, text=True)
        try:
            report = json.loads(run.stdout)
        except ValueError:
            sys.exit(f"{path}:\n{run.stdout}{run.stderr}")
        for kernel in report["kernels"]:
            proof = kernel.get("proof")
            if proof and proof["seconds"] < best.get(kernel["kernel"], {"seconds": math.inf})["seconds"]:
                best[kernel["kernel"]] = {key: proof[key] for key in ("seconds", "systems", "verdict")}
    return best


def power(points):
    """The p of time = c * size^p that fits best (least squares of the logarithms)."""
    x = [math.log(size) for size, _ in points]
    y = [math.log(time) for _, time in points]
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--titan", default=str(ROOT / "build/bin/titan"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json")
    parser.add_argument("--only", nargs="+", choices=TABLES)
    options = parser.parse_args()
    tables = options.only or TABLES
    result = {"titan": commit(), "rounds": options.rounds, "load": os.getloadavg()[0]}

    def row(name, proof):
        print(f"{name:<54} {proof['seconds'] * 1e3:9.1f} ms {proof['systems']:7} systems  {proof['verdict']}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        def generated(table, sizes, text):
            result[table] = []
            print(f"{table}:")
            for size in sizes:
                path = os.path.join(folder, f"{table}{size}.mlir")
                pathlib.Path(path).write_text(text(size))
                proof = proofs(options.titan, path, options.rounds)["pipeline"]
                result[table].append({"size": size, **proof})
                row(f"  {size}", proof)
            p = power([(each["size"], each["seconds"]) for each in result[table]])
            result[f"{table} power"] = p
            print(f"  time grows as the {p:.2f}-th power")

        if "bodies" in tables:
            generated("bodies", (16, 32, 64, 128, 256, 512), lambda size: pipeline(parts=size // 5))
        if "uses" in tables:
            generated("uses", (2, 4, 8, 16, 32), lambda uses: pipeline(uses=uses, slots=2))
        if "depths" in tables:
            generated("depths", (2, 4, 8, 16, 32, 64), lambda slots: pipeline(slots=slots))
    if "examples" in tables:
        result["examples"] = {}
        print("examples:")
        for path in sorted(ROOT.glob("examples/*.mlir")) + sorted(ROOT.glob("examples/programs/*.mlir")):
            for kernel, proof in proofs(options.titan, str(path), options.rounds).items():
                name = f"{path.relative_to(ROOT / 'examples')} @{kernel}"
                if proof["verdict"] == "proved":
                    result["examples"][name] = proof
                    row(f"  {name}", proof)
    if "picks" in tables:
        result["picks"], texts = {}, {}
        print("picks:")
        with tempfile.TemporaryDirectory() as folder:
            for shape in SHAPES + model_shapes():
                path = os.path.join(folder, f"{name_of(shape)}.mlir")
                subprocess.run([options.titan, "generate", "gemm", "--shape", name_of(shape), "-o", path], check=True,
                               stdout=subprocess.DEVNULL)
                # (The head says for which shape it was picked.)
                lines = pathlib.Path(path).read_text().split("\n")
                texts.setdefault("\n".join(line for line in lines if not line.startswith("//")), []).append(name_of(shape))
            for shapes in texts.values():
                proof = proofs(options.titan, os.path.join(folder, f"{shapes[0]}.mlir"), 1)["gemm"]
                result["picks"][shapes[0]] = {**proof, "shapes": len(shapes)}
                row(f"  {shapes[0]} ({len(shapes)})", proof)
        picked = result["picks"].values()
        proved = [each for each in picked if each["verdict"] == "proved"]
        print(f"  {len(proved)} of {len(picked)} kernels, {sum(each['shapes'] for each in proved)} of "
              f"{sum(each['shapes'] for each in picked)} shapes")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
