# Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shapes at which attention.py races: batches, queries, keys, heads of Q and of K. Each list was committed before it was
raced for the first time."""

# Chose no default; the candidates for the model were raced at four of them.
HELD_OUT = [(1, 2048, 2048, 16, 16), (1, 6144, 6144, 16, 16), (1, 12288, 12288, 16, 16),
            (8, 1024, 1024, 16, 16), (4, 2048, 2048, 32, 8), (2, 4096, 4096, 32, 8),
            (1, 8192, 8192, 40, 8), (2, 3000, 3000, 24, 24)]
# Behind the model.
FRESH = [(1, 1536, 1536, 32, 8), (3, 1280, 1280, 16, 16), (2, 5120, 5120, 24, 8), (5, 768, 768, 32, 32),
         (1, 20000, 20000, 8, 8), (4, 3072, 3072, 12, 12), (1, 2560, 2560, 40, 8), (12, 640, 640, 16, 4)]
# attention.py's own, with 16 heads.
LONG = [(1, tokens, tokens, 16, 16) for tokens in (4096, 8192, 16384)]


def read(words):
    """held-out, fresh, or shapes: 2x512x512x8x8,..."""
    named = {"held-out": HELD_OUT, "fresh": FRESH}
    return named[words] if words in named else [tuple(map(int, shape.split("x"))) for shape in words.split(",")]
