#!/usr/bin/env python3
"""Prints a variant of a test's program: variant.py NAME FILE (in tests: %variant NAME %s).

A line of the program has a label, `// @LABEL` at its end. Comments say what a variant does with it, an edit
a line, any number of lines for a variant:

  // VARIANT no_fence: drop FENCE
  // VARIANT two_arrivals: replace COUNT with titan.mbarrier.init %full count(2) : !bar
  // VARIANT too_late: drop SIGNAL
  // VARIANT too_late: after COPY add titan.mbarrier.arrive %full : !bar
  // VARIANT early_and_twice: before COPY add titan.mbarrier.arrive %full : !bar
  // VARIANT early_and_twice: as two_arrivals

`as` makes the edits of another variant, too. A label may stand on several lines: all are edited. What is added
stands on the labelled line, so that messages name the lines of the file. A variant, label or edit that there is
not is an error, and so is a label that no variant uses.
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
        else:
            raise ValueError(f"variant {name}: '{edit}' is no edit (drop, replace, before, after, as)")


def variant(name, text):
    variants, used = {}, set()
    lines = text.split("\n")
    for line in lines:
        if match := re.fullmatch(r"\s*// VARIANT (\w+): (.*?)\s*", line):
            variants.setdefault(match[1], []).append(match[2])
    labels = {}
    for number, line in enumerate(lines):
        if (match := re.fullmatch(r"(.*\S)\s*// @(\w+)", line)) and not line.lstrip().startswith("//"):
            labels.setdefault(match[2], []).append(number)
            lines[number] = match[1]
    for each in variants:
        for label, change in edits_of(each, variants):
            if label not in labels:
                raise ValueError(f"variant {each}: no line has the label {label}")
            used.add(label)
            for number in labels[label] if each == name else ():
                lines[number] = change(lines[number])
    if name not in variants:
        list(edits_of(name, variants))
    if unused := sorted(set(labels) - used):
        raise ValueError(f"no variant uses the label {', '.join(unused)}")
    return "\n".join(lines)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        print(variant(sys.argv[1], pathlib.Path(sys.argv[2]).read_text()), end="")
    except ValueError as error:
        sys.exit(f"{sys.argv[2]}: {error}")


if __name__ == "__main__":
    main()
