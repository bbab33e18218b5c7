"""matrix.py TITAN FOLDER: generates GEMMs of many options, checks and simulates each.

Every pair of values of two options comes up in some case, by a greedy choice of cases.
"""
import itertools
import os
import random
import subprocess
import sys

OPTIONS = {
    "consumers": ["cooperative", "pingpong"],
    "tile": ["64x64x64", "64x128x128", "128x64x64", "128x128x64", "128x192x64", "192x64x64",
             "256x128x64"],
    "cluster": ["1x1", "2x1", "1x2"],
    "band": ["1", "2", "8"],
    "input": ["bf16", "f16"],
    "output": ["bf16", "f16", "f32"],
    "layout": ["nt", "nn", "tt", "tn"],
    "epilogue": ["", "alpha", "beta", "bias", "alpha,beta,bias"],
    "activation": ["none", "relu", "gelu-tanh", "silu"],
    "swap": ["off", "on"],
    "split": ["1", "2", "4"],
    "programmatic": ["off", "on"],
}


def cases(seed):
    """Cases that have all pairs between them, and that a kernel can have as far as is known."""
    rng = random.Random(seed)
    left = {frozenset((a, b)) for x, y in itertools.combinations(OPTIONS.items(), 2)
            for a in ((x[0], v) for v in x[1]) for b in ((y[0], v) for v in y[1])}
    pairs = lambda case: {frozenset(p) for p in itertools.combinations(case.items(), 2)}
    for _ in range(400):
        tries = [{name: rng.choice(values) for name, values in OPTIONS.items()}
                 for _ in range(60)]
        best = max(tries, key=lambda case: len(pairs(case) & left))
        if not pairs(best) & left:
            break
        left -= pairs(best)
        yield best


def main():
    titan, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    bad = refused = good = 0
    for number, case in enumerate(cases(seed=1)):
        path = os.path.join(folder, "gemm.mlir")
        flags = [word for name, value in case.items() if value for word in ("--" + name, value)]
        made = subprocess.run([titan, "generate", "gemm", *flags, "-o", path],
                              capture_output=True, text=True)
        if made.returncode:
            # Refused: with a code and a fix, and no file.
            refused += 1
            if made.returncode != 2 or "[bad-argument]" not in made.stderr or \
                    "fix: " not in made.stderr:
                bad += 1
                print("REFUSAL", flags, made.stderr)
            continue
        for command in (["check", path], ["run", path, "--schedule", f"random:{number}"]):
            done = subprocess.run([titan, *command], capture_output=True, text=True)
            if done.returncode:
                bad += 1
                print("FAIL", " ".join(flags), command[0], done.stdout[-500:],
                      done.stderr[:500])
        good += 1
    print(f"{good} generated, {refused} refused, {bad} bad")
    return 1 if bad or good < 20 or not refused else 0


sys.exit(main())
