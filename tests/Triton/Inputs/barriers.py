"""Drops each barrier of compiled programs, one at a time, and prints what `titan check` says then.

    barriers.py TITAN FILE [--launch-check CONDITION]...
"""
import re
import subprocess
import sys
import tempfile

titan, file, *flags = sys.argv[1:]
text = subprocess.run([titan, "compile", file, *flags, "--check=off", "--emit=titan", "-o", "-"],
                      capture_output=True, text=True, check=True).stdout
lines = text.splitlines(keepends=True)
barriers = [i for i, line in enumerate(lines) if "titan.cta_sync" in line]


def check(lines):
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as kernel:
        kernel.write("".join(lines))
        kernel.flush()
        done = subprocess.run([titan, "check", "--proof=off", kernel.name], capture_output=True, text=True)
    code = re.search(r"error: \[([a-z-]+)\]", done.stdout + done.stderr)
    return code[1] if code else "undecided" if "undecided" in done.stdout + done.stderr else "accepted"


print(len(barriers), "barriers:", check(lines))
for i in barriers:
    print("without one:", check(lines[:i] + lines[i + 1:]))
