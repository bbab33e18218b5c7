//===- CitedCodesTest.cpp - Codes in messages stand in the table ----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages carry their code in brackets: "[tma-rank] a map has ...". `titan
// explain` must know every one of them.
//
//===----------------------------------------------------------------------===//

#include "titan/Target/Codes.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

using namespace titan;

TEST(CitedCodes, StandInTheTable) {
  const std::filesystem::path root = TITAN_SOURCE;
  // At least one hyphen: "[i]" and the like are no codes.
  const std::regex cited(R"(\[([a-z]+(-[a-z0-9]+)+)\])");
  unsigned found = 0;
  for (const char *folder : {"include", "lib", "tools"}) {
    for (const auto &entry :
         std::filesystem::recursive_directory_iterator(root / folder)) {
      std::string kind = entry.path().extension().string();
      if (kind != ".cpp" && kind != ".h" && kind != ".td" && kind != ".def")
        continue;
      std::ifstream file(entry.path());
      std::stringstream stream;
      stream << file.rdbuf();
      std::string text = stream.str();
      for (std::sregex_iterator it(text.begin(), text.end(), cited), end;
           it != end; ++it) {
        ++found;
        EXPECT_TRUE(lookupCode((*it)[1].str()))
            << entry.path().string() << " cites [" << (*it)[1].str() << "]";
      }
    }
  }
  EXPECT_GT(found, 50u);
}

// The scripts at the root refuse by `refuse CODE MESSAGE FIX`.
TEST(CitedCodes, OfTheScriptsToo) {
  std::ifstream file(std::filesystem::path(TITAN_SOURCE) / "scripts/setup.sh");
  std::stringstream stream;
  stream << file.rdbuf();
  std::string text = stream.str();
  const std::regex refused(R"(refuse ([a-z]+(-[a-z0-9]+)+) )");
  unsigned found = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), refused), end;
       it != end; ++it, ++found)
    EXPECT_TRUE(lookupCode((*it)[1].str())) << (*it)[1].str();
  EXPECT_GT(found, 5u);
}
