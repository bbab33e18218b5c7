"""Simulates every GEMM of examples/ over shapes, data and schedules.

With small integers every sum is exact, so the result must equal the reference
bit for bit; with normal data it must lie within the reference's bound. Of eager,
lazy and random schedules each case takes one, its neighbour the next; all, and
random seeds 1 to 20, with TITAN_TEST_FULL. A schedule's seed is in each line that
fails, and replays it.
"""
import itertools
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

EXAMPLES = sys.argv[1]
FULL = bool(os.environ.get("TITAN_TEST_FULL"))

# M, N, K: one element, odd tiles, K below a stage, below a tile, one more tile
# than multiprocessors (4 here), fewer, many steps.
SHAPES = [(1, 8, 8), (129, 264, 72), (128, 256, 64), (128, 256, 16), (127, 248, 40),
          (256, 512, 128), (300, 520, 200), (640, 776, 320), (17, 1032, 96), (1100, 24, 64),
          (64, 128, 1000), (385, 1288, 264), (130, 8, 520), (5, 2056, 8)]
KERNELS = [(f, k) for f in ("gemm", "gemm_bare") for k in ("gemm", "gemm_f32")]
SCHEDULES = ["eager", "lazy"] + [f"random:{seed}" for seed in range(1, 21 if FULL else 3)]


def run(case):
    (file, kernel), (m, n, k), schedule, ints = case
    command = ["titan", "run", f"{EXAMPLES}/{file}.mlir", "--kernel", kernel,
               "--size", f"M={m}", "--size", f"N={n}", "--size", f"K={k}",
               "--schedule", schedule]
    if ints:
        command += ["--arg", "A=ints:1", "--arg", "B=ints:2"]
        if kernel == "gemm_f32":
            command += ["--scalar", "alpha=1", "--arg", "bias=ints:3"]
    result = subprocess.run(command, capture_output=True, text=True)
    good = result.returncode == 0 and "verified" in result.stdout
    if ints:
        good = good and "bit for bit" in result.stdout
    return None if good else " ".join(command) + "\n" + result.stdout + result.stderr


if FULL:
    cases = list(itertools.product(KERNELS, SHAPES, SCHEDULES, (True,)))
    cases += list(itertools.product(KERNELS, SHAPES, SCHEDULES[:3], (False,)))
else:  # Integers for every other shape; each kernel meets each schedule with them and with normal data.
    cases = [(kernel, shape, SCHEDULES[(k // 2 + ints) % len(SCHEDULES)], ints) for ints in (True, False)
             for k, (kernel, shape) in enumerate(itertools.product(KERNELS, SHAPES)) if k % 2 != ints]
with ThreadPoolExecutor(os.cpu_count()) as pool:
    failures = [text for text in pool.map(run, cases) if text]
for text in failures[:5]:
    print(text)
print(f"{len(cases)} runs, {len(failures)} failed")
sys.exit(bool(failures))
