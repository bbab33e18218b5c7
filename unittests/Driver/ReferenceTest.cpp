//===- ReferenceTest.cpp - what the reference shows is titan IR -----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each example of docs/reference is parsed and verified where it stands: a kernel
// as it is, an operation in a small kernel, in whose launch region, body, elect
// or warp_specialize it may stand. The values that it uses are declared with the
// types that the parser asks for, and come from nowhere, which some verifiers
// refuse: what these say is let by.
//
//===----------------------------------------------------------------------===//
#include "OperationReference.h"
#include "ReferenceWriter.h"
#include "TypeReference.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <map>
#include <regex>

using namespace mlir;
using namespace titan;

namespace {

/// What a parser says of a text, and the word in the text at each place.
struct Said {
  bool good = false;                                       ///< To the parser.
  std::vector<std::pair<std::string, std::string>> errors; ///< message, word
};

Said parse(const std::string &text, MLIRContext &context) {
  Said said;
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    auto loc = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
    StringRef word;
    if (loc && loc.getLine() && loc.getLine() <= lines.size())
      word = lines[loc.getLine() - 1]
                 .drop_front(loc.getColumn() - 1)
                 .take_while([](char c) {
                   return llvm::isAlnum(c) || c == '%' || c == '_' || c == '.';
                 });
    said.errors.emplace_back(diagnostic.str(), word.str());
    return success();
  });
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, config);
  said.good = bool(module);
  if (module)
    (void)mlir::verify(*module);
  return said;
}

/// Whether a verifier asks where an operand comes from, or goes to: from an argument
/// of the kernel, the launch, an allocation, a load, to what an elect hands on.
bool isOfOrigin(StringRef message) {
  for (StringRef each :
       {"[tma-tensor]", "[tensormap-place]", "[tmem-alloc]",
        "[not-supported-yet] a prefetch through a map that the kernel makes",
        "[elect-yield]", "[assume-contents]",
        "'builtin.unrealized_conversion_cast' op [launch-operation]"})
    if (message.contains(each))
      return true;
  return false;
}

/// Why a text stands nowhere; nothing if it does.
std::string whyNot(StringRef text, MLIRContext &context) {
  std::string names, body;
  bool kernel = false;
  for (StringRef line : llvm::split(text, '\n')) {
    bool name = line.starts_with("!") || line.starts_with("#");
    (name ? names : body) += (line + "\n").str();
    kernel |= line.starts_with("titan.kernel");
  }
  std::string reasons;
  auto note = [&](const Said &said) {
    for (const auto &[message, word] : said.errors)
      reasons += message + " (" + word + ")\n";
  };
  if (kernel) {
    note(parse(text.str(), context));
    return reasons;
  }
  bool launch = StringRef(body).contains("titan.launch"),
       end = StringRef(body).contains("titan.return");
  for (auto [before, after] : {std::pair("", ""),
                               {"titan.elect {\n", "}\n"},
                               {"titan.warp_specialize {\n", "}\n"},
                               {"launch", ""}}) {
    std::map<std::string, std::string> types;
    for (int round = 0; round < 100; ++round) {
      std::string values;
      for (const auto &[name, type] : types)
        values +=
            name + " = builtin.unrealized_conversion_cast to " + type + "\n";
      std::string source =
          names + "titan.kernel @example() warps(4) launch {\n";
      if (StringRef(before) == "launch")
        source += values + body;
      if (!launch)
        source += "%one = arith.constant 1 : index\ntitan.launch grid(%one)\n";
      source += "} body() {\n";
      if (StringRef(before) != "launch")
        source += values + before + body + after;
      source += std::string(end ? "" : "titan.return\n") + "}\n";
      Said said = parse(source, context);
      if (said.good && llvm::all_of(said.errors, [](const auto &error) {
            return isOfOrigin(error.first);
          }))
        return "";
      bool learnt = false;
      for (const auto &[message, word] : said.errors) {
        static const std::regex other(
            "use of value '(%[^']+)' expects different type than prior uses: "
            "'(.*)' vs '.*'");
        std::smatch match;
        if (std::regex_search(message, match, other)) {
          std::string &type = types[match[1]];
          learnt |= type == "none";
          type = match[2];
        } else if (message == "use of undeclared SSA value name" &&
                   word.size() > 1) {
          learnt |= types.emplace(word, "none").second;
        }
      }
      if (!learnt) {
        note(said);
        break;
      }
    }
  }
  return reasons;
}

TEST(Reference, EachExampleParses) {
  Session session("explain", /*json=*/false);
  unsigned count = 0, whole = 0;
  for (const auto &[name, page] : OperationReference().pages()) {
    StringRef of = name;
    if (of.starts_with("attributes") || of.starts_with("types"))
      continue; // Below.
    for (const std::string &example : findExamples(page)) {
      EXPECT_EQ(whyNot(example, session.getContext()), "") << name << ":\n"
                                                           << example;
      ++count;
      whole += StringRef(example).contains("} body(");
    }
  }
  EXPECT_GE(count, allOperations().size());
  EXPECT_GE(whole, 2u);
  // What does not parse is seen.
  EXPECT_NE(whyNot("titan.launch grid(%n) (%map : !titan.slot)\n",
                   session.getContext()),
            "");
  EXPECT_NE(whyNot("%m = titan.dim %src, 0\n", session.getContext()), "");
}

TEST(Reference, EachOperationHasOne) {
  for (StringRef name : OperationReference().missing())
    ADD_FAILURE() << name.str()
                  << " has no example in tests/Dialect/syntax*.mlir";
}

TEST(Reference, EachTypeAndAttribute) {
  Session session("explain", /*json=*/false);
  MLIRContext &context = session.getContext();
  unsigned layouts = 0;
  for (const TypeInfo &info : allTypes()) {
    SCOPED_TRACE(info.name.str());
    EXPECT_EQ(lookupType(info.name), &info);
    EXPECT_FALSE(info.summary.empty());
    for (const TypeParameter &parameter : info.parameters)
      EXPECT_FALSE(parameter.what.empty()) << parameter.name.str();
    auto names = definedByExamples(info, context);
    ASSERT_TRUE(names.has_value());
    // One of them is it, or a tensor in it.
    bool shown = false;
    for (const ExampleName &each : *names) {
      std::string text;
      llvm::raw_string_ostream os(text);
      if (each.type)
        os << each.type;
      else
        os << each.attribute;
      StringRef mnemonic = info.name.drop_front(StringRef("#titan.").size());
      shown |= StringRef(text).contains((info.name + "<").str()) ||
               text == info.name ||
               StringRef(text).starts_with(("#titan<" + mnemonic + " ").str());
      if (auto tile = dyn_cast_or_null<RankedTensorType>(each.type))
        if (auto layout =
                dyn_cast_or_null<LayoutAttrInterface>(tile.getEncoding())) {
          auto found = layout.getLayout(tile.getShape());
          EXPECT_TRUE(bool(found)) << text << ": " << found.problem().message;
          ++layouts;
        }
    }
    EXPECT_TRUE(shown);
  }
  EXPECT_GE(layouts, 10u);
  EXPECT_EQ(lookupType("#titan.wgmma<2, 1>"), lookupType("#titan.wgmma"));
  ASSERT_NE(lookupType("#titan<sem acquire>"), nullptr);
  EXPECT_EQ(lookupType("#titan<sem acquire>")->name, "#titan.sem");
  EXPECT_EQ(lookupType("#titan.wgmm"), nullptr);
}

TEST(Reference, EachCarriedAttribute) {
  Session session("explain", /*json=*/false);
  for (const AttributeInfo &info : allAttributes()) {
    // The braces that it stands in, or all of it as their contents.
    StringRef text = info.example;
    size_t begin = text.find("{titan.");
    int depth = 0;
    size_t end = begin;
    for (; begin != StringRef::npos && end < text.size(); ++end)
      if ((depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0) == 0)
        break;
    std::string braces = begin == StringRef::npos
                             ? ("{" + text + "}").str()
                             : text.slice(begin, end + 1).str();
    auto parsed = dyn_cast_or_null<DictionaryAttr>(
        parseAttribute(braces, &session.getContext()));
    ASSERT_TRUE(parsed) << info.name.str();
    EXPECT_TRUE(parsed.get(info.name)) << info.name.str();
  }
}

TEST(Reference, ParagraphsAreFilledOnceAndCodeIsLeft) {
  std::string text;
  llvm::raw_string_ostream os(text);
  ReferenceWriter(os, /*markdown=*/true)
      .prose("```mlir\n"
             "titan.copy %A[%row, %k] to %tile // as it is, however long a "
             "line of code may be here\n"
             "    : !a, !b\n"
             "```\n"
             "A is a tile of M x K (or K x M with `transpose_a`), or a "
             "register tile of some\n"
             "size, and `a span of code is one word of the text` that is not "
             "broken by a line's end.\n"
             "\n"
             "From `lower` to the size - 1 of each dimension, and so on to the "
             "end of the size - 1.\n"
             "\n"
             "| a | b |\n"
             "|---|---|");
  EXPECT_EQ(text, "```mlir\n"
                  "titan.copy %A[%row, %k] to %tile // as it is, however long "
                  "a line of code may be here\n"
                  "    : !a, !b\n"
                  "```\n\n"
                  "A is a tile of M x K (or K x M with `transpose_a`), or a "
                  "register tile of some\n"
                  "size, and `a span of code is one word of the text` that is "
                  "not broken by a\n"
                  "line's end.\n\n"
                  "From `lower` to the size - 1 of each dimension, and so on "
                  "to the end of the\n"
                  "size - 1.\n\n"
                  "| a | b |\n"
                  "|---|---|\n\n");
}

} // namespace
