//===- ReferenceWriter.cpp - a page of the reference ----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ReferenceWriter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace titan;

/// The columns of a terminal, but one.
static constexpr size_t pageWidth = 79;

/// Whether Markdown takes a line that begins with the word for a list's item.
static bool beginsList(StringRef word) {
  return word == "-" || word == "+" || word == "*" ||
         (word.size() > 1 && word.back() == '.' &&
          llvm::all_of(word.drop_back(), llvm::isDigit));
}

/// The words of a text. One is `code`, with the spaces in it; so is a word with
/// what may not begin a line behind it.
static std::vector<std::string> wordsOf(StringRef text) {
  std::vector<std::string> words;
  std::string word;
  bool inCode = false;
  auto end = [&] {
    if (beginsList(word) && !words.empty())
      words.back() += " " + word;
    else if (!word.empty())
      words.push_back(word);
    word.clear();
  };
  for (char c : text) {
    inCode ^= c == '`';
    if (!llvm::isSpace(c))
      word += c;
    else if (!inCode)
      end();
    else if (word.back() != ' ')
      word += ' ';
  }
  end();
  return words;
}

static std::string capital(StringRef text) {
  // Names of instructions keep their case.
  StringRef word = text.take_until([](char c) { return c == ' '; });
  std::string result = text.str();
  if (!word.contains('.') && !word.contains('_') && !word.contains('%'))
    result[0] = llvm::toUpper(result[0]);
  return result;
}

void ReferenceWriter::paragraph(StringRef text) {
  size_t column = 0;
  for (const std::string &word : wordsOf(text)) {
    if (column && column + 1 + word.size() > pageWidth) {
      os << '\n';
      column = 0;
    }
    os << (column ? " " : "") << word;
    column += word.size() + (column != 0);
  }
  os << "\n\n";
}

void ReferenceWriter::title(const Twine &name, StringRef summary) {
  if (markdown) {
    os << "## `" << name << "`\n\n";
    paragraph(capital(summary) + ".");
  } else {
    os << name << ": " << summary << "\n\n";
  }
}

void ReferenceWriter::heading(const Twine &text) {
  if (markdown)
    os << "**" << text << "**\n\n";
  else
    os << text << ":\n";
}

void ReferenceWriter::prose(StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  // The lines from `i` on of which that holds, joined.
  size_t i = 0;
  auto take = [&](auto holds) {
    size_t first = i;
    while (i < lines.size() && holds(lines[i]))
      ++i;
    return llvm::join(ArrayRef(lines).slice(first, i - first), "\n");
  };
  auto isFence = [](StringRef line) { return line.starts_with("```"); };
  auto isListed = [](StringRef line) {
    return line.starts_with("|") || line.starts_with("- ");
  };
  while (i < lines.size()) {
    if (lines[i].empty()) {
      ++i;
    } else if (isFence(lines[i])) {
      ++i;
      code(take([&](StringRef line) { return !isFence(line); }));
      ++i;
    } else if (isListed(lines[i])) {
      os << take(isListed) << "\n\n";
    } else {
      paragraph(take([&](StringRef line) {
        return !line.empty() && !isFence(line) && !isListed(line);
      }));
    }
  }
}

void ReferenceWriter::code(StringRef text) {
  if (markdown)
    os << "```mlir\n" << text << "\n```\n\n";
  else
    block(text);
}

void ReferenceWriter::block(StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines)
    os << (line.empty() ? "" : markdown ? "    " : "  ") << line << '\n';
  os << '\n';
}

void ReferenceWriter::item(StringRef name, StringRef what, size_t width) {
  if (markdown)
    os << "- `" << name << "`: " << what << '\n';
  else
    os << "  " << llvm::left_justify(name, width) << "  " << what << '\n';
}

void ReferenceWriter::fact(const Twine &name, StringRef what) {
  if (markdown)
    os << name << ": " << what << ".\n\n";
  else
    os << name << ": " << what << "\n\n";
}

std::vector<std::string> titan::findExamples(StringRef text) {
  std::vector<std::string> examples;
  bool inside = false;
  for (StringRef line : llvm::split(text, '\n')) {
    if (!inside && line == "```mlir") {
      examples.emplace_back();
      inside = true;
    } else if (line.starts_with("```")) {
      inside = false;
    } else if (inside) {
      examples.back() += (line + "\n").str();
    }
  }
  return examples;
}
