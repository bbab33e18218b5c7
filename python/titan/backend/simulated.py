"""The driver's side of `TITAN=simulate`: an H200 in name, and launches into the simulator.

Autotuning takes the first configuration that compiles; triton.testing.do_bench calls its function once, and
yields the time that the simulation took: no GPU's time is known here.
"""
import importlib
import importlib.util
import time

from . import mode, tensors
from .arguments import flatten, signature_of
from .compiler import CAPABILITY
from .. import Error, simulation

# An H200's, for programs that size their grids by them.
PROPERTIES = {"max_shared_mem": 232448, "max_num_regs": 65536, "multiprocessor_count": 132, "warpSize": 32,
              "sm_clock_rate": 1980000, "mem_clock_rate": 3201000, "mem_bus_width": 6144}

if mode() == "simulate":
    tensors.activate(PROPERTIES, CAPABILITY)


class Utils:
    """What Triton asks a driver for besides."""

    @staticmethod
    def get_device_properties(device=0):
        return dict(PROPERTIES)

    @staticmethod
    def load_binary(name, kernel, shared, device):
        """The program, where others have a module and a function; registers, spills, threads."""
        program = simulation.Program(kernel)
        return program, program, 32, 0, 1024


class _Tuning:
    """Whether a configuration is being tried, and whether one was found."""
    trying = found = False


def _argument(name, kind, value):
    if kind == "pointer":
        return simulation.Pointer(name, value)
    if kind == "descriptor":
        return simulation.Descriptor(name, value)
    return simulation.Scalar(name, kind, value)


class Launcher:
    def __init__(self, source, metadata):
        self.name, self.signature = metadata.name, signature_of(source)
        self.warps = getattr(metadata, "num_warps", simulation.Program.warps)

    def __call__(self, x, y, z, stream, program, packed, launch_metadata, enter, leave, *values):
        __tracebackhide__ = True
        if _Tuning.trying:
            return
        _Tuning.found = False
        if enter is not None:
            enter(launch_metadata)
        arguments = [_argument(*one) for one in flatten(self.signature, values)]
        regions = tensors.addressed() if program.takes_addresses else ()
        program.warps = self.warps
        program.run(self.name, (x, y, z), arguments, regions)
        if leave is not None:
            leave(launch_metadata)


def bench(call, warmup=None, rep=None, grad_to_none=None, quantiles=None, return_mode="mean", **_):
    """Milliseconds of one simulation; of an autotuner's trial: whether it is the first that compiles."""
    if getattr(call, "__qualname__", "").startswith("Autotuner."):
        infinite = [float("inf")] * 3
        if _Tuning.found:
            return infinite
        _Tuning.trying = True
        try:
            call()
        finally:
            _Tuning.trying = False
        _Tuning.found = True
        return [0.0] * 3
    start = time.perf_counter()
    call()
    took = (time.perf_counter() - start) * 1e3
    if quantiles is not None:
        return [took] * len(quantiles) if len(quantiles) > 1 else took
    return [took] if return_mode == "all" else took


class _Event:
    def __init__(self, enable_timing=False, **_):
        self.at = 0.0

    def record(self, stream=None):
        self.at = time.perf_counter()

    def elapsed_time(self, end):
        return (end.at - self.at) * 1e3

    def synchronize(self):
        pass


class _Interface:
    """What Triton takes from torch.cuda."""
    Event = _Event

    @staticmethod
    def synchronize(device=None):
        pass

    @staticmethod
    def current_device():
        return 0


def _hint_at_arrays():
    """Triton knows a numpy array for no tensor, and does not say what one is."""
    jit = importlib.import_module("triton.runtime.jit")
    create = jit.create_function_from_signature

    def create_checked(*given):
        bind = create(*given)

        def checked(*args, **kwargs):
            __tracebackhide__ = True
            try:
                return bind(*args, **kwargs)
            except TypeError as error:
                arrays = [one for one in (*args, *kwargs.values())
                          if hasattr(one, "__array_interface__") and not hasattr(one, "data_ptr")]
                if not arrays or "specialize" not in str(error):
                    raise
                raise Error("argument-shape", f"an argument is a {type(arrays[0]).__module__}.{type(arrays[0]).__name__}, which is no "
                            "tensor", fix="titan.array(x), a copy in memory of its own that .numpy() shows") from error
        return checked
    jit.create_function_from_signature = create_checked


class Machine:
    """What Triton asks its driver, but for the target."""
    launcher_cls = Launcher

    def __init__(self):
        self.utils = Utils()
        if importlib.util.find_spec("triton.runtime.jit"):
            _hint_at_arrays()
        testing = importlib.import_module("triton.testing")
        testing.do_bench = testing.do_bench_cudagraph = bench

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device=None):
        return 0

    def get_device_capability(self, device=None):
        return CAPABILITY // 10, CAPABILITY % 10

    def get_active_torch_device(self):
        import torch
        return torch.device("cpu")

    def get_device_interface(self):
        return _Interface

    def get_benchmarker(self):
        return bench

    def get_empty_cache_for_benchmark(self):
        return None

    def clear_cache(self, cache):
        pass
