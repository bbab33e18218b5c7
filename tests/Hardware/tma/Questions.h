//===- Questions.h - What no document says about TMA ------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function prints one group of docs/hardware-tma.md.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TESTS_HARDWARE_TMA_QUESTIONS_H
#define TITAN_TESTS_HARDWARE_TMA_QUESTIONS_H

#include "Mapping.h"

namespace titan::hw {

/// A tensor of `type`, rank 2, 128 bytes x 8 rows, box 64 bytes x 4 rows.
Question plain(std::string note, std::string_view type, int64_t x, int64_t y,
               std::string_view direction = "load",
               std::string_view swizzle = "none");

/// NHWC, 32 channels of u8, 5 x 4 pixels, 3 images; 8 pixels of 16 channels.
Question pixels(std::string note, std::vector<int64_t> coords,
                std::vector<int64_t> offsets, bool store = false);

// Layouts.cpp
void askInterleave(const PoolOptions &pool);
/// Odd channels, starts outside of the bounding box, offsets out of range.
void askIm2col(const PoolOptions &pool);
/// Random legal copies of every kind: what unit tests replay.
void askRandom(const PoolOptions &pool, uint64_t seed);

// Values.cpp
/// Which pairs of operation and type run.
void askReductions(PoolOptions pool);
/// NaN fill, tf32, arithmetic: special numbers, and `random` others.
void askValues(const PoolOptions &pool, size_t random);
/// tensormap.replace, and sizes of bulk copies.
void askReplace(PoolOptions pool, uint64_t seed);

} // namespace titan::hw

#endif // TITAN_TESTS_HARDWARE_TMA_QUESTIONS_H
