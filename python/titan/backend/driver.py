"""The active driver where TITAN is set: reports GPUTarget('cuda', 90, 32); the rest is simulated.py's or gpu.py's.

Triton's discovery wants one concrete driver class in this module, and one that is active.
"""
import importlib

from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase

from . import mode
from .compiler import CAPABILITY

if mode():
    importlib.import_module("triton.backends.nvidia.driver").CudaDriver.is_active = staticmethod(lambda: False)

_machine = importlib.import_module(".gpu" if mode() == "compile" else ".simulated", __package__)


class Driver(_machine.Machine, DriverBase):
    @classmethod
    def is_active(cls):
        return mode() is not None

    def get_current_target(self):
        return GPUTarget("cuda", CAPABILITY, 32)

    def assemble_tensormap_to_arg(self, tensormaps_info, args):
        return args

    def map_python_to_cpp_type(self, kind):
        # As CUDA's driver names them: programs ask for it, titan does not.
        if kind.startswith("*"):
            return "CUdeviceptr"
        if kind.startswith("tensordesc"):
            return "CUtensorMap"
        return {"i1": "int8_t", "u1": "uint8_t", "fp16": "double", "bf16": "double", "fp32": "double",
                "f32": "double", "fp64": "double"}.get(kind) or (
                    f"{'u' if kind[0] == 'u' else ''}int{kind[1:]}_t")
