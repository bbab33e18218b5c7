//===- DocsTest.cpp - Printed documents equal their tables ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/hardware-facts.md and docs/codes.md are printed from lib/Target. With
// TITAN_UPDATE_DOCS=1 in the environment these tests write the files.
//
//===----------------------------------------------------------------------===//

#include "titan/Target/Mechanisms.h"
#include "titan/Target/ProxyTable.h"
#include "titan/Target/Target.h"

#include "gtest/gtest.h"

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

using namespace titan;

namespace {

std::string readDoc(const std::string &name) {
  std::ifstream file(std::string(TITAN_DOCS) + "/" + name, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void expectPrinted(const std::string &name, const std::string &text) {
  if (std::getenv("TITAN_UPDATE_DOCS"))
    std::ofstream(std::string(TITAN_DOCS) + "/" + name, std::ios::binary)
        << text;
  // Not EXPECT_EQ: its report would be as long as both files.
  EXPECT_TRUE(readDoc(name) == text)
      << "docs/" << name
      << " is not what the tables print; run "
         "TITAN_UPDATE_DOCS=1 build/bin/TitanTargetTests";
}

} // namespace

TEST(Docs, HardwareFacts) {
  expectPrinted("hardware-facts.md", printHardwareFacts());
}

TEST(Docs, Codes) { expectPrinted("codes.md", printCodes()); }
