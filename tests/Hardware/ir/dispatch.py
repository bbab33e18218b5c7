#!/usr/bin/env python3
"""Random copies between places to a peer's shared memory (titan.copy_async, docs/dispatch.md), against a script.

    dispatch.py check   --titan build/bin/titan [--seed S] [--count N]
    dispatch.py mutants --titan build/bin/titan [--seed S] [--count N]
    dispatch.py prepare --titan build/bin/titan [--seed S] [--count N] --out FOLDER
    device.py --library libtitan-runtime.so FOLDER          (on a machine with a GPU)

One CTA of a cluster has X in its shared memory, another one Q. A region of the one goes to a region of the other,
between random layouts: digits of any extents and orders, gaps between them, swizzles, replicas (of the source), constant
offsets, and offsets of the region that are numbers or arguments. What is left in P is where evaluating the two functions says. The layouts have runs of at least 16 bytes
in common, so that there is a way; unittests/Layout/CommonRunsTest.cpp has others. random_kernels.py has the
commands.
"""
import itertools
import sys

import random_kernels
from random_kernels import TYPES, product

TILE_TYPES = ["i8", "i16", "bf16", "f16", "i32", "f32", "i64"]
SWIZZLES = {32: [(4, 7)], 64: [(4, 7), (5, 8)], 128: [(4, 7), (5, 8), (6, 9)]}  # bits: to, from
COLUMNS = 64  # of the tensors that hold what the buffers hold


class Side:
    """A layout of a tile, and where its region begins. `shards`: (dimension, extent) of the region, innermost first
    in each dimension; the first `common` lie together, in this order, on both sides. Of a source whole shards may be replicas:
    each of their elements is the same one."""

    def __init__(self, rng, rank, shards, common, size, replicas):
        self.size, self.swizzle = size, rng.choice([0, 0, 32, 64, 128])
        self.at = rng.choice([0, 0, 16, 48, 1024])
        outer = list(range(common, len(shards)))
        rng.shuffle(outer)
        stride, self.strides, self.extents = size, {}, [extent for _, extent in shards]
        self.replicas = {n for n in outer if replicas and rng.random() < 0.15}
        room = {}  # The outermost digit of a dimension may be longer than the region.
        for d in range(rank):
            mine = [n for n, (of, _) in enumerate(shards) if of == d]
            if mine and rng.random() < 0.6 and mine[-1] >= common and mine[-1] not in self.replicas:
                room[mine[-1]] = rng.randint(1, 3)
        self.inner = [product(e for n, (of, e) in enumerate(shards) if of == d) for d in range(rank)]
        self.offsets, self.units, self.room = [0] * rank, [1] * rank, [False] * rank
        for n in [*range(common), *outer]:
            if n in self.replicas:
                continue
            if n >= common and rng.random() < 0.3:  # a gap
                stride += 16 * rng.randint(1, 4)
            if n >= common:
                stride = (stride + 15) // 16 * 16
            self.strides[n] = stride
            d, extent = shards[n]
            longer = extent + room.get(n, 0)
            if n in room:
                self.extents[n] = longer
                self.units[d], self.room[d] = self.inner[d] // extent, True
                self.offsets[d] = self.units[d] * rng.randint(0, longer - extent)
            stride = self.strides[n] * longer
        self.shards, self.rank = shards, rank
        self.period = 1024 if self.swizzle else 16
        self.bytes = (self.at + stride + self.period - 1) // self.period * self.period

    def digits(self, d):
        return [n for n, (of, _) in enumerate(self.shards) if of == d]

    def text(self):
        digit = lambda n: f"{self.extents[n]}*" + ("rep" if n in self.replicas else f"b{self.strides[n]}")
        axes = "; ".join(f"{'rstuv'[d]}: " + ", ".join(digit(n) for n in self.digits(d)) for d in range(self.rank))
        axes += f"; at: b{self.at}" if self.at else ""
        bits = ", ".join(f"{to}^{of}" for to, of in SWIZZLES.get(self.swizzle, []))
        return f'as #titan.layout<"{axes}' + (f"; bits: {bits}" if bits else "") + '">'

    def byte(self, coords):
        address = self.at
        for d in range(self.rank):
            left = coords[d] + self.offsets[d]
            for n in self.digits(d):
                address += left % self.extents[n] * self.strides.get(n, 0)
                left //= self.extents[n]
        return address ^ sum((address >> of & 1) << to for to, of in SWIZZLES.get(self.swizzle, []))


class Kernel(random_kernels.Kernel):
    def __init__(self, rng, number):
        super().__init__(rng, number)
        self.warps, self.cluster = rng.choice([1, 2, 4]), rng.choice([2, 2, 4])
        self.grid, self.kind = self.cluster, "dsmem"
        self.type = rng.choice(TILE_TYPES)
        size = TYPES[self.type][0]
        rank = rng.randint(1, 3)
        while True:
            shards, common = self.shards(rank, size)
            elements = product(extent for _, extent in shards)
            source, target = (Side(rng, rank, shards, common, size, replicas) for replicas in (True, False))
            if elements <= 2048 and max(source.bytes, target.bytes) <= 32768:
                break
        self.sides = source, target
        self.build(source, target, elements * size)
        after = bytearray(self.p)
        for coords in itertools.product(*(range(n) for n in source.inner)):
            a, b = source.byte(coords), target.byte(coords)
            after[b:b + size] = self.x[a:a + size]
        self.after = bytes(after)

    def shards(self, rank, size):
        """Of the region: those that lie together come first."""
        rng = self.rng
        shards, inside = [], 1
        order = list(range(rank))
        rng.shuffle(order)
        for d in order:  # At least 16 bytes, and a multiple of 16.
            if inside * size % 16 == 0 and shards and rng.random() < 0.5:
                break
            extent = rng.choice([2, 4, 8, 16]) if d != order[-1] or inside * size % 16 == 0 else 16 // size * rng.choice([1, 2, 3, 4]) or 1
            if extent > 1:
                shards.append((d, extent))
                inside *= extent
        while inside * size % 16:
            shards.append((order[-1], 2))
            inside *= 2
        common = len(shards)
        for d in range(rank):
            for _ in range(rng.choice([0, 1, 1, 2])):
                shards.append((d, rng.choice([2, 2, 3, 4, 5, 8])))
            if not any(of == d for of, _ in shards):
                shards.append((d, 2))
        return shards, common

    def build(self, source, target, moved):
        rng, size = self.rng, TYPES[self.type][0]

        def tensor(side):
            rows = -(-side.bytes // (8 * COLUMNS * size)) * 8
            return [rows, COLUMNS], f"!titan.global<{rows}x{COLUMNS}x{self.type}, strides = [{COLUMNS}, 1]>"

        self.x_shape, self.global_x = tensor(source)
        self.p_shape, self.global_p = tensor(target)
        self.x = rng.randbytes(size * product(self.x_shape))
        self.p = rng.randbytes(size * product(self.p_shape))
        buffers = [f"!titan.shared<{shape[0]}x{COLUMNS}x{self.type}>" for shape in (self.x_shape, self.p_shape)]
        sender, receiver = rng.sample(range(self.cluster), 2)
        bar = "!titan.mbarrier"
        self.add(f"%mine = titan.shared.alloc : {buffers[0]}", f"%theirs = titan.shared.alloc : {buffers[1]}",
                 f"%full = titan.mbarrier.alloc : {bar}", "titan.elect warp(0) {",
                 f"titan.mbarrier.init %full count(1) : {bar}", "titan.fence.mbarrier_init", "}",
                 f"titan.copy %X to %mine : {self.global_x}, {buffers[0]}",
                 f"titan.copy %Q to %theirs : {self.global_p}, {buffers[1]}", "titan.fence.proxy_async shared_cta",
                 "titan.cluster.arrive", "titan.cluster.wait", "%rank = titan.cluster_rank")
        places = []
        for name, side in (("mine", source), ("theirs", target)):
            values = []
            for d, offset in enumerate(side.offsets):
                unit = side.units[d]
                if not side.room[d] or unit & unit - 1 or rng.random() < 0.5:
                    values.append(self.constant(offset, "index"))
                    continue
                scalar = f"o{len(self.scalars)}"
                self.scalars[scalar] = offset // unit
                self.add(f"%i{scalar} = arith.index_cast %{scalar} : i64 to index",
                         f"%m{scalar} = arith.muli %i{scalar}, {self.constant(unit, 'index')} : index")
                values.append(f"%m{scalar}")
            places.append(f"%{name}[{', '.join(values)}] {side.text()}")
        self.add(f"%bytes = arith.constant {moved} : i32",
                 f"%sends = arith.cmpi eq, %rank, {self.constant(sender)} : i32",
                 f"%gets = arith.cmpi eq, %rank, {self.constant(receiver)} : i32",
                 "scf.if %sends {", "titan.elect warp(0) {",
                 f"titan.copy_async {places[0]} to {places[1]} extents [{', '.join(map(str, source.inner))}] "
                 f"rank({self.constant(receiver)}) signals %full : {buffers[0]}, {buffers[1]}, {bar}", "}", "}",
                 "scf.if %gets {", "titan.elect warp(0) {",
                 f"titan.mbarrier.arrive_expect_tx %full, %bytes : {bar}", "}",
                 f"titan.mbarrier.wait %full parity({self.constant(0)}) scope(cluster) : {bar}",
                 f"titan.copy %theirs to %P : {buffers[1]}, {self.global_p}", "}",
                 "titan.cluster.arrive", "titan.cluster.wait")

    def tensors(self):
        """Q holds what lies in the target before."""
        return {**super().tensors(), "Q": random_kernels.Tensor(self.type, self.p_shape, self.p, self.p)}

    def text(self):
        launch = []
        for name, value in self.scalars.items():  # no other, which could lead out of the tile
            launch += [f"%want_{name} = arith.constant {value} : i64", f"%is_{name} = arith.cmpi eq, %{name}, %want_{name} : i64",
                       f'titan.require %is_{name}, "launch-check", "the number that the kernel was made for"']
        text = super().text(launch, " attributes {titan.alignment = {X = 16, P = 16, Q = 16}}")
        return text.replace(f", %P: {self.global_p}", f", %P: {self.global_p}, %Q: {self.global_p}")


BUGS = [(r"titan\.fence\.proxy_async.*", None), (r"titan\.mbarrier\.wait .*", None),
        (r"titan\.mbarrier\.arrive_expect_tx (%full), %bytes (.*)", r"titan.mbarrier.arrive \1 \2"),
        (r"(%bytes = arith\.constant) \d+ (.*)", r"\1 16 \2"), (r"titan\.copy_async .*", None),
        (r"(titan\.mbarrier\.init %full) count\(1\) (.*)", r"\1 count(2) \2"),
        (r"(.*) rank\(%c(\d)_i32\) (.*)", r"\1 rank(%rank) \3")]

if __name__ == "__main__":
    sys.exit(random_kernels.main(__doc__, Kernel, BUGS))
