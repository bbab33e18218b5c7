//===- Error.cpp - Coded errors of the runtime ----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Runtime/Error.h"

using namespace titan;
using namespace titan::runtime;

std::string Error::text() const {
  std::string out = "error: [" + code + "] " + message + "\n";
  if (!place.empty())
    out += "  at: " + place + "\n";
  if (!rule.empty())
    out += "  rule: " + rule + "\n";
  if (!fix.empty())
    out += "  fix: " + fix + "\n";
  return out;
}

Error titan::runtime::makeError(Code code, std::string message,
                                std::string place, std::string fix) {
  const CodeInfo &info = codeInfo(code);
  Error e;
  e.code = info.code;
  e.message = std::move(message);
  e.rule = std::string(info.rule) + " (" + std::string(info.source) + ")";
  e.place = std::move(place);
  e.fix = fix.empty() ? std::string(info.fix) : std::move(fix);
  return e;
}
