"""How a test of random kernels is made, and all that such tests share.

A generator (copies.py, products.py, ...) writes kernels as text from a seed and computes by itself, from
nothing of titan, what each launch leaves in memory. The rest is here:

    generate    Kernel.several(seed, count, jobs): text(), and launches() with scalars and tensors
    check       `titan check` accepts the text, and `titan run` finds nothing and leaves what the generator
                says, in each of the launch's WAYS (with hazards and without)
    proved      how many of the kernels `titan check` proves, how many it has searched alone, and where it stopped
    mutants     one line of synchronisation less, or a number in it changed: what the checker still accepts has
                to run right under several schedules; of what it refuses, the runs with hazards that
                refuse it, too, are counted
    prepare     what check does, then compiles: a folder of packages, transfers.json, memory.bin
    device.py   launches what lies in the folder on a GPU, and wants in memory what the simulator left

So a new test is a class, a table of bugs and one line:

    class Kernel(random_kernels.Kernel):
        def __init__(self, rng, number):         # kind, warps, lines; type, x, x_shape, global_x; p, p_shape,
            ...                                  # global_p, and `after`: what P holds then
    BUGS = [(a pattern of a whole line, None or what stands there instead), ...]
    if __name__ == "__main__":
        sys.exit(random_kernels.main(__doc__, Kernel, BUGS))

Python 3 and nothing else.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

# name in the IR: bytes, NumPy type, float format (bits of exponent, of mantissa)
TYPES = {"bf16": (2, "<u2", (8, 7)), "f16": (2, "<f2", (5, 10)), "f32": (4, "<f4", (8, 23)),
         "f64": (8, "<f8", (11, 52)), "i8": (1, "|i1", None), "i16": (2, "<i2", None),
         "i32": (4, "<i4", None), "i64": (8, "<i8", None), "f8E4M3FN": (1, "|u1", None),
         "f8E5M2": (1, "|u1", None)}
SCHEDULES = ("eager", "lazy", "random:1", "random:2")  # that mutants run under


def product(values):
    result = 1
    for value in values:
        result *= value
    return result


# ----------------------------------------------------------------------------------------------
# What a generator makes
# ----------------------------------------------------------------------------------------------

@dataclasses.dataclass
class Tensor:
    """A tensor of a launch: bytes of memory, what lies between its rows included."""
    type: str
    shape: list
    before: bytes
    after: bytes | None      # None: whatever lies `within`, or what a reference beside the kernel says
    strides: list = None     # elements; None: dense
    align: int = 16          # bytes; device.py aligns it so far, and no further
    within: list = None      # (least, greatest) of each element, an f32

    def __post_init__(self):
        self.strides = self.strides or [product(self.shape[d + 1:]) for d in range(len(self.shape))]

    @property
    def row_stride(self):
        """Elements from row to row, where that is not the row's length."""
        return self.strides[-2] if len(self.shape) > 1 and self.strides[-2] != self.shape[-1] else None

    def elements(self, memory):
        """Row after row, without what lies between."""
        if not self.row_stride:
            return memory
        size = TYPES[self.type][0]
        row, pitch = self.shape[-1] * size, self.row_stride * size
        return b"".join(memory[at:at + row] for at in range(0, len(memory), pitch))


class Launch:
    """One launch of a kernel: `name` (the kernel's), `scalars` (name: i64), `kind` (for the summary)."""
    WAYS = [["--hazards=on"], ["--hazards=off"]]  # flags of the runs that are to leave the same

    def tensors(self):
        """Name: Tensor."""
        raise NotImplementedError


class Kernel(Launch):
    """A kernel that is launched once, and that reads a tensor X and writes a tensor P."""
    KERNELS_IN_FILE = 8
    LAUNCHES = "kernels"  # what the summary calls them
    KERNELS = "kernels"   # what the table of what is proved calls them
    CHECK = []            # flags of `titan check`
    features = ()         # counted in that table
    cluster = grid = warps = 1

    def __init__(self, rng, number):
        self.rng, self.name, self.lines, self.scalars = rng, f"k{number}", [], {}

    @classmethod
    def several(cls, seed, count, jobs):
        rng = random.Random(seed)
        return [cls(rng, number) for number in range(count)]

    def launches(self):
        return [self]

    def tensors(self):
        return {"X": Tensor(self.type, self.x_shape, self.x, self.x),
                "P": Tensor(self.type, self.p_shape, self.p_before(), self.after)}

    def p_before(self):
        """Random where the kernel says so; else what no kernel writes."""
        count = TYPES[self.type][0] * product(self.p_shape)
        return getattr(self, "p", None) or (bytes(range(1, 252)) * (count // 251 + 1))[:count]

    def add(self, *lines):
        self.lines += lines

    def constant(self, value, type="i32"):
        name = f"%c{'m' if value < 0 else ''}{abs(value)}_{type}"
        line = f"{name} = arith.constant {value} : {type}"
        if line not in self.lines:
            self.lines.insert(0, line)
        return name

    def text(self, launch=(), attributes=""):
        """With a name for each layout; `launch`: lines of the launch region."""
        arguments = f"%X: {self.global_x}, %P: {self.global_p}" + "".join(f", %{s}: i64" for s in self.scalars)
        cluster = f" cluster({self.cluster}, 1)" if self.cluster > 1 else ""
        text = "\n".join([f"titan.kernel @{self.name}({arguments}) warps({self.warps}){cluster}{attributes} launch {{",
                          f"%g = arith.constant {self.grid} : index", *launch, "titan.launch grid(%g)", "} body() {",
                          *self.lines, "titan.return", "}", ""])
        names = {form: f"#{self.name}_{n}" for n, form in
                 enumerate(dict.fromkeys(re.findall(r'#titan\.layout<"[^"]*">', text)))}
        for form, name in names.items():
            text = text.replace(form, name)
        return "".join(f"{name} = {form}\n" for form, name in names.items()) + text

    def __str__(self):
        return f"{self.name} {self.kind} {self.type} {'x'.join(map(str, self.x_shape))} warps {self.warps} cluster {self.cluster}"

    @staticmethod
    def summary(launches):
        kinds = collections.Counter(launch.kind for launch in launches)
        return ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))


# ----------------------------------------------------------------------------------------------
# titan
# ----------------------------------------------------------------------------------------------

def write_npy(path, type, shape, data):
    header = repr({"descr": TYPES[type][1], "fortran_order": False, "shape": tuple(shape)}).encode()
    header += b" " * (63 - (len(header) + 10) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data)


def read_npy(path):
    data = path.read_bytes()
    return data[10 + struct.unpack("<H", data[8:10])[0]:]


def titan(options, *arguments):
    done = subprocess.run([options.titan, *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def difference(name, tensor, got, output):
    """What is wrong with the elements that a run left, or None."""
    if tensor.after is not None:
        want = tensor.elements(tensor.after)
        if got != want:
            bad = [i for i in range(len(want)) if got[i:i + 1] != want[i:i + 1]]
            return f"{name} differs from the definition in {len(bad)} of {len(want)} bytes, the first one {bad[0]}"
    elif tensor.within is None and "bit for bit" not in output:
        return f"titan run compared nothing: {output.strip()}"
    for n, (low, high) in enumerate(tensor.within or []):
        value = struct.unpack_from("<f", got, 4 * n)[0]
        if not low <= value <= high:
            return f"element {n} of {name} is {value!r}, not from {low!r} to {high!r}"
    return None


def simulate(options, file, launch, tag, schedule, way):
    """What is wrong with a run, and what it left in each tensor (row after row)."""
    tensors, place = launch.tensors(), lambda what: file.parent / f"{tag}.{what}.npy"
    arguments = ["run", file, "--kernel", launch.name, "--schedule", schedule, *way]
    for name, tensor in tensors.items():
        write_npy(place(name), tensor.type, tensor.shape, tensor.elements(tensor.before))
        arguments += ["--arg", f"{name}={place(name)}", "--out", f"{name}={place('new' + name)}"]
        if tensor.row_stride:
            arguments += ["--rowstride", f"{name}={tensor.row_stride}"]
    for name, value in launch.scalars.items():
        arguments += ["--scalar", f"{name}={value}"]
    code, output = titan(options, *arguments)
    problem, left = f"titan run: {output.strip()}" if code else None, {}
    for name, tensor in tensors.items() if not code else ():
        left[name] = read_npy(place("new" + name))
        problem = problem or difference(name, tensor, left[name], output)
    for name in tensors if not options.keep or not problem else ():
        place(name).unlink()
        place("new" + name).unlink(missing_ok=True)
    return ": ".join([*way, problem]) if problem else None, left


class Folder:
    """What device.py reads: packages, `transfers.json`, `memory.bin`.

    A launch is {what, package, kernel, scalars: {name: value}, tensors: names (a letter each), and by its name
    each tensor: {type, align (bytes), shape, strides (elements), before, after: [place in memory.bin, bytes]}}; where a
    tensor has `within`, that is [place, bytes] of two f32s an element: least and greatest."""

    def __init__(self, path):
        self.path, self.launches, self.memory = pathlib.Path(path), [], bytearray()
        self.path.mkdir(parents=True, exist_ok=True)

    def store(self, data):
        self.memory += data
        return [len(self.memory) - len(data), len(data)]

    def add(self, package, launch, left):
        tensors = launch.tensors()
        entry = {"what": str(launch), "package": package, "kernel": launch.name, "scalars": launch.scalars,
                 "tensors": "".join(tensors)}
        for name, tensor in tensors.items():
            after = left[name] if tensor.after is None else tensor.after
            entry[name] = {"type": tensor.type, "align": tensor.align, "shape": tensor.shape, "strides": tensor.strides,
                           "before": self.store(tensor.before), "after": self.store(after)}
            if tensor.within:
                entry[name]["within"] = self.store(b"".join(struct.pack("<ff", *pair) for pair in tensor.within))
        self.launches.append(entry)

    def write(self, seed):
        (self.path / "transfers.json").write_text(json.dumps({"seed": seed, "transfers": self.launches}))
        (self.path / "memory.bin").write_bytes(self.memory)


# ----------------------------------------------------------------------------------------------
# The commands
# ----------------------------------------------------------------------------------------------

def examine(options):
    cls, stem = options.kernel, pathlib.Path(sys.argv[0]).stem
    made = cls.several(options.seed, options.count, options.jobs)
    files = [made[i:i + cls.KERNELS_IN_FILE] for i in range(0, len(made), cls.KERNELS_IN_FILE)]
    jobs = [(number, launch) for number, kernels in enumerate(files) for kernel in kernels for launch in kernel.launches()]
    print(f"seed {options.seed}: {len(jobs)} {cls.LAUNCHES}" + (f", {len(made)} kernels" if len(jobs) > len(made) else ""),
          flush=True)
    out, failures, good = Folder(options.out) if options.out else None, [], 0
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        folder = pathlib.Path(options.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)

        def accepted(number):
            file = folder / f"{stem}{number}.mlir"
            file.write_text("".join(kernel.text() for kernel in files[number]))
            commands = [["check", *dict.fromkeys(flag for kernel in files[number] for flag in kernel.CHECK), file]]
            if out:
                commands.append(["compile", file, "-o", out.path / f"{stem}{number}.titanpkg"])
            results = [(command, *titan(options, *command)) for command in commands]
            return [f"titan {command[0]} {file}: {output.strip()}" for command, code, output in results if code]

        def run(job):
            number, (file, launch) = job
            first = None
            for way in launch.WAYS:
                problem, left = simulate(options, folder / f"{stem}{file}.mlir", launch, number,
                                         options.schedule or f"random:{number}", way)
                first = first or left
                if problem:
                    return problem, None
            return None, first

        for problems in pool.map(accepted, range(len(files))):
            failures += problems
        for (file, launch), (problem, left) in zip(jobs, pool.map(run, enumerate(jobs))):
            if problem:
                failures.append(f"{launch}: {problem}")
                continue
            good += 1
            if out:
                out.add(f"{stem}{file}.titanpkg", launch, left)
    if out:
        out.write(options.seed)
    print(f"{good} of {len(jobs)} {cls.LAUNCHES}: the simulator leaves what the definition says")
    print(cls.summary([launch for _, launch in jobs]))
    return report(failures)


def report(failures):
    for failure in failures[:20]:
        print("FAIL", failure)
    if len(failures) > 20:
        print(f"and {len(failures) - 20} more")
    return 1 if failures else 0


def verdict(options, file, flags):
    """proved, searched, or the code that refuses; and the reason."""
    code, output = titan(options, "check", file, "--require=searched", *flags)
    if code:
        return (re.findall(r"error: \[([a-z0-9-]+)\]", output) or ["?"])[0], output
    reason = re.search(r"^  searched, not proved: (.*)$", output, re.M)
    return ("searched", reason[1]) if reason else ("proved", "")


def judged(options, kernels, folder):
    def one(kernel):
        file = pathlib.Path(folder) / f"{kernel.name}.mlir"
        file.write_text(kernel.text())
        return verdict(options, file, kernel.CHECK)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        yield from zip(kernels, pool.map(one, kernels))


def proved(options):
    """How many are proved, feature by feature; none is refused."""
    features, reasons, refused, count = collections.defaultdict(collections.Counter), collections.Counter(), [], 0
    with tempfile.TemporaryDirectory() as temporary:
        kernels = options.kernel.several(options.seed, options.count, options.jobs)
        for kernel, (what, why) in judged(options, kernels, options.keep or temporary):
            count += what == "proved"
            for feature in kernel.features:
                features[feature][what == "proved"] += 1
            if what == "searched":
                reasons[re.sub(r"loc\(.*?\)\)?|line \d+: |\bt\d+\b|\d+\*", "", why)[:100]] += 1
            elif what != "proved":
                refused.append(f"{kernel}: {why.strip()[:400]}")
    print(f"seed {options.seed}: {len(kernels)} right {options.kernel.KERNELS}: {count} proved, {len(refused)} refused")
    for feature, numbers in sorted(features.items()):
        print(f"  {feature}: {numbers[True]} of {numbers.total()}")
    for reason, number in reasons.most_common(12):
        print(f"  not proved, {number}: {reason}")
    return report(refused)


def mutants_of(kernel, bugs):
    lines = kernel.text().splitlines()
    for at, line in enumerate(lines):
        for pattern, instead in bugs:
            if not re.match(pattern, line):
                continue
            changed = [] if instead is None else [re.sub(pattern, instead, line)]
            if changed != [line]:
                yield (f"line {at + 1}: {line} -> {changed[0] if changed else 'nothing'}",
                       "\n".join(lines[:at] + changed + lines[at + 1:]) + "\n")


def mutants(options):
    made = options.kernel.several(options.seed, options.kernels, options.jobs)
    every = [(kernel, what, text) for kernel in made for what, text in mutants_of(kernel, options.bugs)]
    chosen = random.Random(options.seed).sample(every, min(options.count, len(every)))
    codes, accepted, failures, missed = collections.Counter(), 0, [], []
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        def judge(job):
            """The code of a refusal and what `titan check` wrote, or None; and what runs say of it, or None."""
            number, (kernel, _, text) = job
            file = pathlib.Path(options.keep or temporary) / f"mutant{number}.mlir"
            file.write_text(text)
            refusal, output = titan(options, "check", file)
            code = (re.findall(r"\[([a-z0-9-]+)\]", output) or ["?"])[0] if refusal else None
            for schedule in SCHEDULES:
                for way in kernel.WAYS[:1] if refusal else kernel.WAYS:
                    problem, _ = simulate(options, file, kernel, f"m{number}", schedule, way)
                    if problem:
                        return code, output, f"{schedule}: {problem}"
            return code, output, None

        for (kernel, what, _), (code, output, problem) in zip(chosen, pool.map(judge, enumerate(chosen))):
            if not code:
                accepted += 1
                if problem:
                    failures.append(f"{kernel}: {what}: accepted, and under {problem}")
                continue
            codes[code] += 1
            if not problem:
                missed.append(f"{kernel}: {what}: [{code}]")
            if code in ("?", "undecided", "parse-error"):
                failures.append(f"{kernel}: {what}: {output}")
    refused = sum(codes.values())
    print(f"seed {options.seed}: {len(chosen)} of {len(every)} mutants of {len(made)} kernels: {refused} refused, "
          f"{accepted} accepted; {refused - len(missed)} of the refused ones fail in runs with hazards")
    for each in missed:
        print("    not in runs:", each)
    print(", ".join(f"{count} {code}" for code, count in codes.most_common()))
    return report(failures)


def main(doc, kernel, bugs=()):
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["check", "proved", "prepare"] + (["mutants"] if bugs else []))
    parser.add_argument("--titan", required=True, help="the program titan")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=320, help=f"{kernel.LAUNCHES}, or mutants (320)")
    if bugs:
        parser.add_argument("--kernels", type=int, default=60, help="mutants: of so many kernels (60)")
    parser.add_argument("--schedule", help="eager, lazy or random:N (random, another for each)")
    parser.add_argument("--out", help="prepare: the folder for device.py")
    parser.add_argument("--keep", help="a folder for the kernels' text, and for the data of what fails")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args(namespace=argparse.Namespace(kernel=kernel, bugs=bugs))
    if (options.command == "prepare") != bool(options.out):
        parser.error("prepare, and nothing else, takes --out")
    return {"mutants": mutants, "proved": proved}.get(options.command, examine)(options)
