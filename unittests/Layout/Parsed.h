//===- Parsed.h - a layout of a test, from its text -------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_UNITTESTS_LAYOUT_PARSED_H
#define TITAN_UNITTESTS_LAYOUT_PARSED_H

#include "titan/Layout/Layout.h"

#include <gtest/gtest.h>

namespace titan {

inline Layout parsed(const std::string &text) {
  Result<Layout> layout = Layout::parse(text);
  EXPECT_TRUE(bool(layout)) << text << ": " << layout.problem().message;
  return layout ? *layout : Layout();
}

} // namespace titan

#endif
