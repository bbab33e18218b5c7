#!/usr/bin/env python3
"""Random kernels over what threads exchange of register tiles: checker, simulator, package, GPU.

    exchanges.py check   --titan build/bin/titan [--seed S] [--count N]
    exchanges.py mutants --titan build/bin/titan [--seed S] [--count N]
    exchanges.py prepare --titan build/bin/titan [--seed S] [--count N] --out FOLDER
    device.py --library libtitan-runtime.so FOLDER          (on a machine with a GPU)

A kernel loads X into registers, and stores to P what became of it: conversions from layout to layout
(registers, shuffles, shared memory; digits that step by exclusive or, replicas), transposed and
reshaped tiles, reductions, scans forward and in reverse and gathers within and between warps, stores and loads
of tiles that stmatrix and ldmatrix serve. What P
holds afterwards is computed here, element by element, from nothing of titan.
random_kernels.py has the commands.
"""
import struct
import sys

import random_kernels
from copies import TILE_TYPES
from random_kernels import TYPES

FORMS = {"f32": "<f", "f16": "<e"}


def rounded(type, value):
    """A float of the type, from the exact or doubly long result of one operation."""
    try:
        return struct.unpack(FORMS[type], struct.pack(FORMS[type], value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def combine(op, type, x, y):
    if type in FORMS:
        return {"add": lambda: rounded(type, x + y), "mul": lambda: rounded(type, x * y),
                "max": lambda: max(x, y), "min": lambda: min(x, y)}[op]()
    bits = 8 * TYPES[type][0]
    value = {"add": x + y, "mul": x * y, "max": max(x, y), "min": min(x, y), "and": x & y, "or": x | y,
             "xor": x ^ y}[op]
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


class Layout:
    """A register tile by the image of each bit of register, lane and warp; bits of the last dimension
    are the lowest."""

    def __init__(self, dims, registers, lanes, warps):
        self.dims, self.axes = dims, (registers, lanes, warps)

    def text(self):
        names = "i" if len(self.dims) == 1 else "rc"
        axes, moved = [], [image for images in self.axes for image in images if image]
        # Bits that no two places step along add up.
        plain = len(set(moved)) == len(moved) and all(bin(image).count("1") == 1 for image in moved)
        for axis, images in zip(("reg", "lane", "warp"), self.axes):
            digits = []
            for image in images:
                steps, rest = [], image
                for name, bits in reversed(list(zip(names, self.dims))):
                    if rest & (1 << bits) - 1:
                        steps.append(f"{name}{rest & (1 << bits) - 1}")
                    rest >>= bits
                digits.append("2*rep" if not steps else "2*" + steps[0] if plain else "2*^" + "^".join(steps[::-1]))
            if digits:
                axes.append(f"{axis}: " + ", ".join(digits))
        shape = ", ".join(f"{name}{1 << bits}" for name, bits in zip(names, self.dims))
        return f'#titan.layout<"{"; ".join(axes)}; shape: {shape}">'

    def tile(self, type):
        return "tensor<" + "x".join(str(1 << bits) for bits in self.dims) + f"x{type}, {self.text()}>"

    def element(self, *place):
        at = 0
        for images, value in zip(self.axes, place):
            for b, image in enumerate(images):
                at ^= image if value >> b & 1 else 0
        return at

    def held(self, warp):
        """The elements of a warp's registers."""
        return {self.element(r, l, warp) for r in range(1 << len(self.axes[0])) for l in range(32)}

    def crosses(self, other):
        return any(not other.held(w) <= self.held(w) for w in range(1 << len(self.axes[2])))


class Kernel(random_kernels.Kernel):
    def __init__(self, rng, number):
        super().__init__(rng, number)
        self.warp_bits = rng.choice([0, 1, 2, 2, 3])
        self.warps = 1 << self.warp_bits
        self.kind = rng.choice(["convert"] * 4 + ["relabel", "reduce", "reduce", "scan", "scan", "gather", "matrix", "matrix"])
        self.barriers = rng.choice([None, 1, 2])
        getattr(self, self.kind)()

    def layout(self, dims, plain=True):
        """Plain: each bit steps along one dimension, or along none."""
        rng, bits = self.rng, sum(dims)
        images = [1 << b for b in range(bits)]
        rng.shuffle(images)
        if not plain:
            for _ in range(rng.randrange(2 * bits)):
                i, j = rng.sample(range(bits), 2)
                images[i] ^= images[j]
        images += [0] * max(0, 5 + self.warp_bits + 1 - bits)
        for _ in range(rng.choice([0, 0, 1])):
            images.append(0 if plain else rng.randrange(1 << bits))
        rng.shuffle(images)
        return Layout(dims, images[5 + self.warp_bits:], images[:5], images[5:5 + self.warp_bits])

    def threads(self):
        return "" if self.barriers is None else f" barrier({self.barriers}) threads({32 * self.warps})"

    def sync(self):
        self.add("titan.cta_sync" if self.barriers is None
                 else f"titan.barrier.sync {self.barriers} threads({32 * self.warps})")

    def start(self, types, dims, first=None, **how):
        """%x: the tile, of the returned layout; X's elements."""
        rng = self.rng
        self.type = rng.choice(types)
        first = first or self.layout(dims, **how)
        rows, columns = 1 << dims[0], 1 << dims[1]
        self.x_shape = [rows, columns]
        self.global_x = self.global_p = f"!titan.global<?x?x{self.type}>"
        size, count = TYPES[self.type][0], rows * columns
        if self.kind in ("convert", "relabel", "gather", "matrix"):
            self.x = rng.randbytes(size * count)
            values = None
        elif self.type in FORMS:
            values = [rounded(self.type, rng.choice([rng.uniform(-2, 2), rng.uniform(0.5, 1.5)])) for _ in range(count)]
            self.x = b"".join(struct.pack(FORMS[self.type], v) for v in values)
        else:
            self.x = rng.randbytes(size * count)
            values = [int.from_bytes(self.x[i:i + size], "little", signed=True) for i in range(0, len(self.x), size)]
        index = first.tile("i32")
        self.add(f"%row = titan.coordinate 0 : {index}", f"%col = titan.coordinate 1 : {index}",
                 f"%x = titan.global.load %X[%row, %col] : {self.global_x}, {index}, {index} -> {first.tile(self.type)}")
        return first, values

    def finish(self, name, layout, elements):
        """The tile of rank 2 goes to P; `elements`: the bytes of each."""
        index = layout.tile("i32")
        self.p_shape = [1 << bits for bits in layout.dims]
        self.add(f"%orow = titan.coordinate 0 : {index}", f"%ocol = titan.coordinate 1 : {index}",
                 f"titan.global.store {name}, %P[%orow, %ocol] : {layout.tile(self.type)}, {self.global_p}, {index}, {index}")
        self.after = b"".join(elements)

    def elements(self):
        size = TYPES[self.type][0]
        return [self.x[i:i + size] for i in range(0, len(self.x), size)]

    def scratch(self, elements):
        type = f"!titan.shared<{elements}x{self.type}>"
        self.lines.insert(0, f"%scratch = titan.shared.alloc : {type}")
        return type

    def pack(self, values):
        if self.type in FORMS:
            return [struct.pack(FORMS[self.type], v) for v in values]
        return [v.to_bytes(TYPES[self.type][0], "little", signed=True) for v in values]

    # -- kinds ---------------------------------------------------------------------------------

    def within(self, layout, plain):
        """Another layout in which each warp holds the same."""
        rng = self.rng
        both = list(layout.axes[0] + layout.axes[1])
        if not plain:
            for _ in range(rng.randrange(6)):
                i, j = rng.sample(range(len(both)), 2)
                both[i] ^= both[j]
        rng.shuffle(both)
        return Layout(layout.dims, both[:-5], both[-5:], layout.axes[2])

    def convert(self):
        rng = self.rng
        dims = [rng.randint(3, 6), rng.randint(3, 5)]
        layout, _ = self.start(TILE_TYPES, dims)
        name, scratch, used = "%x", None, False
        steps = rng.choice([1, 1, 2, 3])
        for step in range(steps):
            plain = step == steps - 1
            if rng.random() < 0.4 and (not plain or all(bin(i).count("1") <= 1 for a in layout.axes for i in a)):
                target = self.within(layout, plain)
            else:
                target = self.layout(dims, plain)
            through = types = ""
            if layout.crosses(target):
                elements = 1 << sum(dims)
                scratch = scratch or self.scratch(elements)
                if used:
                    self.sync()
                used = True
                through, types = f" through %scratch{self.threads()}", f", {scratch}"
            self.add(f"%y{step} = titan.convert_layout {name}{through} : {layout.tile(self.type)}{types} -> "
                     f"{target.tile(self.type)}")
            name, layout = f"%y{step}", target
        self.finish(name, layout, self.elements())

    def relabel(self):
        """A transposed tile, converted."""
        rng = self.rng
        dims = [rng.randint(3, 5), rng.randint(3, 5)]
        layout, _ = self.start(TILE_TYPES, dims)
        turn = lambda image: (image & (1 << dims[1]) - 1) << dims[0] | image >> dims[1]
        turned = Layout(dims[::-1], *([turn(i) for i in axis] for axis in layout.axes))
        self.add(f"%y = titan.relabel %x : {layout.tile(self.type)} -> {turned.tile(self.type)}")
        target = self.layout(dims[::-1])
        if turned.crosses(target):
            scratch = self.scratch(1 << sum(dims))
            self.add(f"%z = titan.convert_layout %y through %scratch{self.threads()} : {turned.tile(self.type)}, {scratch}"
                     f" -> {target.tile(self.type)}")
        else:
            self.add(f"%z = titan.convert_layout %y : {turned.tile(self.type)} -> {target.tile(self.type)}")
        all, columns = self.elements(), 1 << dims[1]
        self.finish("%z", target, [all[r * columns + c] for c in range(columns) for r in range(1 << dims[0])])

    def matrices(self, dims):
        """A layout made of the 8 x 8 matrices of stmatrix and ldmatrix, by rows or by columns."""
        rng, (r, c) = self.rng, (1 << dims[1], 1)
        inner, outer = rng.choice([(c, r), (r, c)])
        rest = [c << b for b in range(3, dims[1])] + [r << b for b in range(3, dims[0])]
        rest += [0] * (self.warp_bits - len(rest))
        rng.shuffle(rest)
        return Layout(dims, [inner] + rest[self.warp_bits:], [inner * 2, inner * 4, outer, outer * 2, outer * 4],
                      rest[:self.warp_bits])

    def matrix(self):
        """To shared memory by one layout, and from there by another: instructions for matrices serve."""
        rng = self.rng
        dims = [rng.randint(3, 6), rng.randint(3, 6)]
        layout, _ = self.start(["bf16", "f16", "i16"], dims, first=self.matrices(dims))
        target = self.matrices(dims) if rng.random() < 0.8 else self.layout(dims)
        swizzle = rng.choice([0] + [s for s in (32, 64, 128, 128) if (2 << dims[1]) % s == 0])
        tile = f"!titan.shared<{1 << dims[0]}x{1 << dims[1]}x{self.type}{f', swizzle = {swizzle}' if swizzle else ''}>"
        self.add(f"%buffer = titan.shared.alloc : {tile}",
                 f"titan.shared.store %x, %buffer : {layout.tile(self.type)}, {tile}")
        self.sync()
        self.add(f"%y = titan.shared.load %buffer : {tile} -> {target.tile(self.type)}")
        self.finish("%y", target, self.elements())

    def reduce(self):
        rng = self.rng
        dims = [rng.randint(2, 5), rng.randint(3, 6)]
        op = rng.choice(["add", "max", "min", "mul", "and", "or", "xor"])
        # Sums of floats depend on their order; maxima do not.
        layout, values = self.start(["i32", "f32"] if op in ("max", "min") else ["i32"], dims)
        columns = 1 << dims[1]
        rows = []
        for at in range(0, len(values), columns):
            total = values[at]
            for value in values[at + 1:at + columns]:
                total = combine(op, self.type, total, value)
            rows.append(total)
        parts = 1
        for image in layout.axes[2]:
            parts *= 2 if image & columns - 1 else 1
        through, types = self.through(layout, len(rows) * parts)
        if rng.random() < 0.4:
            tile = layout.tile(self.type)
            self.add(f"%y = titan.reduce {op} %x{through} : {tile}{types} -> {tile}")
            return self.finish("%y", layout, self.pack([rows[i // columns] for i in range(len(values))]))
        row = f"tensor<{len(rows)}x{self.type}, #titan.slice<1, {layout.text()}>>"
        index = row.replace(f"x{self.type}, ", "xi32, ", 1)
        self.p_shape = [len(rows), 1]
        self.add(f"%y = titan.reduce {op} %x{through} : {layout.tile(self.type)}{types} -> {row}",
                 f"%orow = titan.coordinate 0 : {index}",
                 f"%ocol = titan.splat {self.constant(0)} : i32 -> {index}",
                 f"titan.global.store %y, %P[%orow, %ocol] : {row}, {self.global_p}, {index}, {index}")
        self.after = b"".join(self.pack(rows))

    def through(self, layout, elements):
        """What an operation along the columns says where warps share rows, and the scratch's type."""
        if not any(image & (1 << layout.dims[1]) - 1 for image in layout.axes[2]):
            return "", ""
        scratch = self.scratch(elements + self.rng.choice([0, 0, 24]))
        return f" through %scratch{self.threads()}", f", {scratch}"

    def scan(self):
        rng = self.rng
        dims = [rng.randint(3, 5), rng.randint(3, 6)]
        op = rng.choice(["add", "add", "max", "min", "mul", "and", "or", "xor"])
        floats = ["f32", "f16"] if op in ("add", "max", "min") else []
        layout, values = self.start(["i32", "i16"] + floats, dims)
        reverse = rng.random() < 0.4
        columns = 1 << dims[1]
        for at in range(0, len(values), columns):
            row = values[at:at + columns]
            row = row[::-1] if reverse else row
            step = 1
            while step < columns:
                for c in range(columns):
                    if c // step % 2:
                        other = row[c // step * step - 1]
                        row[c] = combine(op, self.type, *((row[c], other) if reverse else (other, row[c])))
                step *= 2
            values[at:at + columns] = row[::-1] if reverse else row
        # Blocks of a row that lie in one warp: as wide as the least step between warps.
        steps = [image & columns - 1 for image in layout.axes[2] if image & columns - 1]
        through, types = self.through(layout, (columns // min(steps) if steps else 1) << dims[0])
        self.add(f"%y = titan.scan {op} %x dimension(1){' reverse' if reverse else ''}{through} : "
                 f"{layout.tile(self.type)}{types}")
        self.finish("%y", layout, self.pack(values))

    def gather(self):
        """Along the columns: indices that places make, in registers of their own."""
        rng = self.rng
        dims = [rng.randint(3, 5), rng.randint(3, 5)]
        layout, _ = self.start(TILE_TYPES, dims)
        columns = 1 << dims[1]
        # Lanes and warps along the columns hold other columns, or the same; registers along them are others.
        low = columns - 1
        registers = [image for image in layout.axes[0] if not image & low]
        threads = [image for axis in layout.axes[1:] for image in axis if image & low]
        width = rng.randint(len(threads) + (not registers), max(len(threads) + 1, 5))
        fresh = [1 << b for b in range(width)]
        rng.shuffle(fresh)
        shift = lambda image: image >> dims[1] << width
        along = [fresh.pop() for _ in threads]
        lanes, warps = ([shift(i) if not i & low else along.pop() for i in axis] for axis in layout.axes[1:])
        to = Layout([dims[0], width], [shift(i) for i in registers] + fresh, lanes, warps)
        through, types = self.through(layout, 1 << sum(dims))
        a, b, s = rng.randrange(8), rng.randrange(8), rng.randrange(columns)
        index = to.tile("i32")
        self.add(f"%ir = titan.coordinate 0 : {index}", f"%ic = titan.coordinate 1 : {index}")
        for name, value in (("a", a), ("b", b), ("s", s), ("m", columns - 1)):
            self.add(f"%i{name} = titan.splat {self.constant(value)} : i32 -> {index}")
        self.add(f"%ira = arith.muli %ir, %ia : {index}", f"%icb = arith.muli %ic, %ib : {index}",
                 f"%isum = arith.addi %ira, %icb : {index}", f"%iall = arith.addi %isum, %is : {index}",
                 f"%which = arith.andi %iall, %im : {index}",
                 f"%y = titan.gather %x[%which] dimension(1){through} : {layout.tile(self.type)}, {index}{types} -> "
                 f"{to.tile(self.type)}")
        all = self.elements()
        self.finish("%y", to, [all[r * columns + (a * r + b * c + s) % columns]
                               for r in range(1 << dims[0]) for c in range(1 << width)])


# A line of synchronisation, and what may stand there instead (None: nothing).
BUGS = [(r"^titan\.(cta_sync|barrier\.sync)\b.*$", None),
        (r"^(%.* through %scratch) (barrier.* threads\(\d+\))?( : .*)$", r"\1 barrier(7) threads(32)\3")]

if __name__ == "__main__":
    sys.exit(random_kernels.main(__doc__, Kernel, BUGS))
