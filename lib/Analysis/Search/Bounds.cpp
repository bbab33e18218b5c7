//===- Bounds.cpp - how far the search goes, to print ---------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bounds.h"

#include "titan/Analysis/SearchBounds.h"

#include "llvm/ADT/STLExtras.h"

using namespace titan;

ArrayRef<SearchBound> titan::searchBounds() {
  using namespace checker;
  static const SearchBound bounds[] = {
#define TITAN_BOUND(NAME, VALUE, WHAT, WHY, SAID)                              \
  {#NAME, bound::NAME, WHAT, WHY, SAID},
#define TITAN_BOUNDS TITAN_BOUND
#include "Bounds.def"
  };
  return bounds;
}

std::string titan::printSearchBounds() {
  std::string text = R"(# How far the search goes

`titan check` looks for a schedule that goes wrong (docs/memory-model.md, MM-122), in
some launches, with some counts: these. What the search has not looked at the proof
decides (docs/checker.md), or nobody: then the verdict is *searched*. Each row is
lib/Analysis/Search/Bounds.def's; this page is printed from there
(`titan explain search`), and other documents name the rows (`longestRun`).

| name | number | what it bounds | why this one | what is said there |
|---|---|---|---|---|
)";
  for (const SearchBound &bound : searchBounds()) {
    text += "| `" + bound.name.str() + "` | ";
    llvm::interleave(
        bound.values, [&](int64_t value) { text += std::to_string(value); },
        [&] { text += ", "; });
    text += " | " + bound.what.str() + " | " + bound.why.str() + " | " +
            bound.said.str() + " |\n";
  }
  return text;
}
