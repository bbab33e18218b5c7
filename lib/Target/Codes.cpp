//===- Codes.cpp - The stable codes of every refusal ----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Target/Codes.h"

#include "titan/Target/ExitStatus.h"
#include "titan/Target/NearestWord.h"

#include <algorithm>
#include <vector>

namespace titan {
namespace {

constexpr CodeInfo codeTable[] = {
#define TITAN_CODE(ID, NAME, DEFAULT, STRICT, FLAG, SOURCE, TITLE, RULE, FIX,  \
                   LESSON)                                                     \
  {Code::ID,                                                                   \
   NAME,                                                                       \
   Severity::DEFAULT,                                                          \
   Severity::STRICT,                                                           \
   FLAG,                                                                       \
   SOURCE,                                                                     \
   TITLE,                                                                      \
   RULE,                                                                       \
   FIX,                                                                        \
   LESSON},
#include "titan/Target/Codes.def"
};

/// Appends `text`, wrapped at `width`, every line after `indent` spaces.
void appendWrapped(std::string &out, std::string_view label,
                   std::string_view text, unsigned width) {
  if (text.empty())
    return;
  const size_t indent = 8;
  out += label;
  size_t column = label.size();
  if (column < indent) {
    out.append(indent - column, ' ');
    column = indent;
  }
  bool first = true;
  while (!text.empty()) {
    size_t end = std::min(text.find(' '), text.size());
    if (!first && column + 1 + end > width) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
      first = true;
    }
    if (!first) {
      out += ' ';
      ++column;
    }
    out += text.substr(0, end);
    column += end;
    first = false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out += '\n';
}

} // namespace

std::string_view toString(Severity severity) {
  switch (severity) {
  case Severity::Ignored:
    return "ignored";
  case Severity::Note:
    return "note";
  case Severity::Warning:
    return "warning";
  case Severity::Error:
    return "error";
  }
  return "error";
}

std::optional<Severity> parseSeverity(std::string_view text) {
  if (text == "error")
    return Severity::Error;
  if (text == "warning" || text == "warn")
    return Severity::Warning;
  if (text == "note")
    return Severity::Note;
  if (text == "off" || text == "ignored")
    return Severity::Ignored;
  return std::nullopt;
}

std::span<const CodeInfo> allCodes() { return codeTable; }

const CodeInfo &codeInfo(Code code) {
  return codeTable[static_cast<size_t>(code)];
}

const CodeInfo *lookupCode(std::string_view name) {
  for (const CodeInfo &info : codeTable)
    if (info.code == name)
      return &info;
  return nullptr;
}

int exitStatus(Code code) {
  switch (code) {
  case Code::BadArgument:
  case Code::FileNotFound:
  case Code::FileWrite:
  case Code::ParseError:
  case Code::NoKernel:
  case Code::ArgumentMissing:
  case Code::ArgumentUnknown:
  case Code::ArgumentShape:
  case Code::NpyFormat:
  case Code::UnknownCode:
  case Code::UnknownTarget:
  case Code::ReplayInvalid:
  case Code::PackageInvalid:
  case Code::PackageVersion:
  case Code::PackageTruncated:
  case Code::PackageChecksum:
  case Code::PackageBlob:
  case Code::ManifestInvalid:
  case Code::InternalError:
  case Code::OutOfMemory:
    return 2;
  default:
    return 1;
  }
}

const CodeInfo *nearestCode(std::string_view name) {
  std::vector<std::string_view> names;
  for (const CodeInfo &info : codeTable)
    names.push_back(info.code);
  return lookupCode(nearestWord(name, names));
}

bool Strictness::set(std::string_view flag, Severity severity) {
  bool known = !flag.empty() &&
               std::any_of(std::begin(codeTable), std::end(codeTable),
                           [&](const CodeInfo &i) { return i.flag == flag; });
  if (known)
    flags.insert_or_assign(std::string(flag), severity);
  return known;
}

Severity Strictness::severityOf(Code code) const {
  const CodeInfo &info = codeInfo(code);
  if (!info.flag.empty())
    if (auto it = flags.find(info.flag); it != flags.end())
      return it->second;
  return level == Level::Strict ? info.strictSeverity : info.severity;
}

std::string explainCode(const CodeInfo &info, unsigned width) {
  std::string out;
  out += info.code;
  out += "\n\n";
  appendWrapped(out, "What", info.title, width);
  appendWrapped(out, "Rule", info.rule, width);
  appendWrapped(out, "Source", info.source, width);
  appendWrapped(out, "Fix", info.fix, width);
  std::string level(toString(info.severity));
  if (info.strictSeverity != info.severity) {
    level += " (";
    level += toString(info.strictSeverity);
    level += " under --strict)";
  }
  if (!info.flag.empty()) {
    level += "; --";
    level += info.flag;
    level += "=error|warning|note|off sets it alone";
  }
  appendWrapped(out, "Level", level, width);
  if (!info.lesson.empty()) {
    out += '\n';
    appendWrapped(out, "Why", info.lesson, width);
  }
  return out;
}

} // namespace titan
