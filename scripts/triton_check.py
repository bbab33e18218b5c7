#!/usr/bin/env python3
"""Prints the TTIR of tests/Triton/Inputs/programs.py with Triton 3.6, and compares.

  scripts/triton_check.py --write      print the corpus anew (Inputs/ttir/*.ttir), and what the programs
                                       of Inputs/tutorials, further, library, operations, mistakes and backend compile (in ttir there)
  scripts/triton_check.py              what 3.6 prints, of all these, through titan-opt, is the same text,
                                       and 3.6's own parser reads that back, the same;
                                       so is each operation of tests/Dialect/Triton

A text is taken as 3.6 prints what it has parsed: names of loop variables stand in locations
that the text does not have. Triton 3.6.0 compiles without a GPU (pip install triton==3.6.0).
"""
import argparse
import collections
import difflib
import importlib.util
import os
import pathlib
import re
import runpy
import subprocess
import sys
import tempfile

import triton
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import ASTSource, make_backend

ROOT = pathlib.Path(__file__).resolve().parent.parent
INPUTS = ROOT / "tests" / "Triton" / "Inputs"
FOLDERS = "tutorials", "further", "library", "operations", "mistakes", "backend"
TARGET = GPUTarget("cuda", 90, 32)


def programs():
    spec = importlib.util.spec_from_file_location("programs", INPUTS / "programs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.PROGRAMS


def make(fn, signature, constants):
    """The text before make_ttir, and after it; locations name files by their last part."""
    names = [n for n in fn.arg_names if n not in constants]
    types, attrs, fixed = {}, {}, dict(constants)
    for i, (name, text) in enumerate(zip(names, signature)):
        at = (fn.arg_names.index(name),)
        if text.endswith("=1"):
            types[name], fixed[name] = "constexpr", 1
            continue
        if ":16" in text:
            attrs[at] = [["tt.divisibility", 16]]
        types[name] = text.replace(":16", "")
    for name in constants:
        types[name] = "constexpr"
    source = ASTSource(fn, {n: types[n] for n in fn.arg_names},
                       {(fn.arg_names.index(n),): v for n, v in fixed.items()}, attrs)
    backend = make_backend(TARGET)
    options = backend.parse_options({"debug": True} if "debug" in fn.fn.__name__ else {})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    module = source.make_ir(TARGET, options, backend.get_codegen_implementation(options),
                            backend.get_module_map(), context)
    raw = theirs(relative(str(module)))
    module = backend.make_ttir(module, {}, options, 90)
    return raw, theirs(relative(str(module)))


def relative(text):
    return re.sub(r'loc\("(/[^"]*/)([^"/]*)":', r'loc("\2":', text)


def record(program, folder):
    """Runs a program under TITAN=simulate; each text that is compiled, in order, is a file."""
    counts = collections.Counter()

    def listen(src, metadata, metadata_group, times, cache_hit):
        text = pathlib.Path(metadata_group[f"{src.name}.titan"]).read_text()
        path = pathlib.Path(folder) / f"{pathlib.Path(program).stem}.{src.name}.{counts[src.name]}.ttir"
        counts[src.name] += 1
        path.write_text(relative(text))

    triton.knobs.compilation.always_compile = True
    triton.knobs.compilation.listener = listen
    sys.argv = [program]
    sys.path.insert(0, str(pathlib.Path(program).parent))
    runpy.run_path(program, run_name="__main__")


def programs_of(folder, write):
    """Every program of a folder runs; its texts are those that are committed."""
    bad = 0
    committed = folder / "ttir"
    with tempfile.TemporaryDirectory() as out:
        for program in sorted(folder.glob("*.py")):
            if program.stem == "definitions":
                continue
            bad += subprocess.run([sys.executable, __file__, "--record", program, out], env=os.environ | {
                "TITAN": "simulate", "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "python", INPUTS / "tutorials")))}).returncode != 0
        made = {path.name: path.read_text() for path in pathlib.Path(out).iterdir()}
    if write:
        committed.mkdir(exist_ok=True)
        for path in committed.iterdir():
            path.unlink()
        for name, text in made.items():
            (committed / name).write_text(text)
        return bad
    there = {path.name: path.read_text() for path in committed.iterdir()}
    for name in sorted(made.keys() | there.keys()):
        if made.get(name) != there.get(name):
            print(f"{name}: Triton prints another text than the committed one")
            bad += 1
    return bad + sum(goes_round(name, theirs(text)) for name, text in sorted(there.items()))


def titan(text, *flags):
    with tempfile.NamedTemporaryFile("w", suffix=".ttir") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([ROOT / "build/bin/titan-opt", *flags, file.name],
                              capture_output=True, text=True)
    return done.stdout[:-1] if done.returncode == 0 else done.stderr


def theirs(text, debug=True):
    context = ir.context()
    ir.load_dialects(context)
    make_backend(TARGET).load_dialects(context)
    with tempfile.NamedTemporaryFile("w", suffix=".ttir") as file:
        file.write(text)
        file.flush()
        module = ir.parse_mlir_module(file.name, context)
    return str(module) if debug else module.str_nodebug()


def differ(name, text, ours):
    if ours == text:
        return 0
    print(f"{name}: differs")
    sys.stdout.writelines(difflib.unified_diff(
        text.splitlines(True), ours.splitlines(True), "Triton", "TITAN", n=1))
    return 1


def goes_round(name, text):
    """0 where a text as 3.6 prints it is the same through titan-opt, and 3.6 reads that back."""
    ours = titan(text, "--mlir-print-debuginfo", "--mlir-use-nameloc-as-prefix")
    return differ(name, text, ours) or differ(name, text, theirs(ours))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--record", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.record:
        return record(*options.record)
    if triton.__version__ != "3.6.0":
        sys.exit(f"this compares with Triton 3.6.0, not {triton.__version__}")
    bad = 0
    for name, (fn, signature, constants) in programs().items():
        if options.names and name not in options.names:
            continue
        raw, made = make(fn, signature, constants)
        for suffix, text in ((".raw", raw), ("", made)):
            path = INPUTS / "ttir" / f"{name}{suffix}.ttir"
            if options.write:
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
                continue
            if not path.exists() or path.read_text() != text:
                print(f"{path.name}: Triton prints another text than the committed one")
                bad += 1
            bad += goes_round(path.name, text)
    for path in sorted((ROOT / "tests" / "Dialect" / "Triton").glob("*.mlir")):
        text = "".join(line for line in path.read_text().splitlines(True)
                       if not line.startswith("//"))
        # Not what diagnostics are expected of.
        if "expected-" not in path.read_text() and not options.write and not options.names:
            bad += differ(path.name, text.strip(), theirs(text, debug=False).strip())
    if not options.names:
        bad += sum(programs_of(INPUTS / name, options.write) for name in FOLDERS)
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
