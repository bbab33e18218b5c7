//===- TritonFuzzTest.cpp - mutated texts of the tt dialect ---------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of tests/Dialect/Triton, changed a little, are read as the tools
// read a file, verified and, where they are still good, printed and read again.
// Whatever the text: an error or the same text, never a crash. TITAN_SEED names
// the first case, TITAN_CASES how many.
//
//===----------------------------------------------------------------------===//
#include "titan/Dialect/Triton/Triton.h"
#include "titan/Driver/Session.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Signals.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

using namespace mlir;
using namespace titan;

namespace {

/// Single functions, without the module around them.
std::vector<std::string> readFunctions() {
  std::vector<std::string> functions;
  for (auto &entry :
       std::filesystem::directory_iterator(TITAN_TESTS "/Dialect/Triton")) {
    std::ifstream file(entry.path());
    std::string line, function;
    while (std::getline(file, line)) {
      StringRef text = StringRef(line).ltrim();
      if (text.starts_with("//") || text.starts_with("module"))
        continue;
      if (text.starts_with("tt.func"))
        function.clear();
      function += line + "\n";
      if (text == "}" && (line == "}" || line == "  }") &&
          StringRef(function).ltrim().starts_with("tt.func"))
        functions.push_back(std::move(function)), function.clear();
    }
  }
  std::sort(functions.begin(), functions.end());
  return functions;
}

std::vector<std::string> splitTokens(StringRef text) {
  std::vector<std::string> tokens;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    auto word = [&](char c) {
      return llvm::isAlnum(c) || c == '_' || c == '.' || c == '%' || c == '@';
    };
    if (word(text[i]))
      while (end < text.size() && word(text[end]))
        ++end;
    tokens.push_back(text.slice(i, end).str());
    i = end;
  }
  return tokens;
}

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text;
}

TEST(TritonFuzz, ReadsOrRefuses) {
  auto number = [](const char *name, uint64_t otherwise) {
    const char *text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
  };
  const uint64_t first = number("TITAN_SEED", 1);
  const uint64_t cases =
      number("TITAN_CASES", std::getenv("TITAN_TEST_FULL") ? 10000000 : 100000);
  std::vector<std::string> functions = readFunctions();
  ASSERT_GT(functions.size(), 60u);
  std::vector<std::vector<std::string>> tokens;
  std::vector<std::string> all;
  for (const std::string &function : functions) {
    tokens.push_back(splitTokens(function));
    all.insert(all.end(), tokens.back().begin(), tokens.back().end());
  }

  llvm::sys::PrintStackTraceOnErrorSignal(""); // With the seed and the text.
  std::unique_ptr<MLIRContext> context;
  uint64_t good = 0;
  for (uint64_t seed = first; seed < first + cases; ++seed) {
    if (!context || seed % 20000 == 0) { // What is uniqued is never freed.
      context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
      context->loadDialect<tt::TritonDialect, gpu::GPUDialect,
                           LLVM::LLVMDialect>();
      context->getDiagEngine().registerHandler([](Diagnostic &) {});
    }
    std::mt19937_64 random(seed);
    std::vector<std::string> text = tokens[random() % tokens.size()];
    for (int changes = 1 + random() % 3; changes > 0 && !text.empty();
         --changes) {
      size_t at = random() % text.size();
      switch (random() % 5) {
      case 0:
        text.erase(text.begin() + at);
        break;
      case 1:
        text.insert(text.begin() + at, all[random() % all.size()]);
        break;
      case 2:
        text[at] = all[random() % all.size()];
        break;
      case 3:
        std::swap(text[at], text[random() % text.size()]);
        break;
      case 4:
        if (!llvm::isDigit(text[at][0]))
          break;
        text[at] =
            std::to_string(static_cast<int64_t>(random() >> (random() % 64)));
        break;
      }
    }
    std::string source = llvm::join(text, "");
    std::string what = "TITAN_SEED=" + std::to_string(seed) + "\n" + source;
    llvm::PrettyStackTraceString crash(what.c_str());
    SCOPED_TRACE(what);
    if (findTextProblem(source))
      continue;
    auto module = parseSourceString<ModuleOp>(source, context.get());
    if (!module)
      continue;
    ++good;
    std::string printed = print(*module);
    auto again = parseSourceString<ModuleOp>(printed, context.get());
    ASSERT_TRUE(again) << printed;
    ASSERT_EQ(print(*again), printed);
  }
  EXPECT_GT(good, cases / 100);
}

} // namespace
