//===- LitmusTest.cpp - the litmus programs under many schedules ----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each file of tests/Litmus says for each of its kernels whether it is
// accepted, and with which codes it is refused. The simulator must agree: what
// is accepted runs without an error under every schedule tried, what is refused
// shows one of the codes under one of them.
//
//===----------------------------------------------------------------------===//
#include "Harness.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

#include <gtest/gtest.h>

#include <map>

using namespace titan;
using namespace titan::test;

namespace {

struct Expectation {
  std::string kernel;
  bool accepted = true;
  std::string codes; ///< A regular expression for one code.
  std::vector<std::string> flags;
};

std::vector<Expectation> expectationsOf(llvm::StringRef text) {
  std::vector<Expectation> found;
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  std::map<std::string, std::string> codes;
  llvm::Regex code("^// ([A-Z0-9-]+):.*\\[({{.*}}|[a-z-]+)\\]");
  for (llvm::StringRef line : lines) {
    llvm::SmallVector<llvm::StringRef> match;
    if (code.match(line, &match))
      codes[match[1].str()] = match[2].trim("{}").str();
  }
  for (llvm::StringRef line : lines) {
    if (!line.consume_front("// RUN: "))
      continue;
    Expectation expectation;
    expectation.accepted = !line.consume_front("not ");
    if (!line.consume_front("titan check %s"))
      continue;
    llvm::SmallVector<llvm::StringRef> words;
    line.split(words, ' ', -1, false);
    std::string prefix;
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i] == "--kernel")
        expectation.kernel = words[i + 1].str();
      else if (words[i].starts_with("--check-prefix="))
        prefix = words[i].substr(15).str();
      else if (words[i].starts_with("--") && words[i].contains('='))
        expectation.flags.push_back(words[i].substr(2).str());
      else if (words[i] == "--strict")
        expectation.flags.push_back("strict");
    }
    if (!expectation.accepted)
      expectation.codes = codes[prefix];
    if (!expectation.kernel.empty())
      found.push_back(expectation);
  }
  return found;
}

SimulatorOptions optionsOf(const Expectation &expectation) {
  SimulatorOptions options;
  options.maxSteps = 1 << 20;
  for (llvm::StringRef flag : expectation.flags) {
    auto [name, value] = flag.split('=');
    if (name == "strict")
      options.strictness.level =
          value == "off" ? Strictness::Level::Off : Strictness::Level::Strict;
    else if (auto severity = parseSeverity(std::string_view(value)))
      options.strictness.set(std::string_view(name), *severity);
  }
  return options;
}

/// Whether a kernel has operations of sm_100a, which the simulator does not run
/// yet (docs/status.md): of such a kernel it knows nothing.
bool unsupported(KernelOp kernel, const SimulatorReport &report) {
  if (codesOf(report) != std::vector<std::string>{"not-supported-yet"})
    return false;
  auto target = kernel->getAttrOfType<mlir::StringAttr>("titan.target");
  EXPECT_TRUE(target && target == "sm_100a") << describe(report);
  return true;
}

constexpr int schedules = 14;

void setSchedule(SimulatorOptions &options, int number) {
  options.schedule.kind = number == 0   ? Schedule::Eager
                          : number == 1 ? Schedule::Lazy
                                        : Schedule::Random;
  options.schedule.seed = number;
}

std::vector<std::string> litmusFiles() {
  std::vector<std::string> names;
  for (const std::string &file : testFiles({"Litmus"}))
    names.push_back(llvm::sys::path::stem(file).str());
  return names;
}

class Litmus : public testing::TestWithParam<std::string> {};

} // namespace

TEST_P(Litmus, Agrees) {
  std::string path = std::string(TITAN_TESTS "/Litmus/") + GetParam() + ".mlir";
  auto buffer = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(static_cast<bool>(buffer));
  Module module(path, true);
  if (!module) {
    // The verifier's business, and so the file must say.
    EXPECT_TRUE((*buffer)->getBuffer().contains("titan-opt") ||
                (*buffer)->getBuffer().contains("split-input-file"));
    GTEST_SKIP() << "refused before it could run";
  }
  for (const Expectation &expectation :
       expectationsOf((*buffer)->getBuffer())) {
    SCOPED_TRACE(expectation.kernel);
    // What the checker cannot decide the simulator just runs.
    // The attribute titan.trusted is its business, too.
    if (expectation.codes == "undecided" ||
        llvm::StringRef(expectation.codes).starts_with("trusted-"))
      continue;
    KernelOp kernel = module.kernel(expectation.kernel);
    ASSERT_TRUE(kernel);
    SimulatorOptions options = optionsOf(expectation);
    llvm::StringSet<> seen;
    // Where the file names no code, any refusal will do.
    llvm::Regex wanted(expectation.codes.empty()
                           ? std::string(".")
                           : "^(" + expectation.codes + ")$");
    bool refused = false;
    for (int number = 0; number < schedules && !refused; ++number) {
      setSchedule(options, number);
      // Loops over a dynamic size run many times, and not at all; those over an
      // argument once, more often, and not at all.
      KernelArguments arguments(kernel, number % 3 == 1 ? 1 : 64,
                                number % 4 == 2   ? 3
                                : number % 4 == 3 ? 0
                                                  : 1);
      SimulatorReport report = simulate(kernel, arguments.list, options);
      refused = unsupported(kernel, report);
      if (refused)
        break;
      if (expectation.accepted) {
        ASSERT_TRUE(codesOf(report).empty()) << "schedule " << number << "\n"
                                             << describe(report);
        continue;
      }
      for (const std::string &code : codesOf(report)) {
        seen.insert(code);
        refused |= wanted.match(code);
      }
    }
    if (!expectation.accepted) {
      std::string list;
      for (auto &code : seen)
        list += " " + code.getKey().str();
      EXPECT_TRUE(refused) << "wanted " << expectation.codes << ", saw" << list;
    }
  }
}

/// Without happens-before, effects and the proxy table, what is accepted still
/// runs; and the bytes touched are those that the effects declare.
TEST_P(Litmus, AcceptedRunWithoutHazards) {
  std::string path = std::string(TITAN_TESTS "/Litmus/") + GetParam() + ".mlir";
  auto buffer = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(static_cast<bool>(buffer));
  Module module(path, true);
  if (!module)
    GTEST_SKIP() << "refused before it could run";
  for (const Expectation &expectation :
       expectationsOf((*buffer)->getBuffer())) {
    // What only a strictness refuses is right, too; what is trusted is not.
    if (!expectation.accepted || expectation.kernel == "trusted")
      continue;
    SCOPED_TRACE(expectation.kernel);
    SimulatorOptions options = optionsOf(expectation);
    // What this lets pass is an experiment (MM-4).
    if (options.strictness.level == Strictness::Level::Off)
      continue;
    options.hazards = false;
    for (int number = 0; number < schedules; ++number) {
      setSchedule(options, number);
      options.compareEffects = number == 0;
      KernelArguments arguments(module.kernel(expectation.kernel), 64);
      SimulatorReport report =
          simulate(module.kernel(expectation.kernel), arguments.list, options);
      if (unsupported(module.kernel(expectation.kernel), report))
        break;
      ASSERT_TRUE(codesOf(report).empty()) << "schedule " << number << "\n"
                                           << describe(report);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Litmus, testing::ValuesIn(litmusFiles()),
                         [](auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });
