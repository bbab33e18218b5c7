"""TITAN as a back end of Triton 3.6: the entry point `titan` of `triton.backends`.

`TITAN=simulate python program.py`: kernels run on the CPU, and each launch is checked. Without TITAN in the
environment Triton does not notice this package.
"""
import os


def mode():
    """What TITAN asks for: None, or "simulate"."""
    value = os.environ.get("TITAN") or None
    if value not in (None, "simulate"):
        from .. import Error
        raise Error("bad-argument", f"TITAN={value}: no such mode", fix="TITAN=simulate, or unset it")
    return value
