"""Floats from their bytes; `dtype` is the name of PyTorch's."""
import math
import struct


def numbers(dtype, data):
    if dtype == "bfloat16":
        return [struct.unpack("<f", b"\0\0" + data[i:i + 2])[0] for i in range(0, len(data), 2)]
    if dtype.startswith("float8"):
        bits, bias = (3, 7) if "e4m3" in dtype else (2, 15)

        def number(byte):
            exponent, fraction = byte >> bits & (2**(7 - bits) - 1), byte & (2**bits - 1)
            size = math.ldexp(fraction, 1 - bias - bits) if not exponent else math.ldexp(2**bits + fraction, exponent - bias - bits)
            return -size if byte & 128 else size
        return list(map(number, data))
    code = {"float16": "e", "float32": "f", "float64": "d"}[dtype]
    return [x for x, in struct.iter_unpack("<" + code, data)]
