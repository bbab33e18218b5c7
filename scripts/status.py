#!/usr/bin/env python3
"""Prints the table of operations of docs/status.md from the sources.

status.py --write    writes it into docs/status.md
status.py --check    fails if docs/status.md holds another one

An operation has effects if its definition says so; it is simulated, lowered or
expanded if the code of that floor names its class.
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
begin, end = "<!-- begin operations (printed by scripts/status.py) -->\n", "<!-- end operations -->\n"


def text(folder, pattern="*.cpp"):
    return "\n".join(f.read_text() for f in sorted((root / folder).rglob(pattern)))


def targets_of(sources):
    """The target names of each function that returns a list of them."""
    lists = {}
    for name, body in re.findall(r"(\w+)\(\)\s*\{\s*static const (?:llvm::)?StringRef (?:\w+)\[\] = (\{[^}]*\})", sources):
        lists[name] = ", ".join(re.findall(r'"(\w+)"', body))
    own = {}
    # Where the answer depends on the operation's form, the widest one counts.
    for op, answer in re.findall(r"(\w+Op)::getTargets\(\)\s*\{\s*return ([^;]*);", sources):
        found = [lists[name] for name in re.findall(r"(\w+)\(\)", answer) if name in lists]
        own[op] = max(found, key=len) if found else "?"
    return own


def table():
    dialect = text("lib/Dialect/Titan")
    floors = {
        "simulated": text("lib/Simulator"),
        "lowered": text("lib/Conversion"),
        "expanded": text("lib/Transforms"),
    }
    targets = targets_of(dialect)
    names = {floor: set(re.findall(r"\b\w+Op\b", code)) for floor, code in floors.items()}
    # A family's class puts a prefix before the mnemonic.
    families = {}
    definitions = text("include/titan/Dialect/Titan", "*.td")
    for family, base, prefix in re.findall(
            r'class (Titan_\w+)<string mnemonic[^:]*>\s*:\s*(Titan_\w+)<"([\w.]+)" # mnemonic', definitions):
        families[family] = (base, prefix)
    lines = ["| operation | effects | simulated | lowered | targets |", "|---|---|---|---|---|"]
    for file in sorted((root / "include/titan/Dialect/Titan").glob("*Ops.td")):
        for definition, kind, mnemonic in re.findall(
                r'def Titan_(\w+)\s*:\s*(Titan_\w+)<"([\w.]+)"', file.read_text()):
            if kind in families:
                kind, prefix = families[kind]
                mnemonic = prefix + mnemonic
            if kind not in ("Titan_Op", "Titan_HwOp", "Titan_TargetOp"):
                continue
            pipe = mnemonic.startswith("pipe.")
            if kind == "Titan_TargetOp":
                where = targets.get(definition, "?")
            else:
                where = "all"
            # An interface may be listed by hand, too.
            listed = re.search(rf"void {definition}::getHardwareEffects", dialect)

            def state(floor):
                if definition in names["expanded"] and (pipe or definition not in names[floor]):
                    return "expanded"
                return "yes" if definition in names[floor] else "no"

            cells = [
                f"`titan.{mnemonic}`",
                "yes" if listed else "none" if kind == "Titan_Op" else "no",
                state("simulated"),
                state("lowered"),
                where,
            ]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    path = root / "docs/status.md"
    old = path.read_text()
    before, rest = old.split(begin)
    after = rest.split(end)[1]
    new = before + begin + table() + end + after
    if "--write" in sys.argv:
        path.write_text(new)
    elif "--check" in sys.argv:
        if new != old:
            sys.exit("docs/status.md is not what the sources say: run scripts/status.py --write")
    else:
        print(table(), end="")


main()
