#!/usr/bin/env python3
"""Holds what TITAN knows of loads' and stores' pointers against Triton 3.6's coalescing.

    coalesced.py TITAN-OPT      each access may move at least as many elements at once as Triton gives a thread
    coalesced.py --write        coalesced.txt anew (with triton==3.6.0; no GPU)

A line of coalesced.txt is an access of a text of ttir, tutorials/ttir or library/ttir after Triton's own conversion to TritonGPU (4 warps of
32) and coalescing: file, number, load or store, shape, dimension, elements of a thread along it. To loads Triton gives
the largest number of all accesses of their shape that belong together, so that they are held against all of theirs.
"""
import math
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
FOLDERS = "ttir", "tutorials/ttir", "library/ttir"
THREADS = 128


def triton(path):
    from triton._C.libtriton import ir, passes
    from triton.backends.compiler import GPUTarget
    from triton.compiler.compiler import make_backend
    backend = make_backend(GPUTarget("cuda", 90, 32))
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    module = ir.parse_mlir_module(str(path), context)
    manager = ir.pass_manager(context)
    passes.ttir.add_convert_to_ttgpuir(manager, "cuda:90", 4, 32, 1)
    passes.ttgpuir.add_coalesce(manager)
    manager.run(module, "coalesce")
    return module.str_nodebug()


def write():
    with open(HERE / "coalesced.txt", "w") as out:
        for path in [p for folder in FOLDERS for p in sorted((HERE / folder).glob("*.ttir"))]:
            if path.stem.endswith(".raw"):
                continue
            text = triton(path)
            layouts = {}
            for name, values, order in re.findall(r"^(#\w+) = #ttg.blocked<\{sizePerThread = \[(.*?)\].*?order = \[(.*?)\]",
                                                  text, re.M):
                layouts[name] = [[int(n) for n in part.split(",")] for part in (values, order)]
            found = re.findall(r"tt\.(load|store) .* : tensor<([\dx]+)x!tt\.ptr<\w+>, (#\w+)>", text)
            for number, (kind, shape, name) in enumerate(found):
                values, order = layouts[name]
                print(path.relative_to(HERE), number, kind, shape, order[0], values[order[0]], file=out)


def check(titan_opt):
    """Of each text: the accesses as TITAN knows them, and as Triton has them."""
    wrong = accesses = wide = 0
    theirs = {}
    for line in open(HERE / "coalesced.txt"):
        name, number, *access = line.split()
        theirs.setdefault(name, []).append(access)
    text = "\n// -----\n".join((HERE / name).read_text() for name in theirs)
    done = subprocess.run([titan_opt, "--split-input-file", "--print-axis-info=accesses"], input=text,
                          capture_output=True, text=True)
    said = iter(re.findall(r"remark: (load|store) moves at once (.*)", done.stderr))
    for name, lines in theirs.items():
        ours = []
        for (_, shape, dim, _), (kind, widths) in zip(lines, said):
            width = [int(n) for n in re.findall(r"\((\d+) without its mask\)", widths)][int(dim)]
            ours.append((kind, shape, dim, min(width, max(math.prod(map(int, shape.split("x"))) // THREADS, 1))))
        for number, (mine, (kind, shape, dim, elements)) in enumerate(zip(ours, lines)):
            width = mine[3] if kind == "store" else max(o[3] for o in ours if o[1:3] == mine[1:3])
            accesses += 1
            wide += int(elements) > 1
            if mine[0] != kind or width < int(elements):
                print(f"{name}, access {number}: {mine[0]} of {width} elements, Triton's {kind} {elements}")
                wrong += 1
    if next(said, None) or done.returncode:
        print("other accesses than Triton's", done.stderr[-500:])
        wrong += 1
    print(f"{accesses} accesses, {wide} of several elements, {wrong} below Triton's")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(write() if sys.argv[1] == "--write" else check(sys.argv[1]))
