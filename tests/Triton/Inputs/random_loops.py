"""random_loops.py TITAN --seed 1 --count 20

Loops that load, random: products and sums, of 0 to 7 rounds, with 1 to 4 stages and 1 to 8 warps, masks with and without
`other`, operands by rows and by columns, counters of 16, 32 and 64 bits, with steps that the run knows, pointers that the
loop moves on, a loop around, stores in the loop. The kernel of titan IR leaves what the simulator of tt does, within the
bound of sums in another order. Tells how many have copies that are ahead, and of how many loops that could have them a
store stopped them.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

SIZES = {"f16": 2, "f32": 4, "i32": 4, "i8": 1}


class Loop:
    """A program's text, and what it is run with."""

    def __init__(self, seed):
        self.random = r = random.Random(seed)
        self.lines, self.number = [], 0
        self.warps, self.stages, self.rounds = r.choice((1, 2, 4, 8)), r.randint(1, 4), r.choice((0, 1, 2, 3, 4, 7))
        self.says = r.random() < 0.5  # The loop its number of stages, not the compiler's flag.
        self.product = r.random() < 0.6
        self.masked, self.moves, self.outer = r.random() < 0.6, r.random() < 0.5, r.random() < 0.25
        self.step = r.choice((1, 1, "known", "argument"))
        self.store = not self.product and r.choice(("", "", "other", "same"))
        # Of its own, so that the loops of a seed stay what they are.
        self.counter = random.Random(f"counter of {seed}").choice(("i16", "i32", "i32", "i64"))
        self.dot() if self.product else self.sum()

    def emit(self, text):
        self.number += 1
        self.lines.append(f"%v{self.number} = {text}")
        return f"%v{self.number}"

    def number_of(self, value, kind="i32"):
        return self.emit(f"arith.constant {value} : {kind}")

    def as_counter(self, value):
        """A number of i32, of the counter's type."""
        name = {"i16": "trunci", "i32": "", "i64": "extsi"}[self.counter]
        return self.emit(f"arith.{name} {value} : i32 to {self.counter}") if name else value

    def places(self, shape, dimension):
        """The coordinate along a dimension, all over the tensor."""
        extent = shape[dimension]
        at = self.emit(f"tt.make_range {{end = {extent} : i32, start = 0 : i32}} : tensor<{extent}xi32>")
        if len(shape) == 1:
            return at
        thin = f"{extent}x1" if dimension == 0 else f"1x{extent}"
        at = self.emit(f"tt.expand_dims {at} {{axis = {1 - dimension} : i32}} : tensor<{extent}xi32> -> tensor<{thin}xi32>")
        return self.emit(f"tt.broadcast {at} : tensor<{thin}xi32> -> {self.tensor(shape)}")

    @staticmethod
    def tensor(shape, kind="i32"):
        return f"tensor<{'x'.join(map(str, shape))}x{kind}>"

    def splat(self, value, shape, kind="i32"):
        return self.emit(f"tt.splat {value} : {kind} -> {self.tensor(shape, kind)}")

    def op(self, name, x, y, shape=None):
        return self.emit(f"arith.{name} {x}, {y} : {self.tensor(shape) if shape else 'i32'}")

    def constant(self, value, shape, kind):
        value = f"{float(value)}" if kind[0] == "f" else f"{int(value)}"
        return self.emit(f"arith.constant dense<{value}> : {self.tensor(shape, kind)}")

    def loop(self, block, streams, sums, body, extra):
        """`streams`: (pointer, kind, shape, offsets of round 0, elements from round to round, places along the loop).
        The bound is in elements along the loop, of which a round takes `block`."""
        r = self.random
        zero, one = self.number_of(0), self.number_of(1)
        first = self.number_of(0, self.counter)
        step = self.as_counter("%step") if self.step == "argument" else self.number_of(1 if self.step == 1 else block, self.counter)
        end = self.as_counter("%rounds" if self.step == 1 else "%end")
        pointers = [self.emit(f"tt.addptr {self.splat(f'%{p}', shape, f'!tt.ptr<{kind}>')}, {offsets} : "
                              f"{self.tensor(shape, f'!tt.ptr<{kind}>')}, {self.tensor(shape)}")
                    for p, kind, shape, offsets, _, _ in streams]
        types = [self.tensor(shape, f"!tt.ptr<{kind}>") for _, kind, shape, _, _, _ in streams]
        last, total = sums
        around = ""
        if self.outer:
            self.lines.append(f"%all = scf.for %turn = {zero} to {self.number_of(2)} step {one} iter_args(%start = {last}) -> ({total}) : i32 {{")
            last = "%start"
        carried = list(zip((f"%p{i}" for i in range(len(streams))), pointers)) if self.moves else []
        arguments = ", ".join(f"{a} = {b}" for a, b in carried + [("%sum", last)])
        results = ", ".join((types if self.moves else []) + [total])
        name = f"%{'inner' if self.outer else 'all'}"
        count = len(carried) + 1
        self.lines.append(f"{name}:{count} = scf.for %i = {first} to {end} step {step} iter_args({arguments}) -> ({results}) : {self.counter} {{")
        at = {"i16": lambda: self.emit("arith.extsi %i : i16 to i32"), "i32": lambda: "%i",
              "i64": lambda: self.emit("arith.trunci %i : i64 to i32")}[self.counter]()
        if self.step == 1:
            at = self.op("muli", at, self.number_of(block))
        values, next_pointers = [], []
        for i, (p, kind, shape, offsets, growth, along) in enumerate(streams):
            if self.moves:
                pointer = f"%p{i}"
                by = self.constant(growth * block, shape, "i32")
                next_pointers.append(self.emit(f"tt.addptr {pointer}, {by} : {types[i]}, {self.tensor(shape)}"))
            else:
                far = self.splat(self.op("muli", at, self.number_of(growth)), shape)
                pointer = self.emit(f"tt.addptr {pointers[i]}, {far} : {types[i]}, {self.tensor(shape)}")
            text = f"tt.load {pointer}"
            if self.masked:
                where = self.op("addi", self.splat(at, shape), along, shape)
                inside = self.emit(f"arith.cmpi slt, {where}, {self.splat('%bound', shape)} : {self.tensor(shape)}")
                text += f", {inside}, {self.constant(r.choice((0, 0, 1)), shape, kind)}"
            values.append(self.emit(f"{text} : {types[i]}"))
            if self.store and i == 0:
                to = pointer if self.store == "same" else self.emit(
                    f"tt.addptr {self.splat('%y', shape, f'!tt.ptr<{kind}>')}, {self.op('addi', self.splat(at, shape), offsets, shape)} : "
                    f"{types[i]}, {self.tensor(shape)}")
                name_of = "addf" if kind[0] == "f" else "addi"
                twice = self.emit(f"arith.{name_of} {values[0]}, {values[0]} : {self.tensor(shape, kind)}")
                self.lines.append(f"tt.store {to}, {twice}{', ' + inside if self.masked else ''} : {types[i]}")
        self.lines.append(f"scf.yield {', '.join(next_pointers + [body(values)])} : {results}")
        self.lines.append("}" + (f" {{tt.num_stages = {self.stages} : i32}}" if self.says else ""))
        if self.outer:
            self.lines.append(f"scf.yield {name}#{count - 1} : {total}\n}}")
        sums_shape, kind = extra
        result = "%all" if self.outer else f"%all#{count - 1}"
        at = self.places(sums_shape, len(sums_shape) - 1)
        if len(sums_shape) == 2:
            rows = self.op("muli", self.places(sums_shape, 0), self.constant(sums_shape[1], sums_shape, "i32"), sums_shape)
            at = self.op("addi", at, rows, sums_shape)
        pointer = self.tensor(sums_shape, f"!tt.ptr<{kind}>")
        to = self.emit(f"tt.addptr {self.splat('%out', sums_shape, f'!tt.ptr<{kind}>')}, {at} : {pointer}, {self.tensor(sums_shape)}")
        self.lines.append(f"tt.store {to}, {result} : {pointer}")

    def dot(self):
        r = self.random
        kind = r.choice(("f16", "f16", "f32", "i8"))
        to = "i32" if kind == "i8" else "f32"
        m, n, k = r.choice((16, 32, 64)), r.choice((16, 32, 64)), r.choice((32, 64))
        longest = 8 * k
        self.block = k
        streams = []
        for p, shape, summed in (("a", (m, k), 1), ("b", (k, n), 0)):
            by_rows = r.random() < 0.6
            strides = [shape[1] if summed == 0 else longest, 1] if by_rows else [1, shape[0] if summed == 1 else longest]
            parts = [self.op("muli", self.places(shape, d), self.constant(strides[d], shape, "i32"), shape) for d in (0, 1)]
            streams.append((p, kind, shape, self.op("addi", *parts, shape), strides[summed], self.places(shape, summed)))
        precision = ", inputPrecision = tf32" if kind == "f32" else ""
        sums = (self.constant(0, (m, n), to), self.tensor((m, n), to))
        self.loop(k, streams, sums, lambda v: self.emit(
            f"tt.dot {v[0]}, {v[1]}, %sum{precision} : {self.tensor((m, k), kind)} * {self.tensor((k, n), kind)} -> "
            f"{self.tensor((m, n), to)}"), ((m, n), to))
        # Numbers of few bits, whose sums are exact in whatever order.
        self.arguments = [f"a={m * longest}:ints:1", f"b={n * longest}:ints:2", f"out={m * n}:poison"]
        self.kinds = (("a", kind), ("b", kind), ("out", to))

    def sum(self):
        r = self.random
        kind, shape = r.choice(("f32", "f32", "i32", "f16")), (r.choice((64, 256, 512, 1024)),)
        block = self.block = shape[0]
        offsets = self.places(shape, 0)
        self.loop(block, [("a", kind, shape, offsets, 1, offsets)], (self.constant(0, shape, kind), self.tensor(shape, kind)),
                  lambda v: self.emit(f"arith.add{kind[0]} %sum, {v[0]} : {self.tensor(shape, kind)}"), (shape, kind))
        self.arguments = [f"a={block * 8}:ints:1", f"out={block}:poison"]
        self.kinds = (("a", kind), ("out", kind))
        if self.store == "other":
            self.arguments.append(f"y={block * 8}:zeros")
            self.kinds += (("y", kind),)

    def text(self):
        arguments = [f"%{name}: !tt.ptr<{kind}> {{tt.divisibility = 16 : i32}}" for name, kind in self.kinds]
        arguments += [f"%{name}: i32 {{tt.divisibility = 16 : i32}}" for name in ("end", "bound", "step")] + ["%rounds: i32"]
        return (f"module {{\n  tt.func public @loop({', '.join(arguments)}) {{\n    " + "\n    ".join(self.lines) +
                "\n    tt.return\n  }\n}\n")

    def scalars(self):
        bound = max(self.rounds * self.block - (16 if self.rounds else 0), 0)
        return [f"end={bound if self.masked else self.rounds * self.block}", f"bound={bound}", f"step={self.block}", f"rounds={self.rounds}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("titan")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    options = parser.parse_args()
    ahead = stopped = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "loop.ttir")
        for seed in range(options.seed, options.seed + options.count):
            loop = Loop(seed)
            path.write_text(loop.text())
            flags = ["--num-warps", str(loop.warps), "--num-stages", str(loop.stages)]
            done = subprocess.run([sys.executable, pathlib.Path(__file__).with_name("converted.py"), options.titan, path, *flags,
                                   "--bound", "2e-3", *loop.arguments, *loop.scalars()], capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"seed {seed}, {' '.join(flags)}, {' '.join(loop.scalars())}\n{loop.text()}{done.stdout}{done.stderr}")
            kernel = subprocess.run([options.titan, "compile", "--emit=titan", path, *flags, "-o", "-"], capture_output=True, text=True).stdout
            copies = "titan.cp_async %" in kernel
            ahead += copies
            wanted = loop.stages > 1 and (loop.product or loop.says)
            if copies and (not wanted or loop.store == "same"):
                sys.exit(f"seed {seed}: copies ahead that nothing asks for, or past a store\n{loop.text()}")
            stopped += wanted and loop.store == "same"
    print(f"seeds {options.seed} to {options.seed + options.count - 1}: {options.count} loops, {ahead} with copies ahead, "
          f"{stopped} that a store keeps from it")


main()
