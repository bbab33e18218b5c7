"""Breaks the programs of tutorials/ and library/ on purpose, one place at a time, and runs each.

  mutants.py --list                 how many places of each class there are
  mutants.py --seed 1 --count 40    that many, chosen by the seed; --count 0: all
  mutants.py --only NAME            one: its text is printed as a difference

A mutant changes the TTIR of one kernel, whose locations stay. It is `found` (a finding at a line of Python),
`wrong` (its result is not what is defined), or `unnoticed`. Run with TITAN=simulate and the stand-in for Triton.
"""
import argparse
import collections
import contextlib
import difflib
import io
import os
import pathlib
import random
import re
import runpy
import signal
import sys

HERE = pathlib.Path(__file__).resolve().parent
FOLDERS = ("tutorials", "library")


# ---------------------------------------------------------------- what is broken


def operands(line):
    """The operands of a load or store."""
    return [o.strip() for o in re.match(r"\s*(?:%[\w:]+ = )?tt\.(?:load|store) ([^:{]*?)(?: (?:cache|evict)\w* = \w+.*)?(?: \{.*)? : ",
                                        line)[1].split(",") if o.strip().startswith("%")]


def drop_mask(line):
    names, store = operands(line), "tt.store" in line
    if len(names) > (2 if store else 1):
        yield line.replace(", ".join(names), ", ".join(names[:2] if store else names[:1]), 1)


def drop_other(line):
    names = operands(line)
    if "tt.load" in line and len(names) == 3:
        yield line.replace(", ".join(names), ", ".join(names[:2]), 1)


def off_by_one(line):
    if re.search(r"arith\.cmpi slt, .*tensor<", line):
        yield line.replace("cmpi slt", "cmpi sle", 1)


def one_row(line):
    # Two programs at a time have one id.
    found = re.match(r"(\s*)(%\w+)( = tt\.get_program_id \w : i32)(.*)", line)
    if found:
        space, name, what, loc = found.groups()
        yield (f"{space}%broken_id{what}{loc}\n{space}%broken_two = arith.constant 2 : i32{loc}\n"
               f"{space}{name} = arith.divsi %broken_id, %broken_two : i32{loc}")


def stride(line):
    # An offset along a stride: one more, or one less.
    found = re.match(r"(\s*)(%\w+) = arith\.muli (%\w+), (%\w+) : (i32|tensor<[\dx]*i32>)(.*)", line)
    if found:
        space, name, left, right, kind, loc = found.groups()
        value = "1" if kind == "i32" else "dense<1>"
        for which in ("addi", "subi"):
            yield (f"{space}%broken_one = arith.constant {value} : {kind}{loc}\n"
                   f"{space}%broken_stride = arith.{which} {right}, %broken_one : {kind}{loc}\n"
                   f"{space}{name} = arith.muli {left}, %broken_stride : {kind}{loc}")


def plain(line):
    # An atomic made a load, an operation and a store.
    found = re.match(r"(\s*)(%\w+) = tt\.atomic_rmw (\w+), \w+, \w+, (%\w+), (%\w+)(?:, (%\w+))? : \((.*?), (\w+|tensor<.*?>)"
                     r"(?:, (?:i1|tensor<[\dx]*i1>))?\) -> \S+(.*)", line)
    if found and found[3] in ("fadd", "add", "exch"):
        space, name, what, pointer, value, mask, pointers, kind, loc = found.groups()
        mask = f", {mask}" if mask else ""
        text = f"{space}{name} = tt.load {pointer}{mask} : {pointers}{loc}\n"
        if what != "exch":
            text += f"{space}%broken_sum = arith.{what.replace('fadd', 'addf').replace('add', 'addi').replace('addif', 'addf')} {name}, {value} : {kind}{loc}\n"
            value = "%broken_sum"
        yield text + f"{space}tt.store {pointer}, {value}{mask} : {pointers}{loc}"


def no_barrier(line):
    if re.match(r"\s*gpu\.barrier", line):
        yield ""


def unlocked(line):
    # A compare and swap that finds what it wants at once.
    found = re.match(r"(\s*)(%\w+) = tt\.atomic_cas .*, (%\w+), %\w+ : \(.*\) -> (\w+)(.*)", line)
    if found:
        yield f"{found[1]}{found[2]} = arith.bitcast {found[3]} : {found[4]} to {found[4]}{found[5]}"


def uninitialised(line):
    found = re.match(r"(\s*)(%cst\w*) = arith\.constant dense<0.0+e\+00> : (tensor<.*?>)(.*)", line)
    if found:
        yield f"{found[1]}{found[2]} = ub.poison : {found[3]}{found[4]}"


def weaker(line):
    if "tt.atomic" in line and "acq_rel" in line:
        yield line.replace("acq_rel", "relaxed", 1)
    if "tt.atomic" in line and ", gpu," in line:
        yield line.replace(", gpu,", ", cta,", 1)


CLASSES = {
    "mask dropped": drop_mask, "mask off by one": off_by_one, "other dropped": drop_other,
    "stride": stride, "two programs on one row": one_row, "atomic made plain": plain,
    "atomic weakened": weaker, "lock not taken": unlocked, "barrier dropped": no_barrier,
    "accumulator uninitialised": uninitialised,
}


def sites():
    """(class, file, line number, number of the variant, the line that is put there)"""
    for folder in FOLDERS:
        for path in sorted((HERE / folder / "ttir").glob("*.ttir")):
            lines = path.read_text().splitlines()
            for name, change in CLASSES.items():
                for at, line in enumerate(lines):
                    if re.search(r"tt\.(load|store)", line) or not name.startswith(("mask dropped", "other")):
                        for number, changed in enumerate(change(line)):
                            yield name, path, at, number, changed


# ---------------------------------------------------------------- runs


class TooLong(BaseException):
    pass


def too_long(*_):
    raise TooLong()


def run(path, text, seconds=60):
    """What becomes of the program whose kernel has this text."""
    from titan.simulation import Refused
    from triton.backends.nvidia.compiler import CUDABackend
    program = path.parent.parent / (path.name.split(".")[0] + ".py")

    def make_ttir(module, metadata, options, capability):
        return text if pathlib.Path(module).name == path.name else pathlib.Path(module).read_text()

    CUDABackend.make_ttir = staticmethod(make_ttir)
    sys.argv, sys.path[0] = [str(program)], str(program.parent)
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(seconds)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            runpy.run_path(str(program), run_name="__main__")
        return "unnoticed", ""
    except (OverflowError, ValueError, ZeroDivisionError):
        return "wrong", "what came out is no number"
    except Refused as error:
        return ("found" if error.place or error.code == "parse-error" else "found nowhere"), error.code
    except AssertionError as error:
        return "wrong", str(error)
    except TooLong:
        return "too long", ""
    finally:
        signal.alarm(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--only")
    options = parser.parse_args()
    os.environ.setdefault("TITAN", "simulate")
    every = list(sites())
    if options.list:
        for name, count in collections.Counter(s[0] for s in every).items():
            print(f"{name}: {count}")
        return 0
    chosen = every
    if options.count:
        chosen = random.Random(options.seed).sample(every, min(options.count, len(every)))
    print(f"seed {options.seed}: {len(chosen)} of {len(every)} mutants")
    table, left = collections.defaultdict(collections.Counter), []
    for name, path, at, number, changed in chosen:
        title = f"{name} @{path.stem}:{at + 1}" + (f".{number}" if number else "")
        if options.only and options.only != title:
            continue
        lines = path.read_text().splitlines()
        before = list(lines)
        lines[at] = changed
        outcome, detail = run(path, "\n".join(lines) + "\n")
        table[name][detail if outcome == "found" else outcome] += 1
        if options.only:
            print("\n".join(difflib.unified_diff(before, "\n".join(lines).splitlines(), lineterm="", n=2)))
            print(outcome, detail)
        if outcome not in ("found", "wrong") or detail == "parse-error":
            left.append(f"{outcome} {detail}: {title}")
    columns = sorted({key for row in table.values() for key in row})
    print("| class | mutants | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 2) + "|")
    for name in CLASSES:
        if name in table:
            row = table[name]
            print(f"| {name} | {sum(row.values())} | " + " | ".join(str(row[c] or "") for c in columns) + " |")
    counts = collections.Counter(key if key in ("wrong", "unnoticed", "too long", "found nowhere", "parse-error") else "found"
                                 for row in table.values() for key in row.elements())
    print(", ".join(f"{counts[key]} {key}" for key in ("found", "wrong", "unnoticed", "too long", "found nowhere",
                                                       "parse-error")))
    print("\n".join(left))
    return 0


if __name__ == "__main__":
    sys.exit(main())
