#!/usr/bin/env python3
"""Random kernels over arith and math: checker, simulator, reference, package, GPU.

    elementwise.py check   --titan build/bin/titan [--seed S] [--count N]
    elementwise.py prepare --titan build/bin/titan [--seed S] [--count N] --out FOLDER
    device.py --library libtitan-runtime.so FOLDER          (on a machine with a GPU)

A kernel is a straight line of operations of random types, on register tiles of a random layout or on
scalars (of index, too). X holds the bits that it begins with, and P gets those of every
result, a NaN as the canonical one. Operations without a result (a division by zero, a shift too
far, a float too large for an integer) are kept away from. Beside it stands the same line as a
reference, which LLVM's JIT executes: `titan run` compares them bit for bit. A fifth of the kernels compute
functions that PTX approximates, once each: what P holds then lies within the bounds of docs/hardware-facts.md
round what is computed here, under --approx=exact, high, low and random. random_kernels.py has
the commands.
"""
import math
import re
import struct
import sys

import random_kernels
from random_kernels import Tensor

BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64,
        "f16": 16, "bf16": 16, "f32": 32, "f64": 64}
FLOATS = ["f16", "bf16", "f32", "f64"]
MOST = {"f16": "65504.0", "bf16": "3.0e38", "f32": "3.0e38", "f64": "1.0e300"}
CMPI = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]
CMPF = ["false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"]
INTEGER = ["addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "maxui", "minsi", "minui"]
DIVISIONS = ["divsi", "divui", "remsi", "remui", "ceildivsi", "ceildivui", "floordivsi"]
SHIFTS = ["shli", "shrsi", "shrui"]
FLOAT = ["addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf", "minnumf"]
FLOAT_UNARY = ["arith.negf", "math.absf", "math.floor", "math.ceil", "math.trunc", "math.round", "math.roundeven", "math.sqrt"]
COUNTS = ["math.ctlz", "math.cttz", "math.ctpop", "math.absi"]
TESTS = ["isnan", "isinf", "isfinite", "isnormal"]


class Line:
    """Operations on values of random types: each a line of text, with `T(type)` for the type of a value."""

    def __init__(self, rng, tiles, inputs):
        self.rng, self.tiles, self.lines, self.results, self.number = rng, tiles, [], [], 0
        types = [t for t in BITS if not tiles or t != "index"]
        self.types = types
        self.values = {t: [] for t in types}
        for i in range(inputs):
            self.values["i32"].append(f"%x{i}")
        for t in types:  # one of each to begin with
            if t != "i32":
                self.values[t].append(self.from_bits(rng.choice(self.values["i32"]), t))

    def emit(self, type, text, name=None):
        self.number += 1
        name = f"%v{self.number}"
        self.lines.append(f"{name} = {text}")
        return name

    def constant(self, type, value):
        if type in FLOATS or type == "i1":
            text = {"i1": {0: "false", 1: "true"}}.get(type, {}).get(value, value)
        else:
            text = value
        return self.emit(type, f"CONSTANT({text}, {type})")

    def cast(self, op, value, a, b):
        return self.emit(b, f"{op} {value} : T({a}) to T({b})")

    def from_bits(self, value, type):
        """Of the type, from the bits of an i32."""
        bits = BITS[type]
        if bits == 64:
            low = self.cast("arith.extui", value, "i32", "i64")
            high = self.cast("arith.extui", self.rng.choice(self.values["i32"]), "i32", "i64")
            shifted = self.emit("i64", f"arith.shli {high}, {self.constant('i64', 32)} : T(i64)")
            both = self.emit("i64", f"arith.ori {low}, {shifted} : T(i64)")
            if type == "index":
                return self.cast("arith.index_cast", both, "i64", "index")
            return both if type == "i64" else self.cast("arith.bitcast", both, "i64", type)
        whole = f"i{bits}"
        cut = value if bits == 32 else self.cast("arith.trunci", value, "i32", whole)
        return cut if type == whole else self.cast("arith.bitcast", cut, whole, type)

    def to_bits(self, value, type):
        """One or two i32s; NaNs become the canonical one."""
        bits = BITS[type]
        whole = f"i{bits}"
        if type in FLOATS:
            nan = self.emit("i1", f"arith.cmpf uno, {value}, {value} : T({type})")
            value = self.cast("arith.bitcast", value, type, whole)
            canonical = self.constant(whole, (1 << bits - 1) - 1)
            value = self.emit(whole, f"arith.select {nan}, {canonical}, {value} : T(i1), T({whole})"
                              if self.tiles else f"arith.select {nan}, {canonical}, {value} : {whole}")
        elif type == "index":
            value = self.cast("arith.index_cast", value, "index", "i64")
        if bits == 64:
            high = self.emit("i64", f"arith.shrui {value}, {self.constant('i64', 32)} : T(i64)")
            return [self.cast("arith.trunci", v, "i64", "i32") for v in (value, high)]
        return [value if bits == 32 else self.cast("arith.extui", value, whole, "i32")]

    def pick(self, type):
        return self.rng.choice(self.values[type][-6:])

    def keep(self, type, value):
        self.values[type].append(value)
        self.results.append((type, value))

    def step(self):
        rng = self.rng
        integers = [t for t in self.types if t not in FLOATS]
        wide = [t for t in integers if t != "i1"]
        floats = [t for t in self.types if t in FLOATS]
        kind = rng.choice(["integer"] * 3 + ["division", "shift", "cmpi", "count", "extended"] + ["float"] * 4 +
                          ["unary", "fma", "cmpf", "test", "clamp", "copysign", "select", "convert", "convert", "to_int", "from_int"])
        if kind == "integer":
            t = rng.choice(integers)
            self.keep(t, self.emit(t, f"arith.{rng.choice(INTEGER)} {self.pick(t)}, {self.pick(t)} : T({t})"))
        elif kind == "division":
            t = rng.choice(wide)
            small = self.emit(t, f"arith.andi {self.pick(t)}, {self.constant(t, 63)} : T({t})")
            divisor = self.emit(t, f"arith.ori {small}, {self.constant(t, 1)} : T({t})")
            self.keep(t, self.emit(t, f"arith.{rng.choice(DIVISIONS)} {self.pick(t)}, {divisor} : T({t})"))
        elif kind == "shift":
            t = rng.choice(wide)
            by = self.emit(t, f"arith.andi {self.pick(t)}, {self.constant(t, BITS[t] - 1)} : T({t})")
            self.keep(t, self.emit(t, f"arith.{rng.choice(SHIFTS)} {self.pick(t)}, {by} : T({t})"))
        elif kind == "cmpi":
            t = rng.choice(integers)
            self.keep("i1", self.emit("i1", f"arith.cmpi {rng.choice(CMPI)}, {self.pick(t)}, {self.pick(t)} : T({t})"))
        elif kind == "count":
            t = rng.choice([t for t in wide if t != "index"])
            op = rng.choice(COUNTS)
            self.keep(t, self.emit(t, f"{op} {self.pick(t)} : T({t})"))
        elif kind == "extended":
            t = rng.choice([t for t in wide if t != "index"])
            op = rng.choice(["addui_extended", "mulsi_extended", "mului_extended"])
            types = f"T({t}), T(i1)" if op.startswith("add") else f"T({t})"
            self.number += 1
            name = f"%v{self.number}"
            self.lines.append(f"{name}:2 = arith.{op} {self.pick(t)}, {self.pick(t)} : {types}")
            self.keep(t, f"{name}#0")
            self.keep("i1" if op.startswith("add") else t, f"{name}#1")
        elif kind == "float":
            t = rng.choice(floats)
            self.keep(t, self.emit(t, f"arith.{rng.choice(FLOAT)} {self.pick(t)}, {self.pick(t)} : T({t})"))
        elif kind == "unary":
            t = rng.choice(floats)
            self.keep(t, self.emit(t, f"{rng.choice(FLOAT_UNARY)} {self.pick(t)} : T({t})"))
        elif kind == "fma":
            # (The JIT rounds f64 to bf16 by way of f32: sums of bf16 are not checked here.)
            t = rng.choice([t for t in floats if t != "bf16"])
            a, b, c = (self.pick(t) for _ in range(3))
            self.keep(t, self.emit(t, f"FMA({a}, {b}, {c}, {t})"))
        elif kind == "cmpf":
            t = rng.choice(floats)
            self.keep("i1", self.emit("i1", f"arith.cmpf {rng.choice(CMPF)}, {self.pick(t)}, {self.pick(t)} : T({t})"))
        elif kind == "test":
            t = rng.choice(floats)
            self.keep("i1", self.emit("i1", f"math.{rng.choice(TESTS)} {self.pick(t)} : T({t})"))
        elif kind == "clamp":
            t = rng.choice(floats)
            low, high = self.constant(t, "-2.0"), self.constant(t, "3.0")
            self.keep(t, self.emit(t, f"CLAMP({self.pick(t)}, {low}, {high}, {t})"))
        elif kind == "copysign":
            t = rng.choice(floats)
            # A NaN's sign is the hardware's own.
            sign = self.cast("arith.sitofp", self.pick("i8"), "i8", t)
            self.keep(t, self.emit(t, f"math.copysign {self.pick(t)}, {sign} : T({t})"))
        elif kind == "select":
            t = rng.choice(self.types)
            types = f"T(i1), T({t})" if self.tiles else t
            self.keep(t, self.emit(t, f"arith.select {self.pick('i1')}, {self.pick(t)}, {self.pick(t)} : {types}"))
        elif kind == "convert":
            a, b = rng.sample(self.types, 2)
            if (a in FLOATS) != (b in FLOATS) or BITS[a] == BITS[b] or (a, b) == ("f64", "bf16"):
                return
            op = (("extf" if BITS[b] > BITS[a] else "truncf") if a in FLOATS else
                  rng.choice(["index_cast", "index_castui"]) if "index" in (a, b) else
                  rng.choice(["extsi", "extui"]) if BITS[b] > BITS[a] else "trunci")
            self.keep(b, self.cast(f"arith.{op}", self.pick(a), a, b))
        elif kind == "to_int":
            f, t = rng.choice(floats), rng.choice([t for t in wide if t != "index"])
            signed = rng.random() < 0.5
            low, high = self.constant(f, "-100.0" if signed else "0.0"), self.constant(f, "100.0")
            above = self.emit(f, f"arith.maxnumf {self.pick(f)}, {low} : T({f})")
            number = self.emit(f, f"arith.minnumf {above}, {high} : T({f})")
            self.keep(t, self.cast("arith.fptosi" if signed else "arith.fptoui", number, f, t))
        else:
            f, t = rng.choice(floats), rng.choice([t for t in integers if t != "index"])
            if f == "bf16" and BITS[t] > 16:
                return  # The JIT goes by way of f32, and rounds twice.
            self.keep(f, self.cast(rng.choice(["arith.sitofp", "arith.uitofp"]), self.pick(t), t, f))

    def write(self, reference):
        """The text of the lines: of a kernel, or of its reference."""
        of = (lambda t: f"tensor<{self.shape}x{t}, {self.layout}>") if self.tiles and not reference else (lambda t: t)
        done = []
        for line in self.lines:
            if match := re.search(r"CONSTANT\(([^,]+), (\w+)\)", line):
                value = match[1]
                if self.tiles and not reference:
                    value = f"dense<{value}> : {of(match[2])}"
                elif value not in ("true", "false"):
                    value += f" : {match[2]}"
                line = line.replace(match[0], f"arith.constant {value}")
            if match := re.search(r"^(\S+) = FMA\((\S+), (\S+), (\S+), (\w+)\)", line):
                name, a, b, c, t = match.groups()
                if reference and t == "f16":
                    # The host's fma of narrow types rounds twice; products are exact in f64.
                    w = [f"{name}{x}w = arith.extf {v} : {t} to f64" for x, v in zip("abc", (a, b, c))]
                    done += w + [f"{name}p = arith.mulf {name}aw, {name}bw : f64", f"{name}s = arith.addf {name}p, {name}cw : f64"]
                    line = f"{name} = arith.truncf {name}s : f64 to {t}"
                else:
                    line = f"{name} = math.fma {a}, {b}, {c} : {of(t)}"
            if match := re.search(r"^(\S+) = CLAMP\((\S+), (\S+), (\S+), (\w+)\)", line):
                name, x, low, high, t = match.groups()
                if reference:
                    done.append(f"{name}m = {extreme(done, name + 'm', 'max', 'imum', x, low, t)}")
                    line = f"{name} = {extreme(done, name, 'min', 'imum', name + 'm', high, t)}"
                else:
                    line = f"{name} = math.clampf {x} to [{low}, {high}] : {of(t)}"
            if reference and (match := re.search(r"^(\S+) = math\.(isinf|isnormal) (\S+) : T\((\w+)\)", line)):
                name, what, x, t = match.groups()
                least = {"f16": "6.103515625e-05", "bf16": "1.17549435e-38", "f32": "1.17549435e-38", "f64": "2.2250738585072014e-308"}[t]
                infinity = {"f16": "0x7C00", "bf16": "0x7F80", "f32": "0x7F800000", "f64": "0x7FF0000000000000"}[t]
                done += [f"{name}a = math.absf {x} : {t}", f"{name}i = arith.constant {infinity} : {t}"]
                if what == "isinf":
                    line = f"{name} = arith.cmpf oeq, {name}a, {name}i : {t}"
                else:
                    done += [f"{name}l = arith.constant {least} : {t}", f"{name}f = arith.cmpf olt, {name}a, {name}i : {t}",
                             f"{name}g = arith.cmpf oge, {name}a, {name}l : {t}"]
                    line = f"{name} = arith.andi {name}f, {name}g : i1"
            if reference and (match := re.search(r"^(\S+) = arith\.(max|min)(num|imum)f (\S+), (\S+) : (?:T\()?(\w+)", line)):
                name, which, how, a, b, t = match.groups()
                line = f"{name} = {extreme(done, name, which, how, a, b, t)}"
            if reference and "arith.select" in line and "T(i1), " in line:
                line = line.replace("T(i1), ", "")
            done.append(re.sub(r"T\((\w+)\)", lambda m: of(m[1]), line))
        return done


def extreme(done, name, which, how, a, b, t):
    """arith.maximumf and its kin in a reference: the JIT does not tell +0 from -0, PTX does."""
    bits = f"i{BITS[t]}"
    done += [f"{name}c = arith.cmpf {'ogt' if which == 'max' else 'olt'}, {a}, {b} : {t}", f"{name}o = arith.select {name}c, {a}, {b} : {t}",
             f"{name}i = arith.bitcast {a} : {t} to {bits}", f"{name}j = arith.bitcast {b} : {t} to {bits}",
             f"{name}k = arith.{'andi' if which == 'max' else 'ori'} {name}i, {name}j : {bits}",
             f"{name}e = arith.cmpf oeq, {a}, {b} : {t}", f"{name}z = arith.bitcast {name}k : {bits} to {t}",
             f"{name}p = arith.select {name}e, {name}z, {name}o : {t}",
             f"{name}q = arith.cmpf uno, {a}, {a} : {t}", f"{name}r = arith.cmpf uno, {b}, {b} : {t}"]
    first, second = (b, a) if how == "num" else (a, b)
    done.append(f"{name}s = arith.select {name}r, {second}, {name}p : {t}")
    return f"arith.select {name}q, {first}, {name}s : {t}"


class Kernel(random_kernels.Kernel):
    """X: `inputs` tiles of i32 below one another; P: one for each word of a result."""
    KERNELS_IN_FILE = 1

    def __init__(self, rng, number):
        super().__init__(rng, number)
        self.kind = rng.choice(["tile"] * 3 + ["scalar", "approximate"])
        self.warps = rng.choice([1, 1, 2, 4]) if self.kind != "scalar" else 1
        self.rows, self.columns = rng.choice([8, 16, 32]), rng.choice([8, 16, 32])
        if self.kind == "scalar":
            self.rows, self.columns = 1, 64
        self.layout = self.blocked()
        self.bounds = None
        getattr(self, "approximate" if self.kind == "approximate" else "exact")()
        if self.kind == "scalar":  # what a scalar holds that is loaded the checker does not follow, and says so
            self.CHECK = ["--undecided=warning"]
        self.WAYS = ([[f"--approx={how}"] for how in ("exact", "high", "low", f"random:{number}")] if self.bounds else [[]])

    def blocked(self):
        rng = self.rng
        for _ in range(1000):
            e, lanes, along = rng.choice([1, 2, 4]), rng.choice([1, 2, 4, 8, 16]), rng.choice([1, 2])
            if (self.warps % along == 0 and e * lanes * along <= self.columns
                    and 32 // lanes * (self.warps // along) <= self.rows):
                return (f"#titan.blocked<elements = [1, {e}], lanes = [{32 // lanes}, {lanes}], "
                        f"warps = [{self.warps // along}, {along}]>")
        self.warps = 1
        return "#titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [1, 1]>"

    def bits(self, count):
        """Special numbers of every type, small ones, and any."""
        rng = self.rng
        special = [0, 1, 2, 3, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
                   0x3f800000, 0xbf800000, 0x40490fdb, 0x7f800000, 0xff800000, 0x7fc00000, 0x00800000, 0x007fffff,
                   0x80000001, 0x3c003c00, 0xbc003c00, 0x7c007c00, 0x03ff0400, 0x7bff0001, 0x3f803f80, 0x7f80ff80, 0x3ff00000]

        def one():
            way = rng.random()
            if way < 0.3:
                return rng.choice(special)
            if way < 0.5:
                return rng.randrange(-64, 64) & 0xffffffff
            if way < 0.75:
                return struct.unpack("<I", struct.pack("<f", rng.uniform(-8, 8)))[0]
            return rng.getrandbits(32)
        return b"".join(struct.pack("<I", one()) for _ in range(count))

    def exact(self):
        rng, tiles = self.rng, self.kind == "tile"
        inputs = rng.randint(2, 4)
        line = Line(rng, tiles, inputs)
        line.shape, line.layout = f"{self.rows}x{self.columns}", self.layout
        while len(line.results) < 10:
            line.step()
        words = [word for t, v in line.results for word in line.to_bits(v, t)]
        self.type, self.what = "i32", len(line.results)
        self.x_shape, self.p_shape = [inputs * self.rows, self.columns], [len(words) * self.rows, self.columns]
        self.x = self.bits(inputs * self.rows * self.columns)
        reference = line.write(True)
        self.reference = [f"func.func private @{self.name}_reference(%X: memref<?x?xi32> {{titan.input = \"X\"}}, "
                          f"%P: memref<?x?xi32> {{titan.expected = \"P\"}}) {{",
                          "%from = arith.constant 0 : index", "%by = arith.constant 1 : index",
                          f"%rows = arith.constant {self.rows} : index", f"%columns = arith.constant {self.columns} : index",
                          "scf.for %i = %from to %rows step %by {", "scf.for %j = %from to %columns step %by {"]
        for n in range(inputs):
            self.reference += [f"%down{n} = arith.constant {n * self.rows} : index", f"%at{n} = arith.addi %i, %down{n} : index",
                               f"%x{n} = memref.load %X[%at{n}, %j] : memref<?x?xi32>"]
        self.reference += reference
        for n, word in enumerate(words):
            self.reference += [f"%out{n} = arith.constant {n * self.rows} : index", f"%to{n} = arith.addi %i, %out{n} : index",
                               f"memref.store {word}, %P[%to{n}, %j] : memref<?x?xi32>"]
        self.reference += ["}", "}", "return", "}"]
        if tiles:
            index = f"tensor<{self.rows}x{self.columns}xi32, {self.layout}>"
            self.body = [f"%i = titan.coordinate 0 : {index}", f"%j = titan.coordinate 1 : {index}"]
            for n in range(inputs):
                self.body += [f"%down{n} = arith.constant dense<{n * self.rows}> : {index}",
                              f"%at{n} = arith.addi %i, %down{n} : {index}",
                              f"%x{n} = titan.global.load %X[%at{n}, %j] : !global, {index}, {index} -> {index}"]
            self.body += line.write(False)
            for n, word in enumerate(words):
                self.body += [f"%out{n} = arith.constant dense<{n * self.rows}> : {index}",
                              f"%to{n} = arith.addi %i, %out{n} : {index}",
                              f"titan.global.store {word}, %P[%to{n}, %j] : {index}, !global, {index}, {index}"]
            return
        self.body = ["titan.elect {", "%from = arith.constant 0 : index", "%by = arith.constant 1 : index",
                     f"%columns = arith.constant {self.columns} : index", "scf.for %j = %from to %columns step %by {"]
        for n in range(inputs):
            self.body += [f"%at{n} = arith.constant {n} : index", f"%x{n} = titan.ld %X[%at{n}, %j] : !global -> i32"]
        self.body += line.write(False)
        for n, word in enumerate(words):
            self.body += [f"%to{n} = arith.constant {n} : index", f"titan.st {word}, %P[%to{n}, %j] : i32, !global"]
        self.body += ["}", "}"]

    # -- approximations ----------------------------------------------------------------------

    def approximate(self):
        """P: a function of X, in f32, in f16 and in bf16, as f32s."""
        rng = self.rng
        self.type, self.reference = "f32", []
        functions = rng.sample(["exp", "exp2", "log", "log2", "log10", "rsqrt", "tanh", "sin", "cos"], 3)
        index = f"tensor<{self.rows}x{self.columns}xi32, {self.layout}>"
        tile = lambda t: f"tensor<{self.rows}x{self.columns}x{t}, {self.layout}>"
        self.x_shape, self.what = [self.rows, self.columns], functions
        count = self.rows * self.columns
        values = [struct.unpack("<f", struct.pack("<f", self.operand(functions)))[0] for _ in range(count)]
        self.x = b"".join(struct.pack("<f", v) for v in values)
        self.body = [f"%i = titan.coordinate 0 : {index}", f"%j = titan.coordinate 1 : {index}",
                     f"%x = titan.global.load %X[%i, %j] : !global, {index}, {index} -> {tile('f32')}"]
        self.bounds, made = [], 0
        for f in functions:
            for t in ("f32", "f16", "bf16"):
                narrow = t != "f32"
                operand = "%x"
                if narrow:
                    self.body.append(f"%x{made} = arith.truncf %x : {tile('f32')} to {tile(t)}")
                    operand = f"%x{made}"
                self.body.append(f"%y{made} = math.{f} {operand} : {tile(t)}")
                result = f"%y{made}"
                if narrow:
                    self.body.append(f"%z{made} = arith.extf %y{made} : {tile(t)} to {tile('f32')}")
                    result = f"%z{made}"
                self.body += [f"%out{made} = arith.constant dense<{made * self.rows}> : {index}",
                              f"%to{made} = arith.addi %i, %out{made} : {index}",
                              f"titan.global.store {result}, %P[%to{made}, %j] : {tile('f32')}, !global, {index}, {index}"]
                for v in values:
                    self.bounds.append(within(f, round_to(v, t), t))
                made += 1
        self.p_shape = [made * self.rows, self.columns]

    def operand(self, functions):
        """Where all of the functions have a result that f16 can hold."""
        low = 0.01 if set(functions) & {"log", "log2", "log10", "rsqrt"} else -6.0
        return self.rng.choice([self.rng.uniform(max(low, -6.0), 6.0), self.rng.uniform(0.01, 1.0), self.rng.uniform(0.9, 1.1)])

    # -- all ---------------------------------------------------------------------------------

    def text(self):
        attributes = f" attributes {{titan.reference = @{self.name}_reference}}" if self.reference else ""
        return "\n".join([*self.reference,
                          f"titan.kernel @{self.name}(%X: !titan.global<?x?x{self.type}>, %P: !titan.global<?x?x{self.type}>) "
                          f"warps({self.warps}){attributes} launch {{",
                          "%g = arith.constant 1 : index", "titan.launch grid(%g)", "} body() {",
                          *[line.replace("!global", f"!titan.global<?x?x{self.type}>") for line in self.body], "titan.return", "}", ""])

    def tensors(self):
        return {"X": Tensor(self.type, self.x_shape, self.x, self.x),
                "P": Tensor(self.type, self.p_shape, bytes(4 * self.p_shape[0] * self.p_shape[1]), None, within=self.bounds)}

    def __str__(self):
        return f"{self.name} {self.kind} {self.rows}x{self.columns} warps {self.warps} {self.what}"


def round_to(value, type):
    """The nearest number of the type, ties to even."""
    if type == "f16":
        return struct.unpack("<e", struct.pack("<e", value))[0]
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    if type == "bf16":
        bits = bits + 0x7fff + (bits >> 16 & 1) & 0xffff0000
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def ulp(value):
    return math.ldexp(1.0, max(math.frexp(value)[1] - 24, -149))


def within(f, x, type):
    """The least and the greatest result that the PTX ISA's bounds let the function have."""
    ln2, log2e = math.log(2), 1 / math.log(2)
    if f in ("exp", "exp2"):
        value = math.exp(x) if f == "exp" else 2.0 ** x
        error = 2.5 * ulp(value)
        if f == "exp":
            error += value * ln2 * abs(x * log2e) * 2.0 ** -23
    elif f in ("log", "log2", "log10"):
        scale = {"log": ln2, "log2": 1.0, "log10": math.log10(2)}[f]
        own = math.log2(x)
        error = 2.0 ** -22 if 0.5 < x < 2 else 2.0 ** -22 * abs(own)
        if scale != 1:
            error = (error + abs(own) * 2.0 ** -23) * scale
        value = own * scale
    elif f == "rsqrt":
        value = 1 / math.sqrt(x)
        error = 2.0 ** -22.9 * value
    elif f == "tanh":
        value = math.tanh(x)
        error = 2.0 ** -11 * abs(value)
    else:
        value = math.sin(x) if f == "sin" else math.cos(x)
        error = 2.0 ** (-20.5 if f == "sin" else -20.42) if abs(x) <= 2 * math.pi else 2.0 ** -14.7  # cos: measured
    # To f32 by the instruction, outwards; then to the type.
    return tuple(round_to(value + s * (error + 2.0 ** -52 * abs(value)), type) for s in (-1, 1))


if __name__ == "__main__":
    sys.exit(random_kernels.main(__doc__, Kernel))
