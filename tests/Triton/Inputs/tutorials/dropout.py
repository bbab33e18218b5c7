"""04: dropout from a seed: Philox 4x32, ten rounds, its first word as a number in [0, 1)."""
import triton
import triton.language as tl

import titan
from definitions import check, f32, numbers


@triton.jit
def dropout_kernel(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    keep = tl.rand(seed, offsets) > p
    tl.store(out_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=mask)


def dropout(x, p, seed):
    out = titan.empty(x.shape)
    grid = lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]), )
    dropout_kernel[grid](x, out, x.numel(), p, seed, BLOCK=256)
    return out


def rand(seed, offset):
    words, k0, k1 = [offset, 0, 0, 0], seed & 0xFFFFFFFF, seed >> 32
    for _ in range(10):
        a, b = words[0] * 0xD2511F53, words[2] * 0xCD9E8D57
        words = [(b >> 32) ^ words[1] ^ k0, b & 0xFFFFFFFF, (a >> 32) ^ words[3] ^ k1, a & 0xFFFFFFFF]
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    word = words[0] - (1 << 32) if words[0] >> 31 else words[0]
    return (-word - 1 if word < 0 else word) * 4.6566127342e-10


if __name__ == "__main__":
    x = numbers(6, 1000)
    for seed in (123, 512):
        check(f"dropout {seed}", dropout(f32(x), 0.5, seed).tolist(),
              [v / 0.5 if rand(seed, i) > 0.5 else 0.0 for i, v in enumerate(x)], 1e-6)
