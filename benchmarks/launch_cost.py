#!/usr/bin/env python3
"""What a call of titan.ops.gemm costs on the host, beside PyTorch's own product.

    PYTHONPATH=python TITAN_RUNTIME=libtitan-runtime.so TITAN_PACKAGES=folder python3 benchmarks/launch_cost.py [JSON]

TITAN_PACKAGES holds gemm-bf16-nt.titanpkg (titan.ops.package_name). Calls of a product of 256 x 256 x 256 are timed in
rounds of 200, after which the GPU may catch up; microseconds a call of the fastest round, and of the median one.
"""
import json
import sys
import time

import torch

import titan.ops


def measure(call, wait, rounds=50, count=200):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(count):
            call()
        times.append((time.perf_counter() - start) / count * 1e6)
        wait()
    times.sort()
    return round(times[0], 2), round(times[len(times) // 2], 2)


def main():
    make = lambda *dims: torch.randn(*dims, device="cuda", dtype=torch.bfloat16)
    a, w, d, bias = make(256, 256), make(256, 256), make(256, 256), make(256)
    b, kernel = w.t(), titan.ops.prepare_gemm((256, 256, 256))
    several = [make(256, 256) for _ in range(8)]
    turn = iter(range(1 << 40))
    calls = {"nothing": lambda: None,
             "torch.mm, out given": lambda: torch.mm(a, b, out=d),
             "torch.mm": lambda: torch.mm(a, b),
             "kernel(a, w, out=d)": lambda: kernel(a, w, out=d),
             "titan.ops.gemm_out": lambda: titan.ops.gemm_out(d, a, b),
             "titan.ops.gemm_out, 8 results": lambda: titan.ops.gemm_out(several[next(turn) % 8], a, b),
             "titan.ops.gemm": lambda: titan.ops.gemm(a, b),
             "torch.ops.titan.gemm": lambda: torch.ops.titan.gemm(a, b)}
    results = {"torch": torch.__version__, "device": torch.cuda.get_device_name()}
    for name, call in calls.items():
        results[name] = measure(call, torch.cuda.synchronize)
        print(f"{name:32}{results[name][0]:8.2f} us, median {results[name][1]:8.2f}", flush=True)
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
