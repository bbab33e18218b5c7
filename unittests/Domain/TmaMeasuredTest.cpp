//===- TmaMeasuredTest.cpp - The TMA function against measurements --------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs/ holds what tests/Hardware/tma printed on an H200; nothing in there
// was computed by lib/Domain.
//
//===----------------------------------------------------------------------===//
#include "Targets.h"

#include "TmaMeasured.h"

#include <fstream>
#include <gtest/gtest.h>
#include <set>

using namespace titan;

namespace {

std::vector<std::string> linesOf(const std::string &name) {
  std::ifstream file(std::string(TITAN_DOMAIN_INPUTS) + "/" + name);
  EXPECT_TRUE(file.is_open()) << name;
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#')
      lines.push_back(line);
  return lines;
}

/// Every byte of the image or of the tensor, the transaction bytes, and what
/// hardware or encoder refuse.
TEST(TmaMeasured, Copies) {
  int equal = 0, refused = 0;
  std::set<std::string> kinds;
  for (const std::string &line : linesOf("tma-measured.txt")) {
    auto measured = parseMeasured(line);
    ASSERT_TRUE(measured) << line;
    std::string said = predictMeasured(*measured, h200);
    if (measured->outcome.starts_with("tx ")) {
      ASSERT_EQ(said, measured->outcome) << line;
      ++equal;
    } else {
      ASSERT_FALSE(said.starts_with("tx ")) << line;
      ASSERT_NE(said, "not-supported-yet") << line;
      ++refused;
    }
    kinds.insert(std::to_string(int(measured->map.mode)) + " " +
                 std::to_string(int(measured->map.interleave)) + " " +
                 std::string(measured->map.swizzle->name) + " " +
                 std::to_string(int(measured->copy.direction)));
  }
  EXPECT_GT(equal, 600);
  EXPECT_GT(refused, 80);
  // Tiled and im2col, three interleaves, four swizzles, loads and stores.
  EXPECT_GT(kinds.size(), 40u);
}

TEST(TmaMeasured, Values) {
  int checked = 0;
  std::set<std::string> kinds;
  for (const std::string &line : linesOf("tma-values.txt")) {
    std::istringstream words(line);
    std::string operation, name;
    uint64_t old = 0, source = 0, result = 0;
    words >> operation >> name >> std::hex >> old >> source >> result;
    ASSERT_FALSE(words.fail()) << line;
    const TmaType *type = findTmaType(name);
    ASSERT_TRUE(type) << line;
    uint64_t said = source;
    if (operation == "load" && name.starts_with("tf32"))
      said = roundToTf32(static_cast<uint32_t>(source));
    else if (operation != "load" && operation != "store")
      said = reduceElement(operation, *type, old, source).value_or(~result);
    ASSERT_EQ(said, result) << line;
    kinds.insert(operation + name);
    ++checked;
  }
  EXPECT_GT(checked, 3000);
  EXPECT_EQ(kinds.size(), 15u);
}

} // namespace
