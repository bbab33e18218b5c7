"""Keys of new tokens to their slots of a paged cache; slot -1: none."""
import array

import triton
import triton.language as tl

import titan
from definitions import check, f32, numbers


@triton.jit
def kv_cache_kernel(key_ptr, cache_ptr, slot_ptr, stride, page, d, PAGE: tl.constexpr, BLOCK: tl.constexpr):
    token = tl.program_id(0)
    slot = tl.load(slot_ptr + token).to(tl.int64)
    if slot < 0:
        return
    columns = tl.arange(0, BLOCK)
    mask = columns < d
    key = tl.load(key_ptr + token * stride + columns, mask=mask)
    tl.store(cache_ptr + slot // PAGE * page + slot % PAGE * d + columns, key, mask=mask)


if __name__ == "__main__":
    T, D, PAGES, PAGE = 6, 50, 3, 4
    keys, slots = numbers(15, T, D), [5, 0, -1, 11, 7, 2]
    cache = f32([[[0.0] * D] * PAGE] * PAGES)
    kv_cache_kernel[(T, )](f32(keys), cache, titan.array(array.array("i", slots)), D, PAGE * D, D, PAGE=PAGE, BLOCK=64)
    expected = [[0.0] * D for _ in range(PAGES * PAGE)]
    for key, slot in zip(keys, slots):
        if slot >= 0:
            expected[slot] = key
    check("kv_cache", cache.tolist(), expected, 0)
