"""What Triton does not know for a tensor."""
import triton
import triton.language as tl

import titan


class Numpys:
    """As numpy's arrays are, where there is no numpy."""
    __array_interface__ = {}


Numpys.__name__, Numpys.__module__ = "ndarray", "numpy"


@triton.jit
def copy(x, y):
    tl.store(y, tl.load(x))


copy[(1, )](Numpys(), titan.empty(1))
