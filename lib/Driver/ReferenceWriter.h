//===- ReferenceWriter.h - a page of the reference --------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Descriptions of .td files are Markdown of four kinds of blocks: paragraphs,
// tables (lines that begin with |), lists (lines that begin with "- ") and code
// (between ``` lines). Paragraphs are filled, once, whatever their lines were in
// the .td; code and tables stay as they are written, and so does `code` in a
// paragraph, which is one word.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DRIVER_REFERENCEWRITER_H
#define TITAN_DRIVER_REFERENCEWRITER_H

#include "mlir/Support/LLVM.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

namespace titan {

/// Writes a page for a terminal, or for docs/reference.
class ReferenceWriter {
public:
  ReferenceWriter(llvm::raw_ostream &os, bool markdown)
      : os(os), markdown(markdown) {}

  void title(const llvm::Twine &name, llvm::StringRef summary);
  void heading(const llvm::Twine &text);
  /// A description.
  void prose(llvm::StringRef text);
  /// titan IR.
  void code(llvm::StringRef text);
  /// Lines as they are.
  void block(llvm::StringRef text);
  /// One line of a list; endItems() ends it. `width`: of the longest name.
  void item(llvm::StringRef name, llvm::StringRef what, size_t width);
  void endItems() { os << '\n'; }
  void fact(const llvm::Twine &name, llvm::StringRef what);

private:
  void paragraph(llvm::StringRef text);

  llvm::raw_ostream &os;
  bool markdown;
};

/// The texts between ```mlir and ``` lines of a description or a page.
std::vector<std::string> findExamples(llvm::StringRef text);

} // namespace titan

#endif // TITAN_DRIVER_REFERENCEWRITER_H
