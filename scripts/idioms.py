#!/usr/bin/env python3
"""The table of idioms: which right programs of tests/Checker/Proved are proved, idiom by idiom.

    scripts/idioms.py            prints it
    scripts/idioms.py --write    writes it into tests/Checker/Proved/README.md, which a test compares

Nothing is run here: each file says `// IDIOM: name`, and the verdicts are those that its own RUN and CHECK lines
ask for.
"""
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests/Checker/Proved"
BEGIN, END = "<!-- begin idioms (scripts/idioms.py --write) -->\n", "<!-- end idioms -->\n"


def verdicts(text):
    """Of each kernel of a file: proved, searched, or the code that refuses it."""
    found = {}
    for name in re.findall(r"^// RUN: titan check %s --kernel (\w+) --require=proved", text, re.M):
        found[name] = "proved"
    for name, verdict in re.findall(r"^// CHECK: @(\w+): accepted\n// CHECK: \{\{\^\}\}  (proved|searched)", text, re.M):
        found[name] = verdict
    for name, code in re.findall(r"^// Right, and not accepted\.\n// RUN: not titan check %s --kernel (\w+) [^\n]*\n"
                                 r"// \w+: \[([a-z-]+)\]", text, re.M):
        found[name] = code
    return found


def table():
    rows, right, proved, twins = {}, 0, 0, 0
    for file in sorted(FOLDER.glob("*.mlir")):
        text = file.read_text()
        if not (idiom := re.match(r"// IDIOM: (.*)", text)):
            continue
        twins += len(set(re.findall(r"^// VARIANT (\w+):", text, re.M)) -
                     set(re.findall(r"^// RUN: %variant (\w+) %s \| titan check", text, re.M)))
        for kernel, verdict in verdicts(text).items():
            rows.setdefault(idiom[1], []).append((f"{file.stem}.mlir @{kernel}", verdict))
    lines = ["| idiom | right | proved | not proved |", "|---|---|---|---|"]
    for idiom, kernels in rows.items():
        good = [name for name, verdict in kernels if verdict == "proved"]
        bad = [f"{name}" + (f" ({verdict})" if verdict != "searched" else "") for name, verdict in kernels
               if verdict != "proved"]
        lines.append(f"| {idiom} | {len(kernels)} | {len(good)} | {', '.join(bad)} |")
        right, proved = right + len(kernels), proved + len(good)
    lines.append(f"| all | {right} | {proved} | {twins} twins, none accepted |")
    return "\n".join(lines) + "\n"


def main():
    if sys.argv[1:] == ["--write"]:
        page = FOLDER / "README.md"
        text = page.read_text()
        head, rest = text.split(BEGIN)
        page.write_text(head + BEGIN + table() + END + rest.split(END)[1])
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        print(table(), end="")


if __name__ == "__main__":
    main()
