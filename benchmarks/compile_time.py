#!/usr/bin/env python3
"""From IR to PTX: TITAN's time against Triton 3.6's, on one machine, no GPU needed.

    python3 benchmarks/compile_time.py --titan build/bin/titan --triton-python venv/bin/python [--rounds 9] [--json FILE]

Each figure is a process of its own that compiles one kernel once: nothing is warm but the file cache. TITAN's is the
whole process, `titan compile --check=off --emit=ptx`, from the exec to its end: start, reading, passes, LLVM. Triton's
begins when its modules are imported (that takes longer than all the rest, and is a column apart) and the IR is to be
read: dialects, parsing, ttir, ttgir, llir, ptx; no cache, no ptxas. CPU seconds of user and system, as other work on
the machine moves them least, and seconds by the clock; contenders take turns, medians of the rounds.

With --texts, instead, the same TTIR through both: those that are committed of the tutorials' and libraries' programs
(tests/Triton/Inputs), 4 warps, `titan compile FILE.ttir --check=off --emit=ptx`. Triton's time has no stage ttir then: the texts
are past it. A process of titan that does nothing (`titan --version`) is told apart: loading the libraries.

Kernels of the same tiles: the persistent GEMM with TMA that race.py runs, 128 x 128 x 64 (titan generate gemm), and
attention forward, 128 queries by 128 keys, d 128 (examples/programs/attention.mlir; tests/Triton's `attention`).
"""
import argparse
import json
import os
import pathlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from race import commit

ROOT = pathlib.Path(__file__).resolve().parent.parent

def triton_texts(folder):
    """Writes the IR of Triton's kernels, as its front end makes it."""
    sys.path[:0] = [str(ROOT / "tests" / "Triton" / "Inputs"), str(ROOT / "benchmarks")]
    import programs
    import race
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler.compiler import ASTSource, make_backend
    target = GPUTarget("cuda", 90, 32)
    backend = make_backend(target)
    options = backend.parse_options({})
    attention = programs.PROGRAMS["attention"][0]
    for name, fn, types, constants in (
            ("gemm", race.triton_kernel(), ["tensordesc<bf16[128, 64]>"] * 2 + ["tensordesc<bf16[128, 128]>"] + ["i32"] * 3,
             dict(BM=128, BN=128, BK=64, GROUP=8, SMS=132)),
            ("attention", attention, ["*fp16"] * 4 + ["i32", "fp32"], dict(BM=128, BN=128, D=128))):
        signature = dict(zip(fn.arg_names, types + ["constexpr"] * len(constants)))
        attributes = {(i,): [["tt.divisibility", 16]] for i, type in enumerate(types) if type != "fp32" and "[" not in type}
        source = ASTSource(fn, signature, {(fn.arg_names.index(n),): v for n, v in constants.items()}, attributes)
        context = ir.context()
        ir.load_dialects(context)
        backend.load_dialects(context)
        module = source.make_ir(target, options, backend.get_codegen_implementation(options),
                                backend.get_module_map(), context)
        (pathlib.Path(folder) / f"{name}.ttir").write_text(str(module))


def triton_child(path, warps, past=0):
    """Compiles one text; prints the times of the imports, and of what follows."""
    begun, cpu = time.perf_counter(), sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget, Language
    from triton.compiler.compiler import make_backend
    imported, cpu_imported = time.perf_counter(), sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    target = GPUTarget("cuda", 90, 32)
    backend = make_backend(target)
    options = backend.parse_options({"num_warps": warps, "num_stages": 3})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    module = ir.parse_mlir_module(path, context)
    module.context = context
    stages, metadata = {}, {"target": target, **options.__dict__}
    backend.add_stages(stages, options, Language.TRITON)
    parts = {}
    for name in ("ttir", "ttgir", "llir", "ptx")[past:]:
        start = time.perf_counter()
        module = stages[name](module, metadata)
        parts[name] = time.perf_counter() - start
    done, cpu_done = time.perf_counter(), sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    print(json.dumps({"import": imported - begun, "import cpu": cpu_imported - cpu, "clock": done - imported,
                      "cpu": cpu_done - cpu_imported, "bytes": len(module), **parts}))


def run(command):
    """Clock and CPU seconds of a process, and what it printed."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, err = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    clock = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{err}")
    return {"clock": clock, "cpu": usage.ru_utime + usage.ru_stime}, out


def race_texts(options):
    """The same texts of tt through both."""
    inputs, samples, refused = ROOT / "tests" / "Triton" / "Inputs", {}, []
    paths = sorted([*inputs.glob("tutorials/ttir/*.ttir"), *inputs.glob("library/ttir/*.ttir")])
    with tempfile.TemporaryDirectory() as folder:
        ptx = os.path.join(folder, "out.ptx")
        for path in list(paths):
            if subprocess.run([options.titan, "compile", path, "--check=off", "--emit=ptx", "-o", ptx], capture_output=True).returncode:
                refused.append(path.name)
                paths.remove(path)
        for round in range(options.rounds):
            for path in random.sample(paths, len(paths)):
                sample, _ = run([options.titan, "compile", path, "--check=off", "--emit=ptx", "-o", ptx])
                _, out = run([options.triton_python, __file__, "--child", path, "4", "1"])
                empty, _ = run([options.titan, "--version"])
                samples.setdefault(path.name, []).append(
                    {"titan": sample["cpu"], "start": empty["cpu"], "triton": json.loads(out)["cpu"],
                     "titan clock": sample["clock"], "triton clock": json.loads(out)["clock"]})
    middle = {name: {part: statistics.median(s[part] for s in each) for part in each[0]} for name, each in samples.items()}
    mean = lambda f: statistics.geometric_mean(f(m) for m in middle.values())
    print(f"{len(middle)} texts, {options.rounds} rounds; CPU, geometric means: titan {mean(lambda m: m['titan']) * 1e3:.0f} ms, of which a "
          f"process that does nothing takes {mean(lambda m: m['start']) * 1e3:.0f}; Triton {mean(lambda m: m['triton']) * 1e3:.0f} ms")
    print(f"titan / Triton {mean(lambda m: m['titan'] / m['triton']):.3f}; without the start "
          f"{mean(lambda m: max(m['titan'] - m['start'], 1e-4) / m['triton']):.3f}; by the clock "
          f"{mean(lambda m: m['titan clock'] / m['triton clock']):.3f}; not compiled: {', '.join(refused) or 'none'}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"titan": commit(), "rounds": options.rounds, "load": os.getloadavg()[0], "refused": refused, "texts": middle}, file, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--titan")
    parser.add_argument("--triton-python", help="a Python with triton 3.6.0")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json")
    parser.add_argument("--texts", action="store_true", help="the same TTIR through both")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--write", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return triton_child(options.child[0], *map(int, options.child[1:]))
    if options.write:
        return triton_texts(options.write)
    if options.texts:
        return race_texts(options)
    with tempfile.TemporaryDirectory() as folder:
        gemm = os.path.join(folder, "gemm.mlir")
        run([options.triton_python, __file__, "--write", folder])
        run([options.titan, "generate", "gemm", "--tile", "128x128x64", "-o", gemm])
        kernels = {"gemm": (gemm, os.path.join(folder, "gemm.ttir"), 8),
                   "attention": (ROOT / "examples/programs/attention.mlir", os.path.join(folder, "attention.ttir"), 8)}
        times = {name: {"titan": [], "triton": []} for name in kernels}
        version = run([options.triton_python, "-c", "import triton; print(triton.__version__)"])[1].strip()
        for round in range(options.rounds + 1):  # The first fills the file cache.
            for name, (ours, theirs, warps) in random.sample(sorted(kernels.items()), len(kernels)):
                ptx = os.path.join(folder, "out.ptx")
                sample, _ = run([options.titan, "compile", ours, "--check=off", "--emit=ptx", "-o", ptx])
                sample["bytes"] = os.path.getsize(ptx)
                _, out = run([options.triton_python, __file__, "--child", theirs, str(warps)])
                if round:
                    times[name]["titan"].append(sample)
                    times[name]["triton"].append(json.loads(out))
    report = {"titan": commit(), "triton": version, "rounds": options.rounds, "load": os.getloadavg()[0], "kernels": times}
    for name, both in times.items():
        middle = {who: {part: statistics.median(s[part] for s in samples) for part in samples[0]}
                  for who, samples in both.items()}
        ours, theirs = middle["titan"], middle["triton"]
        print(f"{name}: CPU {ours['cpu']:.3f} s against {theirs['cpu']:.3f} s ({ours['cpu'] / theirs['cpu']:.2f}), clock "
              f"{ours['clock']:.3f} against {theirs['clock']:.3f} ({ours['clock'] / theirs['clock']:.2f}); Triton's import "
              f"{theirs['import cpu']:.2f} s of CPU, "
              + ", ".join(f"{part} {theirs[part]:.3f}" for part in ("ttir", "ttgir", "llir", "ptx")))
        report[name] = middle
    if options.json:
        with open(options.json, "w") as file:
            json.dump(report, file, indent=1)


if __name__ == "__main__":
    main()
