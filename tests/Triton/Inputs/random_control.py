"""random_control.py TITAN --seed 1 --count 30

Tensors that branches and loops yield, in layouts that become known late: random programs of nested scf.if and scf.for round
reshapes, transposes, splits and joins, steps of sorts, gathers, scans and reductions. What the simulator of tt makes of each is,
bit for bit, what the kernel of titan IR does, with 1 to 8 warps (converted.py).
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile


class Program:
    """Text of one program. All of its tensors have as many elements, i32, under any shape."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 1 << self.random.choice((4, 6, 6, 8))
        self.lines, self.names, self.depth = [], 0, 0
        values = []
        for name in ("x", "y"):
            flat = (self.count,)
            place = self.emit(f"tt.make_range {{end = {self.count} : i32, start = 0 : i32}} : {self.of(flat)}")
            base = self.emit(f"tt.splat %{name} : !tt.ptr<i32> -> {self.of(flat, '!tt.ptr<i32>')}")
            pointers = self.emit(f"tt.addptr {base}, {place} : {self.of(flat, '!tt.ptr<i32>')}, {self.of(flat)}")
            loaded = self.emit(f"tt.load {pointers} : {self.of(flat, '!tt.ptr<i32>')}")
            values.append(self.reshape((loaded, flat), self.shape()))
        self.block(values, 12)
        for number, value in enumerate(values[-3:]):
            flat = (self.count,)
            name, _ = self.reshape(value, flat)
            place = self.emit(f"tt.make_range {{end = {self.count} : i32, start = 0 : i32}} : {self.of(flat)}")
            by = self.emit(f"arith.constant dense<{number * self.count}> : {self.of(flat)}")
            at = self.emit(f"arith.addi {place}, {by} : {self.of(flat)}")
            base = self.emit(f"tt.splat %out : !tt.ptr<i32> -> {self.of(flat, '!tt.ptr<i32>')}")
            pointers = self.emit(f"tt.addptr {base}, {at} : {self.of(flat, '!tt.ptr<i32>')}, {self.of(flat)}")
            self.lines.append(f"tt.store {pointers}, {name} : {self.of(flat, '!tt.ptr<i32>')}")

    @staticmethod
    def of(shape, element="i32"):
        return f"tensor<{'x'.join(map(str, shape))}x{element}>"

    def emit(self, text):
        self.names += 1
        self.lines.append(f"%v{self.names} = {text}")
        return f"%v{self.names}"

    def shape(self):
        """Of one to three dimensions."""
        left, shape = self.count, []
        for _ in range(self.random.randrange(3)):
            extent = 1 << self.random.randrange(left.bit_length())
            shape.append(extent)
            left //= extent
        return (*shape, left)

    def reshape(self, value, shape):
        name, before = value
        return value if before == shape else (self.emit(f"tt.reshape {name} : {self.of(before)} -> {self.of(shape)}"), shape)

    def pairs(self, value, make):
        """Neighbours, by twos: both halves become others, which are joined."""
        shape = value[1]
        name, wide = self.reshape(value, (self.count // 2, 2))
        half = self.of(wide[:1])
        self.names += 1
        both = f"%v{self.names}"
        self.lines.append(f"{both}:2 = tt.split {name} : {self.of(wide)} -> {half}")
        one, other = make(f"{both}#0", f"{both}#1", half)
        return self.reshape((self.emit(f"tt.join {one}, {other} : {half} -> {self.of(wide)}"), wide), shape)

    def combined(self, operation, value, axis, what, shape):
        return self.emit(f'"tt.{operation}"({value[0]}) <{{axis = {axis} : i32{", reverse = false" * (operation == "scan")}}}> ({{\n'
                         f"^bb0(%a: i32, %b: i32):\n  %c = arith.{what} %a, %b : i32\n  tt.{operation}.return %c : i32\n}}) : "
                         f"({self.of(value[1])}) -> {self.of(shape)}")

    def step(self, values):
        r = self.random
        value = r.choice(values)
        name, shape = value
        what = r.choice(("reshape", "trans", "trans", "sum", "scan", "reduce", "pairs", "sort", "gather", "if", "if", "for"))
        if what == "reshape":
            return self.reshape(value, self.shape())
        if what == "trans" and len(shape) > 1:
            order = r.sample(range(len(shape)), len(shape))
            turned = tuple(shape[d] for d in order)
            return self.emit(f"tt.trans {name} {{order = array<i32: {', '.join(map(str, order))}>}} : {self.of(shape)} -> "
                             f"{self.of(turned)}"), turned
        if what == "sum":
            other, _ = self.reshape(r.choice(values), shape)
            return self.emit(f"arith.{r.choice(('addi', 'subi', 'xori', 'muli'))} {name}, {other} : {self.of(shape)}"), shape
        axis = r.randrange(len(shape))
        if what == "scan":
            return self.combined("scan", value, axis, "addi", shape), shape
        if what == "reduce" and len(shape) > 1:
            row = shape[:axis] + shape[axis + 1:]
            thin = shape[:axis] + (1,) + shape[axis + 1:]
            sums = self.combined("reduce", value, axis, r.choice(("addi", "maxsi")), row)
            sums = self.emit(f"tt.expand_dims {sums} {{axis = {axis} : i32}} : {self.of(row)} -> {self.of(thin)}")
            return (self.emit(f"tt.broadcast {sums} : {self.of(thin)} -> {self.of(shape)}") if thin != shape else sums), shape
        if what == "pairs":
            return self.pairs(value, lambda one, other, half: (other, self.emit(f"arith.addi {one}, {other} : {half}")))
        if what == "sort":
            return self.pairs(value, lambda one, other, half: (self.emit(f"arith.minsi {one}, {other} : {half}"),
                                                               self.emit(f"arith.maxsi {one}, {other} : {half}")))
        if what == "gather":
            line = (shape[axis],)
            if line[0] == 1:
                return None
            index = self.emit(f"tt.make_range {{end = {line[0]} : i32, start = 0 : i32}} : {self.of(line)}")
            by = self.emit(f"arith.constant dense<{r.randrange(line[0])}> : {self.of(line)}")
            index = self.emit(f"arith.xori {index}, {by} : {self.of(line)}")
            for d in range(len(shape)):
                if d != axis:
                    wide = line[:d] + (1,) + line[d:]
                    index = self.emit(f"tt.expand_dims {index} {{axis = {d} : i32}} : {self.of(line)} -> {self.of(wide)}")
                    line = wide
            if line != shape:
                index = self.emit(f"tt.broadcast {index} : {self.of(line)} -> {self.of(shape)}")
            return self.emit(f"tt.gather {name}[{index}] {{axis = {axis} : i32}} : ({self.of(shape)}, {self.of(shape)}) -> "
                             f"{self.of(shape)}"), shape
        if what in ("if", "for") and self.depth < 3:
            return self.region(what, values)
        return None

    def region(self, what, values):
        """A branch or a loop, of one or two tensors."""
        r = self.random
        shapes = [self.shape() for _ in range(r.choice((1, 1, 2)))]
        types = ", ".join(map(self.of, shapes))
        self.names += 1
        result, number = f"%v{self.names}", len(shapes)
        left = f"{result}:{number}" if number > 1 else result
        self.depth += 1
        limit = self.emit(f"arith.constant {r.randrange(4)} : i32")

        def fill(own):
            self.block(own, r.randrange(1, 5))
            yielded = [self.reshape(r.choice(own[-3:]), shape)[0] for shape in shapes]
            self.lines.append(f"scf.yield {', '.join(yielded)} : {types}")

        if what == "if":
            condition = self.emit(f"arith.cmpi {r.choice(('sgt', 'eq'))}, %n, {limit} : i32")
            self.lines.append(f"{left} = scf.if {condition} -> ({types}) {{")
            fill(list(values))
            self.lines.append("} else {")
            fill(list(values))
        else:
            zero, one = (self.emit(f"arith.constant {k} : i32") for k in (0, 1))
            inits = [self.reshape(r.choice(values), shape)[0] for shape in shapes]
            self.names += 1
            arguments = [f"%a{self.names}_{k}" for k in range(number)]
            carried = ", ".join(f"{a} = {i}" for a, i in zip(arguments, inits))
            self.lines.append(f"{left} = scf.for %i{self.names} = {zero} to {limit} step {one} iter_args({carried}) -> ({types}) : i32 {{")
            fill(list(values) + list(zip(arguments, shapes)))
        self.lines.append("}")
        self.depth -= 1
        made = [(f"{result}#{k}" if number > 1 else result, shape) for k, shape in enumerate(shapes)]
        values.extend(made[1:])
        return made[0]

    def block(self, values, steps):
        for _ in range(steps):
            made = self.step(values)
            if made:
                values.append(made)

    def text(self):
        return ("module {\n  tt.func public @control(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %out: !tt.ptr<i32>, %n: i32) {\n    " +
                "\n    ".join(self.lines) + "\n    tt.return\n  }\n}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("titan")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    options = parser.parse_args()
    bad = 0
    for seed in range(options.seed, options.seed + options.count):
        program, warps = Program(seed), 1 << seed % 4
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "control.ttir"
            path.write_text(program.text())
            done = subprocess.run(
                [sys.executable, pathlib.Path(__file__).with_name("converted.py"), options.titan, path, "--num-warps", str(warps),
                 f"x={program.count}:ints:{seed}", f"y={program.count}:ints:{seed + 1}", f"out={3 * program.count}:zeros",
                 f"n={seed % 5}"], capture_output=True, text=True)
            if done.returncode:
                bad += 1
                print(f"seed {seed}, {warps} warps: {done.stderr}\n{path.read_text()}")
    print(f"seeds {options.seed} to {options.seed + options.count - 1}: {options.count - bad} of {options.count} kernels as in tt")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
