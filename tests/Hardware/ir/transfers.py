#!/usr/bin/env python3
"""Random TMA transfers that go the whole way: titan IR, checker, simulator, package, GPU.

    transfers.py check   --titan build/bin/titan [--seed S] [--count N]
    transfers.py prepare --titan build/bin/titan [--seed S] [--count N] --out FOLDER
    device.py --library libtitan-runtime.so FOLDER          (on a machine with a GPU)

A transfer is one load, store or reduction of one box: rank 1 to 5, any element type, ragged
sizes, sizes and strides of the tensor or of the map, element strides, swizzles, both fills,
coordinates that begin before the tensor (loads) or reach past its end. A fifth goes through
im2col maps (corners, offsets, starts anywhere in the bounding box), a fifth through tiled maps of
slices of channels (interleave), and a quarter of the im2col maps are interleaved, too. Kernels are written as
text from a seed; several transfers share a kernel where sizes, strides and coordinates are its
arguments. A load's tile goes to the tensor P, element by element, through registers, or by a plain
TMA store; a store's comes from there.

What memory holds afterwards is computed here, by loops over the definition (element i of the
tile is element x + i * stride of the map's tensor; a cursor that walks from pixel to pixel), from
nothing of lib/Domain. random_kernels.py has the commands.
"""
import itertools
import random
import sys
from fractions import Fraction

import random_kernels
from random_kernels import TYPES, Tensor, product

NAN_FILL = {"bf16", "f16", "f32", "f64"}
REDUCTIONS = {"add": ["i32", "i64", "bf16", "f16", "f32", "f64"],
              "min": ["i32", "i64", "bf16", "f16"], "max": ["i32", "i64", "bf16", "f16"],
              "and": ["i32", "i64"], "or": ["i32", "i64"], "xor": ["i32", "i64"]}
MOST_BYTES = 24 << 10  # of a tensor


# ----------------------------------------------------------------------------------------------
# What an element becomes
# ----------------------------------------------------------------------------------------------

def decode(bits, form):
    """A finite float as (negative, value), or "nan", or (negative, None) for infinity."""
    exponent_bits, mantissa_bits = form
    negative = bits >> (exponent_bits + mantissa_bits) & 1
    exponent = bits >> mantissa_bits & ((1 << exponent_bits) - 1)
    mantissa = bits & ((1 << mantissa_bits) - 1)
    if exponent == (1 << exponent_bits) - 1:
        return "nan" if mantissa else (negative, None)
    bias = (1 << (exponent_bits - 1)) - 1
    if exponent:
        mantissa |= 1 << mantissa_bits
    scale = max(exponent, 1) - bias - mantissa_bits
    value = Fraction(mantissa) * Fraction(2) ** scale
    return negative, -value if negative else value


def encode(value, form):
    """The nearest float, ties to even, of a number that is not zero."""
    exponent_bits, mantissa_bits = form
    bias = (1 << (exponent_bits - 1)) - 1
    sign = (1 << (exponent_bits + mantissa_bits)) if value < 0 else 0
    value = abs(value)
    power = value.numerator.bit_length() - value.denominator.bit_length()
    if Fraction(2) ** power > value:
        power -= 1
    power = max(power, 1 - bias)
    steps = value / Fraction(2) ** (power - mantissa_bits)
    mantissa = round(steps)  # Fraction rounds halves to even
    # A mantissa that rounds up to 2^(bits + 1) carries into the exponent; one below 2^bits is
    # subnormal, whose exponent field is 0.
    bits = mantissa + ((power + bias - 1) << mantissa_bits)
    infinity = ((1 << exponent_bits) - 1) << mantissa_bits
    return sign | min(bits, infinity)


def add_floats(old, source, form):
    a, b = decode(old, form), decode(source, form)
    nan = (1 << sum(form)) - 1
    if a == "nan" or b == "nan":
        return nan
    if a[1] is None or b[1] is None:
        if a[1] is None and b[1] is None and a[0] != b[0]:
            return nan
        return old if a[1] is None else source
    total = a[1] + b[1]
    if total:
        return encode(total, form)
    return 0 if a[1] else old & source  # x - x is +0; of zeros, -0 only if both are


def least_float(old, source, form, greatest):
    a, b = decode(old, form), decode(source, form)
    if a == "nan" and b == "nan":
        return (1 << sum(form)) - 1
    if a == "nan" or b == "nan":
        return source if a == "nan" else old
    key = lambda bits: -(bits & ((1 << sum(form)) - 1)) - 1 if bits >> sum(form) & 1 else bits
    return max(old, source, key=key) if greatest else min(old, source, key=key)


def reduce(op, type, old, source):
    size, _, form = TYPES[type]
    mask = (1 << 8 * size) - 1
    signed = lambda bits: bits - (1 << 8 * size) if bits >> (8 * size - 1) else bits
    if op == "add":
        return add_floats(old, source, form) if form else old + source & mask
    if op in ("min", "max"):
        if form:
            return least_float(old, source, form, op == "max")
        return (max if op == "max" else min)(old, source, key=signed)
    return {"and": old & source, "or": old | source, "xor": old ^ source}[op]


# ----------------------------------------------------------------------------------------------
# A transfer, and what it does
# ----------------------------------------------------------------------------------------------

class Transfer(random_kernels.Launch):
    """Dimensions are the map's, outermost first; strides in bytes, the innermost one that of an
    element, or of a slice of channels."""
    WAYS = [[]]

    def __init__(self, kernel, dims, strides, coords, offsets, shape, row_stride, seed):
        self.kernel, self.dims, self.strides = kernel, dims, strides
        self.coords, self.offsets = coords, offsets
        self.shape = shape            # of the tensor X, elements
        self.row_stride = row_stride  # elements, or None: dense
        size = TYPES[kernel.type][0]
        self.x_strides = [1]          # elements
        for d in range(len(shape) - 1, 0, -1):
            self.x_strides.insert(0, self.x_strides[0] * shape[d])
            if d == len(shape) - 1 and row_stride:
                self.x_strides[0] = row_stride
        self.x_bytes = size * (1 + sum((n - 1) * s for n, s in zip(shape, self.x_strides)))
        rng = random.Random(seed)
        self.x = self.data(rng, self.x_bytes)
        self.p_bytes = kernel.elements * size
        self.p = b"\xa5" * self.p_bytes if kernel.op == "load" else self.data(rng, self.p_bytes)

    def data(self, rng, count):
        """Random bits; of reduced floats half of it near each other, no NaN in f64."""
        size, _, form = TYPES[self.kernel.type]
        if self.kernel.op not in REDUCTIONS or not form or (rng.random() < 0.5 and form[0] != 11):
            return rng.randbytes(count)
        exponent = (1 << (form[0] - 1)) - 1
        words = ((rng.getrandbits(1) << sum(form)) | (exponent + rng.randrange(-9, 10) << form[1]) |
                 rng.getrandbits(form[1]) for _ in range(count // size))
        return b"".join(word.to_bytes(size, "little") for word in words)

    def places(self):
        """Where each unit of the tile (an element, or a slice) lies in the map's tensor."""
        kernel = self.kernel
        if not kernel.im2col:
            tile = [-(-box // step) for box, step in zip(kernel.box, kernel.steps)]
            for index in itertools.product(*map(range, tile)):
                yield [c + i * s for c, i, s in zip(self.coords, index, kernel.steps)]
            return
        # A cursor from pixel to pixel: W first, at the end of the bounding box back to its
        # beginning and one step in H, then D, then on to another image.
        spatial = kernel.spatial()
        cursor = list(self.coords)
        for _ in range(kernel.pixels):
            at = list(cursor)
            for d, offset in zip(spatial, self.offsets or [0] * len(spatial)):
                at[d] += offset
            for channel in range(1 if kernel.interleave else kernel.inner):
                yield at[:-1] + [at[-1] + channel] if not kernel.interleave else at
            for d, low, high in reversed(list(zip(spatial, kernel.lower, kernel.upper))):
                cursor[d] += kernel.steps[d]
                if cursor[d] <= self.dims[d] - 1 + high:
                    break
                cursor[d] = low
            else:
                cursor[0] += kernel.steps[0]

    def expected(self):
        """X and P afterwards, by the definition."""
        kernel, size = self.kernel, TYPES[self.kernel.type][0]
        x, p = bytearray(self.x), bytearray(self.p)
        fill = (b"\xf7\x7f" * 4)[:size] if kernel.nan else bytes(size)
        parts = self.strides[-1] // size  # elements of a unit
        for place, at in enumerate(self.places()):
            inside = all(0 <= g < n for g, n in zip(at, self.dims))
            offset = sum(g * s for g, s in zip(at, self.strides))
            for part in range(parts):
                to = slice((place * parts + part) * size, (place * parts + part + 1) * size)
                there = slice(offset + part * size, offset + (part + 1) * size)
                if kernel.op == "load":
                    p[to] = x[there] if inside else fill
                elif inside and kernel.op == "store":
                    x[there] = p[to]
                elif inside:
                    result = reduce(kernel.op, kernel.type, int.from_bytes(x[there], "little"),
                                    int.from_bytes(p[to], "little"))
                    x[there] = result.to_bytes(size, "little")
        return bytes(x), bytes(p)

    @property
    def name(self):
        return self.kernel.name

    @property
    def scalars(self):
        names = self.kernel.scalars
        values = dict(zip(["d%d" % d for d in range(len(self.dims))], self.dims))
        values.update(zip(["s%d" % d for d in range(len(self.dims) - 1)], self.strides))
        values.update(zip(["x%d" % d for d in range(len(self.dims))], self.coords))
        values.update(zip(["o%d" % d for d in range(len(self.offsets))], self.offsets))
        return {name: values[name] for name in names}

    def tensors(self):
        kernel, (x, p) = self.kernel, self.expected()
        return {"X": Tensor(kernel.type, self.shape, self.x, x, strides=self.x_strides,
                            align=32 if kernel.interleave == 32 else 16),
                "P": Tensor(kernel.type, kernel.buffer, self.p, p)}

    def __str__(self):
        k = self.kernel
        return (f"{k.name} ({k.form}): {k.op} {k.type} dims {self.dims} strides {self.strides[:-1]} "
                f"{'im2col ' + str(k.lower) + ' ' + str(k.upper) if k.im2col else 'box'} {k.box} "
                f"interleave {k.interleave} steps {k.steps} swizzle {k.swizzle} fill {'nan' if k.nan else 'zero'} "
                f"at {self.coords} offsets {self.offsets}, {k.way}, buffer {k.buffer}, tensor {self.shape} row {self.row_stride}")


# ----------------------------------------------------------------------------------------------
# Kernels
# ----------------------------------------------------------------------------------------------

def folded(rows):
    """Two extents of a box that make so many rows, where there are any."""
    return next(([n, rows // n] for n in range(2, 257) if rows % n == 0 and rows // n <= 256), None)


class Kernel(random_kernels.Kernel):
    """form: `map` (the map's sizes, strides and coordinates are arguments), `text` (they are
    constants), `tensor` (those of the tensor; coordinates are arguments)."""
    LAUNCHES = "transfers"

    def __init__(self, rng, number):
        super().__init__(rng, number)
        self.form = rng.choice(["map", "map", "map", "tensor", "tensor", "text"])
        self.op = rng.choice(["load", "load", "load", "store", "store"] + sorted(REDUCTIONS))
        self.type = rng.choice(REDUCTIONS.get(self.op) or sorted(TYPES))
        size = TYPES[self.type][0]
        walk = rng.random()
        self.im2col = walk < 0.3
        self.interleave = rng.choice([16, 32]) if 0.3 <= walk < 0.46 or walk < 0.07 else 0
        rank = rng.choice([3, 3, 4, 4, 5] if walk < 0.46 else [1, 2, 2, 3, 3, 4, 5])
        if self.form == "tensor" and self.interleave:
            rank = min(rank, 4)  # a tensor has at most 5 dimensions, one of them a slice
        self.rank = rank
        self.swizzle = rng.choice([0, 0, 32, 64, 128])
        self.nan = self.type in NAN_FILL and self.op == "load" and rng.random() < 0.5
        inner = self.swizzle or 16 * rng.choice([1, 2, 3, 5, 8, 11, 16])
        inner = (self.interleave or min(inner, 256 * size)) // size
        # A swizzled tile goes through registers of one warp.
        most = 64 if self.swizzle else min(256, 1500 // inner)
        strided = rng.random() < 0.6
        step = lambda: rng.choice([1, 1, 2, 3, 5, 8]) if strided else 1
        if self.im2col:
            self.steps = [step() for _ in range(rank - 1)] + [1]
            if self.interleave:
                self.steps = [self.steps[0], 1] + self.steps[1:-1]
            # Corners share 16 bits of each of two words; stores stay inside.
            load, reach = self.op == "load", {3: 32767, 4: 127, 5: 15}[rank]
            far = rng.random() < 0.1
            corner = lambda: rng.randint(-reach - 1, reach) if far else rng.randint(-3, 3)
            self.lower = [corner() if load else rng.randint(0, 2) for _ in range(rank - 2)]
            self.upper = [corner() if load else rng.randint(-2, 0) for _ in range(rank - 2)]
            if far and load:  # a box that small tensors have
                self.upper = [max(u, l - rng.randint(0, 3)) for l, u in zip(self.lower, self.upper)]
            self.most_offset = {3: 65535, 4: 255, 5: 31}[rank]
            self.pixels = rng.randint(1, most)
            tile = [self.pixels, inner]
            self.box = list(tile)
        else:
            rows = []
            for _ in range(rank - 1 if not self.interleave else rank - 2):
                extent = rng.randint(1, max(1, min(12, most // product(rows or [1]))))
                rows.append(extent)
            rng.shuffle(rows)
            self.steps = [step() for _ in rows]
            self.box = [min(256, (n - 1) * s + rng.randint(1, s)) for n, s in zip(rows, self.steps)]
            if self.interleave:
                # Slices of channels, of which one moves, and W, whose box the encoder wants in 16 bytes.
                self.steps = self.steps[:1] + [1] + self.steps[1:] + [step()]
                columns = 16 // size * rng.randint(1, max(1, most // product(rows) * self.steps[-1] * size // 16))
                self.box = self.box[:1] + [1] + self.box[1:] + [min(columns, 256)]
            else:
                self.steps.append(1)
                self.box.append(inner)
            tile = [-(-b // s) for b, s in zip(self.box, self.steps)] + ([inner] if self.interleave else [])
        self.inner, self.elements = inner, product(tile)
        if self.interleave and self.elements * size % max(self.swizzle, 1):
            self.swizzle = 0
        # The buffer: the tile, or its rows as a matrix, or another shape of the same image.
        flat = [self.elements // inner, inner]
        if self.interleave and self.swizzle:
            flat = [self.elements * size // self.swizzle, self.swizzle // size]
        # How P and the tile meet. Elements of a swizzled tile have no lowering; f64, 8-bit floats and
        # register tiles of i64 no simulation; what integers P holds the checker does not follow.
        ways, common = [], self.type[:2] != "f8" and self.type != "f64"
        if common and not self.swizzle and (self.op == "load" or TYPES[self.type][2]):
            ways += ["elements"] * 2
        if common and size < 8 and flat[0] * max(flat[1], 32) <= 2048 and (flat[1] & (flat[1] - 1) == 0 or flat[1] % 32 == 0):
            ways += ["registers"] * 2
        self.way = rng.choice(ways + ["tma"])
        shapes = [tile, flat] if len(tile) < 6 else [flat]
        if self.way == "tma" and flat[0] > 256:  # a box has no such extent
            if not folded(flat[0]):
                self.swizzle, flat = 0, [self.elements // inner, inner]
            flat = folded(flat[0]) + flat[1:]
            shapes = [tile, flat] if len(tile) < 6 and max(tile) <= 256 else [flat]
        self.buffer = flat
        if self.way != "registers" and not self.swizzle:
            self.buffer = rng.choice(shapes + [[self.elements]] if self.way == "elements" else shapes)
        self.static = self.form == "text" and rng.random() < 0.5
        self.transfers = []
        for _ in range(1 if self.form == "text" else 3):
            self.transfers.append(self.transfer(rng))
        names = ["x%d" % d for d in range(rank)] + ["o%d" % d for d in range(len(self.transfers[0].offsets))]
        if self.form == "map":
            names = ["d%d" % d for d in range(rank)] + ["s%d" % d for d in range(rank - 1)] + names
        self.scalars = [] if self.form == "text" else names

    @classmethod
    def several(cls, seed, count, jobs):
        """Kernels with `count` transfers."""
        rng, result = random.Random(seed), []
        while count > 0:
            result.append(cls(rng, len(result)))
            result[-1].transfers = result[-1].transfers[:count]
            count -= len(result[-1].transfers)
        return result

    def launches(self):
        return self.transfers

    @staticmethod
    def summary(transfers):
        kernels = [transfer.kernel for transfer in transfers]
        kinds = {(kernel.op, kernel.type) for kernel in kernels}
        return (f"{len(kinds)} of operation and type, ranks {sorted({kernel.rank for kernel in kernels})}, "
                f"{sum(set(kernel.steps) != {1} for kernel in kernels)} with element strides, "
                f"{sum(kernel.swizzle != 0 for kernel in kernels)} swizzled, "
                f"{sum(kernel.im2col for kernel in kernels)} im2col, "
                f"{sum(kernel.interleave != 0 for kernel in kernels)} interleaved, "
                f"{sum(kernel.form != 'tensor' for kernel in kernels)} with sizes and strides of the map")

    def spatial(self):
        """im2col: the dimensions D, H, W."""
        return range(2, self.rank) if self.interleave else range(1, self.rank - 1)

    def transfer(self, rng):
        size, load = TYPES[self.type][0], self.op == "load"
        unit, align = 16 // size, self.interleave or 16
        slice = self.interleave or size  # bytes of what the innermost dimension counts
        while True:
            dims = [rng.randint(1, max(1, rng.choice([2, 5, 9, 40]))) for _ in range(self.rank - 1)]
            dims.append(rng.randint(1, 40 if self.interleave else 2 * self.inner + 3))
            if self.im2col:
                for d, low, high in zip(self.spatial(), self.lower, self.upper):
                    dims[d] = max(1, low - high + rng.randint(1, 9))
            if not load and not self.interleave:  # rows of whole chunks of 16 bytes (tma-store-tail)
                dims[-1] = -(-dims[-1] // unit) * unit
            row_stride = None
            if self.form == "tensor":
                shape, strides = dims, [slice]
                if self.interleave:
                    shape = dims + [self.inner]
                    for n in reversed(dims[1:]):
                        strides.insert(0, strides[0] * n)
                elif self.rank > 1:
                    row_stride = -(-dims[-1] // unit) * unit + unit * rng.choice([0, 0, 1, 3])
                    strides.insert(0, row_stride * size)
                    for n in reversed(dims[1:-1]):
                        strides.insert(0, strides[0] * n)
                span = dims[-1] * slice
            else:
                # From the row outwards, in some order; loads may overlap or stand still.
                order = list(range(self.rank - 1))
                rng.shuffle(order)
                strides = [0] * (self.rank - 1) + [slice]
                span = dims[-1] * slice
                for d in order:
                    strides[d] = -(-span // align) * align + align * rng.choice([0, 0, 1, 4])
                    if load and rng.random() < 0.1:
                        strides[d] = align * rng.randint(0, 3)
                    span += (dims[d] - 1) * strides[d]
                shape = [-(-span // size) + rng.choice([0, 0, 1, 7, 40])]
            total = sum((n - 1) * s for n, s in zip(dims, strides)) + slice
            if max(total, shape[0] * size if len(shape) == 1 else 0) <= MOST_BYTES:
                break
        coords, offsets = [], []
        for n, box in zip(dims[:-1], [1] + [9] * self.rank if self.im2col else self.box):
            low = -box - 1 if load and rng.random() < 0.5 else 0
            coords.append(rng.randint(low, n + 1 if rng.random() < 0.5 else max(0, n - 1)))
        if self.interleave:
            low = -9 if load and rng.random() < 0.5 else 0
            coords.append(rng.randint(low, dims[-1] + rng.choice([-1, -1, 1])))
        else:
            low = -(self.inner // unit) - 1 if load and rng.random() < 0.5 else 0
            coords.append(unit * rng.randint(low, -(-dims[-1] // unit) + rng.choice([0, 1]) - 1
                                             if rng.random() < 0.8 else -(-dims[-1] // unit) + 1))
        if not load:
            coords = [max(0, c) for c in coords]
        if self.im2col:
            for d, low, high in zip(self.spatial(), self.lower, self.upper):
                coords[d] = rng.randint(low, dims[d] - 1 + high)
                if load:
                    offsets.append(rng.randint(0, self.most_offset) if rng.random() < 0.05 else rng.randint(0, 4))
        return Transfer(self, dims, strides, coords, offsets, shape, row_stride, rng.getrandbits(64))

    # ------------------------------------------------------------------------------------------

    def text(self):
        type, rank, first = self.type, self.rank, self.transfers[0]
        swizzle = f", swizzle = {self.swizzle}" if self.swizzle else ""
        box = "x".join(map(str, self.box + [type]))
        steps = "" if set(self.steps) == {1} else f", element_strides = {self.steps}"
        slices = f", interleave = {self.interleave}" if self.interleave else ""
        corners = f", lower = {self.lower}, upper = {self.upper}" if self.im2col else ""
        map_type = f"!titan.tensor_map<{'im2col ' if self.im2col else ''}{box}{corners}{steps}{slices}{swizzle}>"
        tile = f"!titan.shared<{'x'.join(map(str, self.buffer + [type]))}{swizzle}>"
        sizes = ["?"] * (rank if self.form == "tensor" else 1)
        if self.form == "tensor" and self.interleave:
            sizes.append(str(self.inner))
        if self.static:
            sizes = [str(first.shape[0])]
        tensor = f"!titan.global<{'x'.join(sizes + [type])}>"
        p_shape = self.buffer
        p_strides = [product(p_shape[d + 1:]) for d in range(len(p_shape))]
        plain = f"!titan.global<{'x'.join(map(str, p_shape + [type]))}, strides = {p_strides}>"
        launch, body = [], []
        dims, strides = ["%dim" + str(d) for d in range(rank)], ["%step" + str(d) for d in range(rank - 1)]
        coords = ["%at" + str(d) for d in range(rank)]
        offsets = ["%off" + str(d) for d in range(len(first.offsets))]
        for d, offset in enumerate(first.offsets):
            body.append(f"%off{d} = arith.constant {offset} : index" if self.form == "text" else
                        f"%off{d} = arith.index_cast %o{d} : i64 to index")
        for d in range(rank):
            if self.form == "text":
                launch.append(f"%dim{d} = arith.constant {first.dims[d]} : index")
                body.append(f"%at{d} = arith.constant {first.coords[d]} : index")
                if d + 1 < rank:
                    launch.append(f"%step{d} = arith.constant {first.strides[d]} : index")
                continue
            if self.form == "map":
                launch.append(f"%dim{d} = arith.index_cast %d{d} : i64 to index")
                if d + 1 < rank:
                    launch.append(f"%step{d} = arith.index_cast %s{d} : i64 to index")
            body.append(f"%at{d} = arith.index_cast %x{d} : i64 to index")
        if self.form != "text" and not self.interleave and TYPES[type][0] < 16:
            # What the checker cannot see of an argument, the launch promises.
            launch += [f"%unit = arith.constant {16 // TYPES[type][0]} : i64", "%zero = arith.constant 0 : i64",
                       f"%rest = arith.remsi %x{rank - 1}, %unit : i64",
                       "%whole_chunks = arith.cmpi eq, %rest, %zero : i64",
                       'titan.require %whole_chunks, "launch-check", "coordinate 0 is a multiple of 16 bytes"']
        if self.form != "text" and self.im2col:
            for d, low, high in zip(self.spatial(), self.lower, self.upper):
                size = f"%dim{d}"
                if self.form == "tensor":
                    size = f"%size{d}"
                    launch.append(f"{size} = titan.dim %X, {d} : {tensor}")
                launch += [f"%start{d} = arith.index_cast %x{d} : i64 to index",
                           f"%low{d} = arith.constant {low} : index", f"%high{d} = arith.constant {high} : index",
                           f"%end{d} = arith.addi {size}, %high{d} : index",
                           f"%behind{d} = arith.cmpi sge, %start{d}, %low{d} : index",
                           f"%before{d} = arith.cmpi slt, %start{d}, %end{d} : index"]
                launch += [f'titan.require %{side}{d}, "launch-check", "the start lies in the bounding box"'
                           for side in ("behind", "before")]
            for d in range(len(first.offsets)):
                launch += [f"%most{d} = arith.constant {self.most_offset} : i64",
                           f"%fits{d} = arith.cmpi ule, %o{d}, %most{d} : i64",
                           f'titan.require %fits{d}, "launch-check", "the offset fits its bits"']
        own = ""
        if self.form != "tensor":
            own = f" dims({', '.join(dims)})" + (f" byte_strides({', '.join(strides)})" if strides else "")
        fill = " {fill = #titan<fill nan>}" if self.nan else ""
        launch.append(f"%map = titan.tensor_map %X{own}{fill} : {tensor} -> {map_type}")
        arguments = ", ".join([f"%X: {tensor}", f"%P: {plain}"] + [f"%{s}: i64" for s in self.scalars])
        size = TYPES[type][0]
        passed = [("%map", map_type)]
        if self.way == "tma":
            # The innermost dimension of P is the tile's row.
            whole = f"!titan.tensor_map<{'x'.join(map(str, self.buffer + [type]))}{swizzle}>"
            launch.append(f"%whole = titan.tensor_map %P : {plain} -> {whole}")
            passed.append(("%whole", whole))
            body.append("%c0w = arith.constant 0 : index")
            origin = ", ".join(["%c0w"] * len(self.buffer))
        body += [f"%bytes = arith.constant {self.elements * size} : i32", "%i0 = arith.constant 0 : i32",
                 "%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index"]
        body += [f"%n{d} = arith.constant {n} : index" for d, n in enumerate(p_shape)]
        body += [f"%tile = titan.shared.alloc : {tile}", "%bar = titan.mbarrier.alloc : !titan.mbarrier"]
        added = f" offsets[{', '.join(offsets)}]" if offsets else ""
        issue = {"load": f"titan.tma.load %map[{', '.join(coords)}]{added}, %tile, %bar : {map_type}, {tile}, !titan.mbarrier",
                 "store": f"titan.tma.store %tile, %map[{', '.join(coords)}] : {tile}, {map_type}"}.get(
            self.op, f"titan.tma.reduce {self.op} %tile, %map[{', '.join(coords)}] : {tile}, {map_type}")
        group = ["%g = titan.bulk.commit : !titan.token<bulk>", "titan.bulk.wait %g : !titan.token<bulk>"]
        expect = ["titan.elect {", "titan.mbarrier.init %bar count(1) : !titan.mbarrier", "titan.fence.mbarrier_init",
                  "titan.mbarrier.arrive_expect_tx %bar, %bytes : !titan.mbarrier"]
        wait = ["}", "titan.syncwarp", "titan.mbarrier.wait %bar parity(%i0) : !titan.mbarrier"]
        if self.op == "load":
            body += expect + [issue] + wait
            if self.way == "tma":
                body += ["titan.elect {", f"titan.tma.store %tile, %whole[{origin}] : {tile}, {whole}"] + group + ["}"]
            else:
                body += self.move(tile, plain, out=True)
        elif self.way == "tma":
            body += expect + [f"titan.tma.load %whole[{origin}], %tile, %bar : {whole}, {tile}, !titan.mbarrier"]
            body += wait + ["titan.elect {", issue] + group + ["}"]
        else:
            body += self.move(tile, plain, out=False)
            body += ["titan.fence.proxy_async shared_cta", "titan.syncwarp", "titan.elect {", issue] + group + ["}"]
        lines = [f"titan.kernel @{self.name}({arguments}) warps(1) launch {{", "%one = arith.constant 1 : index"]
        lines += launch + [f"titan.launch grid(%one) with({', '.join(n for n, _ in passed)} : "
                           f"{', '.join(t for _, t in passed)})",
                           f"}} body({', '.join(f'{n}: {t}' for n, t in passed)}) {{"]
        return "\n".join(lines + body + ["titan.return", "}", ""])

    def move(self, tile, plain, out):
        """P = tile, or tile = P."""
        if self.way == "registers":
            rows, columns = self.buffer
            layout = "#titan.blocked<elements = [1, 1], lanes = [1, 32], warps = [1, 1]>"
            shape = f"{rows}x{columns}x"
            reg, where = f"tensor<{shape}{self.type}, {layout}>", f"tensor<{shape}i32, {layout}>"
            lines = [f"%row = titan.coordinate 0 : {where}", f"%column = titan.coordinate 1 : {where}"]
            if out:
                return lines + [f"%v = titan.shared.load %tile : {tile} -> {reg}",
                                f"titan.global.store %v, %P[%row, %column] : {reg}, {plain}, {where}, {where}"]
            return lines + [f"%v = titan.global.load %P[%row, %column] : {plain}, {where}, {where} -> {reg}",
                            f"titan.shared.store %v, %tile : {reg}, {tile}"]
        rank = len(self.buffer)
        index = ", ".join(f"%i{d + 1}" for d in range(rank))
        lines = [f"scf.for %i{d + 1} = %c0 to %n{d} step %c1 {{" for d in range(rank)]
        source, to = (("%tile", tile), ("%P", plain)) if out else (("%P", plain), ("%tile", tile))
        lines += [f"%v = titan.ld {source[0]}[{index}] : {source[1]} -> {self.type}",
                  f"titan.st %v, {to[0]}[{index}] : {self.type}, {to[1]}"] + ["}"] * rank
        return ["titan.elect {"] + lines + ["}"]


if __name__ == "__main__":
    sys.exit(random_kernels.main(__doc__, Kernel))
