"""titan.ops.decode, attention_varlen and gemm_grouped on a stand-in for PyTorch and a driver that computes nothing: what is
launched, and what is refused, by the operations and by the launches of the generated kernels."""
import ctypes as c
import os
import sys
import threading
import types

import titan
import titan.ops
from stand_ins import Checked, Operation, check, cuda, dense, refused

cuda.cuCtxSetCurrent(c.c_void_p(1))


class Tensor:
    """PyTorch's, as far as it is asked; all lie at one address."""
    requires_grad = False
    memory = (c.c_uint8 * (1 << 16))()

    def __init__(self, shape, dtype=None, strides=None):
        self.shape, self.dtype, self.strides, self.device = tuple(shape), dtype or torch.bfloat16, strides or dense(shape), 0

    def float(self):
        return self

    def dim(self):
        return len(self.shape)

    def stride(self, at=None):
        return self.strides if at is None else self.strides[at]

    def cpu(self):
        self.device = -1
        return self

    def get_device(self):
        return self.device

    def data_ptr(self):
        return (c.addressof(self.memory) + 1023) & ~1023

    def transpose(self, a, b):
        order = list(range(len(self.shape)))
        order[a], order[b] = order[b], order[a]
        made = Tensor([self.shape[i] for i in order], self.dtype, tuple(self.strides[i] for i in order))
        made.device = self.device
        return made

    def new_empty(self, shape, dtype=None):
        return Tensor(shape, dtype or self.dtype)

    def new_empty_strided(self, shape, strides):  # The sizes of what there is to be.
        return Tensor(shape, self.dtype, strides)

    @property
    def mT(self):
        return self.transpose(-2, -1)

    def copy_(self, other):
        print("copied to rows", self.stride(-2), "apart")
        return self

    def __getitem__(self, index):  # [..., :columns]
        return Tensor((*self.shape[:-1], index[-1].stop), self.dtype, self.strides)


torch = types.ModuleType("torch")
torch.Tensor, torch.nn, torch._check = Tensor, types.SimpleNamespace(Parameter=Tensor), check


class Type(str):
    itemsize = property({"f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i8": 1}.get)


torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.int8 = map(Type, ("f32", "f16", "bf16", "i32", "i8"))
torch.library = types.SimpleNamespace(custom_op=Operation)
torch.compiler = types.SimpleNamespace(is_compiling=lambda: False)
torch.is_grad_enabled = lambda: True
own = lambda shape, strides, dtype: (asked.append(len(shape) == 1), Tensor(shape, dtype, strides))[1]
torch._C = types.SimpleNamespace(_len_torch_dispatch_stack=lambda: 0,
                                 _dynamo=types.SimpleNamespace(guards=types.SimpleNamespace(_empty_strided_cuda=own)))
torch.cuda = types.SimpleNamespace(
    is_initialized=lambda: True, current_device=lambda: 0, device=None, is_current_stream_capturing=lambda: capturing,
    current_stream=lambda device: types.SimpleNamespace(cuda_stream=stream),
    get_device_properties=lambda device: types.SimpleNamespace(multi_processor_count=132))
torch.empty_like = lambda tensor: Tensor(tensor.shape, tensor.dtype, tensor.strides)
capturing, stream = False, 0
sys.modules["torch"] = torch
decode, varlen = titan.ops.decode, titan.ops.attention_varlen


launched, asked = [], []
real = titan.Prepared.__init__


def prepare(self, *arguments):
    real(self, *arguments)
    start, kernels = self.start, self.kernels
    self.start = lambda *numbers: (launched.extend(kernel.arguments for kernel in kernels), start(*numbers))[1]


titan.Prepared.__init__ = prepare
q, k = Tensor((2, 16, 1, 128)), Tensor((2, 2, 3000, 128))
o = decode(q, k, k)
print("decode:", o.shape, o.strides, launched)
launched.clear()
o, lse = decode(q, k, k, lse=True)
print("again:", lse.shape, len(launched))
launched.clear()
print("attention decodes:", titan.ops.attention(q, k, k).shape, len(launched), "LSE" in launched[0])
pages, table, lengths = Tensor((90, 64, 2, 128)), Tensor((2, 40), "i32"), Tensor((2,), "i32")
launched.clear()
decode(q, pages, pages, causal=True, table=table, lengths=lengths, longest=type("Number", (), {"__index__": lambda self: 2500})())
print("pages:", launched[0])
# Only what one stream's calls ask for, one behind the other, they share.
def asks(call):
    asked.clear()
    call()
    return sum(asked)


eager = lambda: decode(q, k, k)
asks(eager)
print("asks for memory again:", asks(eager), asks(lambda: titan.ops.attention(q, k, k)))
print("for more:", *(asks(lambda: decode(Tensor((4, 16, 1, 128)), more, more)) for more in [Tensor((4, 2, 3000, 128))] * 2), asks(eager))
dispatched = lambda name: Operation.made["titan::" + name].call(q, k, k)
print("dispatched:", *(asks(lambda: dispatched(name)) for name in ("decode", "attention") * 2))
capturing = True
print("captured:", asks(eager), asks(eager))
capturing, stream = False, 4096
print("another stream:", asks(eager), asks(eager))
thread = threading.Thread(target=lambda: (cuda.cuCtxSetCurrent(c.c_void_p(1)), print("another thread:", asks(eager), asks(eager))))
thread.start()
thread.join()
stream = 0
wide = Tensor((64, 16, 64, 128)), Tensor((64, 2, 3000, 128))
print("too much to keep:", *(asks(lambda: decode(wide[0], wide[1], wide[1])) for _ in range(2)))
print("nothing:", decode(Tensor((0, 16, 1, 128)), Tensor((0, 2, 30, 128)), Tensor((0, 2, 30, 128))).shape)
print(titan.ops.decode_package("f16", 64, True, True, 16))
refused("rank", lambda: decode(Tensor((16, 1, 128)), k, k))
refused("rows", lambda: decode(q, Tensor((2, 2, 8, 128), strides=(2048, 1024, 1, 8)), k))
refused("types", lambda: decode(q, k, Tensor((2, 2, 3000, 128), "f16")))
refused("size", lambda: decode(Tensor((2, 16, 1, 96)), k, k))
refused("keys", lambda: decode(q, k, Tensor((2, 2, 2000, 128))))
refused("heads", lambda: decode(Tensor((2, 3, 1, 128)), k, k))
refused("scale", lambda: decode(q, k, k, scale=0))
refused("host", lambda: decode(q, k, Tensor(k.shape).cpu()))
refused("table alone", lambda: decode(q, pages, pages, table=table, longest=2500))
refused("longest", lambda: decode(q, pages, pages, table=table, lengths=lengths))
refused("table", lambda: decode(q, pages, pages, table=Tensor((3, 40), "i32"), lengths=lengths, longest=2500))
refused("no table", lambda: decode(q, pages, pages, table=Tensor((), "i32"), lengths=lengths, longest=2500))
refused("half", lambda: decode(q, pages, pages, table=table, lengths=lengths, longest=2500.5))
parts = titan.ops.prepare_decode()[0]
for value in (2.5, "2", 2**31, 2.0):
    refused(f"scalar {value!r}", lambda: parts.scalar(parts.arguments.index("ctas"), value))
# What the launch itself refuses: 40 pages of 64 keys are fewer than 3000.
refused("long", lambda: decode(q, pages, pages, table=table, lengths=lengths, longest=3000))
print("fake:", Operation.made["titan::decode"].fake(q, k, k, lse=True)[1].shape)

rows, starts = Tensor((700, 16, 128)), Tensor((4,), "i32")
keys = Tensor((900, 2, 128))
launched.clear()
longest = type("Number", (), {"__index__": lambda self: 300})()  # As numpy's are: no int.
o, lse = varlen(rows, keys, keys, starts, starts, longest, causal=True, lse=True)
print("varlen:", o.shape, lse.shape, launched)
refused("varlen rank", lambda: varlen(q, k, k, starts, starts, 300))
refused("varlen starts", lambda: varlen(rows, keys, keys, starts, Tensor((5,), "i32"), 300))
refused("varlen type", lambda: varlen(rows, keys, keys, Tensor((4,), "f32"), starts, 300))
refused("varlen longest", lambda: varlen(rows, keys, keys, starts, starts, 0))
refused("varlen host", lambda: varlen(rows, keys, keys, starts, Tensor((4,), "i32").cpu(), 300))
refused("varlen heads", lambda: varlen(Tensor((700, 3, 128)), keys, keys, starts, starts, 300))
refused("varlen half", lambda: varlen(rows, keys, keys, starts, starts, None))
try:
    Operation.made["titan::attention_varlen"].fake(q, k, k, starts, starts, 300)
except Checked as error:
    print("fake refuses:", error)

a, w, offsets = Tensor((1000, 256)), Tensor((5, 512, 256)), Tensor((6,), "i32")
grouped = titan.ops.gemm_grouped
launched.clear()
print("grouped:", grouped(a, w.mT, offsets).shape, launched)
again = len(os.listdir(os.environ["TITAN_CACHE"]))
grouped(Tensor((1020, 256)), w.mT, offsets)
print("a few more rows:", len(os.listdir(os.environ["TITAN_CACHE"])) - again)
launched.clear()
gate = dict(bias=Tensor((5, 512), "f32"), alpha=0.5, activation="silu", out_dtype=torch.float32, gate=True)
d = grouped(a, w.mT, offsets, **gate)
print("gate:", d.shape, d.dtype, launched)
# Its blocks' maps: of the stream's memory, or the call's own where it is captured or dispatched.
eager = lambda: grouped(a, w.mT, offsets, **gate)
again = asks(eager)
capturing = True
captured = asks(eager)
capturing = False
print("gate asks for memory again:", again, captured, asks(lambda: Operation.made["titan::gemm_grouped"].call(a, w.mT, offsets, **gate)), asks(eager))
before = len(asked)
print("narrow gate:", grouped(a, Tensor((5, 504, 256)).mT, offsets, gate=True).strides, len(asked) - before)
launched.clear()
print("few rows:", grouped(Tensor((40, 256)), w.mT, offsets).shape, launched)
print("no rows:", grouped(Tensor((0, 256)), w.mT, offsets).shape)
print("odd rows:", grouped(Tensor((1000, 256), strides=(260, 1)), w.mT, offsets).shape)
refused("grouped ranks", lambda: grouped(a, Tensor((256, 512)), offsets))
refused("grouped host", lambda: grouped(Tensor((1000, 256)).cpu(), w.mT, offsets))
refused("grouped columns", lambda: grouped(a, w, offsets))
refused("grouped no columns", lambda: grouped(Tensor((1000, 0)), Tensor((5, 0, 512)), offsets))
refused("grouped offsets", lambda: grouped(a, w.mT, Tensor((5,), "i32")))
refused("grouped offsets' type", lambda: grouped(a, w.mT, Tensor((6,), "f32")))
refused("grouped types", lambda: grouped(a, Tensor((5, 256, 512), torch.float16), offsets))
refused("grouped bias", lambda: grouped(a, w.mT, offsets, bias=Tensor((5, 500), "f32")))
refused("grouped activation", lambda: grouped(a, w.mT, offsets, activation="tanh"))
fake = Operation.made["titan::gemm_grouped"].fake
print("grouped fake:", fake(a, w.mT, offsets).shape, fake(a, w.mT, offsets, gate=True).shape)
try:
    fake(a, w, offsets)
except Checked as error:
    print("fake refuses:", error)
