"""Random kernels whose CTAs compute tile after tile, each of as many steps as a random function of its number says.

    random_sums.py SUMS --seed 3 --count 10 > kernels.mlir

SUMS is tests/Checker/Proved/sums.mlir, of which the functions are taken. A consumer may have a tile's first step before
the loop over the others, and those in two loops, of which the first one has so many at most. Right, all of them.
"""
import argparse
import random

LAUNCH = """launch {
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %n = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %n, %sms : index
  %most = arith.constant 1073741824 : index
  %few0 = arith.cmpi ule, %rows, %most : index
  titan.require %few0, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  %sizeY0 = titan.dim %Y, 0 : !global
  %few1 = arith.cmpi ule, %sizeY0, %most : index
  titan.require %few1, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  titan.launch grid(%grid) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0
  %tiles = titan.shared.alloc : !ring
"""
BARRIERS = """  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bars
    titan.mbarrier.init %empty count(1) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
"""


class Steps:
    """How many steps tile %t has: lines that compute %steps, which is 1 or more (0 or more where `some` is false)."""

    def __init__(self, rng, some):
        self.rng, self.lines, self.number = rng, [], 0
        value = self.value(2)
        if some:
            value = self.op("addi", value, "%c1")
        # (Not so many that a run takes long.)
        most = self.op("addi", self.constant(rng.randint(1, 6)), "%c1")
        self.lines.append(f"%steps = arith.minui {value}, {most} : index")

    def name(self):
        self.number += 1
        return f"%s{self.number}"

    def constant(self, number):
        name = self.name()
        self.lines.append(f"{name} = arith.constant {number} : index")
        return name

    def op(self, which, a, b):
        name = self.name()
        self.lines.append(f"{name} = arith.{which} {a}, {b} : index")
        return name

    def value(self, depth):
        kind = self.rng.choice(["t", "rest", "div"] if not depth else ["rest", "div", "min", "max", "add", "down"])
        if kind == "t":
            return "%t"
        if kind in ("rest", "div"):
            of = self.value(0) if depth < 2 else self.value(depth - 1)
            return self.op("remui" if kind == "rest" else "divui", of, self.constant(self.rng.randint(2, 4)))
        if kind == "down":
            return self.op("divui", self.op("subi", "%n", "%t"), self.constant(self.rng.randint(1, 3)))
        a, b = self.value(depth - 1), self.rng.choice([self.value(depth - 1), self.constant(self.rng.randint(0, 4))])
        return self.op({"min": "minui", "max": "maxui", "add": "addi"}[kind], a, b)


def kernel(name, rng):
    pipe, parts = rng.random() < 0.5, rng.randint(0, 2)
    steps = Steps(rng, some=parts > 0 or rng.random() < 0.7)
    text = [f"titan.kernel @{name}(%X: !global, %Y: !global) warps(2) attributes {{titan.target = \"sm_90a\",",
            "  titan.example = {sizes = {M = 61}, multiprocessor_count = 3, X = \"Mx64 ints:1\", Y = \"Mx64\"}} " + LAUNCH.rstrip("\n")]
    if pipe:
        text.append('  %pipe = titan.pipe.create "load" -> ["use"] buffers ["x"](%tiles : !ring) : !pipe')
    else:
        text.append(BARRIERS.rstrip("\n"))
    outer = ["scf.for %t = %first to %n step %ctas {"] if pipe else [
        "%uses = scf.for %t = %first to %n step %ctas iter_args(%base = %c0) -> (index) {"]
    behind = [] if pipe else ["%next = arith.addi %base, %steps : index", "scf.yield %next : index"]
    text += ["titan.warp_specialize {", 'titan.partition "load" warps(1) {']
    text += ([] if pipe else ["titan.elect {"]) + outer + steps.lines + [
        "scf.for %i = %c0 to %steps step %c1 {", "%row = arith.muli %i, %c8 : index"]
    if pipe:
        text += ["%slot = titan.pipe.acquire %pipe : !pipe",
                 'titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map', "titan.pipe.commit %slot"]
    else:
        text += ["%use = arith.addi %base, %i : index",
                 "func.call @fill(%map, %row, %tiles, %full, %empty, %use)"
                 " : (!map, index, !ring, !bars, !bars, index) -> ()"]
    text += ["}"] + behind + ["}"] + ([] if pipe else ["}"]) + ["}", 'titan.partition "use" warps(1) {'] + outer + steps.lines

    def read(where, number):
        if pipe:
            return [f"%slot{where} = titan.pipe.wait %pipe : !pipe",
                    f'%in{where} = titan.pipe.buffer %slot{where}["x"] : !tile',
                    f"%x{where} = titan.shared.load %in{where} : !tile -> !regs", f"titan.pipe.release %slot{where}"]
        return [f"%use{where} = arith.addi %base, {number} : index",
                f"%x{where} = func.call @get(%tiles, %full, %use{where}) : (!ring, !bars, index) -> !regs",
                f"func.call @free(%empty, %use{where}) : (!bars, index) -> ()"]

    if parts:
        text += read("0", "%c0")
        so_far = "%x0"
    else:
        text += ["%none = func.call @number(%c0) : (index) -> !regs"]
        so_far = "%none"
    bounds = ["%c1" if parts else "%c0", "%steps"]
    if parts == 2:
        text += [f"%some = arith.constant {rng.randint(2, 3)} : index", "%middle = arith.minui %steps, %some : index"]
        bounds.insert(1, "%middle")
    for part, (begin, end) in enumerate(zip(bounds, bounds[1:])):
        text += [f"%sum{part} = scf.for %i = {begin} to {end} step %c1 iter_args(%sofar = {so_far}) -> (!regs) {{"]
        text += read("", "%i") + ["%more = arith.addf %sofar, %x : !regs", "scf.yield %more : !regs", "}"]
        so_far = f"%sum{part}"
    text += ["%row = arith.muli %t, %c8 : index",
             f"func.call @put({so_far}, %Y, %row) : (!regs, !global, index) -> ()"] + behind + ["}", "}", "}", "titan.return", "}"]
    return "\n".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sums")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10)
    arguments = parser.parse_args()
    with open(arguments.sums) as file:
        text = file.read()
    print(text[text.index("#rows"):text.index("titan.kernel ")])
    for number in range(arguments.count):
        print(kernel(f"k{number}", random.Random(1000 * arguments.seed + number)))


main()
