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
// docs/memory-model.md is written by hand, but for its table; what the tables
// cite must be there.
//
//===----------------------------------------------------------------------===//

#include "titan/Target/Mechanisms.h"
#include "titan/Target/ProxyTable.h"
#include "titan/Target/PtxStatements.h"
#include "titan/Target/Target.h"

#include "gtest/gtest.h"

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

using namespace titan;

namespace {

constexpr std::string_view beginTable =
    "<!-- begin proxy table (printed) -->\n";
constexpr std::string_view endTable = "<!-- end proxy table -->\n";

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

/// The numbers of all "MM-<digits>" in a text.
std::set<unsigned> citedRules(std::string_view text) {
  std::set<unsigned> rules;
  for (size_t at = text.find("MM-"); at != text.npos;
       at = text.find("MM-", at + 1)) {
    unsigned number = 0;
    size_t digit = at + 3;
    for (; digit < text.size() && std::isdigit(text[digit]); ++digit)
      number = number * 10 + (text[digit] - '0');
    if (digit != at + 3)
      rules.insert(number);
  }
  return rules;
}

} // namespace

TEST(Docs, HardwareFacts) {
  expectPrinted("hardware-facts.md", printHardwareFacts());
}

/// The sources that may emit a code: all but the table itself.
static std::string readSources() {
  const std::filesystem::path root = TITAN_SOURCE;
  std::string text;
  auto add = [&](const std::filesystem::path &path) {
    std::ifstream file(path, std::ios::binary);
    text.append(std::istreambuf_iterator<char>(file), {});
  };
  for (const char *folder : {"include", "lib", "tools", "scripts"})
    for (const auto &entry :
         std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string kind = entry.path().extension().string();
      if (kind == ".cpp" || kind == ".h" || kind == ".td" || kind == ".sh")
        if (entry.path().filename() != "Codes.cpp")
          add(entry.path());
    }
  add(root / "test");
  return text;
}

/// Whether a word stands in a text, and not within a longer one.
static bool holds(std::string_view text, std::string_view word) {
  auto part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
  };
  for (size_t at = text.find(word); at != text.npos;
       at = text.find(word, at + 1))
    if ((at == 0 || !part(text[at - 1])) &&
        (at + word.size() == text.size() || !part(text[at + word.size()])))
      return true;
  return false;
}

/// What docs/codes.md says beside the table: which codes nothing emits yet.
static std::string printUnused() {
  struct Row {
    std::string_view id, code, flag;
  };
  static constexpr Row rows[] = {
#define TITAN_CODE(ID, NAME, DEFAULT, STRICT, FLAG, SOURCE, TITLE, RULE, FIX,  \
                   LESSON)                                                     \
  {#ID, NAME, FLAG},
#include "titan/Target/Codes.def"
  };
  const std::string sources = readSources();
  std::string codes;
  std::set<std::string> flags, useful;
  for (const Row &row : rows) {
    const bool emitted = holds(sources, "Code::" + std::string(row.id)) ||
                         holds(sources, row.code);
    if (!emitted)
      codes += "- `" + std::string(row.code) + "`\n";
    if (!row.flag.empty())
      (emitted ? useful : flags).insert(std::string(row.flag));
  }
  std::string out =
      "\n## Not emitted yet\n\nNothing in the sources emits these "
      "codes yet; that they have rows keeps their names.\n\n" +
      codes;
  std::string idle;
  for (const std::string &flag : flags)
    if (!useful.count(flag))
      idle += (idle.empty() ? "`--" : ", `--") + flag + "`";
  if (!idle.empty())
    out += "\nSo these flags set nothing yet: " + idle + ".\n";
  return out;
}

TEST(Docs, Codes) { expectPrinted("codes.md", printCodes() + printUnused()); }

/// A part of a document that is written by hand.
static void expectPrintedBetween(const std::string &name,
                                 std::string_view begin, std::string_view end,
                                 const std::string &part) {
  std::string text = readDoc(name);
  size_t from = text.find(begin), to = text.find(end);
  ASSERT_TRUE(from != text.npos && to != text.npos && from < to) << name;
  from += begin.size();
  expectPrinted(name, text.substr(0, from) + part + text.substr(to));
}

TEST(Docs, PtxStatements) {
  expectPrintedBetween("lowering.md",
                       "<!-- begin ptx statements (printed) -->\n",
                       "<!-- end ptx statements -->\n", printPtxStatements());
}

TEST(PtxStatements, MeaningsOfTexts) {
  auto expect = [](std::string_view text, PtxEffect effect, bool convergent) {
    PtxMeaning meaning = meaningOf(text);
    EXPECT_EQ(toString(meaning.effect), toString(effect)) << text;
    EXPECT_EQ(meaning.convergent, convergent) << text;
  };
  using enum PtxEffect;
  expect("mapa.shared::cluster.u32 $0, $1, $2;", Pure, false);
  expect("cvt.rn.f16x2.e4m3x2 $0, $1;", Pure, false);
  // The longest name counts, and ends at a dot.
  expect("ld.global.b32 $0, [$1];", Reads, false);
  expect("ld.global.cv.b32 $0, [$1];", Orders, true);
  expect("ld.weak.global.b32 $0, [$1];", Orders, true);
  expect("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {$0}, [$1];", Reads, true);
  expect("ldu.global.b32 $0, [$1];", Orders, true);
  // Behind braces, labels and predicates; the strongest of all.
  expect("{\n\t.reg .pred active;\n\tsetp.ne.b32 active, $2, 0;\n\tmov.b32 $0, "
         "0;\n\t@active ld.global.b32 $0, [$1];\n\t}",
         Reads, false);
  expect("{\n\t.reg .pred done;\nwait_${:uid}:\n\tmbarrier.try_wait.b64 done, "
         "[$0], $1;\n\t@!done bra wait_${:uid};\n\t}",
         Orders, true);
  expect("prefetch.tensormap [$0];", Acts, true);
  expect("cvt.u32.u16 $0, $1; made.up $0;", Orders, true);
  expect("mov.u32 $0, %clock;", Orders, true);
  expect("", Pure, false);
}

TEST(Docs, MemoryModelHasEveryCitedRule) {
  // Rules are headings or list items that begin "**MM-n".
  std::string text = readDoc("memory-model.md");
  std::set<unsigned> defined;
  for (size_t at = text.find("**MM-"); at != text.npos;
       at = text.find("**MM-", at + 1)) {
    std::set<unsigned> one = citedRules(text.substr(at, 10));
    ASSERT_EQ(one.size(), 1u);
    EXPECT_TRUE(defined.insert(*one.begin()).second)
        << "MM-" << *one.begin() << " is defined twice";
  }
  std::set<unsigned> cited = citedRules(text);
  auto cite = [&](std::string_view source) {
    for (unsigned rule : citedRules(source))
      cited.insert(rule);
  };
  for (const CodeInfo &info : allCodes())
    cite(info.source);
  for (const MechanismInfo &info : mechanisms())
    cite(info.rule);
  for (const EngineInfo &info : engines())
    cite(info.rule);
  for (const ProxyRow &row : proxyRows())
    cite(row.rule);
  for (unsigned rule : cited)
    EXPECT_TRUE(defined.count(rule))
        << "MM-" << rule << " is cited, but docs/memory-model.md has it not";
}

TEST(Docs, MemoryModelPrintsTheProxyTable) {
  std::string text = readDoc("memory-model.md");
  size_t begin = text.find(beginTable), end = text.find(endTable);
  ASSERT_NE(begin, text.npos);
  ASSERT_NE(end, text.npos);
  begin += beginTable.size();
  expectPrinted("memory-model.md", text.substr(0, begin) + "\n" +
                                       printProxyTable() + "\n" +
                                       text.substr(end));
}

TEST(Docs, LitmusTestsAreListed) {
  std::string text = readDoc("memory-model.md");
  text = text.substr(text.find("## 13. Litmus tests"));
  unsigned files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(
           std::filesystem::path(TITAN_SOURCE) / "tests" / "Litmus")) {
    std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".mlir")
      continue;
    ++files;
    EXPECT_NE(text.find(" " + name + " "), text.npos)
        << name << " is not in docs/memory-model.md";
  }
  unsigned listed = 0;
  for (size_t at = text.find(".mlir"); at != text.npos;
       at = text.find(".mlir", at + 1))
    ++listed;
  EXPECT_EQ(listed, files) << "docs/memory-model.md lists a file that is gone";
}
