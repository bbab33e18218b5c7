//===- CodesTest.cpp - The table of codes is well formed ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Target/Codes.h"

#include "gtest/gtest.h"

#include <cctype>
#include <set>

using namespace titan;

TEST(Codes, RowsAreWellFormed) {
  std::set<std::string_view> names;
  size_t index = 0;
  for (const CodeInfo &info : allCodes()) {
    SCOPED_TRACE(std::string(info.code));
    EXPECT_EQ(static_cast<size_t>(info.id), index++);
    EXPECT_TRUE(names.insert(info.code).second) << "duplicate";
    EXPECT_FALSE(info.code.empty());
    for (char c : info.code)
      EXPECT_TRUE(std::islower(c) || std::isdigit(c) || c == '-');
    EXPECT_FALSE(info.title.empty());
    EXPECT_FALSE(info.source.empty());
    EXPECT_FALSE(info.fix.empty());
    EXPECT_FALSE(info.rule.empty());
    // A rule is a sentence; a title and a fix go into the middle of a message.
    EXPECT_EQ(info.rule.back(), '.');
    EXPECT_NE(info.title.back(), '.');
    EXPECT_NE(info.fix.back(), '.');
    EXPECT_GE(info.strictSeverity, info.severity);
    // What --strict changes can also be changed alone.
    if (info.strictSeverity != info.severity)
      EXPECT_FALSE(info.flag.empty());
  }
  EXPECT_GT(names.size(), 100u);
}

TEST(Codes, Lookup) {
  const CodeInfo *info = lookupCode("proxy-fence-missing");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->id, Code::ProxyFenceMissing);
  EXPECT_EQ(&codeInfo(Code::ProxyFenceMissing), info);
  EXPECT_EQ(lookupCode("no-such-code"), nullptr);
  EXPECT_EQ(lookupCode(""), nullptr);
}

TEST(Codes, Nearest) {
  ASSERT_TRUE(nearestCode("proxyfence-mising"));
  EXPECT_EQ(nearestCode("proxyfence-mising")->id, Code::ProxyFenceMissing);
  EXPECT_EQ(nearestCode("completely different text"), nullptr);
  EXPECT_EQ(nearestCode(std::string(100000, 'x')), nullptr);
}

TEST(Codes, Strictness) {
  Strictness normal;
  EXPECT_EQ(normal.severityOf(Code::WarGenericAsync), Severity::Warning);
  EXPECT_EQ(normal.severityOf(Code::ClusterAsyncOrder), Severity::Ignored);
  EXPECT_EQ(normal.severityOf(Code::Race), Severity::Error);

  Strictness war;
  EXPECT_TRUE(war.set("war", Severity::Error));
  EXPECT_EQ(war.severityOf(Code::WarGenericAsync), Severity::Error);
  EXPECT_EQ(war.severityOf(Code::ScopeTooNarrow), Severity::Warning);
  EXPECT_FALSE(war.set("no-such-flag", Severity::Error));
  EXPECT_FALSE(war.set("", Severity::Ignored)) << "would silence every code";
  EXPECT_EQ(war.severityOf(Code::Race), Severity::Error);

  Strictness strict;
  strict.level = Strictness::Level::Strict;
  EXPECT_EQ(strict.severityOf(Code::WarGenericAsync), Severity::Error);
  EXPECT_EQ(strict.severityOf(Code::ScopeTooNarrow), Severity::Error);
  EXPECT_EQ(strict.severityOf(Code::ClusterAsyncOrder), Severity::Note);
  EXPECT_TRUE(strict.set("undecided", Severity::Warning));
  EXPECT_EQ(strict.severityOf(Code::Undecided), Severity::Warning);
}

TEST(Codes, ParseSeverity) {
  EXPECT_EQ(parseSeverity("error"), Severity::Error);
  EXPECT_EQ(parseSeverity("warn"), Severity::Warning);
  EXPECT_EQ(parseSeverity("off"), Severity::Ignored);
  EXPECT_EQ(parseSeverity("loud"), std::nullopt);
}

TEST(Codes, ExplainIsWrapped) {
  for (const CodeInfo &info : allCodes()) {
    std::string text = explainCode(info, 80);
    size_t start = 0;
    while (start < text.size()) {
      size_t end = text.find('\n', start);
      ASSERT_NE(end, std::string::npos);
      // Only a single word, such as an instruction's name, may stick out.
      std::string line = text.substr(start, end - start);
      size_t word =
          line.size() < 8 ? line.npos : line.find_first_not_of(' ', 8);
      bool single = word != line.npos && line.find(' ', word) == line.npos;
      EXPECT_TRUE(line.size() <= 80 || single) << line;
      start = end + 1;
    }
  }
  std::string war = explainCode(codeInfo(Code::WarGenericAsync));
  EXPECT_NE(war.find("error under --strict"), std::string::npos);
  EXPECT_NE(war.find("--war="), std::string::npos);
}
