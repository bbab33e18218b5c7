#!/usr/bin/env python3
"""Which files of lib and tools name an operation outside of its four places.

An operation is known to its definition and verifier (Dialect/Titan), and to its
family's file of the simulator and of the lowering; everybody else reads
effects and interfaces. What all may know: kernels, launches, partitions and
control flow (KernelOps.td, scf).

families.py            prints each such file with the operations that it names
families.py --check    fails where a file names more of them than
                       scripts/families.txt has it down for
families.py --write    takes what is better now into scripts/families.txt

The list only ever shrinks, until it is empty.
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
record = root / "scripts/families.txt"

# A family's file of the simulator and of the lowering, where it is not called
# as its .td file is.
stems = {"Barrier": "Barriers", "Tile": "Tiles", "Pipe": "Pipes", "Copy": "Pipes"}
# The passes that are what an operation becomes.
expansions = {
    family: {f"lib/Transforms/{name}" for name in ("ExpandPipes.h", "ExpandPipes.cpp", "LowerCopies.cpp", "PipeBarriers.cpp", "PipeUses.cpp")}
    for family in ("Pipe", "Copy")
} | {family: {"lib/Transforms/ExpandExchanges.cpp"} for family in ("Exchange", "Tile")}


def operations():
    """The family of each operation class, structure left out."""
    families = {}
    for file in sorted((root / "include/titan/Dialect/Titan").glob("*Ops.td")):
        family = file.stem.removesuffix("Ops")
        if family not in ("Kernel", "Titan"):
            for name in re.findall(r"^def Titan_(\w+Op)\b", file.read_text(), re.M):
                families[name] = family
    return families


def code(file):
    """The text without comments and strings, and without what makes operations:
    who makes one need not know what it does."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", file.read_text(), flags=re.S)
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)
    return re.sub(r"\b\w+Op::create\b|\bcreate<\w+Op>", "", text)


def found():
    families = operations()
    for folder in ("lib", "include/titan", "tools"):
        for file in sorted((root / folder).rglob("*")):
            name = file.relative_to(root).as_posix()
            # The operations of Triton's dialect have a namespace of their own.
            if file.suffix not in (".h", ".cpp") or "/Dialect/" in name or "/Triton/" in name:
                continue
            for op in sorted(set(re.findall(r"\b\w+Op\b", code(file))) & families.keys()):
                family = families[op]
                # A family whose file would be too long has several: Memory.cpp,
                # MemoryAccess.cpp.
                own = rf"lib/(Simulator|Conversion/TitanToLLVM)/{stems.get(family, family)}[A-Za-z]*\.(cpp|h)"
                if not re.fullmatch(own, name) and name not in expansions.get(family, set()):
                    yield name, op


def main():
    now = {}
    for file, op in found():
        now.setdefault(file, []).append(op)
    known = {}
    if record.exists():
        known = {file: int(count) for file, count in (line.split() for line in record.read_text().splitlines())}
    if "--check" not in sys.argv and "--write" not in sys.argv:
        for file, ops in now.items():
            print(file, *ops)
        return
    worse = [f"{file}: {' '.join(ops)}" for file, ops in now.items() if record.exists() and len(ops) > known.get(file, 0)]
    if worse:
        sys.exit("\n".join(worse) + "\nmore operations named outside of their places: read effects, or an interface (CONTRIBUTING.md)")
    if "--write" in sys.argv:
        record.write_text("".join(f"{file} {len(ops)}\n" for file, ops in now.items()))


main()
