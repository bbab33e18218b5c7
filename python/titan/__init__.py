"""TITAN's kernels from Python: packages made by `titan compile`, launched on tensors.

    import titan
    gemm = titan.load("gemm.titanpkg")
    gemm(a, b, out=d)                    # on PyTorch's current stream, if PyTorch is there
    gemm(A=a, B=b, D=d, stream=handle)   # by the kernel's own names; a torch.cuda.Stream, or a CUstream's address

A tensor is anything that speaks DLPack and lies in memory that the GPU sees; nothing is copied, and
nothing is waited for. Scalars are Python numbers. `out` is the argument D, or the last tensor. What a
kernel refuses is an Error with the code, the rule and the fix that the other tools print. titan.ops has
operations for PyTorch.

The runtime's library is that of $TITAN_RUNTIME, the one beside this file, or the system's
libtitan-runtime.so.1. A call loads the code once; capture CUDA graphs after the first, or after load().
"""
import ctypes as c
import operator
import os
import struct
import sys
import threading

__all__ = ["Error", "Kernel", "View", "load"]


class Error(Exception):
    """A refusal: `code` is one of docs/codes.md (`titan explain CODE`)."""

    def __init__(self, code, message, rule="", place="", fix="", text=None):
        self._text = text or f"{message}  [{code}]" + (f"\nfix: {fix}" if fix else "")
        super().__init__(self._text)
        self.code, self.message, self.rule, self.place, self.fix = code, message, rule, place, fix

    def __str__(self):
        return self._text

    def __reduce__(self):
        return type(self), (self.code, self.message, self.rule, self.place, self.fix, str(self))


class _DLTensor(c.Structure):  # dlpack.h; titan_dltensor
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
# PyTorch's names of titan.h's element types.
_TORCH_DTYPES = {"float64": 0, "float32": 1, "float16": 3, "bfloat16": 4, "float8_e4m3fn": 5, "float8_e5m2": 6,
                 "int64": 7, "int32": 8, "int16": 9, "int8": 10}


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
    version = getattr(library, "titan_abi_version", None)
    if version is None:
        raise Error("package-version", f"'{name}' is no library of TITAN's runtime",
                    fix="set TITAN_RUNTIME to libtitan-runtime.so of a build")
    if version() < 4:
        raise Error("package-version", f"the runtime's library '{name}' is older than this package",
                    fix="take both from one build of TITAN")
    for function in ("package_read", "package_parse", "package_kernel", "kernel_load", "kernel_check", "kernel_resources",
                     "sequence_create", "sequence_add"):
        getattr(library, "titan_" + function).restype = c.c_void_p
    for function in ("error_code", "error_message", "error_rule", "error_place", "error_fix",
                     "error_text", "kernel_argument_name", "package_kernel_name"):
        getattr(library, "titan_" + function).restype = c.c_char_p
    library.titan_kernel_argument_count.restype = c.c_size_t
    for function in ("error_release", "package_release", "sequence_release", "python_init"):
        getattr(library, "titan_" + function).restype = None
    return library


_library = None


def _runtime():
    global _library
    if _library is None:
        _library = _open()
    return _library


def check(error):
    """Raises the error at this address, if there is one."""
    if not error:
        return
    library, error = _runtime(), c.c_void_p(error)
    # Of damaged packages and odd paths not all bytes are UTF-8's.
    part = lambda name: (getattr(library, "titan_error_" + name)(error) or b"").decode(errors="backslashreplace")
    raised = Error(part("code"), part("message"), part("rule"), part("place"), part("fix"),
                   part("text").rstrip())
    library.titan_error_release(error)
    raise raised


class _MethodDef(c.Structure):  # PyMethodDef
    _fields_ = [("name", c.c_char_p), ("function", c.c_void_p), ("flags", c.c_int), ("doc", c.c_char_p)]


class _Python(c.Structure):  # titan_python
    _names = ("PyLong_AsUnsignedLongLong", "PyLong_AsVoidPtr", "PyLong_FromVoidPtr", "PyErr_Occurred", "PyErr_Clear",
              "PyEval_SaveThread", "PyEval_RestoreThread", "PyObject_Type", "Py_DecRef")
    _fields_ = [(name, c.c_void_p) for name in ("none", *_names, "tensor", "parameter", "look")]


_definitions = {}
_new_builtin = c.pythonapi.PyCFunction_NewEx
_new_builtin.restype, _new_builtin.argtypes = c.py_object, [c.c_void_p, c.py_object, c.py_object]


def _builtin(name, self=0, keeps=None):
    """A function of titan_python.h as a built-in one, which costs a tenth of a call through ctypes; `self`: an address; `keeps`:
    what has to live as long as it."""
    if name not in _definitions:
        if not _definitions:
            _hand_over()
        function = c.cast(getattr(_runtime(), "titan_python_" + name), c.c_void_p)
        _definitions[name] = _MethodDef(name.encode(), function, 0x80, None)  # METH_FASTCALL
    return _new_builtin(c.addressof(_definitions[name]), self, keeps)


def _hand_over(types=(None, None), look=None):
    """Gives the runtime what it needs of Python, and the types of tensors and how to look at one, once PyTorch is there."""
    address = lambda function: c.cast(function, c.c_void_p).value
    functions = [address(getattr(c.pythonapi, name)) for name in _Python._names]
    _runtime().titan_python_init(c.byref(_Python(id(None), *functions, *(type and id(type) for type in types), look)))


_capsule = c.pythonapi.PyCapsule_GetPointer
_capsule.restype, _capsule.argtypes = c.c_void_p, [c.py_object, c.c_char_p]


def _check_device(name, device):
    if device not in _DEVICES:
        raise Error("argument-shape", f"argument '{name}' lies in memory that the GPU does not see "
                                      f"(DLPack device {device})",
                    fix="move it there: tensor.cuda()")


def _no_type(name, what):
    return Error("argument-shape", f"argument '{name}' has an element type that kernels do not have ({what})",
                 fix="convert it to the kernel's element type")


class View:
    """A tensor as a launch sees it: `dims` and `strides` in elements. It keeps what it was made from."""

    def __init__(self, name, value):
        if not hasattr(value, "__dlpack__"):
            from .arrays import Array
            if isinstance(value, Array):
                raise Error("argument-shape", f"argument '{name}' is a tensor that the GPU sees, not {value!r}, which is of Triton's simulated launches",
                            fix="give a PyTorch tensor, say; without a GPU: titan run, of the kernel's text")
            raise Error("argument-shape", f"argument '{name}' is a tensor, not {value!r}",
                        fix="give something that speaks DLPack, a PyTorch tensor say")
        if hasattr(value, "__dlpack_device__"):
            _check_device(name, int(value.__dlpack_device__()[0]))
        try:
            try:
                # -1: no synchronisation; the launch goes to the stream that the tensor is made on.
                capsule = value.__dlpack__(stream=-1)
            except TypeError:
                capsule = value.__dlpack__()
        except (BufferError, RuntimeError) as error:  # It requires a gradient, say.
            raise Error("argument-shape", f"argument '{name}' is not exported: {error}",
                        fix="give a tensor that DLPack can hand over, tensor.detach() say") from None
        tensor = _DLTensor.from_address(_capsule(capsule, b"dltensor"))
        _check_device(name, tensor.device_type)
        self.dtype = _DTYPES.get((tensor.code, tensor.width))
        if self.dtype is None or tensor.lanes != 1:
            raise _no_type(name, f"DLPack {tensor.code}, {tensor.width} bits")
        self.bits = (tensor.data or 0) + tensor.byte_offset
        self._kept = capsule
        self.dims = tuple(tensor.shape[:tensor.ndim])
        if tensor.strides:
            self.strides = tuple(tensor.strides[:tensor.ndim])
        else:
            self.strides, size = (), 1
            for extent in reversed(self.dims):
                self.strides, size = (size,) + self.strides, size * extent

    def t(self):
        """The same elements, the dimensions in reverse."""
        view = object.__new__(View)
        view.__dict__.update(self.__dict__, dims=self.dims[::-1], strides=self.strides[::-1])
        return view


class _Torch:
    """What PyTorch is asked in each launch; its tensors are read without DLPack, some 10 us faster."""

    def __init__(self, torch):
        self.dtypes = {getattr(torch, name): number for name, number in _TORCH_DTYPES.items() if hasattr(torch, name)}
        self.types = (torch.Tensor, torch.nn.Parameter)
        # Whether Dynamo follows the call (without it a trace has a mode: torch.export, strict=False), how many modes are on, and
        # whether gradients are recorded.
        self.tracing = getattr(torch.compiler, "is_dynamo_compiling", None) or torch.compiler.is_compiling
        self.modes, self.grad = torch._C._len_torch_dispatch_stack, torch.is_grad_enabled
        self.current_device = getattr(torch._C, "_cuda_getDevice", None) or torch.cuda.current_device
        self.raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (
            lambda device: torch.cuda.current_stream(device).cuda_stream)
        self.capturing = getattr(torch._C, "_cuda_isCurrentStreamCapturing", None) or (
            lambda: torch.cuda.is_current_stream_capturing())
        self.device = torch.cuda.device
        # DLPack's exchange of functions, since PyTorch 2.10: DLPackExchangeAPI's fifth behind a header of two words.
        look, exchange = None, getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
        if exchange is not None:
            table = (c.c_void_p * 7).from_address(_capsule(exchange, b"dlpack_exchange_api"))
            if c.c_uint32.from_buffer(table).value == 1:  # The major version.
                look = table[5]
        if look is None:
            self._kept = _look_slowly()
            look = c.cast(self._kept, c.c_void_p)
        self.kind, self.plain_kind = _builtin("kind"), _builtin("plain_kind")
        _hand_over(self.types, look)
        # empty(sizes, strides, element type), tuples: a tensor on the current device. Inductor's code makes its own with this, in half
        # the time that new_empty_strided takes.
        self.empty = getattr(getattr(getattr(torch._C, "_dynamo", None), "guards", None), "_empty_strided_cuda", None) or (
            lambda sizes, strides, dtype: torch.empty_strided(sizes, strides, dtype=dtype, device="cuda"))
        self.bytes = lambda size: self.empty((size,), (1,), torch.int8)


_Look = c.PYFUNCTYPE(c.c_int, c.py_object, c.POINTER(_DLTensor))


def _look_slowly():
    """DLPack's dltensor_from_py_object_no_sync for PyTorch without it, as far as titan_python_kind asks."""
    kept, dtypes = threading.local(), {}

    def look(tensor, out):
        try:
            rank = tensor.dim()
            kept.dims, kept.strides = ((c.c_int64 * rank)(*numbers) for numbers in (tensor.shape, tensor.stride()))
            out[0] = _DLTensor(tensor.data_ptr(), 2, tensor.get_device(), rank, dtypes.setdefault(tensor.dtype, len(dtypes)), 0, 1, kept.dims,
                               kept.strides, 0)
            return 0
        except Exception:  # A call from C passes none on. The tensor is looked at once more when its launch is prepared.
            return -1

    return _Look(look)


_torch = None        # a _Torch, once PyTorch was seen
_torch_types = ()


def _find_torch():
    """Whether PyTorch has been imported since."""
    global _torch, _torch_types
    torch = sys.modules.get("torch")
    if _torch or not hasattr(torch, "Tensor"):
        return False
    _torch = _Torch(torch)
    _torch_types = _torch.types
    return True


def torch_now():
    """What PyTorch, which is there, is asked in each launch. Of a _Torch

    kind(tensors...)         a number for their element types, devices, sizes and strides (titan_python_kind): the arguments are
                             PyTorch's tensors, or None, which is not asked again
    plain_kind(tensors...)   the same; 0 where one is neither None nor a plain tensor
    """
    _find_torch()
    return _torch


def see(name, tensor):
    """What look() says of one of PyTorch's tensors."""
    device = tensor.get_device()
    if device < 0:
        raise Error("argument-shape", f"argument '{name}' lies in memory that the GPU does not see", fix="move it there: tensor.cuda()")
    return tensor.shape, tensor.stride(), tensor.dtype, device


def look(name, value, kept):
    """A tensor as (sizes, strides, element type, PyTorch's device or None), hashable, and its address; what has to live
    until the launch is added to `kept`."""
    if type(value) in _torch_types:
        device = value.get_device()
        if device >= 0:
            return (value.shape, value.stride(), value.dtype, device), value.data_ptr()
    elif type(value) is not View and _find_torch():
        return look(name, value, kept)
    view = value if type(value) is View else View(name, value)
    kept.append(view)
    return (view.dims, view.strides, view.dtype, None), view.bits


def dtype_of(seen):
    """titan.h's element type of what look() has found; None if there is none."""
    return seen[2] if seen[3] is None else _torch.dtypes.get(seen[2])


def _size(seen):
    """Bytes of an element of what look() has found."""
    return {0: 8, 1: 4, 3: 2, 4: 2, 5: 1, 6: 1, 7: 8, 8: 4, 9: 2, 10: 1}[dtype_of(seen)]


def _span(dims, steps, size):
    return sum((extent - 1) * step for extent, step in zip(dims, steps)) + size if all(dims) else 0


def span(seen):
    """Bytes from the first element of what look() has found to the end of the last one; of None, 0."""
    if seen is None:
        return 0
    size = _size(seen)
    return _span(seen[0], [stride * size for stride in seen[1]], size)


def repeats(seen):
    """Whether several elements may lie at one place: a tensor that is expanded, say."""
    end = 1
    for stride, extent in sorted((stride, extent) for extent, stride in zip(*seen[:2]) if extent > 1):
        if stride < end:
            return True
        end = stride * extent
    return False


def alternate(seen, at, other, place):
    """Whether tensors whose spans meet have no byte in common all the same, as columns of one matrix, whose rows alternate:
    what look() has found, and its address."""
    both = []
    for (dims, strides, *_), size, address in ((seen, _size(seen), at), (other, _size(other), place)):
        both.append((dims, [stride * size for stride in strides], size, address))
    # Where all that is not within a period steps by whole periods, what counts is where in a period each one lies.
    for period in {step for dims, steps, *_ in both for extent, step in zip(dims, steps) if extent > 1}:
        parts = []
        for dims, steps, size, address in both:
            far = [step for extent, step in zip(dims, steps) if extent > 1 and step >= period]
            near = [(extent, step) for extent, step in zip(dims, steps) if extent > 1 and step < period]
            width = _span(*zip(*near), size) if near else size
            if period > 0 and width <= period and not any(step % period for step in far):
                parts.append((address, width))
        if len(parts) == 2 and (parts[1][0] - parts[0][0]) % period >= parts[0][1] and \
                (parts[0][0] - parts[1][0]) % period >= parts[1][1]:
            return True
    return False


class _Argument(c.Structure):  # titan_argument
    _fields_ = [("is_tensor", c.c_int32), ("dtype", c.c_int32), ("rank", c.c_int32), ("reserved", c.c_int32),
                ("bits", c.c_uint64), ("dims", c.POINTER(c.c_int64)), ("strides", c.POINTER(c.c_int64))]


class _Sequence:
    """A titan_sequence, and the kernels that it launches, which live as long."""

    def __init__(self):
        self.at, self.kernels = c.c_void_p(), []
        check(_runtime().titan_sequence_create(c.byref(self.at)))

    def __del__(self):
        if self.at and _library is not None:
            _library.titan_sequence_release(self.at)


class Prepared:
    """Launches that follow each other, without their addresses and scalars. `looks` has for each argument what look() has
    found, or a scalar's element type; `places` says which of the numbers that launch() is given each one takes: by
    default as many as there are arguments, in their order. A pair is a place and bytes that are added to the address."""

    def __init__(self, kernel, looks, places=None):
        self._sequence, self._device = _Sequence(), None
        self.kernels = self._sequence.kernels
        # start(count, tensors..., numbers..., stream): titan_python_launch, on the current device. What it returns is for check().
        self.start = _builtin("launch", self._sequence.at.value, self._sequence)
        self.add(kernel, looks, range(len(looks)) if places is None else places)

    def add(self, kernel, looks, places):
        """Appends a launch."""
        devices = {look[3] for look in looks if isinstance(look, tuple) and look[3] is not None} | (
            {self._device} - {None})
        if len(devices) > 1:
            raise Error("argument-shape", f"the tensors lie on the devices {sorted(devices)}",
                        fix="move them to one device")
        self._device = devices.pop() if devices else None
        arguments, at = (_Argument * len(looks))(), (c.c_uint32 * len(looks))()
        for i, (name, look, place) in enumerate(zip(kernel.arguments, looks, places)):
            at[i], offset = place if isinstance(place, tuple) else (place, 0)
            if not isinstance(look, tuple):
                arguments[i] = _Argument(0, look)
                continue
            (dims, strides, *_), dtype = look, dtype_of(look)
            if dtype is None:
                raise _no_type(name, str(look[2]))
            rank = len(dims)
            arguments[i] = _Argument(1, dtype, rank, 0, offset, (c.c_int64 * rank)(*dims), (c.c_int64 * rank)(*strides))
        check(_runtime().titan_sequence_add(self._sequence.at, kernel._handle, arguments, at, c.c_size_t(len(looks))))
        self.kernels.append(kernel)

    def launch(self, bits, stream=None):
        """Launches all: on the tensors' device, on PyTorch's current stream unless one is given."""
        device = self._device
        if device is not None:
            stream = _torch.raw_stream(device) if stream is None else _stream(stream)
            if _torch.current_device() != device:
                with _torch.device(device):
                    return check(self.start(0, *bits, stream))
        elif stream is None:
            torch = sys.modules.get("torch")
            stream = (torch.cuda.current_stream().cuda_stream
                      if torch and torch.cuda.is_initialized() else 0)
        else:
            stream = _stream(stream)
        check(self.start(0, *bits, stream))


class Cache(dict):
    """A dictionary that starts again when it is full: sizes may never come again."""

    def __init__(self, most=4096):
        super().__init__()
        self._most = most

    def __setitem__(self, key, value):
        if len(self) >= self._most:
            self.clear()
        super().__setitem__(key, value)


def _stream(stream):
    """The address of a stream: of a CUstream, or of what PyTorch calls one."""
    address = getattr(stream, "cuda_stream", stream)
    try:
        address = -1 if isinstance(address, bool) else operator.index(address)
    except TypeError:
        address = -1
    if not 0 <= address < 1 << 64:
        raise Error("bad-argument", f"stream {stream!r}", fix="give a CUstream's address, or a torch.cuda.Stream")
    return address


def _word(text, code):
    """A path or a name as C takes it."""
    try:
        word = os.fsencode(text)
    except (TypeError, UnicodeEncodeError):
        raise Error("bad-argument", f"{text!r:.80} is no path and no name", fix="give a str") from None
    if b"\0" in word:
        raise Error(code, f"{text!r} has a character 0", fix="leave it out")
    return word


class _Resources(c.Structure):  # titan_resources
    _fields_ = [(name, c.c_int32) for name in ("registers", "local_bytes", "threads", "shared_bytes")]


class Kernel:
    """A kernel of a package, which is a file or bytes; call it to launch it."""

    def __init__(self, package, name=None):
        library = _runtime()
        self._package, self._handle = c.c_void_p(), c.c_void_p()
        if isinstance(package, bytes):
            check(library.titan_package_parse(package, c.c_size_t(len(package)), c.byref(self._package)))
        else:
            check(library.titan_package_read(_word(package, "file-not-found"), c.byref(self._package)))
        check(library.titan_package_kernel(self._package, _word(name, "no-kernel") if name else None,
                                            c.byref(self._handle)))
        count = library.titan_kernel_argument_count(self._handle)
        at = lambda function, i: getattr(library, "titan_kernel_argument_" + function)(
            self._handle, c.c_size_t(i))
        self.arguments = tuple(at("name", i).decode() for i in range(count))
        self._dtypes = [at("dtype", i) for i in range(count)]
        self._ranks = [at("rank", i) for i in range(count)]
        tensors = [n for n, rank in zip(self.arguments, self._ranks) if rank >= 0]
        self._out = "D" if "D" in tensors else tensors[-1] if tensors else None
        self._orders, self._prepared = {}, Cache()

    def __del__(self):
        if getattr(self, "_package", None) and _library is not None:
            _library.titan_package_release(self._package)

    def load(self):
        """Loads the code into the current context: before a graph is captured."""
        check(_runtime().titan_kernel_load(self._handle))

    def resources(self):
        """What the kernel takes: `registers` and `local_bytes` of a thread, `threads` and `shared_bytes` of a CTA.
        Loads it."""
        found = _Resources()
        check(_runtime().titan_kernel_resources(self._handle, c.byref(found)))
        return found

    def _order(self, count, names):
        """For each argument where its value stands among `count` positional ones and those called `names`."""
        given = {}
        for at, name in enumerate(names, count):
            place = self._out if name == "out" and name not in self.arguments else name
            if place not in self.arguments or place in given:
                raise Error("argument-unknown", f"the kernel has no argument '{name}'",
                            fix="it has " + ", ".join(self.arguments))
            given[place] = at
        rest = [name for name in self.arguments if name not in given]
        if count != len(rest):
            what = (f"argument '{rest[count]}' is not given" if count < len(rest) else
                    f"{count + len(given)} arguments for {len(self.arguments)}")
            raise Error("argument-missing", what, fix="give " + ", ".join(self.arguments))
        given.update(zip(rest, range(count)))
        return [given[name] for name in self.arguments]

    def scalar(self, index, value):
        """The bits of a scalar argument."""
        form = _SCALARS.get(self._dtypes[index])
        try:
            whole = None if form in "dfe" else int(value)
            if isinstance(value, str) or whole is not None and whole != value:
                raise ValueError
            packed = struct.pack("<" + form, value if whole is None else whole)
        except (struct.error, OverflowError, TypeError, ValueError):
            raise Error("argument-shape", f"argument '{self.arguments[index]}': {value!r} is no value of the kernel's "
                                          f"scalar", fix="give a number in its range") from None
        return int.from_bytes(packed, "little")

    def __call__(self, *positional, stream=None, **named):
        called = (len(positional), *named)
        order = self._orders.get(called)
        if order is None:
            order = self._orders[called] = self._order(called[0], called[1:])
        given, ranks, looks, bits, kept = positional + tuple(named.values()), self._ranks, [], [], []
        for i, at in enumerate(order):
            if ranks[i] < 0:
                seen, word = self._dtypes[i], self.scalar(i, given[at])
            else:
                seen, word = look(self.arguments[i], given[at], kept)
            looks.append(seen)
            bits.append(word)
        looks = tuple(looks)
        prepared = self._prepared.get(looks)
        if prepared is None:
            prepared = self._prepared[looks] = Prepared(self, looks)
        prepared.launch(bits, stream)


def load(path, kernel=None):
    """The kernel of a package: its only one, or the one called `kernel`."""
    return Kernel(path, kernel)


def __getattr__(name):
    # Memory for Triton programs that run without a GPU; Triton's back end imports this package.
    if name in ("array", "empty", "zeros"):
        from . import arrays
        return getattr(arrays, name)
    if name == "__version__":  # It stands beside this package, in a wheel as in the tree.
        from importlib import metadata
        beside = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        for found in metadata.distributions(name="titan", path=[beside]):
            return found.version
    raise AttributeError(f"module 'titan' has no attribute {name!r}")
