#!/usr/bin/env python3
"""Asks the driver for tensor maps and prints their 128 bytes (unittests/Domain/Inputs/tma-descriptors.txt).

descriptors.py --cases N --seed S

A line: mode, driver's type, interleave, swizzle, L2 promotion, fill; address; sizes; strides;
element strides; box (tiled), or lower corner; upper corner; channels, pixels; the bytes, in hexadecimal.
The encoder looks at no memory: addresses are drawn.
"""
import argparse
import ctypes
import random
import sys

U64, U32, INT = ctypes.c_uint64, ctypes.c_uint32, ctypes.c_int
BYTES = {0: 1, 1: 2, 2: 4, 3: 4, 4: 8, 5: 8, 6: 2, 7: 4, 8: 8, 9: 2, 10: 4, 11: 4, 12: 4}
FLOATS = (6, 7, 8, 9, 10, 11, 12)


def array(kind, values):
    return (kind * max(1, len(values)))(*values)


def draw(rng, cuda):
    """A map that the driver accepts, as a line; None where it refuses."""
    im2col = rng.random() < 0.5
    rank = rng.randint(3 if im2col else 1, 5)
    kind = rng.choice(list(BYTES))
    size = BYTES[kind]
    interleave = rng.choice((0, 0, 0, 1, 2)) if rank >= 3 else 0
    swizzle = 1 if interleave == 2 else rng.randint(0, 3)
    promotion, fill = rng.randint(0, 3), int(kind in FLOATS and rng.random() < 0.3)
    align = 32 if interleave == 2 else 16
    address = align * rng.randrange(1, 2**42)
    large = rng.random() < 0.2
    dims = [rng.randint(1, 2**32 if large else 300) for _ in range(rank)]
    strides = [align * rng.randrange(0, 2**40 // align if large else 4096) for _ in range(rank - 1)]
    steps = [rng.randint(1, 8) if rng.random() < 0.5 else 1 for _ in range(rank)]
    span = (256 * size, 32, 64, 128)[swizzle] if not interleave else 256 * size
    inner = rng.randint(1, max(1, min(256, span // size)))
    common = (address, array(U64, dims), array(U64, strides))
    flags = (interleave, swizzle, promotion, fill)
    out = ctypes.create_string_buffer(256)
    at = (ctypes.addressof(out) + 127) // 128 * 128
    if im2col:
        bits = {3: 15, 4: 7, 5: 4}[rank]
        draw_corner = lambda: rng.randint(-2**bits, 2**bits - 1) if large else rng.randint(-4, 2)
        lower = [draw_corner() for _ in range(rank - 2)]
        upper = [draw_corner() for _ in range(rank - 2)]
        pixels = rng.choice((1, 8, 64, 128, 255, 256, 257, 1024, rng.randint(1, 1024)))
        result = cuda.cuTensorMapEncodeIm2col(
            ctypes.c_void_p(at), INT(kind), U32(rank), ctypes.c_void_p(common[0]), common[1], common[2],
            array(INT, lower), array(INT, upper), U32(inner), U32(pixels), array(U32, steps), *map(INT, flags))
        shape = [lower, upper, [inner, pixels]]
    else:
        box = [inner] + [rng.choice((1, 2, 64, 255, 256, rng.randint(1, 256))) for _ in range(rank - 1)]
        result = cuda.cuTensorMapEncodeTiled(
            ctypes.c_void_p(at), INT(kind), U32(rank), ctypes.c_void_p(common[0]), common[1], common[2],
            array(U32, box), array(U32, steps), *map(INT, flags))
        shape = [box]
    if result != 0:
        return None
    fields = [["im2col" if im2col else "tiled", kind, *flags], [address], dims, strides, steps, *shape]
    return "; ".join(" ".join(map(str, field)) for field in fields) + "; " + ctypes.string_at(at, 128).hex()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=256)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    cuda = ctypes.CDLL("libcuda.so.1")
    version, device, context = INT(), INT(), ctypes.c_void_p()
    for result in (cuda.cuInit(0), cuda.cuDriverGetVersion(ctypes.byref(version)),
                   cuda.cuDeviceGet(ctypes.byref(device), 0),
                   cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), cuda.cuCtxSetCurrent(context)):
        if result != 0:
            sys.exit(f"the driver says {result}")
    name = ctypes.create_string_buffer(100)
    cuda.cuDeviceGetName(name, 100, device)
    print(f"# {name.value.decode()}, CUDA {version.value}; descriptors.py --cases {options.cases} --seed {options.seed}")
    rng = random.Random(options.seed)
    lines, tried = 0, 0
    while lines < options.cases:
        tried += 1
        if tried > 1000 * options.cases:
            sys.exit("the driver refuses nearly all")
        line = draw(rng, cuda)
        if line:
            print(line)
            lines += 1
    print(f"{tried - lines} of {tried} refused", file=sys.stderr)


main()
