#!/usr/bin/env python3
"""Random loads and stores of tiles in global memory, as wide as the compiler finds them, against a script.

    vectors.py check   --titan build/bin/titan [--seed S] [--count N]
    vectors.py prepare --titan build/bin/titan [--seed S] [--count N] --out FOLDER
    device.py --library libtitan-runtime.so FOLDER          (on a machine with a GPU)

A kernel loads a tile from somewhere in X and stores it somewhere into P. Layouts, types, alignments that are
asked for, static and required strides, offsets and bounds of masks (numbers, or arguments times powers of two) and
hints for the caches are random, so that all widths come about, and what only looks like a vector, too. What
lies outside of the masks must be left as it was, or be 0. random_kernels.py has the commands.
"""
import sys

import random_kernels
from copies import TILE_TYPES
from exchanges import Layout
from random_kernels import TYPES

HINTS = {"load": ["", " cop(cg)", " cop(ca)", " l1(no_allocate)", " l1(evict_last) cache(evict_first)", " prefetch(128)",
                  " cop(cs) prefetch(64) cache(evict_last)"],
         "store": ["", " cop(wt)", " cop(cs)", " l1(no_allocate)", " l1(evict_first) cache(evict_last)"]}


class Kernel(random_kernels.Kernel):
    def __init__(self, rng, number):
        super().__init__(rng, number)
        self.warp_bits = rng.choice([0, 0, 1, 2])
        self.warps = 1 << self.warp_bits
        self.kind = self.type = rng.choice(TILE_TYPES)
        size = TYPES[self.type][0]
        dims = [rng.randint(1, 4), rng.randint(3, 6)]
        layout = self.runs(dims)
        rows, columns = 1 << dims[0], 1 << dims[1]
        self.needs, self.aligned = [], {}
        self.x_shape, self.global_x = self.tensor("X", rows, columns)
        self.p_shape, self.global_p = self.tensor("P", rows, columns)
        self.x = rng.randbytes(size * self.x_shape[0] * self.x_shape[1])
        self.p = rng.randbytes(size * self.p_shape[0] * self.p_shape[1])
        self.index, self.truth, self.made = layout.tile("i32"), layout.tile("i1"), 0
        self.add(f"%row = titan.coordinate 0 : {self.index}", f"%col = titan.coordinate 1 : {self.index}")
        tile = layout.tile(self.type)

        i, j, at, mask, inside = self.place(rows, columns, self.x_shape)
        self.add(f"%x = titan.global.load %X[{i}, {j}]{mask}{rng.choice(HINTS['load'])} : "
                 f"{self.global_x}, {self.index}, {self.index} -> {tile}")
        values = {}
        for r in range(rows):
            for c in range(columns):
                offset = size * ((r + at[0]) * self.x_shape[1] + c + at[1])
                values[r, c] = self.x[offset:offset + size] if inside(r, c) else bytes(size)
        i, j, at, mask, inside = self.place(rows, columns, self.p_shape)
        self.add(f"titan.global.store %x, %P[{i}, {j}]{mask}{rng.choice(HINTS['store'])} : "
                 f"{tile}, {self.global_p}, {self.index}, {self.index}")
        after = bytearray(self.p)
        for (r, c), value in values.items():
            if inside(r, c):
                offset = size * ((r + at[0]) * self.p_shape[1] + c + at[1])
                after[offset:offset + size] = value
        self.after = bytes(after)

    def runs(self, dims):
        """A layout whose first registers walk along the columns, for some bits."""
        rng, bits = self.rng, sum(dims)
        run = [1 << b for b in range(rng.choice([0, 1, 2, 2, 3, 4]))][:dims[1]]
        rest = [1 << b for b in range(len(run), bits)]
        rng.shuffle(rest)
        rest += [0] * max(0, 5 + self.warp_bits - len(rest))
        split = 5 + self.warp_bits
        registers = run + rest[split:]
        if rng.random() < 0.2:
            rng.shuffle(registers)
        return Layout(dims, registers, rest[:5], rest[5:split])

    def tensor(self, name, rows, columns):
        rng, size = self.rng, TYPES[self.type][0]
        step = rng.choice([1, 2, 4, 8, 16, 16])
        shape = [rows + rng.randrange(4), (columns + step * rng.randrange(1, 5) + step - 1) // step * step]
        if rng.random() < 0.8:
            self.aligned[name] = max(size, rng.choice([4, 8, 16, 16, 16]))
        if rng.random() < 0.5:
            return shape, f"!titan.global<?x{shape[1]}x{self.type}, strides = [{shape[1]}, 1]>"
        if rng.random() < 0.7:
            self.needs.append((name, step))
        return shape, f"!titan.global<?x?x{self.type}>"

    def number(self, value):
        """A tile of a number: written, or an argument times what divides it."""
        self.made += 1
        n = self.made
        if self.rng.random() < 0.5:
            self.add(f"%n{n} = arith.constant {value} : i32")
        else:
            factor = max(f for f in (1, 2, 4, 8, self.rng.choice([1, 16])) if value % f == 0)
            self.scalars[f"s{n}"] = value // factor
            self.add(f"%m{n} = arith.trunci %s{n} : i64 to i32", f"%f{n} = arith.constant {factor} : i32",
                     f"%n{n} = arith.muli %m{n}, %f{n} : i32")
        self.add(f"%t{n} = titan.splat %n{n} : i32 -> {self.index}")
        return f"%t{n}"

    def place(self, rows, columns, shape):
        """Indices, where that is, the mask, and its function."""
        rng = self.rng
        at = [rng.randrange(shape[0] - rows + 1), rng.randrange(shape[1] - columns + 1)]
        if rng.random() < 0.8:
            at[1] -= at[1] % rng.choice([2, 4, 8, 16, 16])
        n = self.made + 1
        row, column = self.number(at[0]), self.number(at[1])
        self.add(f"%i{n} = arith.addi %row, {row} : {self.index}", f"%j{n} = arith.addi %col, {column} : {self.index}")
        conditions, names = [], []
        for d, index in ((0, f"%i{n}"), (1, f"%j{n}")):
            if rng.random() < 0.5:
                continue
            bound = rng.randrange(shape[d] + 1)
            if rng.random() < 0.7:
                bound -= bound % rng.choice([2, 4, 8, 16, 16])
            swapped = rng.random() < 0.3
            limit = self.number(bound)
            name = f"%c{self.made}"
            self.add(f"{name} = arith.cmpi {'sgt' if swapped else 'slt'}, "
                     f"{f'{limit}, {index}' if swapped else f'{index}, {limit}'} : {self.index}")
            conditions.append((d, bound))
            names.append(name)
        mask = ""
        if len(names) == 2:
            self.add(f"%both{n} = arith.andi {names[0]}, {names[1]} : {self.truth}")
            names = [f"%both{n}"]
        if names:
            mask = f" mask({names[0]} : {self.truth})"
        return (f"%i{n}", f"%j{n}", at, mask,
                lambda r, c: all((r, c)[d] + at[d] < bound for d, bound in conditions))

    def text(self):
        launch, asked = [], ", ".join(f"{name} = {bytes}" for name, bytes in sorted(self.aligned.items()))
        for name, step in self.needs:
            type = self.global_x if name == "X" else self.global_p
            launch += [f"%stride{name} = titan.stride %{name}, 0 : {type}", f"%step{name} = arith.constant {step} : index",
                       f"%zero{name} = arith.constant 0 : index",
                       f"%rest{name} = arith.remui %stride{name}, %step{name} : index",
                       f"%ok{name} = arith.cmpi eq, %rest{name}, %zero{name} : index",
                       f'titan.require %ok{name}, "launch-check", "rows are whole vectors"']
        for name, value in self.scalars.items():  # no other, which could lead out of the tensors
            launch += [f"%want_{name} = arith.constant {value} : i64", f"%is_{name} = arith.cmpi eq, %{name}, %want_{name} : i64",
                       f'titan.require %is_{name}, "launch-check", "the number that the kernel was made for"']
        return super().text(launch, f" attributes {{titan.alignment = {{{asked}}}}}" if asked else "")


if __name__ == "__main__":
    sys.exit(random_kernels.main(__doc__, Kernel))
