"""Rotary embeddings: of neighbours, and with angles that the program computes."""
import math

import triton
import triton.language as tl


@triton.jit
def rope_pairs_kernel(x_ptr, cos_ptr, sin_ptr, y_ptr, tokens, HEADS: tl.constexpr, D: tl.constexpr):
    # Elements 2i and 2i + 1 are one number of the plane.
    token = tl.program_id(0)
    i = tl.arange(0, D)
    head = tl.arange(0, HEADS)
    at = (token * HEADS + head[:, None]) * D + i[None, :]
    x = tl.load(x_ptr + at)
    a, b = tl.split(tl.reshape(x, (HEADS, D // 2, 2)))
    half = tl.arange(0, D // 2)
    cos = tl.load(cos_ptr + token * (D // 2) + half)[None, :]
    sin = tl.load(sin_ptr + token * (D // 2) + half)[None, :]
    y = tl.interleave(a * cos - b * sin, b * cos + a * sin)
    tl.store(y_ptr + at, y)


@triton.jit
def rope_angles_kernel(x_ptr, position_ptr, y_ptr, base, HEADS: tl.constexpr, D: tl.constexpr):
    token = tl.program_id(0)
    half = tl.arange(0, D // 2)
    head = tl.arange(0, HEADS)
    position = tl.load(position_ptr + token).to(tl.float32)
    angle = position * tl.exp2(half.to(tl.float32) * (-2.0 / D) * tl.log2(base))
    cos = tl.cos(angle)[None, :]
    sin = tl.sin(angle)[None, :]
    at = (token * HEADS + head[:, None]) * D + half[None, :]
    a = tl.load(x_ptr + at).to(tl.float32)
    b = tl.load(x_ptr + at + D // 2).to(tl.float32)
    tl.store(y_ptr + at, (a * cos - b * sin).to(y_ptr.dtype.element_ty))
    tl.store(y_ptr + at + D // 2, (b * cos + a * sin).to(y_ptr.dtype.element_ty))


if __name__ == "__main__":
    import array

    import titan
    from definitions import check, f32, numbers

    T, H, D = 5, 4, 32
    x, y = numbers(44, T, H, D), titan.empty((T, H, D))
    angles = [[t / 10000**(2 * i / D) for i in range(D // 2)] for t in range(T)]
    rope_pairs_kernel[(T, )](f32(x), f32([[math.cos(a) for a in r] for r in angles]), f32([[math.sin(a) for a in r] for r in angles]),
                             y, T, HEADS=H, D=D)

    def turned(v, angles):
        z = [complex(v[2 * i], v[2 * i + 1]) * complex(math.cos(a), math.sin(a)) for i, a in enumerate(angles)]
        return [part for c in z for part in (c.real, c.imag)]
    check("rope pairs", y.tolist(), [[turned(v, r) for v in token] for token, r in zip(x, angles)], 1e-5)
    positions = [0, 3, 100, 2048, 7]
    rope_angles_kernel[(T, )](f32(x), titan.array(array.array("i", positions)), y, 10000.0, HEADS=H, D=D)
    h, want = D // 2, []
    for token, p in zip(x, positions):
        cs = [(math.cos(p / 10000**(2 * i / D)), math.sin(p / 10000**(2 * i / D))) for i in range(h)]
        want.append([[v[i] * cs[i][0] - v[i + h] * cs[i][1] for i in range(h)] +
                     [v[i + h] * cs[i][0] + v[i] * cs[i][1] for i in range(h)] for v in token])
    check("rope angles", y.tolist(), want, 1e-3)
