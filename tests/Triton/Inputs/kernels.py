"""kernels.py TITAN [--num-warps N] PROGRAM.py ...

Runs Python programs under TITAN=simulate. Each launch is done a second time, on the memory as it was before, by
the kernel of titan IR that the program of tt becomes, compiled for PTX, too; what both leave is compared: integers
bit for bit, floats within 1e-5 (16 bits: 2e-3, 8 bits: 1/8) of the value, or of 1 where that is more.
"""
import argparse
import os
import pathlib
import re
import runpy
import struct
import subprocess
import sys
import tempfile

from titan import simulation

from floats import numbers

FORMATS = {"float32": "<f4", "float64": "<f8", "float16": "<f2", "bfloat16": "<u2", "int8": "|i1", "uint8": "|u1", "int16": "<i2",
           "int32": "<i4", "int64": "<i8", "uint32": "<u4", "float8_e4m3fn": "|u1", "float8_e5m2": "|u1", "bool": "|b1"}
NAMES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i8": "int8", "i16": "int16", "i32": "int32",
         "i64": "int64"}
BOUNDS = {"float32": 1e-5, "float64": 1e-12, "float16": 2e-3, "bfloat16": 2e-2, "float8_e4m3fn": 1 / 8, "float8_e5m2": 1 / 4}


def write(path, dtype, data):
    count = len(data) // int(FORMATS[dtype][2])
    header = str({"descr": FORMATS[dtype], "fortran_order": False, "shape": (count, )}).ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def read(path):
    data = path.read_bytes()
    return data[10 + struct.unpack("<H", data[8:10])[0]:]


def scalar(kind, bits):
    if kind[0] == "f":
        return repr(struct.unpack("<" + {"f16": "e", "f32": "f", "f64": "d"}[kind], bits.to_bytes(int(kind[1:]) // 8, "little"))[0])
    width = int(kind[1:])
    return bits - (bits >> (width - 1) << width)


def same(dtype, one, other):
    """Null, or where they differ."""
    if dtype not in BOUNDS:
        size = int(FORMATS[dtype][2])
        return next((i // size for i in range(0, len(one), size) if one[i:i + size] != other[i:i + size]), None)
    for i, (x, y) in enumerate(zip(numbers(dtype, one), numbers(dtype, other))):
        if x != y and not (x != x and y != y) and not abs(x - y) <= BOUNDS[dtype] * max(abs(x), 1):
            return i
    return None


class Twice:
    """Instead of Program.run."""

    def __init__(self, titan, warps, folder):
        self.titan, self.warps, self.folder, self.kernels = titan, warps, pathlib.Path(folder), {}
        self.read, self.run = simulation.Program.__init__, simulation.Program.run

    def call(self, *command):
        done = subprocess.run([self.titan, *map(str, command)], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"titan {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")

    def kernel(self, text):
        if text not in self.kernels:
            path = self.folder / f"{len(self.kernels)}.ttir"
            path.write_text(text)
            self.call("compile", path, "--num-warps", self.warps, "--check=off", "--emit=titan", "-o", path.with_suffix(".mlir"))
            self.call("compile", path, "--num-warps", self.warps, "--check=off", "--emit=ptx", "-o", path.with_suffix(".ptx"))
            self.kernels[text] = path.with_suffix(".mlir")
        return self.kernels[text]

    def install(self):
        twice = self

        def read_text(program, text):
            program.text = text if isinstance(text, str) else text.decode()
            twice.read(program, text)

        def run_both(program, name, grid, arguments, regions=()):
            kernel = twice.kernel(program.text)
            signature = kernel.read_text()
            flags, outs = [], []
            rest = iter(arguments)
            for argument in rest:
                if isinstance(argument, simulation.Scalar):
                    kind = re.search(rf"%{argument.name}: (\w+)", signature)[1]
                    flags += ["--scalar", f"{argument.name}={scalar(kind, argument.bits)}"]
                    continue
                tensor = argument.value
                if isinstance(argument, simulation.Descriptor):
                    tensor, rank = tensor.base, len(tensor.shape)
                    for kind in ("size", "stride"):
                        for d in range(rank):
                            flags += ["--scalar", f"{argument.name}_{kind}_{d}={scalar('i64', next(rest).bits)}"]
                dtype = str(tensor.dtype)
                path = twice.folder / f"{argument.name}.npy"
                data = (simulation.c.c_char * (tensor.numel() * tensor.element_size())).from_address(tensor.data_ptr())
                write(path, dtype, bytes(data))
                flags += ["--shape", f"{argument.name}={tensor.numel()}", "--arg", f"{argument.name}={path}",
                          "--out", f"{argument.name}={path}.out"]
                outs.append((argument.name, dtype, data, path))
            # Memory that the program finds by addresses, of the elements that it takes them for.
            kinds = set(re.findall(r"tt\.int_to_ptr .* -> !tt\.ptr<(\w+)>", program.text))
            for region in regions if kinds else ():
                kind, = kinds
                dtype, address = NAMES.get(kind, kind), hex(region.address)
                path = twice.folder / f"{address}.npy"
                data = (simulation.c.c_char * region.nbytes).from_address(region.address)
                write(path, dtype, bytes(data))
                flags += ["--memory", f"{address}={path}", "--out", f"{address}={path}.out"]
                outs.append((f"memory at {address}", dtype, data, path))
            for axis, count in zip("xyz", grid):
                if f"%grid_{axis}: i32" in signature:
                    flags += ["--scalar", f"grid_{axis}={count}"]
            twice.call("run", kernel, "--kernel", name, *flags)
            twice.run(program, name, grid, arguments, regions)
            for what, dtype, data, path in outs:
                place = same(dtype, bytes(data), read(pathlib.Path(f"{path}.out")))
                if place is not None:
                    sys.exit(f"{name}: {what}[{place}] is another one in titan IR")
            print(f"{name}: the kernel leaves the same")

        simulation.Program.__init__, simulation.Program.run = read_text, run_both


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("titan")
    parser.add_argument("--num-warps", default="4")
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Twice(options.titan, options.num_warps, folder).install()
        for program in options.programs:
            sys.argv, sys.path[0] = [program], os.path.dirname(program)
            runpy.run_path(program, run_name="__main__")


main()
