"""TITAN's kernels from Python: packages made by `titan compile`, launched on tensors.

    import titan
    gemm = titan.load("gemm.titanpkg")
    gemm(a, b, out=d)                    # on PyTorch's current stream, if PyTorch is there
    gemm(A=a, B=b, D=d, stream=handle)   # by the kernel's own names; a CUstream's address

A tensor is anything that speaks DLPack and lies in memory that the GPU sees; nothing is copied, and
nothing is waited for. Scalars are Python numbers. `out` is the argument D, or the last tensor. What a
kernel refuses is an Error with the code, the rule and the fix that the other tools print. titan.ops has
operations for PyTorch.

The runtime's library is that of $TITAN_RUNTIME, the one beside this file, or the system's
libtitan-runtime.so.1. A call loads the code once; capture CUDA graphs after the first, or after load().
"""
import ctypes as c
import os
import struct
import sys

__all__ = ["Error", "Kernel", "View", "load"]


class Error(Exception):
    """A refusal: `code` is one of docs/codes.md (`titan explain CODE`)."""

    def __init__(self, code, message, rule="", place="", fix="", text=None):
        super().__init__(text or f"{message}  [{code}]" + (f"\nfix: {fix}" if fix else ""))
        self.code, self.message, self.rule, self.place, self.fix = code, message, rule, place, fix


class _Argument(c.Structure):  # titan_argument
    _fields_ = [("is_tensor", c.c_int32), ("dtype", c.c_int32), ("rank", c.c_int32),
                ("reserved", c.c_int32), ("bits", c.c_uint64),
                ("dims", c.POINTER(c.c_int64)), ("strides", c.POINTER(c.c_int64))]


class _DLTensor(c.Structure):  # dlpack.h
    _fields_ = [("data", c.c_void_p), ("device_type", c.c_int32), ("device_id", c.c_int32),
                ("ndim", c.c_int32), ("code", c.c_uint8), ("width", c.c_uint8),
                ("lanes", c.c_uint16), ("shape", c.POINTER(c.c_int64)),
                ("strides", c.POINTER(c.c_int64)), ("byte_offset", c.c_uint64)]


# DLPack's (code, bits) to titan.h's element types.
_DTYPES = {(2, 64): 0, (2, 32): 1, (2, 16): 3, (4, 16): 4, (10, 8): 5, (12, 8): 6,
           (0, 64): 7, (0, 32): 8, (0, 16): 9, (0, 8): 10}
# Memory that a GPU sees: CUDA, pinned by CUDA, managed by CUDA.
_DEVICES = (2, 3, 13)
# How a scalar of titan.h's element types is packed.
_SCALARS = {0: "d", 1: "f", 3: "e", 7: "q", 8: "i", 9: "h", 10: "b"}


def _open():
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libtitan-runtime.so.1")
    name = os.environ.get("TITAN_RUNTIME") or (
        beside if os.path.exists(beside) else "libtitan-runtime.so.1")
    try:
        library = c.CDLL(name)
    except OSError as error:
        raise Error("file-not-found", f"the runtime's library: {error}",
                    fix="set TITAN_RUNTIME to libtitan-runtime.so of a build "
                        "(cmake --preset runtime-only)") from None
    for function in ("package_read", "package_kernel", "kernel_load", "kernel_launch",
                     "kernel_check"):
        getattr(library, "titan_" + function).restype = c.c_void_p
    for function in ("error_code", "error_message", "error_rule", "error_place", "error_fix",
                     "error_text", "kernel_argument_name", "package_kernel_name"):
        getattr(library, "titan_" + function).restype = c.c_char_p
    library.titan_kernel_argument_count.restype = c.c_size_t
    library.titan_error_release.restype = None
    library.titan_package_release.restype = None
    return library


_library = None


def _runtime():
    global _library
    if _library is None:
        _library = _open()
    return _library


def _check(error):
    if not error:
        return
    library, error = _runtime(), c.c_void_p(error)
    part = lambda name: (getattr(library, "titan_error_" + name)(error) or b"").decode()
    raised = Error(part("code"), part("message"), part("rule"), part("place"), part("fix"),
                   part("text").rstrip())
    library.titan_error_release(error)
    raise raised


_capsule = c.pythonapi.PyCapsule_GetPointer
_capsule.restype, _capsule.argtypes = c.c_void_p, [c.py_object, c.c_char_p]


def _check_device(name, device):
    if device not in _DEVICES:
        raise Error("argument-shape", f"argument '{name}' lies in memory that the GPU does not see "
                                      f"(DLPack device {device})",
                    fix="move it there: tensor.cuda()")


def _fill_tensor(slot, name, value):
    """Reads a tensor through DLPack; what is returned has to live until the launch."""
    if hasattr(value, "__dlpack_device__"):
        _check_device(name, int(value.__dlpack_device__()[0]))
    try:
        # -1: no synchronisation; the launch goes to the stream that the tensor is made on.
        capsule = value.__dlpack__(stream=-1)
    except TypeError:
        capsule = value.__dlpack__()
    tensor = _DLTensor.from_address(_capsule(capsule, b"dltensor"))
    _check_device(name, tensor.device_type)
    dtype = _DTYPES.get((tensor.code, tensor.width))
    if dtype is None or tensor.lanes != 1:
        raise Error("argument-shape", f"argument '{name}' has an element type that kernels do not "
                                      f"have (DLPack {tensor.code}, {tensor.width} bits)",
                    fix="convert it to the kernel's element type")
    slot.is_tensor, slot.dtype, slot.rank = 1, dtype, tensor.ndim
    slot.bits = (tensor.data or 0) + tensor.byte_offset
    slot.dims, slot.strides = tensor.shape, tensor.strides
    return capsule


def _fill_scalar(slot, name, value, dtype):
    form = _SCALARS.get(dtype)
    try:
        packed = struct.pack("<" + form, value if form in "dfe" else int(value))
    except (struct.error, OverflowError, TypeError, ValueError):
        raise Error("argument-shape", f"argument '{name}': {value!r} is no value of the kernel's "
                                      f"scalar", fix="give a number in its range") from None
    slot.dtype = dtype
    slot.bits = int.from_bytes(packed, "little")


class View:
    """A tensor as a launch sees it: `dims` and `strides` in elements. It keeps what it was made from."""

    def __init__(self, name, value):
        if not hasattr(value, "__dlpack__"):
            raise Error("argument-shape", f"argument '{name}' is a tensor, not {value!r}",
                        fix="give something that speaks DLPack, a PyTorch tensor say")
        slot = _Argument()
        self._kept = _fill_tensor(slot, name, value)
        self.dtype, self.bits, rank = slot.dtype, slot.bits, slot.rank
        self.dims = tuple(slot.dims[:rank])
        if slot.strides:
            self.strides = tuple(slot.strides[:rank])
        else:
            self.strides, size = (), 1
            for extent in reversed(self.dims):
                self.strides, size = (size,) + self.strides, size * extent

    def t(self):
        """The same elements, the dimensions in reverse."""
        view = object.__new__(View)
        view.__dict__.update(self.__dict__, dims=self.dims[::-1], strides=self.strides[::-1])
        return view

    def _fill(self, slot):
        rank = len(self.dims)
        slot.is_tensor, slot.dtype, slot.rank, slot.bits = 1, self.dtype, rank, self.bits
        slot.dims, slot.strides = (c.c_int64 * rank)(*self.dims), (c.c_int64 * rank)(*self.strides)


class Kernel:
    """A kernel of a package; call it to launch it."""

    def __init__(self, path, name=None):
        library = _runtime()
        self._package, self._handle = c.c_void_p(), c.c_void_p()
        _check(library.titan_package_read(os.fsencode(path), c.byref(self._package)))
        _check(library.titan_package_kernel(self._package, name.encode() if name else None,
                                            c.byref(self._handle)))
        count = library.titan_kernel_argument_count(self._handle)
        at = lambda function, i: getattr(library, "titan_kernel_argument_" + function)(
            self._handle, c.c_size_t(i))
        self.arguments = tuple(at("name", i).decode() for i in range(count))
        self._dtypes = [at("dtype", i) for i in range(count)]
        self._ranks = [at("rank", i) for i in range(count)]
        tensors = [n for n, rank in zip(self.arguments, self._ranks) if rank >= 0]
        self._out = "D" if "D" in tensors else tensors[-1] if tensors else None

    def __del__(self):
        if getattr(self, "_package", None) and _library is not None:
            _library.titan_package_release(self._package)

    def load(self):
        """Loads the code into the current context: before a graph is captured."""
        _check(_runtime().titan_kernel_load(self._handle))

    def _bind(self, positional, named):
        given = {}
        for name, value in named.items():
            place = self._out if name == "out" and name not in self.arguments else name
            if place not in self.arguments or place in given:
                raise Error("argument-unknown", f"the kernel has no argument '{name}'",
                            fix="it has " + ", ".join(self.arguments))
            given[place] = value
        rest = [name for name in self.arguments if name not in given]
        if len(positional) != len(rest):
            what = (f"argument '{rest[len(positional)]}' is not given"
                    if len(positional) < len(rest) else
                    f"{len(positional) + len(given)} arguments for {len(self.arguments)}")
            raise Error("argument-missing", what, fix="give " + ", ".join(self.arguments))
        given.update(zip(rest, positional))
        return given

    def __call__(self, *positional, stream=None, **named):
        given = self._bind(positional, named)
        slots, kept = (_Argument * len(self.arguments))(), []
        for slot, name, dtype, rank in zip(slots, self.arguments, self._dtypes, self._ranks):
            value = given[name]
            if rank < 0:
                _fill_scalar(slot, name, value, dtype)
            elif isinstance(value, View):
                value._fill(slot)
            elif hasattr(value, "__dlpack__"):
                kept.append(_fill_tensor(slot, name, value))
            else:
                raise Error("argument-shape", f"argument '{name}' is a tensor, not {value!r}",
                            fix="give something that speaks DLPack, a PyTorch tensor say")
        if stream is None:
            torch = sys.modules.get("torch")
            stream = (torch.cuda.current_stream().cuda_stream
                      if torch and torch.cuda.is_initialized() else None)
        _check(_runtime().titan_kernel_launch(self._handle, slots, c.c_size_t(len(slots)),
                                              c.c_void_p(stream)))


def load(path, kernel=None):
    """The kernel of a package: its only one, or the one called `kernel`."""
    return Kernel(path, kernel)
