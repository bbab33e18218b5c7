"""What python/titan asks by built-in calls: numbers for kinds of tensors, by DLPack's exchange of functions and without it, and
launches that follow each other, on a driver that runs on the CPU."""
import ctypes as c
import sys
import types

import titan
from stand_ins import cuda, new_capsule

cuda.cuCtxSetCurrent(c.c_void_p(1))


class Tensor:
    """As much as is asked of PyTorch's."""

    def __init__(self, shape, strides, dtype="bf16", device=0):
        self.shape, self.strides, self.dtype, self.device = shape, strides, dtype, device

    dim = lambda self: len(self.shape)
    stride = lambda self: self.strides
    get_device = lambda self: self.device
    data_ptr = lambda self: self.address
    address = 0


class Parameter(Tensor):
    pass


def torch(tensor):
    titan._torch = None
    sys.modules["torch"] = types.SimpleNamespace(
        Tensor=tensor, nn=types.SimpleNamespace(Parameter=Parameter), is_grad_enabled=None,
        _C=types.SimpleNamespace(_len_torch_dispatch_stack=None), compiler=types.SimpleNamespace(is_compiling=None),
        cuda=types.SimpleNamespace(current_device=None, current_stream=None, device=None))
    return titan.torch_now().kind


def numbers(kind, tensor):
    a = lambda: tensor((5, 8), (8, 1))
    first = kind(a(), None)
    print("the same:", kind(a(), None) == first == kind(Tensor((5, 8), (8, 1)), None))
    others = [kind(a()), kind(None, a()), kind(a(), a()), kind(Tensor((5, 8), (16, 1)), None), kind(Tensor((8, 5), (8, 1)), None),
              kind(Tensor((5, 8), (8, 1), "f16"), None), kind(Tensor((5, 8), (8, 1), device=1), None),
              kind(Tensor((5,), (8,)), Tensor((1,), (1,)))]
    print("others:", len({first, *others}) == len(others) + 1)
    deep = Tensor((1,) * 9, (1,) * 9)
    print("too deep:", kind(deep) != kind(deep))
    many = [kind(Tensor((n,), (1,))) for n in range(20000)]  # More than are remembered.
    print("many:", len(set(many)) == len(many), kind(a(), None) not in many)
    plain, derived = titan.torch_now().plain_kind, type("Derived", (tensor,), {})
    print("plain:", plain(a(), None) == kind(a(), None), plain(Parameter((5, 8), (8, 1)), None) == plain(a(), None),
          plain(a(), derived((5, 8), (8, 1))), plain(5), plain() > 0)


print("tensors alone")
numbers(torch(Tensor), Tensor)


class Exchanging(Tensor):
    calls = 0


def look(tensor, out):
    Exchanging.calls += 1
    if tensor.dtype == "none":
        return -1
    tensor.kept = [(c.c_int64 * len(tensor.shape))(*numbers) for numbers in (tensor.shape, tensor.strides)]
    code = {"bf16": 4, "f16": 2}[tensor.dtype]
    out[0] = titan._DLTensor(0, 2, tensor.device, len(tensor.shape), code, 16, 1, *tensor.kept, 0)
    return 0


LOOK = c.PYFUNCTYPE(c.c_int, c.py_object, c.POINTER(titan._DLTensor))
function = LOOK(look)
table = (c.c_uint64 * 7)(1 | 3 << 32, 0, 0, 0, 0, c.cast(function, c.c_void_p).value, 0)
Exchanging.__dlpack_c_exchange_api__ = new_capsule(c.addressof(table), b"dlpack_exchange_api", None)
print("DLPack's exchange")
kind = torch(Exchanging)
numbers(kind, Exchanging)
print("asked:", Exchanging.calls > 20000)
strange = Tensor((5, 8), (8, 1), "none")
print("no type:", kind(strange) != kind(strange))
table[0] = 2  # Another major version says nothing.
Exchanging.calls = 0
torch(Exchanging)(Tensor((5, 8), (8, 1)))
print("version 2:", Exchanging.calls)

del sys.modules["torch"]
titan._torch, titan._torch_types = None, ()
copy = titan.load(sys.argv[1])
memory = [(c.c_uint16 * 128)(*(first + i for i in range(128))) for first in (0, 1000, 2000)]
at = [c.addressof(m) + -c.addressof(m) % 16 for m in memory]
read = lambda address: list((c.c_uint16 * 40).from_address(address))
matrix = ((5, 8), (8, 1), 4, None)
# D = A, and 8 bytes behind E, which begins at a multiple of 8: D again.
both = titan.Prepared(copy, [matrix, matrix], [0, 1])
both.add(copy, [matrix, matrix], [1, (2, 16)])
both.launch(at)
print("both:", read(at[1]) == read(at[0]), read(at[2] + 16) == read(at[0]), len(both.kernels))


def refused(what, call):
    try:
        print(what, call())
    except (titan.Error, OverflowError, TypeError) as error:
        print(f"{what}: {type(error).__name__}: {getattr(error, 'code', '')}")


c.memset(at[1], 0, 80)
second = titan.Prepared(copy, [matrix, matrix], [0, 1])
second.add(copy, [matrix, matrix], [2, 0])
refused("the second", lambda: second.launch([*at[:2], at[2] + 2]))
print("the first:", read(at[1]) == read(at[0]))
# By the tensors whose kind was asked for, or that are looked at once more; nothing at an address that is none.
kind = torch(Tensor)
tensors = [Tensor((5, 8), (8, 1)) for _ in at]
for tensor, address in zip(tensors, at):
    tensor.address = address
for last in (tensors, tensors[:1]):
    kind(*last)
    c.memset(at[1], 0, 80)
    c.memset(at[2], 0, 80)
    titan.check(both.start(3, *tensors, 0))
    print("tensors:", read(at[1]) == read(at[0]), read(at[2] + 16) == read(at[0]))
refused("no tensor", lambda: both.start(3, *tensors[:2], "", 0))
refused("none", lambda: titan.check(second.start(3, *tensors[:2], None, 0)))
del sys.modules["torch"]
titan._torch, titan._torch_types = None, ()
refused("too few", lambda: both.launch(at[:2]))
refused("negative", lambda: both.launch([-1, *at[1:]]))
refused("no number", lambda: both.launch([None, *at[1:]]))
refused("too many", lambda: both.launch(range(1, 80)))
refused("no stream", lambda: titan.check(both.start(0)))
refused("no count", lambda: titan.check(both.start()))
refused("devices", lambda: both.add(copy, [(*matrix[:3], 0), (*matrix[:3], 1)], [0, 1]))
