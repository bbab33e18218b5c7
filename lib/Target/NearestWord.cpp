//===- NearestWord.cpp - What a misspelt word was meant to be -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Target/NearestWord.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace titan {

/// Levenshtein distance, capitals or not.
static unsigned editDistance(std::string_view a, std::string_view b) {
  auto lower = [](char c) {
    return std::tolower(static_cast<unsigned char>(c));
  };
  std::vector<unsigned> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    unsigned diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      unsigned above = row[j];
      bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] =
          std::min({row[j] + 1, row[j - 1] + 1, diagonal + (same ? 0u : 1u)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string_view nearestWord(std::string_view word,
                             std::span<const std::string_view> words) {
  std::string_view best;
  unsigned least = 0;
  if (word.size() > 64) // No word is that long.
    return best;
  for (std::string_view other : words) {
    unsigned distance = editDistance(word, other);
    if (best.empty() || distance < least) {
      best = other;
      least = distance;
    }
  }
  return least * 3 <= best.size() ? best : std::string_view();
}

} // namespace titan
