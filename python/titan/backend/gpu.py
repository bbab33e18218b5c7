"""The driver's side of `TITAN=compile`: launches of packages through titan's runtime, on PyTorch's current stream.

Programs may also run on titan.array, without PyTorch: memory of the host that the GPU sees; such a launch is waited for.
"""
import functools
import importlib.util

from .arguments import flatten, signature_of
from .. import Cache, Error, Kernel, Prepared, arrays, cuda
from ..simulation import scalar_bits

I32 = 8                  # titan.h's element type of grid_x, grid_y and grid_z
ANY_EXTENT = 2**31 - 1   # of memory whose size nobody says: what a package takes at most
_SIZES = (8, 4, 4, 2, 2, 1, 1, 8, 4, 2, 1)  # bytes of titan.h's element types


def _extent(name, value, address):
    """Bytes from `address` to the end of a tensor's storage; None: unknown."""
    if hasattr(value, "untyped_storage"):
        if not value.is_cuda and not value.is_pinned():
            raise Error("argument-shape", f"argument '{name}' lies in memory that the GPU does not see ({value.device})",
                        fix="move it there: tensor.cuda()")
        storage = value.untyped_storage()
        return storage.data_ptr() + storage.nbytes() - address
    if isinstance(value, arrays.Array):
        return value.storage.address + value.storage.nbytes - address
    if hasattr(value, "base"):  # triton.runtime.jit.TensorWrapper
        return _extent(name, value.base, address)
    return getattr(value, "nbytes", None)


class Loaded:
    """A kernel in the GPU's memory."""

    def __init__(self, name, package, device):
        self.name, self.kernel, self._prepared = name, Kernel(package), Cache()
        cuda.ensure_context(device)
        self.resources = self.kernel.resources()

    def launch(self, grid, stream, arguments):
        kernel, looks, bits, on_host = self.kernel, [], [], False
        for dtype, (name, kind, value) in zip(kernel._dtypes, arguments):
            if kind != "pointer" and kind != "descriptor":
                looks.append(dtype)
                bits.append(scalar_bits(kind, value))
                continue
            if kind == "descriptor":
                if value.padding != "zero":
                    raise Error("not-supported-yet", f"argument '{name}': a descriptor that is padded with "
                                f"{value.padding}", fix="pad with zeros")
                value = value.base
            if type(value) is int:
                address, extent = value, None
            else:
                address = value.data_ptr()
                extent = _extent(name, value, address)
                on_host |= isinstance(value, arrays.Array)
            looks.append((((ANY_EXTENT if extent is None else extent // _SIZES[dtype]), ), (1, ), dtype, None))
            bits.append(address)
        for axis, count in zip("xyz", grid):
            if f"grid_{axis}" in kernel.arguments[len(arguments):]:
                looks.append(I32)
                bits.append(count)
            elif count != 1:
                raise Error("not-supported-yet", f"kernel '{self.name}': {count} programs along {axis}, and the program does "
                            "not ask which it is", fix=f"launch one program along {axis}")
        looks = tuple(looks)
        prepared = self._prepared.get(looks)
        if prepared is None:
            prepared = self._prepared[looks] = Prepared(kernel, looks)
        prepared.launch(bits, stream)
        if on_host:
            cuda.synchronize(stream)


class Launcher:
    def __init__(self, source, metadata):
        self.signature = signature_of(source)

    def __call__(self, x, y, z, stream, loaded, packed, launch_metadata, enter, leave, *values):
        if enter is not None:
            enter(launch_metadata)
        # A kernel that is not in the store is left out (TITAN_STORE_MISSES=skip).
        if loaded is not None and x * y * z > 0:
            arguments = list(flatten(self.signature, values))
            try:
                loaded.launch((x, y, z), stream, arguments)
            except Error as error:
                if error.code != "driver-error":
                    raise
                cuda.ensure_context(Machine.device())  # Another thread's first launch.
                loaded.launch((x, y, z), stream, arguments)
        if leave is not None:
            leave(launch_metadata)


class Utils:
    """What Triton asks a driver for besides."""

    @staticmethod
    def get_device_properties(device=0):
        return {name: cuda.attribute(number, device) for name, number in cuda.PROPERTIES.items()}

    @staticmethod
    def load_binary(name, package, shared, device):
        """A module, a function, registers and spilled bytes of a thread, most threads of a CTA."""
        if not package:
            return (), None, 32, 0, 1024
        loaded = Loaded(name, package, device)
        return loaded, loaded, loaded.resources.registers, loaded.resources.local_bytes, 1024


@functools.cache
def torch_of_gpus():
    """PyTorch; None without one, or with one for the CPU alone."""
    if importlib.util.find_spec("torch") is None:
        return None
    torch = importlib.import_module("torch")
    return torch if torch.version.cuda or torch.version.hip else None


class Machine:
    """What Triton asks its driver, but for the target."""
    launcher_cls = Launcher

    def __init__(self):
        self.utils = Utils()
        if torch := torch_of_gpus():
            self.get_current_device = torch.cuda.current_device
            self.set_current_device = torch.cuda.set_device
            self.get_current_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (
                lambda device: torch.cuda.current_stream(device).cuda_stream)

    @staticmethod
    def device():
        torch = torch_of_gpus()
        return torch.cuda.current_device() if torch else 0

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device=None):
        return 0

    def get_device_capability(self, device=None):
        at = self.get_current_device() if device is None else device
        return cuda.attribute(cuda.CAPABILITY_MAJOR, at), cuda.attribute(cuda.CAPABILITY_MINOR, at)

    def get_active_torch_device(self):
        return importlib.import_module("torch").device("cuda", self.get_current_device())

    def get_device_interface(self):
        return importlib.import_module("torch").cuda

    def get_benchmarker(self):
        return importlib.import_module("triton.testing").do_bench

    def get_empty_cache_for_benchmark(self):
        # Larger than the L2 cache.
        torch = importlib.import_module("torch")
        return torch.empty(256 << 20, dtype=torch.int8, device="cuda")

    def clear_cache(self, cache):
        cache.zero_()
