"""random_products.py TITAN --seed 1 --count 20

Products of random shapes, elements and precisions: what the simulator of tt makes of each is what the kernel of titan IR
does (converted.py), integers bit for bit.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

# Of operands, sums, an input precision, and the bound of the result.
FORMS = [("f32", "f32", "ieee", 1e-5), ("f32", "f32", "tf32x3", 1e-5), ("f32", "f32", "bf16x6", 1e-5), ("f32", "f32", "tf32", 1e-2),
         ("f16", "f32", "ieee", 1e-5), ("bf16", "f32", "ieee", 1e-5), ("f16", "f16", "ieee", 2e-2), ("i8", "i32", "ieee", 0),
         ("f64", "f64", "ieee", 1e-12), ("f8E4M3FN", "f32", "ieee", 1e-5), ("f8E5M2", "f32", "ieee", 1e-5)]


def text(of, to, precision, batch, m, n, k):
    lead = f"{batch}x" if batch else ""
    lines = []

    def load(name, rows, columns, kind):
        """A tensor of what lies at a pointer, 8-bit floats made of f16."""
        count, held = (batch or 1) * rows * columns, "f16" if kind.startswith("f8") else kind
        flat, shape = f"tensor<{count}x", f"tensor<{lead}{rows}x{columns}x"
        lines.extend([f"%{name}_i = tt.make_range {{end = {count} : i32, start = 0 : i32}} : {flat}i32>",
                      f"%{name}_s = tt.splat %{name} : !tt.ptr<{held}> -> {flat}!tt.ptr<{held}>>",
                      f"%{name}_p = tt.addptr %{name}_s, %{name}_i : {flat}!tt.ptr<{held}>>, {flat}i32>"])
        if name == "d":
            lines.extend([f"%{name}_x = tt.reshape %sums : {shape}{kind}> -> {flat}{kind}>",
                          f"tt.store %{name}_p, %{name}_x : {flat}!tt.ptr<{kind}>>"])
            return
        lines.append(f"%{name}_x = tt.load %{name}_p : {flat}!tt.ptr<{held}>>")
        last = "x"
        if held != kind:
            lines.append(f"%{name}_y = tt.fp_to_fp %{name}_x, rounding = rtne : {flat}{held}> -> {flat}{kind}>")
            last = "y"
        lines.append(f"%{name}_z = tt.reshape %{name}_{last} : {flat}{kind}> -> {shape}{kind}>")

    load("a", m, k, of)
    load("b", k, n, of)
    load("c", m, n, to)
    lines.append(f"%sums = tt.dot %a_z, %b_z, %c_z{'' if precision == 'ieee' else ', inputPrecision = ' + precision} : "
                 f"tensor<{lead}{m}x{k}x{of}> * tensor<{lead}{k}x{n}x{of}> -> tensor<{lead}{m}x{n}x{to}>")
    load("d", m, n, to)
    held = "f16" if of.startswith("f8") else of
    arguments = ", ".join(f"%{name}: !tt.ptr<{kind}>" for name, kind in (("a", held), ("b", held), ("c", to), ("d", to)))
    return f"module {{\n  tt.func public @product({arguments}) {{\n    " + "\n    ".join(lines) + "\n    tt.return\n  }\n}\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("titan")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    options = parser.parse_args()
    for seed in range(options.seed, options.seed + options.count):
        r = random.Random(seed)
        of, to, precision, bound = FORMS[seed % len(FORMS)]
        batch = r.choice((0, 0, 2, 4))
        m, n, k = (1 << r.randrange(low, 7) for low in (0, 0, 3))
        while (batch or 1) * m * n * k > 1 << 16:
            k //= 2
        warps = 1 << r.randrange(4)
        data = "ints" if of == "i8" else "random"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "product.ttir"
            path.write_text(text(of, to, precision, batch, m, n, k))
            done = subprocess.run(
                [sys.executable, pathlib.Path(__file__).with_name("converted.py"), options.titan, path, "--num-warps", str(warps),
                 "--bound", str(bound), f"a={(batch or 1) * m * k}:{data}:{seed}", f"b={(batch or 1) * k * n}:{data}:{seed + 1}",
                 f"c={(batch or 1) * m * n}:{data}:{seed + 2}", f"d={(batch or 1) * m * n}:poison"],
                capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"seed {seed}, {warps} warps: {done.stderr}\n{path.read_text()}")
    print(f"seeds {options.seed} to {options.seed + options.count - 1}: {options.count} products")


if __name__ == "__main__":
    main()
