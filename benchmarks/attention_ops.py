#!/usr/bin/env python3
# Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""titan.ops.gemm, attention, decode, attention_varlen and gemm_grouped on one GPU: every element against float64, eagerly, under
torch.compile and in CUDA graphs; what a call costs on the host; ragged batches raced against PyTorch's FlashAttention.

    python3 benchmarks/attention_ops.py --prepare FOLDER --titan build/bin/titan     # needs no GPU
    PYTHONPATH=python:benchmarks TITAN_RUNTIME=libtitan-runtime.so TITAN_PACKAGES=FOLDER python3 benchmarks/attention_ops.py [--race] [--json JSON]

An element of attention is right within 2^-8 (|ref| + the weighted mean of |v|) + 2^-16, one of a product within 2^-8 |ref| +
2^-20 sum |a||b| (f16: 2^-10 |ref|, f32: 2^-20 |ref|; fp8: 34 * 2^-13 sum |a||b| for each 32 of K), of an activation's or a
gate's what that makes of it (gemm.py). The JSON has each case. Of a wheel that is installed, without TITAN_RUNTIME and
TITAN_PACKAGES, --only products has a kernel.
"""
import argparse
import concurrent.futures
import json
import math
import os
import random
import shutil
import statistics
import subprocess
import sys
import threading

failures, cases = [], {}

PACKAGES = {"attention-bf16-128": "", "attention-bf16-128-causal-lse": "--causal on --lse on",
            "attention-bf16-128-causal-window": "--causal on --window on",
            "attention-bf16-128-ragged": "--ragged on", "attention-bf16-128-causal-ragged": "--ragged on --causal on",
            "attention-bf16-128-causal-lse-ragged": "--ragged on --causal on --lse on",
            "attention-bf16-64-ragged": "--ragged on --head-size 64",
            "decode-bf16-128": "--decode on", "decode-bf16-128-causal-lse": "--decode on --causal on --lse on",
            "decode-bf16-128-page16": "--decode on --page 16", "decode-bf16-128-page64": "--decode on --page 64",
            "gemm-bf16-nt": "", "gemm-bf16-nt-grouped": "--batch grouped --tile 128x128x64",
            "gemm-bf16-nt-grouped-m16": "--batch grouped --tile 16x64x128 --swap on",
            "gemm-bf16-nt-alpha-bias-gate-grouped-silu": "--batch grouped --tile 128x128x64 --epilogue alpha,bias --gate on --activation silu"}
PLAIN = [(type, layout) for type in ("bf16", "f16") for layout in ("nt", "nn", "tn", "tt")]
# Of what titan.ops.gemm offers for two matrices of bf16, unless more is said: terms, activation, gate, and the rest.
EPILOGUES = [(terms, activation, gate, {}) for terms in ((), ("alpha", "beta", "bias"), ("bias",))
             for activation in ("none", "relu", "gelu", "gelu-tanh", "silu") for gate in (False, True)
             if (terms or activation != "none" or gate) and not (gate and "beta" in terms)]
EPILOGUES += [(("alpha",), "none", False, more) for more in ({"output": "f32"}, {"input": "e4m3", "output": "bf16"},
                                                            {"input": "e5m2", "output": "bf16"}, {"input": "f16"},
                                                            {"input": "e4m3", "output": "bf16", "promote": True})]
EPILOGUES += [(("beta",), "none", False, {}), ((), "none", False, {"batch": True}), (("bias",), "silu", False, {"batch": True})]
# Rows that TMA does not take, and threads copy: a package and its words; M, N, K; how many elements lie between rows of A, and
# of B, as they are stored; the elements in front of A.
ROWS = [("gemm-bf16-nt-rows8", "--row-bytes 8", 64, 1000, 1004, 1004, 1004, 0),
        ("gemm-bf16-nt-rows8", "--row-bytes 8", 200, 264, 520, 524, 528, 0),
        ("gemm-bf16-nt-rows8", "--row-bytes 8", 200, 264, 520, 520, 520, 4),
        ("gemm-bf16-nt-rows8", "--row-bytes 8", 130, 261, 520, 520, 520, 0),  # D's alone.
        ("gemm-bf16-nt-rows4", "--row-bytes 4", 50, 514, 1026, 1026, 1030, 0),
        ("gemm-bf16-nt-rows2", "--row-bytes 2", 300, 261, 333, 333, 335, 0),
        ("gemm-bf16-nt-rows2", "--row-bytes 2", 300, 264, 328, 328, 328, 1),
        ("gemm-f16-nt-rows2", "--row-bytes 2 --input f16 --output f16", 1, 131, 77, 77, 77, 0),
        ("gemm-bf16-nn-rows4", "--row-bytes 4 --layout nn", 130, 258, 514, 514, 258, 0),
        ("gemm-bf16-tn-rows2", "--row-bytes 2 --layout tn", 131, 257, 515, 131, 257, 0),
        ("gemm-bf16-tt-rows8", "--row-bytes 8 --layout tt", 132, 260, 516, 132, 516, 0),
        ("gemm-bf16-nt-f32-alpha-rows4", "--row-bytes 4 --output f32 --epilogue alpha", 130, 130, 514, 514, 514, 0),
        ("gemm-bf16-nt-batch-rows8", "--row-bytes 8 --batch equal", 130, 130, 516, 516, 516, 0),
        ("gemm-bf16-nt-alpha-beta-bias-rows4-gelu", "--row-bytes 4 --epilogue alpha,beta,bias --activation gelu", 130, 258, 514, 514, 514, 0)]


def product_words(terms, activation, gate, more):
    """The name of a package and the words of `titan generate gemm` that make it."""
    from titan.ops import package_name
    input = more.get("input", "bf16")
    output = more.get("output", input)
    name = package_name(input, output, "nt", terms, activation, gate, more.get("promote", False), more.get("batch", False))
    words = ["--input", input, "--output", output, "--activation", activation]
    words += ["--epilogue", ",".join(terms)] if terms else []
    words += ["--gate", "on"] if gate else []
    words += ["--promote", "on"] if more.get("promote") else []
    return name.removesuffix(".titanpkg"), " ".join(words + (["--batch", "equal"] if more.get("batch") else []))


def all_packages():
    """PACKAGES, and those of the products: the model's picks for a shape in the middle."""
    shape = "--shape 1000x1024x1024 "
    made = {f"gemm-{type}-{layout}": f"{shape}--input {type} --output {type} --layout {layout}" for type, layout in PLAIN}
    made.update((name, shape + words) for name, words in (product_words(*case) for case in EPILOGUES))
    made.update((name, f"--shape {m}x{n}x{k} " + words) for name, words, m, n, k, *_ in ROWS)
    return {**made, **PACKAGES}


def prepare(titan, folder, names=None):
    os.makedirs(folder, exist_ok=True)
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
    packages = all_packages()

    def make(name):
        words = packages[name]
        path = os.path.join(folder, name)
        kind = "gemm" if name.startswith("gemm") else "attention"
        subprocess.run([titan, "generate", kind, *words.split(), "-o", path + ".mlir"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([titan, "compile", path + ".mlir", "--check=off", "-o", path + ".titanpkg"], check=True,
                       stdout=subprocess.DEVNULL)
        os.remove(path + ".mlir")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(make, names or packages))


def one(q, k, v, causal, window=None):
    """float64: queries x heads x size and keys x heads x size; O, the weighted mean of |v|, the logarithms (heads x queries).
    window: of so many keys before its own place a row sees the weights, where it is causal."""
    group = q.shape[1] // k.shape[1]
    q, k, v = (x.double().transpose(0, 1) for x in (q, k, v))
    k, v = (x.repeat_interleave(group, 0) for x in (k, v))
    scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
    if causal:
        rows = torch.arange(q.shape[1], device="cuda")[:, None] + k.shape[1] - q.shape[1]
        keys = torch.arange(k.shape[1], device="cuda")[None]
        scores = scores.masked_fill(keys > rows, -math.inf)
        scores = scores if window is None else scores.masked_fill(keys < rows - window, -math.inf)
    lse = torch.logsumexp(scores, -1)
    p = torch.softmax(scores, -1).nan_to_num(0)
    return (p @ v).transpose(0, 1), (p @ v.abs()).transpose(0, 1), lse


def right(what, o, ref, mean, lse=None, lse_ref=None):
    limit = 2.0**-8 * (ref.abs() + mean) + 2.0**-16
    wrong = int((~((o.double() - ref).abs() <= limit)).sum())
    if lse is not None:
        same = lse.double() == lse_ref
        wrong += int((~(same | ((lse.double() - lse_ref).abs() <= 2.0**-16 * (8 + lse_ref.abs())))).sum())
    record(what, wrong, o.numel())


def record(what, wrong, elements):
    cases[what] = {"wrong": wrong, "elements": elements}
    print(f"{what}: {'right' if not wrong else f'WRONG ({wrong})'}", flush=True)
    if wrong:
        failures.append(what)


def normal(*sizes):
    return torch.randn(*sizes, device="cuda", dtype=torch.float32).to(torch.bfloat16)


def modes(what, call, tensors, check, compiled=True):
    """Eagerly, compiled, and replayed from a graph (but what --eager leaves out); what is refused is a failure, and the others go on."""
    try:
        in_each_mode(what, call, tensors, check, compiled)
    except Exception as error:
        cases[what + ", refused"] = {"error": f"{type(error).__name__}: {error}"[:500]}
        failures.append(what)
        print(f"{what}: {type(error).__name__}: {error}", flush=True)


def in_each_mode(what, call, tensors, check, compiled):
    check(what, call(*tensors))
    if eager:
        return
    if compiled:
        torch.compiler.reset()  # each case is one of its own
        check(what + ", torch.compile", torch.compile(call, fullgraph=True)(*tensors))
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        call(*tensors)
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        made = call(*tensors)
    for result in made if isinstance(made, tuple) else (made,):
        result.fill_(math.nan)
    graph.replay()
    torch.cuda.synchronize()
    check(what + ", graph", made)


def batched():
    for queries, keys, heads, heads_k, causal, lse, window in (
            (1, 5000, 16, 2, False, False, None), (3, 2000, 8, 1, True, True, None), (300, 700, 4, 2, True, True, None),
            (1000, 1000, 4, 4, False, False, None), (520, 777, 4, 2, True, False, 90)):
        q, k, v = normal(2, heads, queries, 128), normal(2, heads_k, keys, 128), normal(2, heads_k, keys, 128)
        refs = [one(*(x[b].transpose(0, 1) for x in (q, k, v)), causal, window) for b in range(2)]
        ref, mean = (torch.stack([r[i].transpose(0, 1) for r in refs]) for i in range(2))
        sums = torch.stack([r[2] for r in refs])

        def check(what, made):
            right(what, made[0] if lse else made, ref, mean, made[1] if lse else None, sums)
        modes(f"attention {queries} x {keys}, {heads} / {heads_k}" + (f", window of {window}" if window else ""),
              lambda *x: titan.ops.attention(*x, causal=causal, window=window, lse=lse), (q, k, v), check)


def paged():
    for page in (16, 64):
        lengths = [1, 4000, 777, 2048]
        columns, heads_k = -(-max(lengths) // page), 2
        table = torch.randperm(4 * columns, device="cuda").reshape(4, columns).to(torch.int32)
        k, v = (normal(4 * columns, page, heads_k, 128) for _ in range(2))
        q = normal(4, 16, 1, 128)
        flat = lambda x, b: x[table[b].long()].reshape(-1, heads_k, 128)[:lengths[b]]
        refs = [one(q[b].transpose(0, 1), flat(k, b), flat(v, b), False) for b in range(4)]
        ref, mean = (torch.stack([r[i].transpose(0, 1) for r in refs]) for i in range(2))
        sizes = torch.tensor(lengths, device="cuda", dtype=torch.int32)
        modes(f"decode, pages of {page}",
              lambda q, k, v, table, sizes: titan.ops.decode(q, k, v, table=table, lengths=sizes, longest=4000),
              (q, k, v, table, sizes), lambda what, made: right(what, made, ref, mean))


def together():
    """decode on two streams, and in two threads on one: what lies between one call's two kernels is nobody else's."""
    cases = []
    for keys in (900, 4000, 2048, 3000):
        q, k, v = normal(2, 16, 1, 128), normal(2, 2, keys, 128), normal(2, 2, keys, 128)
        refs = [one(*(x[b].transpose(0, 1) for x in (q, k, v)), False) for b in range(2)]
        cases.append((q, k, v, *(torch.stack([r[i].transpose(0, 1) for r in refs]) for i in range(2))))

    def calls(own, streams, made):
        for i in range(400):
            with torch.cuda.stream(streams[i % len(streams)]):
                made[own[i % len(own)]].append(titan.ops.decode(*cases[own[i % len(own)]][:3]))

    def check(what, made):
        torch.cuda.synchronize()
        for (*_, ref, mean), all in zip(cases, made):
            right(f"decode, {len(all)} calls {what}", torch.stack(all), ref, mean)
    streams, made = [torch.cuda.Stream() for _ in range(2)], [[] for _ in cases]
    torch.cuda.synchronize()
    calls(range(4), streams, made)
    check("on two streams", made)
    made = [[] for _ in cases]
    threads = [threading.Thread(target=calls, args=(own, streams[:1], made)) for own in ((0, 1), (2, 3))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check("of two threads", made)


def packed(lengths, lengths_k, heads, heads_k, size):
    starts, starts_k = (torch.tensor([sum(x[:i]) for i in range(len(x) + 1)], device="cuda", dtype=torch.int32)
                        for x in (lengths, lengths_k))
    return (normal(sum(lengths), heads, size), normal(sum(lengths_k), heads_k, size), normal(sum(lengths_k), heads_k, size),
            starts, starts_k)


def ragged():
    rng = random.Random(3)
    for size, causal, lse in ((128, False, False), (128, True, True), (64, False, False)):
        for lengths, lengths_k in (([1, 0, 300, 128, 77, 513], [9, 5, 1000, 128, 0, 513]),
                                   ([rng.randrange(1, 900) for _ in range(20)],) * 2):
            tensors = packed(lengths, lengths_k, 8, 2, size)
            q, k, v, starts, starts_k = tensors
            at, at_k = starts.tolist(), starts_k.tolist()
            refs = [one(q[at[i]:at[i + 1]], k[at_k[i]:at_k[i + 1]], v[at_k[i]:at_k[i + 1]], causal) for i in range(len(lengths))]
            ref, mean, sums = (torch.cat([r[i] for r in refs], dim) for i, dim in ((0, 0), (1, 0), (2, 1)))

            def check(what, made):
                right(what, made[0] if lse else made, ref, mean, made[1] if lse else None, sums)
            modes(f"varlen {size} {'causal' if causal else 'full'}, {len(lengths)} sequences",
                  lambda *x: titan.ops.attention_varlen(*x, max(lengths), causal=causal, lse=lse), tensors, check)


def groups():
    """Products of groups, some of no rows; the groups of a captured call change, and its replay follows."""
    rng = random.Random(5)
    for total, count, n, k, gate in ((1000, 6, 512, 328, False), (4000, 33, 264, 512, False), (60, 5, 1024, 256, False),
                                     (1500, 7, 256, 512, True), (300, 4, 260, 332, False)):
        rows = 2 * n if gate else n
        a, w = normal(total, k), normal(count, rows, k)
        bias = torch.randn(count, rows, device="cuda") if gate else None

        def cut():
            ends = sorted(rng.randrange(total + 1) for _ in range(count - 1))
            return torch.tensor([0, *ends[:-1], ends[-2] if count > 2 else ends[-1], total], device="cuda", dtype=torch.int32)
        offsets = cut()

        def truth(offsets):
            at, ref = offsets.tolist(), torch.zeros(total, n, device="cuda", dtype=torch.float64)
            limit = torch.zeros_like(ref)
            for g in range(count):
                x, y = a[at[g]:at[g + 1]].double(), w[g].double().T
                s, mass = x @ y, 2.0**-20 * (x.abs() @ y.abs())
                if gate:
                    s = 0.5 * s + bias[g].double()
                    s, up, eg, eu = s[:, :n], s[:, n:], 1.13 * mass[:, :n] + 2.0**-20 * s[:, :n].abs(), mass[:, n:]
                    act = torch.nn.functional.silu(s)
                    s, mass = act * up, act.abs() * eu + up.abs() * eg + eg * eu
                ref[at[g]:at[g + 1]], limit[at[g]:at[g + 1]] = s, mass + 2.0**-8 * s.abs()
            return ref, limit

        def check(what, made, offsets=offsets):
            ref, limit = truth(offsets)
            record(what, int((~((made.double() - ref).abs() <= limit)).sum()), made.numel())
        options = {"bias": bias, "alpha": 0.5, "activation": "silu", "gate": True} if gate else {}
        call = lambda a, w, offsets: titan.ops.gemm_grouped(a, w.mT, offsets, **options)
        name = f"grouped {total} rows, {count} groups, {n} x {k}" + (", gate" if gate else "")
        modes(name, call, (a, w, offsets), check)
        if eager:
            continue
        stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            made = call(a, w, offsets)
        offsets.copy_(cut())
        graph.replay()
        torch.cuda.synchronize()
        check(name + ", other groups in the graph", made)


def product(name, a, b, bias=None, c=None, alpha=1.0, beta=1.0, activation="none", gate=False, promote=False, out_dtype=None, into=False):
    """titan.ops.gemm of these, in all modes; `into`: gemm_out, into rows of three elements more, which stay as they are."""
    x, y = a.float().double(), b.float().double()
    fp8 = a.dtype.itemsize == 1
    lost = 2.0**-20 if not fp8 else 34 * 2.0**-13 * (4 if promote else -(-a.shape[-1] // 32))
    s, error = alpha * (x @ y), lost * abs(alpha) * (x.abs() @ y.abs())
    for term in ([] if c is None else [beta * c.double()]) + ([] if bias is None else [bias.double() if bias.dim() == 1 else bias.double()[:, None]]):
        s, error = s + term, error + 2.0**-20 * term.abs()
    dtype = out_dtype or (torch.bfloat16 if fp8 else a.dtype)
    s, limit = finished(s, error, activation, gate, dtype)
    options = dict(alpha=alpha, beta=beta, activation=activation, gate=gate, promote=promote, out_dtype=out_dtype)
    there = {key: value for key, value in (("bias", bias), ("c", c)) if value is not None}

    def call(a, b, *terms):
        return titan.ops.gemm(a, b, **dict(zip(there, terms)), **options)

    def call_out(a, b, *terms):
        d = a.new_full((*s.shape[:-1], s.shape[-1] + 3), math.nan, dtype=dtype)[..., :s.shape[-1]]
        return titan.ops.gemm_out(d, a, b, **dict(zip(there, terms)), **{key: x for key, x in options.items() if key != "out_dtype"})

    def check(what, made):
        fits = made.dtype == dtype and made.shape == s.shape and not (into and made._base[..., s.shape[-1]:].isfinite().any())
        record(what, int((~((made.double() - s).abs() <= limit)).sum()) if fits else s.numel(), s.numel())
    modes(name, call_out if into else call, (a, b, *there.values()), check, not into)


# Rows, columns, K: whole tiles and not, few rows, and rows of D, A or B that begin at no multiple of 16 bytes, which are copied.
SHAPES = [(1000, 1032, 520), (7, 2048, 1024), (50, 512, 4096), (300, 260, 333)]


def products():
    """No epilogue: bf16 and f16, however A and B are stored."""
    for type, layout in PLAIN:
        for m, n, k in SHAPES:
            dtype = {"bf16": torch.bfloat16, "f16": torch.float16}[type]
            a = torch.randn(*((m, k) if layout[0] == "n" else (k, m)), device="cuda").to(dtype)
            b = torch.randn(*((n, k) if layout[1] == "t" else (k, n)), device="cuda").to(dtype)
            product(f"gemm {type} {layout}, {m} x {n} x {k}", a if layout[0] == "n" else a.T, b if layout[1] == "n" else b.T)


def epilogues():
    """All that titan.ops.gemm offers besides."""
    types = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32, "e4m3": torch.float8_e4m3fn,
             "e5m2": torch.float8_e5m2}
    for terms, activation, gate, more in EPILOGUES:
        m, n, k = 520, 392, 1024
        lead = (3,) if more.get("batch") else ()
        columns = 2 * n if gate else n
        input = types[more.get("input", "bf16")]
        output = types[more["output"]] if "output" in more else input
        a = torch.randn(*lead, m, k, device="cuda").to(input)
        b = torch.randn(*lead, columns, k, device="cuda").to(input).mT
        product(product_words(terms, activation, gate, more)[0] + f", {m} x {n} x {k}", a, b,
                torch.randn(*lead, columns, device="cuda") if "bias" in terms else None,
                torch.randn(*lead, m, n, device="cuda").to(output) if "beta" in terms else None,
                0.5 if "alpha" in terms else 1.0, -2.0 if "beta" in terms else 1.0, activation, gate,
                more.get("promote", False), output if "output" in more and input.itemsize > 1 else None)


def rows():
    """Rows that TMA does not take: titan.ops.gemm, which copies them or not, and gemm_out, which does not."""
    def stored(lead, count, columns, between, first=0):
        flat = torch.randn(math.prod(lead) * count * between + first, device="cuda").to(dtype)
        return flat[first:].view(*lead, count, between)[..., :columns]
    for name, words, m, n, k, between_a, between_b, first in ROWS:
        layout, lead, terms = name.split("-")[2], (3,) if "batch" in name else (), "beta" in name
        dtype = torch.float16 if "f16" in words.split() else torch.bfloat16
        a = stored(lead, m, k, between_a, first) if layout[0] == "n" else stored(lead, k, m, between_a, first).mT
        b = stored(lead, k, n, between_b) if layout[1] == "n" else stored(lead, n, k, between_b).mT
        flags = {"alpha": 0.5 if "alpha" in name else 1.0, "activation": "gelu" if "gelu" in name else "none", "beta": -2.0 if terms else 1.0}
        flags.update({"out_dtype": torch.float32} if "f32" in name else {})
        for into in (False, True):
            product(f"{name}, {m} x {n} x {k}, rows {between_a} and {between_b} apart, {first} in front" + (", into" if into else ""), a, b,
                    torch.randn(n, device="cuda") if terms else None, torch.randn(m, n, device="cuda").to(dtype) if terms else None,
                    into=into, **flags)
    # Gates, fp8 and groups have no such kernel: what TMA does not take is copied before.
    a, b = stored((), 130, 516, 516), stored((), 2 * 132, 516, 516).mT
    product("gate, 130 x 132 x 516, rows 516 apart", a, b, gate=True, activation="silu")
    for n in (136, 132):
        a, b = (torch.randn(rows, 520, device="cuda").to(torch.float8_e4m3fn) for rows in (130, n))
        product(f"gemm e4m3, 130 x {n} x 520", a, b.T, alpha=0.5)


def race(report):
    """Sequences of random lengths, total some 16384 rows, against PyTorch's FlashAttention (2) for packed sequences."""
    rng = random.Random(7)
    for size, causal in ((128, False), (128, True), (64, False)):
        for longest in (1024, 4096):
            lengths = []
            while sum(lengths) < 16384:
                lengths.append(rng.randrange(longest // 8, longest + 1))
            sets = [packed(lengths, lengths, 16, 16, size) for _ in range(4)]

            def ours(q, k, v, a, b):
                titan.ops.attention_varlen(q, k, v, a, b, max(lengths), causal=causal)

            def flash(q, k, v, a, b):
                torch.ops.aten._flash_attention_forward(q, k, v, a, b, max(lengths), max(lengths), 0.0, causal, False)
            graphs = {"titan": capture(ours, sets), "flash": capture(flash, sets)}
            replays = {name: replays_for(graph, len(sets), 6) for name, graph in graphs.items()}
            times = {name: [] for name in graphs}
            for _ in range(9):
                for name in rng.sample(list(graphs), 2):
                    times[name].append(seconds_of(graphs[name], len(sets), replays[name], before=1))
            ratios = [f / t for f, t in zip(times["flash"], times["titan"])]
            flops = 4 * 16 * size * sum(n * n for n in lengths) * (0.5 if causal else 1)
            row = {"size": size, "causal": causal, "lengths": lengths, "seconds": times,
                   "ratio": (statistics.median(ratios), *interval(ratios))}
            report["ragged"].append(row)
            print(f"ragged {size} {'causal' if causal else 'full'}, {len(lengths)} sequences up to {max(lengths)}: "
                  f"{flops / statistics.median(times['titan']) / 1e12:.1f} TFLOP/s, "
                  f"{row['ratio'][0]:.3f} [{row['ratio'][1]:.3f}, {row['ratio'][2]:.3f}] of FlashAttention 2", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--prepare", metavar="FOLDER", help="make the packages, and no more")
    parser.add_argument("--titan", default="titan")
    parser.add_argument("--race", action="store_true")
    parser.add_argument("--eager", action="store_true", help="without torch.compile and graphs (under a sanitizer, say)")
    parser.add_argument("--only", default="products,epilogues,rows,batched,paged,together,ragged,groups,costs", help="which checks")
    parser.add_argument("--json")
    options = parser.parse_args()
    if options.prepare:
        return prepare(options.titan, options.prepare)
    global torch, titan, eager, capture, describe, finished, interval, replays_for, seconds_of
    import torch
    import titan.ops
    from gemm import finished
    from launch_cost import costs
    from race import capture, describe, interval, replays_for, seconds_of
    torch.manual_seed(1)
    eager = options.eager
    report = {**describe(), "ragged": []}
    wanted = options.only.split(",")
    for step in (products, epilogues, rows, batched, paged, together, ragged, groups):
        if step.__name__ in wanted:
            step()
    if "costs" in wanted:
        report["costs"] = costs()
    if options.race:
        race(report)
    report["titan from"] = {"modules": "a wheel" if "site-packages" in titan.__file__ else "the tree",
                            "compiler": bool(os.environ.get("TITAN_COMPILER") or shutil.which("titan"))}
    report["cases"], report["failures"] = cases, failures
    if options.json:
        with open(options.json, "w") as file:
            json.dump(report, file, indent=1)
    print("failures:", failures)
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
