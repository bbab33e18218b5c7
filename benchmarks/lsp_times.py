#!/usr/bin/env python3
"""How long an editor waits for what titan-lsp-server says of a text as it is typed (docs/checker.md).

    python3 benchmarks/lsp_times.py --server build/bin/titan-lsp-server [--rounds 5] [--json FILE] [--only gemm conv]

Of each kernel of examples/ a checker (the process that the server starts for each text that is typed) is given the file
with one line changed, and what is known of its other kernels, as after a key in an editor:

    finding   a line of its synchronisation is missing: until the first error is told; of up to so many lines (--mutants),
              spread over the kernel, that are refused without
    verdict   nothing is wrong: until it is told that the kernel is proved, or where that stopped

ms from the start of the process, parsing included: of the clock, and of processors (all threads together, which other
work on the machine does not move). Each figure is the least of the rounds; of a kernel's mutants the median and the most.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import time

from race import commit

ROOT = pathlib.Path(__file__).resolve().parent.parent
SYNCHRONISES = re.compile(r"titan\.(mbarrier\.(wait|arrive)|pipe\.(acquire|wait|commit|release)|cta_sync|barrier\.sync|mma\.wait|"
                          r"bulk\.wait|cp_async\.wait|fence|cluster\.|flag\.|tcgen05\.(wait|commit)|wait_counter)")


def cpu(process):
    """ms that its threads have run, those that have ended, too."""
    user, system = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return 1e3 * (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def ask(server, text, line, concluded, until):
    """ms of the clock and of processors until something is told of which `until` is true; null: it never was. And what
    was concluded of kernels."""
    began = time.monotonic()
    process = subprocess.Popen([server, "--as-checker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    process.stdin.write((json.dumps({"line": line, "concluded": concluded}) + "\n" + text).encode())
    process.stdin.close()
    found, known = None, {}
    for told in process.stdout:
        said = json.loads(told)
        if "kernel" in said:
            known[said.pop("kernel")] = said
        elif found is None and until(said["findings"]):
            found = (1e3 * (time.monotonic() - began), cpu(process))
    process.wait()
    return found, known


def least(runs):
    runs = [run for run in runs if run]
    return None if not runs else [round(min(run[i] for run in runs), 1) for i in (0, 1)]


def kernels(lines):
    """Name, first and last line (from 0) of each kernel."""
    result = []
    for i, line in enumerate(lines):
        if match := re.match(r"titan\.kernel @(\w+)", line):
            result.append([match[1], i, len(lines) - 1])
            if len(result) > 1:
                result[-2][2] = i - 1
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--server", default=str(ROOT / "build/bin/titan-lsp-server"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--mutants", type=int, default=4)
    parser.add_argument("--json")
    parser.add_argument("--only", nargs="+")
    options = parser.parse_args()
    result = {"titan": commit(), "rounds": options.rounds, "load": os.getloadavg()[0], "kernels": {}}
    is_error = lambda findings: any(each["severity"] == "error" for each in findings)
    for path in sorted(ROOT.glob("examples/*.mlir")) + sorted(ROOT.glob("examples/programs/*.mlir")):
        if options.only and path.stem not in options.only:
            continue
        text = path.read_text()
        lines = text.split("\n")
        _, known = ask(options.server, text, 1, {}, lambda findings: False)
        for name, first, last in kernels(lines):
            # (A space at the end of a kernel's first line moves what stands behind the comment alone.)
            at = next(i for i in range(first, last + 1) if "launch" in lines[i])
            changed = lines[:at + 1] + [""] + lines[at + 1:]
            def concludes(findings):
                return any(each["severity"] in ("note", "warning") and
                           (f"@{name}:" in each["message"] or each.get("code") == "not-proved") for each in findings)
            # Of the other kernels all is known that stands before this one.
            verdict = least(ask(options.server, "\n".join(changed), at + 1, known, concludes)[0] for _ in range(options.rounds))
            places = [i for i in range(at, last + 1) if SYNCHRONISES.search(lines[i]) and not lines[i].rstrip().endswith("{")
                      and "=" not in lines[i].split("titan.")[0]]
            findings = []
            for i in places[::max(1, len(places) // (2 * options.mutants))]:
                if len(findings) == options.mutants:
                    break
                mutant = "\n".join(lines[:i] + [""] + lines[i + 1:])
                if not ask(options.server, mutant, i + 1, known, is_error)[0]:
                    continue
                times = least(ask(options.server, mutant, i + 1, known, is_error)[0] for _ in range(options.rounds))
                findings.append({"line": i + 1, "clock": times[0], "processors": times[1]})
            row = {"verdict": verdict, "findings": findings}
            result["kernels"][f"{path.relative_to(ROOT / 'examples')} @{name}"] = row
            of = lambda key: [each[key] for each in findings]
            print(f"{path.stem + ' @' + name:<44} finding", *(
                ["-"] if not findings else
                [f"{key} {statistics.median(of(key)):.0f} (most {max(of(key)):.0f})" for key in ("clock", "processors")]),
                "  verdict", "-" if not verdict else f"clock {verdict[0]:.0f} processors {verdict[1]:.0f}", "ms", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
