#!/usr/bin/env python3
"""titan's GEMM on the GPU: every element checked, and timed against cuBLAS.

D = A * B^T, A is M x K, B is N x K, bf16 in, f32 sums; what a package of `titan bench gemm` computes, variants.json beside
it says. Needs torch with CUDA, the runtime's shared library (libtitan-runtime.so, preset runtime-only) and packages
made by `titan compile`:

    titan compile examples/gemm_bare.mlir -o gemm_bare.titanpkg
    python3 benchmarks/gemm.py --library build-runtime/lib/Runtime/libtitan-runtime.so \\
        --check --bench --json benchmarks/results/gemm.json gemm_bare.titanpkg

--check   shapes small and large, exact integers and random normal data: every
          element against float64, within 2^-8 |ref| + 2^-20 sum |a||b| (bf16 output;
          2^-20 |ref| for f32); integers bit for bit. The output is poisoned before
          and stands between guard elements that must survive. --random N adds N random
          shapes (M up to 2000, N and K multiples of 8) from --seed, which is printed.
          Behind an activation nothing is exact but relu: within 1.13 times that error, and
          2^-20 |x| more, of a gate times the other factor. Stream-K's flags hold zeros behind a launch.
--bench   M = N = K = --size, random normal data: cuBLAS (torch.matmul) and each
          kernel take turns, --rounds times; a round times --launches launches with
          events. The number that counts is the median of the rounds' ratios.

What is generated, every layout, type, epilogue and way to deal out tiles (MATRIX), compiled where there need be no GPU:

    python3 benchmarks/gemm.py --prepare matrix/ --titan build/bin/titan
    python3 benchmarks/gemm.py --library libtitan-runtime.so --check --json matrix.json matrix/*/*.titanpkg
"""
import argparse
import ctypes
import json
import os
import random
import statistics
import subprocess
import sys

try:
    import torch
except ImportError:  # --prepare does without
    torch = None

from race import describe, workspace_shapes

TYPES = ({} if torch is None else
         {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16})
DTYPES = {} if torch is None else {torch.float32: 1, torch.float16: 3, torch.bfloat16: 4, torch.int32: 8}
POISON = 0x7FC1

# Options of `titan bench gemm`, by folder; what is not given the model picks, for --shape.
_ALL, _TYPES = ["--sweep", "layout=nt,nn,tt,tn"], ["--sweep", "input=bf16,f16"]
_CONSUMERS = ["--tile", "128x128x64", "--sweep", "consumers=cooperative,pingpong"]
_TERMS = ["--epilogue", "alpha,beta,bias"]
_ACTIVATIONS = ["--sweep", "activation=none,relu,gelu,gelu-tanh,silu"]
MATRIX = {
    "types": [*_ALL, *_TYPES, "--sweep", "output=bf16,f16,f32"],
    "cooperative": [*_ALL, *_TYPES, "--consumers", "cooperative", "--sweep", "tile=128x256x64,256x128x64"],
    "pingpong": [*_ALL, *_TYPES, "--consumers", "pingpong", "--tile", "128x192x64"],
    # Whose panel two CTAs share is stored with K innermost.
    "pairs-of-rows": ["--sweep", "layout=nt,tt", "--cluster", "2x1", *_TYPES, *_CONSUMERS],
    "pairs-of-columns": ["--sweep", "layout=nt,nn", "--cluster", "1x2", *_TYPES, *_CONSUMERS],
    "swap": [*_ALL, *_TYPES, "--swap", "on"],
    "few-rows": [*_ALL, "--shape", "16x8192x8192", "--swap", "on"],
    "swap-panels": [*_ALL, *_TYPES, "--swap", "on", "--tile", "64x128x64", "--sweep", "panel=16,64"],
    "swap-panels-turns": [*_TYPES, "--swap", "on", "--consumers", "pingpong", "--sweep", "tile=88x128x64,200x64x64", "--panel", "32"],
    "split": [*_ALL, "--sweep", "split=2,4,8", "--tile", "128x128x64"],
    "stream-k": [*_ALL, *_TYPES, "--stream-k", "on"],
    "epilogue-cooperative": [*_TERMS, *_ACTIVATIONS, *_TYPES, "--tile", "128x256x64", "--consumers", "cooperative"],
    "epilogue-pingpong": [*_TERMS, *_ACTIVATIONS, *_TYPES, "--tile", "128x192x64", "--consumers", "pingpong"],
    "epilogue-pairs": [*_TERMS, *_ACTIVATIONS, "--tile", "128x128x64", "--cluster", "2x1"],
    "epilogue-swap": [*_TERMS, *_ACTIVATIONS, "--swap", "on"],
    "epilogue-swap-panels": [*_TERMS, *_ACTIVATIONS, "--swap", "on", "--tile", "88x128x64", "--panel", "32"],
    "epilogue-split": [*_TERMS, *_ACTIVATIONS, "--split", "4", "--tile", "128x128x64"],
    "epilogue-stream-k": [*_TERMS, *_ACTIVATIONS, "--stream-k", "on"],
    "term": ["--sweep", "epilogue=alpha", "--sweep", "layout=nt,tt"],
    "terms": ["--sweep", "layout=nt,tt", "--epilogue", "alpha,bias"],
    "gate": ["--gate", "on", "--epilogue", "alpha,bias", *_ALL, *_ACTIVATIONS]}


def prepare(titan, folder):
    """MATRIX, compiled; each of its folders has the variants.json that says what its packages compute."""
    for name, words in MATRIX.items():
        shape = [] if "--shape" in words else ["--shape", "1000x1000x1000"]
        into = os.path.join(folder, name)
        subprocess.run([titan, "bench", "gemm", *shape, *words, "--check=off", "-o", into], check=True)
        with open(os.path.join(into, "variants.json")) as file:
            refused = {variant: row["refused"]["message"] for variant, row in json.load(file).items() if "refused" in row}
        if refused:
            sys.exit(f"{into}: all of MATRIX are meant to be there: {refused}")
    return 0


class Argument(ctypes.Structure):
    _fields_ = [
        ("is_tensor", ctypes.c_int32), ("dtype", ctypes.c_int32),
        ("rank", ctypes.c_int32), ("reserved", ctypes.c_int32),
        ("bits", ctypes.c_uint64),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
    ]


class Library:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.titan_error_text.restype = ctypes.c_char_p
        self.lib.titan_error_code.restype = ctypes.c_char_p
        self.lib.titan_package_kernel_name.restype = ctypes.c_char_p
        self.lib.titan_package_kernel_count.restype = ctypes.c_size_t
        self.lib.titan_kernel_argument_count.restype = ctypes.c_size_t
        self.lib.titan_kernel_argument_name.restype = ctypes.c_char_p
        for name in ("read", "kernel"):
            getattr(self.lib, "titan_package_" + name).restype = ctypes.c_void_p
        for name in ("load", "launch", "check"):
            getattr(self.lib, "titan_kernel_" + name).restype = ctypes.c_void_p

    def call(self, name, *arguments):
        error = getattr(self.lib, name)(*arguments)
        if error:
            error = ctypes.c_void_p(error)
            text = self.lib.titan_error_text(error).decode()
            code = self.lib.titan_error_code(error).decode()
            self.lib.titan_error_release(error)
            raise TitanError(code, text)


class TitanError(Exception):
    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class Kernel:
    def __init__(self, library, package, handle, name, label, variant=None):
        self.library, self.package, self.handle = library, package, handle
        self.name, self.label, self.variant = name, label, variant
        count = library.lib.titan_kernel_argument_count(handle)
        self.arguments = [
            library.lib.titan_kernel_argument_name(handle, ctypes.c_size_t(i)).decode()
            for i in range(count)]

    def prepare(self, **values):
        """The C arguments of a launch; tensors and numbers by name."""
        self.keep = values
        array = (Argument * len(self.arguments))()
        for slot, name in zip(array, self.arguments):
            value = values[name]
            if isinstance(value, int):
                slot.dtype, slot.bits = DTYPES[torch.int32], value
                continue
            if isinstance(value, float):
                slot.dtype = 1
                slot.bits = ctypes.c_uint32.from_buffer(
                    ctypes.c_float(value)).value
                continue
            slot.is_tensor, slot.dtype, slot.rank = 1, DTYPES[value.dtype], value.dim()
            slot.bits = value.data_ptr()
            slot.dims = (ctypes.c_int64 * value.dim())(*value.shape)
            slot.strides = (ctypes.c_int64 * value.dim())(*value.stride())
        return array

    def launch(self, array):
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        self.library.call("titan_kernel_launch", self.handle, array,
                          ctypes.c_size_t(len(array)), stream)


def read_packages(library, paths):
    kernels = []
    for path in paths:
        package = ctypes.c_void_p()
        library.call("titan_package_read", path.encode(), ctypes.byref(package))
        stem, variant = path.rsplit("/", 1)[-1].rsplit(".", 1)[0], None
        beside = os.path.join(os.path.dirname(path), "variants.json")
        if os.path.exists(beside):
            with open(beside) as file:
                variant = json.load(file).get(stem)
        for i in range(library.lib.titan_package_kernel_count(package)):
            name = library.lib.titan_package_kernel_name(
                package, ctypes.c_size_t(i)).decode()
            handle = ctypes.c_void_p()
            library.call("titan_package_kernel", package, name.encode(),
                         ctypes.byref(handle))
            label = stem if variant is None else "/".join(path.rsplit("/", 2)[-2:]).rsplit(".", 1)[0]
            kernels.append(Kernel(library, package, handle, name, label + "/" + name, variant))
    return kernels


def finished(x, error, activation, gate, dtype):
    """What an activation makes of x, or of a gate the two halves of x's columns, and is rounded to a type; and what may be
    wrong of it where `error` may be of x."""
    def active(x, error):
        if activation in ("none", "relu"):
            return (x.relu() if activation == "relu" else x), error
        function = {"gelu": torch.nn.functional.gelu, "silu": torch.nn.functional.silu,
                    "gelu-tanh": lambda x: torch.nn.functional.gelu(x, approximate="tanh")}[activation]
        return function(x), 1.13 * error + x.abs() * 2.0**-20
    if gate:
        (x, y), (ex, ey) = x.chunk(2, -1), error.chunk(2, -1)
        x, ex = active(x, ex)
        x, error = x * y, ex * y.abs() + x.abs() * ey + ex * ey
    else:
        x, error = active(x, error)
    return x, error + {torch.float32: 2.0**-20, torch.float16: 2.0**-10, torch.bfloat16: 2.0**-8}[dtype] * x.abs()


class Product:
    """What a kernel computes: D = activation(alpha * A * B^T + beta * C + bias), or of a gate activation(x) * y of the
    halves x and y of such a product."""

    def __init__(self, kernel):
        option = (kernel.variant or {}).get
        self.arguments = kernel.arguments
        self.input = TYPES[option("input", "bf16")]
        self.output = TYPES[option("output", "f32" if kernel.name.endswith("f32") else "bf16")]
        self.layout, self.activation = option("layout", "nt"), option("activation", "none")
        self.gate = option("gate") == "on"
        self.workspace = {name: torch.zeros(shape, device="cuda", dtype=torch.int32 if name == "flags" else torch.float32)
                          for name, shape in workspace_shapes(kernel.variant or {}).items()}

    def has(self, name):
        return any(argument.lower() == name.lower() for argument in self.arguments)

    def exact(self):
        """Whether integers that small give the very numbers."""
        return self.activation in ("none", "relu") and not self.gate

    def truth(self, a, b, alpha, beta, c, bias):
        """D in float64, and what may be wrong of it: 2^-20 of the magnitudes that are added, and a rounding."""
        ref = a.double() @ b.double().T
        mass = a.double().abs() @ b.double().abs().T
        if self.has("alpha"):
            ref, mass = ref * alpha, mass * abs(alpha)
        if self.has("beta"):
            ref, mass = ref + beta * c.double(), mass + abs(beta) * c.double().abs()
        if self.has("bias"):
            ref, mass = ref + bias.double(), mass + bias.double().abs()
        return finished(ref, 2.0**-20 * mass, self.activation, self.gate, self.output)


def numbers(rows, columns, kind, generator, dtype):
    if kind == "ints":
        return torch.randint(-3, 4, (rows, columns), device="cuda", generator=generator).to(dtype)
    return torch.randn((rows, columns), device="cuda", generator=generator, dtype=torch.float32).to(dtype)


def inputs(m, n, k, kind, seed):
    generator = torch.Generator(device="cuda").manual_seed(seed)
    return tuple(numbers(rows, k, kind, generator, torch.bfloat16) for rows in (m, n))


def stored(matrix, turned):
    """As a kernel takes it: turned where the layout says so, its rows at multiples of 16 bytes."""
    matrix = matrix.T if turned else matrix
    rows, columns = matrix.shape
    whole = torch.zeros(rows, (columns + 7) // 8 * 8, device="cuda", dtype=matrix.dtype)
    whole[:, :columns] = matrix
    return whole[:, :columns]


class Output:
    """D between guards: 8 rows before and after, 64 elements behind each row."""

    def __init__(self, m, n, dtype):
        self.bits = torch.int32 if dtype == torch.float32 else torch.int16
        self.pad = 64
        self.m, self.n = m, n
        width = (n + 7) // 8 * 8 + self.pad
        self.whole = torch.full((m + 16, width), POISON, device="cuda",
                                dtype=self.bits)
        self.d = self.whole.view(dtype)[8:8 + m, :n]

    def guards_hold(self):
        copy = self.whole.clone()
        copy[8:8 + self.m, :self.n] = POISON
        return bool((copy == POISON).all())


def is_f32(kernel):
    return Product(kernel).output == torch.float32


def values_of(kernel, a, b, d, alpha, bias, beta=0.0, c=None):
    values = {"A": a, "B": b, "D": d, "alpha": alpha, "bias": bias, "Bias": bias, "beta": beta, "C": c,
              **Product(kernel).workspace}
    return {name: values[name] for name in kernel.arguments}


def check_one(kernel, m, n, k, kind, seed):
    product = Product(kernel)
    generator = torch.Generator(device="cuda").manual_seed(seed)
    columns = 2 * n if product.gate else n
    a, b = (numbers(rows, k, kind, generator, product.input) for rows in (m, columns))
    c = numbers(m, n, kind, generator, product.output)
    out = Output(m, n, product.output)
    alpha, beta = (2.0, -2.0) if kind == "ints" else (0.75, 0.5)
    bias = numbers(1, columns, kind, generator, torch.float32)[0]
    values = values_of(kernel, stored(a, product.layout[0] == "t"), stored(b, product.layout[1] == "n"), out.d, alpha, bias,
                       beta, stored(c, False))
    kernel.launch(kernel.prepare(**values))
    torch.cuda.synchronize()
    ref, limit = product.truth(a, b, alpha, beta, c, bias)
    if kind == "ints" and product.exact():
        wrong = int((out.d != ref.to(product.output)).sum())
    else:
        wrong = int((~((out.d.double() - ref).abs() <= limit)).sum())
    if "flags" in values:
        wrong += int(values["flags"].count_nonzero())
    return {"kernel": kernel.label, "m": m, "n": n, "k": k, "data": kind, "exact": kind == "ints" and product.exact(),
            "wrong": wrong, "elements": m * n, "guards": out.guards_hold()}


SHAPES = [(1, 8, 8), (129, 264, 72), (128, 256, 64), (128, 256, 16), (127, 248, 40),
          (256, 512, 128), (640, 768, 320), (1000, 1000, 1000), (17, 4096, 512),
          (4096, 24, 256), (1024, 1024, 4096), (3000, 2504, 776), (4096, 4096, 1024)]


def random_shapes(count, seed):
    """Small extents as often as large ones."""
    rng = random.Random(seed)
    extent = lambda most: max(1, int(most ** rng.random()))
    return [(extent(2000), 8 * extent(250), 8 * extent(250)) for _ in range(count)]


def check(kernels, shapes, report):
    failures = 0
    for kernel in kernels:
        for shape in shapes:
            for kind in ("ints", "normal"):
                try:
                    row = check_one(kernel, *shape, kind, seed=sum(shape))
                except TitanError as error:
                    row = {"kernel": kernel.label, "shape": shape, "wrong": f"[{error.code}] {error}", "guards": False}
                report["checks"].append(row)
                if row["wrong"] or not row["guards"]:
                    failures += 1
                    print("FAIL", row)
        # Refused before anything runs.
        for m, n, k, code in () if kernel.variant else ((0, 8, 8, "launch-zero-dim"), (8, 8, 0, "launch-zero-dim"),
                              (128, 256, 60, "tma-stride-alignment"),
                              (128, 252, 64, None)):
            a = torch.zeros(m, k, device="cuda", dtype=torch.bfloat16)
            b = torch.zeros(n, k, device="cuda", dtype=torch.bfloat16)
            d = torch.zeros(m, n, device="cuda", dtype=torch.float32
                            if is_f32(kernel) else torch.bfloat16)
            try:
                kernel.launch(kernel.prepare(
                    **values_of(kernel, a, b, d, 1.0, torch.zeros(n, device="cuda"))))
                seen = "launched"
            except TitanError as error:
                seen = error.code
            ok = (seen == code) if code else (
                seen in ("tma-store-tail", "tma-stride-alignment")
                or (is_f32(kernel) and seen == "launched"))
            report["refusals"].append({"kernel": kernel.label, "m": m, "n": n,
                                       "k": k, "code": seen, "ok": ok})
            failures += not ok
            if not ok:
                print("FAIL refusal", kernel.label, m, n, k, seen, "wanted", code)
        torch.cuda.synchronize()
        done = [r for r in report["checks"] if r["kernel"] == kernel.label]
        good = sum(not r["wrong"] and r["guards"] for r in done)
        print(f"{kernel.label}: {good} of {len(done)} checks")
    return failures


def time_of(launch, launches):
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(launches):
        launch()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / launches * 1e-3


def bench(kernels, size, rounds, launches, report):
    m = n = k = size
    a, b = inputs(m, n, k, "normal", seed=1)
    flops = 2.0 * m * n * k
    cublas_out = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
    contenders = {"cublas": lambda: torch.matmul(a, b.T, out=cublas_out)}
    outputs = {}
    for kernel in kernels:
        d = torch.full((m, n), float("nan"), device="cuda", dtype=torch.float32
                       if is_f32(kernel) else torch.bfloat16)
        outputs[kernel.label] = d
        array = kernel.prepare(**values_of(kernel, a, b, d, 1.0,
                                           torch.zeros(n, device="cuda")))
        kernel.held = (array, kernel.keep)
        contenders[kernel.label] = lambda kernel=kernel, array=array: kernel.launch(array)
    for launch in contenders.values():
        for _ in range(3):
            launch()
    torch.cuda.synchronize()
    seconds = {name: [] for name in contenders}
    names = list(contenders)
    for r in range(rounds):
        for name in names[r % len(names):] + names[:r % len(names)]:
            seconds[name].append(time_of(contenders[name], launches))
    # The whole result, of the last timed launch.
    ref = torch.empty(m, n, device="cuda", dtype=torch.float64)
    mass = torch.empty_like(ref)
    bd = b.double().T.contiguous()
    for first in range(0, m, 2048):
        rows = a[first:first + 2048].double()
        ref[first:first + 2048] = rows @ bd
        mass[first:first + 2048] = rows.abs() @ bd.abs()
    failures = 0
    for name in names:
        got = cublas_out if name == "cublas" else outputs[name]
        unit = 2.0**-20 if got.dtype == torch.float32 else 2.0**-8
        wrong = int((~((got.double() - ref).abs()
                       <= unit * ref.abs() + 2.0**-20 * mass)).sum())
        ratios = [c / t for c, t in zip(seconds["cublas"], seconds[name])]
        tflops = [flops / t / 1e12 for t in seconds[name]]
        report["bench"].append({
            "kernel": name, "size": size, "wrong": wrong, "seconds": seconds[name],
            "median_ratio": statistics.median(ratios), "ratios": ratios,
            "median_tflops": statistics.median(tflops)})
        failures += bool(wrong) and name != "cublas"
        print(f"{name:32s} {statistics.median(tflops):7.1f} TFLOP/s   "
              f"{statistics.median(ratios):6.3f} of cuBLAS   wrong {wrong}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("packages", nargs="*")
    parser.add_argument("--library")
    parser.add_argument("--prepare", metavar="FOLDER", help="make the packages of MATRIX, and no more")
    parser.add_argument("--titan", default="titan")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--bench", action="store_true")
    parser.add_argument("--size", type=int, default=8192)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--launches", type=int, default=10)
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kernel", help="only kernels of this name")
    parser.add_argument("--json")
    options = parser.parse_args()
    if options.prepare:
        return prepare(options.titan, options.prepare)
    if not options.packages or not options.library:
        parser.error("packages and --library are needed")
    torch.cuda.init()
    torch.zeros(1, device="cuda")
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    library = Library(options.library)
    kernels = read_packages(library, options.packages)
    if options.kernel:
        kernels = [k for k in kernels if k.name == options.kernel]
    report = {**describe(), "variants": {k.label: k.variant for k in kernels if k.variant}, "checks": [], "refusals": [], "bench": []}
    failures = 0
    try:
        if options.check:
            if options.random:
                report["seed"] = options.seed
                print(f"{options.random} random shapes, seed {options.seed}")
            shapes = SHAPES + random_shapes(options.random, options.seed)
            failures += check(kernels, shapes, report)
        if options.bench:
            failures += bench(kernels, options.size, options.rounds,
                              options.launches, report)
    finally:
        if options.json:
            with open(options.json, "w") as file:
                json.dump(report, file, indent=1)
    print("failures:", failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
