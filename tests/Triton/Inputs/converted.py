"""converted.py TITAN TEXT.ttir [--grid X,Y,Z] [--num-warps N] [--num-stages N] [--bound B] [--expected NAME=FILE.npy] NAME=SHAPE:DATA ... NAME=NUMBER ...

Runs a program of tt, and the kernel of titan IR that it becomes, on the same arguments, and compares
what they leave in memory: bit for bit, or within B (of the value, or of 1 where that is more). The program leaves in
NAME what is in FILE.npy.
"""
import argparse
import ast
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

from floats import numbers

FORMATS = {"<f4": "f", "<f8": "d", "<f2": "e", "<i4": "i", "<i8": "q", "|i1": "b", "<i2": "h", "<u2": "H", "|u1": "B"}
SMALL = {"f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2"}


def load(path, kind):
    data = pathlib.Path(path).read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    code = FORMATS[ast.literal_eval(data[10:10 + length].decode())["descr"]]
    body = data[10 + length:]
    step = struct.calcsize(code)
    bits = [body[i:i + step] for i in range(0, len(body), step)]
    if code == "B" and kind in SMALL:
        return bits, numbers(SMALL[kind], body)
    if code == "H":  # bf16: NumPy has none.
        return bits, [struct.unpack("<f", b"\0\0" + each)[0] for each in bits]
    return bits, [struct.unpack("<" + code, each)[0] for each in bits]


def compare(name, kind, one, other, bound, where="titan IR"):
    (bits, values), (theirs, others) = load(one, kind), load(other, kind)
    if len(bits) != len(theirs):
        sys.exit(f"{name}: {len(bits)} elements, and {len(theirs)}")
    for i, (x, y) in enumerate(zip(values, others)):
        if bits[i] != theirs[i] and not (x != x and y != y) and not (bound and abs(x - y) <= bound * max(abs(x), 1)):
            sys.exit(f"{name}[{i}]: {x} in tt, {y} in {where}")
    return sum(x != y for x, y in zip(bits, theirs))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("titan")
    parser.add_argument("text")
    parser.add_argument("--grid", default="1")
    parser.add_argument("--num-warps", default="4")
    parser.add_argument("--num-stages", default="3")
    parser.add_argument("--bound", type=float, default=0)
    parser.add_argument("--expected")
    parser.add_argument("arguments", nargs="*")
    given = parser.parse_intermixed_args()
    flags, pointers = [], []
    for each in given.arguments:
        name, value = each.split("=")
        shape, _, data = value.partition(":")
        if data:
            flags += ["--shape", f"{name}={shape}", "--arg", f"{name}={data}"]
            pointers.append(name)
        else:
            flags += ["--scalar", each]
    kinds = dict(re.findall(r"%(\w+): !tt\.ptr<(\w+)>", pathlib.Path(given.text).read_text()))
    with tempfile.TemporaryDirectory() as folder:
        def run(*command):
            done = subprocess.run([given.titan, *command], capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")

        def outs(which):
            return [word for name in pointers for word in ("--out", f"{name}={folder}/{which}.{name}.npy")]

        kernel = f"{folder}/kernel.mlir"
        run("compile", "--emit=titan", "--num-warps", given.num_warps, "--num-stages", given.num_stages, given.text, "-o", kernel)
        run("run", given.text, "--grid", given.grid, *flags, *outs("tt"))
        text = pathlib.Path(kernel).read_text()
        for axis, count in zip("xyz", (given.grid + ",1,1").split(",")):
            if f"%grid_{axis}: i32" in text:
                flags += ["--scalar", f"grid_{axis}={count}"]
        # A descriptor's sizes and strides are arguments of their own.
        for each in given.arguments:
            name, value = each.split("=")
            if f"%{name}_size_0: i32" in text:
                shape = [int(part) for part in value.partition(":")[0].split("x")]
                for d, size in enumerate(shape):
                    flags += ["--scalar", f"{name}_size_{d}={size}",
                              "--scalar", f"{name}_stride_{d}={math.prod(shape[d + 1:])}"]
        # Of one dimension each.
        flat = []
        for word in flags:
            name, _, shape = word.partition("=")
            if name in pointers and shape and all(part.isdigit() for part in shape.split("x")):
                count = 1
                for part in shape.split("x"):
                    count *= int(part)
                word = f"{name}={count}"
            flat.append(word)
        run("run", kernel, *flat, *outs("titan"))
        if given.expected:
            name, _, file = given.expected.partition("=")
            compare(name, kinds.get(name), f"{folder}/tt.{name}.npy", file, given.bound, "the file")
        differ = {name: compare(name, kinds.get(name), f"{folder}/tt.{name}.npy", f"{folder}/titan.{name}.npy", given.bound)
                  for name in pointers}
    print("equal: " + ", ".join(f"{name} ({count} differ within the bound)" if count else name
                                for name, count in differ.items()))


if __name__ == "__main__":
    main()
