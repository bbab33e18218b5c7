//===- TritonFlags.cpp - flags of Triton's programs -------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TritonFlags.h"

#include "llvm/Support/MathExtras.h"

#include <memory>

using namespace titan;
namespace cl = llvm::cl;

/// A number from `least` on; an error message if it is none. 0 where none is given.
std::string titan::readCount(const cl::opt<std::string> &option,
                             uint64_t largest, uint64_t &value,
                             uint64_t least) {
  value = 0;
  if (!option.getNumOccurrences())
    return {};
  if (!llvm::StringRef(option.getValue()).getAsInteger(10, value) &&
      value >= least && value <= largest)
    return {};
  return "--" + option.ArgStr.str() + " is a number from " +
         std::to_string(least) + " to " + std::to_string(largest) + ", not '" +
         option.getValue() + "'";
}

TritonFlags::TritonFlags(cl::SubCommand &run, cl::SubCommand &check,
                         cl::SubCommand &compile, cl::SubCommand &explain,
                         cl::OptionCategory &category)
    : warps("num-warps",
            cl::desc("Triton: warps of a program, a power of two (4)"),
            cl::value_desc("N"), cl::sub(run), cl::sub(check), cl::sub(compile),
            cl::sub(explain), cl::cat(category)),
      ctas("num-ctas",
           cl::desc("Triton: CTAs of a program, a power of two; kernels have "
                    "one so far (1)"),
           cl::value_desc("N"), cl::sub(run), cl::sub(check), cl::sub(compile),
           cl::sub(explain), cl::cat(category)),
      registers("maxnreg",
                cl::desc("Triton: the most registers that a thread may have, "
                         "24 to 255, rounded down to a multiple of 8 "
                         "(as many as ptxas takes)"),
                cl::value_desc("N"), cl::sub(run), cl::sub(check),
                cl::sub(compile), cl::sub(explain), cl::cat(category)),
      fusion("fp-fusion",
             cl::desc("Triton: whether a product and a sum of floats may be "
                      "one operation, which rounds once: on or off"),
             cl::init("on"), cl::sub(run), cl::sub(check), cl::sub(compile),
             cl::sub(explain), cl::cat(category)),
      stages("num-stages",
             cl::desc("Triton: rounds that are under way at once of a loop "
                      "that does not say it itself, if products take what it "
                      "loads; 0 or 1: one after the other (3)"),
             cl::value_desc("N"), cl::sub(run), cl::sub(check),
             cl::sub(compile), cl::sub(explain), cl::cat(category)),
      launchChecks("launch-check",
                   cl::desc("Triton: a condition on arguments, which each "
                            "launch is checked against: two sums of products "
                            "of numbers and arguments, and ==, !=, <, <=, > or "
                            ">= between (\"stride >= n\", \"x == rows * "
                            "128\"); a tensor's name is how many elements it "
                            "has, grid_x how many programs there are along x"),
                   cl::value_desc("CONDITION"), cl::sub(check),
                   cl::sub(compile), cl::sub(explain), cl::cat(category)) {}

llvm::SmallVector<const cl::Option *> TritonFlags::all() const {
  llvm::SmallVector<const cl::Option *> flags;
  for (const auto *flag : {&warps, &ctas, &registers, &stages, &fusion})
    flags.push_back(flag);
  flags.push_back(std::addressof(launchChecks)); // &list is its storage.
  return flags;
}

std::string TritonFlags::read(TritonCommand &command) const {
  uint64_t given;
  if (std::string bad = readCount(this->warps, 32, given); !bad.empty())
    return bad;
  if (given & (given - 1))
    return "--num-warps is a power of two, not '" + this->warps.getValue() +
           "'";
  if (given)
    command.warps = static_cast<int64_t>(given);
  uint64_t ctas;
  if (std::string bad = readCount(this->ctas, 16, ctas); !bad.empty())
    return bad;
  if (ctas & (ctas - 1))
    return "--num-ctas is a power of two, not '" + this->ctas.getValue() + "'";
  if (ctas)
    command.ctas = static_cast<int64_t>(ctas);
  // Threads have registers by eights; registers(N) of titan.kernel is such a
  // number, too. ptxas gives no thread fewer than 24.
  uint64_t registers;
  if (std::string bad =
          readCount(this->registers, 255, registers, /*least=*/24);
      !bad.empty())
    return bad;
  if (registers)
    command.registers = static_cast<int64_t>(llvm::alignDown(registers, 8));
  uint64_t stages;
  if (std::string bad = readCount(this->stages, INT32_MAX, stages, /*least=*/0);
      !bad.empty())
    return bad;
  if (this->stages.getNumOccurrences())
    command.stages = static_cast<int64_t>(stages);
  if (fusion.getValue() != "on" && fusion.getValue() != "off")
    return "--fp-fusion is on or off, not '" + fusion.getValue() + "'";
  command.fusion = fusion.getValue() == "on";
  command.launchChecks = {launchChecks.begin(), launchChecks.end()};
  command.given = given || ctas || registers ||
                  this->stages.getNumOccurrences() ||
                  fusion.getNumOccurrences() || !launchChecks.empty();
  return {};
}
