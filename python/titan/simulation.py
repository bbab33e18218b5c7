"""Triton's kernels on the CPU, checked: libtitan-simulator.so, by ctypes.

    program = Program(ttir_text)
    program.run("add_kernel", (4, 1, 1), [Pointer("x_ptr", x), Scalar("fp32", 0.5), ...])

What goes wrong is a Refused: the code, the Python line, the values of the indices there, which program.
Environment: TITAN_SIMULATOR names the library, TITAN_SCHEDULE who goes on at atomics (eager, lazy,
random:SEED, or several with commas: each is tried from the same memory, and the last one's result stays),
TITAN_THREADS how many threads, TITAN_MAX_STEPS after how many operations a program counts as endless.
"""
import ctypes as c
import functools
import json
import os
import struct
import sys
import threading

from . import Error
from .findings import Refused

__all__ = ["Pointer", "Program", "Refused", "Scalar", "Descriptor", "Launch", "observers", "poison"]


class _Object(c.Structure):  # titan_simulator_object
    _fields_ = [("name", c.c_char_p), ("origin", c.c_int64), ("data", c.c_void_p),
                ("bytes", c.c_uint64), ("poisoned", c.c_int32), ("address", c.c_int32),
                ("seed", c.c_uint64), ("written", c.c_void_p), ("shared", c.c_int32)]


class _Argument(c.Structure):  # titan_simulator_argument
    _fields_ = [("kind", c.c_int32), ("object", c.c_int32), ("offset", c.c_int64),
                ("bits", c.c_uint64), ("rank", c.c_int32), ("nan", c.c_int32),
                ("shape", c.POINTER(c.c_int64)), ("strides", c.POINTER(c.c_int64))]


class _Options(c.Structure):  # titan_simulator_options
    _fields_ = [("grid", c.c_int64 * 3), ("schedule", c.c_char_p), ("threads", c.c_int32),
                ("progress", c.c_int32), ("cancel", c.POINTER(c.c_int32)),
                ("warps", c.c_int32), ("max_steps", c.c_uint64)]


_library = None


def _simulator():
    global _library
    if _library is not None:
        return _library
    here = os.path.dirname(os.path.abspath(__file__))
    given = os.environ.get("TITAN_SIMULATOR")
    places = [given] if given else [os.path.join(here, "libtitan-simulator.so.1"),
              os.path.join(here, "..", "..", "build", "lib", "Simulator", "Triton",
                           "libtitan-simulator.so.1")]
    name = given or next(filter(os.path.exists, places), "libtitan-simulator.so.1")
    try:
        library = c.CDLL(name)
    except OSError as error:
        raise Error("file-not-found", f"the simulator's library: {error}",
                    fix="set TITAN_SIMULATOR to libtitan-simulator.so.1 of a build (build/lib/Simulator/Triton), or take a "
                        "wheel that has it (python/make_wheel.py --simulator)") from None
    library.titan_simulator_read.restype = c.c_void_p
    library.titan_simulator_release.restype = None
    library.titan_simulator_poison.restype = None
    library.titan_simulator_free.restype = None
    library.titan_simulator_codes.restype = c.c_void_p
    _library = library
    return library


@functools.cache
def codes():
    """All codes of refusals."""
    return frozenset(_take(c.c_void_p(_simulator().titan_simulator_codes())))


def poison(address, nbytes, seed):
    """Fills memory with what counts as written by nobody."""
    _simulator().titan_simulator_poison(c.c_void_p(address), c.c_uint64(nbytes), c.c_uint64(seed))


# ---------------------------------------------------------------- memory


class Region:
    """Memory that a launch may touch: a tensor's storage."""

    def __init__(self, address, nbytes, seed=None, owner=None):
        self.address, self.nbytes, self.seed, self.owner = address, nbytes, seed, owner
        # Of titan.empty alone: what launches have written, and whether others may have (arrays.Storage).
        self.written, self.shared = getattr(owner, "written", None), getattr(owner, "shared", True)


def region_of(name, tensor):
    """The storage of a tensor: of titan.array, of PyTorch on the CPU, of whatever has data_ptr and nbytes."""
    storage = getattr(tensor, "storage", None)
    if hasattr(storage, "address"):  # titan.arrays.Storage
        return Region(storage.address, storage.nbytes, storage.seed, storage)
    if hasattr(tensor, "untyped_storage"):
        if str(getattr(tensor, "device", "cpu")).split(":")[0] != "cpu":
            raise Error("argument-shape", f"argument '{name}' lies on {tensor.device}, and a simulated "
                                          f"launch runs on the CPU", fix="move it there: tensor.cpu()")
        storage = tensor.untyped_storage()
        from .backend import tensors
        return Region(storage.data_ptr(), storage.nbytes(), tensors.seed_of(storage), storage)
    base = getattr(tensor, "base", None)  # triton.runtime.jit.TensorWrapper
    if base is not None and hasattr(base, "data_ptr"):
        return region_of(name, base)
    if hasattr(tensor, "nbytes"):
        return Region(tensor.data_ptr(), int(tensor.nbytes), None, tensor)
    raise Error("argument-shape", f"argument '{name}' does not say how much memory it has: {tensor!r}",
                fix="give a PyTorch tensor on the CPU, or titan.array(...)")


# ---------------------------------------------------------------- arguments

_FLOATS = {"fp16": "e", "fp32": "f", "f32": "f", "fp64": "d"}


def scalar_bits(kind, value):
    """The bits of a number as Triton's type `kind` has it."""
    try:
        if kind in _FLOATS:
            return int.from_bytes(struct.pack("<" + _FLOATS[kind], value), "little")
        if kind == "bf16":
            return int.from_bytes(struct.pack("<f", value), "little") >> 16
    except OverflowError:
        raise Error("bad-argument", f"{value!r} is beyond the largest {kind}",
                    fix="float('inf') where infinity is meant") from None
    return int(value) & ((1 << int(kind.lstrip("iu"))) - 1)


class Scalar:
    def __init__(self, name, kind, value):
        self.name, self.bits = name, scalar_bits(kind, value)


class Pointer:
    """A tensor, an address of the host, or None."""

    def __init__(self, name, value):
        self.name, self.value = name, value


class Descriptor:
    """triton.tools.tensor_descriptor.TensorDescriptor"""

    def __init__(self, name, value):
        self.name, self.value = name, value


class Launch:
    """What was simulated: `kernel`, `grid`, `programs`, `operations`, `seconds`, `printed`, `findings`."""

    def __init__(self, kernel, grid, schedule, report):
        self.kernel, self.grid, self.schedule = kernel, tuple(grid), schedule
        for name in ("programs", "operations", "seconds"):
            setattr(self, name, report.get(name, 0))
        self.printed, self.findings = report.get("printed", []), report.get("findings", [])

    def __repr__(self):
        return (f"<{self.kernel}{list(self.grid)}: {self.programs} programs, {self.operations} operations, "
                f"{len(self.findings)} findings>")


# Called with each Launch, before a refusal is raised.
observers = []


def schedules():
    return os.environ.get("TITAN_SCHEDULE", "eager").split(",")


def threads():
    """How many the simulator takes; 0: all."""
    text = os.environ.get("TITAN_THREADS", "0")
    if not text.isdecimal() or int(text) > 0x7FFFFFFF:
        raise Error("bad-argument", f"TITAN_THREADS='{text}' is no number of threads", fix="TITAN_THREADS=4")
    return int(text)


def max_steps():
    """Operations of one program before it is given up as endless; 0: the simulator's 2^33."""
    text = os.environ.get("TITAN_MAX_STEPS", "0")
    if not text.isdecimal() or int(text) >> 64:
        raise Error("bad-argument", f"TITAN_MAX_STEPS='{text}' is no number of operations", fix="TITAN_MAX_STEPS=1000000")
    return int(text)


class Program:
    """TTIR that was read."""

    warps = 4  # of each program of its grid

    def __init__(self, text):
        self._handle, text = None, text if isinstance(text, bytes) else text.encode()
        report = c.c_void_p()
        handle = _simulator().titan_simulator_read(text, c.c_size_t(len(text)), c.byref(report))
        if not handle:
            raise Refused(_take(report)["findings"], "")
        self._handle = c.c_void_p(handle)
        # Numbers may be addresses: in memory, of tensors that are no arguments; from a pointer, for later launches.
        self.takes_addresses = any(word in text for word in (b"tt.int_to_ptr", b"tt.ptr_to_int", b"!tt.ptr<!tt.ptr"))

    def __del__(self):
        if getattr(self, "_handle", None) and _library is not None:
            _library.titan_simulator_release(self._handle)

    def run(self, kernel, grid, arguments, regions=()):
        """Runs the grid; `regions`: memory besides that of the arguments."""
        __tracebackhide__ = True
        objects, fields = [], []
        known = {}

        def place(name, tensor):
            region = region_of(name, tensor)
            at = known.get(region.address)
            offset = tensor.data_ptr() - region.address
            if at is None:
                known[region.address] = at = len(objects)
                objects.append([name, offset, region])
            elif name not in objects[at][0].split("/"):
                objects[at][0] += "/" + name
            return at, offset

        kept = []
        for argument in arguments:
            field = _Argument(object=-1)
            if isinstance(argument, Scalar):
                field.bits = argument.bits
            elif isinstance(argument, Pointer):
                field.kind = 1
                if argument.value is None or isinstance(argument.value, int):
                    field.bits = argument.value or 0
                elif argument.value.data_ptr() or region_of(argument.name, argument.value).nbytes:
                    field.object, field.offset = place(argument.name, argument.value)
            else:
                value, field.kind = argument.value, 2
                field.object, field.offset = place(argument.name, value.base)
                field.rank, field.nan = len(value.shape), value.padding == "nan"
                for name in ("shape", "strides"):
                    numbers = (c.c_int64 * field.rank)(*map(int, getattr(value, name)))
                    kept.append(numbers)
                    setattr(field, name, numbers)
            fields.append(field)
        for region in regions:
            if region.address not in known:
                known[region.address] = len(objects)
                objects.append(["memory at %#x" % region.address, 0, region])
        table = (_Object * max(1, len(objects)))()
        for slot, (name, origin, region) in zip(table, objects):
            slot.name, slot.origin = name.encode(), origin
            slot.data, slot.bytes = region.address, region.nbytes
            slot.address = self.takes_addresses
            slot.poisoned, slot.seed = region.seed is not None, region.seed or 0
            slot.written, slot.shared = region.written and c.addressof(region.written), region.shared
        given = (_Argument * max(1, len(fields)))(*fields)
        chosen = schedules()
        if not _simulator().titan_simulator_takes_turns(self._handle):
            chosen = chosen[:1]
        memory = [one for _, _, region in objects for one in (
            (region.address, region.nbytes), (region.written and c.addressof(region.written), region.nbytes)) if one[0]]
        before = [c.string_at(*one) if len(chosen) > 1 else b"" for one in memory]
        for i, schedule in enumerate(chosen):
            if i:
                for bytes_, (address, _) in zip(before, memory):
                    c.memmove(address, bytes_, len(bytes_))
            report = self._run(kernel, grid, schedule, table, len(objects), given, len(fields))
            launch = Launch(kernel, grid, schedule, report)
            for line in launch.printed:
                print(line)
            for observer in observers:
                observer(launch)
            if launch.findings:
                raise Refused(launch.findings, kernel)

    def _run(self, kernel, grid, schedule, objects, object_count, arguments, argument_count):
        cancel, report, library = c.c_int32(0), c.c_void_p(), _simulator()
        options = _Options((c.c_int64 * 3)(*grid), schedule.encode(),
                           threads(),
                           sys.stderr is not None and sys.stderr.isatty(), c.pointer(cancel), self.warps,
                           max_steps())
        # On a thread, so that Ctrl-C ends it.
        thread = threading.Thread(target=library.titan_simulator_run, args=(
            self._handle, kernel.encode(), objects, c.c_size_t(object_count), arguments,
            c.c_size_t(argument_count), c.byref(options), c.byref(report)))
        thread.start()
        try:
            thread.join()
        except BaseException:
            cancel.value = 1
            thread.join()
            raise
        return _take(report)


def _take(report):
    text = c.string_at(report).decode("utf-8", "replace")
    _simulator().titan_simulator_free(report)
    return json.loads(text)
