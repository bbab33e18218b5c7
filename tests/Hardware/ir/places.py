#!/usr/bin/env python3
"""Random copies in every direction (titan.copy, titan.copy_async, docs/dispatch.md), against a script.

    places.py check   --titan build/bin/titan [--seed S] [--count N]
    places.py mutants --titan build/bin/titan [--seed S] [--count N]
    places.py prepare --titan build/bin/titan [--seed S] [--count N] --out FOLDER
    device.py --library libtitan-runtime.so FOLDER          (on a machine with a GPU)

A kernel takes a tile of X on a way of copies to P: from global memory to shared memory, from there to there, to
registers, to registers in another layout and back, to the peer and from the peer, and to global memory. Which variant
does each the dispatch decides, or the text asks for one. Shapes, element types, swizzles, offsets (numbers or
arguments), layouts of buffers (`as`) and of registers are random; regions of X and P may leave them. What is left
in P is computed here, by coordinates alone. The summary counts copies by their variant. random_kernels.py has the
commands; dispatch.py has more layouts for copies to a peer.
"""
import itertools
import sys

import random_kernels
from random_kernels import TYPES, product

TILE_TYPES = ["i8", "i16", "bf16", "f16", "i32", "f32", "i64"]
BAR = "!titan.mbarrier"


class Kernel(random_kernels.Kernel):
    KERNELS_IN_FILE = 4
    copies = 0  # of all kernels of the process

    def __init__(self, rng, number):
        super().__init__(rng, number)
        self.warps, self.cluster = rng.choice([1, 2, 4]), rng.choice([1, 2, 2])
        self.grid = self.cluster
        self.type = rng.choice(TILE_TYPES)
        self.size = TYPES[self.type][0]
        self.values, self.tops, self.kinds = 0, [], []
        regular = rng.random() < 0.7
        if regular:
            self.rows = rng.choice([8, 16, 32, 64])
            self.columns = rng.choice([n for n in (8, 16, 32, 64) if 16 <= n * self.size <= 256])
        else:
            self.rows, self.columns = rng.randint(1, 40), rng.randint(1, 24) * max(1, 4 // self.size)
        self.regular = regular
        self.load()
        for _ in range(rng.choice([0, 1, 2, 2, 3, 3])):
            hops = [self.copy, self.copy, self.one_by_one]
            if self.regular:
                hops += [self.registers] * 3
            if self.cluster > 1:
                hops += [self.push] * 3 + [self.pull]
            rng.choice(hops)()
        self.store()
        self.kind = "+".join(self.kinds)
        meet = self.meet()
        self.lines = [*self.tops, "titan.elect warp(0) {", *self.inits, "titan.fence.mbarrier_init", "}", *meet, *self.lines,
                      *meet]

    inits = property(lambda self: [line for line in self.barriers])

    # -- text ----------------------------------------------------------------------------------

    def constant(self, value, type="i32"):
        name = f"%c{'m' if value < 0 else ''}{abs(value)}_{type}"
        line = f"{name} = arith.constant {value} : {type}"
        if line not in self.tops:
            self.tops.insert(0, line)
        return name

    def value(self):
        self.values += 1
        return f"%v{self.values}"

    def meet(self):
        return ["titan.cluster.arrive", "titan.cluster.wait"] if self.cluster > 1 else ["titan.cta_sync"]

    def settle(self):
        """Whatever was done is done, for everybody and for every proxy."""
        self.add("titan.fence.proxy_async shared_cta", *self.meet())

    barriers = ()

    def barrier(self, count):
        name = self.value()
        self.tops.append(f"{name} = titan.mbarrier.alloc : {BAR}")
        self.barriers = [*self.barriers, f"titan.mbarrier.init {name} count({count}) : {BAR}"]
        return name

    def tile(self, rows=None):
        """A buffer: its name, its type."""
        shape = [rows or self.rows, self.columns]
        swizzles = [s for s in (32, 64, 128) if shape[1] * self.size % s == 0 and shape[0] % 8 == 0]
        swizzle = self.rng.choice([0, 0, *swizzles])
        type = f"!titan.shared<{shape[0]}x{shape[1]}x{self.type}" + (f", swizzle = {swizzle}" if swizzle else "") + ">"
        name = self.value()
        self.tops.append(f"{name} = titan.shared.alloc : {type}")
        return name, type

    def flat(self, elements):
        name, type = self.value(), f"!titan.shared<{elements}x{self.type}>"
        self.tops.append(f"{name} = titan.shared.alloc : {type}")
        return name, type

    def layout(self):
        """Of a register tile."""
        rng, warps, rows, columns = self.rng, self.warps, self.rows, self.columns
        if self.size == 2 and rows % 16 == 0 and columns % 16 == 0 and rng.random() < 0.3:
            down = rng.choice([w for w in (1, 2, 4) if warps % w == 0 and rows % (16 * w) == 0])
            return f"#titan.mma_sync_a<16, {down}, {warps // down}>"
        while True:
            along = rng.choice([w for w in (1, 2, 4) if warps % w == 0])
            lanes = rng.choice([1, 2, 4, 8, 16, 32])
            wide, high = rng.choice([1, 2, 4, 8, 16]), rng.choice([1, 1, 2, 4])
            if wide * lanes * along <= columns and high * (32 // lanes) * (warps // along) <= rows:
                return (f"#titan.blocked<elements = [{high}, {wide}], lanes = [{32 // lanes}, {lanes}], "
                        f"warps = [{warps // along}, {along}]>")
            if rows * columns < 32 * warps:
                return f"#titan.blocked<elements = [1, 1], lanes = [{min(rows, 32)}, {32 // min(rows, 32)}], warps = [{warps}, 1]>"

    def registers_type(self):
        return f"tensor<{self.rows}x{self.columns}x{self.type}, {self.layout()}>"

    # -- global memory -------------------------------------------------------------------------

    def region(self, tensor, inside, unit):
        """A tensor and a place in it for each CTA's tile: shape, type, [offsets of each CTA], the text of the offsets.
        `unit`: the columns begin at multiples of it."""
        rng = self.rng
        room = [rng.randint(0, 6), unit * rng.randint(0, 4)]
        at = [rng.randint(0, room[0]), unit * rng.randint(0, room[1] // unit)]
        if not inside and rng.random() < 0.3:  # from before the tensor on
            at = [at[0] - rng.randint(0, self.rows - 1), at[1] - unit * rng.randint(0, (self.columns - 1) // unit)]
        shape = [self.cluster * self.rows + room[0], self.columns + room[1]]
        if not inside and rng.random() < 0.5:
            shape = [max(1, shape[0] - rng.randint(0, self.rows)), max(1, shape[1] - rng.randint(0, self.columns))]
            if self.alone:  # of what one thread copies something has to lie inside, for the checker
                shape = [max(shape[0], at[0] + (self.cluster - 1) * self.rows + 1), max(shape[1], at[1] + 1)]
        whole = 16 // self.size
        pitch = -(-shape[1] // whole) * whole
        self.pitches[tensor] = pitch
        type = f"!titan.global<{shape[0]}x{shape[1]}x{self.type}, strides = [{pitch}, 1]>"
        if self.dynamic and rng.random() < 0.4:
            type = f"!titan.global<?x?x{self.type}>"
        row = self.constant(at[0], "index")
        column = self.constant(at[1], "index")
        if self.moves and rng.random() < 0.4:
            scalar = f"o{tensor}"
            self.scalars[scalar] = at[1] // unit
            self.tops += [f"%i{scalar} = arith.index_cast %{scalar} : i64 to index",
                          f"%m{scalar} = arith.muli %i{scalar}, {self.constant(unit, 'index')} : index"]
            column = f"%m{scalar}"
        if self.cluster > 1:
            first = self.value()
            self.tops += [f"{first}r = titan.cluster_rank", f"{first}i = arith.index_cast {first}r : i32 to index",
                          f"{first}s = arith.muli {first}i, {self.constant(self.rows, 'index')} : index",
                          f"{first} = arith.addi {first}s, {row} : index"]
            row = first
        places = [(at[0] + rank * self.rows, at[1]) for rank in range(self.cluster)]
        return shape, type, places, f"{row}, {column}"

    def load(self):
        rng = self.rng
        self.pitches = {}
        ways = ["copy", "copy"] + ["registers"] * self.regular + ["scalars"]
        if self.regular and self.rows * self.columns * self.size >= 16 * 32 * self.warps:  # a piece for each thread
            ways += ["cp_async"] * 3
        if self.columns * self.size % 16 == 0:
            ways += ["bulk", "bulk"]
        way = rng.choice(ways)
        self.dynamic = way == "scalars" or (self.regular and way in ("copy", "registers"))
        self.alone = way == "scalars" or not self.regular
        self.moves = way == "scalars" or self.regular
        unit = {"bulk": 16 // self.size, "cp_async": max(1, rng.choice([4, 8, 16]) // self.size)}.get(way) or 1
        self.x_shape, self.global_x, places, at = self.region("X", way == "bulk", max(1, unit))
        count = self.x_shape[0] * self.pitches["X"]
        self.x = rng.randbytes(count * self.size)
        pick = lambda r, c: (self.x[(r * self.pitches["X"] + c) * self.size:][:self.size]
                             if 0 <= r < self.x_shape[0] and 0 <= c < self.x_shape[1] else bytes(self.size))
        self.content = [[[pick(r + i, c + j) for j in range(self.columns)] for i in range(self.rows)] for r, c in places]
        name, type = self.tile()
        self.at = name, type
        source, types = f"%X[{at}]", f"{self.global_x}, {type}"
        if way == "bulk":
            type0 = type.split(",")[0].rstrip(">") + ">"
            if type0 != type:  # no swizzle
                self.tops[-1] = self.tops[-1].replace(type, type0)
                self.at = name, type0
            full = self.barrier(1)
            self.add("titan.elect warp(0) {", f"titan.copy_async {source} to {name} signals {full} : {self.global_x}, {type0}, {BAR}",
                     f"titan.mbarrier.arrive {full} : {BAR}", "}", f"titan.mbarrier.wait {full} parity({self.constant(0)}) : {BAR}")
        elif way == "cp_async":
            if rng.random() < 0.5:
                self.add(f"titan.copy_async {source} to {name} : {types}", "%group = titan.cp_async.commit : !titan.token<async>",
                         "titan.cp_async.wait %group : !titan.token<async>")
            else:
                full = self.barrier(32 * self.warps)
                self.add(f"titan.copy_async {source} to {name} signals {full} : {types}, {BAR}",
                         f"titan.mbarrier.wait {full} parity({self.constant(0)}) : {BAR}")
        elif way == "registers":
            tile = self.value()
            registers = self.registers_type()
            self.add(f"{tile} = titan.copy {source} : {self.global_x} -> {registers}",
                     f"titan.copy {tile} to {name} : {registers}, {type}")
            self.count("registers")
        else:
            asked = ' dispatch("scalars")' if way == "scalars" else ""
            self.add(f"titan.copy {source} to {name}{asked} : {types}")
        self.count(way)
        self.settle()

    def store(self):
        rng = self.rng
        name, type = self.at
        ways = ["copy", "copy"] + ["registers"] * self.regular + ["scalars"]
        if self.columns * self.size % 16 == 0 and "swizzle" not in type:
            ways += ["bulk", "bulk"]
        way = rng.choice(ways)
        self.dynamic = way == "scalars" or (self.regular and way in ("copy", "registers"))
        self.alone = way == "scalars" or not self.regular
        self.moves = way == "scalars" or self.regular
        self.p_shape, self.global_p, places, at = self.region("P", way == "bulk", 16 // self.size if way == "bulk" else 1)
        pitch = self.pitches["P"]
        self.p = rng.randbytes(self.p_shape[0] * pitch * self.size)
        after = bytearray(self.p)
        for (r, c), tile in zip(places, self.content):
            for i, j in itertools.product(range(self.rows), range(self.columns)):
                if 0 <= r + i < self.p_shape[0] and 0 <= c + j < self.p_shape[1]:
                    byte = ((r + i) * pitch + c + j) * self.size
                    after[byte:byte + self.size] = tile[i][j]
        self.after = bytes(after)
        if way == "bulk":
            self.add("titan.elect warp(0) {", f"titan.copy_async {name} to %P[{at}] : {type}, {self.global_p}",
                     "%stored = titan.bulk.commit : !titan.token<bulk>", "titan.bulk.wait %stored : !titan.token<bulk>", "}")
        elif way == "registers":
            tile, registers = self.value(), self.registers_type()
            self.add(f"{tile} = titan.copy {name} : {type} -> {registers}", f"titan.copy {tile} to %P[{at}] : {registers}, {self.global_p}")
            self.count("registers")
        else:
            asked = ' dispatch("scalars")' if way == "scalars" else ""
            self.add(f"titan.copy {name} to %P[{at}]{asked} : {type}, {self.global_p}")
        self.count(way)

    def count(self, kind):
        self.kinds.append(kind)
        Kernel.copies += 1

    # -- between ---------------------------------------------------------------------------------

    def copy(self):
        """To another buffer; perhaps some of its rows alone, which have to be aligned or go one by one."""
        name, type = self.at
        if self.rows > 8 and self.rng.random() < 0.3:
            rows = self.rng.randint(1, self.rows // 8) * 8
            first = self.rng.choice([0, 8, self.rng.randint(0, self.rows - rows)])
            first = min(first, self.rows - rows)
            self.content = [tile[first:first + rows] for tile in self.content]
            self.rows = rows
            self.regular &= rows & rows - 1 == 0
            self.at = self.tile()
            self.add(f"titan.copy {name}[{self.constant(first, 'index')}, {self.constant(0, 'index')}] to {self.at[0]} : {type}, {self.at[1]}")
        else:
            self.at = self.tile()
            self.add(f"titan.copy {name} to {self.at[0]} : {type}, {self.at[1]}")
        self.count("shared")
        self.settle()

    def one_by_one(self):
        """Into another layout, and back."""
        name, type = self.at
        digits = [(0, self.rows), (1, self.columns)]
        self.rng.shuffle(digits)
        stride, strides = self.size, {}
        for d, extent in digits:
            stride += self.size * self.rng.choice([0, 0, 1, 3]) * (stride != self.size)
            strides[d] = stride
            stride *= extent
        bits = ""
        elements = -(-stride // self.size)
        if self.rng.random() < 0.4:
            elements = -(-elements * self.size // 1024) * 1024 // self.size
            bits = "; bits: " + self.rng.choice(["4^7", "4^7, 5^8", "4^7, 5^8, 6^9"])
        form = f'#titan.layout<"r: {self.rows}*b{strides[0]}; c: {self.columns}*b{strides[1]}{bits}">'
        other, flat = self.flat(elements)
        self.add(f'titan.copy {name} to {other} as {form} dispatch("scalars") : {type}, {flat}', *self.meet())
        self.at = self.tile()
        self.add(f'titan.copy {other} as {form} to {self.at[0]} dispatch("scalars") : {flat}, {self.at[1]}')
        self.count("scalars")
        self.count("scalars")
        self.settle()

    def registers(self):
        """To registers, perhaps to registers in other layouts, and back."""
        name, type = self.at
        tile, registers = self.value(), self.registers_type()
        self.add(f"{tile} = titan.copy {name} : {type} -> {registers}")
        self.count("registers")
        for _ in range(self.rng.choice([0, 1, 1, 2])):
            target = self.registers_type()
            if target == registers:
                continue
            scratch, flat = self.flat(self.rows * self.columns)
            moved = self.value()
            self.add(f"{moved} = titan.copy {tile} through {scratch} : {registers} by {flat} -> {target}")
            tile, registers = moved, target
            self.count("layouts")
        self.at = self.tile()
        self.add(f"titan.copy {tile} to {self.at[0]} : {registers}, {self.at[1]}")
        self.count("registers")
        self.settle()

    def peer(self):
        rank = self.value()
        self.add(f"{rank}r = titan.cluster_rank", f"{rank} = arith.subi {self.constant(1)}, {rank}r : i32")
        return rank

    def push(self):
        """Each CTA to the other one: in bulk by one thread, or by all threads."""
        name, type = self.at
        bytes = self.rows * self.columns * self.size
        bulk = self.columns * self.size % 16 == 0 and self.rng.random() < 0.5
        each = 16 * 32 * self.warps  # a piece for each thread
        if not bulk and (not self.regular or not each <= bytes <= 32 * each):
            return
        other, full, rank = self.tile(), self.barrier(1), self.peer()
        self.at = other
        self.add("titan.elect warp(0) {", f"titan.mbarrier.arrive_expect_tx {full}, {self.constant(bytes)} : {BAR}", "}", *self.meet())
        text = f"titan.copy_async {name} to {other[0]} rank({rank}) signals {full} : {type}, {other[1]}, {BAR}"
        self.add(*(["titan.elect warp(0) {", text, "}"] if bulk else [text]),
                 f"titan.mbarrier.wait {full} parity({self.constant(0)}) scope(cluster) : {BAR}")
        self.content = self.content[::-1]
        self.count("dsmem" if bulk else "st_async")
        self.settle()

    def pull(self):
        name, type = self.at
        rank = self.peer()
        self.at = self.tile()
        self.add(f"titan.copy {name} rank({rank}) to {self.at[0]} : {type}, {self.at[1]}")
        self.content = self.content[::-1]
        self.count("pull")
        self.settle()

    # -- what random_kernels asks for ----------------------------------------------------------------

    def tensors(self):
        return {"X": random_kernels.Tensor(self.type, self.x_shape, self.x, self.x, [self.pitches["X"], 1]),
                "P": random_kernels.Tensor(self.type, self.p_shape, self.p, self.after, [self.pitches["P"], 1])}

    def text(self):
        launch = []
        for name, value in self.scalars.items():  # no other, which could lead out of the tensor
            launch += [f"%want_{name} = arith.constant {value} : i64", f"%is_{name} = arith.cmpi eq, %{name}, %want_{name} : i64",
                       f'titan.require %is_{name}, "launch-check", "the number that the kernel was made for"']
        return super().text(launch, " attributes {titan.alignment = {X = 16, P = 16}}")

    @staticmethod
    def summary(launches):
        import collections
        kinds = collections.Counter(kind for launch in launches for kind in launch.kinds)
        return f"{sum(kinds.values())} copies: " + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))


BUGS = [(r"titan\.fence\.proxy_async.*", None), (r"titan\.mbarrier\.wait .*", None), (r"titan\.cp_async\.wait .*", None),
        (r"titan\.cta_sync", None), (r"titan\.cluster\.arrive", "titan.cluster.arrive relaxed"),
        (r"(titan\.mbarrier\.init %\w+) count\(1\) (.*)", r"\1 count(2) \2"),
        (r"titan\.copy_async .* rank.*", None), (r"titan\.bulk\.wait .*", None)]

if __name__ == "__main__":
    sys.exit(random_kernels.main(__doc__, Kernel, BUGS))
