#!/usr/bin/env python3
"""Of each kernel that titan check refuses: whether --replay-out finds a run that shows it.

    replays.py --titan build/bin/titan [--jobs N] FILE...

A line for each that has none, `FILE @KERNEL: CODES`, then `N refused, N shown, N not simulated, N without a run`. What is
undecided alone is no refusal of a run. A target that is not simulated (gfx942's counters aside: sm_100a) has none."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def look(titan, file, kernel):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "replay.json")
        done = subprocess.run([titan, "check", file, "--kernel", kernel, "--proof=off", "--json", f"--replay-out={path}"],
                              capture_output=True, text=True, timeout=600)
        try:
            found = json.loads(done.stdout)
        except json.JSONDecodeError:
            return "unreadable", [], done.stderr.strip()[:200]
        codes = sorted({finding["code"] for finding in findings(found) if finding.get("severity") == "error"})
        if not done.returncode or not set(codes) - {"undecided"}:
            return "accepted", codes, ""
        if not os.path.exists(path):
            return "none", codes, ""
        again = subprocess.run([titan, "run", file, f"--replay={path}"], capture_output=True, text=True, timeout=600)
        return ("shown" if again.returncode == 1 else "not shown again"), codes, again.stderr.strip()[:200]


def findings(json_object):
    """All objects with a code, wherever they stand."""
    if isinstance(json_object, dict):
        if "code" in json_object and "severity" in json_object:
            yield json_object
        for value in json_object.values():
            yield from findings(value)
    elif isinstance(json_object, list):
        for value in json_object:
            yield from findings(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--titan", required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    work = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for file in options.files:
            for kernel in re.findall(r"^titan\.kernel @(\w+)", file.read_text(), re.M):
                work.append((file, kernel, pool.submit(look, options.titan, file, kernel)))
        counts = {}
        for file, kernel, result in work:
            how, codes, why = result.result()
            counts[how] = counts.get(how, 0) + 1
            if how not in ("accepted", "shown"):
                print(f"{file.name} @{kernel}: {how}: {', '.join(codes)} {why}".rstrip(), flush=True)
    print(", ".join(f"{count} {how}" for how, count in sorted(counts.items())))


if __name__ == "__main__":
    sys.exit(main())
