"""What lies at addresses, of which each element of a tensor is one: no kernel of titan IR does that yet."""
import array

import triton
import triton.language as tl

import titan


@triton.jit
def follow(address_ptr, y_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(tl.load(address_ptr + i).to(tl.pointer_type(tl.int32))))


if __name__ == "__main__":
    x, y = titan.array(array.array("i", range(16))), titan.zeros(16, "int32")
    addresses = titan.array(array.array("q", [x.data_ptr() + 4 * (15 - i) for i in range(16)]))
    follow[(1, )](addresses, y, BLOCK=16)
    assert y.tolist() == list(range(15, -1, -1))
