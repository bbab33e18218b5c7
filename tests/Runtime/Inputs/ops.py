"""titan.ops on a driver that runs on the CPU, whose product is a copy of A, and PyTorch's part of it on a stand-in."""
import ctypes as c
import os
import sys
import types

import titan
import titan.ops
from stand_ins import BF16, F32, Checked, Operation, check, cuda, dense, export, refused

cuda.cuCtxSetCurrent(c.c_void_p(1))


class Tensor:
    """A matrix in memory that claims to be a GPU's."""

    def __init__(self, dims, strides=None, kind=BF16, device=2, first=0, address=0):
        self.shape, self.kind, self.device, self.address = dims, kind, device, address
        self.strides = strides or dense(dims)
        self.memory = (c.c_uint16 * 512)(*(first + i for i in range(512)))

    def __dlpack__(self):
        return export(self, self.device, self.address)


if len(sys.argv) > 1:  # With the compiler: generated, compiled once, found again.
    for n in range(2):
        kernel = titan.ops.prepare_gemm((64, 512, 256), epilogue=("alpha", "bias"), activation="relu")
        print(kernel.arguments, kernel is titan.ops.prepare_gemm((64, 512, 256), "bf16", "bf16", "nt",
                                                                 ["alpha", "bias"], "relu"))
        made = os.listdir(os.environ["TITAN_CACHE"])
        print(len(made), made[0].endswith(".titanpkg"))
        titan.ops._kernels.clear()
    refused("compiler's", lambda: titan.ops.prepare_gemm((64, 512, 256), activation="tanh"))
    a, d, w = Tensor((5, 8)), Tensor((5, 8)), Tensor((8, 8), (1, 8))
    refused("terms", lambda: titan.ops.gemm_out(d, a, w, c=Tensor((5, 8)), alpha=0.5, beta=-2.0))
    refused("c itself", lambda: titan.ops.gemm_out(d, a, w, c=d, alpha=0.5, beta=-2.0))
    part = Tensor((5, 8), first=700)
    part.memory, part.address = d.memory, 16  # From d's second row on.
    refused("part of c", lambda: titan.ops.gemm_out(d, a, w, c=part, alpha=0.5, beta=-2.0))
    refused("alpha", lambda: titan.ops.gemm_out(d, a, w, c=d, alpha=1e39, beta=-2.0))
    os.environ["TITAN_COMPILER"] = "/nonexistent/titan"
    refused("no compiler", lambda: titan.ops.prepare_gemm((64, 512, 257)))
    sys.exit()

a, d = Tensor((5, 8)), Tensor((5, 8), first=700)
w = Tensor((8, 8), (1, 8))  # w.t(), as PyTorch keeps weights
print("out:", titan.ops.gemm_out(d, a, w) is d, list(d.memory[:40]) == list(range(40)))
print("nothing:", titan.ops.gemm_out(Tensor((0, 8)), Tensor((0, 8)), w).shape)
refused("sizes", lambda: titan.ops.gemm_out(d, a, Tensor((7, 8))))
refused("gate", lambda: titan.ops.gemm_out(d, a, w, gate=True))
refused("batches", lambda: titan.ops.gemm_out(d, Tensor((2, 5, 8)), w))
refused("batch", lambda: titan.ops.gemm_out(Tensor((2, 5, 4)), Tensor((2, 5, 8)), Tensor((2, 8, 4))))
refused("result", lambda: titan.ops.gemm_out(Tensor((5, 7)), a, w))
refused("strides", lambda: titan.ops.gemm_out(d, Tensor((5, 8), (32, 2)), w))
refused("types", lambda: titan.ops.gemm_out(d, a, Tensor((8, 8), (1, 8), F32)))
refused("host", lambda: titan.ops.gemm_out(d, Tensor((5, 8), device=1), w))
refused("number", lambda: titan.ops.gemm_out(d, 1.5, w))
refused("activation", lambda: titan.ops.gemm_out(d, a, w, activation="tanh"))
refused("launch", lambda: titan.ops.gemm_out(d, a, Tensor((8, 8), (1, 16))))
refused("rows", lambda: titan.ops.gemm_out(d, Tensor((5, 8), (9, 1)), Tensor((8, 8), (1, 9))))  # No compiler.
refused("package", lambda: titan.ops.gemm_out(d, a, Tensor((8, 8))))
for shape in ((8, 8), (8, 0, 8), (8, 8, 8.5), None):
    refused("shape", lambda: titan.ops.prepare_gemm(shape))
# With one: where TMA does not take the rows of A, of D, or an address, threads copy, so many bytes at a time.
refused("d is a", lambda: titan.ops.gemm_out(a, a, w))
wide, left, right = Tensor((5, 16)), Tensor((5, 8), (16, 1)), Tensor((5, 8), (16, 1), address=16)
left.memory = right.memory = wide.memory
refused("columns of one matrix", lambda: titan.ops.gemm_out(left, right, w))
print([wide.memory[16 * row] for row in range(5)])
left.address = 2
refused("columns of both", lambda: titan.ops.gemm_out(right, left, w))
refused("expanded", lambda: titan.ops.gemm_out(Tensor((5, 8), (0, 1)), a, w))
refused("no columns", lambda: titan.ops.gemm_out(d, Tensor((5, 0)), Tensor((0, 8))))
refused("beta", lambda: titan.ops.gemm_out(d, a, w, beta=1e39))
compiled, asked = titan.ops._compiled, []
titan.ops._compiled = lambda options, *_: asked.append(options) or titan.ops._prebuilt(5, "gemm-bf16-nt.titanpkg")
for k, n, address in ((8, 8, 0), (8, 8, 4), (12, 8, 0), (6, 8, 0), (5, 8, 0), (8, 7, 0), (6, 7, 4)):
    asked.clear()
    titan.ops._kernels.clear()
    refused(f"rows of {2 * k} and {2 * n} bytes", lambda: titan.ops.gemm_out(
        Tensor((5, n)), Tensor((5, k), address=address), Tensor((k, n), (1, k))))
    print(*(dict(options)["row-bytes"] for options in asked))
titan.ops._compiled = compiled
sys.modules["torch"] = None  # Whether it is installed or not.
refused("no torch", lambda: titan.ops.gemm(a, w))


class Dispatched(Operation):
    def __call__(self, *arguments):
        print("dispatched")
        return super().__call__(*arguments)


class Torch(Tensor):
    """What is asked of PyTorch's tensors. Those of a GPU are not exported, which is slow."""
    requires_grad = False
    begin = 0  # Elements in front of its first one.
    dtype = type("Type", (), {"itemsize": 2})()
    dim = lambda self: len(self.shape)
    float = lambda self: self
    get_device = lambda self: self.device - 2 if self.device > 1 else -1
    stride = lambda self: self.strides

    def __dlpack__(self):
        assert self.device == 1
        return super().__dlpack__()

    def data_ptr(self):
        return c.addressof(self.memory) + -c.addressof(self.memory) % 16

    def new_empty(self, dims, dtype=None):
        return Torch(dims, first=900, device=self.device)

    def new_zeros(self, dims):
        made = Torch(dims, device=self.device)
        made.memory = (c.c_uint16 * 512)()
        return made

    def narrow(self, dim, start, length):
        part = Torch(tuple(length if d == len(self.shape) + dim else size for d, size in enumerate(self.shape)), self.strides,
                     device=self.device)
        part.memory, part.begin = self.memory, self.begin + start * self.strides[dim]
        return part

    def __getitem__(self, index):
        rows, columns = index
        self.shape = (self.shape[0], columns.stop)
        return self

    @property
    def mT(self):
        turned = Torch(self.shape[::-1], self.strides[::-1], device=self.device)
        turned.memory, turned.begin = self.memory, self.begin
        return turned

    def first(self):
        return (self.data_ptr() - c.addressof(self.memory)) // 2 + self.begin

    def copy_(self, other):
        print("copied to rows", self.strides[0], "apart")
        for row, values in enumerate(other.rows()):
            for column, value in enumerate(values):
                self.memory[self.first() + row * self.strides[0] + column] = value
        return self

    def rows(self):
        return [[self.memory[self.first() + row * self.strides[0] + column * self.strides[1]]
                 for column in range(self.shape[1])] for row in range(self.shape[0])]


class Device:
    def __init__(self, index):
        self.index = index

    def __enter__(self):
        print("on device", self.index)
        self.before, state.device = state.device, self.index

    def __exit__(self, *what):
        state.device = self.before


state = types.SimpleNamespace(compiling=False, modes=0, grad=True, device=0)
sys.modules["torch"] = types.SimpleNamespace(
    Tensor=Torch, nn=types.SimpleNamespace(Parameter=type("Parameter", (Torch,), {})), bfloat16=Torch.dtype,
    empty_strided=lambda dims, strides, dtype, device: Torch(dims, strides, first=900, device=2 + state.device),
    _C=types.SimpleNamespace(_len_torch_dispatch_stack=lambda: state.modes),
    compiler=types.SimpleNamespace(is_compiling=lambda: state.compiling), is_grad_enabled=lambda: state.grad,
    _check=check, library=types.SimpleNamespace(custom_op=Dispatched),
    cuda=types.SimpleNamespace(device=Device, current_device=lambda: state.device, is_initialized=lambda: True,
                               current_stream=lambda device=None: types.SimpleNamespace(cuda_stream=7)))
a, w = Torch((5, 8), first=1), Torch((8, 8), (1, 8))
made = titan.ops.gemm(a, w)
print("gemm:", made.shape, made.rows() == a.rows())
for what, change in (("compiling", dict(compiling=True)), ("mode", dict(modes=1))):
    vars(state).update(change)
    print(what + ":", titan.ops.gemm(a, w).rows() == a.rows())
    vars(state).update(compiling=False, modes=0)
w.requires_grad = True
print("gradient:", titan.ops.gemm(a, w).rows() == a.rows())
state.grad = False
print("none:", titan.ops.gemm(a, w).rows() == a.rows())
print("device 1:", titan.ops.gemm(Torch((5, 8), device=3), Torch((8, 8), (1, 8), device=3)).shape)
refused("two devices", lambda: titan.ops.gemm(a, Torch((8, 8), (1, 8), device=3)))
refused("host", lambda: titan.ops.gemm(Torch((5, 8), device=1), w))
# B's rows 12 apart: refused by the kernel's check where there is no room for a copy, copied where there is.
odd = Torch((8, 8), (1, 12), first=1)
refused("odd out", lambda: titan.ops.gemm_out(made, a, odd))
print("odd:", titan.ops.gemm(a, odd).rows() == a.rows())
# Rows of D of 12 bytes: the first columns of a product of wider ones.
narrow = titan.ops.gemm(a, Torch((8, 6), (1, 8), first=1))
print("narrow:", narrow.shape, narrow.strides, narrow.rows() == [row[:6] for row in a.rows()])
# Of a gate each half of B's columns is made wider. (There is a plain product's package alone, which sees 16 of B and 8 of D.)
titan.ops._compiled = lambda options, *_: titan.ops._prebuilt(5, "gemm-bf16-nt.titanpkg")
refused("gate", lambda: titan.ops.gemm(a, Torch((8, 12), (1, 8), first=1), gate=True))
halves = titan.ops._wider(Torch((2, 12), (1, 2), first=1), 6, 8)
print("halves:", halves.shape, *halves.rows())
refused("bias of a gate", lambda: titan.ops.gemm(a, Torch((8, 12), (1, 8)), bias=Torch((6,), kind=F32), gate=True))
titan.ops._compiled = compiled
refused("vector", lambda: titan.ops.gemm(a, Torch((8,))))
refused("number", lambda: titan.ops.gemm(a, Torch(())))
# Which would be as wide as the wider product, or have zeros behind.
for elements in 7, 3, 1:
    refused(f"bias of {elements}", lambda: titan.ops.gemm(a, Torch((8, 6), (1, 8)), bias=Torch((elements,), kind=F32)))
refused("c", lambda: titan.ops.gemm(a, Torch((8, 6), (1, 8)), c=Torch((5, 7))))
refused("c of no dimensions", lambda: titan.ops.gemm(a, w, c=Torch(())))
fake = Operation.made["titan::gemm"].fake
print("fake:", fake(Torch((5, 8)), Torch((8, 6))).shape, fake(Torch((5, 8)), Torch((8, 6))).strides)
try:
    fake(a, Torch((7, 8)))
except Checked as error:
    print("fake refuses:", error)
try:
    fake(Torch((2, 5, 8)), Torch((3, 8, 8)))
except Checked as error:
    print("fake refuses:", error)
