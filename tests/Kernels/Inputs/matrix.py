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
    "tile": ["64x64", "64x128", "128x64", "128x128", "128x192", "192x64", "256x128", "128x176", "64x112"],
    "rows of K": ["1", "1", "2"],  # a stage's, of 128 bytes
    "cluster": ["1x1", "2x1", "1x2"],
    "band": ["1", "2", "8"],
    "input": ["bf16", "f16", "e4m3", "e5m2"],
    "output": ["bf16", "f16", "f32"],
    "layout": ["nt", "nn", "tt", "tn"],
    "epilogue": ["", "alpha", "beta", "bias", "alpha,beta,bias"],
    "activation": ["none", "relu", "gelu", "gelu-tanh", "silu"],
    "batch": ["none", "equal", "grouped"],
    "gate": ["off", "on"],
    "promote": ["off", "on"],
    "swap": ["off", "on", "on"],
    "panel": ["", "", "16", "32"],
    "split": ["1", "2", "4"],
    "programmatic": ["off", "on"],
    "stream-k": ["off", "on"],
    "once": ["off", "on"],
}


def is_refused(case):
    """Of what there is no kernel, and cases would be many."""
    if case["batch"] == "grouped" and (case["cluster"] != "1x1" or case["consumers"] != "cooperative"):
        return True
    if case["stream-k"] == "on" and (case["batch"] == "grouped" or case["split"] != "1"):
        return True
    if case["swap"] == "on" and case["panel"] and case["output"] == "f32":
        return True
    fp8 = case["input"] in ("e4m3", "e5m2")
    return (fp8 and case["layout"] != "nt") or (case["split"] != "1" and (case["cluster"] != "1x1" or case["consumers"] != "cooperative")) or (
        case["gate"] == "on" and (case["swap"] == "on" or case["split"] != "1" or "beta" in case["epilogue"]))


def flags_of(case):
    """As `titan generate gemm` takes them."""
    options = {name: value for name, value in case.items() if value and name != "rows of K"}
    options["tile"] += f'x{int(case["rows of K"]) * (128 if case["input"] in ("e4m3", "e5m2") else 64)}'
    return [word for name, value in options.items() for word in ("--" + name, value)]


def cases(seed):
    """Cases that have all pairs between them, and a few of those that there is no kernel for."""
    rng = random.Random(seed)
    left = {frozenset((a, b)) for x, y in itertools.combinations(OPTIONS.items(), 2)
            for a in ((x[0], v) for v in x[1]) for b in ((y[0], v) for v in y[1])}
    pairs = lambda case: {frozenset(p) for p in itertools.combinations(case.items(), 2)}
    for _ in range(400):
        tries = [{name: rng.choice(values) for name, values in OPTIONS.items()}
                 for _ in range(60)]
        tries = [case for case in tries if not is_refused(case) or rng.random() < 0.02]
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
        flags = flags_of(case)
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
        commands = [["check", path], ["run", path, "--schedule", f"random:{number}"]]
        # Undecided by the search, as data say how many tiles there are; and searched for half a minute each.
        if case["batch"] == "grouped" or case["stream-k"] == "on":
            del commands[0]
        for command in commands:
            done = subprocess.run([titan, *command], capture_output=True, text=True)
            if done.returncode:
                bad += 1
                print("FAIL", " ".join(flags), command[0], done.stdout[-500:],
                      done.stderr[:500])
        good += 1
    print(f"{good} generated, {refused} refused, {bad} bad")
    return 1 if bad or good < 20 or not refused else 0


sys.exit(main())
