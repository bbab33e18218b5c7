"""The least and the largest a bin, of signed and unsigned integers and of floats: atomics that more than one program aims at one place."""
import array

import triton
import triton.language as tl

import titan
from definitions import check, f32, numbers


@triton.jit
def extremes_kernel(x_ptr, bin_ptr, low_ptr, high_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0)
    place = tl.load(bin_ptr + offsets, mask=mask, other=0)
    tl.atomic_min(low_ptr + place, x, mask=mask)
    tl.atomic_max(high_ptr + place, x, mask=mask)


if __name__ == "__main__":
    n, bins = 300, 7
    places = [(i * i + i // 7) % bins for i in range(n)]
    bin_of = titan.array(array.array("i", places))
    words = [(i * 2654435761 + 12345) % 2**32 for i in range(n)]
    signed = [w - 2**32 if w >= 2**31 else w for w in words]
    for name, code, values, least, most in (("signed", "i", signed, -2**31, 2**31 - 1), ("unsigned", "I", words, 0, 2**32 - 1)):
        low, high = titan.array(array.array(code, [most] * bins)), titan.array(array.array(code, [least] * bins))
        extremes_kernel[(triton.cdiv(n, 64), )](titan.array(array.array(code, values)), bin_of, low, high, n, BLOCK=64)
        check(f"extremes {name}", low.tolist() + high.tolist(),
              [f(v for v, p in zip(values, places) if p == b) for f in (min, max) for b in range(bins)], 0)
    x = numbers(31, n, low=-3, high=3)
    low, high = f32([9.0] * bins), f32([-9.0] * bins)
    extremes_kernel[(triton.cdiv(n, 64), )](f32(x), bin_of, low, high, n, BLOCK=64)
    check("extremes floats", low.tolist() + high.tolist(),
          [f(v for v, p in zip(x, places) if p == b) for f in (min, max) for b in range(bins)], 0)
