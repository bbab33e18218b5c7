#!/usr/bin/env python3
"""Prints a variant of a test's program: variant.py NAME FILE [PROGRAM] (in tests: %variant NAME %s).

A line of the program has a label, `// @LABEL` at its end. Comments say what a variant does with it, an edit
a line, any number of lines for a variant:

  // VARIANT no_fence: drop FENCE
  // VARIANT two_arrivals: replace COUNT with titan.mbarrier.init %full count(2) : !bar
  // VARIANT too_late: drop SIGNAL
  // VARIANT too_late: after COPY add titan.mbarrier.arrive %full : !bar
  // VARIANT early_and_twice: before COPY add titan.mbarrier.arrive %full : !bar
  // VARIANT early_and_twice: as two_arrivals
  // VARIANT one_arrival: in COUNT `count(4)` -> `count(1)`

`as` makes the edits of another variant, too. A label may stand on several lines: all are edited. What is added
stands on the labelled line, so that messages name the lines of the file. A variant, label or edit that there is
not is an error, and so is a label that no variant uses.

Of another file, the PROGRAM, comments say which line a label is, by text of it that no other line has (or so many,
one of so many; so many lines below, or -1 above):

  // LABEL FENCE: titan.fence.proxy_async shared_cta
  // LABEL ARRIVALS (2): titan.mbarrier.arrive %empty
  // LABEL FIRST (1 of 2): titan.mbarrier.arrive %empty
  // LABEL BEHIND +1: titan.mbarrier.wait %full
  // LABEL STEPS +1..3: titan.mbarrier.wait %full
"""
import pathlib
import re
import sys


def edits_of(name, variants, within=()):
    if name in within:
        raise ValueError(f"variant {name} begins with itself")
    if name not in variants:
        raise ValueError(f"there is no variant {name}; there are {', '.join(variants) or 'none'}")
    for edit in variants[name]:
        if match := re.fullmatch(r"as (\w+)", edit):
            yield from edits_of(match[1], variants, (*within, name))
        elif match := re.fullmatch(r"drop (\w+)", edit):
            yield match[1], lambda line: ""
        elif match := re.fullmatch(r"replace (\w+) with (.+)", edit):
            yield match[1], lambda line, text=match[2]: text
        elif match := re.fullmatch(r"(before|after) (\w+) add (.+)", edit):
            yield match[2], lambda line, where=match[1], text=match[3]: (
                f"{text} {line}" if where == "before" else f"{line} {text}")
        elif match := re.fullmatch(r"in (\w+) `(.+)` -> `(.*)`", edit):
            yield match[1], lambda line, old=match[2], new=match[3]: changed(name, line, old, new)
        else:
            raise ValueError(f"variant {name}: '{edit}' is no edit (drop, replace, before, after, in, as)")


def changed(name, line, old, new):
    if line.count(old) != 1:
        raise ValueError(f"variant {name}: `{old}` stands {line.count(old)} times in `{line.strip()}`")
    return line.replace(old, new)


LABEL = re.compile(r"^(?:// )?LABEL (\w+)(?: \((?:(\d+) of )?(\d+)\))?(?: ([+-]\d+)(?:\.\.(\d+))?)?: (.+?)\s*$", re.M)


def labelled(lines, label, nth, count, below, last, part):
    """The lines of another file that a comment of a test gives a label."""
    found = [number for number, line in enumerate(lines) if part in line]
    if len(found) != int(count or 1):
        raise ValueError(f"label {label}: {len(found)} lines have `{part}`, not {count or 1}")
    found = [found[int(nth) - 1]] if nth else found
    first = int(below or 0)
    return [number + n for number in found for n in range(first, int(last or first) + 1)]


def variant(name, text, program=None):
    variants, used = {}, set()
    for match in re.finditer(r"^\s*(?:// )?VARIANT (\w+): (.*?)\s*$", text, re.M):
        variants.setdefault(match[1], []).append(match[2])
    lines = (text if program is None else program).split("\n")
    labels = {}
    if program is not None:
        labels = {match[1]: match.groups() for match in LABEL.finditer(text)}
    for number, line in enumerate(lines if program is None else ()):
        if (match := re.fullmatch(r"(.*\S)\s*// @(\w+)", line)) and not line.lstrip().startswith("//"):
            labels.setdefault(match[2], []).append(number)
            lines[number] = match[1]
    for each in variants:
        for label, change in edits_of(each, variants):
            if label not in labels:
                raise ValueError(f"variant {each}: no line has the label {label}")
            used.add(label)
            if each == name:
                # The test may have variants of other programs, too.
                where = labels[label] if program is None else labelled(program.split("\n"), *labels[label])
                for number in where:
                    lines[number] = change(lines[number])
    if name not in variants:
        list(edits_of(name, variants))
    if unused := sorted(set(labels) - used):
        raise ValueError(f"no variant uses the label {', '.join(unused)}")
    return "\n".join(lines)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    try:
        print(variant(sys.argv[1], *(pathlib.Path(file).read_text() for file in sys.argv[2:])), end="")
    except ValueError as error:
        sys.exit(f"{sys.argv[2]}: {error}")


if __name__ == "__main__":
    main()
