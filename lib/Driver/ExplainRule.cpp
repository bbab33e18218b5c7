//===- ExplainRule.cpp - titan explain MM-34 ------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of the memory model, as docs/memory-model.md states them: a paragraph
// that begins with **MM-n, up to the next one or the next heading.
//
//===----------------------------------------------------------------------===//
#include "Commands.h"

#include "titan/Target/Codes.h"
#include "llvm/ADT/StringRef.h"

using namespace titan;
using llvm::StringRef;

static const std::pair<const char *, const char *> documents[] = {
#include "MemoryModel.inc"
};

/// Whether `rules`, as a code's source lists them, has `rule`: MM-3 is none of MM-34.
static bool cites(StringRef rules, StringRef rule) {
  for (size_t at = rules.find(rule); at != StringRef::npos;
       at = rules.find(rule, at + 1)) {
    StringRef rest = rules.substr(at + rule.size());
    if (rest.empty() || !llvm::isDigit(rest.front()))
      return true;
  }
  return false;
}

std::optional<std::string> titan::explainRule(StringRef rule) {
  std::string name = rule.upper();
  StringRef text = documents[0].second;
  size_t begin = text.find("\n**" + name + ". ");
  if (begin == StringRef::npos)
    return std::nullopt;
  StringRef rest = text.substr(begin + 1);
  size_t end = std::min({rest.find("\n**MM-", 1), rest.find("\n#"),
                         rest.find("\n<!--"), rest.size()});
  std::string out = rest.substr(0, end).rtrim().str() + "\n";
  std::string codes;
  for (const CodeInfo &info : allCodes())
    if (cites(StringRef(info.source.data(), info.source.size()), name))
      codes += "  " + std::string(info.code) + "\n";
  if (!codes.empty())
    out += "\nCodes that cite it (titan explain CODE):\n" + codes;
  return out + "\nThe whole model: docs/memory-model.md\n";
}
