//===- TritonParts.h - What the files of Triton's encodings share -*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_LAYOUT_TRITONPARTS_H
#define TITAN_LIB_LAYOUT_TRITONPARTS_H

#include "titan/Layout/Triton.h"

namespace titan::triton {

/// A rank that coordinates can have, and extents that are powers of two.
std::optional<Problem> checkShape(const Numbers &shape);
/// A permutation of the dimensions.
std::optional<Problem> checkOrder(const std::vector<int> &order, size_t rank);
/// CTAs beyond what a dimension has hold the same as others.
std::optional<Problem> clipCga(Cga &cga, const Numbers &shape);

} // namespace titan::triton

#endif // TITAN_LIB_LAYOUT_TRITONPARTS_H
