//===- Bounds.h - how far the search goes -----------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search looks at some counts, some launches, some CTAs. Which, and how
// many, stands in Bounds.def and nowhere else: each number with what it bounds,
// why it is this one, and what is said where the search comes to it. `titan
// explain search` prints them (docs/search.md), `titan check --json` with what
// was searched.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_SEARCH_BOUNDS_H
#define TITAN_LIB_ANALYSIS_SEARCH_BOUNDS_H

#include <cstdint>

namespace titan::checker::bound {

#define TITAN_LIST(...) {__VA_ARGS__}
#define TITAN_BOUND(NAME, VALUE, WHAT, WHY, SAID)                              \
  inline constexpr int64_t NAME = VALUE;
#define TITAN_BOUNDS(NAME, VALUES, WHAT, WHY, SAID)                            \
  inline constexpr int64_t NAME[] = TITAN_LIST VALUES;
#include "Bounds.def"
#undef TITAN_LIST

} // namespace titan::checker::bound

#endif
