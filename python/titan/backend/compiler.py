"""Stages of a kernel: `ttir` is nvidia's make_ttir at capability 90; then `titan`, its text, for the simulator, or
`titanpkg`, what titan makes of it, for the GPU.

Triton's discovery wants one concrete compiler class in this module, and one back end for `cuda`: with TITAN
in the environment nvidia's says of no target any more that it supports it.
"""
import importlib
import re

import triton
from triton.backends.compiler import BaseBackend, Language

from . import mode
from .. import Error

CAPABILITY = 90
# Of each CTA's shared memory the system takes so much; what a kernel is said to take is never 0 (programs divide by it).
RESERVED_SHARED = 1024

if mode():
    _nvidia = importlib.import_module("triton.backends.nvidia.compiler")
    _nvidia.CUDABackend.supports_target = staticmethod(lambda target: False)


class Compiler(BaseBackend):
    @staticmethod
    def supports_target(target):
        return mode() is not None and target.backend == "cuda"

    def __init__(self, target):
        super().__init__(target)
        version = getattr(triton, "__version__", "3.6.0")
        if not version.startswith("3.6."):
            raise Error("not-supported-yet", f"this is Triton {version}, and TITAN reads what 3.6 prints",
                        fix="pip install triton==3.6.0")
        self.binary_ext = "titanpkg" if mode() == "compile" else "titan"
        # Without its constructor, which asks whether it supports the target.
        self.nvidia = object.__new__(_nvidia.CUDABackend)
        self.nvidia.target, self.nvidia.binary_ext = target, "cubin"

    def parse_options(self, options):
        parsed = self.nvidia.parse_options(options)
        if mode() == "simulate":
            _hold_ranges(parsed)
        return parsed

    def pack_metadata(self, metadata):
        return self.nvidia.pack_metadata(metadata)

    def get_codegen_implementation(self, options):
        return self.nvidia.get_codegen_implementation(options)

    def get_module_map(self):
        return self.nvidia.get_module_map()

    def load_dialects(self, context):
        self.nvidia.load_dialects(context)

    def hash(self):
        if mode() == "compile":
            from . import packages
            return f"titan-compile-1-{CAPABILITY}-{packages.state()}"
        return f"titan-simulate-1-{CAPABILITY}"

    def add_stages(self, stages, options, language):
        if language != Language.TRITON:
            raise Error("not-supported-yet", "a Gluon program names layouts of a GPU that titan does not read",
                        fix="write it in triton.language")
        stages["ttir"] = lambda module, metadata: self.nvidia.make_ttir(module, metadata, options, CAPABILITY)
        finish = self._package if mode() == "compile" else self._text
        stages[self.binary_ext] = lambda module, metadata: finish(str(module), metadata, options)

    @staticmethod
    def _text(text, metadata, options):
        metadata["name"], metadata["shared"] = _name(text), RESERVED_SHARED
        return text.encode()

    @staticmethod
    def _package(text, metadata, options):
        from . import packages
        metadata["name"] = _name(text)
        package, shared = packages.make(metadata["name"], text, options)
        metadata["shared"] = shared or RESERVED_SHARED
        return package


def _hold_ranges(options):
    """To those of titan compile (lib/Driver/Driver.cpp, readTriton)."""
    for name, least, most, power in (("num_warps", 1, 32, True), ("num_ctas", 1, 16, True), ("num_stages", 0, 2**31 - 1, False),
                                     ("maxnreg", 24, 255, False)):
        value = getattr(options, name, None)
        if value is None:  # Not said, or of no meaning to this Triton.
            continue
        if not isinstance(value, int) or not least <= value <= most or (power and value & (value - 1)):
            what = f"a power of two up to {most}" if power else f"a number from {least} to {most}"
            raise Error("bad-argument", f"{name}={value!r} of a launch: it is {what}", fix=f"give {name} such a number, or leave it out")
    fusion = getattr(options, "enable_fp_fusion", True)
    if fusion not in (True, False):
        raise Error("bad-argument", f"enable_fp_fusion={fusion!r} of a launch: it is True or False", fix="write enable_fp_fusion=False")


def _name(text):
    return re.search(r'tt\.func public @"?([\w.$]+)', text).group(1)
