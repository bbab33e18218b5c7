#!/usr/bin/env python3
"""Which files of lib, include and tools name what has its place elsewhere.

An operation is known to its definition and verifier (its family's file in
Dialect/Titan), and to its family's file of the simulator and of the lowering;
everybody else reads effects and interfaces. What all may know: kernels,
launches, partitions and control flow (KernelOps.td, scf).

A name is the class (MmaOp, however it is used: casts, templates, aliases), or
the operation's own name as a string ("titan.mma"). Who makes an operation need
not know what it does: MmaOp::create is no name.

A target is known to Target (include/titan/Target, lib/Target), where another one
is a row and a column: everybody else asks for features and limits, or takes the
target that the kernel or the user names. A name is the enumerator (TargetId::Sm90a),
or the target's own name as a whole string ("sm_90a").

families.py            prints each such file with the operations and targets that
                       it names; fails where there is one
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent

# A family's file of the simulator and of the lowering, where it is not called
# as its .td file is.
stems = {"Barrier": "Barriers", "Tile": "Tiles", "Copy": "Pipes"}
# Families whose definitions are several files.
parts = {"MmaSync": "Mma"}
# Operations that are expanded: the passes that are what they become.
expansions = {
    "Pipe": r"lib/Transforms/(DealTickets\.cpp|ExpandPipes\.h|ExpandPipes\.cpp|PipeBarriers\.cpp|PipeUses\.cpp)|lib/Dialect/Titan/CopyBuilders\.cpp",
    "Copy": r"lib/Transforms/(ExpandPipes\.h|ExpandPipes\.cpp|PipeUses\.cpp|LowerCopies\.cpp)|(lib|include/titan)/Dispatch/\w+\.(h|cpp)|(lib|include/titan)/Dialect/Titan/Copy\w+\.(h|cpp)",
    "Exchange": r"lib/Transforms/ExpandExchanges\.cpp",
    "Tile": r"lib/Transforms/ExpandExchanges\.cpp",
    "InlinePtx": r"lib/Transforms/InlinePtx\.cpp",
    "Memory": r"lib/Transforms/(DealTickets|FollowLetters)\.cpp|lib/Dialect/Titan/Letters\.cpp",
    "Barrier": r"lib/Transforms/PollLoops\.cpp",
}


def operations():
    """The family of each operation, by class and by name; structure left out."""
    families = {}
    for file in sorted((root / "include/titan/Dialect/Titan").glob("*Ops.td")):
        family = file.stem.removesuffix("Ops")
        if family in ("Kernel", "Titan"):
            continue
        family = parts.get(family, family)
        text = file.read_text()
        prefixes = dict(re.findall(r'^class (Titan_\w+)<string mnemonic.*?"([\w.]+)" # mnemonic', text, re.M | re.S))
        for name, base, mnemonic in re.findall(r'^def Titan_(\w+Op)\s*:\s*(\w+)<"([\w.]+)"', text, re.M):
            families[name] = family
            families[f"titan.{prefixes.get(base, '')}{mnemonic}"] = family
    return families


def names(file):
    """The classes and the whole strings of a file, without comments and without
    what makes operations."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", file.read_text(), flags=re.S)
    # Literals side by side are one; lib/Kernels writes programs.
    strings = [] if "/lib/Kernels/" in file.as_posix() else re.findall(r'"((?:[^"\\\n]|\\.)*)"', re.sub(r'"\s*\n?\s*"', "", text))
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)
    text = re.sub(r"\b\w+Op::create\b|\bcreate<\w+Op>", "", text)
    return set(re.findall(r"\b\w+Op\b", text)) | set(strings)


def targets():
    """Each target by its enumerator and by its name."""
    rows = (root / "lib/Target/Target.cpp").read_text()
    return {word for pair in re.findall(r'(TargetId::\w+),\s*"(\w+)"', rows) for word in pair}


def named_targets():
    known = targets()
    assert len(known) >= 6, "the targets are not read"
    for folder in ("lib", "include/titan", "tools"):
        for file in sorted((root / folder).rglob("*")):
            name = file.relative_to(root).as_posix()
            if file.suffix not in (".h", ".cpp", ".td") or re.match(r"(lib|include/titan)/Target/", name):
                continue
            text = re.sub(r"//[^\n]*|/\*.*?\*/", "", file.read_text(), flags=re.S)
            words = set(re.findall(r"\bTargetId::\w+", text)) | set(re.findall(r'"(\w+)"', text))
            for target in sorted(words & known):
                yield name, target


def found():
    families = operations()
    assert len(families) > 150, "the definitions are not read"
    for folder in ("lib", "include/titan", "tools"):
        for file in sorted((root / folder).rglob("*")):
            name = file.relative_to(root).as_posix()
            # The operations of Triton's dialect have a namespace of their own.
            if file.suffix not in (".h", ".cpp") or re.search("/Triton(ToTitan)?/", name):
                continue
            for op in sorted(names(file) & families.keys()):
                family = families[op]
                # A family whose file would be too long has several: Memory.cpp,
                # MemoryAccess.cpp.
                own = rf"lib/(Simulator|Conversion/TitanToLLVM)/{stems.get(family, family)}[A-Za-z]*\.(cpp|h)|(lib|include/titan)/Dialect/Titan/{family}[A-Za-z]*Ops\.(cpp|h)"
                if not re.fullmatch(own, name) and not re.fullmatch(expansions.get(family, "$^"), name):
                    yield name, op


def main():
    failed = []
    for names_of, what in ((found, "operations named outside of their places: read effects, or an interface"),
                           (named_targets, "targets named outside of Target: ask for a feature or a limit (Target.h)")):
        named = {}
        for file, name in names_of():
            named.setdefault(file, []).append(name)
        for file, all_of_it in named.items():
            print(file, *all_of_it)
        if named:
            failed.append(f"{what} (CONTRIBUTING.md)")
    if failed:
        sys.exit("\n".join(failed))


main()
