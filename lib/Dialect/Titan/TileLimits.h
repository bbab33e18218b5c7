//===- TileLimits.h - how large a tile may be -------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_DIALECT_TILELIMITS_H
#define TITAN_LIB_DIALECT_TILELIMITS_H

#include <cstdint>

namespace titan {
/// Elements that a tile has at most, in registers or shared memory: more than
/// any target holds, and little enough to list.
inline constexpr int64_t maxTileElements = int64_t(1) << 24;
} // namespace titan

#endif
