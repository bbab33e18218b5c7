#!/usr/bin/env python3
"""Makes triton_layouts.txt: what Triton 3.6.0 itself says of random layout
encodings (pip install triton==3.6.0; no GPU).

    python3 triton_layouts.py > triton_layouts.txt

A line is  text | shape | register | lane | warp | block  for encodings of
registers, text | shape | offset | block  for those of shared memory: the text
as Triton prints it, and the image of each bit, 0,1 for (0, 1). Registers are
what to_linear_layout gives; shared memory's bits are read off the encoding that
memdesc_reshape infers.
"""
import os
import random
import re
import sys

from triton._C.libtriton import gluon_ir, ir

SEED, COUNT = 306, 2000
context = ir.context()
ir.load_dialects(context)
builder = gluon_ir.GluonOpBuilder(context)
R = random.Random(SEED)


def power(low, high):
    return 1 << R.randint(low, high)


def spread(bits, rank, most=99):
    """2^bits cut into `rank` powers of two."""
    cut = [0] * rank
    for _ in range(bits):
        d = R.randrange(rank)
        cut[d] += cut[d] < most
        if sum(cut) == bits:
            break
    while sum(cut) < bits:
        cut[cut.index(min(cut))] += 1
    return [1 << c for c in cut]


def permutation(rank):
    order = list(range(rank))
    R.shuffle(order)
    return order


def cga(rank, share=0.25):
    """Bases of up to 8 CTAs: each bit steps along a dimension, or nowhere."""
    if R.random() > share:
        return []
    reach, bases = [1] * rank, []
    for _ in range(R.randint(1, 3)):
        step = [0] * rank
        if R.random() < 0.8:
            d = R.randrange(rank)
            step[d], reach[d] = reach[d], reach[d] * 2
        bases.append(step)
    return bases


def shape_of(rank, bases=(), low=0, high=7, total=13):
    while True:
        shape = [power(low, high) for _ in range(rank)]
        size = 1
        for d in range(rank):
            for step in bases:
                if step[d]:
                    shape[d] = max(shape[d], 2 * step[d])
            size *= shape[d]
        if size <= 1 << total:
            return shape


def blocked(rank=None, warp=None):
    rank = rank or R.choice([1, 1, 2, 2, 2, 2, 3, 4])
    bases = cga(rank)
    warp = warp or R.choice([5, 5, 5, 6])
    return builder.get_blocked_layout(
        spread(R.randint(0, 4), rank), spread(warp, rank),
        spread(R.randint(0, 3), rank), permutation(rank), bases), rank, bases


def linear():
    rank = R.choice([1, 2, 2, 3])
    warps, regs = R.randint(0, 3), R.randint(0, 4)
    shape = [1] * rank
    bits = []
    for _ in range(warps + regs + 5):
        step = [0] * rank
        if R.random() < 0.85:
            d = R.randrange(rank)
            step[d], shape[d] = shape[d], shape[d] * 2
        bits.append(step)
    R.shuffle(bits)
    if R.random() < 0.3:  # A sum of several bits: still onto.
        i, j = R.sample(range(len(bits)), 2)
        if any(bits[i]) and any(bits[j]):
            bits[i] = [a ^ b for a, b in zip(bits[i], bits[j])]
    bits = [bits[:5], bits[5:5 + warps], [b for b in bits[5 + warps:] if any(b)]]
    return builder.get_distributed_linear_layout(bits[2], bits[0], bits[1], [], shape), shape


def mma2(bases=None):
    rank = R.choice([2, 2, 2, 3])
    bases = cga(rank, 0.15) if bases is None else bases
    warps = spread(R.randint(0, 3), rank)
    return builder.get_mma_layout([2, 0], warps, bases, [1] * (rank - 2) + [16, 8]), rank, bases


def wgmma():
    bases = cga(2, 0.2)
    return builder.get_mma_layout([3, 0], [4 * power(0, 1), power(0, 1)], bases,
                                  [16, power(3, 8), R.choice([8, 16, 32])]), bases


def mfma():
    rank = R.choice([2, 2, 2, 3])
    instruction = R.choice([[32, 32, 8], [32, 32, 16], [16, 16, 16], [16, 16, 32], [64, 4, 4], [4, 64, 4]])
    width = 32 if instruction[0] != 16 or R.random() < 0.8 else 64
    if width == 64:
        instruction = [16, 16, 4]
    bases = cga(rank, 0.1)
    tiles = [1] * rank
    if R.random() < 0.3:
        tiles[-2:] = [power(0, 1), power(0, 1)]
    version = 4 if instruction in ([32, 32, 16], [16, 16, 32]) else R.choice([2, 3])
    return builder.get_amd_mfma_layout(version, spread(R.randint(0, 3), rank), instruction,
                                       R.random() < 0.5, bases, tiles, width), rank, bases


def make(kind):
    """Attribute, shape, whether it is shared memory's: True, or the bits where they are given."""
    if kind == "blocked":
        a, rank, bases = blocked()
        return a, shape_of(rank, bases), False
    if kind == "slice":
        which = R.random()
        if which < 0.6:
            a, rank, bases = blocked(R.choice([2, 2, 3, 4]))
        elif which < 0.8:
            a, rank, bases = mma2()
        elif which < 0.9:
            a, bases = wgmma()
            rank = 2
        else:
            a, rank, bases = mfma()
        while True:
            d = R.randrange(rank)
            a, rank = builder.get_slice_layout(d, a), rank - 1
            bases = [step[:d] + step[d + 1:] for step in bases]
            if rank == 1 or R.random() < 0.7:
                return a, shape_of(rank, bases), False
    if kind == "linear":
        a, shape = linear()
        return a, shape_of(len(shape)) if R.random() < 0.3 else shape, False
    if kind == "mma":
        a, rank, bases = mma2()
        return a, shape_of(rank, bases, 0 if rank == 3 else 2), False
    if kind == "wgmma":
        a, bases = wgmma()
        return a, shape_of(2, bases, 3, 8, 16), False
    if kind == "mfma":
        a, rank, bases = mfma()
        return a, shape_of(rank, bases, 2), False
    if kind.startswith("dot_op"):
        parent = kind.split()[1]
        index, width = R.randrange(2), R.choice([1, 2, 4, 8])
        if parent == "mma":
            a, rank, bases = mma2()
        elif parent == "wgmma":
            a, bases = wgmma()
            rank, index = 2, 0
        elif parent == "mfma":
            a, rank, bases = mfma()
            width *= 2
        else:
            a, rank, bases = blocked(R.choice([2, 2, 3]))
            width = 0
        return builder.get_dot_operand_layout(index, a, width), shape_of(rank, bases, 2), False
    if kind == "swizzled_shared":
        rank = R.choice([1, 2, 2, 2, 3])
        bases = cga(rank)
        return builder.get_swizzled_shared_layout(power(0, 4), power(0, 3), power(0, 4), permutation(rank),
                                                  bases), shape_of(rank, bases, 2, 7), True
    if kind == "nvmma_shared":
        rank = R.choice([2, 2, 2, 3])
        bits, bases = R.choice([8, 16, 16, 32]), cga(rank, 0.2)
        # Of three dimensions, 3.6.0 gives transposed ones the extents of others.
        transposed = rank == 2 and R.random() < 0.3
        packed = bits == 8 and R.random() < 0.3
        return builder.get_nvmma_shared_layout(128 if packed else R.choice([0, 32, 64, 128, 128]), bits,
                                               transposed, packed, bases, rank), shape_of(
                                                   rank, bases, 3, 9, 15), True
    # Shared memory by its bits: those of a random shape, perhaps exchanged.
    rank = R.choice([1, 2, 2, 3])
    shape = shape_of(rank, (), 1, 6)
    bits = [[(1 << b) * (d == e) for e in range(rank)] for d in permutation(rank)
            for b in range(shape[d].bit_length() - 1)]
    if R.random() < 0.5:
        R.shuffle(bits)
    cut = R.choice([0, 0, 1]) if len(bits) > 3 else 0
    offset, block = bits[:len(bits) - cut], bits[len(bits) - cut:]
    if kind == "shared_linear":
        return builder.get_shared_linear_layout(offset, block, power(2, 6)), shape, True
    pairs = [power(1, 3)]
    while R.random() < 0.4:
        pairs.append(pairs[-1] * power(1, 2))
    return builder.get_padded_shared_layout(pairs, [power(0, 3) for _ in pairs], offset, block,
                                            shape), shape, (offset, block)


def spelled(module, start):
    """The encoding behind `start` in a module's text, aliases spelled out."""
    aliases = dict(re.findall(r"^(#\w+) = (.*)$", module, re.M))
    text = re.search(start, module).group(1)
    while True:
        name = re.search(r"#(?!ttg)\w+", text)
        if not name:
            return text
        text = text.replace(name.group(), aliases[name.group()], 1)


def module_with(kind):
    """A module with a function of one argument; a builder in its body."""
    inner = gluon_ir.GluonOpBuilder(context)
    module = inner.create_module()
    inner.set_loc(inner.create_loc("x", 1, 1))
    function = inner.get_or_insert_function(module, "f", inner.get_function_ty([kind], []), "public", False)
    module.push_back(function)
    inner.set_insertion_point_to_start(function.add_entry_block())
    return module, function, inner


def words(bits):
    return " ".join(",".join(map(str, b)) for b in bits)


def line(attribute, shape, shared):
    prefix = r"function_type = \(\S+<[\dx]+x?f16, "
    if not shared:
        module, _, _ = module_with(builder.get_distributed_ty(builder.get_half_ty(), shape, attribute))
        text = spelled(str(module), prefix + r"(.*?)>\) -> ")
        found = builder.to_linear_layout(attribute, shape)
        parts = [found.reg_bases, found.lane_bases, found.warp_bases, found.block_bases]
    else:
        memory = builder.get_shared_mem_desc_ty(builder.get_half_ty(), shape, attribute, shape)
        module, _, _ = module_with(memory)
        text = spelled(str(module), prefix + r"(.*?), #smem")
        if isinstance(shared, tuple):
            parts = list(shared)
        else:
            size = 1
            for extent in shape:
                size *= extent
            for other in [shape, [size], shape[:-1] + [2, shape[-1] // 2], [2, shape[0] // 2] + shape[1:]]:
                module, function, inner = module_with(memory)
                try:
                    inner.create_memdesc_reshape(function.args(0), other)
                    found = spelled(str(module), r"-> !ttg.memdesc<[\dx]+x?f16, (.*?), #smem")
                except Exception:
                    continue
                if "shared_linear" in found:
                    break
            else:
                raise ValueError("no bits")
            lists = dict(re.findall(r"(offset|block) = (\[.*?\]\]|\[\])", found))
            parts = []
            for name in "offset", "block":
                bits = []
                for image in eval(lists.get(name, "[]")):
                    index = 0  # Of the element, row by row; then in the tensor's own shape.
                    for at, extent in zip(image, other):
                        index = index * extent + at
                    back = []
                    for extent in reversed(shape):
                        back.append(index % extent)
                        index //= extent
                    bits.append(back[::-1])
                parts.append(bits)
    return " | ".join([text, "x".join(map(str, shape))] + [words(p) for p in parts])


def main():
    kinds = [k for k, share in {
        "blocked": 18, "slice": 14, "linear": 5, "mma": 8, "wgmma": 6, "mfma": 8, "dot_op mma": 8, "dot_op wgmma": 3,
        "dot_op mfma": 6, "dot_op blocked": 4, "swizzled_shared": 8, "nvmma_shared": 7, "padded_shared": 3,
        "shared_linear": 2}.items() for _ in range(share)]
    seen = {}
    refused = {}
    while len(seen) < COUNT:
        kind, seed = R.choice(kinds), R.random()
        read, write = os.pipe()
        child = os.fork()  # What Triton refuses, it often aborts at.
        if not child:
            os.close(read)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            try:
                R.seed(seed)
                os.write(write, line(*make(kind)).encode())
            except Exception:
                pass
            os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            text = pipe.read().decode()
        os.waitpid(child, 0)
        if text:
            seen[text] = kind
        else:
            refused[kind] = refused.get(kind, 0) + 1
    for text in sorted(seen):
        print(text)
    print(len(seen), "lines; refused by Triton:", refused, file=sys.stderr)


if __name__ == "__main__":
    main()
