"""The module titan on a driver that runs on the CPU: a launch, and what is refused."""
import ctypes as c
import os
import sys

import titan
from stand_ins import cuda, new_capsule, refused



class Tensor:
    """5 x 8 bf16 elements, rows `pitch` apart, in memory that claims to be a GPU's."""

    def __init__(self, pitch=8, device=2, width=16, offset=0):
        self.memory = (c.c_uint16 * (5 * pitch + 16))(*range(5 * pitch + 16))
        self.first = (-c.addressof(self.memory) % 16) // 2
        self.dims, self.strides = (c.c_int64 * 2)(5, 8), (c.c_int64 * 2)(pitch, 1)
        self.managed = titan._DLTensor(
            c.addressof(self.memory) + 2 * self.first + offset, device, 0, 2, 4, width, 1,
            self.dims, self.strides, 0)
        self.pitch = pitch

    def __dlpack__(self):
        return new_capsule(c.addressof(self.managed), b"dltensor", None)

    def elements(self):
        return [self.memory[self.first + r * self.pitch + i] for r in range(5) for i in range(8)]


path = sys.argv[1]
refused("package", lambda: titan.load("/nonexistent.titanpkg"))
refused("bytes of a path", lambda: titan.load(os.fsdecode(b"/nonexistent/\xff.titanpkg")))
refused("character 0", lambda: titan.load(path + "\0.titanpkg"))
refused("no path", lambda: titan.load(None))
refused("kernel", lambda: titan.load(path, "gemm"))
refused("no name", lambda: titan.load(path, 5))
copy = titan.load(path)
print(copy.arguments)
a, d = Tensor(pitch=16), Tensor()
refused("context", lambda: copy(a, d))
cuda.cuCtxSetCurrent(c.c_void_p(1))
copy.load()
copy(a, out=d)
print("copied:", d.elements() == a.elements())
e = Tensor()
copy(D=e, A=a, stream=0)
print("by name:", e.elements() == a.elements())
f, on = Tensor(), type("Stream", (), {"cuda_stream": 0})()
copy(a, f, stream=on)
print("on an object's stream:", f.elements() == a.elements())
class Address(int):
    pass


copy(a, f, stream=Address(0))
refused("stream True", lambda: copy(a, d, stream=True))
refused("stream -1", lambda: copy(a, d, stream=-1))
refused("stream's name", lambda: copy(a, d, stream="default"))
refused("missing", lambda: copy(a))
refused("too many", lambda: copy(a, d, e))
refused("unknown", lambda: copy(a, d, alpha=2))
refused("twice", lambda: copy(A=a, D=d, out=e))
refused("number", lambda: copy(1.5, d))
refused("array", lambda: copy(titan.empty((4, 4)), d))
refused("word", lambda: titan.empty(3, "foo"))
refused("host", lambda: copy(Tensor(device=1), d))
refused("type", lambda: copy(Tensor(width=32), d))
class Bound(Tensor):
    def __dlpack__(self, stream=None):
        raise BufferError("it requires a gradient")


refused("export", lambda: copy(Bound(), d))
refused("stride", lambda: copy(Tensor(pitch=12), d))
refused("address", lambda: copy(Tensor(offset=2), d))
