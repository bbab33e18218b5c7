#!/usr/bin/env python3
"""titan's GEMM on the GPU: every element checked, and timed against cuBLAS.

D = A * B^T, A is M x K, B is N x K, bf16 in, f32 sums. Needs torch with CUDA, the
runtime's shared library (libtitan-runtime.so, preset runtime-only) and packages
made by `titan compile`:

    titan compile examples/gemm_bare.mlir -o gemm_bare.titanpkg
    python3 benchmarks/gemm.py --library build-runtime/lib/Runtime/libtitan-runtime.so \\
        --check --bench --json benchmarks/results/gemm.json gemm_bare.titanpkg

--check   shapes small and large, exact integers and random normal data: every
          element against float64, within 2^-8 |ref| + 2^-20 sum |a||b| (bf16 output;
          2^-20 |ref| for f32); integers bit for bit. The output is poisoned before
          and stands between guard elements that must survive. --random N adds N random
          shapes (M up to 2000, N and K multiples of 8) from --seed, which is printed.
--bench   M = N = K = --size, random normal data: cuBLAS (torch.matmul) and each
          kernel take turns, --rounds times; a round times --launches launches with
          events. The number that counts is the median of the rounds' ratios.
"""
import argparse
import ctypes
import json
import random
import statistics
import sys

import torch

DTYPES = {torch.float32: 1, torch.float16: 3, torch.bfloat16: 4, torch.int32: 8}
POISON = 0x7FC1


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
    def __init__(self, library, package, handle, name, label):
        self.library, self.package, self.handle = library, package, handle
        self.name, self.label = name, label
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
        stem = path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
        for i in range(library.lib.titan_package_kernel_count(package)):
            name = library.lib.titan_package_kernel_name(
                package, ctypes.c_size_t(i)).decode()
            handle = ctypes.c_void_p()
            library.call("titan_package_kernel", package, name.encode(),
                         ctypes.byref(handle))
            kernels.append(Kernel(library, package, handle, name,
                                  stem + "/" + name))
    return kernels


def inputs(m, n, k, kind, seed):
    generator = torch.Generator(device="cuda").manual_seed(seed)
    if kind == "ints":
        make = lambda *s: torch.randint(-3, 4, s, device="cuda",
                                        generator=generator).to(torch.bfloat16)
    else:
        make = lambda *s: torch.randn(s, device="cuda", generator=generator,
                                      dtype=torch.float32).to(torch.bfloat16)
    return make(m, k), make(n, k)


class Output:
    """D between guards: 8 rows before and after, 64 elements behind each row."""

    def __init__(self, m, n, dtype):
        self.bits = torch.int16 if dtype == torch.bfloat16 else torch.int32
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
    return kernel.name.endswith("f32")


def values_of(kernel, a, b, d, alpha, bias):
    values = {"A": a, "B": b, "D": d}
    for name in kernel.arguments:
        if name == "alpha":
            values[name] = alpha
        elif name in ("bias", "Bias"):
            values[name] = bias
    return values


def check_one(kernel, m, n, k, kind, seed):
    a, b = inputs(m, n, k, kind, seed)
    dtype = torch.float32 if is_f32(kernel) else torch.bfloat16
    out = Output(m, n, dtype)
    alpha = 2.0 if kind == "ints" else 0.75
    bias = (torch.randint(-3, 4, (n,), device="cuda").float() if kind == "ints"
            else torch.randn(n, device="cuda"))
    array = kernel.prepare(**values_of(kernel, a, b, out.d, alpha, bias))
    kernel.launch(array)
    torch.cuda.synchronize()
    ref = a.double() @ b.double().T
    mass = a.double().abs() @ b.double().abs().T
    if "alpha" in kernel.arguments:
        ref, mass = ref * alpha, mass * abs(alpha)
    if "bias" in kernel.arguments:
        ref, mass = ref + bias.double(), mass + bias.double().abs()
    got = out.d.double()
    if kind == "ints":
        wrong = int((out.d != ref.to(dtype)).sum())
    else:
        unit = 2.0**-20 if is_f32(kernel) else 2.0**-8
        limit = unit * ref.abs() + 2.0**-20 * mass
        wrong = int((~((got - ref).abs() <= limit)).sum())
    return {"kernel": kernel.label, "m": m, "n": n, "k": k, "data": kind,
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
                row = check_one(kernel, *shape, kind, seed=sum(shape))
                report["checks"].append(row)
                if row["wrong"] or not row["guards"]:
                    failures += 1
                    print("FAIL", row)
        # Refused before anything runs.
        for m, n, k, code in ((0, 8, 8, "launch-zero-dim"), (8, 8, 0, "launch-zero-dim"),
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
    parser.add_argument("packages", nargs="+")
    parser.add_argument("--library", required=True)
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
    torch.cuda.init()
    torch.zeros(1, device="cuda")
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    library = Library(options.library)
    kernels = read_packages(library, options.packages)
    if options.kernel:
        kernels = [k for k in kernels if k.name == options.kernel]
    report = {"device": torch.cuda.get_device_name(), "torch": torch.__version__,
              "cuda": torch.version.cuda, "checks": [], "refusals": [], "bench": []}
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
