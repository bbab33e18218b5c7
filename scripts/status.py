#!/usr/bin/env python3
"""Prints the tables of docs/status.md and docs/language.md from the sources.

status.py --write    writes them into the documents
status.py --check    fails if the documents hold other ones, or another number than lib/Analysis/Search/Bounds.def for
                     one of its names ("251 (`longestRun`)")

An operation has effects if its definition says so; it is simulated, lowered or
expanded if the code of that floor names its class, other than to make one (X::create).
What an unrolled loop turns into another operation (atIndex) is expanded, too.
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
begin, end = "<!-- begin operations (printed by scripts/status.py) -->\n", "<!-- end operations -->\n"


def text(folder, pattern="*.cpp"):
    return "\n".join(f.read_text() for f in sorted((root / folder).rglob(pattern)))


def target_lists():
    """The targets that have each feature, as the table prints them; of none, all."""
    rows = text("lib/Target", "Target.cpp")
    names = re.findall(r'TargetId::\w+,\s*"(\w+)"', rows)
    features = re.findall(r'\{Feature::(\w+),\s*"[^"]*",\s*\{([^}]*)\}', rows)
    return {"": "all"} | {
        feature: ", ".join(name for name, there in zip(names, has.split(", "), strict=True) if there == "true")
        for feature, has in features
    }


def table():
    dialect = text("lib/Dialect/Titan")
    floors = {
        "simulated": text("lib/Simulator"),
        "lowered": text("lib/Conversion"),
        "expanded": text("lib/Transforms") + text("lib/Dispatch"),
    }
    targets = target_lists()
    names = {floor: set(re.findall(r"\b\w+Op\b(?!::create)", code)) for floor, code in floors.items()}
    names["expanded"] |= set(re.findall(r"\b(\w+Op)::atIndex", dialect))
    # A family's class puts a prefix before the mnemonic.
    families = {}
    definitions = text("include/titan/Dialect/Titan", "*.td")
    for family, base, prefix, where in re.findall(
            r'class (Titan_\w+)<string mnemonic[^:]*>\s*:\s*(Titan_\w+)<"([\w.]+)" # mnemonic(?:, Titan_Needs<"(\w+)">)?', definitions):
        families[family] = (base, prefix, where)
    lines = ["| operation | effects | simulated | lowered | targets |", "|---|---|---|---|---|"]
    for file in sorted((root / "include/titan/Dialect/Titan").glob("*Ops.td")):
        for definition, kind, mnemonic, where in re.findall(
                r'def Titan_(\w+)\s*:\s*(Titan_\w+)<"([\w.]+)"(?:, Titan_Needs<"(\w+)">)?', file.read_text()):
            if kind in families:
                kind, prefix, where = families[kind]
                mnemonic = prefix + mnemonic
            if kind not in ("Titan_Op", "Titan_HwOp"):
                continue
            pipe = mnemonic.startswith("pipe.")
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
                targets[where],
            ]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def definitions(files):
    """The file's title, and name and summary of each definition in it."""
    for file in sorted((root / "include/titan/Dialect/Titan").glob(files)):
        source = file.read_text()
        title = re.search(r"//===- \w+\.td - (.*?) -+(\*-|===)", source)[1].rstrip(" -")
        # A family's class puts a prefix before the mnemonic.
        prefixes = dict(re.findall(
            r'class (Titan_\w+)<string mnemonic[^:]*>\s*:\s*Titan_\w+<"([\w.]+)" # mnemonic', source))
        rows = []
        for name, kind, first, second, body in re.findall(
                r'def Titan_(\w+)\s*:\s*(Titan_\w+)<"([\w.]+)"(?:, "([\w.]+)")?(.*?)(?=\ndef |\nclass |\Z)', source, re.S):
            # "Wgmma", "wgmma": the class, and what stands in the text.
            sigil = "titan." if name.endswith("Op") else "!titan." if files == "TitanTypes.td" else "#titan."
            summary = re.search(r'let summary = "((?:[^"\\]|\\.)*)"', body)
            if summary:
                rows.append((sigil + prefixes.get(kind, "") + (second or first), summary[1].replace("|", "\\|")))
        yield title, rows


def language():
    lines = []
    for files, head in (("TitanTypes.td", ""), ("TitanAttrs.td", ""), ("*Ops.td", "operation ")):
        for title, rows in definitions(files):
            if not rows:
                continue  # The file that includes the others.
            lines += [f"### {title[0].upper()}{title[1:]}", "", f"| {head}| |", "|---|---|"]
            lines += [f"| `{name}` | {what} |" for name, what in rows] + [""]
    return "\n".join(lines)


# What of titan IR does the work of an operation of tt; "" where there is nothing that does.
TRITON_BECOMES = {
    "make_tensor_descriptor": "an argument, its sizes and strides: no operation",
    "descriptor_load": "`titan.global.load` where the block lies in the tensor (`titan.tma.load` is to come)",
    "descriptor_store": "`titan.global.store` where the block lies in the tensor (`titan.tma.store` is to come)",
    "descriptor_reduce": "`titan.global.atom` (`titan.tma.reduce` is to come)",
    "descriptor_gather": "`titan.global.load` at rows", "descriptor_scatter": "`titan.global.store` at rows",
    "int_to_ptr": "`titan.tensor_at`", "ptr_to_int": "`titan.address_of`, and an offset in bytes",
    "bitcast": "`arith.bitcast`; of pointers nothing",
    "fp_to_fp": "`arith.extf`, `arith.truncf`", "clampf": "`arith.maxnumf`, `arith.minnumf`",
    "precise_sqrt": "`math.sqrt`", "precise_divf": "`arith.divf`", "mulhiui": "`arith.mului_extended`",
    "load": "`titan.global.load`, `titan.ld`", "store": "`titan.global.store`, `titan.st`",
    "atomic_rmw": "`titan.global.atom`; of one element `titan.atom` by one thread", "atomic_cas": "`titan.atom exch ... where(...)` by one thread",
    "addptr": "`arith.addi` of offsets", "make_tensor_ptr": "the same as pointers of its elements",
    "advance": "`arith.addi` of offsets",
    "dot": "`titan.mma_sync` (`titan.mma`, wgmma, is to come), or `math.fma`", "dot_scaled": "`arith.mulf` by the scales, then as `tt.dot`",
    "func": "`titan.kernel`; a private one is inlined", "call": "inlined", "return": "`titan.return`",
    "get_program_id": "`titan.cta_id`", "get_num_programs": "`titan.num_ctas`",
    "print": "`titan.print` of scalars; tensors are `[not-supported-yet]`", "assert": "`titan.assert`; of a tensor `titan.any`", "extern_elementwise": "`math`, or written out in `arith` and `math`",
    "elementwise_inline_asm": "`titan.inline_ptx`",
    "reduce": "`titan.reduce`; of a whole tensor, `titan.unsplat`", "reduce.return": "with its reduction",
    "scan": "`titan.scan`", "scan.return": "with its scan",
    "map_elementwise": "", "map_elementwise.return": "",
    "make_range": "`titan.coordinate`", "splat": "`titan.splat`", "unsplat": "`titan.unsplat`",
    "expand_dims": "`titan.broadcast`, where it is wanted", "reshape": "`titan.relabel`, `titan.convert_layout`",
    "broadcast": "`titan.broadcast`", "trans": "`titan.relabel`", "cat": "as `tt.join`, then `titan.relabel`", "join": "`arith.select` by `titan.coordinate`",
    "split": "`titan.extract`",
    "gather": "`titan.gather`", "histogram": "`titan.reduce or`, a ballot; `math.ctpop`",
}


def triton():
    """Each operation of the tt dialect: simulated if its name stands in the simulator's code, converted if its
    class stands in the conversion's tables."""
    there = set(re.findall(r"`(titan\.[\w.]+)`", "".join(
        path.read_text() for path in (root / "docs/reference").glob("*.md"))))
    named = {name for row in TRITON_BECOMES.values() for name in re.findall(r"`(titan\.[\w.]+)`", row)}
    if named - there:
        sys.exit("scripts/status.py names what is not there: " + ", ".join(sorted(named - there)))
    simulator = text("lib/Simulator/Triton") if (root / "lib/Simulator/Triton").exists() else ""
    conversion = text("lib/Conversion/TritonToTitan") if (root / "lib/Conversion/TritonToTitan").exists() else ""
    lines = ["| operation | what it is | simulated | compiled | in titan IR |", "|---|---|---|---|---|"]
    for file in sorted((root / "include/titan/Dialect/Triton").glob("*Ops.td")):
        for name, mnemonic, body in re.findall(
                r'def Triton_(\w+Op)\s*:\s*Triton_\w+<"([\w.]+)"(.*?)(?=\ndef |\nclass |\Z)', file.read_text(), re.S):
            summary = re.search(r'let summary = "((?:[^"\\]|\\.)*)"', body)[1]
            state = "yes" if f'"tt.{mnemonic}"' in simulator else "no"
            # A function and what ends a region go with what they are of.
            own = mnemonic.removesuffix(".return")
            compiled = "yes" if mnemonic in ("func", "return", "call") or re.search(
                rf"\.(?:convert|make)<tt::{name}>|Elementwise<tt::{name}>", conversion) or (
                own != mnemonic and f"convert<tt::{own.title()}Op>" in conversion) else "no"
            compiled = {"print": "scalars", "int_to_ptr": "of one number"}.get(mnemonic, compiled)
            becomes = TRITON_BECOMES[mnemonic] or "nothing does its work yet"
            lines.append(f"| `tt.{mnemonic}` | {summary} | {state} | {compiled} | {becomes} |")
    return "\n".join(lines) + "\n"


def unlisted():
    """Attributes that the code reads and Attributes.def does not list."""
    code = text("lib") + text("include", "*.h")
    operations = set(re.findall(r"^\| `(titan\.[\w.]+)`", table(), re.M))
    listed = set(re.findall(r'^TITAN_\w*ATTRIBUTE\("(titan\.\w+)"', text("include", "Attributes.def"), re.M))
    return sorted(set(re.findall(r'"(titan\.[a-z_]+)"', code)) - operations - listed)


def bounds():
    """What is wrong with the numbers of the search that the documents name."""
    rows = dict(re.findall(r"^TITAN_BOUND\((\w+), (.*?), \"", text("lib/Analysis/Search", "Bounds.def"), re.M))
    lists = set(re.findall(r"^TITAN_BOUNDS\((\w+), ", text("lib/Analysis/Search", "Bounds.def"), re.M))
    # A row that refers to another one's words is named by that one.
    told = re.findall(r'^TITAN_BOUND\((\w+), .*"(?!as of)[^"]*`\[undecided\]`[^"]*"\)$',
                      text("lib/Analysis/Search", "Bounds.def"), re.M)
    wrong = []
    for path in sorted((root / "docs").glob("*.md")):
        if path.name == "search.md":
            continue  # It is printed.
        page = path.read_text()
        for before, name in re.findall(r"((?:[\w,]+\s+\()?)`(\w+)`", page):
            if name in lists:
                wrong.append(f"docs/{path.name}: {name} is a list: docs/search.md has it")
            elif name in rows:
                number = re.sub(r"[\s(,]", "", before)
                if number != rows[name].replace("'", ""):
                    wrong.append(f"docs/{path.name}: {name} is {rows[name]}: write the number, then (`{name}`)")
    section = re.search(r"## What the checker cannot decide\n.*?\n## ", (root / "docs/status.md").read_text(), re.S)[0]
    return wrong + [f"docs/status.md: what the checker cannot decide: {name} is not named"
                    for name in told if f"(`{name}`)" not in section]


def main():
    begin_language = begin.replace("operations", "language")
    end_language = end.replace("operations", "language")
    begin_triton, end_triton = (mark.replace("operations", "triton") for mark in (begin, end))
    stale = []
    for name, first, last, body in (("status", begin, end, table()),
                                    ("language", begin_language, end_language, language()),
                                    ("triton", begin_triton, end_triton, triton())):
        path = root / f"docs/{name}.md"
        old = path.read_text()
        before, rest = old.split(first)
        new = before + first + body + last + rest.split(last)[1]
        if "--write" in sys.argv:
            path.write_text(new)
        elif "--check" not in sys.argv:
            print(body, end="")
        elif new != old:
            stale.append(f"docs/{name}.md")
    if wrong := bounds():
        sys.exit("\n".join(wrong))
    if missing := unlisted():
        sys.exit(f"Attributes.def lacks {', '.join(missing)}")
    if stale:
        sys.exit(", ".join(stale) + ": not what the sources say: run scripts/status.py --write")


main()
