"""Finds back ends by their entry points: one concrete compiler and driver class in each."""
import importlib
import inspect
from importlib.metadata import entry_points

from .compiler import BaseBackend
from .driver import DriverBase


def _concrete(module, base):
    found = [c for c in vars(module).values()
             if isinstance(c, type) and issubclass(c, base) and not inspect.isabstract(c)]
    if len(found) != 1:
        raise RuntimeError(f"{len(found)} concrete subclasses of {base} in {module}")
    return found[0]


def _discover():
    found = {}
    for name, where in [("nvidia", "triton.backends.nvidia")] + [
            (e.name, e.value) for e in entry_points().select(group="triton.backends") if e.name == "titan"]:
        found[name] = [_concrete(importlib.import_module(f"{where}.{part}"), base)
                       for part, base in (("compiler", BaseBackend), ("driver", DriverBase))]
    return found


backends = _discover()


def backend_for(target):
    found = [compiler for compiler, _ in backends.values() if compiler.supports_target(target)]
    if len(found) != 1:
        raise RuntimeError(f"{len(found)} compatible backends for target {target}")
    return found[0](target)
