"""TITAN as a back end of Triton 3.6: the entry point `titan` of `triton.backends`.

`TITAN=simulate python program.py`: kernels run on the CPU, and each launch is checked. `TITAN=compile`: kernels are
compiled by titan, and run on the GPU. Without TITAN in the environment Triton does not notice this package.
"""
import os

MODES = ("simulate", "compile")


def mode():
    """What TITAN asks for: None, or one of MODES."""
    value = os.environ.get("TITAN") or None
    if value not in (None, *MODES):
        from .. import Error
        raise Error("bad-argument", f"TITAN={value}: no such mode",
                    fix=" or ".join(f"TITAN={m}" for m in MODES) + ", or unset it")
    return value
