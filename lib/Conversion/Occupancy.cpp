//===- Occupancy.cpp - a few registers fewer, a CTA more ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Occupancy.h"
#include "titan/Conversion/CubinResources.h"
#include "titan/Target/Occupancy.h"

#include "llvm/ADT/SmallVector.h"

using namespace titan;
using llvm::StringRef;

namespace {
/// A kernel of which more CTAs may be resident than with what it has.
struct Step {
  StringRef entry;
  int64_t ctas, stackBytes;
};
} // namespace

std::optional<int64_t> titan::nextOccupancy(const TargetInfo &target,
                                            int64_t warps, int64_t registers,
                                            int64_t sharedBytes) {
  int64_t fewer = registers / target.registerUnit * target.registerUnit;
  if (fewer * 10 < registers * 9)
    return std::nullopt;
  int64_t more = residentCtas(target, warps, fewer, sharedBytes);
  if (more <= residentCtas(target, warps, registers, sharedBytes))
    return std::nullopt;
  return more;
}

/// As LLVM prints the attribute nvvm.minctasm: behind the entry's .reqntid.
static std::string withSteps(StringRef ptx, llvm::ArrayRef<Step> steps) {
  std::string text = ptx.str();
  for (const Step &step : steps) {
    size_t at = text.find((".entry " + step.entry + "(").str());
    if (at != std::string::npos)
      at = text.find(".reqntid", at);
    if (at != std::string::npos)
      at = text.find('\n', at);
    if (at != std::string::npos)
      text.insert(at, "\n.minnctapersm " + std::to_string(step.ctas));
  }
  return text;
}

Assembly titan::assembleForOccupancy(std::string &ptx, const TargetInfo &target,
                                     StringRef ptxas,
                                     llvm::ArrayRef<FreeRegisters> kernels) {
  Assembly result = assemble(ptx, target.name, ptxas);
  if (result.status != Assembly::Done)
    return result;
  llvm::SmallVector<Step> steps;
  for (const FreeRegisters &kernel : kernels)
    if (auto took = readCubinResources(result.cubin, kernel.entry))
      if (auto ctas = nextOccupancy(target, kernel.warps, took->registers,
                                    kernel.sharedBytes))
        steps.push_back({kernel.entry, *ctas, took->stackBytes});
  // Kernels are assembled each for itself: what is left without those that spill is
  // as it was.
  while (!steps.empty()) {
    std::string text = withSteps(ptx, steps);
    Assembly again = assemble(text, target.name, ptxas);
    if (again.status != Assembly::Done)
      return result;
    size_t tried = steps.size();
    llvm::erase_if(steps, [&](const Step &step) {
      auto took = readCubinResources(again.cubin, step.entry);
      return !took || took->stackBytes > step.stackBytes;
    });
    if (steps.size() == tried) {
      ptx = std::move(text);
      return again;
    }
  }
  return result;
}
