"""From a kernel's TTIR to its package under TITAN=compile: out of the store, or by the compiler.

Environment: TITAN_STORE=DIR, a store of packages (titan/store.py); TITAN_STORE_MISSES=skip: launches of what is not in
it are left out, so that one run writes down all that is to be compiled, whatever comes of it; TITAN_CHECK=on: what titan
check refuses is not compiled; TITAN_COMPILER.
"""
import atexit
import json
import os
import struct
import sys
import time

from triton.runtime.errors import PTXASError

from .. import Error, compiler, findings
from ..store import Program, Store


class Refused(findings.Refused, PTXASError):
    """What the compiler refuses; an autotuner goes on with its other configurations, as after an error of ptxas."""


class Miss(Error, PTXASError):
    """A kernel that is not in the store."""


_missed = {}  # key: name
_process = f"{os.getpid()}-{time.time_ns()}"


def _store():
    folder = os.environ.get("TITAN_STORE")
    return Store(folder) if folder else None


def _skips():
    value = os.environ.get("TITAN_STORE_MISSES") or None
    if value not in (None, "skip"):
        raise Error("bad-argument", f"TITAN_STORE_MISSES={value}: no such word", fix="TITAN_STORE_MISSES=skip, or unset it")
    return value is not None


def _check():
    value = os.environ.get("TITAN_CHECK") or "off"
    if value not in ("on", "off"):
        raise Error("bad-argument", f"TITAN_CHECK={value}: no such word", fix="TITAN_CHECK=on or off")
    return value == "on"


def _build(store):
    """The build that packages are to be of; None: no compiler is there, and none was where the store was filled."""
    tool = compiler.find()
    if tool:
        return compiler.build(tool)
    if not store:
        compiler.need("TITAN=compile is set, TITAN_STORE is not")
    return store.build()


def state():
    """What packages hang on besides program and options: Triton's cache keeps them apart by it."""
    words = [_build(_store()) or "none", "checked" if _check() else "unchecked"]
    return "-".join(words + ([_process] if _skips() else []))  # A package that is left out is no other process's.


def _options(options):
    """What the compiler is to know of Triton's options; others change no result, or are refused."""
    def refuse(what, fix):
        raise Refused([{"code": "not-supported-yet", "message": f"{what} for a kernel of titan's", "fix": fix}])
    get = lambda name, usual: getattr(options, name, usual)
    if get("num_ctas", 1) != 1:
        refuse(f"num_ctas={options.num_ctas}", "num_ctas=1")
    for name in ("launch_cooperative_grid", "launch_pdl"):
        if get(name, False):
            refuse(f"{name}=True", "leave it out")
    if get("instrumentation_mode", ""):
        refuse(f"instrumentation_mode={options.instrumentation_mode}", "leave it out")
    words = {"num_warps": get("num_warps", 4), "num_stages": get("num_stages", 3), "check": _check()}
    if get("maxnreg", None) is not None:  # Of what is not said a key says nothing.
        words["maxnreg"] = options.maxnreg
    if not get("enable_fp_fusion", True):
        words["fp_fusion"] = "off"
    return words


def shared_bytes(package):
    """Bytes of shared memory that a CTA of a package's kernel takes (docs/package.md)."""
    size, blobs = struct.unpack_from("<QI", package, 24)
    at = 40 + 48 * blobs
    kernel, = json.loads(package[at:at + size])["kernels"]
    return sum(kernel.get("shared_memory", {}).values())


def make(name, text, options):
    """The package of a kernel, and how many bytes of shared memory it takes. Under TITAN_STORE_MISSES=skip the package
    of what is not in the store is empty."""
    program, store, tool = Program(name, text, _options(options)), _store(), compiler.find()
    try:
        package = store.find(program.key, _build(store) or "none") if store else None
        if package is None and tool:
            package = store.make(program, tool) if store else program.compile(tool)
    except findings.Refused as error:
        raise Refused(error.findings, name) from None
    if package is None:
        store.ask(program)
        if not _missed:
            atexit.register(_tell, store)
        _missed[program.key] = name
        if not _skips():
            raise Miss("file-not-found", f"kernel '{name}' is not in the store {store.folder}: {program.key}.ttir was written "
                       "there", fix="python3 -m titan.store where the compiler is, on a copy of the store, and copy that back")
        return b"", 0
    return package, shared_bytes(package)


def _tell(store):
    print(f"titan: {len(_missed)} kernels are not in the store {store.folder}: {', '.join(sorted(set(_missed.values())))}",
          file=sys.stderr)
