//===- Model.h - what the models of kernels share ---------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_KERNELS_MODEL_H
#define TITAN_LIB_KERNELS_MODEL_H

#include <cstdint>

namespace titan::kernels {

inline int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Attention with a mask: of the L2 cache, what the keys and values of a band have at most, the heads that are
/// worked on at a time.
inline constexpr int64_t bandBytes = int64_t(32) << 20;

} // namespace titan::kernels

#endif
