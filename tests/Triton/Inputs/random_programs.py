"""Random TTIR of at most 30 operations: what the simulator makes of it is what plain Python does, bit for bit.

  random_programs.py --seed 1 --count 50      (SEED and the next ones; a failure prints its text)
  random_programs.py --kernel titan ...       the kernels that titan makes of them, instead; with 1 to 8 warps
  random_programs.py --atomics ...            of integers of 32 and 64 bits what is stored is changed by atomics, too

Each program loads two tensors under masks, computes with integers of all widths, f16, bf16 and f32, moves elements,
reduces and scans, and stores what it has; two programs of the grid have elements of their own.
"""
import argparse
import array
import math
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

os.environ.setdefault("TITAN", "simulate")

import titan
from titan import simulation

INTEGERS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
FLOATS = ("f16", "bf16", "f32")
ARRAYS = {"i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "f16": "float16", "bf16": "bfloat16",
          "f32": "float32"}


def wrap(value, kind):
    width = INTEGERS[kind]
    value &= (1 << width) - 1
    return value - (1 << width) if width > 1 and value >> (width - 1) else value


def unsigned(value, kind):
    return value & ((1 << INTEGERS[kind]) - 1)


def f32(value):
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def fit(value, kind):
    """The nearest number of this type."""
    if value != value or math.isinf(value):
        return value
    if kind == "f16":
        try:
            return struct.unpack("<e", struct.pack("<e", value))[0]
        except OverflowError:
            return math.copysign(math.inf, value)
    value = f32(value)
    if kind == "bf16" and not math.isinf(value):
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
        bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
        value = struct.unpack("<f", struct.pack("<I", bits))[0]
    return value


def bits_of(value, kind):
    """As titan.array shows an element."""
    if kind == "bf16":
        return struct.unpack("<I", struct.pack("<f", value))[0] >> 16
    return value


class Value:
    def __init__(self, name, kind, shape, elements):
        self.name, self.kind, self.shape, self.elements = name, kind, shape, elements

    @property
    def type(self):
        return tensor(self.shape, self.kind)


def tensor(shape, kind):
    return f"tensor<{'x'.join(map(str, shape))}x{kind}>" if shape is not None else kind


def divide(a, b):
    if b == 0:
        return math.nan if a == 0 or a != a else math.copysign(math.inf, math.copysign(1, a) * math.copysign(1, b))
    if math.isinf(a) and math.isinf(b):
        return math.nan
    return a / b


def quiet(f):
    def run(a, b):
        try:
            return f(a, b)
        except (OverflowError, ValueError):
            return math.nan
    return run


def maximum(a, b):
    return math.nan if a != a or b != b else max(a, b)


def number(pick):
    return lambda a, b: b if a != a else a if b != b else pick(a, b)


REAL = {"addf": quiet(lambda a, b: a + b), "subf": quiet(lambda a, b: a - b), "mulf": quiet(lambda a, b: a * b),
        "divf": divide, "maximumf": maximum, "minimumf": lambda a, b: -maximum(-a, -b),
        "maxnumf": number(max), "minnumf": number(min)}
WHOLE = {"addi": lambda a, b, k: a + b, "subi": lambda a, b, k: a - b, "muli": lambda a, b, k: a * b,
         "andi": lambda a, b, k: a & b, "ori": lambda a, b, k: a | b, "xori": lambda a, b, k: a ^ b,
         "maxsi": lambda a, b, k: max(a, b), "minsi": lambda a, b, k: min(a, b),
         "maxui": lambda a, b, k: max(unsigned(a, k), unsigned(b, k)),
         "minui": lambda a, b, k: min(unsigned(a, k), unsigned(b, k))}
ATOMIC = {"add": WHOLE["addi"], "and": WHOLE["andi"], "or": WHOLE["ori"], "xor": WHOLE["xori"], "max": WHOLE["maxsi"],
          "min": WHOLE["minsi"], "umax": WHOLE["maxui"], "umin": WHOLE["minui"], "exch": lambda a, b, k: b}
# By a divisor that was made neither 0 nor -1.
QUOTIENT = {"divsi": lambda a, b, k: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
            "remsi": lambda a, b, k: math.fmod(a, b) if abs(a) < 2**53 and abs(b) < 2**53 else
            a - b * (abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)),
            "divui": lambda a, b, k: unsigned(a, k) // unsigned(b, k),
            "remui": lambda a, b, k: unsigned(a, k) % unsigned(b, k)}
SHIFT = {"shli": lambda a, b, k: a << b, "shrsi": lambda a, b, k: a >> b,
         "shrui": lambda a, b, k: unsigned(a, k) >> b}
COMPARE = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "slt": lambda a, b: a < b, "sle": lambda a, b: a <= b,
           "sgt": lambda a, b: a > b, "sge": lambda a, b: a >= b}
ORDERED = {"oeq": lambda a, b: a == b, "olt": lambda a, b: a < b, "oge": lambda a, b: a >= b,
           "une": lambda a, b: a != b, "uno": lambda a, b: a != a or b != b,
           "ugt": lambda a, b: not a <= b}


class Program:
    """Text and elements of one random program, for one of the two that the grid has."""

    def __init__(self, seed, pid, inputs, atomics=False):
        self.random, self.pid, self.inputs = random.Random(seed), pid, inputs
        self.atomics = random.Random(f"atomics {seed}") if atomics else None
        self.lines, self.values, self.outputs = [], [], []
        # Values that hang on a product of floats: no sum is made of them, since a GPU's compiler fuses the two, which is one rounding less.
        self.products = set()
        self.build()

    def emit(self, text, kind, shape, elements):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"    {name} = {text}")
        self.hang(name, text)
        value = Value(name, kind, shape, elements)
        self.values.append(value)
        return value

    def hang(self, name, text):
        if not self.products.isdisjoint(re.findall(r"%v\d+", text)):
            self.products.add(name)

    def pick(self, *kinds, shape=0):
        found = [v for v in self.values if v.kind in kinds and v.shape is not None and shape in (0, v.shape)]
        return self.random.choice(found) if found else None

    def build(self):
        r = self.random
        n = r.choice((16, 32, 64))
        self.n = n
        pid = self.emit("tt.get_program_id x : i32", "i32", None, [self.pid])
        size = self.emit(f"arith.constant {n} : i32", "i32", None, [n])
        first = self.emit(f"arith.muli {pid.name}, {size.name} : i32", "i32", None, [self.pid * n])
        lane = self.emit(f"tt.make_range {{end = {n} : i32, start = 0 : i32}} : {tensor((n,), 'i32')}", "i32", (n,),
                         list(range(n)))
        start = self.emit(f"tt.splat {first.name} : i32 -> {lane.type}", "i32", (n,), [self.pid * n] * n)
        at = self.emit(f"arith.addi {start.name}, {lane.name} : {lane.type}", "i32", (n,),
                       [self.pid * n + i for i in range(n)])
        limit = r.randrange(n // 2, 2 * n + 1)
        bound = self.emit(f"arith.constant dense<{limit}> : {lane.type}", "i32", (n,), [limit] * n)
        mask = self.emit(f"arith.cmpi slt, {at.name}, {bound.name} : {lane.type}", "i1", (n,),
                         [int(self.pid * n + i < limit) for i in range(n)])
        self.kinds = []
        for number in range(2):
            kind = r.choice(("i8", "i16", "i32", "i64") + FLOATS)
            self.kinds.append(kind)
            memory = self.inputs[kind]
            pointers = self.pointers(f"%in{number}", kind, at)
            zero = self.emit(f"arith.constant dense<{'0.0' if kind in FLOATS else '0'}> : {tensor((n,), kind)}", kind, (n,),
                             [0.0 if kind in FLOATS else 0] * n)
            self.emit(f"tt.load {pointers}, {mask.name}, {zero.name} : tensor<{n}x!tt.ptr<{kind}>>", kind, (n,),
                      [memory[self.pid * n + i] if m else zero.elements[0] for i, m in enumerate(mask.elements)])
        steps = (self.elementwise, self.elementwise, self.elementwise, self.convert, self.move, self.combine, self.choose)
        target = len(self.lines) + r.randrange(4, 17)
        while len(self.lines) < target:
            r.choice(steps)()
        for value in self.values[-3:]:
            self.store(value, lane)

    def pointers(self, base, kind, at):
        count = len(at.elements)
        name = f"%p{len(self.lines)}"
        self.lines.append(f"    {name}s = tt.splat {base} : !tt.ptr<{kind}> -> tensor<{count}x!tt.ptr<{kind}>>")
        self.lines.append(f"    {name} = tt.addptr {name}s, {at.name} : tensor<{count}x!tt.ptr<{kind}>>, {at.type}")
        return name

    def store(self, value, lane):
        number = len(self.outputs)
        if value.kind == "i1":
            value = self.emit(f"arith.extui {value.name} : {value.type} to {tensor(value.shape, 'i8')}", "i8", value.shape,
                              value.elements)
        count = len(value.elements)
        if value.shape is None:
            value = self.emit(f"tt.splat {value.name} : {value.kind} -> {tensor((1,), value.kind)}", value.kind, (1,),
                              value.elements)
        if value.shape != (count,):
            value = self.emit(f"tt.reshape {value.name} : {value.type} -> {tensor((count,), value.kind)}", value.kind,
                              (count,), value.elements)
        i = self.emit(f"tt.make_range {{end = {count} : i32, start = 0 : i32}} : {tensor((count,), 'i32')}", "i32", (count,),
                      list(range(count))) if count > 1 else self.emit(
                          f"arith.constant dense<0> : {tensor((1,), 'i32')}", "i32", (1,), [0])
        by = self.emit(f"arith.constant {count} : i32", "i32", None, [count])
        base = self.emit(f"arith.muli %v0, {by.name} : i32", "i32", None, [self.pid * count])
        wide = self.emit(f"tt.splat {base.name} : i32 -> {i.type}", "i32", i.shape, base.elements * count)
        at = self.emit(f"arith.addi {wide.name}, {i.name} : {i.type}", "i32", i.shape, [])
        at.elements = [0] * count
        pointers = self.pointers(f"%out{number}", value.kind, at)
        self.lines.append(f"    tt.store {pointers}, {value.name} : tensor<{count}x!tt.ptr<{value.kind}>>")
        self.outputs.append(value)
        if self.atomics and value.kind in ("i32", "i64"):
            self.outputs[number], found = self.change(pointers, value)
            atomics, self.atomics = self.atomics, None
            self.store(found, lane)
            self.atomics = atomics

    def change(self, pointers, value):
        """What lies at `pointers`, `value`, after two atomics by other numbers, under masks; what the second one finds."""
        r, kind, shape, made = self.atomics, value.kind, (len(value.elements),), value.elements

        def constant(name, kind, numbers):
            text = str(numbers if len(numbers) > 1 else numbers[0]).lower()
            self.lines.append(f"    {name} = arith.constant dense<{text}> : {tensor(shape, kind)}")

        for _ in range(2):
            name, what = f"%a{len(self.lines)}", r.choice(list(ATOMIC))
            by = [wrap(r.getrandbits(64) >> r.randrange(64), kind) for _ in made]
            mask = [r.random() < 0.7 for _ in made]
            constant(name, kind, by)
            constant(f"{name}m", "i1", mask)
            pointer, number, bit = (tensor(shape, k) for k in (f"!tt.ptr<{kind}>", kind, "i1"))
            self.lines.append(f"    {name}o = tt.atomic_rmw {what}, relaxed, gpu, {pointers}, {name}, {name}m : "
                              f"({pointer}, {number}, {bit}) -> {number}")
            olds = [x if m else y for x, y, m in zip(made, by, mask)]
            made = [wrap(ATOMIC[what](x, y, kind), kind) if m else x for x, y, m in zip(made, by, mask)]
        found = self.emit(f"arith.select {name}m, {name}o, {name} : {bit}, {number}", kind, shape, olds)
        return Value(value.name, kind, value.shape, made), found

    def elementwise(self):
        r = self.random
        a = self.pick(*INTEGERS, *FLOATS)
        b = self.pick(a.kind, shape=a.shape)
        pairs = list(zip(a.elements, b.elements))
        if a.kind in FLOATS:
            name = r.choice(list(REAL) + ["cmpf", "absf", "negf"])
            if name == "cmpf":
                which = r.choice(list(ORDERED))
                return self.emit(f"arith.cmpf {which}, {a.name}, {b.name} : {a.type}", "i1", a.shape,
                                 [int(ORDERED[which](x, y)) for x, y in pairs])
            if name == "absf":
                return self.emit(f"math.absf {a.name} : {a.type}", a.kind, a.shape, [abs(x) for x in a.elements])
            if name == "negf":
                return self.emit(f"arith.negf {a.name} : {a.type}", a.kind, a.shape, [-x for x in a.elements])
            if name in ("addf", "subf") and not self.products.isdisjoint(v.name.split("#")[0] for v in (a, b)):
                return None
            value = self.emit(f"arith.{name} {a.name}, {b.name} : {a.type}", a.kind, a.shape,
                              [fit(REAL[name](x, y), a.kind) for x, y in pairs])
            if name == "mulf":
                self.products.add(value.name)
            return value
        if a.kind == "i1":
            name = r.choice(("andi", "ori", "xori"))
            return self.emit(f"arith.{name} {a.name}, {b.name} : {a.type}", "i1", a.shape,
                             [WHOLE[name](x, y, "i1") for x, y in pairs])
        kind = r.choice(("whole", "whole", "compare", "quotient", "shift"))
        if kind == "compare":
            which = r.choice(list(COMPARE))
            return self.emit(f"arith.cmpi {which}, {a.name}, {b.name} : {a.type}", "i1", a.shape,
                             [int(COMPARE[which](x, y)) for x, y in pairs])
        if kind == "whole":
            name = r.choice(list(WHOLE))
            return self.emit(f"arith.{name} {a.name}, {b.name} : {a.type}", a.kind, a.shape,
                             [wrap(WHOLE[name](x, y, a.kind), a.kind) for x, y in pairs])
        if kind == "quotient":
            name = r.choice(list(QUOTIENT))
            # ... 01 in its last bits: neither 0 nor -1.
            three, two = (self.emit(f"arith.constant dense<{k}> : {a.type}", a.kind, a.shape, [k] * len(a.elements))
                          for k in (3, 2))
            most = self.emit(f"arith.ori {b.name}, {three.name} : {a.type}", a.kind, a.shape, [y | 3 for y in b.elements])
            odd = self.emit(f"arith.xori {most.name}, {two.name} : {a.type}", a.kind, a.shape,
                            [(y | 3) ^ 2 for y in b.elements])
            return self.emit(f"arith.{name} {a.name}, {odd.name} : {a.type}", a.kind, a.shape,
                             [wrap(int(QUOTIENT[name](x, y, a.kind)), a.kind) for x, y in zip(a.elements, odd.elements)])
        by, name = r.randrange(INTEGERS[a.kind]), r.choice(list(SHIFT))
        amount = self.emit(f"arith.constant dense<{by}> : {a.type}", a.kind, a.shape, [by] * len(a.elements))
        return self.emit(f"arith.{name} {a.name}, {amount.name} : {a.type}", a.kind, a.shape,
                         [wrap(SHIFT[name](x, by, a.kind), a.kind) for x in a.elements])

    def convert(self):
        r = self.random
        a = self.pick(*INTEGERS, *FLOATS)
        to = r.choice([k for k in list(INTEGERS)[1:] + list(FLOATS) if k != a.kind])
        if a.kind in FLOATS and to in FLOATS:
            size = {"f16": 16, "bf16": 16, "f32": 32}
            if size[a.kind] == size[to]:
                return None
            name, made = ("extf" if size[to] > size[a.kind] else "truncf"), [fit(x, to) for x in a.elements]
        elif a.kind in FLOATS:
            low, high = -(1 << (INTEGERS[to] - 1)), (1 << (INTEGERS[to] - 1)) - 1
            name = "fptosi"
            made = [0 if x != x else low if x < low else high if x >= high + 1 else int(x) for x in a.elements]
        elif to in FLOATS:
            if INTEGERS[a.kind] > 16:
                return None  # Rounded twice by this definition.
            name = r.choice(("sitofp", "uitofp"))
            source = [(-x if a.kind == "i1" else x) if name == "sitofp" else unsigned(x, a.kind) for x in a.elements]
            made = [fit(float(x), to) for x in source]
        elif INTEGERS[to] > INTEGERS[a.kind]:
            name = r.choice(("extsi", "extui"))
            made = [wrap((-x if a.kind == "i1" else x) if name == "extsi" else unsigned(x, a.kind), to) for x in a.elements]
        else:
            name, made = "trunci", [wrap(x, to) for x in a.elements]
        return self.emit(f"arith.{name} {a.name} : {a.type} to {tensor(a.shape, to)}", to, a.shape, made)

    def move(self):
        r = self.random
        a = self.pick(*INTEGERS, *FLOATS)
        what = r.choice(("reshape", "trans", "expand", "join", "gather", "split"))
        count = len(a.elements)
        if what == "reshape" and count > 1:
            first = 1 << r.randrange(count.bit_length())
            shape = (first, count // first) if r.random() < 0.7 else (count,)
            return self.emit(f"tt.reshape {a.name} : {a.type} -> {tensor(shape, a.kind)}", a.kind, shape, a.elements)
        if what == "trans" and len(a.shape) == 2:
            rows, columns = a.shape
            return self.emit(f"tt.trans {a.name} {{order = array<i32: 1, 0>}} : {a.type} -> {tensor((columns, rows), a.kind)}",
                             a.kind, (columns, rows),
                             [a.elements[i * columns + j] for j in range(columns) for i in range(rows)])
        if what == "expand" and len(a.shape) == 1 and count <= 64:
            axis, by = r.randrange(2), r.choice((2, 4))
            thin = (1, count) if axis == 0 else (count, 1)
            wide = (by, count) if axis == 0 else (count, by)
            b = self.emit(f"tt.expand_dims {a.name} {{axis = {axis} : i32}} : {a.type} -> {tensor(thin, a.kind)}", a.kind,
                          thin, a.elements)
            return self.emit(f"tt.broadcast {b.name} : {b.type} -> {tensor(wide, a.kind)}", a.kind, wide,
                             a.elements * by if axis == 0 else [x for x in a.elements for _ in range(by)])
        if what == "join" and count <= 128:
            b = self.pick(a.kind, shape=a.shape)
            shape = a.shape + (2,)
            if len(shape) > 3:
                return None
            return self.emit(f"tt.join {a.name}, {b.name} : {a.type} -> {tensor(shape, a.kind)}", a.kind, shape,
                             [x for pair in zip(a.elements, b.elements) for x in pair])
        if what == "split" and len(a.shape) > 1 and a.shape[-1] == 2:
            name = f"%v{len(self.lines)}"
            shape = a.shape[:-1]
            self.lines.append(f"    {name}:2 = tt.split {a.name} : {a.type} -> {tensor(shape, a.kind)}")
            self.hang(name, a.name)
            for half in range(2):
                self.values.append(Value(f"{name}#{half}", a.kind, shape, a.elements[half::2]))
            return None
        if what == "gather" and len(a.shape) == 1 and count > 1:
            b = self.pick("i32", shape=a.shape)
            if b is None:
                return None
            last = self.emit(f"arith.constant dense<{count - 1}> : {b.type}", "i32", b.shape, [count - 1] * count)
            index = self.emit(f"arith.andi {b.name}, {last.name} : {b.type}", "i32", b.shape,
                              [x & (count - 1) for x in b.elements])
            return self.emit(f"tt.gather {a.name}[{index.name}] {{axis = 0 : i32}} : ({a.type}, {index.type}) -> {a.type}",
                             a.kind, a.shape, [a.elements[i] for i in index.elements])
        return None

    def combine(self):
        """A reduction or a scan, of what does not depend on the order."""
        r = self.random
        a = self.pick("i8", "i16", "i32", "i64", "f32")
        if a is None or len(a.elements) < 2:
            return None
        name = r.choice(("addi", "maxsi", "minui", "xori")) if a.kind != "f32" else r.choice(("maxnumf", "minnumf"))
        f = (lambda x, y: wrap(WHOLE[name](x, y, a.kind), a.kind)) if a.kind != "f32" else (lambda x, y: REAL[name](x, y))
        axis = r.randrange(len(a.shape))
        outer, size, inner = math.prod(a.shape[:axis]), a.shape[axis], math.prod(a.shape[axis + 1:])
        lines = [[a.elements[(o * size + s) * inner + i] for s in range(size)] for o in range(outer) for i in range(inner)]
        body = (f"({{\n    ^bb0(%x: {a.kind}, %y: {a.kind}):\n      %z = arith.{name} %x, %y : {a.kind}\n"
                f"      tt.RETURN.return %z : {a.kind}\n    }})")
        if r.random() < 0.5:
            reverse = r.random() < 0.5
            for line in lines:
                steps = range(size - 2, -1, -1) if reverse else range(1, size)
                for s in steps:
                    line[s] = f(line[s + 1 if reverse else s - 1], line[s])
            made = [lines[o * inner + i][s] for o in range(outer) for s in range(size) for i in range(inner)]
            return self.emit(f'"tt.scan"({a.name}) <{{axis = {axis} : i32, reverse = {str(reverse).lower()}}}> '
                             f"{body.replace('RETURN', 'scan')} : ({a.type}) -> {a.type}", a.kind, a.shape, made)
        made = []
        for line in lines:
            sum = line[0]
            for x in line[1:]:
                sum = f(sum, x)
            made.append(sum)
        shape = a.shape[:axis] + a.shape[axis + 1:] or None
        return self.emit(f'"tt.reduce"({a.name}) <{{axis = {axis} : i32}}> {body.replace("RETURN", "reduce")} : ({a.type}) -> '
                         f"{tensor(shape, a.kind)}", a.kind, shape, made)

    def choose(self):
        mask = self.pick("i1")
        a = self.pick(*INTEGERS, *FLOATS, shape=mask.shape)
        b = self.pick(a.kind, shape=mask.shape)
        return self.emit(f"arith.select {mask.name}, {a.name}, {b.name} : {mask.type}, {a.type}", a.kind, a.shape,
                         [x if c else y for c, x, y in zip(mask.elements, a.elements, b.elements)])

    def text(self):
        arguments = [f"%in{i}: !tt.ptr<{k}>" for i, k in enumerate(self.kinds)]
        arguments += [f"%out{i}: !tt.ptr<{v.kind}>" for i, v in enumerate(self.outputs)]
        return ("module {\n  tt.func public @random(" + ", ".join(arguments) + ") {\n" + "\n".join(self.lines) +
                "\n    tt.return\n  }\n}\n")


def inputs(seed):
    r, made = random.Random(seed), {}
    for kind in ARRAYS:
        if kind in FLOATS:
            special = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0]
            made[kind] = [r.choice(special) if r.random() < 0.05 else fit(r.gauss(0, 10**r.randrange(-2, 4)), kind)
                          for _ in range(128)]
        else:
            made[kind] = [wrap(r.getrandbits(64) >> r.randrange(64), kind) for _ in range(128)]
    return made


def memory(kind, values):
    if kind == "f16":
        return titan.array(array.array("H", struct.pack(f"<{len(values)}e", *values)), dtype="float16")
    if kind == "bf16":
        return titan.array(array.array("H", [bits_of(v, kind) for v in values]), dtype="bfloat16")
    return titan.array(array.array({"i8": "b", "i16": "h", "i32": "i", "i64": "q", "f32": "f"}[kind], values))


def pack(kind, values):
    if kind == "f16":
        return struct.pack(f"<{len(values)}e", *values)
    if kind == "bf16":
        return struct.pack(f"<{len(values)}H", *(bits_of(v, kind) for v in values))
    return struct.pack(f"<{len(values)}" + {"i8": "b", "i16": "h", "i32": "i", "i64": "q", "f32": "f"}[kind], *values)


NPY = {"i8": "|i1", "i16": "<i2", "i32": "<i4", "i64": "<i8", "f16": "<f2", "bf16": "<u2", "f32": "<f4"}


def run_kernel(titan_command, seed, program, given):
    """What the kernel leaves in each output, or what of the program is not supported yet."""
    with tempfile.TemporaryDirectory() as folder:
        def run(*command):
            return subprocess.run([titan_command, *command], capture_output=True, text=True)

        source, kernel = f"{folder}/random.ttir", f"{folder}/random.mlir"
        pathlib.Path(source).write_text(program.text())
        done = run("compile", "--emit=titan", f"--num-warps={1 << seed % 4}", source, "-o", kernel)
        if done.returncode:
            later = re.search(r"\[not-supported-yet\] (.*)", done.stderr)
            if later:
                return later[1]
            sys.exit(f"seed {seed}: {done.stderr}\n{program.text()}")
        flags = ["--scalar", "grid_x=2"]
        for i, kind in enumerate(program.kinds):
            name = f"in{i}"
            head = f"{{'descr': '{NPY[kind]}', 'fortran_order': False, 'shape': (128,), }}"
            head = head.ljust(117) + "\n"
            pathlib.Path(f"{folder}/{name}.npy").write_bytes(
                b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() + pack(kind, given[kind]))
            flags += ["--arg", f"{name}={folder}/{name}.npy"]
        outs = [f"out{i}" for i in range(len(program.outputs))]
        for name, value in zip(outs, program.outputs):
            flags += ["--shape", f"{name}={2 * len(value.elements)}", "--out", f"{name}={folder}/{name}.npy"]
        done = run("run", kernel, *flags)
        if done.returncode:
            sys.exit(f"seed {seed}: {done.stderr}\n{program.text()}\n{pathlib.Path(kernel).read_text()}")
        found = []
        for name, value in zip(outs, program.outputs):
            data = pathlib.Path(f"{folder}/{name}.npy").read_bytes()
            data = data[10 + struct.unpack("<H", data[8:10])[0]:]
            code = {"f16": "e", "bf16": "H", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "f32": "f"}[value.kind]
            found.append(list(struct.unpack(f"<{2 * len(value.elements)}{code}", data)))
        return found


def check(seed, kernel=None, atomics=False):
    """Whether the program does what Python does, and how many elements; not supported yet: None, and what."""
    given = inputs(seed)
    both = [Program(seed, pid, given, atomics) for pid in (0, 1)]
    text = both[0].text()
    if kernel:
        found = run_kernel(kernel, seed, both[0], given)
        return (None, found) if isinstance(found, str) else compare(seed, both, text, found)
    outs = [titan.empty(2 * len(v.elements), ARRAYS[v.kind]) for v in both[0].outputs]
    arguments = [simulation.Pointer(f"in{i}", memory(k, given[k])) for i, k in enumerate(both[0].kinds)]
    arguments += [simulation.Pointer(f"out{i}", out) for i, out in enumerate(outs)]
    try:
        simulation.Program(text).run("random", (2, 1, 1), arguments)
    except simulation.Refused as error:
        print(f"seed {seed}: {error}\n{text}")
        return False, 0
    return compare(seed, both, text, [out.tolist() for out in outs])


def compare(seed, both, text, outs):
    for number, found in enumerate(outs):
        kind = both[0].outputs[number].kind
        expected = [bits_of(x, kind) for program in both for x in program.outputs[number].elements]
        for i, (x, y) in enumerate(zip(found, expected)):
            nan = (x & 0x7FFF) > 0x7F80 and (y & 0x7FFF) > 0x7F80 if kind == "bf16" else x != x and y != y
            zero = kind == "bf16" and x & 0x7FFF == y & 0x7FFF == 0
            if x != y and not nan and not zero:
                print(f"seed {seed}: element {i} of out{number} ({both[0].outputs[number].name}) is {x}, not {y}\n{text}")
                return False, 0
    return True, sum(len(o.elements) for p in both for o in p.outputs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--kernel", metavar="TITAN")
    parser.add_argument("--atomics", action="store_true")
    options = parser.parse_args()
    results = [check(seed, options.kernel, options.atomics) for seed in range(options.seed, options.seed + options.count)]
    if options.kernel:
        later = [what for ok, what in results if ok is None]
        good = sum(ok is True for ok, _ in results)
        print(f"seeds {options.seed} to {options.seed + options.count - 1}: {good} of "
              f"{options.count - len(later)} kernels as in Python, {len(later)} programs not supported yet")
        for what in sorted(set(later)):
            print(f"  {later.count(what)}: {what}")
        return good != options.count - len(later)
    good = sum(ok for ok, _ in results)
    print(f"seeds {options.seed} to {options.seed + options.count - 1}: {good} of {options.count} programs as in Python, "
          f"{sum(n for _, n in results)} elements")
    return good != options.count


if __name__ == "__main__":
    sys.exit(main())
