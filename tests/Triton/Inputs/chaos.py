"""Kernels of tutorials/ and library/ with some words of their TTIR changed at random, run by the simulator.

  chaos.py --seed 1 --count 100

Whatever it is, the end is a finding, a result or a text that does not parse: never a crash, never an endless run.
Run with TITAN=simulate and the stand-in for Triton.
"""
import argparse
import collections
import os
import random
import re
import sys

import mutants

FAMILIES = [
    ["arith.addi", "arith.subi", "arith.muli", "arith.divsi", "arith.remsi", "arith.minsi", "arith.maxsi", "arith.andi",
     "arith.ori", "arith.xori", "arith.divui", "arith.remui", "arith.shli", "arith.shrsi"],
    ["arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.maxnumf", "arith.minimumf", "arith.remf"],
    ["math.exp", "math.exp2", "math.log2", "math.sqrt", "math.absf", "math.log", "math.rsqrt", "math.sin"],
    ["slt", "sle", "sgt", "sge", "eq", "ne", "ult", "uge"], ["relaxed", "acquire", "release", "acq_rel"],
    ["gpu,", "cta,", "sys,"], ["fadd", "add", "max", "xor", "exch", "umin"],
]
NUMBERS = ["0", "1", "-1", "2", "3", "7", "32", "1024", "2147483647", "-2147483648"]


def change(text, source):
    lines = text.split("\n")
    body = [i for i, line in enumerate(lines) if re.match(r"\s+\S.*loc\(", line) and "func" not in line]
    at = source.choice(body)
    line, kind = lines[at], source.randrange(5)
    if kind == 0:  # An operation of its family.
        for family in source.sample(FAMILIES, len(FAMILIES)):
            found = [w for w in family if re.search(rf"\b{re.escape(w)}", line)]
            if found:
                lines[at] = re.sub(rf"\b{re.escape(found[0])}", source.choice(family), line, count=1)
                break
    elif kind == 1:  # A constant.
        lines[at] = re.sub(r"(constant (?:dense<)?)-?\d+(?![.\d])", lambda m: m[1] + source.choice(NUMBERS), line)
    elif kind == 2:  # An operand that is another's result.
        used = re.findall(r"%[\w]+", line.split(" loc(")[0].split("=", 1)[-1])
        made = re.findall(r"(%\w+)(?=[,:) ])", "\n".join(lines[:at]))
        if used and made:
            lines[at] = line.replace(source.choice(used), source.choice(made[-40:]), 1)
    elif kind == 3:  # An operation less, or twice.
        if "=" not in line:
            lines[at:at + 1] = [line] * source.choice((0, 2))
    else:  # Another size.
        sizes = re.findall(r"(?<=<)\d+(?=x)", line)
        if sizes:
            lines[at] = line.replace(f"<{source.choice(sizes)}x", f"<{source.choice((1, 2, 64, 3, 128))}x")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    options = parser.parse_args()
    os.environ.setdefault("TITAN", "simulate")
    files = [p for folder in mutants.FOLDERS for p in sorted((mutants.HERE / folder / "ttir").glob("*.ttir"))]
    outcomes = collections.Counter()
    for seed in range(options.seed, options.seed + options.count):
        source = random.Random(seed)
        path = source.choice(files)
        text = path.read_text()
        for _ in range(source.randrange(1, 4)):
            before = text
            while text == before:
                text = change(text, source)
        if os.environ.get("TITAN_CHAOS"):
            print(seed, path.name, flush=True)
            with open(os.environ["TITAN_CHAOS"], "w") as file:
                file.write(text)
        outcome, detail = mutants.run(path, text, seconds=20)
        outcomes[detail if outcome == "found" and detail == "parse-error" else outcome] += 1
        if outcome == "too long":
            print(f"seed {seed}: {path.name} runs too long")
    print(f"seeds {options.seed} to {options.seed + options.count - 1}: " +
          ", ".join(f"{count} {name}" for name, count in sorted(outcomes.items())))


if __name__ == "__main__":
    sys.exit(main())
