"""What of CUDA's driver the Python side asks by itself: a context, a device's properties, memory of the host that GPUs see.

The library is $TITAN_CUDA_LIBRARY or libcuda.so.1, as for the runtime. Errors: no-gpu, driver-error, out-of-memory.
"""
import ctypes as c
import functools
import os

from . import Error

# cuda.h: CU_DEVICE_ATTRIBUTE_...
CAPABILITY_MAJOR, CAPABILITY_MINOR = 75, 76
PROPERTIES = {"max_shared_mem": 97, "max_num_regs": 12, "multiprocessor_count": 16, "warpSize": 10, "sm_clock_rate": 13,
              "mem_clock_rate": 36, "mem_bus_width": 37}


@functools.lru_cache
def _library():
    try:
        library = c.CDLL(os.environ.get("TITAN_CUDA_LIBRARY") or "libcuda.so.1")
    except OSError as error:
        raise Error("no-gpu", f"CUDA's driver: {error}", fix="TITAN=simulate runs the program without a GPU") from None
    if status := library.cuInit(0):
        raise Error("no-gpu", f"CUDA's driver: cuInit ends with {status}", fix="TITAN=simulate runs the program without a GPU")
    return library


def call(name, *arguments):
    if status := getattr(_library(), name)(*arguments):
        raise Error("out-of-memory" if status == 2 else "driver-error", f"CUDA's driver: {name} ends with {status}")


@functools.lru_cache
def device_of(ordinal):
    device = c.c_int()
    call("cuDeviceGet", c.byref(device), ordinal)
    return device


def attribute(number, ordinal=0):
    value = c.c_int()
    call("cuDeviceGetAttribute", c.byref(value), number, device_of(ordinal))
    return value.value


@functools.lru_cache
def _primary(ordinal):
    context = c.c_void_p()
    call("cuDevicePrimaryCtxRetain", c.byref(context), device_of(ordinal))
    return context


def ensure_context(ordinal=0):
    """Makes the device's primary context this thread's current one, if it has none."""
    context = c.c_void_p()
    call("cuCtxGetCurrent", c.byref(context))
    if not context.value:
        call("cuCtxSetCurrent", _primary(ordinal))


class HostMemory:
    """Pinned memory at `address`, which the host and all GPUs see."""

    def __init__(self, nbytes):
        ensure_context()
        place = c.c_void_p()
        call("cuMemHostAlloc", c.byref(place), c.c_size_t(nbytes), 1)  # CU_MEMHOSTALLOC_PORTABLE
        self.address = place.value
        c.memset(self.address, 0, nbytes)

    def __del__(self):
        if getattr(self, "address", None):
            _library().cuMemFreeHost(c.c_void_p(self.address))


def synchronize(stream):
    """Waits for a CUstream."""
    call("cuStreamSynchronize", c.c_void_p(stream))
