"""Each element of titan.empty is known for unwritten until a launch or the host writes it, at any size."""
import ctypes
import os

import titan
from titan import arrays, simulation

TYPES = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "int8": "i8", "float8_e5m2": "f8E5M2"}


def program(element, body):
    return simulation.Program(f"""module {{
  tt.func public @f(%x: !tt.ptr<{element}>, %y: !tt.ptr<{element}>, %i: i32) {{
    %p = tt.addptr %x, %i : !tt.ptr<{element}>, i32
    %q = tt.addptr %y, %i : !tt.ptr<{element}>, i32
    {body}
    tt.return
  }}
}}""")


def launch(of, x, y, i):
    """The code of what is refused; None."""
    try:
        of.run("f", (1, 1, 1), [simulation.Pointer("x", x), simulation.Pointer("y", y), simulation.Scalar("i", "i32", i)])
    except simulation.Refused as error:
        return error.code
    return None


for name, element in TYPES.items():
    copy = program(element, f"%v = tt.load %p : !tt.ptr<{element}>\n    tt.store %q, %v : !tt.ptr<{element}>")
    for size in (1, 2, 3, 5, 7, 9, 17):
        x, y = titan.empty(size, name), titan.zeros(size, name)
        assert [launch(copy, x, y, i) for i in range(size)] == ["undefined-read"] * size, (name, size)
        for last in range(size):  # One after the other is written, by launches of their own.
            assert launch(copy, y, x, last) is None
            left = [launch(copy, x, y, i) for i in range(size)]
            assert left == [None] * (last + 1) + ["undefined-read"] * (size - last - 1), (name, size, last, left)
        # What the copy has, and what the host writes.
        x = titan.empty(size, name)
        assert launch(copy, x.clone(), y, size - 1) == "undefined-read"
        assert launch(copy, titan.empty(size, name).copy_(y), y, size - 1) is None
        assert launch(copy, x.zero_(), y, size - 1) is None
        x = titan.empty(size, name)
        ctypes.memset(x.__array_interface__["data"][0], 0, x.storage.nbytes)
        assert [launch(copy, x, y, i) for i in range(size)] == [None] * size, (name, size)
        # A value that is the poison, by a launch: it is written. (Of the host, fewer than 4 bytes are.)
        x, z = titan.empty(size, name), titan.zeros(size, name)
        ctypes.memmove(z.data_ptr(), x.data_ptr(), x.storage.nbytes)
        for i in range(size):
            assert launch(copy, z, x, i) is None and launch(copy, x, y, i) is None, (name, size, i)

# Of several schedules each begins with the same memory, and the same of it unwritten.
add = program("f32", "%c = arith.constant 1.0 : f32\n    %t = arith.constant true\n"
              "    %v = tt.atomic_rmw fadd, relaxed, gpu, %p, %c, %t : (!tt.ptr<f32>, f32, i1) -> f32")
os.environ["TITAN_SCHEDULE"] = "eager,lazy"
seen = []
simulation.observers.append(lambda each: seen.append(bool(each.findings)))
assert launch(add, titan.empty(1), titan.zeros(1), 0) == "undefined-read"
counter = titan.zeros(1)
assert launch(add, counter, titan.zeros(1), 0) is None and counter.tolist() == [1.0]
assert seen == [True, False, False], seen

# Shapes and types.
for shape in (-1, (3, -2), (-2, -3), (0, -1), (2.5,), "ab"):
    try:
        titan.empty(shape)
        assert False, shape
    except titan.Error as error:
        assert error.code == "bad-argument" and error.fix, shape
for same in ("f4", "<f4", "float32", type("float32", (), {}), arrays.DType("float32"), "tl.float32", "fp32"):
    assert titan.empty(3, same).dtype == "float32" and titan.empty(3).dtype == same, same
try:
    titan.array([1, 2, 3])
    assert False
except titan.Error as error:
    assert error.code == "bad-argument" and "list" in str(error) and "numpy.array" in error.fix
x = titan.array(memoryview(bytes(range(12))).cast("B", (3, 4)))
assert titan.array(x).tolist() == x.tolist() and x[1:, 2].tolist() == [6, 10]
for index in (..., None, [0], "a", slice(None, None, -1), (0, 0, 0)):
    try:
        x[index]
        assert False, index
    except (TypeError, ValueError, IndexError):
        pass
print("unwritten: as it is to be")
