//===- SearchBounds.h - how far the search goes, to print -------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `titan explain search` and `titan check --json` say of the numbers that
// bound the search (lib/Analysis/Search/Bounds.def).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_ANALYSIS_SEARCHBOUNDS_H
#define TITAN_ANALYSIS_SEARCHBOUNDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace titan {

struct SearchBound {
  llvm::StringRef name;
  /// One number, or a list.
  llvm::ArrayRef<int64_t> values;
  llvm::StringRef what, why;
  /// What is told where the search comes to it; empty: nothing.
  llvm::StringRef said;
};

llvm::ArrayRef<SearchBound> searchBounds();

/// All of them as a page, docs/search.md.
std::string printSearchBounds();

} // namespace titan

#endif
