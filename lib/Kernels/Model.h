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

/// Attention with a mask: heads are worked on in bands, whose keys and values have at most so many MiB of the L2
/// cache. Rounds of tiles ahead are less even with every band more: of 32 and 48 the larger one is faster there.
inline constexpr int64_t bandMiB(bool ahead) { return ahead ? 48 : 32; }
inline constexpr int64_t bandBytes(bool ahead) { return bandMiB(ahead) << 20; }

} // namespace titan::kernels

#endif
