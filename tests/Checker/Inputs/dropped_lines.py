#!/usr/bin/env python3
"""Drops each line of synchronisation of a program in turn, and asks what becomes of it:

    dropped_lines.py --titan build/bin/titan [--schedules N] [--every N] [flags of titan run, of a program] FILE...

    refused       `titan check` refuses it, and a run under the schedule that is named goes wrong, too
    refused, runs `titan check` refuses it, and none of the schedules that were tried shows it
    no program    what is left cannot be expanded, or is refused by the types
    redundant     it is accepted, and `titan check --redundant` lists the line
    proved        it is accepted and proved, and not listed: a mistake of the proof, or of the list
    warned        it is accepted with a warning, and not listed
    accepted      it is accepted and not listed: not proved

What is accepted has to run clean under all schedules: else it is a mistake of the checker, as what is proved and
fails is one of the proof (exit 1). Runs are small: `SIZES` says how a program is launched. A line that makes a token
makes one of nothing instead.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LINE = re.compile(r"^\s*(?:(%[\w:]+) = )?titan\.(fence\.\w+|mbarrier\.(?:init|wait|arrive\w*|expect_tx|complete_tx)|barrier\.\w+|"
                  r"cta_sync|syncwarp|cluster\.(?:arrive|wait)|bulk\.(?:commit|wait\w*)|mma\.(?:fence|commit|wait\w*)|"
                  r"pipe\.(?:commit|release|signal|skip|wait|acquire)|flag\.\w+|s_waitcnt|s_barrier|counter\.wait|"
                  r"tcgen05\.(?:fence_\w+|commit)|tmem\.wait_\w+|cp_async\.(?:commit|wait\w*|mbarrier_arrive))\b")
# Flags of titan run: small launches, in which every loop runs at least twice, and rings come round.
GEMM = "--shape A=264x264 --arg A=ints:1 --shape B=264x264 --arg B=ints:2 --shape D=264x264 --arg D=zeros"
SIZES = {"copy": "--size M=72 --size N=72", "pipeline": "--size M=72 --size N=264", "groups": "--size M=72 --size K=704 --size G=3",
         "gemm": "--size M=72 --size N=520 --size K=520 --sms 1", "gemm_bare": "--size M=72 --size N=520 --size K=520 --sms 1",
         "gemm_cluster": GEMM + " --sms 2", "gemm_cluster_pipes": GEMM + " --sms 2", "gemm_pingpong": GEMM + " --sms 2",
         "gemm_pingpong_pipes": GEMM + " --sms 2", "gemm_dynamic": GEMM + " --shape counter=1 --arg counter=zeros --sms 2",
         "gemm_dynamic_pipes": GEMM + " --shape counter=1 --arg counter=zeros --sms 2",
         "gemm_stream_k": GEMM + " --shape partial=4x128x128 --arg partial=zeros --shape flags=9 --arg flags=zeros --sms 4",
         "attention": "--shape Q=256x128 --shape K=640x128 --shape V=640x128 --shape O=256x128 --arg Q=ints:1 --arg K=ints:2 --arg V=ints:3"}
SIZES = {name: flags.split() for name, flags in SIZES.items()}
SCHEDULES = ["eager", "lazy", "random:1", "skew:0", "skew:3", "random:2", "random:3", "skew:6", "random:4", "random:5",
             "random:6", "random:7", "random:8"]


def titan(options, *arguments, text):
    try:
        done = subprocess.run([options.titan, *arguments], input=text, capture_output=True, text=True, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return 124, "no end"
    return done.returncode, done.stdout + done.stderr


def code_of(output):
    return (re.findall(r"error: \[([a-z0-9-]+)\]|error: .*\[([a-z0-9-]+)\]", output) or [("?", "")])[0]


def without(lines, at):
    """The text without a line; None where its value is needed and there is none of nothing."""
    match = LINE.match(lines[at])
    name = match[1]
    rest = lines[at + 1:]
    instead = ""
    if name and any(re.search(re.escape(name.split(":")[0]) + r"\b", line) for line in rest):
        if not match[2].endswith(".commit") or match[2].startswith("pipe"):
            return None
        instead = f"{name} = titan.token.none :{lines[at].rsplit(':', 1)[1]}"
    return "\n".join([*lines[:at], instead, *rest])


def judge(options, file, lines, listed, at):
    text = without(lines, at)
    if text is None:
        return None
    check = ["check", "-"]
    rc, output = titan(options, *check, "--proof=off", text=text)
    proved = False
    if not rc:
        _, said = titan(options, *check, text=text)
        proved = bool(re.search(r"^  proved, for", said, re.M)) and "searched, not proved" not in said
    code = next(filter(None, code_of(output))) if rc else ""
    if rc == 2 or (code.startswith("pipe-") and "events in" not in output):
        return "no program", code, ""
    how = ""
    flags = SIZES.get(file.stem, [])
    for schedule in SCHEDULES[:options.schedules]:
        for hazards in ("on", "off"):
            went, said = titan(options, "run", "-", "--schedule", schedule, f"--hazards={hazards}", *flags, text=text)
            cannot = "not-supported-yet" in said or "argument-missing" in said
            if cannot:
                break
            if went:
                how = f"{next(filter(None, code_of(said)), '?')} under {schedule}" + (", hazards off" if hazards == "off" else "")
                break
        if how or cannot:
            break
    if rc:
        return ("refused" if how else "refused, runs"), code, how
    warning = re.search(r"warning: \[([a-z0-9-]+)\]", output)
    what = "redundant" if at + 1 in listed else "proved" if proved else "warned" if warning else "accepted"
    if what == "warned":
        code = warning[1]
    return what, code, how


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--titan", required=True)
    parser.add_argument("--schedules", type=int, default=len(SCHEDULES))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=300)
    parser.add_argument("-v", action="store_true", help="a line for each line")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    kinds = ["refused", "refused, runs", "no program", "redundant", "warned", "proved", "accepted"]
    print(f"| program | lines | {' | '.join(kinds)} |\n|---|---|{'---|' * len(kinds)}")
    wrong, total = [], collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for file in options.files:
            text = file.read_text()
            lines = text.split("\n")
            _, output = titan(options, "check", "-", "--redundant", text=text)
            listed = {int(n) for n in re.findall(r"^<stdin>:(\d+):\d+: warning: \[orders-nothing\]", output, re.M)}
            places = [n for n, line in enumerate(lines) if LINE.match(line)][::options.every]
            counts, notes = collections.Counter(), []
            for at, result in zip(places, pool.map(lambda n: judge(options, file, lines, listed, n), places)):
                if not result:
                    continue
                what, code, how = result
                counts[what] += 1
                if what in ("redundant", "warned", "proved", "accepted") and how or what == "proved":
                    wrong.append(f"{file}:{at + 1}: {lines[at].strip()}: {what}, and fails: {how}")
                if options.v or what not in ("refused", "no program"):
                    notes.append(f"  line {at + 1}: {lines[at].strip()}: {what} {code} {how}".rstrip())
            total.update(counts)
            print(f"| {file.stem} | {counts.total()} | {' | '.join(str(counts[kind]) for kind in kinds)} |", flush=True)
            print("\n".join(notes), end="\n" if notes else "", flush=True)
    print(f"| all | {total.total()} | {' | '.join(str(total[kind]) for kind in kinds)} |")
    for each in wrong:
        print("WRONG", each)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
