#!/usr/bin/env python3
"""Copies between the CTAs of a cluster, and through shared memory: TITAN's against hand-written CUDA C++, against
the best form through global memory, and against the device-to-device copy.

    python3 benchmarks/cluster_copy.py prepare --titan build/bin/titan --out FOLDER       # needs no GPU
    python3 benchmarks/cluster_copy.py run FOLDER --library libtitan-runtime.so --json OUT  # needs nvcc

`prepare` writes the kernels (cluster_copy_kernels.py), has each accepted by the checker, simulates a small launch of
it against numpy, and compiles. `run` compiles the peers (cluster_copy.cu), checks every element of every result, and
lets the contenders of each case take turns, in random order, round by round; what counts is the median of the
rounds' ratios peer / ours (larger is better for us), with its 95 % bootstrap interval.

| case | ours | the other |
|---|---|---|
| rotate | a tile goes round clusters of 2, 4, 8, whole or row by row | the same in CUDA C++ |
| all_gather | `ring` of the cluster's CTAs; `direct`: each to all; `pull`, `push`: all threads load, store | `global`: bulk stores to global memory, a cluster barrier, bulk loads; `multicast` loads; `scratch`: by all threads. `both`: a third between CTAs |
| split_k | `cluster`: slices to the CTA that sums them; `pull`, `push` | `global`: bulk reductions into what is 0 (`global_zeroed`: made so first); `scratch` |
| halo | edges to the neighbours | edges through global memory, by threads |
| stream | bulk, TMA and cp.async copies through shared memory; loads and stores | torch's device-to-device copy |
"""
import argparse
import ctypes
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile

import cluster_copy_kernels as kernels

ROUNDS, STEPS = 64, 64  # of @rotate, of @halo
CLUSTERS = (2, 4, 8)
# Of @stream: KiB of a tile, slots, tiles under way (0: a CTA for each `slots` tiles); cache hints, and how the tiles go
# (cluster_copy_kernels.py HINTS, stream).
STREAMS = {"bulk": [(32, 4, 0, "rw"), (64, 2, 0, "rw"), (16, 8, 0, "rwp"), (32, 4, 0, "rwp"), (1, 16, 0, ""), (32, 6, 3, "rw")],
           "tma": [(64, 2, 0, "rw"), (64, 2, 0, "rwf"), (64, 2, 0, "rws"), (64, 2, 0, "rwsf"), (64, 3, 0, "rw"), (64, 3, 0, "rws"),
                   (96, 2, 0, "rw"), (96, 2, 0, "rws"), (96, 1, 0, "rw"), (48, 2, 0, "rw"), (64, 1, 0, "rw"), (128, 1, 0, "rw"),
                   (64, 2, 0, "w"), (64, 2, 0, "rl")],
           "cp_async": [(4, 4, 0, ""), (32, 1, 0, "")], "vectors": [(8, 1, 0, "")]}
# The forms of a case; those through global memory come last.
GATHERS, GATHER_ROWS = ("ring", "direct", "pull", "push", "both", "global", "scratch", "multicast"), (64, 512)
SPLITS = ("cluster", "pull", "push", "global", "scratch")
HALOS = ("cluster", "global")
GLOBAL = ("global", "global_zeroed", "scratch", "multicast")
STREAM_ROWS = (3 << 19, 3 << 21)  # of 1 KiB: divisible by 3, too


def stream_name(form, shape):
    *numbers, hints = shape
    return f"stream_{form}_{'x'.join(map(str, numbers))}{hints}"


def cases():
    """Name -> (text, text with few rounds, kind, cluster)."""
    list = {}
    for n in CLUSTERS:
        for form in ("whole", "rows"):
            list[f"rotate_{form}_{n}"] = (kernels.rotate(n, form, ROUNDS), kernels.rotate(n, form, 4), "rotate", n)
        for form in GATHERS:
            for rows in GATHER_ROWS:
                list[f"all_gather{rows}_{form}_{n}"] = (*[kernels.gather(n, form, rows)] * 2, "all_gather", n)
        for form in SPLITS:
            list[f"split_k_{form}_{n}"] = (*[kernels.split_k(n, form)] * 2, "split_k", n)
        for form in HALOS:
            list[f"halo_{form}_{n}"] = (kernels.halo(n, form, STEPS), kernels.halo(n, form, 4), "halo", n)
    for form, shapes in STREAMS.items():
        for shape in shapes:
            name = stream_name(form, shape)
            list[name] = (*[kernels.stream(form, *shape)] * 2, "stream", 1)
    return list


# ---------------------------------------------------------------------------
# What comes out
# ---------------------------------------------------------------------------

def expected(kind, n, inputs, rounds, columns=None, gathered=512):
    """By numpy, of all clusters; `inputs` in the order of the kernel's arguments, `gathered` the rows of all tiles of
    a cluster."""
    import numpy as np
    a = inputs[0]
    if kind == "stream":
        return a
    if kind == "split_k":
        u, v = (x.reshape(-1, n, 128) for x in inputs)
        return np.einsum("cni,cnj->cij", u, v).reshape(-1, 128).astype(np.float32)
    rows = {"rotate": 256, "all_gather": gathered // n, "halo": 64}[kind]
    tiles = a.reshape(-1, n, rows, a.shape[1])
    if kind == "rotate":
        moved = np.roll(tiles, rounds, axis=1)
        if columns:  # the others stay
            moved = np.concatenate([moved[..., :columns], tiles[..., columns:]], axis=-1)
        return moved.reshape(a.shape)
    if kind == "all_gather":
        return np.broadcast_to(2 * tiles.sum(axis=1, keepdims=True), tiles.shape).reshape(a.shape)
    strips = tiles.reshape(-1, n * rows, a.shape[1])
    for _ in range(rounds):
        strips = strips + np.roll(strips, 1, axis=1) + np.roll(strips, -1, axis=1)
    return strips.reshape(a.shape)


def columns_of(name):
    return 64 if name.startswith("rotate_rows") else None


def gathered_of(name):
    return int(name.split("_")[1].removeprefix("gather")) if name.startswith("all_gather") else 0


# ---------------------------------------------------------------------------
# Preparing
# ---------------------------------------------------------------------------

def prepare(options):
    import numpy as np
    os.makedirs(options.out, exist_ok=True)
    bad = 0
    for name, (text, small, kind, n) in cases().items():
        if options.only and options.only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            path, short = os.path.join(folder, name + ".mlir"), os.path.join(folder, "small.mlir")
            for file, content in ((path, text), (short, small)):
                with open(file, "w") as stream:
                    stream.write(content)
            arguments = ("U", "V") if kind == "split_k" else ("A",)
            out = "D" if kind == "split_k" else "B"
            command = [options.titan, "run", short, f"--out={out}={folder}/out.npy"]
            for label in arguments:
                command.append(f"--out={label}={folder}/{label}.npy")
            done = subprocess.run(command, capture_output=True, text=True)
            steps = {"rotate": 4, "halo": 4}.get(kind, 0)
            if done.returncode == 0:
                inputs = [np.load(f"{folder}/{label}.npy") for label in arguments]
                right = np.array_equal(np.load(f"{folder}/out.npy"),
                                       expected(kind, n, inputs, steps, columns_of(name), gathered_of(name)))
            # How often a CTA of @stream goes round only the launch knows, and few sizes pass its check.
            flags = ["--undecided=warning"] if kind == "stream" else []
            checked = subprocess.run([options.titan, "check", *flags, short], capture_output=True, text=True)
            made = subprocess.run([options.titan, "compile", path, "-o", os.path.join(options.out, name + ".titanpkg")],
                                  capture_output=True, text=True)
            if done.returncode or checked.returncode or made.returncode or not right:
                bad += 1
                print("BAD", name, done.stderr[-600:], checked.stderr[-600:], made.stderr[-600:])
            else:
                print(f"{name}: simulated, accepted, compiled", flush=True)
    return 1 if bad else 0


# ---------------------------------------------------------------------------
# Running
# ---------------------------------------------------------------------------

def peer_library(folder):
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cluster_copy.cu")
    target = os.path.join(folder, "cluster_copy.so")
    subprocess.run(["nvcc", "-O3", "-std=c++17", "-gencode=arch=compute_90a,code=sm_90a", "-shared",
                    "-Xcompiler", "-fPIC", source, "-o", target], check=True)
    return ctypes.CDLL(target)


def run(options):
    import numpy as np
    import torch
    import gemm
    from gemm import Library, read_packages
    from race import describe
    gemm.DTYPES[torch.int32] = 8
    torch.cuda.init()
    library, rng = Library(options.library), random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        peer = peer_library(folder)
    report = {**describe(), "seed": options.seed, "cases": []}
    ctas = torch.cuda.get_device_properties(0).multi_processor_count // 8 * 8
    generator = torch.Generator(device="cuda").manual_seed(options.seed)
    ints = lambda rows, columns, type: torch.randint(-4, 5, (rows, columns), device="cuda", generator=generator).to(type)
    failures = 0

    def ours(name):
        path = os.path.join(options.folder, name + ".titanpkg")
        return read_packages(library, [path])[0] if os.path.exists(path) else None

    def wrong(launch, out, want):
        out.view(torch.uint8).fill_(0x7f) if out.is_contiguous() else None
        launch()
        torch.cuda.synchronize()
        return int((out != want).sum())

    def race(name, contenders, launches, base, graph=True):
        """contenders: name -> launch; `base` is whose time is divided: the fastest of these. Without a graph the launches are issued one by
        one: the device-to-device copy is slower as a node of a graph."""

        class Each:
            def __init__(self, launch):
                self.launch = launch

            def replay(self):
                for _ in range(launches):
                    self.launch()

        graphs = {label: Each(launch) for label, launch in contenders.items()}
        for label, launch in contenders.items() if graph else ():
            stream = torch.cuda.Stream()
            with torch.cuda.stream(stream):
                launch()
            stream.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=stream):
                for _ in range(launches):
                    launch()
            graphs[label] = graph
        seconds = {label: [] for label in contenders}
        labels = list(contenders)
        for _ in range(options.rounds):
            rng.shuffle(labels)
            for label in labels:
                start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                graphs[label].replay()
                start.record()
                graphs[label].replay()
                end.record()
                end.synchronize()
                seconds[label].append(start.elapsed_time(end) * 1e-3 / launches)
        base = min(base, key=lambda label: statistics.median(seconds[label]))
        row = {"case": name, "seconds": seconds, "base": base, "ratios": {}}
        for label in contenders:
            if label == base:
                continue
            ratios = [b / t for b, t in zip(seconds[base], seconds[label])]
            medians = sorted(statistics.median(rng.choices(ratios, k=len(ratios))) for _ in range(1000))
            row["ratios"][label] = [statistics.median(ratios), medians[25], medians[975]]
        report["cases"].append(row)
        text = "  ".join(f"{label} {statistics.median(t) * 1e6:.2f} us" for label, t in seconds.items())
        print(f"{name:22s} {text}  " + "  ".join(
            f"{base}/{label} {r[0]:.3f} ({r[1]:.3f} to {r[2]:.3f})" for label, r in row["ratios"].items()), flush=True)
        return row

    def checked(row, counts):
        nonlocal failures
        row["wrong"] = counts
        if any(counts.values()):
            failures += 1
            print("WRONG", row["case"], counts)

    for n in CLUSTERS:
        for form in ("whole", "rows"):
            name = f"rotate_{form}_{n}"
            kernel = ours(name)
            if not kernel:
                continue
            a = ints(256 * ctas, 128 if form == "rows" else 64, torch.float16)
            b, c = torch.empty_like(a), torch.empty_like(a)
            want = torch.from_numpy(expected("rotate", n, [a.cpu().numpy()], ROUNDS, columns_of(name))).cuda()
            array = kernel.prepare(A=a, B=b)

            def theirs(form=form, a=a, c=c, n=n):
                stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
                error = getattr(peer, "rotate_" + form)(ctypes.c_void_p(a.data_ptr()), ctypes.c_void_p(c.data_ptr()), ctas, n,
                                                        ROUNDS, stream)
                if error:
                    raise RuntimeError(f"CUDA error {error}")
            mine = lambda kernel=kernel, array=array: kernel.launch(array)
            counts = {"titan": wrong(mine, b, want), "cuda": wrong(theirs, c, want)}
            checked(race(name, {"titan": mine, "cuda": theirs}, 10, ["cuda"]), counts)
        for case, kind, forms in ([(f"all_gather{rows}", "all_gather", GATHERS) for rows in GATHER_ROWS] +
                                  [("split_k", "split_k", SPLITS), ("halo", "halo", HALOS)]):
            found = {form: ours(f"{case}_{form}_{n}") for form in forms}
            if not all(found.values()):
                continue
            gathered = gathered_of(case)
            if kind == "split_k":
                values = {"U": ints(ctas, 128, torch.float32), "V": ints(ctas, 128, torch.float32)}
                shape, out = (ctas // n * 128, 128), "D"
            else:
                type, columns = (torch.float32, 64) if kind == "all_gather" else (torch.int32, 128)
                rows = gathered // n if kind == "all_gather" else 64
                values = {"A": ints(rows * ctas, columns, type)}
                shape, out = (rows * ctas, columns), "B"
            want = torch.from_numpy(np.ascontiguousarray(
                expected(kind, n, [x.cpu().numpy() for x in values.values()], STEPS, gathered=gathered))).cuda()
            scratch = {"halo": 4 * ctas, "split_k": 128 * ctas}.get(kind, shape[0])
            contenders, counts = {}, {}
            for form, kernel in found.items():
                result = torch.zeros(shape, device="cuda", dtype=want.dtype)
                more = {out: result}
                if "S" in kernel.arguments:
                    more["S"] = torch.zeros(scratch, shape[1], device="cuda", dtype=want.dtype)
                array = kernel.prepare(**values, **more)
                contenders[form] = lambda kernel=kernel, array=array, keep=more: kernel.launch(array)
                if kind == "split_k" and form == "global":
                    contenders[form]()
                    torch.cuda.synchronize()
                    counts[form] = int((result != want).sum())

                    def zeroed(result=result, launch=contenders[form]):
                        result.zero_()
                        launch()
                    contenders["global_zeroed"] = zeroed
                else:
                    counts[form] = wrong(contenders[form], result, want)
            # Sums that go to what is zero already are no whole form.
            whole = [label for label in contenders if label in GLOBAL and (kind, label) != ("split_k", "global")]
            checked(race(f"{case}_{n}", contenders, 20, whole), counts)

    for rows in STREAM_ROWS:
        a = torch.randint(-1 << 30, 1 << 30, (rows, 256), device="cuda", generator=generator, dtype=torch.int32).view(torch.float32)
        b = torch.empty_like(a)
        copy = lambda a=a, b=b: b.copy_(a)
        contenders, counts = {"device_to_device": copy}, {}
        for form, shapes in STREAMS.items():
            for shape in shapes:
                name = stream_name(form, shape)
                kernel = ours(name)
                if kernel:
                    array = kernel.prepare(A=a.view(-1, shape[0], 256), B=b.view(-1, shape[0], 256))
                    contenders[name] = lambda kernel=kernel, array=array: kernel.launch(array)
                    b.zero_()
                    contenders[name]()
                    torch.cuda.synchronize()
                    counts[name] = int((a.view(torch.int32) != b.view(torch.int32)).sum())
        row = race(f"stream_{rows / (1 << 20):g}_GiB", contenders, max(1, (6 << 20) // rows), ["device_to_device"], graph=False)
        checked(row, counts)
        for label, times in row["seconds"].items():
            print(f"  {label:28s} {2 * a.numel() * 4 / statistics.median(times) / 1e12:.3f} TB/s")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(report, file, indent=1)
    print("failures:", failures)
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("prepare")
    make.add_argument("--titan", required=True)
    make.add_argument("--out", required=True)
    make.add_argument("--only", help="cases whose names contain this")
    go = commands.add_parser("run")
    go.add_argument("folder")
    go.add_argument("--library", required=True)
    go.add_argument("--rounds", type=int, default=15)
    go.add_argument("--seed", type=int, default=1)
    go.add_argument("--json")
    options = parser.parse_args()
    return prepare(options) if options.command == "prepare" else run(options)


if __name__ == "__main__":
    sys.exit(main())
