#!/usr/bin/env python3
"""A bug and its fix, through checker and simulator.

    bug_and_fix.py FILE [options of titan run]

FILE holds a kernel @bug and a kernel @fix and says what is to be seen:

    // CODES: proxy-fence-missing        the codes allowed, all on one line
      // BUG                             the line below is where checker and
                                         reader are to look

The checker refuses @bug with one of the codes there; its places are that one
and the other one that the finding names. The simulator, with its hazards,
reports one of the codes at one of these places (line and column) under at least
one of the schedules eager, lazy, random:1 to random:20. @fix is accepted, and
runs under every one of them without a finding. Flags of severity (--war=error)
go to both; everything else is `titan run`'s.
"""
import json
import re
import subprocess
import sys

SCHEDULES = ["eager", "lazy"] + [f"random:{seed}" for seed in range(1, 21)]


def titan(*words):
    """The exit code of a command, and its errors."""
    run = subprocess.run(["titan", *words, "--json"], capture_output=True, text=True)
    if run.returncode not in (0, 1):
        sys.exit(f"titan {' '.join(words)}: exit code {run.returncode}\n{run.stderr}")
    found = [each for each in json.loads(run.stdout)["findings"]
             if each["severity"] == "error"]
    if (run.returncode == 1) != bool(found):
        sys.exit(f"titan {' '.join(words)}: exit code {run.returncode}, "
                 f"but {len(found)} errors")
    return found


def place(each):
    return each.get("line"), each.get("column")


def words(found):
    return "".join(f"\n  {line}:{column}: {each['code']}: {each['message']}"
                   for each in found for line, column in [place(each)]) or " nothing"


def main():
    file, options = sys.argv[1], sys.argv[2:]
    severities = [each for each in options if re.match("--(war|strict)", each)]
    with open(file) as text:
        lines = text.read().split("\n")
    codes = [line.split()[2:] for line in lines if line.startswith("// CODES: ")]
    marks = [number + 2 for number, line in enumerate(lines) if line.strip() == "// BUG"]
    if len(codes) != 1 or len(marks) != 1:
        sys.exit(f"{file}: wants one line '// CODES: ...' and one line '// BUG'")
    codes, mark = codes[0], marks[0]

    found = titan("check", file, "--kernel", "bug", *severities)
    seen = [each for each in found if each["code"] in codes and each.get("line") == mark]
    if not seen:
        sys.exit(f"titan check does not refuse @bug with one of {codes} at line {mark}; "
                 f"it says{words(found)}")
    places = {place(each) for each in seen[:1] + seen[0]["places"][:1]}

    tried = ""
    for schedule in SCHEDULES:
        found = titan("run", file, "--kernel", "bug", "--schedule", schedule, *options)
        hit = [each for each in found if each["code"] in codes and place(each) in places]
        if hit:
            print(f"@bug: {seen[0]['code']}; {hit[0]['code']} under {schedule}, "
                  f"{'%d:%d' % place(hit[0])}")
            break
        tried += f"\n{schedule}:{words(found)}"
    else:
        sys.exit(f"titan run reports none of {codes} at one of {sorted(places)}:{tried}")

    found = titan("check", file, "--kernel", "fix", *severities)
    if found:
        sys.exit(f"titan check refuses @fix:{words(found)}")
    for schedule in SCHEDULES:
        found = titan("run", file, "--kernel", "fix", "--schedule", schedule, *options)
        if found:
            sys.exit(f"titan run refuses @fix under {schedule}:{words(found)}")
    print(f"@fix: accepted; {len(SCHEDULES)} schedules without a finding")


main()
