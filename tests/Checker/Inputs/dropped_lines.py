#!/usr/bin/env python3
"""Drops each line of synchronisation of a program in turn, and asks what becomes of it:

    dropped_lines.py --titan build/bin/titan [--schedules N] [--every N] [--jobs N] [--shard I/N] FILE...

    refused       `titan check` refuses it, and a run under the schedule that is named goes wrong, too
    refused, runs `titan check` refuses it, and none of the schedules that were tried shows it (or it is not simulated)
    no program    what is left cannot be expanded, or is refused by the types
    redundant     it is accepted, and `titan check --redundant` lists the line: it orders nothing
    for the proof it is accepted and not proved, and --redundant lists the line: the proof alone needs it
    proved        it is accepted and proved, and not listed: a mistake of the proof, or of the list
    warned        it is accepted with a warning, and not listed
    accepted      it is accepted and not listed: not proved
    unknown       a command took longer than --timeout seconds, or could not be carried out: nothing is known of the line

What is accepted has to run clean under all schedules: else it is a mistake of the checker, as what is proved and
fails is one of the proof (exit 1; so it ends where something is unknown, or a program does not run as it is: its
lines are then checked and not run). Runs are small: `SIZES` says how a program is launched. A line that makes a token
makes one of nothing instead. Of a file the kernel that the line stands in is looked at. --shard I/N (or
TITAN_SHARD=I/N): the I-th of N parts, I from 1 on.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

LINE = re.compile(r"^\s*(?:(%[\w:]+) = )?titan\.(fence\.\w+|mbarrier\.(?:init|wait|arrive\w*|expect_tx|complete_tx)|barrier\.\w+|"
                  r"cta_sync|syncwarp|cluster\.(?:arrive|wait)|bulk\.(?:commit|wait\w*)|mma\.(?:fence|commit|wait\w*)|"
                  r"pipe\.(?:commit|release|signal|skip|wait|acquire)|flag\.\w+|s_waitcnt|s_barrier|counter\.wait|"
                  r"tcgen05\.(?:fence_\w+|commit)|tmem\.wait_\w+|cp_async\.(?:commit|wait\w*|mbarrier_arrive))\b")
# Flags of titan run: small launches, in which every loop runs at least twice, and rings repeat.
GEMM = "--shape A=264x264 --arg A=ints:1 --shape B=264x264 --arg B=ints:2 --shape D=264x264 --arg D=zeros"
MATRICES = "--shape A=264x264 --shape B=264x264 --shape D=264x264"
SIZES = {"copy": "--size M=72 --size N=72", "pipeline": "--size M=72 --size N=264", "groups": "--size M=72 --size K=704 --size G=3",
         "gemm": "--size M=72 --size N=520 --size K=520 --sms 1", "gemm_bare": "--size M=72 --size N=520 --size K=520 --sms 1",
         "gemm_blackwell": MATRICES, "gemm_blackwell_pair": MATRICES, "gemm_gfx942": MATRICES.replace("264", "256"),
         "gemm_cluster": GEMM + " --sms 2", "gemm_cluster_pipes": GEMM + " --sms 2", "gemm_pingpong": GEMM + " --sms 2",
         "gemm_pingpong_pipes": GEMM + " --sms 2", "gemm_dynamic": GEMM + " --shape counter=1 --arg counter=zeros --sms 2",
         "gemm_dynamic_pipes": GEMM + " --shape counter=1 --arg counter=zeros --sms 2",
         "gemm_stream_k": GEMM + " --shape partial=4x128x128 --arg partial=zeros --shape flags=9 --arg flags=zeros --sms 4",
         "attention": "--shape Q=256x128 --shape K=640x128 --shape V=640x128 --shape O=256x128 --arg Q=ints:1 --arg K=ints:2 --arg V=ints:3"}
SIZES = {name: flags.split() for name, flags in SIZES.items()}
SCHEDULES = ["eager", "lazy", "random:1", "skew:0", "skew:3", "random:2", "random:3", "skew:6", "random:4", "random:5",
             "random:6", "random:7", "random:8"]


class NoEnd(Exception):
    """A command took longer than --timeout seconds."""

    def __str__(self):
        return "no end: " + super().__str__()


def titan(options, *arguments, text):
    """The exit status of a command and what it says."""
    try:
        done = subprocess.run([options.titan, *arguments], input=text, capture_output=True, text=True, timeout=options.timeout)
    except subprocess.TimeoutExpired as error:
        raise NoEnd(" ".join(arguments)) from error
    return done.returncode, done.stdout + done.stderr


def code_of(output):
    """The code of the first error that a command tells."""
    found = re.search(r"error: \[([a-z0-9-]+)\]|error: .*\[([a-z0-9-]+)\]", output)
    return found[1] or found[2] if found else "?"


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


class Program:
    """A kernel of a file: its lines of synchronisation, and whether it is simulated."""

    def __init__(self, options, file, lines, name, places):
        self.options, self.lines, self.name, self.places = options, lines, name, places
        self.flags = ["--kernel", name] + SIZES.get(file.stem, [])
        self.lock, self.listed = threading.Lock(), None
        text = "\n".join(lines)
        try:
            went, said = titan(options, "run", "-", "--schedule", "eager", *self.flags, text=text)
        except NoEnd as error:
            went, said = 1, str(error)
        self.why = said if went and "not-supported-yet" not in said else ""
        self.simulated = not went

    def lists(self, at):
        """What --redundant lists the line as, if it does; asked once, and not before a line is accepted: it makes many checks."""
        with self.lock:
            if self.listed is None:
                went, output = titan(self.options, "check", "-", "--kernel", self.name, "--redundant", text="\n".join(self.lines))
                if went:
                    raise RuntimeError(f"check --redundant: {output}")
                listed = re.findall(r"^<stdin>:(\d+):\d+: (warning|remark): \[orders-nothing\]", output, re.M)
                self.listed = {int(line): {"warning": "redundant", "remark": "for the proof"}[how] for line, how in listed}
            return self.listed.get(at + 1, "")

    def fails(self, text):
        """How a run of the text goes wrong; nothing where none does."""
        for schedule in SCHEDULES[:self.options.schedules] if self.simulated else []:
            for hazards in ("on", "off"):
                went, said = titan(self.options, "run", "-", "--schedule", schedule, f"--hazards={hazards}", *self.flags, text=text)
                if went == 2:
                    raise RuntimeError(f"cannot be run: {said}")
                if went:
                    return f"{code_of(said)} under {schedule}" + (", hazards off" if hazards == "off" else "")
        return ""

    def judge(self, at):
        """What becomes of the kernel without a line, why, how a run fails, and the seconds that it took to say."""
        text = without(self.lines, at)
        if text is None:
            return None
        begin = time.monotonic()
        try:
            result = self.outcome(text, at)
        except Exception as error:  # The other lines, and programs, go on.
            result = "unknown", f"{error}".strip(), ""
        return *result, time.monotonic() - begin

    def outcome(self, text, at):
        check = ["check", "-", "--kernel", self.name]
        rc, output = titan(self.options, *check, "--proof=off", text=text)
        code = code_of(output) if rc else ""
        if rc == 2 or (code.startswith("pipe-") and "events in" not in output):
            return "no program", code, ""
        how = self.fails(text)
        if rc:
            return ("refused" if how else "refused, runs"), code, how
        listed = self.lists(at)
        if listed == "redundant":
            return listed, "", how
        _, said = titan(self.options, *check, text=text)
        if re.search(r"^  proved, for", said, re.M):
            return "proved", "", how
        if listed:
            return listed, "", how
        warning = re.search(r"warning: \[([a-z0-9-]+)\]", output)
        return ("warned", warning[1], how) if warning else ("accepted", "", how)


def programs(options, file):
    """The kernels of a file. (What stands in a function is of all that there are: of one, here.)"""
    lines = file.read_text().split("\n")
    kernels, places, name = [], collections.defaultdict(list), None
    for number, line in enumerate(lines):
        if begin := re.match(r"(?:titan\.kernel @(\w+)|func\.func)", line):
            name = begin[1]
            kernels += [name] if name else []
        elif LINE.match(line):
            places[name].append(number)
    if None in places:
        assert len(kernels) == 1, f"{file}: a function that synchronises, of several kernels"
        places[kernels[0]] = sorted(places[None] + places[kernels[0]])
    return [Program(options, file, lines, name, places[name]) for name in kernels]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--titan", required=True)
    parser.add_argument("--schedules", type=int, default=len(SCHEDULES))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--shard", default=os.environ.get("TITAN_SHARD", "1/1"))
    parser.add_argument("--timeout", type=float, default=900, help="seconds that a command may take")
    parser.add_argument("-v", action="store_true", help="a line for each line")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    shard, shards = map(int, options.shard.split("/"))
    if not 1 <= shard <= shards:
        parser.error("--shard is I/N, I from 1 to N")
    kinds = ["refused", "refused, runs", "no program", "redundant", "for the proof", "warned", "proved", "accepted", "unknown"]
    print(f"| program | lines | {' | '.join(kinds)} |\n|---|---|{'---|' * len(kinds)}")
    wrong, total = [], collections.Counter()
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        # All that is to be done is in the pool before anything is waited for.
        files = [(file, pool.submit(programs, options, file)) for file in options.files]
        work, number = [], 0
        for file, found in files:
            todo, kernels = [], []
            try:
                kernels = found.result()
            except Exception as error:  # The other programs go on.
                wrong.append(f"{file}: {error}")
            for program in kernels:
                if program.why:
                    wrong.append(f"{file}: @{program.name} does not run as it is: {program.why.strip()}")
                for at in program.places[::options.every]:
                    if number % shards == shard - 1:
                        todo.append((program, at, pool.submit(program.judge, at)))
                    number += 1
            work.append((file, todo))
        for file, todo in work:
            counts, notes = collections.Counter(), []
            for program, at, result in todo:
                result = result.result()
                if not result:
                    continue
                what, code, how, seconds = result
                counts[what] += 1
                line = program.lines[at].strip()
                if what in ("redundant", "for the proof", "warned", "proved", "accepted") and how:
                    wrong.append(f"{file}:{at + 1}: {line}: {what}, and fails: {how}")
                elif what in ("proved", "unknown"):
                    wrong.append(f"{file}:{at + 1}: {line}: {what}{code and ': '}{code}")
                if options.v or what not in ("refused", "no program"):
                    notes.append(f"  line {at + 1}: {line}: {what} {code} {how}".rstrip() + f" ({seconds:.1f} s)")
            total.update(counts)
            print(f"| {file.stem} | {counts.total()} | {' | '.join(str(counts[kind]) for kind in kinds)} |", flush=True)
            print("\n".join(notes), end="\n" if notes else "", flush=True)
    print(f"| all | {total.total()} | {' | '.join(str(total[kind]) for kind in kinds)} |")
    print(f"part {shard} of {shards}: {time.monotonic() - begin:.0f} s by {options.jobs} jobs")
    for each in wrong:
        print("WRONG", each)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
