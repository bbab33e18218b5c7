"""What the tutorials' programs share: numbers, and what comes out against what is defined, in plain Python."""
import array
import math
import random
import struct

import titan
import titan.arrays


def numbers(seed, *shape, low=-1.0, high=1.0):
    """Random f32 as nested lists."""
    source = random.Random(seed)

    def fill(dims):
        if dims:
            return [fill(dims[1:]) for _ in range(dims[0])]
        return struct.unpack("<f", struct.pack("<f", source.uniform(low, high)))[0]
    return fill(shape)


def flat(values):
    return [x for row in values for x in flat(row)] if isinstance(values, list) else [values]


def shape_of(values):
    return (len(values),) + shape_of(values[0]) if isinstance(values, list) else ()


def f32(values):
    return _shaped(titan.array(array.array("f", flat(values))), shape_of(values))


def f16(values):
    bits = array.array("H", struct.pack(f"<{len(flat(values))}e", *flat(values)))
    return _shaped(titan.array(bits, dtype="float16"), shape_of(values))


def halved(values):
    """As f16 has them."""
    if isinstance(values, list):
        return [halved(v) for v in values]
    return struct.unpack("<e", struct.pack("<e", values))[0]


def _shaped(flat_array, shape):
    return titan.arrays.Array(flat_array.storage, flat_array.dtype, shape)


def product(a, b):
    columns = list(zip(*b))
    return [[math.fsum(x * y for x, y in zip(row, column)) for column in columns] for row in a]


def check(what, found, expected, bound):
    """Ends the program where an element is further than bound * max(1, |expected|) from its definition."""
    found, expected = flat(found), flat(expected)
    assert len(found) == len(expected), (what, len(found), len(expected))
    worst = max(abs(x - y) / max(1.0, abs(y)) if x == x else math.inf for x, y in zip(found, expected))
    assert worst <= bound, f"{what}: {worst} from its definition, {bound} is allowed"
    print(f"{what}: {len(found)} elements as defined")
