"""Memory for Triton programs without PyTorch: titan.array, titan.empty, titan.zeros.

    x = titan.array(numpy.random.rand(1000).astype("float32"))
    y = titan.empty(1000, "float32")          # nobody has written it, and a simulated launch knows
    kernel[(1,)](x, y, 1000, BLOCK=1024)
    y.numpy()                                 # the same memory

Under TITAN=compile the memory is pinned, and a GPU's launches see it. An Array has what Triton asks of a tensor: data_ptr(), dtype, shape, stride(). Its memory begins at a
multiple of 256 bytes, as a GPU's does. numpy is needed for numpy() alone; what has a buffer (array.array,
memoryview) is taken, too. Elements that numpy does not have (bfloat16, the 8-bit floats) are given and
shown as unsigned integers of their width.
"""
import ctypes as c
import itertools
import struct
import weakref

from . import Error
from .backend import mode

__all__ = ["Array", "array", "empty", "zeros"]

# How struct calls the elements; None: as unsigned integers.
_FORMATS = {"bool": "?", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i",
            "uint32": "I", "int64": "q", "uint64": "Q", "float16": "e", "float32": "f",
            "float64": "d", "bfloat16": None, "float8_e4m3fn": None, "float8_e5m2": None}
_BY_FORMAT = {f: name for name, f in _FORMATS.items() if f} | {"l": "int64", "L": "uint64"}
ALIGNMENT = 256


class DType:
    """An element type; str() is the name that PyTorch and numpy have for it."""

    def __init__(self, name):
        if name not in _FORMATS:
            raise Error("bad-argument", f"no element type {name!r}", fix=f"one of {', '.join(_FORMATS)}")
        self.name = name
        self.is_floating_point = "float" in name
        self.itemsize = (struct.calcsize(_FORMATS[name]) if _FORMATS[name] else
                         2 if name == "bfloat16" else 1)
        self.format = _FORMATS[name] or {1: "B", 2: "H"}[self.itemsize]

    def __repr__(self):
        return self.name

    def __eq__(self, other):
        try:
            return _dtype(other).name == self.name
        except Error:
            return False

    def __hash__(self):
        return hash(self.name)


# Triton's names of the types (tl.float32 prints as fp32), and numpy's short ones.
_NAMES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64", "int1": "bool", "bool_": "bool",
          "fp8e4nv": "float8_e4m3fn", "fp8e5": "float8_e5m2", "?": "bool", "b1": "bool", "f2": "float16", "f4": "float32",
          "f8": "float64"} | {f"{letter}{size}": f"{word}{8 * size}" for letter, word in (("i", "int"), ("u", "uint"))
                              for size in (1, 2, 4, 8)}


def _dtype(of):
    """An element type by its name, PyTorch's, Triton's or numpy's: "float32", torch.float32, tl.float32, numpy.float32,
    numpy.dtype("float32"), "f4"."""
    if type(of) is DType:
        return of
    name = of.__name__ if isinstance(of, type) else str(of)
    name = name.split(".")[-1].lstrip("<=|")
    return DType(_NAMES.get(name, name))


# Memory whose address a program has taken: kernels may load addresses.
addressed = weakref.WeakValueDictionary()


class Storage:
    """Aligned memory; `seed`: what nobody has written holds the simulator's bytes of that seed, and `written` has a byte
    for each that says whether a launch has written it. `shared`: others may write it, too."""
    seeds = itertools.count(1)

    def __init__(self, nbytes):
        if mode() == "compile":
            from .cuda import HostMemory
            self._memory = HostMemory(nbytes + ALIGNMENT)
            first = self._memory.address
        else:
            self._memory = c.create_string_buffer(nbytes + ALIGNMENT)
            first = c.addressof(self._memory)
        self.address = -(-first // ALIGNMENT) * ALIGNMENT
        self.nbytes, self.seed, self.written, self.shared = nbytes, None, None, False

    def poison(self):
        if mode() == "compile":
            return
        from . import simulation
        self.seed, self.written = next(Storage.seeds), c.create_string_buffer(max(1, self.nbytes))
        simulation.poison(self.address, self.nbytes, self.seed)

    def write_all(self):
        """The host has written all of it."""
        self.seed = self.written = None


class Array:
    """A tensor in memory of the host. Slices are views."""

    def __init__(self, storage, dtype, shape, strides=None, offset=0):
        self.storage, self.dtype, self.offset = storage, dtype, offset
        self.shape = tuple(shape)
        if strides is None:
            strides, size = [], 1
            for extent in reversed(self.shape):
                strides.insert(0, size)
                size *= extent
        self.strides = tuple(strides)
        self.device = "cpu"

    def data_ptr(self):
        addressed[self.storage.address] = self.storage
        return self.storage.address + self.offset * self.dtype.itemsize

    def stride(self, dim=None):
        return self.strides if dim is None else self.strides[dim]

    def numel(self):
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    @property
    def ndim(self):
        return len(self.shape)

    def element_size(self):
        return self.dtype.itemsize

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        if len(index) > len(self.shape):
            raise IndexError(f"{len(index)} indices of an array of {len(self.shape)} dimensions")
        for at in index:
            if not isinstance(at, slice) and not hasattr(at, "__index__"):
                raise TypeError(f"an index is a number or a slice, not {at!r}: take x.numpy() for others")
            if isinstance(at, slice) and at.step is not None and at.step < 0:
                raise ValueError("the step of a slice is not negative: no tensor has such strides")
        shape, strides, offset = [], [], self.offset
        for d, extent in enumerate(self.shape):
            at = index[d] if d < len(index) else slice(None)
            if isinstance(at, slice):
                first, last, step = at.indices(extent)
                shape.append(max(0, -(-(last - first) // step)))
                strides.append(self.strides[d] * step)
                offset += first * self.strides[d]
            else:
                at = at.__index__()
                if not -extent <= at < extent:
                    raise IndexError(f"index {at} of a dimension of size {extent}")
                offset += at % extent * self.strides[d]
        return Array(self.storage, self.dtype, shape, strides, offset)

    @property
    def T(self):
        return Array(self.storage, self.dtype, self.shape[::-1], self.strides[::-1], self.offset)

    @property
    def __array_interface__(self):
        self.storage.shared = True
        size = self.dtype.itemsize
        kind = ("b" if self.dtype.name == "bool" else "i" if self.dtype.name.startswith("int") else
                "f" if self.dtype.format in "efd" else "u")
        return {"version": 3, "shape": self.shape, "typestr": f"<{kind}{size}".replace("<b1", "|b1"),
                "data": (self.data_ptr(), False),
                "strides": tuple(s * size for s in self.strides)}

    def numpy(self):
        """The same memory as a numpy array."""
        import numpy
        return numpy.asarray(self)

    def tolist(self):
        """The elements as nested lists of Python numbers."""
        def read(shape, strides, at):
            if not shape:
                size = self.dtype.itemsize
                return struct.unpack("<" + self.dtype.format, c.string_at(at, size))[0]
            return [read(shape[1:], strides[1:], at + i * strides[0] * self.dtype.itemsize)
                    for i in range(shape[0])]
        return read(self.shape, self.strides, self.data_ptr())

    def _same(self):
        if self.storage.nbytes != self.numel() * self.dtype.itemsize:
            raise TypeError("only of a whole array, not of a view")

    def zero_(self):
        self._same()
        c.memset(self.storage.address, 0, self.storage.nbytes)
        self.storage.write_all()
        return self

    def clone(self):
        self._same()
        result = Array(Storage(self.storage.nbytes), self.dtype, self.shape)
        return result.copy_(self)

    def copy_(self, other):
        self._same()
        other._same()
        if self.storage.nbytes != other.storage.nbytes:
            raise TypeError("the sizes differ")
        to, of = self.storage, other.storage
        c.memmove(to.address, of.address, to.nbytes)
        to.seed, to.shared = of.seed, of.shared  # What nobody has written remains so.
        to.written = of.written and c.create_string_buffer(of.written.raw, len(of.written))
        return self

    def __repr__(self):
        return f"titan.array(shape={self.shape}, dtype={self.dtype})"


def _shape(shape):
    given = shape
    shape = (shape,) if hasattr(shape, "__index__") else tuple(shape)
    if not all(hasattr(extent, "__index__") and extent.__index__() >= 0 for extent in shape):
        raise Error("bad-argument", f"{given!r} is no shape: a size is a number from 0", fix="titan.empty((64, 128))")
    return tuple(extent.__index__() for extent in shape)


def empty(shape, dtype="float32"):
    """An array that nobody has written: a simulated launch that reads it is told so."""
    result = zeros(shape, dtype)
    result.storage.poison()
    return result


def zeros(shape, dtype="float32"):
    shape, dtype, count = _shape(shape), _dtype(dtype), 1
    for extent in shape:
        count *= extent
    return Array(Storage(count * dtype.itemsize), dtype, shape)


def array(values, dtype=None):
    """A copy of a numpy array, or of whatever has a buffer, in memory of its own. `dtype`: what the
    bits are, where numpy has no such elements."""
    if isinstance(values, Array):
        result = empty(values.shape, values.dtype)
        if values.storage.nbytes == values.numel() * values.dtype.itemsize:
            return result.copy_(values)
        values = values.numpy()
    try:
        view = memoryview(values)
    except TypeError:
        raise Error("bad-argument", f"a {type(values).__name__} has no buffer that says what its elements are",
                    fix='titan.array(numpy.array(values, dtype="float32")), or array.array("f", values)') from None
    name = _BY_FORMAT.get(view.format.lstrip("<=@"))
    if name is None:
        raise TypeError(f"elements of format {view.format!r} have no type here")
    own = _dtype(name if dtype is None else dtype)
    if own.itemsize != view.itemsize:
        raise TypeError(f"{view.itemsize} bytes of an element are no {own}")
    data = view.tobytes()
    result = Array(Storage(len(data)), own, view.shape)
    c.memmove(result.storage.address, data, len(data))
    return result
