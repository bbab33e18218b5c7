#!/usr/bin/env python3
"""What a call of each of titan.ops costs on the host, beside PyTorch's own operation, in one run.

    python3 benchmarks/launch_cost.py --prepare FOLDER --titan build/bin/titan     # needs no GPU
    PYTHONPATH=python:benchmarks TITAN_RUNTIME=libtitan-runtime.so TITAN_PACKAGES=FOLDER python3 benchmarks/launch_cost.py [--json JSON]

Small tensors, so that the GPU keeps up: what is timed is the host. In each round every call is made 200 times, the calls in
another order each time, and waited for behind each 200; microseconds a call of the fastest round, and of the median one.
"""
import argparse
import json
import random
import time

ROUNDS, COUNT = 50, 200
PACKAGES = ("gemm-bf16-nt", "gemm-bf16-nt-grouped", "attention-bf16-128", "attention-bf16-128-ragged", "decode-bf16-128",
            "decode-bf16-128-page64")


def measure(calls, wait, rounds=ROUNDS, count=COUNT):
    """name -> (fastest, median) of functions by name, in microseconds a call."""
    times, rng = {name: [] for name in calls}, random.Random(1)
    for call in calls.values():
        call()
    wait()
    for _ in range(rounds):
        for name in rng.sample(list(calls), len(calls)):
            call = calls[name]
            start = time.perf_counter()
            for _ in range(count):
                call()
            times[name].append((time.perf_counter() - start) / count * 1e6)
            wait()
    return {name: (round(min(list), 2), round(sorted(list)[len(list) // 2], 2)) for name, list in times.items()}


def operations():
    """Rows of (what, titan's call or None, PyTorch's or None)."""
    import torch
    import titan.ops
    integers = lambda *values: torch.tensor(values, device="cuda", dtype=torch.int32)
    normal = lambda *sizes: torch.randn(*sizes, device="cuda").to(torch.bfloat16)
    attend, flash = torch.nn.functional.scaled_dot_product_attention, torch.ops.aten._flash_attention_forward
    ops, through = titan.ops, torch.ops.titan

    a, w, d, experts = normal(256, 256), normal(256, 256), normal(256, 256), normal(4, 256, 256).mT
    b, kernel, several, turn = w.t(), ops.prepare_gemm((256, 256, 256)), [normal(256, 256) for _ in range(8)], iter(range(1 << 40))
    offsets = integers(0, 64, 128, 192, 256)
    ends = offsets[1:].contiguous()
    q, k, o = (normal(1, 8, 64, 128) for _ in range(3))
    few, many = normal(1, 16, 1, 128), normal(1, 2, 2048, 128)
    rows, starts = normal(64, 8, 128), integers(0, 64)
    table, lengths, pages = torch.zeros(1, 40, device="cuda", dtype=torch.int32), integers(2500), normal(90, 64, 2, 128)
    return [
        ("nothing", lambda: None, None),
        ("an empty tensor", None, lambda: torch.empty((1, 8, 64, 128), device="cuda", dtype=torch.bfloat16)),
        ("kernel(a, w, out=d)", lambda: kernel(a, w, out=d), None),
        ("gemm_out", lambda: ops.gemm_out(d, a, b), lambda: torch.mm(a, b, out=d)),
        ("gemm_out, 8 results", lambda: ops.gemm_out(several[next(turn) % 8], a, b), None),
        ("gemm", lambda: ops.gemm(a, b), lambda: torch.mm(a, b)),
        ("gemm_grouped", lambda: ops.gemm_grouped(a, experts, offsets), lambda: torch._grouped_mm(a, experts, offs=ends)),
        ("attention_out", lambda: ops.attention_out(o, q, k, k), None),
        ("attention", lambda: ops.attention(q, k, k), lambda: attend(q, k, k)),
        ("attention_varlen", lambda: ops.attention_varlen(rows, rows, rows, starts, starts, 64),
         lambda: flash(rows, rows, rows, starts, starts, 64, 64, 0.0, False, False)),
        ("decode", lambda: ops.decode(few, many, many), lambda: attend(few, many, many, enable_gqa=True)),
        ("decode, pages", lambda: ops.decode(few, pages, pages, table=table, lengths=lengths, longest=2500), None),
        ("gemm, dispatched", lambda: through.gemm(a, b), None),
        ("attention, dispatched", lambda: through.attention(q, k, k), None)]


def costs():
    """Prints what operations() cost; {what: {"titan": (fastest, median), "torch": (fastest, median)}}."""
    import torch
    rows = operations()
    calls = {(what, whose): call for what, *both in rows for whose, call in zip(("titan", "torch"), both) if call}
    took, results = measure(calls, torch.cuda.synchronize), {}
    print(f"{'us a call, and the median':28}{'titan':>16}{'torch':>16}")
    for what, *_ in rows:
        results[what] = {whose: took[what, whose] for whose in ("titan", "torch") if (what, whose) in took}
        said = [f"{results[what][whose][0]:7.2f} {results[what][whose][1]:7.2f}" if whose in results[what] else ""
                for whose in ("titan", "torch")]
        print(f"{what:28}{said[0]:>16}{said[1]:>16}", flush=True)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--prepare", metavar="FOLDER", help="make the packages, and no more")
    parser.add_argument("--titan", default="titan")
    parser.add_argument("--json")
    options = parser.parse_args()
    if options.prepare:
        from attention_ops import prepare
        return prepare(options.titan, options.prepare, PACKAGES)
    from race import describe
    results = {**describe(), "costs": costs()}
    if options.json:
        with open(options.json, "w") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
