//===- Words.h - Lists of words in a string ---------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TITAN_LIB_TARGET_WORDS_H
#define TITAN_LIB_TARGET_WORDS_H

#include <string_view>

namespace titan {

/// True if `word` is one of the words of `list`, which blanks separate.
inline bool hasWord(std::string_view list, std::string_view word) {
  if (word.empty() || word.find(' ') != word.npos)
    return false;
  while (!list.empty()) {
    size_t end = list.find(' ');
    if (list.substr(0, end) == word)
      return true;
    list.remove_prefix(end == list.npos ? list.size() : end + 1);
  }
  return false;
}

} // namespace titan

#endif // TITAN_LIB_TARGET_WORDS_H
