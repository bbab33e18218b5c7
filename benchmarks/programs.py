#!/usr/bin/env python3
"""The programs of examples/programs that Hopper runs, on the GPU: every element of
every result against float64.

    for f in attention gemm_pingpong gemm_cluster gemm_pingpong_pipes gemm_cluster_pipes gemm_stream_k gemm_dynamic gemm_dynamic_pipes gemm_grouped conv
    do ./titan compile examples/programs/$f.mlir -o $f.titanpkg; done
    python3 benchmarks/programs.py --library build-runtime/lib/Runtime/libtitan-runtime.so \\
        [--seed S] [--random N] [--bench] [--against DIR] [--json OUT] *.titanpkg

Each program gets fixed shapes, ragged ones among them, and N random ones. Products of
small integers are compared bit for bit, normal data within 2^-8 |ref| (bf16 output; 2^-20
for f32) + 2^-20 sum |a||b|; attention within 2^-7 max|v|, which two roundings to bf16 (of P
and of O) can cost. --bench: one large shape each against cuBLAS (grouped: one cuBLAS product a
group; attention: PyTorch's scaled_dot_product_attention; conv: cuDNN), interleaved, median of the
rounds' ratios; larger is better for us. --against DIR: the packages of the same kernels in DIR, made by
an earlier compiler, take turns with both, and the ratio to them is told with its quartiles.
"""
import argparse
import json
import math
import os
import random
import statistics

import torch

import gemm
from gemm import Library, Output, inputs, read_packages, time_of
from race import describe

gemm.DTYPES[torch.int8] = 10


def tolerance(dtype, ref, mass):
    unit = 2.0**-20 if dtype == torch.float32 else 2.0**-8
    return unit * ref.abs() + 2.0**-20 * mass


def launches(kernels, before=lambda: None, **values):
    """A launch of each kernel, all with the same tensors: what is compared differs in nothing
    else (tensors in other places alone make a difference of 2 %)."""
    def launch_of(kernel):
        array = kernel.prepare(**values)

        def launch():
            before()
            kernel.launch(array)
        return launch
    return [launch_of(kernel) for kernel in kernels]


class Gemm:
    """D = A B^T; what else the kernel asks for comes from `more`."""
    shapes = [(1, 8, 8), (129, 264, 72), (128, 256, 64), (127, 248, 40), (640, 768, 320),
              (1000, 1000, 1000), (17, 4096, 512), (4096, 24, 256), (3000, 2504, 776)]
    large = (8192, 8192, 8192)
    dtype = torch.bfloat16

    def random(self, rng):
        extent = lambda most: max(1, int(most ** rng.random()))
        return extent(2000), 8 * extent(250), 8 * extent(250)

    def more(self, m, n, k):
        return {}

    def before(self, values):
        """Before each launch."""

    def case(self, kernel, shape, kind, seed):
        m, n, k = shape
        a, b = inputs(m, n, k, kind, seed)
        out = Output(m, n, self.dtype)
        values = dict(A=a, B=b, D=out.d, **self.more(m, n, k))
        self.before(values)
        kernel.launch(kernel.prepare(**values))
        torch.cuda.synchronize()
        ref = a.double() @ b.double().T
        if kind == "ints":
            wrong = int((out.d != ref.to(self.dtype)).sum())
        else:
            limit = tolerance(self.dtype, ref, a.double().abs() @ b.double().abs().T)
            wrong = int((~((out.d.double() - ref).abs() <= limit)).sum())
        return wrong, out.guards_hold()

    def contenders(self, kernels):
        m, n, k = self.large
        a, b = inputs(m, n, k, "normal", 1)
        d = torch.empty(m, n, device="cuda", dtype=self.dtype)
        peer = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
        values = dict(A=a, B=b, D=d, **self.more(m, n, k))
        return (launches(kernels, lambda: self.before(values), **values),
                lambda: torch.matmul(a, b.T, out=peer))


class StreamK(Gemm):
    dtype = torch.float32

    def more(self, m, n, k):
        sms = torch.cuda.get_device_properties(0).multi_processor_count
        tiles = -(-m // 128) * -(-n // 128)
        return {"partial": torch.full((sms, 128, 128), float("nan"), device="cuda"),
                "flags": torch.zeros(tiles, device="cuda", dtype=torch.int32)}

    def before(self, values):
        values["flags"].zero_()


class Dynamic(Gemm):
    def more(self, m, n, k):
        return {"counter": torch.zeros(1, device="cuda", dtype=torch.int32)}

    def before(self, values):
        values["counter"].zero_()


class Grouped:
    """Rows offsets[g] to offsets[g + 1] of D = those of A times B[g]^T."""
    shapes = [((128, 128), 256, 64), ((1, 0, 300, 127), 264, 72), ((5,), 8, 8),
              ((700, 1, 1, 1, 513, 0, 64), 768, 320), ((129,) * 16, 512, 256)]
    large = ((1024,) * 8, 4096, 4096)

    def random(self, rng):
        heights = tuple(int(600 ** rng.random()) - 1 for _ in range(rng.randint(1, 12)))
        if not sum(heights):
            heights += (1,)
        return heights, 8 * int(120 ** rng.random()), 8 * int(100 ** rng.random())

    def make(self, shape, kind, seed):
        heights, n, k = shape
        a, b = inputs(sum(heights), n * len(heights), k, kind, seed)
        sms = torch.cuda.get_device_properties(0).multi_processor_count
        offsets = [0]
        for height in heights:
            offsets.append(offsets[-1] + height)
        return a, b, offsets, {
            "A": a, "B": b,
            "offsets": torch.tensor(offsets, device="cuda", dtype=torch.int32),
            "maps": torch.zeros(2 * sms, 128, device="cuda", dtype=torch.int8)}

    def case(self, kernel, shape, kind, seed):
        a, b, offsets, values = self.make(shape, kind, seed)
        n = shape[1]
        out = Output(offsets[-1], n, torch.bfloat16)
        kernel.launch(kernel.prepare(D=out.d, **values))
        torch.cuda.synchronize()
        wrong = 0
        for g in range(len(offsets) - 1):
            rows = slice(offsets[g], offsets[g + 1])
            x, y = a[rows].double(), b[g * n:(g + 1) * n].double()
            ref, got = x @ y.T, out.d[rows]
            if kind == "ints":
                wrong += int((got != ref.to(torch.bfloat16)).sum())
            else:
                limit = tolerance(torch.bfloat16, ref, x.abs() @ y.abs().T)
                wrong += int((~((got.double() - ref).abs() <= limit)).sum())
        return wrong, out.guards_hold()

    def contenders(self, kernels):
        a, b, offsets, values = self.make(self.large, "normal", 1)
        n = self.large[1]
        d = torch.empty(offsets[-1], n, device="cuda", dtype=torch.bfloat16)
        peer = torch.empty_like(d)

        def theirs():
            for g in range(len(offsets) - 1):
                torch.matmul(a[offsets[g]:offsets[g + 1]], b[g * n:(g + 1) * n].T,
                             out=peer[offsets[g]:offsets[g + 1]])
        return launches(kernels, D=d, **values), theirs


class Attention:
    """One head a grid row, head size 128; rows of all heads side by side."""
    shapes = [(1, 1, 128), (128, 128, 1), (129, 130, 3), (300, 77, 2), (64, 1000, 4),
              (513, 512, 16)]
    large = (8192, 8192, 16)

    def random(self, rng):
        return int(700 ** rng.random()), int(900 ** rng.random()), rng.randint(1, 8)

    def make(self, shape, seed):
        queries, keys, heads = shape
        generator = torch.Generator(device="cuda").manual_seed(seed)
        normal = lambda rows: torch.randn(rows, 128 * heads, device="cuda",
                                          generator=generator).to(torch.bfloat16)
        return normal(queries), normal(keys), normal(keys)

    def case(self, kernel, shape, kind, seed):
        q, k, v = self.make(shape, seed)
        queries, _, heads = shape
        out = Output(queries, 128 * heads, torch.bfloat16)
        kernel.launch(kernel.prepare(Q=q, K=k, V=v, O=out.d))
        torch.cuda.synchronize()
        by_head = lambda x: x.double().view(x.shape[0], heads, 128).transpose(0, 1)
        scores = by_head(q) @ by_head(k).transpose(1, 2) / math.sqrt(128)
        ref = torch.softmax(scores, -1) @ by_head(v)
        error = (by_head(out.d.contiguous()) - ref).abs()
        limit = 2.0**-7 * v.double().abs().max()
        return int((~(error <= limit)).sum()), out.guards_hold()

    def contenders(self, kernels):
        q, k, v = self.make(self.large, 1)
        heads = self.large[2]
        o = torch.empty_like(q)
        view = lambda x: x.view(1, x.shape[0], heads, 128).transpose(1, 2)
        args = view(q), view(k), view(v)
        return (launches(kernels, Q=q, K=k, V=v, O=o),
                lambda: torch.nn.functional.scaled_dot_product_attention(*args))


class Conv:
    """3 x 3 filters, a border of zeros: images, height, width, channels, filters. Channels last;
    the output's pixels have guards behind them."""
    shapes = [(1, 1, 1, 8, 8), (2, 9, 13, 72, 264), (1, 3, 200, 64, 256), (5, 16, 16, 40, 24),
              (3, 28, 28, 128, 512), (17, 7, 7, 512, 104), (1, 129, 2, 8, 520)]
    large = (32, 56, 56, 256, 256)

    def random(self, rng):
        extent = lambda most: max(1, int(most ** rng.random()))
        return extent(12), extent(40), extent(40), 8 * extent(40), 8 * extent(70)

    def make(self, shape, kind, seed):
        n, h, w, c, k = shape
        x, f = inputs(n * h * w, k * 9, c, kind, seed)
        return x.view(n, h, w, c), f.view(k, 3, 3, c)

    def case(self, kernel, shape, kind, seed):
        n, h, w, c, k = shape
        x, f = self.make(shape, kind, seed)
        out = Output(n * h * w, k, torch.bfloat16)
        pitch = out.d.stride(0)  # torch may give dimensions of size 1 any stride
        y = out.d.as_strided((n, h, w, k), (h * w * pitch, w * pitch, pitch, 1))
        kernel.launch(kernel.prepare(X=x, F=f, Y=y))
        torch.cuda.synchronize()
        # Sums of products of shifted images, in float64: no library's convolution.
        around = torch.nn.functional.pad(x.double(), (0, 0, 1, 1, 1, 1))
        ref = torch.zeros(n, h, w, k, device="cuda", dtype=torch.float64)
        mass = torch.zeros_like(ref)
        for r in range(3):
            for s in range(3):
                part, weight = around[:, r:r + h, s:s + w], f[:, r, s].double()
                ref += part @ weight.T
                mass += part.abs() @ weight.abs().T
        if kind == "ints":
            wrong = int((y != ref.to(torch.bfloat16)).sum())
        else:
            limit = tolerance(torch.bfloat16, ref, mass)
            wrong = int((~((y.double() - ref).abs() <= limit)).sum())
        return wrong, out.guards_hold()

    def contenders(self, kernels):
        x, f = self.make(self.large, "normal", 1)
        n, h, w, c, k = self.large
        y = torch.empty(n, h, w, k, device="cuda", dtype=torch.bfloat16)
        # The same memory, as PyTorch calls it: channels_last.
        image, weight = x.permute(0, 3, 1, 2), f.permute(0, 3, 1, 2)
        torch.backends.cudnn.benchmark = True
        return (launches(kernels, X=x, F=f, Y=y),
                lambda: torch.nn.functional.conv2d(image, weight, padding=1))


PROGRAMS = {"attention": Attention(), "gemm_pingpong": Gemm(), "gemm_cluster": Gemm(),
            "gemm_pingpong_pipes": Gemm(), "gemm_cluster_pipes": Gemm(),
            "gemm_stream_k": StreamK(), "gemm_dynamic": Dynamic(), "gemm_dynamic_pipes": Dynamic(),
            "gemm_grouped": Grouped(), "conv": Conv()}


def check(kernel, program, options, report):
    rng = random.Random(options.seed)
    shapes = program.shapes + [program.random(rng) for _ in range(options.random)]
    failures = 0
    kinds = ("normal",) if isinstance(program, Attention) else ("ints", "normal")
    for number, shape in enumerate(shapes):
        for kind in kinds:
            wrong, guards = program.case(kernel, shape, kind, options.seed + number)
            report["checks"].append({"kernel": kernel.name, "shape": shape, "data": kind,
                                     "wrong": wrong, "guards": guards})
            if wrong or not guards:
                failures += 1
                print("FAIL", report["checks"][-1])
    total = len(shapes) * len(kinds)
    print(f"{kernel.name}: {total - failures} of {total} checks")
    return failures


def bench(kernel, earlier, program, options, report):
    """`earlier`: the same kernel of an earlier compiler, or None."""
    ours, library = program.contenders([kernel, earlier] if earlier else [kernel])
    contenders = dict(zip(("ours", "earlier"), ours), library=library)
    for launch in contenders.values():
        for _ in range(3):
            launch()
    torch.cuda.synchronize()
    seconds = {name: [] for name in contenders}
    rng = random.Random(options.seed)
    for _ in range(options.rounds):
        for name in rng.sample(list(contenders), len(contenders)):
            seconds[name].append(time_of(contenders[name], 5))

    def ratios(name):
        return [theirs / ours for theirs, ours in zip(seconds[name], seconds["ours"])]
    entry = {"kernel": kernel.name, "shape": program.large, "seconds": seconds,
             "median_ratio": statistics.median(ratios("library"))}
    text = f"{kernel.name:16s} {entry['median_ratio']:6.3f} of the library"
    if earlier:
        low, median, high = statistics.quantiles(ratios("earlier"))
        entry["quartiles_against_earlier"] = (low, median, high)
        text += f", {median:.3f} ({low:.3f} to {high:.3f}) of {options.against}"
    report["bench"].append(entry)
    print(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("packages", nargs="+")
    parser.add_argument("--library", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--bench", action="store_true")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--against", metavar="DIR")
    parser.add_argument("--json")
    options = parser.parse_args()
    torch.cuda.init()
    torch.zeros(1, device="cuda")
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    report = {**describe(), "seed": options.seed, "checks": [], "bench": []}
    print(f"seed {options.seed}")
    failures = 0
    try:
        library = Library(options.library)
        earlier = {}
        if options.against:
            paths = [os.path.join(options.against, os.path.basename(path)) for path in options.packages]
            earlier = {kernel.name: kernel for kernel in read_packages(library, paths)}
        for kernel in read_packages(library, options.packages):
            program = PROGRAMS[kernel.name]
            failures += check(kernel, program, options, report)
            if options.bench:
                bench(kernel, earlier.get(kernel.name), program, options, report)
    finally:
        if options.json:
            with open(options.json, "w") as file:
                json.dump(report, file, indent=1)
    print("failures:", failures)
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
