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
#include <map>
#include <regex>
#include <set>
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

// A fix that names an operation names one that there is.
TEST(CitedCodes, NameOperationsThatExist) {
  const std::filesystem::path root = TITAN_SOURCE;
  auto read = [](const std::filesystem::path &path) {
    std::ifstream file(path);
    std::stringstream stream;
    stream << file.rdbuf();
    return stream.str();
  };
  // Operations, types and layouts; a family's class puts a prefix before them.
  std::set<std::string> names;
  const std::regex defined(
      R"re(def Titan_\w+\s*:\s*(Titan_\w+)<(?:"\w+", )?"([\w.]+)")re");
  const std::regex family(
      R"re(class (Titan_\w+)<string mnemonic[^:]*>\s*:\s*Titan_\w+<"([\w.]+)" # mnemonic)re");
  for (const auto &entry : std::filesystem::directory_iterator(
           root / "include/titan/Dialect/Titan")) {
    if (entry.path().extension() != ".td")
      continue;
    const std::string text = read(entry.path());
    std::map<std::string, std::string> prefixes;
    for (std::sregex_iterator it(text.begin(), text.end(), family), end;
         it != end; ++it)
      prefixes[(*it)[1]] = (*it)[2];
    for (std::sregex_iterator it(text.begin(), text.end(), defined), end;
         it != end; ++it)
      names.insert(prefixes[(*it)[1]] + (*it)[2].str());
  }
  ASSERT_TRUE(names.count("mbarrier.init") && names.count("tma.load"));
  // Attributes: by their name in the code.
  const std::regex quoted(R"re("titan\.([a-z_]+)")re");
  for (const auto &entry :
       std::filesystem::recursive_directory_iterator(root / "lib")) {
    const std::string text = read(entry.path());
    for (std::sregex_iterator it(text.begin(), text.end(), quoted), end;
         it != end; ++it)
      names.insert((*it)[1]);
  }
  const std::regex named(R"(titan\.([a-z0-9_]+(\.[a-z0-9_]+)*))");
  unsigned found = 0;
  for (const auto &entry : std::filesystem::directory_iterator(
           root / "include/titan/Target/Codes")) {
    const std::string text = read(entry.path());
    for (std::sregex_iterator it(text.begin(), text.end(), named), end;
         it != end; ++it, ++found)
      EXPECT_TRUE(names.count((*it)[1].str()))
          << entry.path().filename().string() << " names titan."
          << (*it)[1].str() << ", which there is not";
  }
  EXPECT_GT(found, 50u);
}
