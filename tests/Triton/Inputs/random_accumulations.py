"""random_accumulations.py TITAN TITAN_OPT --seed 1 --count 30

Reductions that loops accumulate: random programs of one or two loops, of no round to three, round reductions of tensors of one
to three dimensions, along any of them, in any order in memory, by any operation; some sums have another use in the loop. What
the simulator of tt makes of each is what the kernel of titan IR does (converted.py), with 1 to 8 warps: bit for bit, and of
every eighth, sums of f32 that are no small integers, within 1e-5. Told is also how many are exchanged between threads behind
their loops, of those that may be.
"""
import argparse
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile

INTEGERS = ("addi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui")
NAN = {"f16": "0x7E00", "f32": "0x7FC00000", "f64": "0x7FF8000000000000"}
FLOATS = ("addf", "mulf", "maximumf", "minimumf", "maxnumf", "minnumf")


def of(shape, element):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>" if shape else element


class Program:
    """Text of one program. `may`: how many reductions may be made behind their loops."""

    def __init__(self, seed):
        r = self.random = random.Random(seed)
        self.rounded = seed % 8 == 0
        self.element = "f32" if self.rounded else r.choice(("i32", "i32", "i8", "i16", "i64", "f32", "f32", "f16", "f64"))
        self.lines, self.names, self.may, self.count, self.slots = [], 0, 0, 0, 0
        # As many as a warp has lanes or fewer, or some of each thread.
        left, shape = 1 << r.choice((3, 5, 7, 9, 10, 11)), []
        for _ in range(r.randrange(3)):
            shape.append(min(1 << r.randrange(7), left))
            left //= shape[-1]
        self.shape = (*shape, left)
        self.count = math.prod(self.shape)
        self.loops(r.choice((1, 1, 2)))

    def emit(self, text):
        self.names += 1
        self.lines.append(f"%v{self.names} = {text}")
        return f"%v{self.names}"

    def constant(self, shape, element, value):
        if element[0] == "f" and not isinstance(value, str):
            value = float(value)
        return self.emit(f"arith.constant {f'dense<{value}>' if shape else value} : {of(shape, element)}")

    def places(self, shape, order):
        """An element's place, with the dimensions in that order in memory, the last one fastest."""
        steps, step = {}, 1
        for d in reversed(order):
            steps[d], step = step, step * shape[d]
        total = self.constant(shape, "i32", 0)
        for d, extent in enumerate(shape):
            line = (extent,)
            name = self.emit(f"tt.make_range {{end = {extent} : i32, start = 0 : i32}} : {of(line, 'i32')}")
            for e in range(len(shape)):
                if e != d:
                    wide = line[:e] + (1,) + line[e:]
                    name = self.emit(f"tt.expand_dims {name} {{axis = {e} : i32}} : {of(line, 'i32')} -> {of(wide, 'i32')}")
                    line = wide
            if line != shape:
                name = self.emit(f"tt.broadcast {name} : {of(line, 'i32')} -> {of(shape, 'i32')}")
            name = self.emit(f"arith.muli {name}, {self.constant(shape, 'i32', steps[d])} : {of(shape, 'i32')}")
            total = self.emit(f"arith.addi {total}, {name} : {of(shape, 'i32')}")
        return total

    def store(self, value, shape):
        self.slots += 1
        first = self.constant((), "i32", (self.slots - 1) * self.count)
        pointer = self.emit(f"tt.addptr %out, {first} : !tt.ptr<{self.element}>, i32")
        kind = f"!tt.ptr<{self.element}>"
        if shape:
            base = self.emit(f"tt.splat {pointer} : {kind} -> {of(shape, kind)}")
            at = self.places(shape, range(len(shape)))
            pointer = self.emit(f"tt.addptr {base}, {at} : {of(shape, kind)}, {of(shape, 'i32')}")
        self.lines.append(f"tt.store {pointer}, {value} : {of(shape, kind)}")

    def load(self, at, steps):
        """The elements of this round; some are masked."""
        kind = f"!tt.ptr<{self.element}>"
        block = self.emit(f"arith.muli {steps}, {self.constant((), 'i32', self.count)} : i32")
        pointer = self.emit(f"tt.addptr %x, {block} : {kind}, i32")
        base = self.emit(f"tt.splat {pointer} : {kind} -> {of(self.shape, kind)}")
        pointers = self.emit(f"tt.addptr {base}, {at} : {of(self.shape, kind)}, {of(self.shape, 'i32')}")
        if self.random.random() < 0.5:
            return self.emit(f"tt.load {pointers} : {of(self.shape, kind)}")
        limit = self.constant(self.shape, "i32", self.random.randrange(self.count + 1))
        mask = self.emit(f"arith.cmpi slt, {at}, {limit} : {of(self.shape, 'i32')}")
        other = self.constant(self.shape, self.element, self.random.choice((0, 1, 3)))
        return self.emit(f"tt.load {pointers}, {mask}, {other} : {of(self.shape, kind)}")

    def prepare(self, x, what):
        """What floats leave exact: products of 1, -1 and one 2; among what is compared, NaN and -0."""
        kind = of(self.shape, self.element)
        if self.element[0] == "i" or what == "addf":
            return x

        def choose(test, number, yes, no):
            chosen = self.emit(f"arith.cmpf {test}, {x}, {self.constant(self.shape, self.element, number)} : {kind}")
            return self.emit(f"arith.select {chosen}, {yes}, {no} : {of(self.shape, 'i1')}, {kind}")

        if what == "mulf":
            one, minus = (self.constant(self.shape, self.element, k) for k in (1, -1))
            return choose("oge", 0, one, minus)
        nan = self.constant(self.shape, self.element, NAN[self.element])
        if self.random.random() < 0.3:
            return choose("ogt", self.random.choice((-100, 2)), nan, x)
        if self.random.random() < 0.5:
            return self.emit(f"arith.negf {x} : {kind}")
        return x

    def reduce(self, x, axis, what):
        row = self.shape[:axis] + self.shape[axis + 1:]
        e = self.element
        return self.emit(f'"tt.reduce"({x}) <{{axis = {axis} : i32}}> ({{\n^bb0(%a: {e}, %b: {e}):\n  %c = arith.{what} %a, %b : {e}\n'
                         f"  tt.reduce.return %c : {e}\n}}) : ({of(self.shape, e)}) -> {of(row, e)}")

    def spread(self, row, axis, kept):
        """A round's own under the accumulator's shape: with a dimension of 1, or repeated along it."""
        e, short = self.element, self.shape[:axis] + self.shape[axis + 1:]
        if kept == short:
            return row
        if not short:
            return self.emit(f"tt.splat {row} : {e} -> {of(kept, e)}")
        thin = self.shape[:axis] + (1,) + self.shape[axis + 1:]
        row = self.emit(f"tt.expand_dims {row} {{axis = {axis} : i32}} : {of(short, e)} -> {of(thin, e)}")
        return row if kept == thin else self.emit(f"tt.broadcast {row} : {of(thin, e)} -> {of(kept, e)}")

    def loops(self, depth):
        r = self.random
        order = list(range(len(self.shape)))
        r.shuffle(order)
        at = self.places(self.shape, order)
        # One accumulator: what is carried is its sum and, where that has another use, a trace.
        accumulators = []
        operations = ("addf", "addf") if self.rounded else INTEGERS if self.element[0] == "i" else FLOATS
        for what in r.sample(operations, r.randint(2, min(6, len(operations)))):
            axis = r.randrange(len(self.shape))
            row = self.shape[:axis] + self.shape[axis + 1:]
            thin = self.shape[:axis] + (1,) + self.shape[axis + 1:]
            kept = r.choice((row, row, thin, self.shape)) if row else r.choice(((), (), (8,)))
            use = None if r.random() < 0.7 else r.choice(("before", "round", "next"))
            self.may += use is None
            inits = (0, 0, 1, -2, 5) if self.element[0] == "i" else (-0.0, -0.0, 0, 1, -3, *[NAN[self.element]] * (what[:3] in ("max", "min")))
            init = self.constant(kept, self.element, r.choice(inits))
            accumulators.append((axis, what, kept, use, init))
        zero, one = (self.emit(f"arith.constant {k} : i32") for k in (0, 1))
        types, carried = [], []
        for _, _, kept, use, init in accumulators:
            types += [of(kept, self.element)] * (1 + (use is not None))
            carried += [init] * (1 + (use is not None))
        many = f":{len(types)}" if len(types) > 1 else ""
        results, counters = [], []
        for level in range(depth):
            self.names += 1
            number = self.names
            names = [f"%l{number}_{k}" for k in range(len(types))]
            limit = "%n" if r.random() < 0.7 else self.emit(f"arith.constant {r.randrange(4)} : i32")
            self.lines.append(f"%l{number}{many} = scf.for %i{number} = {zero} to {limit} step {one} iter_args(" + ", ".join(
                f"{a} = {b}" for a, b in zip(names, carried)) + f") -> ({', '.join(types)}) : i32 {{")
            counters.append(f"%i{number}")
            results.append([f"%l{number}#{k}" if many else f"%l{number}" for k in range(len(types))])
            carried = names
        steps = counters[0]
        for counter in counters[1:]:
            steps = self.emit(f"arith.muli {steps}, {self.emit('arith.constant 3 : i32')} : i32")
            steps = self.emit(f"arith.addi {steps}, {counter} : i32")
        x = self.load(at, steps)
        yielded, places = [], iter(carried)
        for axis, what, kept, use, _ in accumulators:
            acc, kind = next(places), of(kept, self.element)
            row = self.reduce(self.prepare(x, what), axis, what)
            row = self.spread(row, axis, kept)
            pair = [acc, row]
            r.shuffle(pair)
            yielded.append(self.emit(f"arith.{what} {', '.join(pair)} : {kind}"))
            if use:
                seen = {"before": acc, "round": row, "next": yielded[-1]}[use]
                yielded.append(self.emit(f"arith.{what} {next(places)}, {seen} : {kind}"))
        for level in reversed(range(depth)):
            self.lines.append(f"scf.yield {', '.join(yielded)} : {', '.join(types)}")
            self.lines.append("}")
            yielded = results[level]
        shapes = [kept for _, _, kept, use, _ in accumulators for _ in range(1 + (use is not None))]
        for value, shape in zip(yielded, shapes):
            self.store(value, shape)

    def text(self):
        pointer = f"!tt.ptr<{self.element}> {{tt.divisibility = 16 : i32}}"
        return (f"module {{\n  tt.func public @accumulate(%x: {pointer}, %out: {pointer}, %n: i32) {{\n    " +
                "\n    ".join(self.lines) + "\n    tt.return\n  }\n}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("titan")
    parser.add_argument("titan_opt")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    options = parser.parse_args()
    bad = behind = may = 0
    for seed in range(options.seed, options.seed + options.count):
        program, warps = Program(seed), 1 << seed % 4
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "accumulate.ttir"
            path.write_text(program.text())
            now = subprocess.run([options.titan_opt, f"--triton-thread-locality=num-warps={warps}", path], capture_output=True, text=True)
            made = len(re.findall(r'^    %\S+ = "tt.reduce"', now.stdout, re.MULTILINE))
            done = subprocess.run(
                [sys.executable, pathlib.Path(__file__).with_name("converted.py"), options.titan, path, "--num-warps", str(warps),
                 "--bound", "1e-5" if program.rounded else "0",
                 f"x={12 * program.count}:{'random' if program.rounded else 'ints'}:{seed}",
                 f"out={program.slots * program.count}:zeros", f"n={seed // 4 % 4}"], capture_output=True, text=True)
            if now.returncode or done.returncode or made > program.may:
                bad += 1
                print(f"seed {seed}, {warps} warps: {now.stderr}{done.stderr}\n{path.read_text()}")
        behind, may = behind + made, may + program.may
    print(f"seeds {options.seed} to {options.seed + options.count - 1}: {options.count - bad} of {options.count} kernels as in tt, "
          f"{behind} of {may} reductions behind their loops")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
