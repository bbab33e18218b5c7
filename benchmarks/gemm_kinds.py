#!/usr/bin/env python3
"""fp8, batched, grouped and gated GEMMs of `titan generate gemm` on one GPU: every result checked, and raced.

    python3 benchmarks/gemm_kinds.py prepare --titan build/bin/titan --out kinds/     # needs no GPU
    python3 benchmarks/gemm_kinds.py run kinds/ --library libtitan-runtime.so --json kinds.json

prepare   the kernel that the model picks for each case, compiled; --variants adds those of
          VARIANTS, which the model did not pick, for the cases that have some.
run       each contender first has to be right: all elements of a launch on small integers, bit for bit, and on
          normal numbers within 2^-8 |ref| + 2^-20 sum |a||b| of float64 (fp8: 34 * 2^-13 of the sum for each
          instruction of K = 32; the largest error and its root mean square, in units of the root mean square of
          the result, are written down); guards around D intact. Then CUDA graphs over rotating sets of more than
          four times the L2 cache, in random order round by round, as in race.py, whose parts this uses.

Peers: cuBLASLt (the fastest of the first 8 algorithms of its heuristic, with the same mode of
accumulation for fp8), torch.matmul or torch.bmm; of groups torch._grouped_mm, one torch.matmul a
group in one graph, and a Triton kernel that goes from group to group; of gates torch.matmul and one Triton kernel behind it.
"""
import argparse
import ctypes
import json
import os
import random
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import race  # noqa: E402

# Name, kind, (Z,) M, N, K of the product (of a gate N is D's), options.
CASES = [(f"{kind}-{n}", kind, (1, n, n, n), options)
         for n in (8192, 4096)
         for kind, options in (("fp8", ["--input", "e4m3", "--epilogue", "alpha"]),
                               ("promoted", ["--input", "e4m3", "--epilogue", "alpha", "--promote", "on"]))]
CASES += [("e5m2-4096", "fp8", (1, 4096, 4096, 4096), ["--input", "e5m2", "--epilogue", "alpha"]),
          ("fp8-16x8192x8192", "fp8", (1, 16, 8192, 8192), ["--input", "e4m3", "--epilogue", "alpha"])]
CASES += [("batch-" + race.name_of(shape), "batch", shape, ["--batch", "equal"])
          for shape in ((64, 512, 1024, 128), (16, 1024, 1024, 1024), (128, 128, 4096, 256))]
CASES += [("gate-" + race.name_of(shape[1:]) + "-" + function, "gate", shape,
           ["--gate", "on", "--activation", function])
          for shape, function in (((1, 4096, 14336, 4096), "silu"), ((1, 2048, 8192, 8192), "gelu"),
                                  ((1, 8192, 2048, 7168), "silu"))]
# Groups of uneven sizes, drawn from the shape; M is the mean.
CASES += [("grouped-" + race.name_of(shape), "grouped", shape, ["--batch", "grouped"])
          for shape in ((8, 1024, 4096, 4096), (32, 192, 2048, 7168), (64, 16, 2048, 2048))]
_COOP, _PING = ["--consumers", "cooperative"], ["--consumers", "pingpong"]
VARIANTS = {
    "fp8": [[*c, "--tile", t, "--cluster", x] for c, t in (
        (_PING, "128x128x128"), (_PING, "128x192x128"), (_COOP, "128x256x128"), (_COOP, "256x128x128"),
        (_PING, "64x256x128"), (_COOP, "256x192x128")) for x in ("1x1", "2x1")],
    "promoted": [[*_COOP, "--tile", t, "--cluster", x] for t in ("128x128x128", "128x160x128", "128x192x128", "192x96x128")
                 for x in ("1x1", "2x1")] + [[*_COOP, "--tile", "128x128x256", "--cluster", "2x1"]],
    "gate": [[*_COOP, "--tile", "128x256x64", "--cluster", x] for x in ("1x1", "2x1")] +
            [[*_PING, "--tile", "128x192x64", "--cluster", "2x1"]],
    "batch": [[*c, "--tile", t, "--cluster", "1x1", "--programmatic", p] for c, t in (
        (_PING, "128x128x64"), (_PING, "128x176x64"), (_PING, "128x192x64"), (_PING, "64x256x64"), (_COOP, "128x256x64"), (_COOP, "256x128x64"),
        (_COOP, "128x128x64")) for p in ("on", "off")],
    "grouped": [[*_COOP, "--tile", t, "--programmatic", p] for t in (
        "128x256x64", "128x192x64", "128x128x64", "256x128x64", "64x256x64", "64x128x64", "64x64x64") for p in ("on", "off")],
}


def prepare(options):
    os.makedirs(options.out, exist_ok=True)
    index = {}
    for name, kind, (z, m, n, k), flags in CASES:
        if not any(part in name for part in options.only.split(",")):
            continue
        made = {"ours": ["--shape", race.name_of((m, n, k)), *(["--batches", str(z)] if "--batch" in flags else [])]}
        if options.variants:
            for variant in VARIANTS.get(kind, []):
                made[" ".join(v.removeprefix("--") for v in variant)] = variant
        index[name] = {}
        for i, (label, more) in enumerate(made.items()):
            path = os.path.join(options.out, f"{name}-{i}.mlir")
            subprocess.run([options.titan, "generate", "gemm", *more, *flags, "-o", path], check=True,
                           stdout=subprocess.DEVNULL)
            package = path.replace(".mlir", ".titanpkg")
            subprocess.run([options.titan, "compile", "--check=off", path, "-o", package], check=True, stdout=subprocess.DEVNULL)
            index[name][label] = os.path.basename(package)
            with open(path) as file:
                text = file.read()
            if label == "ours":
                print(name, [line[3:] for line in text.split("\n") if line.startswith("// Tiles of")][0],
                      "pingpong" if '"even"' in text else "cooperative", "cluster" if "cluster(" in text else "")
    with open(os.path.join(options.out, "index.json"), "w") as file:
        json.dump(index, file, indent=1)
    return 0


class CublasLt(race.CublasLt):
    """fp8 with either mode of accumulation, and batches."""
    FAST_ACCUM, BATCH_COUNT, BATCH_OFFSET = 25, 5, 6
    TYPES = {"bfloat16": 14, "float8_e4m3fn": 28, "float8_e5m2": 29}

    def launches(self, z, m, n, k, dtype, fast, alpha, count=8):
        import torch
        lib, p = self.lib, ctypes.c_void_p
        operation, preference = p(), p()
        self.check(lib.cublasLtMatmulDescCreate(ctypes.byref(operation), self.COMPUTE_F32, self.F32))
        set_ = lambda attribute, value: self.check(lib.cublasLtMatmulDescSetAttribute(
            operation, attribute, ctypes.byref(value), ctypes.c_size_t(ctypes.sizeof(value))))
        set_(self.TRANSA, ctypes.c_int(1))
        if dtype != "bfloat16":
            set_(self.FAST_ACCUM, ctypes.c_int8(fast))
        layouts = []
        for type_, rows, columns, leading in ((dtype, k, n, k), (dtype, k, m, k), ("bfloat16", n, m, n)):
            layout = p()
            self.check(lib.cublasLtMatrixLayoutCreate(ctypes.byref(layout), self.TYPES[type_], ctypes.c_uint64(rows),
                                                      ctypes.c_uint64(columns), ctypes.c_int64(leading)))
            if z > 1:
                for attribute, value in ((self.BATCH_COUNT, ctypes.c_int32(z)),
                                         (self.BATCH_OFFSET, ctypes.c_int64(rows * columns))):
                    self.check(lib.cublasLtMatrixLayoutSetAttribute(layout, attribute, ctypes.byref(value),
                                                                    ctypes.c_size_t(ctypes.sizeof(value))))
            layouts.append(layout)
        self.check(lib.cublasLtMatmulPreferenceCreate(ctypes.byref(preference)))
        most = ctypes.c_uint64(self.workspace.numel())
        self.check(lib.cublasLtMatmulPreferenceSetAttribute(preference, self.WORKSPACE, ctypes.byref(most),
                                                            ctypes.c_size_t(8)))
        results, found = (self.Heuristic * count)(), ctypes.c_int()
        b, a, d = layouts
        self.check(lib.cublasLtMatmulAlgoGetHeuristic(self.handle, operation, b, a, d, d, preference, count, results,
                                                      ctypes.byref(found)))
        factor = ctypes.c_float(alpha)

        def launcher(result):
            def launch(x, y, out):
                stream = p(torch.cuda.current_stream().cuda_stream)
                self.check(lib.cublasLtMatmul(
                    self.handle, operation, ctypes.byref(factor), p(y.data_ptr()), b, p(x.data_ptr()), a,
                    ctypes.byref(self.zero), p(out.data_ptr()), d, p(out.data_ptr()), d, ctypes.byref(result.algo),
                    p(self.workspace.data_ptr()), ctypes.c_size_t(self.workspace.numel()), stream))
            return launch
        return {f"lt{i}": launcher(results[i]) for i in range(found.value)}


def gate_peer(activation):
    """torch.matmul, and a Triton kernel that multiplies its halves."""
    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def halves(x, d, n, GELU: tl.constexpr, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        g = tl.load(x + row * 2 * n + at, at < n).to(tl.float32)
        u = tl.load(x + row * 2 * n + n + at, at < n).to(tl.float32)
        if GELU:
            g = 0.5 * g * (1 + tl.erf(g * 0.70710678))
        else:
            g = g / (1 + tl.exp(-g))
        tl.store(d + row * n + at, (g * u).to(tl.bfloat16), at < n)

    kept = {}

    def launch(a, b, d):
        both = kept.setdefault(a.data_ptr(), torch.empty(a.shape[0], b.shape[0], device="cuda", dtype=torch.bfloat16))
        torch.matmul(a, b.T, out=both)
        halves[(d.shape[0], triton.cdiv(d.shape[1], 1024))](both, d, d.shape[1], activation == "gelu", 1024, num_warps=4)
    return launch


def grouped_launchers(z, offsets, sms):
    """A persistent Triton kernel that goes from group to group, by TMA descriptors; stores are masked."""
    import triton
    import triton.language as tl
    from triton.tools.tensor_descriptor import TensorDescriptor

    @triton.jit
    def grouped(a_desc, b_desc, d, offsets, groups, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                SMS: tl.constexpr):
        tiles_n = tl.cdiv(N, BN)
        tile, dealt = tl.program_id(0), 0
        for g in range(groups):
            begin, end = tl.load(offsets + g), tl.load(offsets + g + 1)
            tiles_m = tl.cdiv(end - begin, BM)
            tiles = tiles_m * tiles_n
            while tile < dealt + tiles:
                row = begin + (tile - dealt) % tiles_m * BM
                column = (tile - dealt) // tiles_m * BN
                sums = tl.zeros((BM, BN), dtype=tl.float32)
                for step in range(tl.cdiv(K, BK)):
                    a = a_desc.load([row, step * BK])
                    b = b_desc.load([g * N + column, step * BK])
                    sums = tl.dot(a, b.T, sums)
                rows, columns = row + tl.arange(0, BM), column + tl.arange(0, BN)
                tl.store(d + rows.to(tl.int64)[:, None] * N + columns[None, :], sums.to(tl.bfloat16),
                         (rows < end)[:, None] & (columns < N)[None, :])
                tile += SMS
            dealt += tiles

    def launcher(bm, bn, bk, stages, warps):
        kept = {}

        def launch(a, b, d):
            key = (a.data_ptr(), b.data_ptr())
            if key not in kept:
                kept[key] = [TensorDescriptor.from_tensor(x, block) for x, block in
                             ((a, [bm, bk]), (b.view(-1, b.shape[-1]), [bn, bk]))]
            grouped[(sms,)](*kept[key], d, offsets, z, b.shape[1], b.shape[2], bm, bn, bk, sms, num_stages=stages,
                            num_warps=warps)
        return launch
    return {"Triton " + "/".join(map(str, c)): launcher(*c) for c in (
        (128, 256, 64, 3, 8), (128, 128, 64, 4, 8), (128, 128, 64, 4, 4), (64, 256, 64, 4, 4), (64, 128, 64, 5, 4),
        (64, 64, 128, 4, 4), (16, 128, 128, 5, 4))}


class Case:
    """Rotating sets of A, B and D, and what D should be of the first."""

    def __init__(self, kind, shape, flags, l2):
        import torch
        self.kind, (self.z, self.m, self.n, self.k) = kind, shape
        self.fp8 = kind in ("fp8", "promoted")
        self.dtype = (torch.bfloat16 if not self.fp8 else
                      torch.float8_e5m2 if "e5m2" in flags else torch.float8_e4m3fn)
        self.alpha = 0.125 if self.fp8 else 1.0
        self.activation = flags[-1] if kind == "gate" else None
        z, m, n, k = shape
        rows = 2 * n if kind == "gate" else n
        self.rows = rows
        self.offsets, self.total = None, m
        if kind == "grouped":
            draw = random.Random(m + n)
            weights = [draw.random() for _ in range(z)]
            self.total = z * m
            ends = [int(sum(weights[:i + 1]) / sum(weights) * self.total) for i in range(z)]
            ends[-1] = self.total
            self.offsets = torch.tensor([0] + ends, dtype=torch.int32, device="cuda")
            self.maps = torch.zeros(torch.cuda.get_device_properties(0).multi_processor_count, 128, dtype=torch.int8,
                                    device="cuda")
        self.m = m = self.total
        bytes_ = (1 if kind == "grouped" else z) * (self.dtype.itemsize * k * (m + rows) + 2 * m * n)
        self.count = max(2, -(-4 * l2 // bytes_) + 1)
        self.generator = torch.Generator(device="cuda").manual_seed(m + 3 * n + 5 * k)
        self.sets = [self.draw("normal") for _ in range(self.count)]

    def lead(self, *dims):
        return (self.z, *dims) if self.kind == "batch" else dims

    def parts(self, a, b, *more):
        """Of each batch or group A, B and what has D's rows, and where that is in D."""
        if self.kind == "grouped":
            ends = self.offsets.tolist()
            for g, (low, high) in enumerate(zip(ends, ends[1:])):
                yield a[low:high], b[g], slice(low, high)
        for i in range(self.z if self.kind != "grouped" else 0):
            yield (a[i], b[i], i) if self.kind == "batch" else (a, b, slice(None))

    def draw(self, data):
        import torch
        def values(*s):
            if data == "ints":  # few, so that sums of fp8 products stay below 2^13
                x = torch.randint(-1, 2, s, device="cuda", generator=self.generator).float()
            else:
                x = torch.randn(s, device="cuda", generator=self.generator)
            return x.to(self.dtype)
        return (values(*self.lead(self.m, self.k)), values(*((self.z,) if self.kind == "grouped" else ()), *self.lead(self.rows, self.k)),
                torch.empty(self.lead(self.m, self.n), device="cuda", dtype=torch.bfloat16))

    def truth(self, a, b):
        """D in float64, and the error allowed."""
        import torch
        ref = torch.empty(self.lead(self.m, self.n), device="cuda", dtype=torch.float64)
        limit = torch.empty_like(ref)
        lost = 2.0**-20 if not self.fp8 else 34 * 2.0**-13 * (4 if self.kind == "promoted" else -(-self.k // 32))
        for x3, y3, where in self.parts(a, b):
            y = y3.float().double().T.contiguous()
            for first in range(0, len(x3), 2048):
                x = x3[first:first + 2048].float().double()
                s, mass = self.alpha * (x @ y), lost * self.alpha * (x.abs() @ y.abs())
                if self.kind == "gate":
                    g, u = s[:, :self.n], s[:, self.n:]
                    eg, eu = 1.13 * mass[:, :self.n] + 2.0**-20 * g.abs(), mass[:, self.n:]
                    act = (torch.nn.functional.gelu if self.activation == "gelu" else torch.nn.functional.silu)(g)
                    s, mass = act * u, act.abs() * eu + u.abs() * eg + eg * eu
                rows = slice(first, first + 2048)
                ref[where][rows], limit[where][rows] = s, mass + 2.0**-8 * s.abs()
        return ref, limit

    def check(self, launch, report, guarded=False):
        """Elements that are wrong, of integers and of normal numbers."""
        import torch
        wrong = 0
        for data in ("ints", "normal"):
            a, b, d = self.sets[0] if data == "normal" else self.ints
            whole = None
            if guarded:
                whole = torch.full(self.lead(self.m + 8, self.n + 64), 0x7FC1, device="cuda", dtype=torch.int16)
                d = whole.view(torch.bfloat16)[..., 4:4 + self.m, :self.n]
            else:
                d.view(torch.int16).fill_(0x7FC1)
            launch(a, b, d)
            torch.cuda.synchronize()
            ref, limit = self.truths[data]
            if data == "ints" and self.activation is None:
                bad = int((d != ref.to(torch.bfloat16)).sum())
            else:
                error = (d.double() - ref).abs()
                bad = int((~(error <= limit)).sum())
                scale = ref.square().mean().sqrt()
                report.update(largest=float(error.max() / scale), rms=float((error.square().mean().sqrt() / scale)))
            report[data] = bad
            wrong += bad
            if guarded:
                whole[..., 4:4 + self.m, :self.n] = 0x7FC1
                report["guards"] = bool((whole == 0x7FC1).all())
                wrong += not report["guards"]
        return wrong

    def prepare(self):
        self.ints = self.draw("ints")
        self.truths = {"normal": self.truth(*self.sets[0][:2]), "ints": self.truth(*self.ints[:2])}


def run(options):
    import torch
    import gemm
    gemm.DTYPES.update({torch.float8_e4m3fn: 5, torch.float8_e5m2: 6, torch.int32: 8, torch.int8: 10})
    torch.zeros(1, device="cuda")
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    library = gemm.Library(options.library)
    properties = torch.cuda.get_device_properties(0)
    report = {**race.describe(), "rounds": options.rounds, "cases": []}
    lt, rng, meter, begun, failed = CublasLt(), random.Random(1), race.Meter(), time.time(), 0
    with open(os.path.join(options.folder, "index.json")) as file:
        index = json.load(file)
    for name, kind, shape, flags in CASES:
        if name not in index or not any(part in name for part in options.only.split(",")):
            continue
        if time.time() - begun > options.limit:
            print("no time left")
            break
        z, m, n, k = shape
        case = Case(kind, shape, flags, properties.L2_cache_size)
        case.prepare()
        row = {"case": name, "shape": shape, "sets": case.count, "checks": {}, "seconds": {}}
        report["cases"].append(row)

        def ours(path):
            kernel, kept = gemm.read_packages(library, [os.path.join(options.folder, path)])[0], {}

            def launch(a, b, d):
                key = (a.data_ptr(), b.data_ptr(), d.data_ptr())
                if key not in kept:
                    values = {"A": a, "B": b, "D": d, "alpha": case.alpha,
                              **({"offsets": case.offsets, "maps": case.maps} if case.kind == "grouped" else {})}
                    kept[key] = kernel.prepare(**{x: values[x] for x in kernel.arguments}), (a, b, d)
                kernel.launch(kept[key][0])
            return launch
        peers, timed = {}, {}
        dtype = str(case.dtype).split(".")[1]
        if kind not in ("gate", "grouped"):
            try:
                candidates = lt.launches(z, m, n, k, dtype, kind != "promoted", case.alpha)
            except RuntimeError as error:  # two operands of e5m2, say
                candidates = {}
                print(name, error)
            peers.update({"cublasLt " + i: launch for i, launch in candidates.items()})
        if kind == "batch":
            peers["torch.bmm"] = lambda a, b, d: torch.bmm(a, b.mT, out=d)
        if kind == "grouped":
            ends = case.offsets[1:].contiguous()
            grouped = lambda a, b: torch._grouped_mm(a, b.mT, offs=ends)
            peers["torch._grouped_mm"] = lambda a, b, d: d.copy_(grouped(a, b))
            timed["torch._grouped_mm"] = lambda a, b, d: grouped(a, b)  # it makes a result of its own

            def each(a, b, d, bounds=case.offsets.tolist()):
                for g, (low, high) in enumerate(zip(bounds, bounds[1:])):
                    if high > low:
                        torch.matmul(a[low:high], b[g].T, out=d[low:high])
            peers["matmul each"] = each
            peers.update(grouped_launchers(z, case.offsets, properties.multi_processor_count))
        if kind == "gate":
            peers["matmul and Triton"] = gate_peer(case.activation)
        ours_all = {label: ours(path) for label, path in index[name].items()}
        graphs, first = {}, {}
        for label, launch in {**peers, **ours_all}.items():
            mine = label in ours_all
            seen = row["checks"][label] = {}
            try:
                # A peer that rounds twice, as matmul and a kernel behind it do, may be farther off.
                if case.check(launch, seen, guarded=mine) and (mine or kind != "gate"):
                    failed += mine
                    print("WRONG", name, label, seen)
                    continue
                graphs[label] = race.capture(timed.get(label, launch), case.sets)
                replays = race.replays_for(graphs[label], case.count, 3)
                first[label] = min(race.seconds_of(graphs[label], case.count, replays) for _ in range(2))
            except Exception as error:
                seen["error"] = str(error)[:200]
                print("ERROR", name, label, str(error)[:200])
        # The fastest peers and variants, and what the model picked, again in turns.
        order = sorted(first, key=first.get)
        names = ([x for x in order if x in peers][:2] + [x for x in order if x in ours_all and x != "ours"][:4] +
                 [x for x in order if x == "ours"])
        row["first"] = first
        times = {x: [] for x in names}
        replays = {x: race.replays_for(graphs[x], case.count, options.milliseconds) for x in names}
        meters = []
        for _ in range(options.rounds):
            rng.shuffle(names)
            for x in names:
                times[x].append(race.seconds_of(graphs[x], case.count, replays[x], before=-(-replays[x] // 2)))
            meters.append(meter.read())
        row["seconds"], row["meter"] = times, meters
        row["joules"] = joules = race.energies(meter, {x: graphs[x] for x in names}, case.count, replays, options, rng)
        median = {x: statistics.median(t) for x, t in times.items()}
        peer = min((x for x in names if x in peers), key=median.get, default=None)
        rate = lambda x: 2.0 * z * m * case.rows * k / median[x] / 1e12
        energy = " mJ a launch: " + ", ".join(f"{x} {1e3 * statistics.mean(j):.3f}" for x, j in joules.items()) if joules else ""
        if peer and "ours" in names:
            ratios = [p / o for p, o in zip(times[peer], times["ours"])]
            low, high = race.interval(ratios)
            row.update(peer=peer, ratio=statistics.median(ratios), low=low, high=high)
            print(f"{name:28s} {peer} {rate(peer):.0f}; ours {rate('ours'):.0f}, {row['ratio']:.3f} "
                  f"({low:.3f} to {high:.3f}), rms {row['checks']['ours'].get('rms', 0):.2e} of "
                  f"{row['checks'][peer].get('rms', 0):.2e};", "; ".join(
                      f"{x} {rate(x):.0f}" for x in sorted(names, key=median.get) if x not in ("ours", peer)),
                  f"({time.time() - begun:.0f} s)" + energy, flush=True)
        elif "ours" in names:
            print(f"{name:28s} no peer; ours {rate('ours'):.0f}, rms {row['checks']['ours'].get('rms', 0):.2e}")
        race.save(options, report)
        del graphs, case
        torch.cuda.empty_cache()
    race.save(options, report)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("prepare")
    make.add_argument("--titan", required=True)
    make.add_argument("--out", required=True)
    make.add_argument("--variants", action="store_true")
    go = commands.add_parser("run")
    go.add_argument("folder")
    go.add_argument("--library", required=True)
    go.add_argument("--rounds", type=int, default=11)
    go.add_argument("--milliseconds", type=float, default=8, help="of a contender's turn")
    race.add_energy_option(go)
    go.add_argument("--limit", type=float, default=300, help="seconds; no case begins later")
    go.add_argument("--json")
    for command in (make, go):
        command.add_argument("--only", default="", help="cases whose names have one of these, with commas between")
    options = parser.parse_args()
    return prepare(options) if options.command == "prepare" else run(options)


if __name__ == "__main__":
    sys.exit(main())
