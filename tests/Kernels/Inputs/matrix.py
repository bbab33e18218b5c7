"""matrix.py TITAN FOLDER [attention]: generates GEMMs, or attention, of many options, checks and simulates each.

Every pair of values of two options comes up in some case, by a greedy choice of cases.
"""
import itertools
import os
import random
import re
import subprocess
import sys

GEMM = {
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
ATTENTION = {
    "tile": ["64x64", "64x64", "128x64", "128x128", "192x64", "64x16", "128x80"],
    "head-size": ["64", "128"],
    "input": ["bf16", "f16"],
    "rescale": ["", "always", "growing", "conditional"],
    "turns": ["", "off", "on"],
    "persistent": ["off", "on"],
    "ahead": ["off", "on"],
    "exp2": ["0", "2", "32"],
    "skip": ["", "off", "on"],
    "programmatic": ["", "on"],
    "causal": ["off", "on"],
    "window": ["off", "on"],
    "lse": ["off", "on"],
    "ragged": ["off", "on"],
    "decode": ["off", "on"],
    "page": ["", "16", "64"],
}


def is_refused(case):
    """Of what there is no kernel, and cases would be many."""
    if "decode" in case:
        on = {name for name, value in case.items() if value == "on"}
        if "decode" in on and (on & {"window", "persistent", "ahead", "turns", "ragged", "skip"} or case["exp2"] != "0"
                               or case["tile"] not in ("64x64", "64x16")):
            return True
        return bool(case["page"] and "decode" not in on or "ahead" in on and ("persistent" not in on or "window" in on)
                    or {"ragged", "persistent"} <= on or "skip" in on and ("causal" not in on or "window" in on or case["tile"][:2] == "64"))
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
    if "rows of K" in case:
        options["tile"] += f'x{int(case["rows of K"]) * (128 if case["input"] in ("e4m3", "e5m2") else 64)}'
    return [word for name, value in options.items() for word in ("--" + name, value)]


def cases(options, seed, draws=60, refused=0.02):
    """Cases that have all pairs between them, and such a share of those that there is no kernel for."""
    rng = random.Random(seed)
    left = {frozenset((a, b)) for x, y in itertools.combinations(options.items(), 2)
            for a in ((x[0], v) for v in x[1]) for b in ((y[0], v) for v in y[1])}
    pairs = lambda case: {frozenset(p) for p in itertools.combinations(case.items(), 2)}
    for _ in range(400):
        tries = []
        while not tries:
            tries = [{name: rng.choice(values) for name, values in options.items()}
                     for _ in range(draws)]
            tries = [case for case in tries if not is_refused(case) or rng.random() < refused]
        best = max(tries, key=lambda case: len(pairs(case) & left))
        if not pairs(best) & left:
            break
        left -= pairs(best)
        yield best


def main():
    titan, folder, *kind = sys.argv[1:]
    kind, options = (kind[0], ATTENTION) if kind else ("gemm", GEMM)
    os.makedirs(folder, exist_ok=True)
    bad = refused = good = 0
    for number, case in enumerate(cases(options, 1) if kind == "gemm" else cases(options, 1, 1000, 0)):
        path = os.path.join(folder, kind + ".mlir")
        flags = flags_of(case)
        made = subprocess.run([titan, "generate", kind, *flags, "-o", path],
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
        if kind == "attention":  # What is proved of it, and searched, is in the tests beside this one.
            sizes = [] if case["ragged"] == "on" or case["decode"] == "on" else [
                "--size", f"N={(5, 70, 130)[number % 3]}", "--size", f"S={(3, 64, 200)[number // 3 % 3]}"]
            names = re.findall(r"titan\.kernel @(\w+)", open(path).read())
            commands = [["run", path, "--kernel", name, *sizes, "--schedule", f"random:{number}"] for name in names]
        # Undecided by the search, as data say how many tiles there are; and searched for half a minute each.
        elif case["batch"] == "grouped" or case["stream-k"] == "on":
            del commands[0]
        for command in commands:
            done = subprocess.run([titan, *command], capture_output=True, text=True)
            if done.returncode:
                bad += 1
                print("FAIL", " ".join(flags), command[0], done.stdout[-500:],
                      done.stderr[:500])
        good += 1
    print(f"{good} generated, {refused} refused, {bad} bad")
    return 1 if bad or good < 20 or kind == "gemm" and not refused else 0


sys.exit(main())
