"""For pytest --titan: two tests pass, three do not."""
import triton
import triton.language as tl

import titan as memory


@triton.jit
def copy(x, y, n, B: tl.constexpr):
    offsets = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + offsets, tl.load(x + offsets, mask=offsets < n), mask=offsets < n)


def launch(n):
    x, y = memory.zeros(100), memory.empty(100)
    copy[(4, )](x, y, n, B=32)
    assert y.tolist() == x.tolist()


def test_good():
    launch(100)


def test_expected(titan):
    with titan.refused("out-of-bounds"):
        launch(101)
    assert titan.launches[-1].programs == 4


def test_fails():
    launch(101)


def test_swallowed():
    try:
        launch(101)
    except memory.Error:
        pass


def test_other_code(titan):
    with titan.refused("race"):
        launch(101)


def test_no_code(titan):
    with titan.refused("rcae"):
        pass
