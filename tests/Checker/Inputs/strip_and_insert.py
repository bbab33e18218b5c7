"""Takes all fences that can be put in out of programs, and has them put in again.

    strip_and_insert.py [--undecided|--proved] FILE...

A row for each kernel that titan check accepts as it stands: the fences that its author wrote, those
that titan check --insert-fences puts in, and their costs. It fails where more are put in than the author wrote,
or where the mended text is not accepted; with --proved (and --require=proved), of the kernels that are proved as they
stand, where it is not proved."""

import json
import os
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(
    r"^\s*titan\.(fence\.(proxy_async|mbarrier_init|tensormap_release|tensormap_acquire)|mma\.fence)\b"
)
BEGIN = re.compile(r"^\s*(?:titan\.kernel|func\.func(?: private)?) @(\w+)")


def titan(*words):
    """The exit status and the JSON object of a command."""
    done = subprocess.run(["titan", *words, "--json"], capture_output=True, text=True)
    try:
        return done.returncode, json.loads(done.stdout)
    except json.JSONDecodeError:
        return done.returncode, {}


def stripped(text):
    """The text without fences, and how many there were, by kernel or function."""
    kept, counts, name = [], {}, ""
    for line in text.splitlines(keepends=True):
        if begin := BEGIN.match(line):
            name = begin.group(1)
        if FENCE.match(line):
            counts[name] = counts.get(name, 0) + 1
        else:
            kept.append(line)
    return "".join(kept), counts


def main():
    flags = ["--undecided=warning"] if sys.argv[1] == "--undecided" else []
    proved = sys.argv[1] == "--proved"
    ask = ["--require=proved"] if proved else ["--proof=off", *flags]
    bad = rows = 0
    with tempfile.TemporaryDirectory() as folder:
        bare, mended = os.path.join(folder, "bare.mlir"), os.path.join(folder, "mended.mlir")
        for path in sys.argv[1 + len(flags) + proved:]:
            text = open(path).read()
            bare_text, counts = stripped(text)
            with open(bare, "w") as file:
                file.write(bare_text)
            names = re.findall(r"^\s*titan\.kernel @(\w+)", text, re.M)
            functions = set(counts) - set(names)
            for name in names:
                code, before = titan("check", path, "--kernel", name, *ask)
                if code:
                    continue
                wrote = counts.get(name, 0) + sum(counts[each] for each in functions)
                code, done = titan("check", "--insert-fences", bare, "--kernel", name, *(ask if proved else flags))
                row = f"{os.path.basename(path)} @{name}: {wrote} written"
                rows += 1
                if code:
                    bad += 1
                    why = (done.get("findings") or [{}])[-1].get("message", "no answer")
                    print(f"{row}: REFUSED: {why}")
                    continue
                fences = done["kernels"][0]["fences"]
                with open(mended, "w") as file:
                    file.write(done["text"])
                code, after = titan("check", mended, "--kernel", name, *ask)
                verdict = "more" if len(fences) > wrote else "refused" if code else "good"
                bad += verdict != "good"
                exact = "" if done["kernels"][0]["exact"] else ", not exact"
                print(f"{row}, {len(fences)} put in, cost {done['kernels'][0]['cost']}{exact}: {verdict}")
    print(f"{rows} kernels, {bad} bad")
    return bad != 0


sys.exit(main())
