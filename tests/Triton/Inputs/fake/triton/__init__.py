"""A stand-in for Triton 3.6 where it is not installed: the driver's side of it.

Kernels are not compiled: the text that 3.6 made of each specialisation of each kernel, in the order of their
first use, lies beside the program as ttir/PROGRAM.KERNEL.NUMBER.ttir (scripts/triton_check.py --write). What is done with
back end, driver, launcher and arguments is what 3.6 does.
"""
__version__ = "3.6.0"

import glob
import os
import sys

from . import backends
from .runtime import driver


def cdiv(a, b):
    return -(-a // b)


def next_power_of_2(n):
    return 1 << (n - 1).bit_length()


class Config:
    def __init__(self, kwargs, num_warps=4, num_stages=3, pre_hook=None, **_):
        self.kwargs, self.pre_hook = kwargs, pre_hook


class _Metadata:
    def __init__(self, **fields):
        self.__dict__.update(fields)


class _Source:
    def __init__(self, fn, signature):
        self.fn, self.signature = fn, signature


class _Kernel:
    """triton.compiler.CompiledKernel"""

    def __init__(self, fn, signature, constants, number):
        from .backends.compiler import Language
        backend = backends.backend_for(driver.active.get_current_target())
        folder, program = os.path.split(os.path.abspath(sys.argv[0]))
        path = os.path.join(folder, "ttir", f"{os.path.splitext(program)[0]}.{fn.__name__}.{number}.ttir")
        backend.hash()
        stages, metadata = {}, {}
        backend.add_stages(stages, backend.parse_options({}), Language.TRITON)
        module = path
        for stage in stages.values():
            module = stage(module, metadata)
        self.metadata, self.binary = _Metadata(**metadata), module
        self.source = _Source(fn, signature)
        self.run = None

    def _init_handles(self):
        if self.run is None:
            self.run = driver.active.launcher_cls(self.source, self.metadata)
            _, self.function, self.n_regs, self.n_spills, _ = driver.active.utils.load_binary(
                self.metadata.name, self.binary, self.metadata.shared, 0)

    def launch(self, grid, values):
        self._init_handles()
        grid = tuple(grid) + (1, 1, 1)
        self.run(*grid[:3], 0, self.function, (4, 1, 0), None, None, None, *values)

    def __getitem__(self, grid):
        return lambda *values: self.launch(grid, values)


class JITFunction:
    def __init__(self, fn):
        code = fn.__code__
        self.fn, self.__name__ = fn, fn.__name__
        self.arg_names = code.co_varnames[:code.co_argcount]
        self.annotations = fn.__annotations__
        self.kernels = {}

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(grid, *args, **kwargs)

    def warmup(self, *args, grid, **kwargs):
        return self.run(None, *args, **kwargs)

    def run(self, grid, *args, **kwargs):
        values = dict(zip(self.arg_names, args))
        values.update({k: v for k, v in kwargs.items() if k in self.arg_names})
        signature, marks = {}, []
        for name in self.arg_names:
            value = values[name]
            annotation = self.annotations.get(name)
            signature[name], mark = (annotation, None) if annotation == "i64" else specialise(value, annotation == "constexpr")
            marks.append(mark)
        key = (tuple(signature.values()), tuple(marks))
        if key not in self.kernels:
            self.kernels[key] = _Kernel(self, signature, values, len(self.kernels))
        kernel = self.kernels[key]
        if grid is not None:
            kernel.launch(grid(values) if callable(grid) else grid, [values[n] for n in self.arg_names])
        return kernel


TYPES = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64", "float8_e4m3fn": "fp8e4nv",
         "float8_e5m2": "fp8e5", "bool": "u1"} | {sign + f"int{n}": kind + str(n) for sign, kind in (("", "i"), ("u", "u"))
                                                 for n in (8, 16, 32, 64)}


def specialise(value, is_constant):
    """The type of an argument, and what besides tells specialisations apart."""
    if is_constant or value is None or (type(value) is int and value == 1):
        return "constexpr", value
    if hasattr(value, "block_shape"):
        return f"tensordesc<{TYPES[str(value.base.dtype)]}{list(value.block_shape)}>", None
    if hasattr(value, "data_ptr"):
        return "*" + TYPES[str(value.dtype)], value.data_ptr() % 16 == 0
    if isinstance(value, bool):
        return "u1", None
    if isinstance(value, float):
        return "fp32", None
    return ("i32" if -2**31 <= value < 2**31 else "i64"), value % 16 == 0


def jit(fn):
    return JITFunction(fn)


class _Autotuner:
    """Takes the first of its configurations, as TITAN's benchmarker makes 3.6 do."""

    def __init__(self, fn, configs):
        self.fn, self.config = fn, configs[0]

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.fn.run(grid, *args, **kwargs, **self.config.kwargs)


def autotune(configs, key, **_):
    return lambda fn: _Autotuner(fn, configs)


from . import testing
