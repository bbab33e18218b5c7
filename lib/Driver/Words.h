//===- Words.h - what LLVM's command line takes in silence ------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DRIVER_WORDS_H
#define TITAN_DRIVER_WORDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace titan {

/// A message of a command line that is refused, and the fix where there is one of
/// this case.
struct BadWords {
  std::string message, fix;
};

/// What LLVM says (`text`) of words that it cannot read, without what it says for
/// any; the fix is the nearest flag, or the commands that have it.
BadWords describeUnreadable(llvm::StringRef text);

/// The library takes every flag of one letter for a group of such: an unknown flag
/// that begins with an h would be a request for help. The error's text, as the library
/// words it for other letters, or nothing. So of a last flag that lacks its value, of which
/// the library speaks by itself. `words` begin with the program's name.
std::string findMisread(llvm::StringRef command,
                        llvm::ArrayRef<const char *> words);

/// Refuses what the library takes in silence: empty words, and a flag that is
/// given twice where one value counts. An error message, or nothing.
std::string findCareless(llvm::ArrayRef<const char *> words);

} // namespace titan

#endif // TITAN_DRIVER_WORDS_H
