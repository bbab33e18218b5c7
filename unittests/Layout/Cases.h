//===- Cases.h - Where the tests of lib/Layout get their cases -*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_UNITTESTS_LAYOUT_CASES_H
#define TITAN_UNITTESTS_LAYOUT_CASES_H

#include "titan/Layout/Layout.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace titan {

/// A number that the environment may say: a seed, how many cases.
inline uint64_t fromEnvironment(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// A layout from its text; a wrong one fails the test.
inline Layout parsed(const std::string &text) {
  Result<Layout> layout = Layout::parse(text);
  EXPECT_TRUE(bool(layout)) << text << ": " << layout.problem().message;
  return layout ? *layout : Layout();
}

} // namespace titan

#endif
