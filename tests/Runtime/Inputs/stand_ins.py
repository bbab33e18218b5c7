"""What the tests of the module titan share: a stand-in for what they ask of PyTorch, and how a refusal is printed."""
import ctypes as c
import os

import titan

cuda = c.CDLL(os.environ["TITAN_CUDA_LIBRARY"])  # A driver that runs on the CPU.
new_capsule = c.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = c.py_object, [c.c_void_p, c.c_char_p, c.c_void_p]
BF16, F32 = (4, 16), (2, 32)  # DLPack's code, bits


def dense(shape):
    strides, size = (), 1
    for extent in reversed(shape):
        strides, size = (size,) + strides, size * extent
    return strides


def export(tensor, device=2, offset=0):
    """A DLPack capsule of a tensor with `shape`, `strides` (elements) and `kind`, `offset` bytes into its `memory`, which says it
    lies on `device`."""
    rank = len(tensor.shape)
    dims, strides = (c.c_int64 * rank)(*tensor.shape), (c.c_int64 * rank)(*tensor.strides)
    managed = titan._DLTensor(c.addressof(tensor.memory) + offset, device, 0, rank, *tensor.kind, 1, dims, strides, 0)
    tensor.kept = dims, strides, managed
    return new_capsule(c.addressof(managed), b"dltensor", None)


def refused(what, call):
    try:
        call()
        print(what, "launched")
    except titan.Error as error:
        print(f"{what}: {error.code}: {error.message} / {error.fix}")


class Checked(Exception):
    """What torch._check raises."""


def check(good, message):
    if not good:
        raise Checked(message())


class Operation:
    """torch.library.custom_op; `made` has all, by name."""
    made = {}

    def __init__(self, name, call, mutates_args, schema):
        print(name, mutates_args, schema)
        self.call = call
        Operation.made[name] = self

    def register_fake(self, fake):
        self.fake = fake

    def __call__(self, *arguments):
        return self.call(*arguments)
