//===- TextEdits.h - changes of a file's text -------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a tool changes in a program it changes in the text that people wrote:
// comments, names and line breaks stay. An edit is a line before an operation,
// or, where that is the end of a block that the text does not spell, before the
// block's brace; or some letters of an operation's line become others.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DRIVER_TEXTEDITS_H
#define TITAN_DRIVER_TEXTEDITS_H

#include "titan/Analysis/Finding.h"

#include "mlir/IR/Operation.h"

#include <optional>
#include <string>
#include <vector>

namespace titan {

struct TextEdit {
  size_t offset;     ///< where it goes, in bytes
  unsigned line;     ///< of the operation that it precedes, from 1 on
  std::string text;  ///< of a line, with its end
  size_t erased = 0; ///< bytes that it takes the place of
};

/// A line before an operation of a file's text. None: the operation does not
/// begin a line.
std::optional<TextEdit> lineBefore(llvm::StringRef text, mlir::Operation *op,
                                   llvm::StringRef line);

/// Where an edit's letters stand: in the line of its place, or else in the nearest
/// line above that defines a name which that line uses.
std::optional<size_t> findEdited(llvm::StringRef text, unsigned line,
                                 unsigned column, llvm::StringRef from);

/// What a finding's edit does to the file's text. None: the letters do not stand
/// in the operation's line (which a pass may have made).
std::optional<TextEdit> replacement(llvm::StringRef text,
                                    const FindingEdit &edit);

/// The text with the edits, in their order where they are at one place.
std::string applied(llvm::StringRef text, std::vector<TextEdit> edits);

} // namespace titan

#endif
