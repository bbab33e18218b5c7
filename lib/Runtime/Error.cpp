//===- Error.cpp - Coded errors of the runtime ----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Runtime/Error.h"

using namespace titan::runtime;

std::string_view titan::runtime::codeText(Code code) {
  switch (code) {
#define TITAN_RUNTIME_CODE(ID, TEXT, RULE)                                     \
  case Code::ID:                                                               \
    return TEXT;
#include "titan/Runtime/Codes.def"
  }
  return {};
}

std::string_view titan::runtime::codeRule(Code code) {
  switch (code) {
#define TITAN_RUNTIME_CODE(ID, TEXT, RULE)                                     \
  case Code::ID:                                                               \
    return RULE;
#include "titan/Runtime/Codes.def"
  }
  return {};
}

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
  return Error{std::string(codeText(code)), std::move(message),
               std::string(codeRule(code)), std::move(place), std::move(fix)};
}
