#!/usr/bin/env python3
"""Random kernels over matrix products: checker, simulator, package, GPU.

    products.py check   --titan build/bin/titan [--seed S] [--count N]
    products.py mutants --titan build/bin/titan [--seed S] [--count N]
    products.py prepare --titan build/bin/titan [--seed S] [--count N] --out FOLDER
    device.py --library libtitan-runtime.so FOLDER          (on a machine with a GPU)

P = A * B^T (+ P). A kernel brings A and B to shared memory by TMA and multiplies: by titan.mma (all
element types; swizzles or none, transposed operands, A from registers, signs, one or two
warpgroups, several products into one accumulator) or by titan.mma_sync (grids of warps, C from
memory). Kernels are written as text from a seed. What P holds afterwards is computed here, by
Python's integers, from the words of docs/hardware-mma.md and from nothing of titan. random_kernels.py has
the commands.
"""
import concurrent.futures
import random
import sys

import random_kernels
from random_kernels import Tensor

# name in the IR: bytes, bits of exponent, of mantissa (None: an integer), bits that are not read
FORMATS = {"f16": (2, 5, 10, 0), "bf16": (2, 8, 7, 0), "f32": (4, 8, 10, 13), "f8E4M3FN": (1, 4, 3, 0),
           "f8E5M2": (1, 5, 2, 0), "i8": (1, None, None, 0)}
RESULTS = {"f32": (4, 8, 23), "f16": (2, 5, 10), "i32": (4, None, None)}
# operands, accumulator: bits kept below the largest exponent, and of the result's fraction
ARITHMETIC = {(2, "f32"): (25, 23), (4, "f32"): (25, 23), (2, "f16"): (25, 10), (1, "f32"): (13, 13),
              (1, "f16"): (13, 10)}


# ----------------------------------------------------------------------------------------------
# Arithmetic
# ----------------------------------------------------------------------------------------------

def decode(bits, exponent_bits, mantissa_bits, infinite=True):
    """(kind, significand with its sign, exponent of its last bit, exponent of the leading place)."""
    negative = bits >> (exponent_bits + mantissa_bits) & 1
    field = bits >> mantissa_bits & ((1 << exponent_bits) - 1)
    mantissa = bits & ((1 << mantissa_bits) - 1)
    sign = -1 if negative else 1
    if field == (1 << exponent_bits) - 1 and (infinite or mantissa == (1 << mantissa_bits) - 1):
        return ("nan" if mantissa else "inf", sign, 0, 0)
    scale = max(field, 1) - ((1 << exponent_bits - 1) - 1)
    significand = mantissa | (1 << mantissa_bits if field else 0)
    return ("number", sign * significand, scale - mantissa_bits, scale)


def rounded(total, unit, form, kept, nearest):
    """total * 2^unit as the bits of a float; of its fraction so many bits are kept."""
    _, exponent_bits, mantissa_bits = form
    bias = (1 << exponent_bits - 1) - 1
    magnitude = abs(total)
    if not magnitude:
        return 0
    last = max(magnitude.bit_length() - 1 + unit, 1 - bias) - kept
    shift = last - unit
    if shift <= 0:
        short = magnitude << -shift
    else:
        short, rest = magnitude >> shift, magnitude & ((1 << shift) - 1)
        half = 1 << shift - 1
        if nearest and (rest > half or rest == half and short & 1):
            short += 1
    if short >> kept + 1:
        short, last = short >> 1, last + 1
    if not short:
        return 0
    short <<= mantissa_bits - kept
    field = last + kept + bias if short >> mantissa_bits else 0
    sign = 1 << exponent_bits + mantissa_bits if total < 0 else 0
    if field >= (1 << exponent_bits) - 1:
        return sign | ((1 << exponent_bits) - 1) << mantissa_bits
    return sign | field << mantissa_bits | short & ((1 << mantissa_bits) - 1)


def instruction(a, b, c, size, result):
    """One instruction's element: lists of decoded factors, the accumulator's bits."""
    form = RESULTS[result]
    fraction, kept = ARITHMETIC[size, result]
    top = form[1] + form[2]
    kind, significand, exponent, scale = decode(c, form[1], form[2])
    nan, infinities, largest = kind == "nan", set(), None
    if kind == "inf":
        infinities.add(significand)
    if kind == "number" and significand:
        largest = scale
    for x, y in zip(a, b):
        if x[0] == "nan" or y[0] == "nan":
            nan = True
        elif x[0] == "inf" or y[0] == "inf":
            if x[1] == 0 or y[1] == 0:
                nan = True
            else:
                infinities.add(1 if (x[1] < 0) == (y[1] < 0) else -1)
        elif x[1] and y[1]:
            at = x[3] + y[3]
            if largest is None or at > largest:
                largest = at
    if nan or len(infinities) == 2:
        return (1 << top) - 1
    if infinities:
        return ((1 << form[1]) - 1) << form[2] | (1 << top if -1 in infinities else 0)
    if largest is None:
        return 0
    unit = largest - fraction

    def aligned(value, exponent):
        shift = exponent - unit
        if shift >= 0:
            return value << shift
        return value >> -shift if value >= 0 else -(-value >> -shift)

    total = aligned(significand, exponent) if significand else 0
    for x, y in zip(a, b):
        product = x[1] * y[1]
        if product:
            total += aligned(product, x[2] + y[2])
    return rounded(total, unit, form, kept, result == "f16")


def signed(bits, size):
    return bits - (1 << 8 * size) if bits >> 8 * size - 1 else bits


def multiply(p, a, b, c):
    """p: the product's types, words and depth; a: rows of K bits each; b: the same of columns; c: rows."""
    result = p.result
    if result == "i32":
        wide = lambda bits, unsigned: bits if unsigned else signed(bits, 1)
        a = [[wide(x, p.unsigned_a) for x in row] for row in a]
        b = [[wide(x, p.unsigned_b) for x in row] for row in b]
    else:
        def numbers(rows, type, negate):
            _, exponent_bits, mantissa_bits, drop = FORMATS[type]
            known = {}
            for row in rows:
                for bits in row:
                    if bits not in known:
                        kind, value, at, scale = decode(bits >> drop, exponent_bits, mantissa_bits, type != "f8E4M3FN")
                        known[bits] = (kind, -value if negate else value, at, scale)
            return [[known[bits] for bits in row] for row in rows]
        a, b = numbers(a, p.type_a, p.negate_a), numbers(b, p.type_b, p.negate_b)
    size = FORMATS[p.type_a][0]
    sums = []
    for i, row in enumerate(a):
        line = []
        for j, column in enumerate(b):
            total = c[i][j]
            for begin, end in p.steps(len(row)):
                if result == "i32":
                    whole = signed(total, 4) + sum(x * y for x, y in zip(row[begin:end], column[begin:end]))
                    if p.saturate:
                        whole = max(-1 << 31, min((1 << 31) - 1, whole))
                    total = whole & 0xffffffff
                else:
                    total = instruction(row[begin:end], column[begin:end], total, size, result)
            line.append(total)
        sums.append(line)
    return sums


# ----------------------------------------------------------------------------------------------
# Kernels
# ----------------------------------------------------------------------------------------------

class Kernel(random_kernels.Kernel):
    """A, B and P, and the text that multiplies them."""

    negate_a = negate_b = unsigned_a = unsigned_b = saturate = False

    def __init__(self, seed, number):
        rng = random.Random(f"{seed}:{number}")
        super().__init__(rng, number)
        self.sync = rng.random() < 0.35
        kinds = ["f16", "f16", "f16 f16", "bf16", "bf16", "f32", "f32", "i8", "i8"]
        if not self.sync:
            kinds += ["fp8", "fp8", "fp8", "fp8 f16"]
        kind = rng.choice(kinds)
        self.type_a = self.type_b = kind.split()[0]
        if self.type_a == "fp8":
            self.type_a, self.type_b = (rng.choice(["f8E4M3FN", "f8E4M3FN", "f8E5M2"]) for _ in "ab")
        self.result = "i32" if kind == "i8" else "f16" if kind.endswith(" f16") else "f32"
        self.size = FORMATS[self.type_a][0]
        self.depth = 32 // self.size
        if kind == "i8":
            self.unsigned_a, self.unsigned_b, self.saturate = (rng.random() < 0.4 for _ in range(3))
        (self.warps_multiply if self.sync else self.warpgroups_multiply)()
        self.data()

    def __str__(self):
        words = [w for w in ("negate_a", "negate_b", "unsigned_a", "unsigned_b", "saturate") if getattr(self, w)]
        return (f"{self.name}: {'mma_sync' if self.sync else 'mma'} {self.type_a} x {self.type_b} -> {self.result} "
                f"{self.m}x{self.n}x{self.k} {self.how} {' '.join(words)}")

    @classmethod
    def several(cls, seed, count, jobs):
        with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
            return list(pool.map(cls, [seed] * count, range(count), chunksize=4))

    @property
    def kind(self):
        return f"{'mma_sync' if self.sync else 'mma'} {self.type_a} {self.type_b} {self.result}"

    def tensors(self):
        a, b = self.a, self.b
        return {"A": Tensor(self.type_a, a["shape"], a["data"], a["data"]),
                "B": Tensor(self.type_b, b["shape"], b["data"], b["data"]),
                "P": Tensor(self.result, [self.m, self.n], self.p, self.after)}

    def steps(self, k):
        """The instructions along K; mma.sync: the larger ones, then one of half the depth."""
        for begin in range(0, k, self.depth):
            yield begin, min(begin + self.depth, k)

    def operand(self, which, extent, k, transposed, swizzle, stages):
        """Types of an operand that TMA brings in `stages` tiles, and the coordinates of each."""
        type = getattr(self, f"type_{which}")
        unit = 16 // self.size
        if swizzle == "columns":
            inner = extent if transposed else k
            down = k if transposed else extent
            box = [inner // unit, down, unit]
            shape = [inner // unit * (1 if transposed else stages), down * (stages if transposed else 1), unit]
            coords = [[0, s * k, 0] if transposed else [s * k // unit, 0, 0] for s in range(stages)]
        else:
            box = [k, extent] if transposed else [extent, k]
            shape = [stages * k, extent] if transposed else [extent, stages * k]
            coords = [[s * k, 0] if transposed else [0, s * k] for s in range(stages)]
        tail = f", swizzle = {swizzle}" if isinstance(swizzle, int) and swizzle else ""
        form = "x".join(map(str, box)) + f"x{type}{tail}"
        dims = "x".join("?" * len(shape))
        ring = f"!titan.shared<{form}, slots = {stages}>" if stages > 1 else f"!titan.shared<{form}>"
        return {"global": f"!titan.global<{dims}x{type}>", "map": f"!titan.tensor_map<{form}>", "ring": ring,
                "tile": f"!titan.shared<{form}>", "shape": shape, "coords": coords,
                "bytes": extent * k * self.size, "transposed": transposed, "columns": swizzle == "columns", "k": k}

    def load_all(self, stages):
        """Buffers, a barrier, and all tiles."""
        a, b = self.a, self.b
        constants = sorted({c for o in (a, b) for at in o["coords"] for c in at})
        self.add(*(f"%x{c} = arith.constant {c} : index" for c in constants),
                 *(f"%s{s} = arith.constant {s} : i32" for s in range(stages)),
                 f"%bytes = arith.constant {stages * (a['bytes'] + b['bytes'])} : i32",
                 f"%ringA = titan.shared.alloc : {a['ring']}", f"%ringB = titan.shared.alloc : {b['ring']}",
                 "%full = titan.mbarrier.alloc : !titan.mbarrier", "titan.elect warp(0) {",
                 "titan.mbarrier.init %full count(1) : !titan.mbarrier", "titan.fence.mbarrier_init", "}",
                 "titan.cta_sync")
        for s in range(stages):
            for which, o in (("A", a), ("B", b)):
                if stages > 1:
                    self.add(f"%tile{which}{s} = titan.shared.slot %ring{which}[%s{s} : i32] : {o['ring']} -> {o['tile']}")
        self.add("titan.elect warp(0) {", "titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier")
        for s in range(stages):
            for which, o in (("A", a), ("B", b)):
                at = ", ".join(f"%x{c}" for c in o["coords"][s])
                self.add(f"titan.tma.load %map{which}[{at}], {self.tile(which, s, stages)}, %full : "
                         f"{o['map']}, {o['tile']}, !titan.mbarrier")
        self.add("}", "titan.mbarrier.wait %full parity(%s0) : !titan.mbarrier")

    @staticmethod
    def tile(which, stage, stages):
        return f"%tile{which}{stage}" if stages > 1 else f"%ring{which}"

    def places(self, layout):
        index = f"tensor<{self.m}x{self.n}xi32, {layout}>"
        self.add(f"%row = titan.coordinate 0 : {index}", f"%col = titan.coordinate 1 : {index}")
        return index

    def warpgroups_multiply(self):
        rng = self.rng
        stages = rng.choice([1, 1, 2, 3])
        rows, columns = rng.choice([(1, 1), (1, 1), (1, 1), (2, 1), (1, 2)])
        self.warps = 4 * rows * columns
        wide = self.size == 2
        transpose_a, transpose_b = (wide and rng.random() < 0.35 for _ in "ab")
        registers = not transpose_a and rng.random() < 0.4
        if self.type_a == "f16" or self.type_a == "bf16" or self.type_a == "f32" or self.result != "i32":
            self.negate_a, self.negate_b = (rng.random() < 0.2 for _ in "ab")
        swizzles = [32, 64, 128, "columns"]
        how_a, how_b = rng.choice(swizzles), rng.choice(swizzles)
        blocks = rng.choice([1, 1, 2]) if not transpose_a else 1
        self.m = 64 * rows * blocks
        # K of a tile: the K-major operands' span is K, the others' is M or N.
        spans = [how for how, t in ((how_a, transpose_a), (how_b, transpose_b)) if not t and how != "columns"]
        if len(set(spans)) == 2:
            how_b = how_a
            spans = spans[:1]
        k = spans[0] // self.size if spans else self.depth * rng.choice([1, 2, 3])
        if transpose_a and how_a != "columns":
            how_a = 128 if self.m == 64 else "columns"
        if transpose_b and how_b != "columns":
            self.n = how_b // 2
        else:
            self.n = rng.choice([8, 16, 24, 32, 40, 48, 64, 96, 128, 256])
        if columns == 2:
            if transpose_b and how_b != "columns" and self.n < 16:
                columns, self.warps = 1, 4 * rows
            elif self.n % 16:
                self.n += 8
                if transpose_b and how_b != "columns":
                    how_b = "columns"
        # What Python can add up in a moment.
        most = lambda: self.m * self.n * stages * k > 250_000
        while stages > 1 and most():
            stages -= 1
        if blocks == 2 and most():
            blocks, self.m = 1, self.m // 2
        while self.n > 48 and most() and not (transpose_b and how_b != "columns"):
            self.n //= 2
        while self.n > 8 * columns and most() and not (transpose_b and how_b != "columns"):
            self.n -= 8 * columns
        self.k = stages * k
        self.a = self.operand("a", self.m, k, transpose_a, how_a, stages)
        self.b = self.operand("b", self.n, k, transpose_b, how_b, stages)
        # The register tile is read from two dimensions.
        registers = registers and not self.a["columns"]
        layout = f"#titan.wgmma<{rows}, {columns}>"
        acc = f"tensor<{self.m}x{self.n}x{self.result}, {layout}>"
        flight = f"!titan.inflight<{acc}>"
        starts = rng.random() < 0.5
        self.load_all(stages)
        index = self.places(layout)
        if registers:
            p = 4 // self.size
            text = (f"reg: {p}*c1, 2*r8, {k // (4 * p)}*c{4 * p}" + (f", {blocks}*r{64 * rows}" if blocks > 1 else "") +
                    f"; lane: 4*c{p}, 8*r1; warp: 4*r16" + (", 2*r64" if rows == 2 else "") +
                    (", 2*rep" if columns == 2 else ""))
            form = layout if self.size == 2 and columns == 1 else f'#titan.layout<"{text}">'
            reg = f"tensor<{self.m}x{k}x{self.type_a}, {form}>"
            for s in range(stages):
                self.add(f"%regs{s} = titan.shared.load {self.tile('A', s, stages)} : {self.a['tile']} -> {reg}")
        if starts:
            self.add(f"%old = titan.global.load %P[%row, %col] : {self.global_p()}, {index}, {index} -> {acc}",
                     f"%d0 = titan.inflight.start %old : {acc} -> {flight}")
        else:
            self.add(f"%d0 = titan.inflight.none : {flight}")
        self.add("%yes = arith.constant true", "titan.mma.fence")
        groups = stages > 1 and rng.random() < 0.5
        for s in range(stages):
            words_a = (" transpose_a" if transpose_a else "") + self.words("a")
            words_b = (" transpose_b" if transpose_b else "") + self.words("b")
            more = " accumulate(%yes)" if s or starts else ""
            left = f"%regs{s}" if registers else self.tile("A", s, stages)
            self.add(f"%d{s + 1} = titan.mma {left}{words_a}, {self.tile('B', s, stages)}{words_b}, %d{s}{more}"
                     f"{' saturate' if self.saturate else ''} : {reg if registers else self.a['tile']}, "
                     f"{self.b['tile']}, {flight} -> {flight}")
            if groups or s == stages - 1:
                self.add(f"%g{s} = titan.mma.commit : !titan.token<mma>")
        self.add(f"%sums = titan.mma.result %d{stages} : {flight} -> {acc}",
                 f"titan.global.store %sums, %P[%row, %col] : {acc}, {self.global_p()}, {index}, {index}")
        self.starts = starts
        self.how = (f"{stages} stages, A {'registers' if registers else how_a}{' transposed' if transpose_a else ''}, "
                    f"B {how_b}{' transposed' if transpose_b else ''}, {rows}x{columns} warpgroups"
                    f"{', from C' if starts else ''}")

    def warps_multiply(self):
        rng = self.rng
        rows, columns = rng.choice([(1, 1), (2, 1), (1, 2), (2, 2), (4, 1), (2, 4)])
        self.warps = rows * columns
        self.m = 16 * rows * rng.choice([1, 1, 2])
        self.n = 8 * columns * rng.choice([1, 1, 2, 3])
        half = self.depth // 2
        k = half * rng.choice([1, 2, 2, 3, 4, 5, 8])
        self.k = k
        swizzle = rng.choice([0, 0, k * self.size]) if k * self.size in (32, 64, 128) else 0
        self.a = self.operand("a", self.m, k, False, swizzle, 1)
        self.b = self.operand("b", self.n, k, False, swizzle, 1)
        bits = 8 * self.size
        acc_layout = f"#titan.mma_sync<{rows}, {columns}>"
        acc = f"tensor<{self.m}x{self.n}x{self.result}, {acc_layout}>"
        tile_a = f"tensor<{self.m}x{k}x{self.type_a}, #titan.mma_sync_a<{bits}, {rows}, {columns}>>"
        tile_b = f"tensor<{self.n}x{k}x{self.type_b}, #titan.mma_sync_b<{bits}, {rows}, {columns}>>"
        self.load_all(1)
        index = self.places(acc_layout)
        matrix = " matrix" if self.size == 2 and rng.random() < 0.5 else ""  # ldmatrix
        self.add(f"%a = titan.shared.load %ringA{matrix} : {self.a['tile']} -> {tile_a}",
                 f"%b = titan.shared.load %ringB{matrix} : {self.b['tile']} -> {tile_b}",
                 f"%c = titan.global.load %P[%row, %col] : {self.global_p()}, {index}, {index} -> {acc}",
                 f"%d = titan.mma_sync %a{self.words('a')}, %b{self.words('b')}, %c"
                 f"{' saturate' if self.saturate else ''} : {tile_a}, {tile_b}, {acc} -> {acc}",
                 f"titan.global.store %d, %P[%row, %col] : {acc}, {self.global_p()}, {index}, {index}")
        self.starts = True
        self.how = f"{rows}x{columns} warps, swizzle {swizzle}{matrix}"

    def words(self, which):
        return "".join(f" {word}_{which}" for word in ("negate", "unsigned") if getattr(self, f"{word}_{which}"))

    def global_p(self):
        return f"!titan.global<?x?x{self.result}>"

    def text(self):
        a, b = self.a, self.b
        maps = f"%mapA: {a['map']}, %mapB: {b['map']}"
        return "\n".join([f"titan.kernel @{self.name}(%A: {a['global']}, %B: {b['global']}, %P: {self.global_p()}) "
                          f"warps({self.warps}) launch {{", "%g = arith.constant 1 : index",
                          f"%mapA = titan.tensor_map %A : {a['global']} -> {a['map']}",
                          f"%mapB = titan.tensor_map %B : {b['global']} -> {b['map']}",
                          f"titan.launch grid(%g) with(%mapA, %mapB : {a['map']}, {b['map']})", f"}} body({maps}) {{",
                          *self.lines, "titan.return", "}", ""])

    # -- data --------------------------------------------------------------------------------

    def number(self, type, base, width, plain):
        """A float near 2^base, or anything where there is no base."""
        rng = self.rng
        size, exponent_bits, mantissa_bits = (FORMATS[type][0], FORMATS[type][1], 8 * FORMATS[type][0] - 1 - (FORMATS[type][1] or 0)) \
            if type in FORMATS else (RESULTS[type][0], RESULTS[type][1], RESULTS[type][2])
        if exponent_bits is None or base is None:
            return rng.getrandbits(8 * size)
        bias = (1 << exponent_bits - 1) - 1
        field = max(0, min((1 << exponent_bits) - 2, bias + base + rng.randint(-width, width)))
        mantissa = 0 if plain else rng.getrandbits(mantissa_bits)
        return rng.getrandbits(1) << exponent_bits + mantissa_bits | field << mantissa_bits | mantissa

    def data(self):
        rng = self.rng
        style = rng.choice(["near", "near", "wide", "wide", "any", "plain", "far"])
        def values(type, count, shift=0):
            base = None if style == "any" else shift + rng.randint(-2, 2)
            width = {"near": 1, "wide": 6, "any": 0, "plain": 2, "far": 12}[style]
            zeros = rng.choice([0, 0, 0.3])
            return [0 if rng.random() < zeros else self.number(type, base, width, style == "plain") for _ in range(count)]
        rows_a = [values(self.type_a, self.k) for _ in range(self.m)]
        rows_b = [values(self.type_b, self.k) for _ in range(self.n)]
        old = [values(self.result, self.n, rng.choice([0, 4, 12]) if self.result == "f32" else 0) for _ in range(self.m)]
        if self.result == "i32":
            old = [[(x & 0xfffff) + rng.choice([0, 0x7ff00000, 0x80000000]) for x in row] for row in old]
        before = old if self.starts else [[0] * self.n for _ in range(self.m)]
        after = multiply(self, rows_a, rows_b, before)
        flat = lambda rows, size: b"".join(x.to_bytes(size, "little") for row in rows for x in row)
        self.p, self.after = flat(old, RESULTS[self.result][0]), flat(after, RESULTS[self.result][0])
        for o, rows in ((self.a, rows_a), (self.b, rows_b)):
            # As the tensor has them: transposed, or columns of 16 bytes.
            lines = rows if not o["transposed"] else [list(column) for column in zip(*rows)]
            if o["columns"]:
                unit = 16 // self.size
                width = len(lines[0])
                lines = [[x for line in lines for x in line[at:at + unit]] for at in range(0, width, unit)]
            o["data"] = flat(lines, self.size)


# A line of synchronisation, and what may stand there instead (None: nothing).
BUGS = [(r"^(titan\.(mma\.fence|mbarrier\.wait|cta_sync|fence\.mbarrier_init)|%g\d+ = titan\.mma\.commit)\b.*$", None),
        (r"^(%bytes = arith\.constant )(\d+)( : i32)$", lambda m: f"{m[1]}{int(m[2]) + 16}{m[3]}"),
        (r"^(titan\.mbarrier\.init .* count\()(\d+)(\).*)$", lambda m: f"{m[1]}{int(m[2]) + 1}{m[3]}"),
        (r"^(%sums = titan\.mma\.result %d)([2-9])( .*)$", lambda m: f"{m[1]}{int(m[2]) - 1}{m[3]}")]

if __name__ == "__main__":
    sys.exit(random_kernels.main(__doc__, Kernel, BUGS))
