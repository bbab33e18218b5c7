"""titan.ops.attention on a driver that runs on the CPU, whose kernel copies Q, and PyTorch's part of it on a stand-in."""
import ctypes as c
import os
import sys
import types

import titan
import titan.ops
from stand_ins import BF16, F32, Checked, Operation, check, cuda, export, refused

cuda.cuCtxSetCurrent(c.c_void_p(1))


class Tensor:
    """Batch x heads x tokens x size in memory that claims to be a GPU's, a token's heads side by side."""

    def __init__(self, dims, strides=None, kind=BF16, first=0):
        self.shape, self.kind = dims, kind
        if strides is None and len(dims) == 4:
            _, heads, tokens, size = dims
            strides = (tokens * heads * size, size, heads * size, 1)
        self.strides = strides or (1,) * len(dims)
        self.memory = (c.c_uint16 * 1024)(*(first + i for i in range(1024)))

    def dim(self):
        return len(self.shape)

    def __dlpack__(self):
        return export(self)


if len(sys.argv) > 1:  # With the compiler: generated, compiled once, found again.
    for _ in range(2):
        # Lengths a little apart are one kind; much longer ones, too, where the model picks the same for them.
        kernel = titan.ops.prepare_attention((1, 16000, 16000, 8, 2), "f16", 64, causal=True, window=True, lse=True)
        print(kernel.arguments, *(kernel is titan.ops.prepare_attention((1, n, n, 8, 2), "f16", 64, True, True, True)
                                  for n in (16001, 32000)),
              len(os.listdir(os.environ["TITAN_CACHE"])), len(titan.attention._kernels))
        titan.attention._kernels.clear()
        titan.attention._packages.clear()
    sys.exit()

out = titan.ops.attention_out
q, k, o = Tensor((1, 1, 5, 64)), Tensor((1, 1, 7, 64)), Tensor((1, 1, 5, 64), first=5000)
print("out:", out(o, q, k, k) is o, list(o.memory[:320]) == list(range(320)))
print("nothing:", out(Tensor((1, 1, 0, 64)), Tensor((1, 1, 0, 64)), k, k).shape)
print(titan.ops.attention_package("f16", 128, causal=True, lse=True))
refused("rank", lambda: out(o, Tensor((5, 64), (64, 1)), k, k))
refused("rows", lambda: out(o, Tensor((1, 1, 5, 64), (320, 320, 1, 5)), k, k))
refused("types", lambda: out(o, q, Tensor((1, 1, 7, 64), kind=F32), k))
refused("size", lambda: out(Tensor((1, 1, 5, 96)), Tensor((1, 1, 5, 96)), k, k))
refused("values", lambda: out(o, q, k, Tensor((1, 1, 8, 64))))
refused("result", lambda: out(Tensor((1, 1, 6, 64)), q, k, k))
refused("heads", lambda: out(Tensor((1, 3, 2, 64)), Tensor((1, 3, 2, 64)), Tensor((1, 2, 2, 64)), Tensor((1, 2, 2, 64))))
refused("keys", lambda: out(o, q, Tensor((1, 1, 0, 64)), Tensor((1, 1, 0, 64))))
refused("lse", lambda: out(o, q, k, k, lse=Tensor((1, 5, 1))))
refused("scale", lambda: out(o, q, k, k, scale=0.0))
refused("small scale", lambda: out(o, q, k, k, scale=1e-60))
refused("large scale", lambda: out(o, q, k, k, scale=1e39))
refused("o is q", lambda: out(q, q, k, k))
refused("expanded", lambda: out(Tensor((1, 1, 5, 64), (0, 0, 0, 1)), q, k, k))
refused("window", lambda: out(o, q, k, k, window=-1))
refused("part of a key", lambda: out(o, q, k, k, window=1.5))
refused("shape", lambda: titan.ops.prepare_attention((1, 5, 7)))
refused("package", lambda: out(o, q, k, k, causal=True))
sys.modules["torch"] = None  # Whether it is installed or not.
refused("no torch", lambda: titan.ops.attention(q, k, k))


Tensor.new_empty = lambda self, dims, dtype=BF16: Tensor(dims, (1,) * len(dims), kind=dtype)
Tensor.new_empty_strided = lambda self, dims, strides: Tensor(dims, strides)
Tensor.dtype, Tensor.stride = property(lambda self: self.kind), lambda self: self.strides
Tensor.get_device, Tensor.data_ptr = lambda self: 0, lambda self: c.addressof(self.memory)
stand_in = types.ModuleType("torch")
stand_in.float32, stand_in.bfloat16, stand_in._check = F32, BF16, check
stand_in.empty_strided = lambda dims, strides, dtype, device: Tensor(dims, strides, dtype)
stand_in.library = types.SimpleNamespace(custom_op=Operation)
stand_in.cuda = types.SimpleNamespace(is_initialized=lambda: False, current_device=lambda: 0, device=None,
                                      current_stream=lambda device: types.SimpleNamespace(cuda_stream=0))
stand_in.Tensor, stand_in.nn = type("Tensor", (), {}), types.SimpleNamespace(Parameter=type("Parameter", (), {}))
stand_in.compiler = types.SimpleNamespace(is_compiling=lambda: False)
stand_in._C, stand_in.is_grad_enabled = types.SimpleNamespace(_len_torch_dispatch_stack=lambda: 0), lambda: True
sys.modules["torch"] = stand_in
call = titan.attention._register()
operation = Operation.made["titan::attention"]
made = call(q, k, k, False, None, None, False)  # A tensor of a type of its own: through the dispatcher.
print("attention:", made[0].shape, list(made[0].memory[:320]) == list(range(320)), made[1].shape)
again = Tensor((1, 1, 5, 64), first=9)  # Of the same kind: its own address, scale and result.
made = call(again, k, k, False, 0.5, None, False)
print("again:", list(made[0].memory[:320]) == list(range(9, 329)))
refused("scale", lambda: call(q, k, k, False, 0.0, None, False))
refused("size", lambda: call(Tensor((1, 1, 5, 96)), Tensor((1, 1, 7, 96)), Tensor((1, 1, 7, 96)), False, None, None, False))
refused("key of two dimensions", lambda: call(q, Tensor((7, 64)), Tensor((7, 64)), False, None, None, False))
none = Tensor((1, 1, 0, 64))
print("nothing:", call(none, k, k, False, None, None, True)[1].shape)
print("fake:", operation.fake(q, k, k, lse=True)[0].shape, operation.fake(q, k, k, lse=True)[1].shape)
try:
    operation.fake(q, Tensor((1, 1, 7, 32)), k)
except Checked as error:
    print("fake refuses:", error)
