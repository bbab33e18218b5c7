#!/usr/bin/env python3
"""GEMM against every peer on one GPU: D = A * B^T, bf16 in and out, f32 sums.

    python3 benchmarks/race.py prepare --titan build/bin/titan --out race/     # needs no GPU
    python3 benchmarks/race.py run race/ --library libtitan-runtime.so --json race.json

prepare   for each shape the kernel that the model picks, by `titan generate gemm --shape`,
          compiled: before the run.
run       every contender has to be right first: every element of one launch, poisoned before,
          within 2^-8 |ref| + 2^-20 sum |a||b| of float64. Then CUDA-graph replays of
          many launches: cold over rotating sets of A, B and D of more than four times the L2 cache, hot
          (a column apart) over one. Contenders take turns round by round, in random order; the figure is the
          median of the rounds' ratios to the fastest peer of the shape (by its median), with
          a 95 % bootstrap interval. SM clock and power are read in each round: they are of all contenders. Behind
          the rounds of the cold column each has two turns of --energy seconds, whose energy NVML counts: J a launch.

Peers: cuBLAS (torch.matmul), cuBLASLt (the fastest of the first 8 algorithms of its heuristic),
Triton (a persistent kernel with TMA descriptors; the fastest of its configurations), and QuACK
where quack-kernels is installed (the fastest of its configurations; CUTLASS's DSL). A peer's
configuration is chosen on the spot by timing; ours is not.

--sweep FILE (with run): times all packages of a folder instead, and names the fastest ones:
what the model is fitted to. FILE is a JSON object: package's name to its options and, where not
all shapes are meant, "shapes". Without --shapes all of those are timed. What is timed again is held against the truth
once more behind that: a kernel leaves its workspace as it was.

--candidates (with prepare): instead of the picks a folder for --sweep, of all shapes above and those of public models
that lost by a twentieth (LOST): the pick, stream-K by the tile that the model finds for it and by a few others, and K
split between the CTAs of clusters, each by `titan bench`:

    python3 benchmarks/race.py prepare --candidates --titan build/bin/titan --out candidates/
    python3 benchmarks/race.py run candidates/ --sweep candidates/variants.json --library libtitan-runtime.so --json candidates.json
"""
import argparse
import bisect
import ctypes
import importlib.metadata
import itertools
import json
import math
import os
import random
import shutil
import statistics
import subprocess
import sys
import time

SHAPES = [(8192, 8192, 8192), (4096, 4096, 4096), (2048, 2048, 2048), (1024, 1024, 1024),
          (16384, 4096, 4096), (4096, 14336, 4096), (4096, 4096, 14336), (8192, 1024, 8192),
          (8192, 8192, 512), (512, 8192, 8192), (128, 8192, 8192), (16, 8192, 8192),
          (4000, 4104, 1000)]


# Hidden size, rows of QKV, inputs of the output projection, intermediate size, vocabulary.
MODELS = {"Llama-3-8B": (4096, 6144, 4096, 14336, 128256),
          "Llama-3-70B": (8192, 10240, 8192, 28672, 128256),
          "Qwen2.5-7B": (3584, 4608, 3584, 18944, 152064),
          "Qwen2.5-32B": (5120, 7168, 5120, 27648, 152064),
          "Mistral-7B": (4096, 6144, 4096, 14336, 32768),
          "Gemma-2-9B": (3584, 8192, 4096, 14336, 256000)}
# An expert's hidden and intermediate size.
EXPERTS = {"Mixtral-8x7B": (4096, 14336), "DeepSeek-V3": (7168, 2048),
           "Qwen3-30B-A3B": (2048, 768)}


def model_shapes(count=60, seed=16):
    """Products of public models, under numbers of tokens small and large, whole and not."""
    rng, shapes = random.Random(seed), []
    while len(shapes) < count:
        kind = rng.choice(["qkv", "out", "up", "down", "vocabulary", "expert up", "expert down"])
        tokens = rng.choice([1, 7, 16, 32, 64, 128, 200, 256, 512, 777, 1024, 2048, 3000, 4096,
                             8192])
        if kind.startswith("expert"):
            hidden, inner = EXPERTS[rng.choice(sorted(EXPERTS))]
            n, k = (2 * inner, hidden) if kind == "expert up" else (hidden, inner)
        else:
            hidden, qkv, heads, inner, words = MODELS[rng.choice(sorted(MODELS))]
            n, k = {"qkv": (qkv, hidden), "out": (hidden, heads), "up": (2 * inner, hidden),
                    "down": (hidden, inner), "vocabulary": (words, hidden)}[kind]
        if kind == "vocabulary":
            tokens = min(tokens, 512)
        if (tokens, n, k) not in shapes:
            shapes.append((tokens, n, k))
    return shapes


# The run of the 60 shapes by which --candidates knows what lost.
LOST = "results/h200-gemm-race-models-eb3caf58.json"


def lost_shapes(below=0.95):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), LOST)) as file:
        return [tuple(row["shape"]) for row in json.load(file)["shapes"] if row.get("ratio", 1) < below]


def name_of(shape):
    return "x".join(map(str, shape))


# ---------------------------------------------------------------------------
# Packages, where there need be no GPU
# ---------------------------------------------------------------------------

def prepare(options):
    os.makedirs(options.out, exist_ok=True)
    for shape in options.shapes:
        stem = os.path.join(options.out, name_of(shape))
        subprocess.run([options.titan, "generate", "gemm", "--shape", name_of(shape),
                        "-o", stem + ".mlir"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([options.titan, "compile", stem + ".mlir", "-o", stem + ".titanpkg"],
                       check=True, stdout=subprocess.DEVNULL)
        with open(stem + ".mlir") as file:
            picked = [line[3:].strip() for line in file if line.startswith("// ")]
        print(name_of(shape), *picked[2:3])
    return 0


def candidate_sweeps(m):
    """Options of `titan bench`, by what they are to show; m rows of A. What they leave open the model picks."""
    if m > 64:
        tiles = ["--sweep", "tile=128x128x64,64x256x64,128x256x64", "--swap", "off"]
    else:
        few = max(16, -(-m // 8) * 8)
        tiles = ["--sweep", f"tile={few}x64x128,{few}x128x64,{few}x128x128", "--swap", "on"]
    return {"pick": ["--sweep", "stream-k=off"],
            "stream-k": ["--sweep", "stream-k=on"],
            "stream-k-tiles": ["--stream-k", "on", *tiles],
            "split": ["--sweep", "split=2,4"]}


def prepare_candidates(options):
    variants = {}
    for shape in options.shapes:
        texts = set()
        for what, sweep in candidate_sweeps(shape[0]).items():
            folder = os.path.join(options.out, name_of(shape), what)
            # A sweep none of whose kernels there is says so; the others go on.
            subprocess.run([options.titan, "bench", "gemm", "--shape", name_of(shape), *sweep, "--check=off", "-o", folder],
                           stdout=subprocess.DEVNULL)
            with open(os.path.join(folder, "variants.json")) as file:
                found = json.load(file)
            for name, variant in found.items():
                stem = os.path.join(folder, name)
                if "refused" in variant:
                    print(name_of(shape), what, name, "refused:", variant["refused"]["message"])
                    continue
                with open(stem + ".mlir") as file:
                    text = file.read()
                if text in texts:  # the model has picked it before
                    os.remove(stem + ".titanpkg")
                    continue
                texts.add(text)
                variants["/".join((name_of(shape), what, name))] = variant
            for carried in ("titan-launch", "measure.py"):  # of a folder that is measured by itself
                if os.path.exists(os.path.join(folder, carried)):
                    os.remove(os.path.join(folder, carried))
        print(name_of(shape), sum(name.startswith(name_of(shape) + "/") for name in variants), "variants", flush=True)
    with open(os.path.join(options.out, "variants.json"), "w") as file:
        json.dump(variants, file, indent=1)
    return 0


# ---------------------------------------------------------------------------
# Peers
# ---------------------------------------------------------------------------

def cublaslt():
    for name in ("libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"):
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        library.cublasLtGetVersion.restype = ctypes.c_size_t
        return library
    raise OSError("no libcublasLt")


class CublasLt:
    """The C interface, by its documentation (cublasLt.h): column-major, so D^T = B * A^T."""
    BF16, F32, COMPUTE_F32 = 14, 0, 68
    TRANSA, TRANSB, WORKSPACE = 3, 4, 1

    class Heuristic(ctypes.Structure):
        _fields_ = [("algo", ctypes.c_uint64 * 8), ("workspace", ctypes.c_size_t),
                    ("state", ctypes.c_int), ("waves", ctypes.c_float),
                    ("reserved", ctypes.c_int * 4)]

    def __init__(self):
        import torch
        self.lib = cublaslt()
        self.handle = ctypes.c_void_p()
        self.check(self.lib.cublasLtCreate(ctypes.byref(self.handle)))
        self.workspace = torch.empty(32 << 20, device="cuda", dtype=torch.uint8)
        self.one, self.zero = ctypes.c_float(1), ctypes.c_float(0)

    @staticmethod
    def check(status):
        if status:
            raise RuntimeError(f"cuBLASLt: status {status}")

    def algorithms(self, m, n, k, count=8):
        """Launches launch(a, b, d), one for each algorithm of the heuristic."""
        import torch
        lib, p = self.lib, ctypes.c_void_p
        operation, preference = p(), p()
        self.check(lib.cublasLtMatmulDescCreate(ctypes.byref(operation), self.COMPUTE_F32,
                                                self.F32))
        transposed = ctypes.c_int(1)
        self.check(lib.cublasLtMatmulDescSetAttribute(
            operation, self.TRANSA, ctypes.byref(transposed), ctypes.c_size_t(4)))
        layouts = []
        for rows, columns, leading in ((k, n, k), (k, m, k), (n, m, n)):
            layout = p()
            self.check(lib.cublasLtMatrixLayoutCreate(
                ctypes.byref(layout), self.BF16, ctypes.c_uint64(rows),
                ctypes.c_uint64(columns), ctypes.c_int64(leading)))
            layouts.append(layout)
        self.check(lib.cublasLtMatmulPreferenceCreate(ctypes.byref(preference)))
        most = ctypes.c_uint64(self.workspace.numel())
        self.check(lib.cublasLtMatmulPreferenceSetAttribute(
            preference, self.WORKSPACE, ctypes.byref(most), ctypes.c_size_t(8)))
        results, found = (self.Heuristic * count)(), ctypes.c_int()
        b, a, d = layouts
        self.check(lib.cublasLtMatmulAlgoGetHeuristic(
            self.handle, operation, b, a, d, d, preference, count, results,
            ctypes.byref(found)))

        def launcher(result):
            def launch(x, y, out):
                stream = p(torch.cuda.current_stream().cuda_stream)
                self.check(lib.cublasLtMatmul(
                    self.handle, operation, ctypes.byref(self.one), p(y.data_ptr()), b,
                    p(x.data_ptr()), a, ctypes.byref(self.zero), p(out.data_ptr()), d,
                    p(out.data_ptr()), d, ctypes.byref(result.algo),
                    p(self.workspace.data_ptr()), ctypes.c_size_t(self.workspace.numel()),
                    stream))
            return launch
        return [launcher(results[i]) for i in range(found.value)]


# BLOCK_M, BLOCK_N, BLOCK_K, GROUP_M, stages, warps.
TRITON = [(128, 256, 64, 8, 3, 8), (128, 256, 64, 8, 4, 8), (128, 128, 64, 8, 4, 4),
          (128, 128, 64, 8, 4, 8), (128, 128, 128, 8, 3, 8), (64, 256, 64, 8, 4, 4),
          (256, 128, 64, 8, 3, 8), (64, 128, 64, 8, 5, 4), (64, 64, 128, 8, 5, 4),
          (16, 128, 128, 8, 5, 4), (16, 64, 256, 8, 5, 4), (128, 64, 64, 8, 5, 4)]


def triton_kernel():
    import triton
    import triton.language as tl

    @triton.jit
    def matmul(a_desc, b_desc, d_desc, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
               BK: tl.constexpr, GROUP: tl.constexpr, SMS: tl.constexpr):
        tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
        in_group = GROUP * tiles_n
        for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, SMS, flatten=True):
            first = tile // in_group * GROUP
            high = min(tiles_m - first, GROUP)
            pid_m = first + tile % in_group % high
            pid_n = tile % in_group // high
            sums = tl.zeros((BM, BN), dtype=tl.float32)
            for step in range(tl.cdiv(K, BK)):
                a = a_desc.load([pid_m * BM, step * BK])
                b = b_desc.load([pid_n * BN, step * BK])
                sums = tl.dot(a, b.T, sums)
            d_desc.store([pid_m * BM, pid_n * BN], sums.to(tl.bfloat16))

    return matmul


def triton_launchers(sms):
    from triton.tools.tensor_descriptor import TensorDescriptor
    kernel = triton_kernel()

    def launcher(config):
        bm, bn, bk, group, stages, warps = config
        kept = {}

        def launch(a, b, d):
            key = (a.data_ptr(), b.data_ptr(), d.data_ptr())
            if key not in kept:
                kept[key] = [TensorDescriptor.from_tensor(x, block) for x, block in
                             ((a, [bm, bk]), (b, [bn, bk]), (d, [bm, bn]))]
            m, k, n = a.shape[0], a.shape[1], b.shape[0]
            grid = (min(sms, -(-m // bm) * -(-n // bn)),)
            kernel[grid](*kept[key], m, n, k, bm, bn, bk, group, sms, num_stages=stages,
                         num_warps=warps)
        return launch
    return {"/".join(map(str, c)): launcher(c) for c in TRITON}


# Rows and columns of a tile, CTAs of a cluster along them, whether two groups of warps take turns.
QUACK = [(128, 256, 2, 1, False), (256, 128, 2, 1, False), (256, 192, 2, 1, False), (128, 192, 2, 1, True),
         (128, 160, 1, 2, True), (128, 128, 2, 1, True)]


def quack_launchers():
    try:
        from quack.gemm_config import GemmConfig
        from quack.gemm_interface import gemm_tuned
    except ImportError as error:
        print("no QuACK:", error)
        return {}

    def launcher(m, n, cluster_m, cluster_n, turns):
        config = GemmConfig(tile_m=m, tile_n=n, pingpong=turns, is_dynamic_persistent=False,
                            cluster_m=cluster_m, cluster_n=cluster_n)
        return lambda a, b, d: gemm_tuned.fn(a, b.T, d, config=config)
    return {"/".join(map(str, c)): launcher(*c) for c in QUACK}


# ---------------------------------------------------------------------------
# Timing
# ---------------------------------------------------------------------------

class Shape:
    """Rotating sets of A, B and D, and the truth of the first set."""

    def __init__(self, m, n, k, l2):
        import torch
        self.m, self.n, self.k = m, n, k
        self.bytes = 2 * (m * k + n * k + m * n)
        self.count = max(2, -(-4 * l2 // self.bytes) + 1)
        generator = torch.Generator(device="cuda").manual_seed(m + 3 * n + 5 * k)
        normal = lambda *s: torch.randn(s, device="cuda", generator=generator,
                                        dtype=torch.float32).to(torch.bfloat16)
        self.sets = [(normal(m, k), normal(n, k),
                      torch.empty(m, n, device="cuda", dtype=torch.bfloat16))
                     for _ in range(self.count)]
        a, b, _ = self.sets[0]
        self.ref = torch.empty(m, n, device="cuda", dtype=torch.float64)
        self.limit = torch.empty_like(self.ref)
        bt = b.double().T.contiguous()
        for first in range(0, m, 2048):
            rows = slice(first, first + 2048)
            x = a[rows].double()
            self.ref[rows] = x @ bt
            self.limit[rows] = (x.abs() @ bt.abs()) * 2.0**-20
        self.limit += self.ref.abs() * 2.0**-8
        del bt

    def wrong(self, launch):
        import torch
        a, b, d = self.sets[0]
        d.view(torch.int16).fill_(0x7FC1)
        launch(a, b, d)
        torch.cuda.synchronize()
        return int((~((d.double() - self.ref).abs() <= self.limit)).sum())


def capture(launch, sets):
    """A graph of one launch a set."""
    import torch
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(2):
            for s in sets:
                launch(*s)
    stream.synchronize()
    for attempt in range(2):
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph, stream=stream):
                for s in sets:
                    launch(*s)
            break
        except RuntimeError:  # the capture before this one may have left an error behind
            if attempt:
                raise
    torch.cuda.synchronize()
    return graph


def seconds_of(graph, launches, replays, before=0):
    """Of one launch; `before` replays go first, untimed: clock and power are this contender's own."""
    import torch
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for _ in range(before):
        graph.replay()
    start.record()
    for _ in range(replays):
        graph.replay()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) * 1e-3 / (launches * replays)


def replays_for(graph, launches, milliseconds):
    seconds_of(graph, launches, 1)
    one = seconds_of(graph, launches, 1) * launches
    return max(1, round(milliseconds * 1e-3 / one))


def interval(ratios):
    """The 95 % bootstrap interval of the median, over all samples of as many ratios, none drawn: an end that lies at the step
    from one ratio to the next (of 15, the fourth has 2.55 %) does not hang on a seed."""
    x, n = sorted(ratios), len(ratios)
    # P(at least h of a sample are among the k least), and so that its h-th is at most x[k - 1].
    within = lambda h, k: sum(math.comb(n, j) * (k / n) ** j * (1 - k / n) ** (n - j) for j in range(h, n + 1))
    h = (n + 1) // 2
    medians = [(x[k - 1], within(h, k) - within(h, k - 1)) for k in range(1, n + 1)]
    if n % 2 == 0:  # Between the h-th, x[i], and the next one, x[j].
        power = lambda a: (a / n) ** h
        apart = {(i, j): math.comb(n, h) * (power(i + 1) - power(i)) * (power(n - j) - power(n - j - 1))
                 for i in range(n) for j in range(i + 1, n)}
        same = [(value, share - sum(apart[i, j] for j in range(i + 1, n))) for i, (value, share) in enumerate(medians)]
        medians = sorted(same + [((x[i] + x[j]) / 2, share) for (i, j), share in apart.items()])
    below = list(itertools.accumulate(share for _, share in medians))
    return tuple(medians[min(bisect.bisect_left(below, share), len(below) - 1)][0] for share in (0.025, 0.975))


class Meter:
    """SM clock, power and energy of PyTorch's device, by NVML; where there is no NVML, nothing."""
    SM_CLOCK = 1
    WARMING = 0.1  # seconds

    def __init__(self):
        import torch
        try:
            self.nvml, self.device = ctypes.CDLL("libnvidia-ml.so.1"), ctypes.c_void_p()
            self.check(self.nvml.nvmlInit_v2())
            which = f"GPU-{torch.cuda.get_device_properties(0).uuid}".encode()
            self.check(self.nvml.nvmlDeviceGetHandleByUUID(which, ctypes.byref(self.device)))
        except (OSError, RuntimeError) as error:
            print("no clock, power and energy:", error)
            self.nvml = None

    @staticmethod
    def check(status):
        if status:
            raise RuntimeError(f"NVML: status {status}")

    def get(self, name, number, *arguments):
        self.check(getattr(self.nvml, "nvmlDeviceGet" + name)(self.device, *arguments, ctypes.byref(number)))
        return number.value

    def read(self):
        """MHz, and W: of the last second or so, whoever ran in it."""
        if not self.nvml:
            return None
        return (self.get("ClockInfo", ctypes.c_uint(), self.SM_CLOCK), self.get("PowerUsage", ctypes.c_uint()) / 1000)

    def energy(self):
        """J that the device has taken since its driver was loaded; new every 20 to 100 ms."""
        return self.get("TotalEnergyConsumption", ctypes.c_ulonglong()) / 1000

    def joules(self, graph, launches, replays, seconds):
        """Of one launch, while nothing else runs: the power of so many seconds, which begin and end where the counter is
        seen to change, times what a launch takes in them."""
        import torch
        done, flying, edges, begun = 0, [], [], time.perf_counter()
        started, last = None, self.energy()
        while len(edges) < 2 or edges[-1][0] - edges[0][0] < seconds:
            while len(flying) < 3:  # the device always has something before it
                flying.append(torch.cuda.Event())
                for _ in range(replays):
                    graph.replay()
                flying[-1].record()
            now = time.perf_counter()
            if flying[0].query():
                del flying[0]
                if started is None:  # of what is warm already
                    started = now if now - begun > self.WARMING else None
                else:
                    done, ended = done + 1, now
            joules = self.energy()
            if joules != last and now - begun > self.WARMING:
                edges.append((now, joules))
            last = joules
            if now - begun > seconds + 5:
                torch.cuda.synchronize()
                raise RuntimeError("NVML's counter of energy stands still")
        torch.cuda.synchronize()
        (first, low), (second, high) = edges[0], edges[-1]
        return (high - low) / (second - first) * (ended - started) / (done * replays * launches)


def energies(meter, graphs, launches, replays, options, rng):
    """name -> J a launch, of each of two turns of --energy seconds; nothing where none are wanted, or counted."""
    joules = {name: [] for name in graphs}
    if not options.energy or not meter.nvml:
        return {}
    try:
        for _ in range(2):
            for name in rng.sample(list(graphs), len(graphs)):
                joules[name].append(meter.joules(graphs[name], launches, replays[name], options.energy))
    except RuntimeError as error:
        print("no energy:", error)
        return {}
    return joules


def add_energy_option(parser):
    parser.add_argument("--energy", type=float, default=0.3, help="seconds of a contender's turn, of two, for its energy; 0: none")


def workspace_shapes(variant):
    """Of stream-K's arguments, from the words of a launch that `titan bench` has written."""
    words, shapes = variant.get("launch", []), {}
    for flag, value in zip(words[::2], words[1::2]):
        name, _, rest = value.partition("=")
        if name in ("pages", "flags"):
            shapes[name] = [int(size) for size in rest.rpartition("shape=")[2].split("x")]
    return shapes


def ours_of(library, path, variant=None):
    import torch
    from gemm import read_packages
    kernel = read_packages(library, [path])[0]
    kept = {}

    def launch(a, b, d):
        key = (a.data_ptr(), b.data_ptr(), d.data_ptr())
        if "workspace" not in kept:
            kept["workspace"] = {name: torch.zeros(shape, device="cuda",
                                                   dtype=torch.int32 if name == "flags" else torch.float32)
                                 for name, shape in workspace_shapes(variant or {}).items()}
        if key not in kept:
            kept[key] = kernel.prepare(A=a, B=b, D=d, **kept["workspace"]), (a, b, d)
        kernel.launch(kept[key][0])
    return launch


def fastest(shape, candidates, milliseconds, report):
    """Of a peer's configurations the right one that is fastest."""
    best = None
    for name, launch in candidates.items():
        try:
            if shape.wrong(launch):
                report[name] = "wrong"
                continue
            graph = capture(launch, shape.sets)
            replays = replays_for(graph, shape.count, milliseconds)
            took = min(seconds_of(graph, shape.count, replays) for _ in range(2))
        except Exception as error:  # a configuration that a peer does not take
            report[name] = str(error).splitlines()[0][:100] if str(error) else repr(error)
            continue
        report[name] = took
        if best is None or took < best[0]:
            best = took, name, launch
    return best


PEERS = ("quack-kernels", "flash-attn-4", "nvidia-cutlass-dsl", "nvidia-cublas", "nvidia-cudnn-cu13")


def commit():
    """Of TITAN, as it made the packages: what TITAN_COMMIT says, else the tree's that this file is in; None where neither is."""
    tree = subprocess.run(["git", "-C", os.path.dirname(os.path.abspath(__file__)), "describe", "--always", "--abbrev=40", "--dirty",
                           "--exclude=*"], capture_output=True, text=True) if shutil.which("git") else None
    return os.environ.get("TITAN_COMMIT") or (tree.stdout.strip() if tree else None) or None


def describe():
    """The machine and the versions of all that is measured; a peer that is not installed is None."""
    import torch
    driver = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,power.limit",
                             "--format=csv,noheader"], capture_output=True, text=True)

    def version(name):
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            return None
    try:
        lt = cublaslt().cublasLtGetVersion()
    except OSError:
        lt = None
    return {"device": driver.stdout.strip(), "titan": commit(), "torch": torch.__version__, "cuda": torch.version.cuda,
            "triton": version("triton"), "cudnn": torch.backends.cudnn.version(),
            "versions": {name: version(name) for name in PEERS}, "cublasLt": lt}


def save(options, report):
    if options.json:
        with open(options.json, "w") as file:
            json.dump(report, file, indent=1)


def race(options, library, shapes):
    import torch
    properties = torch.cuda.get_device_properties(0)
    report = {**describe(), "rounds": options.rounds, "shapes": []}
    rng, meter, begun = random.Random(1), Meter(), time.time()
    lt = None
    try:
        lt = CublasLt()
    except (OSError, RuntimeError) as error:
        print("no cuBLASLt:", error)
    others = {"triton": triton_launchers(properties.multi_processor_count), "quack": quack_launchers()}
    print(f"{'shape':18s} {'fastest peer':28s} {'peer':>6s} {'ours':>6s}  ratio  "
          f"95 % interval    hot    MHz    W  mJ a launch: peer, ours")
    for m, n, k in shapes:
        if time.time() - begun > options.limit:
            print("no time left")
            break
        shape = Shape(m, n, k, properties.L2_cache_size)
        row = {"shape": (m, n, k), "sets": shape.count, "configurations": {}}
        report["shapes"].append(row)
        contenders = {"cublas": lambda a, b, d: torch.matmul(a, b.T, out=d)}
        if lt:
            best = fastest(shape, {f"lt{i}": launch for i, launch in
                                   enumerate(lt.algorithms(m, n, k))}, 4,
                           row["configurations"])
            if best:
                contenders["cublasLt " + best[1]] = best[2]
        for peer, candidates in others.items():
            best = fastest(shape, candidates, 4, row["configurations"].setdefault(peer, {}))
            if best:
                contenders[f"{peer} {best[1]}"] = best[2]
        contenders["ours"] = ours_of(library, os.path.join(options.folder,
                                                           name_of((m, n, k)) + ".titanpkg"))
        row["wrong"] = {name: shape.wrong(launch) for name, launch in contenders.items()}
        if row["wrong"]["ours"]:
            print("WRONG", name_of((m, n, k)), row["wrong"])
        for column, sets in (("cold", shape.sets), ("hot", shape.sets[:1] * 8)):
            graphs = {name: capture(launch, sets) for name, launch in contenders.items()}
            replays = {name: replays_for(graph, len(sets), options.milliseconds)
                       for name, graph in graphs.items()}
            times = {name: [] for name in graphs}
            meters, names = [], list(graphs)
            for _ in range(options.rounds if column == "cold" else 5):
                rng.shuffle(names)  # nobody always follows the same one
                for name in names:
                    times[name].append(seconds_of(graphs[name], len(sets), replays[name],
                                                  before=-(-replays[name] // 2)))
                meters.append(meter.read())
            row[column] = {"seconds": times, "meter": meters}
            if column == "cold":
                row["joules"] = energies(meter, graphs, len(sets), replays, options, rng)
            del graphs
        flops = 2.0 * m * n * k

        def ratios(column):
            times = row[column]["seconds"]
            peer = min((name for name in times if name != "ours" and not row["wrong"][name]),
                       key=lambda name: statistics.median(times[name]))
            return peer, [p / o for p, o in zip(times[peer], times["ours"])], times
        peer, cold, times = ratios("cold")
        low, high = interval(cold)
        row.update(peer=peer, ratio=statistics.median(cold), low=low, high=high,
                   hot_ratio=statistics.median(ratios("hot")[1]))
        rate = lambda name: flops / statistics.median(times[name]) / 1e12
        row["tflops"] = {name: rate(name) for name in times}
        clock, power = row["cold"]["meter"][-1] or (0, 0)
        energy = "".join(f" {1e3 * statistics.mean(row['joules'][name]):9.3f}" for name in (peer, "ours") if row["joules"])
        print(f"{name_of((m, n, k)):18s} {peer:28s} {rate(peer):6.1f} {rate('ours'):6.1f}  "
              f"{row['ratio']:.3f}  {low:.3f} to {high:.3f}  {row['hot_ratio']:.3f}  "
              f"{clock:5d} {power:4.0f} {energy}", flush=True)
        save(options, report)
        del shape, contenders
        torch.cuda.empty_cache()
    done = [row["ratio"] for row in report["shapes"] if "ratio" in row]
    if done:
        report["geometric_mean"] = statistics.geometric_mean(done)
        print(f"geometric mean of {len(done)} ratios: {report['geometric_mean']:.3f}")
    save(options, report)
    return report


def sweep(options, library, shapes):
    import torch
    properties = torch.cuda.get_device_properties(0)
    with open(options.sweep) as file:
        variants = json.load(file)
    packages = {}
    for name in variants:
        path = os.path.join(options.folder, name + ".titanpkg")
        if os.path.exists(path):
            packages[name] = ours_of(library, path, variants[name])
    report, begun = {**describe(), "variants": variants, "shapes": []}, time.time()
    lt, rng = CublasLt(), random.Random(1)
    for m, n, k in shapes:
        if time.time() - begun > options.limit:
            print("no time left")
            break
        shape = Shape(m, n, k, properties.L2_cache_size)
        row = {"shape": (m, n, k), "seconds": {}}
        report["shapes"].append(row)
        started = time.time()
        peers = {"cublas": lambda a, b, d: torch.matmul(a, b.T, out=d)}
        best = fastest(shape, {f"lt{i}": launch for i, launch in
                               enumerate(lt.algorithms(m, n, k))}, options.milliseconds, {})
        peers["cublasLt"] = best[2]
        launches = {name: launch for name, launch in packages.items()
                    if name_of((m, n, k)) in variants[name].get("shapes", [name_of((m, n, k))])}
        fastest(shape, {**peers, **launches}, options.milliseconds, row["seconds"])
        good = {name: t for name, t in row["seconds"].items() if isinstance(t, float)}
        order = sorted(good, key=good.get)
        # Again, in turns, the first ones.
        graphs = {name: capture({**peers, **launches}[name], shape.sets)
                  for name in dict.fromkeys(order[:14] + list(peers))}
        times, names = {name: [] for name in graphs}, list(graphs)
        replays = {name: replays_for(graph, shape.count, 2 * options.milliseconds)
                   for name, graph in graphs.items()}
        for _ in range(7):
            rng.shuffle(names)
            for name in names:
                times[name].append(seconds_of(graphs[name], shape.count, replays[name],
                                              before=-(-replays[name] // 2)))
        row["again"] = {name: statistics.median(t) for name, t in times.items()}
        row["wrong_behind"] = {name: shape.wrong(launches[name]) for name in graphs if name in launches}
        rate = lambda name: 2.0 * m * n * k / row["again"][name] / 1e12
        bad = {name: t for name, t in row["seconds"].items() if not isinstance(t, float)}
        bad.update({name: f"{n} wrong behind all launches" for name, n in row["wrong_behind"].items() if n})
        print(name_of((m, n, k)), f"cublas {rate('cublas'):.0f}, Lt {rate('cublasLt'):.0f};", "; ".join(
            f"{name} {rate(name):.0f}" for name in sorted(row["again"], key=row["again"].get)[:6]),
            f"({time.time() - started:.0f} s)", bad if bad else "", flush=True)
        save(options, report)
        del shape, graphs
        torch.cuda.empty_cache()
    return report


def run(options):
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import torch
    from gemm import Library
    torch.cuda.init()
    torch.zeros(1, device="cuda")
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    report = (sweep if options.sweep else race)(options, Library(options.library),
                                                options.shapes)
    return 1 if any(row.get("wrong", {}).get("ours") for row in report["shapes"]) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("prepare")
    make.add_argument("--titan", required=True)
    make.add_argument("--out", required=True)
    make.add_argument("--candidates", action="store_true")
    go = commands.add_parser("run")
    go.add_argument("folder")
    go.add_argument("--library", required=True)
    go.add_argument("--rounds", type=int, default=15)
    go.add_argument("--milliseconds", type=float, default=10, help="of a contender's turn")
    add_energy_option(go)
    go.add_argument("--limit", type=float, default=480, help="seconds; no shape begins later")
    go.add_argument("--sweep")
    go.add_argument("--json")
    for command in (make, go):
        command.add_argument("--shapes", help="MxNxK,..., or models: 60 of public models")
    options = parser.parse_args()
    read = lambda text: tuple(map(int, text.split("x")))
    if options.shapes:
        options.shapes = model_shapes() if options.shapes == "models" else [read(s) for s in options.shapes.split(",")]
    elif options.command == "prepare" and options.candidates:
        options.shapes = SHAPES + lost_shapes()
    elif options.command == "run" and options.sweep:
        with open(options.sweep) as file:
            named = [variant.get("shapes") for variant in json.load(file).values()]
        options.shapes = SHAPES if None in named else list(dict.fromkeys(read(s) for shapes in named for s in shapes))
    else:
        options.shapes = SHAPES
    if options.command == "run":
        return run(options)
    return (prepare_candidates if options.candidates else prepare)(options)


if __name__ == "__main__":
    sys.exit(main())
