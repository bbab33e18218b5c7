//===- TextEdits.cpp - changes of a file's text ----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TextEdits.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;
using namespace titan;

/// Where an operation's name stands.
static std::optional<size_t> offsetOf(StringRef text, Operation *op,
                                      unsigned &line) {
  auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>();
  if (!loc || loc.getLine() == 0 || loc.getColumn() == 0)
    return std::nullopt;
  line = loc.getLine();
  size_t at = 0;
  for (unsigned n = 1; n < line; ++n) {
    at = text.find('\n', at);
    if (at == StringRef::npos)
      return std::nullopt;
    ++at;
  }
  at += loc.getColumn() - 1;
  return at < text.size() ? std::optional(at) : std::nullopt;
}

/// The brace that ends the block in which something at `from` stands.
static size_t endOfBlock(StringRef text, size_t from) {
  unsigned depth = 0;
  for (size_t i = from; i < text.size(); ++i)
    switch (text[i]) {
    case '"':
      for (++i; i < text.size() && text[i] != '"'; ++i)
        i += text[i] == '\\';
      break;
    case '/':
      if (text.substr(i).starts_with("//"))
        i = std::min(text.find('\n', i), text.size()) - 1;
      break;
    case '{':
      ++depth;
      break;
    case '}':
      if (depth-- == 0)
        return i;
      break;
    default:
      break;
    }
  return StringRef::npos;
}

/// As the lines of a text end.
static StringRef lineEnd(StringRef text) {
  return text.take_front(text.find('\n')).ends_with("\r") ? "\r\n" : "\n";
}

std::optional<TextEdit> titan::lineBefore(StringRef text, Operation *op,
                                          StringRef line) {
  TextEdit edit{0, 0, ""};
  std::optional<size_t> at = offsetOf(text, op, edit.line);
  if (!at)
    return std::nullopt;
  unsigned parentLine = 0, previousLine = 0;
  Operation *parent = op->getParentOp(), *previous = op->getPrevNode();
  auto begin = [&](size_t offset) {
    return text.rfind('\n', offset) == StringRef::npos || offset == 0
               ? 0
               : text.take_front(offset).rfind('\n') + 1;
  };
  auto indentOf = [&](size_t offset) {
    StringRef from = text.drop_front(begin(offset));
    return from.take_front(from.find_first_not_of(" \t")).str();
  };
  // An end of a block that nobody wrote has its parent's place.
  if (op->hasTrait<OpTrait::IsTerminator>() &&
      offsetOf(text, parent, parentLine) == at) {
    // Nor has what was put in before it.
    while (previous && offsetOf(text, previous, previousLine) == at)
      previous = previous->getPrevNode();
    auto before = previous ? offsetOf(text, previous, previousLine)
                           : std::optional<size_t>();
    if (!before)
      return std::nullopt;
    size_t brace = endOfBlock(text, *before);
    if (brace == StringRef::npos)
      return std::nullopt;
    edit.offset = begin(brace);
    if (!text.slice(edit.offset, brace).trim().empty())
      return std::nullopt;
    edit.line = text.take_front(brace).count('\n') + 1;
    edit.text = (indentOf(*before) + line + lineEnd(text)).str();
    return edit;
  }
  edit.offset = begin(*at);
  StringRef ahead = text.slice(edit.offset, *at).trim();
  // Only the names of its results may stand before it.
  if (!ahead.empty() && !(ahead.starts_with("%") && ahead.ends_with("=")))
    return std::nullopt;
  edit.text = (indentOf(*at) + line + lineEnd(text)).str();
  return edit;
}

std::optional<size_t> titan::findEdited(StringRef text, unsigned line,
                                        unsigned column, StringRef from) {
  size_t begin = 0;
  for (unsigned n = 1; n < line; ++n) {
    begin = text.find('\n', begin);
    if (begin == StringRef::npos)
      return std::nullopt;
    ++begin;
  }
  StringRef own = text.slice(begin, text.find('\n', begin));
  if (size_t at = own.find(from, column - 1); at != StringRef::npos)
    return begin + at;
  // Names are letters, digits and some signs; the nearest definition is in scope.
  auto letter = [](char c) {
    return llvm::isAlnum(c) || StringRef("$._-").contains(c);
  };
  for (size_t end = begin; end > 0;) {
    size_t from0 = text.take_front(end - 1).rfind('\n');
    size_t start = from0 == StringRef::npos ? 0 : from0 + 1;
    StringRef above = text.slice(start, end);
    auto [name, value] = above.trim().split(" = ");
    size_t at = above.find(from);
    if (name.starts_with("%") && at != StringRef::npos)
      for (size_t use = own.find(name); use != StringRef::npos;
           use = own.find(name, use + 1))
        if (use + name.size() >= own.size() || !letter(own[use + name.size()]))
          return start + at;
    end = start;
  }
  return std::nullopt;
}

std::optional<TextEdit> titan::replacement(StringRef text,
                                           const FindingEdit &edit) {
  auto loc = edit.loc->findInstanceOf<FileLineColLoc>();
  if (!loc || loc.getLine() == 0 || loc.getColumn() == 0)
    return std::nullopt;
  auto at = findEdited(text, loc.getLine(), loc.getColumn(), edit.from);
  if (!at)
    return std::nullopt;
  unsigned line = text.take_front(*at).count('\n') + 1;
  return TextEdit{*at, line, edit.to, edit.from.size()};
}

std::string titan::applied(StringRef text, std::vector<TextEdit> edits) {
  std::multimap<size_t, const TextEdit *> inOrder;
  for (const TextEdit &edit : edits)
    inOrder.emplace(edit.offset, &edit);
  std::string result;
  size_t from = 0;
  for (auto &[offset, which] : inOrder) {
    const TextEdit &edit = *which;
    result += text.slice(from, edit.offset);
    result += edit.text;
    from = edit.offset + edit.erased;
  }
  result += text.drop_front(from);
  return result;
}
