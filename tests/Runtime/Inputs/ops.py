"""titan.ops on a driver that runs on the CPU, whose product is a copy of A, and PyTorch's part of it on a stand-in."""
import ctypes as c
import os
import sys
import types

import titan
import titan.ops

cuda = c.CDLL(os.environ["TITAN_CUDA_LIBRARY"])
cuda.cuCtxSetCurrent(c.c_void_p(1))
new_capsule = c.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = c.py_object, [c.c_void_p, c.c_char_p, c.c_void_p]
BF16, F32 = (4, 16), (2, 32)


class Tensor:
    """A matrix in memory that claims to be a GPU's."""

    def __init__(self, dims, strides=None, kind=BF16, device=2, first=0):
        self.shape, self.kind, self.device = dims, kind, device
        self.strides = strides or (dims[1], 1)
        self.memory = (c.c_uint16 * 512)(*(first + i for i in range(512)))

    def __dlpack__(self):
        dims, strides = (c.c_int64 * 2)(*self.shape), (c.c_int64 * 2)(*self.strides)
        self.kept = dims, strides, titan._DLTensor(c.addressof(self.memory), self.device, 0, 2, *self.kind, 1, dims,
                                                   strides, 0)
        return new_capsule(c.addressof(self.kept[2]), b"dltensor", None)

    # What the operation asks of PyTorch's tensors.
    dim = lambda self: len(self.shape)
    dtype = types.SimpleNamespace(itemsize=2)

    def new_empty(self, dims, dtype):
        return Tensor(dims, first=900)

    def __getitem__(self, index):
        rows, columns = index
        self.shape = (self.shape[0], columns.stop)
        return self


def refused(what, call):
    try:
        call()
        print(what, "launched")
    except titan.Error as error:
        print(f"{what}: {error.code}: {error.message} / {error.fix}")


if len(sys.argv) > 1:  # With the compiler: generated, compiled once, found again.
    for n in range(2):
        kernel = titan.ops.prepare_gemm((64, 512, 256), epilogue=("alpha", "bias"), activation="relu")
        print(kernel.arguments, kernel is titan.ops.prepare_gemm((64, 512, 256), "bf16", "bf16", "nt",
                                                                 ["alpha", "bias"], "relu"))
        made = os.listdir(os.environ["TITAN_CACHE"])
        print(len(made), made[0].endswith(".titanpkg"))
        titan.ops._kernels.clear()
    refused("compiler's", lambda: titan.ops.prepare_gemm((64, 512, 256), activation="tanh"))
    os.environ["TITAN"] = "/nonexistent/titan"
    refused("no compiler", lambda: titan.ops.prepare_gemm((64, 512, 257)))
    sys.exit()

a, d = Tensor((5, 8)), Tensor((5, 8), first=700)
w = Tensor((8, 8), (1, 8))  # w.t(), as PyTorch keeps weights
print("out:", titan.ops.gemm_out(d, a, w) is d, list(d.memory[:40]) == list(range(40)))
print("nothing:", titan.ops.gemm_out(Tensor((0, 8)), Tensor((0, 8)), w).shape)
refused("sizes", lambda: titan.ops.gemm_out(d, a, Tensor((7, 8))))
refused("result", lambda: titan.ops.gemm_out(Tensor((5, 7)), a, w))
refused("strides", lambda: titan.ops.gemm_out(d, Tensor((5, 8), (32, 2)), w))
refused("types", lambda: titan.ops.gemm_out(d, a, Tensor((8, 8), (1, 8), F32)))
refused("host", lambda: titan.ops.gemm_out(d, Tensor((5, 8), device=1), w))
refused("number", lambda: titan.ops.gemm_out(d, 1.5, w))
refused("activation", lambda: titan.ops.gemm_out(d, a, w, activation="tanh"))
refused("launch", lambda: titan.ops.gemm_out(d, a, Tensor((8, 8), (1, 16))))
refused("package", lambda: titan.ops.gemm_out(d, a, Tensor((8, 8))))
sys.modules["torch"] = None  # Whether it is installed or not.
refused("no torch", lambda: titan.ops.gemm(a, w))


class Checked(Exception):
    pass


def check(good, message):
    if not good:
        raise Checked(message())


class Operation:
    def __init__(self, name, call, mutates_args, schema):
        print(name, mutates_args, schema)
        self.call = call

    def register_fake(self, fake):
        self.fake = fake

    def __call__(self, *arguments):
        return self.call(*arguments)


class Device:
    def __init__(self, tensor):
        self.tensor = tensor

    def __enter__(self):
        print("on the device of a")

    def __exit__(self, *what):
        pass


sys.modules["torch"] = types.SimpleNamespace(
    _check=check, library=types.SimpleNamespace(custom_op=Operation),
    cuda=types.SimpleNamespace(device_of=Device, is_initialized=lambda: False))
made = titan.ops.gemm(a, w)
print("gemm:", made.shape, list(made.memory[:40]) == list(range(40)))
fake = titan.ops._operation.fake
print("fake:", fake(Tensor((5, 8)), Tensor((8, 6))).shape, fake(Tensor((5, 8)), Tensor((8, 6))).strides)
try:
    fake(a, Tensor((7, 8)))
except Checked as error:
    print("fake refuses:", error)
