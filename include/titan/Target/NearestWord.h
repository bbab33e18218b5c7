//===- NearestWord.h - What a misspelt word was meant to be -----*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TARGET_NEARESTWORD_H
#define TITAN_TARGET_NEARESTWORD_H

#include <span>
#include <string_view>

namespace titan {

/// The one of `words` that is nearest to `word` by edit distance, capitals or
/// not. Empty if none is near: at most a third of its letters are otherwise.
std::string_view nearestWord(std::string_view word,
                             std::span<const std::string_view> words);

} // namespace titan

#endif // TITAN_TARGET_NEARESTWORD_H
