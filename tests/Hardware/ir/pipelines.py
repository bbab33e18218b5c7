#!/usr/bin/env python3
"""Random pipelines for any number of rows: the right programs that the proof is measured by, and their bugs.

A partition fills the slots of a ring, by TMA or by stores, one or two others empty them, and what comes out leaves by
ordinary stores or by TMA. Uses are numbered by a pipe, by mod and div, or by a slot and a parity that are carried; loops
run over all blocks of rows, over every ctas-th one, or over tiles of several steps; slots are freed by an elected lane,
by all lanes, by one warp behind a named barrier, or a step late. P is X times a power of two, or the number of the block.

    pipelines.py check    --titan build/bin/titan --seed 1 --count 100
    pipelines.py mutants  --titan build/bin/titan --seed 1 --count 100
    pipelines.py proved   --titan build/bin/titan --seed 1 --count 100      how many are proved, feature by feature
    pipelines.py text     --titan build/bin/titan --seed 1 --count 100 [--broken] --out FILE      for titan-mutate
    pipelines.py prepare  --titan build/bin/titan --seed 1 --count 100 --out FOLDER      packages for device.py, with delays
    pipelines.py broken   --titan build/bin/titan --seed 1 --count 40 --out FOLDER       refused mutants, for device.py, too

This generator was frozen before the proof was tuned to what it makes (tests/Checker/Proved/README.md): a new idiom gets
a generator of its own. `prepare` takes what `titan check --require=proved` proves, and puts naps of random lengths
between the lines of what it compiles; the simulator runs the text without them. `broken` takes mutants that the
checker refuses: on the GPU each of them hangs, leaves wrong data, or is lucky (device.py says which).
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import struct
import sys
import tempfile

import random_kernels
from random_kernels import Launch, Tensor


def bf16(values):
    return b"".join(struct.pack("<f", value)[2:] for value in values)


class Rows(Launch):
    """A launch of a pipeline: so many rows."""
    WAYS = [["--hazards=on", "--sms=3"], ["--hazards=off", "--sms=3"]]

    def __init__(self, kernel, rows):
        self.kernel, self.rows, self.name, self.scalars, self.kind = kernel, rows, kernel.name, {}, kernel.kind

    def tensors(self):
        rng, k = random.Random(f"{self.name} {self.rows}"), self.kernel
        x = [float(rng.randint(-7, 7)) for _ in range(self.rows * 64)]
        after = [value * k.factor for value in x]
        if k.fill == "store":
            after = [float(row // k.R * k.factor) for row in range(self.rows) for _ in range(64)]
        x, shape = bf16(x), [self.rows, 64]
        return {"X": Tensor("bf16", shape, x, x), "P": Tensor("bf16", shape, b"\x80\x3f" * (self.rows * 64), bf16(after))}

    def __str__(self):
        return f"{self.kernel} rows {self.rows}"


class Kernel(random_kernels.Kernel):
    LAUNCHES = "launches"
    KERNELS = "pipelines"
    CHECK = ["--undecided=warning"]  # what the search cannot decide may be proved

    def __init__(self, rng, number):
        super().__init__(rng, number)
        pick, chance = rng.choice, lambda percent: rng.randrange(100) < percent
        self.depth = pick([1, 2, 2, 3, 4])
        self.R = pick([8, 16, 32])
        self.style = pick(["pipe", "mod", "carried"])
        self.loop = pick(["flat", "flat", "grid", "nested"])
        self.inner = pick([2, 3]) if self.loop == "nested" else 1
        self.fill = pick(["tma", "tma", "store"])
        self.warps_in = 1 if self.fill == "tma" else pick([1, 2])
        self.warps_use = pick([1, 2] if self.R == 8 else [1, 2, 4])
        self.out = pick(["global", "staged", "tokens", "inplace"])
        self.buffers = {"staged": pick([1, 2, 3]), "tokens": 2}.get(self.out, 0)
        self.release = "store" if self.out == "inplace" else pick(["elect", "lanes", "barrier", "late"])
        if self.style == "pipe" and self.release in ("lanes", "barrier"):
            self.release = "elect"
        if self.release == "late" and self.depth == 1:  # nothing would be left to fill
            self.release = "elect"
        self.watched = self.out != "inplace" and chance(25)
        self.peeled = self.loop == "flat" and chance(25)
        self.doubled = self.out != "inplace" and chance(50)
        self.factor = 2 if self.doubled or self.out == "inplace" else 1
        self.sizes = sorted({1, self.R, self.R * self.inner * self.depth + rng.randint(0, self.R), rng.randint(1, 12 * self.R)})
        self.kind = f"{self.style} {self.loop}"

    @property
    def features(self):
        return [f"depth {self.depth}", self.style, self.loop + (", peeled" if self.peeled else ""), f"filled by {self.fill}",
                f"out: {self.out}", f"freed: {self.release}", f"{self.warps_use} warps"] + ["watched"] * self.watched

    def __str__(self):
        return f"{self.name} {', '.join(self.features)}"

    def launches(self):
        return [Rows(self, rows) for rows in self.sizes]

    WAYS = Rows.WAYS

    def tensors(self):
        """Of a mutant's run."""
        return self.launches()[-1].tensors()

    # ---- text --------------------------------------------------------------------------------------

    def regs(self, warps):
        return f"tensor<{self.R}x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [{warps}, 1]>>"

    def nest(self, states, body, peel=()):
        """A partition's loops around `body`, a function of the names of the states; states: (name, type, first, next)."""
        lines = []

        def loop(head, states, inside, level):
            if not states:
                lines.append(f"scf.for {head} {{")
                inside()
                lines.append("}")
                return
            names = ", ".join(f"%{n}{level} = {first}" for n, _, first, _ in states)
            types = ", ".join(t for _, t, _, _ in states)
            count = f":{len(states)}" if len(states) > 1 else ""
            lines.append(f"%end{level}{count} = scf.for {head} iter_args({names}) -> ({types}) {{")
            inside()
            lines.append(f"scf.yield {', '.join(last for _, _, _, last in states)} : {types}")
            lines.append("}")

        def results(level):
            return [f"%end{level}#{i}" if len(states) > 1 else f"%end{level}" for i in range(len(states))]

        if self.loop == "nested":
            def tile():
                lines.append("%base = arith.muli %t, %inner : index")
                within = [(n, t, f"%{n}0", last) for n, t, _, last in states]

                def step():
                    lines.append("%i = arith.addi %base, %s : index")
                    lines.extend(body({n: f"%{n}1" for n, *_ in states}))
                loop("%s = %c0 to %inner step %c1", within, step, 1)
            loop("%t = %first to %n step %ctas", [(n, t, first, results(1)[k]) for k, (n, t, first, _) in enumerate(states)],
                 tile, 0)
        else:
            head = "%i = %first to %n step %ctas" if self.loop == "grid" else f"%i = {'%c1' if peel else '%c0'} to %n step %c1"
            loop(head, states, lambda: lines.extend(body({n: f"%{n}0" for n, *_ in states})), 0)
        return lines, results(0)

    def numbered(self, names, waits_for_empty):
        """What each step computes of slot and parity, and what goes around."""
        if self.style == "carried":
            stage, parity = names["stage"], names["parity"]
            return [f"%stage = arith.addi {stage}, %i0 : i32", f"%parity = arith.addi {parity}, %i0 : i32",
                    "%stage_up = arith.addi %stage, %i1 : i32", "%wraps = arith.cmpi eq, %stage_up, %depth32 : i32",
                    "%stage_next = arith.select %wraps, %i0, %stage_up : i32",
                    "%flipped = arith.xori %parity, %i1 : i32",
                    "%parity_next = arith.select %wraps, %flipped, %parity : i32"]
        use = names.get("use", "%i")
        lines = [f"%stage = arith.remui {use}, %depth : index", f"%round = arith.divui {use}, %depth : index"]
        if waits_for_empty:
            lines += ["%round_next = arith.addi %round, %c1 : index"]
        lines += [f"%odd = arith.remui {'%round_next' if waits_for_empty else '%round'}, %c2 : index",
                  "%parity = arith.index_cast %odd : index to i32"]
        if "use" in names:
            lines += [f"%use_next = arith.addi {use}, %c1 : index"]
        return lines

    def states(self, waits_for_empty):
        if self.style == "pipe":
            return []
        if self.style == "carried":
            return [("stage", "i32", "%i0", "%stage_next"),
                    ("parity", "i32", "%i1" if waits_for_empty else "%i0", "%parity_next")]
        return [] if self.loop == "flat" else [("use", "index", "%c0", "%use_next")]

    @property
    def at(self):
        return f"[%stage : {'i32' if self.style == 'carried' else 'index'}]"

    def producer(self):
        row = ["%row = arith.muli %i, %height : index"]
        number = ["%i32 = arith.index_cast %i : index to i32", "%value = arith.sitofp %i32 : i32 to bf16",
                  f"%v = titan.splat %value : bf16 -> {self.regs(self.warps_in)}"]
        store = f"titan.shared.store %v, %slot : {self.regs(self.warps_in)}, !tile"
        if self.style == "pipe":
            fill = ['titan.pipe.load %mapX[%row, %c0] -> %taken["x"] : !map'] if self.fill == "tma" else \
                ['%slot = titan.pipe.buffer %taken["x"] : !tile', store]

            def step(_):
                return (row if self.fill == "tma" else number) + ["%taken = titan.pipe.acquire %pipe : !pipe", *fill,
                                                                 "titan.pipe.commit %taken"]
            lines, _ = self.nest([], step, self.peeled)
            if self.peeled:
                first = [line.replace("%i,", "%c0,").replace("%i :", "%c0 :") for line in step({})]
                lines = [re.sub(r"%(row|taken|slot|i32|value|v)\b", r"%p_\1", line) for line in first] + lines
            return lines
        wait = [f"titan.mbarrier.wait %empty{self.at} parity(%parity) : !bars"]
        slot = [f"%slot = titan.shared.slot %ring{self.at} : !ring -> !tile"]
        if self.fill == "tma":
            def step(names):
                return row + self.numbered(names, True) + wait + slot + [
                    f"titan.mbarrier.arrive_expect_tx %full{self.at}, %bytes : !bars",
                    f"titan.tma.load %mapX[%row, %c0], %slot, %full{self.at} : !map, !tile, !bars"]
            lines, _ = self.nest(self.states(True), step)
            return ["titan.elect {", *lines, "}"]

        def step(names):
            # What TMA, or the others, have read: the release orders it.
            fence = ["titan.fence.proxy_async shared_cta"] if self.out == "inplace" else []
            return number + self.numbered(names, True) + wait + slot + [store, *fence, "titan.syncwarp", "titan.elect {",
                                                                       f"titan.mbarrier.arrive %full{self.at} : !bars", "}"]
        return self.nest(self.states(True), step)[0]

    def meet(self, warps, number):
        return ["titan.syncwarp"] if warps == 1 else [f"titan.barrier.sync {number} threads({32 * warps})"]

    def free(self, warps, release, number, at=None):
        if self.style == "pipe":
            return ["titan.pipe.release %taken"]
        arrive = f"titan.mbarrier.arrive %empty{at or self.at} : !bars"
        fence = ["titan.fence.proxy_async shared_cta"] if self.fill == "tma" else []
        if release == "lanes":
            return fence + [arrive]
        if release == "barrier":
            return fence + self.meet(warps, number) + ["titan.elect warp(0) {", arrive, "}"]
        return fence + ["titan.syncwarp", "titan.elect {", arrive, "}"]

    def takes(self, warps, names):
        if self.style == "pipe":
            return ["%taken = titan.pipe.wait %pipe : !pipe", '%slot = titan.pipe.buffer %taken["x"] : !tile']
        return self.numbered(names, False) + [f"titan.mbarrier.wait %full{self.at} parity(%parity) : !bars",
                                              f"%slot = titan.shared.slot %ring{self.at} : !ring -> !tile"]

    def consumer(self):
        warps, regs = self.warps_use, self.regs(self.warps_use)
        index, bits = regs.replace("bf16", "i32", 1), regs.replace("bf16", "i1", 1)
        states, before, after = self.states(False), [], []
        late = self.release == "late"
        if late and self.style == "pipe":
            before += ["%noSlot = titan.token.none : !titan.slot"]
            states += [("last", "!titan.slot", "%noSlot", "%taken")]
        elif late:
            kind = "i32" if self.style == "carried" else "index"
            states += [("last", kind, "%i0" if kind == "i32" else "%c0", "%stage"), ("some", "i1", "%no", "%yes")]
            before += ["%no = arith.constant false", "%yes = arith.constant true"]
        if self.out == "staged" and self.buffers > 1:
            states += [("which", "index", "%c0", "%which_next")]
        if self.out == "tokens":
            before += ["%none = titan.token.none : !bulk"]
            states += [("which", "index", "%c0", "%which_next"), ("older", "!bulk", "%none", None), ("newer", "!bulk", "%none", "%stored")]
        if self.doubled or self.out == "inplace":
            double = [f"%y = arith.addf %x, %x : {regs}"]
        else:
            double = [f"%y = arith.addf %x, %nothing : {regs}"]
            before += ["%zero = arith.constant 0.0 : bf16", f"%nothing = titan.splat %zero : bf16 -> {regs}"]
        if self.out == "global":
            before += [f"%in = titan.coordinate 0 : {index}", f"%column = titan.coordinate 1 : {index}",
                       "%m = titan.dim %P, 0 : !global", "%m32 = arith.index_cast %m : index to i32",
                       f"%rows = titan.splat %m32 : i32 -> {index}"]

        def store(buffer):
            return [f"titan.tma.store {buffer}, %mapP[%row, %c0] : !tile, !map", "%g = titan.bulk.commit : !bulk"]

        def step(names):
            lines = ["%row = arith.muli %i, %height : index", *self.takes(warps, names)]
            lines += [f"%x = titan.shared.load %slot : !tile -> {regs}"]
            if self.out == "inplace":
                # All have read: each writes its own elements only.
                lines += double + [f"titan.shared.store %y, %slot : {regs}, !tile", "titan.fence.proxy_async shared_cta",
                                   *self.meet(warps, 1)]
                if self.style == "pipe":
                    return lines + ["titan.elect warp(0) {", *store("%slot"), "titan.bulk.wait %g read : !bulk", "}",
                                    *self.meet(warps, 1), "titan.pipe.release %taken"]
                return lines + ["titan.elect warp(0) {", *store("%slot"), "titan.bulk.wait %g read : !bulk",
                                f"titan.mbarrier.arrive %empty{self.at} : !bars", "}"]
            if late and self.style == "pipe":
                lines += [f"titan.pipe.release {names['last']}"]
            elif late:
                fence = ["titan.fence.proxy_async shared_cta"] if self.fill == "tma" else []
                at = self.at.replace("%stage", names["last"])
                lines += fence + ["titan.syncwarp", f"scf.if {names['some']} {{", "titan.elect {",
                                  f"titan.mbarrier.arrive %empty{at} : !bars", "}", "}"]
            else:
                lines += self.free(warps, self.release, 2)
            lines += double
            if self.out == "global":
                return lines + ["%row32 = arith.index_cast %row : index to i32", f"%from = titan.splat %row32 : i32 -> {index}",
                                f"%r = arith.addi %from, %in : {index}", f"%inside = arith.cmpi slt, %r, %rows : {index}",
                                f"titan.global.store %y, %P[%r, %column] mask(%inside : {bits}) : {regs}, !global, {index}, {index}"]
            which = names.get("which", "%c0")
            lines += [f"%out = titan.shared.slot %outs[{which} : index] : !outs -> !tile"]
            if "which" in names:
                lines += [f"%which_up = arith.addi {which}, %c1 : index", "%turns = arith.cmpi eq, %which_up, %buffers : index",
                          "%which_next = arith.select %turns, %c0, %which_up : index"]
            lines += ["titan.elect warp(0) {", f"titan.bulk.wait_group {self.buffers - 1} read" if self.out == "staged"
                      else f"titan.bulk.wait {names['older']} read : !bulk", "}", *self.meet(warps, 1),
                      f"titan.shared.store %y, %out : {regs}, !tile", "titan.fence.proxy_async shared_cta", *self.meet(warps, 1)]
            if self.out == "staged":
                return lines + ["titan.elect warp(0) {", *store("%out"), "}"]
            return lines + ["%stored = titan.elect warp(0) -> !bulk {", *store("%out"), "titan.yield %g : !bulk", "}"]

        level = "1" if self.loop == "nested" else "0"
        states = [(n, t, first, f"%newer{level}" if n == "older" else last) for n, t, first, last in states]
        lines, ends = self.nest(states, step)
        end = dict(zip((n for n, *_ in states), ends))
        if late and self.style == "pipe":
            after += [f"titan.pipe.release {end['last']}"]
        elif late:
            at = self.at.replace("%stage", end["last"])
            after += [f"scf.if {end['some']} {{", "titan.elect {", f"titan.mbarrier.arrive %empty{at} : !bars", "}", "}"]
        if self.out in ("staged", "tokens"):
            after += ["titan.elect warp(0) {", "titan.bulk.wait_group 0 read" if self.out == "staged"
                      else f"titan.bulk.wait {end['newer']} read : !bulk", "}"]
        return before + lines + after

    def watcher(self):
        def step(names):
            return [*self.takes(1, names), f"%x = titan.shared.load %slot : !tile -> {self.regs(1)}", *self.free(1, "elect", 3)]
        return self.nest(self.states(False), step)[0]

    def arrivals(self):
        """Of %full and %empty."""
        free = {"lanes": 32 * self.warps_use, "barrier": 1, "store": 1}.get(self.release, self.warps_use)
        return 1 if self.fill == "tma" else self.warps_in, free + self.watched

    def text(self):
        full, empty = self.arrivals()
        consumers = '"use", "watch"' if self.watched else '"use"'
        ring = ['%ring = titan.shared.alloc : !ring']
        if self.style == "pipe":
            ring += [f'%pipe = titan.pipe.create "fill" -> [{consumers}] buffers ["x"](%ring : !ring)'
                     f'{" fill(arrive)" if self.fill == "store" else ""} : !pipe']
        else:
            ring += ["%full = titan.mbarrier.alloc : !bars", "%empty = titan.mbarrier.alloc : !bars",
                     "titan.elect warp(0) {", f"titan.mbarrier.init %full count({full}) : !bars",
                     f"titan.mbarrier.init %empty count({empty}) : !bars", "titan.fence.mbarrier_init", "}", "titan.cta_sync"]
        if self.buffers:
            ring += ["%outs = titan.shared.alloc : !outs"]
        parts = [("fill", self.warps_in, self.producer()), ("use", self.warps_use, self.consumer())]
        if self.watched:
            parts += [("watch", 1, self.watcher())]
        tile = f"{self.R}x64xbf16, swizzle = 128"
        lines = [
            f"!global = !titan.global<?x64xbf16>", f"!map = !titan.tensor_map<{tile}>", f"!tile = !titan.shared<{tile}>",
            f"!ring = !titan.shared<{tile}, slots = {self.depth}>", f"!outs = !titan.shared<{tile}, slots = {self.buffers or 1}>",
            f"!bars = !titan.mbarrier<{self.depth}>", f"!pipe = !titan.pipe<{self.depth}>", "!bulk = !titan.token<bulk>",
            f"titan.kernel @{self.name}(%X: !global, %P: !global) warps({sum(w for _, w, _ in parts)}) attributes {{",
            f'  titan.target = "sm_90a", titan.example = {{sizes = {{M = {self.sizes[-1]}}}, X = "Mx64 ints:1", P = "Mx64",',
            "  multiprocessor_count = 3}} launch {",
            f"%height = arith.constant {self.R * self.inner} : index", "%one = arith.constant 1 : index",
            "%m = titan.dim %X, 0 : !global", "%mP = titan.dim %P, 0 : !global", "%same = arith.cmpi eq, %m, %mP : index",
            'titan.require %same, "launch-check", "P has a row for each row of X"',
            "%most = arith.constant 1073741824 : index", "%rows_fit = arith.cmpi ule, %m, %most : index",
            'titan.require %rows_fit, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"',
            "%n = arith.ceildivui %m, %height : index", "%mapX = titan.tensor_map %X : !global -> !map",
            "%mapP = titan.tensor_map %P : !global -> !map",
            '%sms = titan.device_property "multiprocessor_count"', "%few = arith.minui %n, %sms : index",
            f"titan.launch grid({'%one' if self.loop == 'flat' else '%few'}) with(%mapX, %mapP, %n : !map, !map, index)",
            "} body(%mapX: !map, %mapP: !map, %n: index) {",
            *(f"%c{k} = arith.constant {k} : index" for k in range(3)), *(f"%i{k} = arith.constant {k} : i32" for k in range(2)),
            f"%height = arith.constant {self.R} : index", f"%inner = arith.constant {self.inner} : index",
            f"%depth = arith.constant {self.depth} : index", f"%depth32 = arith.constant {self.depth} : i32",
            f"%buffers = arith.constant {self.buffers} : index", f"%bytes = arith.constant {self.R * 128} : i32",
            "%first = titan.cta_id 0", "%ctas = titan.num_ctas 0", *ring, "titan.warp_specialize {"]
        for name, warps, text in parts:
            lines += [f'titan.partition "{name}" warps({warps}) {{', *text, "}"]
        # Files hold several kernels: each has its own names for types.
        return re.sub(r"!(global|map|tile|ring|outs|bars|pipe|bulk)\b", rf"!{self.name}_\1",
                      "\n".join([*lines, "}", "titan.return", "}", ""]))


# A line of synchronisation, and what may stand there instead (None: nothing).
BUGS = [(r"^titan\.(fence\.proxy_async|syncwarp|barrier\.sync|mbarrier\.(wait|arrive)|bulk\.wait|pipe\.(release|commit))\b.*$", None),
        (r"^(titan\.mbarrier\.init .* count\()(\d+)(\).*)$", r"\g<1>1\3"),
        (r"^(titan\.mbarrier\.init .* count\()(\d+)(\).*)$", r"\g<1>5\3"),
        (r"^(titan\.mbarrier\.wait .* parity\()%parity(\).*)$", r"\1%i0\2"),
        (r"^(titan\.mbarrier\..*)%stage( : index.*)$", r"\1%c0\2"),
        (r"^(titan\.bulk\.wait_group )\d+( read)$", r"\g<1>3\2"),
        (r"^(%bytes = arith\.constant )(\d+)( : i32)$", r"\g<1>512\3"),
        (r"^(%depth = arith\.constant )(\d+)( : index)$", r"\g<1>1\3"),
        (r"^(.*parity = arith\.addi .*)%i0( : i32)$", r"\1%i1\2"),
        (r"^(%.*scf\.yield .*%)parity_next(.*)$", r"\1parity\2"),
        (r"^(titan\.barrier\.)sync( .*)$", r"\1arrive\2"),
        (r"^titan\.elect warp\(0\) \{$", "titan.elect {")]


# ----------------------------------------------------------------------------------------------
# The commands that random_kernels.py does not have
# ----------------------------------------------------------------------------------------------

def napped(text, rng):
    """Between the lines of the partitions, naps of random lengths."""
    head, body = text.split("titan.warp_specialize {\n")
    lines = []
    for line in body.splitlines():
        if re.match(r"(%.* = )?titan\.(?!partition|yield|return|coordinate|splat|token)", line) and rng.random() < 0.35:
            lines.append(f'titan.inline_ptx "nanosleep.u32 {rng.choice([20, 200, 2000, 20000])};"() does [] : () -> ()')
        lines.append(line)
    return head + "titan.warp_specialize {\n" + "\n".join(lines) + "\n"


def text(options):
    """One file, for titan-mutate; with --broken, each pipeline of bare barriers with a bug behind it, too."""
    texts, rng = [], random.Random(options.seed)
    for kernel in Kernel.several(options.seed, options.count, options.jobs):
        texts.append(kernel.text())
        if options.broken and kernel.style != "pipe":
            _, mutant = rng.choice(list(random_kernels.mutants_of(kernel, BUGS)))
            texts.append(re.sub(rf"([!@]){kernel.name}(_|\()", rf"\1{kernel.name}broken\2", mutant))
    pathlib.Path(options.out).write_text("".join(texts))
    return 0


def packages(options, jobs, folder):
    """jobs: (launches, text to run, text to compile). Runs, compiles, and fills the folder of device.py."""
    out = random_kernels.Folder(options.out)
    # Mutants are compiled though they are refused, where compiling checks.
    unchecked = ["--check=off"] if "--check" in random_kernels.titan(options, "compile", "--help")[1] else []

    def one(job):
        number, (launches, run, compiled) = job
        file, other = pathlib.Path(folder) / f"p{number}.mlir", pathlib.Path(folder) / f"q{number}.mlir"
        file.write_text(run)
        other.write_text(compiled)
        code, output = random_kernels.titan(options, "compile", *unchecked, other, "-o",
                                            out.path / f"pipeline{number}.titanpkg")
        problems = [f"titan compile: {output.strip()}"] if code else []
        left = []
        for n, launch in enumerate(launches):
            problem, got = random_kernels.simulate(options, file, launch, f"{number}.{n}", f"random:{number}", launch.WAYS[0])
            problems += [problem] if problem else []
            left.append(got)
        return problems, left

    failures = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, ((launches, _, _), (problems, left)) in enumerate(zip(jobs, pool.map(one, enumerate(jobs)))):
            failures += [f"{launches[0]}: {problem}" for problem in problems]
            for launch, got in zip(launches, left) if not problems else ():
                out.add(f"pipeline{number}.titanpkg", launch, got)
    out.write(options.seed)
    print(f"seed {options.seed}: {len(jobs)} packages, {len(out.launches)} launches")
    return random_kernels.report(failures)


def prepare(options):
    """The first `count` pipelines that are proved, with naps in what is compiled."""
    jobs, seen = [], 0
    with tempfile.TemporaryDirectory() as temporary:
        kernels = Kernel.several(options.seed, 3 * options.count, options.jobs)
        for kernel, (what, _) in random_kernels.judged(options, kernels, temporary):
            seen += 1
            if what == "proved" and len(jobs) < options.count:
                rng = random.Random(f"{options.seed} {kernel.name}")
                jobs.append((kernel.launches(), kernel.text(), napped(kernel.text(), rng)))
            if len(jobs) == options.count:
                break
        print(f"{len(jobs)} proved of the first {seen}")
        return packages(options, jobs, temporary)


def broken(options):
    """Mutants that the checker refuses: the right kernel runs in the simulator, the mutant is compiled."""
    rng, jobs, codes = random.Random(options.seed), [], collections.Counter()
    with tempfile.TemporaryDirectory() as temporary:
        for kernel in Kernel.several(options.seed, 3 * options.count, options.jobs):
            mutants = list(random_kernels.mutants_of(kernel, BUGS))
            what, mutant = rng.choice(mutants)
            file = pathlib.Path(temporary) / "mutant.mlir"
            file.write_text(mutant)
            code, _ = random_kernels.verdict(options, file, Kernel.CHECK)
            # What cannot be expanded is no program.
            if code in ("proved", "searched", "?", "parse-error", "undecided") or code.startswith("pipe-"):
                continue
            codes[code] += 1
            launch = kernel.launches()[-1]
            launch.kind = f"[{code}] {what}"
            launch.__class__ = type("Broken", (Rows,), {"__str__": lambda self: f"{self.name} {self.kind}"})
            jobs.append(([launch], kernel.text(), napped(mutant, rng)))
            if len(jobs) == options.count:
                break
        print(f"{len(jobs)} mutants, refused: {', '.join(f'{n} {code}' for code, n in codes.most_common())}")
        return packages(options, jobs, temporary)


COMMANDS = {"proved": random_kernels.proved, "text": text, "prepare": prepare, "broken": broken}

if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] in COMMANDS:
        import argparse
        parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("command", choices=COMMANDS)
        parser.add_argument("--titan", required=True)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--count", type=int, default=100)
        parser.add_argument("--out")
        parser.add_argument("--broken", action="store_true", help="text: with one bug each, too")
        parser.add_argument("--keep")
        parser.add_argument("--jobs", type=int, default=os.cpu_count())
        options = parser.parse_args()
        options.kernel = Kernel
        sys.exit(COMMANDS[options.command](options))
    sys.exit(random_kernels.main(__doc__, Kernel, BUGS))
