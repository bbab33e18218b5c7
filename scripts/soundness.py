#!/usr/bin/env python3
"""The proof against everything that can show it wrong, at full length: hours of one core, so in parts, side by side.

    scripts/soundness.py                      all of it, a job a core, into build/soundness
    scripts/soundness.py --jobs 64 --seconds 540 --out FOLDER    what is done in 9 minutes; each line says what was done
    scripts/soundness.py --out FOLDER         again: goes on with the parts that FOLDER/progress.txt does not have
    scripts/soundness.py --only gemm --only pipelines            forms whose names begin so
    scripts/soundness.py --list               the forms, their parts and commands; runs nothing
    scripts/soundness.py --summary --out FOLDER                  adds up what FOLDER/progress.txt has

Needs titan, titan-mutate, TitanTypestateTests and TitanSimulatorTests in the build folder (--build), and Python: no lit, no
LLVM tools. A part that takes longer than --limit is killed, and told. Parts of all forms take turns, so that a run cut
short has looked at a share of each. The exit status is 1 where anything is proved and wrong, or fails.

The forms (docs/checker.md, "What shows it"):
  loops5 ... guards5   programs of two agents, all interleavings (RingTheorem): as many as ./test --full, --times N that
  whole-...            all programs of two agents of a form, none left out (RingTheorem.Whole)
  litmus, pairs        mutants of litmus kernels, random pipelines and their mutants (Differential)
  pipelines            random pipelines of pipelines.py, and one bug each: 10,000 programs
  twins                the twins of the idioms, by the proof alone: what the search would refuse is not to be proved either
  small, cluster_copy, gemm, gemm_bare, program-..., idioms    mutants, --prove: of all examples, of examples/programs, of the idioms

What is proved runs under eager, lazy, --schedules random and 8 skewed schedules, hazards on and off, at sizes of 0 and 1,
around the constants of the program, of depth - 1 to depth + 1 steps, large and ragged (tools/titan-mutate/Corners.h).
All of the random and skewed schedules at the launch that is named; at each of the others eager, lazy, three of the random (of GEMMs
and programs one) and two of the skewed, in turn.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

# RingTheorem's forms: its share under TITAN_TEST_FULL (one program of so many), in how many parts.
AGENTS = {"loops5": (20, 4), "loops6": (400, 4), "around4": (20, 12), "around5": (400, 12), "named4": (10, 8), "named5": (10, 24),
          "guards4": (2, 48), "guards5": (2000, 12)}


# RingTheorem.Whole: letters, synchronisations, form; in how many parts. All programs of each.
WHOLE = {"whole-loops4": ("abfxXyY,4,loops", 1), "whole-loops5": ("abfxXyY,5,loops", 2), "whole-loops6": ("abfxXyY,6,loops", 48),
         "whole-named5": ("afxXtT,5,loops", 1), "whole-named6": ("afxXtT,6,loops", 4), "whole-two6": ("sStT,6,loops", 1),
         "whole-around4": ("abfxXyY,4,around", 4), "whole-around5": ("abfxXyY,5,around", 48),
         "whole-named-around4": ("afxXtT,4,around", 4), "whole-named-around5": ("afxXtT,5,around", 48),
         "whole-two-around5": ("sStT,5,around", 8)}


class Part:
    """One command of a form: it prints what `sums` adds up."""

    def __init__(self, form, number, command, environment=()):
        self.form, self.name, self.command, self.environment = form, f"{form}.{number}", command, dict(environment)

    def __str__(self):
        return " ".join([f"{key}={value}" for key, value in self.environment.items()] + [str(word) for word in self.command])


# Launches of the programs that come without one: rings repeat, and loops of tiles.
GEMM = 'sizes = {M = 264, N = 264, K = 264}, A = "MxK ints:1", B = "NxK ints:2", D = "MxN zeros", multiprocessor_count = '
EXAMPLES = {"gemm_cluster": GEMM + "2", "gemm_cluster_pipes": GEMM + "2", "gemm_pingpong": GEMM + "2",
            "gemm_dynamic": GEMM + '2, counter = "1 zeros"', "gemm_dynamic_pipes": GEMM + '2, counter = "1 zeros"',
            "gemm_stream_k": GEMM + '4, partial = "4x128x128 zeros", flags = "64 zeros"',
            "attention": 'sizes = {M = 64, T = 264, W = 128}, Q = "MxW ints:1", K = "TxW ints:2", V = "TxW ints:3", O = "MxW zeros"'}
# Smaller than in the example: two tiles of pixels, one of filters, nine taps of two blocks.
SIZES = {"conv": ["--size", "N=1", "--size", "H=3", "--size", "W=50", "--size", "K=136", "--multiprocessors", 2]}
# Not simulated: of their mutants the search alone says what is wrong.
SEARCHED = ["gemm_blackwell", "gemm_blackwell_pair", "gemm_gfx942"]
# Of each program's mutants, in how many parts.
PARTS = {"attention": 24, "conv": 24, "gemm_pingpong": 24, "gemm_pingpong_pipes": 16, "gemm_cluster": 24, "gemm_stream_k": 48,
         "gemm_cluster_pipes": 16}


def with_example(options, file):
    """A program with a launch: a file beside the logs."""
    if file.stem not in EXAMPLES:
        return file
    text, example = file.read_text(), f"titan.example = {{{EXAMPLES[file.stem]}}}"
    head, brace, rest = text.partition("attributes {")
    if not brace or "titan.example" in text:
        sys.exit(f"{file}: one kernel with attributes, and no titan.example, was expected")
    options.out.mkdir(parents=True, exist_ok=True)
    made = options.out / file.name
    made.write_text(f"{head}{brace}{example}, {rest}")
    return made


def mutants(options, form, files, every, flags):
    """Mutants of files: all of them, in `every` parts."""
    return [Part(form, part, [options.build / "bin/titan-mutate", *files, "--prove", "--undecided", "-j", 1, "--every", every,
                              "--offset", part, "--seed", options.seed, *flags]) for part in range(every)]


def twins_of(file):
    """A right program's twins that are not accepted: a variant's name, and of which kernel. (Pipes that do not expand are no program.)"""
    text, twins = file.read_text(), []
    defined = dict(re.findall(r"^// DEFINE: (%\{\w+\}) = (.*)", text, re.M))
    files = {}  # what a RUN line has written a variant into
    for line in re.findall(r"^// RUN: (.*)", text, re.M):
        for name, words in defined.items():
            line = line.replace(name, words)
        if found := re.match(r"%variant (\w+) %s > (%t\S*)", line):
            files[found[2]] = found[1]
        elif found := re.match(r"(?:%variant (\w+) %s \| )?not titan check (-|%t\S*)(?: (--kernel \w+))?", line):
            if name := found[1] or files.get(found[2]):
                twins.append((name, found[3] or ""))
    return list(dict.fromkeys(twins))


def forms(options):
    bin, examples, proved = options.build / "bin", ROOT / "examples", ROOT / "tests/Checker/Proved"
    result = []
    for form, (share, parts) in AGENTS.items():
        times = min(share, options.times)
        share, parts = share // times, parts * times
        result.append([Part(form, part, [bin / "TitanTypestateTests", f"--gtest_filter=RingTheorem.{form.capitalize()}"],
                            {"TITAN_TEST_FULL": 1, "TITAN_SHARE": share * parts, "TITAN_PART": share * part})
                       for part in range(parts)])
    for form, (which, parts) in WHOLE.items():
        result.append([Part(form, part, [bin / "TitanTypestateTests", "--gtest_filter=RingTheorem.Whole"],
                            {"TITAN_WHOLE": which, "TITAN_SHARE": parts, "TITAN_PART": part}) for part in range(parts)])
    seed = options.seed * 1000000
    result.append([Part("litmus", part, [bin / "TitanSimulatorTests", "--gtest_filter=Differential.Mutants"],
                        {"TITAN_SEED": seed + 500 * part, "TITAN_CASES": 500, "TITAN_SCHEDULES": options.schedules})
                   for part in range(20)])
    result.append([Part("pairs", part, [bin / "TitanSimulatorTests", "--gtest_filter=Differential.Pipelines"],
                        {"TITAN_SEED": seed + 20 * part, "TITAN_CASES": 20, "TITAN_SCHEDULES": options.schedules})
                   for part in range(50)])
    # Some 82 programs a part: 50 right ones, and a bug in each of bare barriers.
    script = ROOT / "tests/Hardware/ir/pipelines.py"
    pipelines = []
    for part in range(122):
        text = options.out / f"pipelines.{part}.mlir"
        pipelines.append(Part("pipelines", part, ["sh", "-c", '"$0" "$1" text --titan "$2/titan" --seed "$3" --count 50 --broken --jobs 1 '
                         '--out "$4" && "$2/titan-mutate" "$4" --prove --undecided -j 1 --every 1000000 --schedules "$5" --corners --further 3',
                         sys.executable, script, bin, options.seed * 10000 + part, text, options.schedules]))
    result.append(pipelines)
    runs = ["--schedules", options.schedules, "--corners"]
    few = [*runs, "--further", 1]
    small = [examples / f"{name}.mlir" for name in ("copy", "pipeline", "groups")]
    result.append(mutants(options, "small", small, 12, ["--size", "M=72", "--size", "N=72", *runs]))
    result.append(mutants(options, "cluster_copy", [examples / "cluster_copy.mlir"], 4, runs))
    for name in ("gemm", "gemm_bare"):
        result.append(mutants(options, name, [examples / f"{name}.mlir"], 48, ["--size", "M=72", "--size", "N=264", "--size", "K=136",
                              "--multiprocessors", 1, *few]))
    for file in sorted((examples / "programs").glob("*.mlir")):
        result.append(mutants(options, "program-" + file.stem, [with_example(options, file)], PARTS.get(file.stem, 8),
                              ["--search-only"] if file.stem in SEARCHED else [*few, *SIZES.get(file.stem, [])]))
    # All of each file that has launches.
    idioms = []
    for file in sorted(proved.glob("*.mlir")):
        if "titan.example" in file.read_text():
            idioms += mutants(options, "idioms-" + file.stem, [file], 4, [*runs, "--further", 3])
    for part in idioms:
        part.form = "idioms"
    result.append(idioms)
    twins = [(file, *twin) for file in sorted(proved.glob("*.mlir")) for twin in twins_of(file)]
    result.append([Part("twins", part, ["sh", "-c", "; ".join(
        f'"$0" "$1/Inputs/variant.py" {twin} "$1/Checker/Proved/{file.name}" | "$2/titan-mutate" - --prove --undecided --every 1000000 '
        f'--schedules 1 {kernel}{"" if "titan.example = " in file.read_text() else " --search-only"}'
        f' || [ $? -eq 1 ] || echo "1 no programs: {file.stem} {twin}"'
        for file, twin, kernel in twins[part::8]), sys.executable, ROOT / "tests", bin]) for part in range(8)])
    return [form for form in result if not options.only or form[0].form.startswith(tuple(options.only))]


def in_turns(lists):
    """The parts of all forms, of each the same share at any time."""
    return [part for *_, part in sorted(((number + 0.5) / len(parts), part.name, part) for parts in lists
                                        for number, part in enumerate(parts))]


# What a part prints, and what of it is added up: a pattern, the names of its numbers.
SUMS = [
    (r"(\d+) programs of (\d+) skeletons, of these (\d+) right, (\d+) proved; (\d+) asked with touches \((\d+) skeletons not proved\), "
     r"(\d+) right, (\d+) proved, each", ("programs", "skeletons", "right skeletons", "proved skeletons", "asked with touches",
                                         "skeletons not proved and asked", "right and asked", "proved and right")),
    (r"(\d+) programs, (\d+) right, of these (\d+) proved", ("programs", "right", "right and proved")),
    (r"(\d+) accepted, all run; (\d+) refused, of which (\d+) show", ("accepted", "refused", "refused and shown")),
    (r"no valid IR; (\d+) proved, all right", ("proved",)),
    (r"^(\d+) of \d+ mutants", ("mutants",)),
    (r"^all +\d+ +(\d+) +(\d+) +(\d+) +(\d+)", ("refused", "refused and shown", "accepted", "accepted and fails")),
    (r"^proved: (\d+), of which (\d+)", ("proved", "PROVED AND WRONG")),
    (r"^(\d+) no programs", ("no programs",)),
    (r"kernels as they are: (\d+), (\d+) refused, (\d+) proved, of which (\d+) are refused or fail; (\d+) launches",
     ("kernels", "kernels refused", "kernels proved", "KERNELS PROVED AND WRONG", "launches")),
]


def sums(text):
    result = collections.Counter()
    for pattern, names in SUMS:
        for found in re.finditer(pattern, text, re.M):
            result.update(dict(zip(names, map(int, found.groups()))))
    return result


def told(counter):
    return ", ".join(f"{count} {name}" for name, count in counter.items()) or "nothing"


class Runner:
    def __init__(self, options):
        self.options, self.lock, self.running, self.stopped = options, threading.Lock(), set(), False
        self.until = time.time() + options.seconds if options.seconds else float("inf")

    def __call__(self, part):
        """Runs a part, writes its line; true where nothing is wrong."""
        begin = time.time()
        limit = min(self.options.limit, self.until - begin)
        if limit <= 0 or self.stopped:
            return True
        log = self.options.out / f"{part.name}.txt"
        environment = os.environ | {key: str(value) for key, value in part.environment.items()}
        with log.open("wb") as out:
            process = subprocess.Popen([str(word) for word in part.command], stdout=out, stderr=subprocess.STDOUT,
                                       env=environment, start_new_session=True)
            with self.lock:
                self.running.add(process)
            try:
                process.wait(limit)
                how = "ended"
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                how = "cut short"
            with self.lock:
                self.running.discard(process)
        text = log.read_text(errors="replace")
        wrong = re.search(r"PROVED AND WRONG|FAILED|Assertion|Stack dump", text)
        if how == "ended" and (wrong or process.returncode and not sums(text)):
            how = "WRONG"
        elif how == "ended" and not sums(text):
            how = "EMPTY"
        elif wrong:
            how = "WRONG"
        self.tell(f"{part.name} {how} {time.time() - begin:.0f} s: {told(sums(text))}")
        return how in ("ended", "cut short")

    def tell(self, line):
        with self.lock:
            print(line, flush=True)
            with (self.options.out / "progress.txt").open("a") as progress:
                progress.write(line + "\n")

    def stop(self):
        self.stopped = True
        with self.lock:
            for process in self.running:
                os.killpg(process.pid, signal.SIGKILL)


def progress(options):
    """What is done: name -> (how, sums), the last line of each part."""
    file, lines = options.out / "progress.txt", {}
    for line in file.read_text().splitlines() if file.exists() else []:
        if found := re.match(r"(\S+) (ended|cut short|WRONG|EMPTY) \d+ s: (.*)", line):
            lines[found[1]] = found[2], found[3]
    return lines


def summary(options):
    lines, good = progress(options), True
    for parts in forms(options):
        of = [lines[part.name] for part in parts if part.name in lines]
        total = collections.Counter()
        for how, text in of:
            for count, name in re.findall(r"(\d+) ([^,]+)", text):
                total[name] += int(count)
        hows = collections.Counter(how for how, _ in of)
        good &= not hows["WRONG"] and not hows["EMPTY"]
        print(f"{parts[0].form}: {hows['ended']} of {len(parts)} parts to the end"
              + "".join(f", {count} {how}" for how, count in hows.items() if how != "ended") + f": {told(total)}")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--out", type=pathlib.Path, help="logs, and progress.txt (BUILD/soundness)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=float, default=3600, help="seconds that a part may take (3600)")
    parser.add_argument("--seconds", type=float, default=0, help="seconds that all may take: what runs then is cut short (0: no limit)")
    parser.add_argument("--seed", type=int, default=1, help="of what is random (1)")
    parser.add_argument("--schedules", type=int, default=100, help="random schedules that what is proved runs under (100)")
    parser.add_argument("--times", type=int, default=1, help="two agents: so many times the programs, all of them at most (1)")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--first", type=int, help="of each form so many parts")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--summary", action="store_true")
    options = parser.parse_args()
    options.build = options.build.resolve()
    options.out = (options.out or options.build / "soundness").resolve()
    parts = in_turns([form[:options.first] for form in forms(options)])
    if options.list:
        for part in parts:
            print(f"{part.name}: {part}")
        return 0
    if options.summary:
        return 0 if summary(options) else 1
    options.out.mkdir(parents=True, exist_ok=True)
    done = {name for name, (how, _) in progress(options).items() if how == "ended"}
    runner = Runner(options)
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(runner, [part for part in parts if part.name not in done]))
    except KeyboardInterrupt:
        runner.stop()
        raise
    return 0 if summary(options) else 1


if __name__ == "__main__":
    sys.exit(main())
