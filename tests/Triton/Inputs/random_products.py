"""random_products.py TITAN --seed 1 --count 20 [--lines K]

Products of random shapes, elements and precisions: what the simulator of tt makes of each is what plain Python does, and
the kernel of titan IR (converted.py), integers bit for bit.
"""
import argparse
import bisect
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

# Of operands, sums, an input precision, and the bound of the result.
FORMS = [("f32", "f32", "f32", "ieee", 1e-5), ("f32", "f32", "f32", "tf32x3", 1e-5), ("f32", "f32", "f32", "bf16x6", 1e-5),
         ("f32", "f32", "f32", "tf32", 1e-2), ("f16", "f16", "f32", "ieee", 1e-5), ("bf16", "bf16", "f32", "ieee", 1e-5),
         ("f16", "f16", "f16", "ieee", 2e-2), ("i8", "i8", "i32", "ieee", 0), ("f64", "f64", "f64", "ieee", 1e-12),
         ("f8E4M3FN", "f8E4M3FN", "f32", "ieee", 1e-5), ("f8E5M2", "f8E5M2", "f32", "ieee", 1e-5),
         # Triton's language mixes 8-bit floats alone, its IR any of one width.
         ("f8E4M3FN", "f8E5M2", "f32", "ieee", 1e-5), ("f8E5M2", "f8E4M3FN", "f16", "ieee", 2e-2), ("f16", "bf16", "f32", "ieee", 1e-5)]
FORMATS = {"f16": ("<f2", "e"), "f32": ("<f4", "f"), "f64": ("<f8", "d"), "i8": ("|i1", "b"), "i32": ("<i4", "i")}


def held(kind):
    """Memory has f16 where an operand is of 8-bit floats."""
    return "f16" if kind.startswith("f8") else kind


def magnitudes(exponent, mantissa, count):
    """The first `count` numbers of a format, from 0 on, in the order of their bits."""
    ones, least = 1 << mantissa, 2 - (1 << exponent - 1)
    return [(i % ones + (ones if i >= ones else 0)) * 2.0**(max(i // ones - 1, 0) + least - mantissa) for i in range(count)]


EIGHT = {"f8E4M3FN": magnitudes(4, 3, 0x7f), "f8E5M2": magnitudes(5, 2, 0x7c)}


def to_eight(x, kind):
    """The nearest, the even one of two; all are smaller than the format's largest."""
    table = EIGHT[kind]
    above = bisect.bisect_left(table, abs(x))
    up = table[above] - abs(x) if above else 0.0
    down = abs(x) - table[above - 1] if above else 1.0
    size = table[above if up < down or (up == down and above % 2 == 0) else above - 1]
    return size if x >= 0 else -size


def numbers(r, kind, count, path):
    """Random ones, in a file, too."""
    if kind[0] == "i":
        values = [r.randrange(-8, 9) for _ in range(count)]
    else:
        values = [r.uniform(-1, 1) for _ in range(count)]
    if kind == "bf16":
        bits = [struct.unpack("<I", struct.pack("<f", x))[0] >> 16 for x in values]
        values = [struct.unpack("<f", struct.pack("<I", x << 16))[0] for x in bits]
        save(path, "<u2", struct.pack(f"<{count}H", *bits))
        return values
    descr, code = FORMATS[held(kind)]
    data = struct.pack(f"<{count}{code}", *values)
    save(path, descr, data)
    values = struct.unpack(f"<{count}{code}", data)
    return [to_eight(x, kind) for x in values] if kind in EIGHT else values


def save(path, descr, data):
    count = len(data) // int(descr[2:])
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({count},), }}".ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data)


def product(a, b, c, batch, m, n, k):
    d = []
    for one in range(batch or 1):
        columns = [b[one * k * n + j:(one + 1) * k * n:n] for j in range(n)]
        for i in range(m):
            row = a[(one * m + i) * k:(one * m + i + 1) * k]
            d += [sum(map(lambda x, y: x * y, row, column)) for column in columns]
    return [x + y for x, y in zip(d, c)]


def text(left, right, to, precision, batch, m, n, k):
    lead = f"{batch}x" if batch else ""
    lines = []

    def load(name, rows, columns, kind):
        """A tensor of what lies at a pointer, 8-bit floats made of f16."""
        count, memory = (batch or 1) * rows * columns, held(kind)
        flat, shape = f"tensor<{count}x", f"tensor<{lead}{rows}x{columns}x"
        lines.extend([f"%{name}_i = tt.make_range {{end = {count} : i32, start = 0 : i32}} : {flat}i32>",
                      f"%{name}_s = tt.splat %{name} : !tt.ptr<{memory}> -> {flat}!tt.ptr<{memory}>>",
                      f"%{name}_p = tt.addptr %{name}_s, %{name}_i : {flat}!tt.ptr<{memory}>>, {flat}i32>"])
        if name == "d":
            lines.extend([f"%{name}_x = tt.reshape %sums : {shape}{kind}> -> {flat}{kind}>",
                          f"tt.store %{name}_p, %{name}_x : {flat}!tt.ptr<{kind}>>"])
            return
        lines.append(f"%{name}_x = tt.load %{name}_p : {flat}!tt.ptr<{memory}>>")
        last = "x"
        if memory != kind:
            lines.append(f"%{name}_y = tt.fp_to_fp %{name}_x, rounding = rtne : {flat}{memory}> -> {flat}{kind}>")
            last = "y"
        lines.append(f"%{name}_z = tt.reshape %{name}_{last} : {flat}{kind}> -> {shape}{kind}>")

    load("a", m, k, left)
    load("b", k, n, right)
    load("c", m, n, to)
    lines.append(f"%sums = tt.dot %a_z, %b_z, %c_z{'' if precision == 'ieee' else ', inputPrecision = ' + precision} : "
                 f"tensor<{lead}{m}x{k}x{left}> * tensor<{lead}{k}x{n}x{right}> -> tensor<{lead}{m}x{n}x{to}>")
    load("d", m, n, to)
    kinds = (("a", held(left)), ("b", held(right)), ("c", to), ("d", to))
    arguments = ", ".join(f"%{name}: !tt.ptr<{kind}>" for name, kind in kinds)
    return f"module {{\n  tt.func public @product({arguments}) {{\n    " + "\n    ".join(lines) + "\n    tt.return\n  }\n}\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("titan")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--lines", type=int)
    options = parser.parse_args()
    for seed in range(options.seed, options.seed + options.count):
        r = random.Random(seed)
        left, right, to, precision, bound = FORMS[seed % len(FORMS)]
        batch = r.choice((0, 0, 2, 4))
        m, n, k = (1 << r.randrange(low, 7) for low in (0, 0, 3))
        k = options.lines or k
        while (batch or 1) * m * n * k > 1 << 16:
            if options.lines:
                m, n = max(m // 2, 1), max(n // 2, 1)
            else:
                k //= 2
        warps = 1 << r.randrange(4)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            shape, extents = (batch, m, n, k), {"a": m * k, "b": k * n, "c": m * n}
            values = [numbers(r, kind, (batch or 1) * extents[name], path / f"{name}.npy")
                      for name, kind in (("a", left), ("b", right), ("c", to))]
            descr, code = FORMATS[to]
            expected = product(*values, *shape)
            save(path / "d.npy", descr, struct.pack(f"<{len(expected)}{code}", *expected))
            text_path = path / "product.ttir"
            text_path.write_text(text(left, right, to, precision, *shape))
            done = subprocess.run(
                [sys.executable, pathlib.Path(__file__).with_name("converted.py"), options.titan, text_path, "--num-warps", str(warps),
                 "--bound", str(bound), "--expected", f"d={path}/d.npy", f"d={len(expected)}:poison",
                 *(f"{name}={(batch or 1) * extent}:{path}/{name}.npy" for name, extent in extents.items())],
                capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"seed {seed}, {warps} warps: {done.stderr}\n{text_path.read_text()}")
    print(f"seeds {options.seed} to {options.seed + options.count - 1}: {options.count} products")


if __name__ == "__main__":
    main()
