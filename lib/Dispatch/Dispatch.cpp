//===- Dispatch.cpp - variants, predicates, costs -------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Dispatch/Dispatch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace titan;
using namespace titan::dispatch;
using llvm::StringRef;

llvm::StringRef dispatch::nameOf(Memory memory) {
  switch (memory) {
  case Memory::Global:
    return "global";
  case Memory::Shared:
    return "shared";
  case Memory::Registers:
    return "registers";
  }
  llvm_unreachable("all memories");
}

std::string Cost::str() const {
  auto counted = [](int64_t n, const char *one) {
    return std::to_string(n) + " " + one + (n == 1 ? "" : "s");
  };
  // Of products there are no bytes.
  return counted(instructions, "instruction") +
         (bytes ? " of " + counted(bytes, "byte") : "") + ", " +
         counted(threads, "thread") + ", " +
         (fences ? counted(fences, "fence") : "no fences") +
         (cycles ? ", about " + counted(*cycles, "cycle") : "");
}

static std::string sayingOf(const Verdict &verdict) {
  return verdict.predicate == "plan"
             ? verdict.problem.message
             : verdict.predicate + ": " + verdict.problem.message;
}

Problem Decision::problem(llvm::StringRef code) const {
  if (forced && verdicts.empty())
    return {code.str(),
            "there is no variant '" + *forced + "'; there are " + names};
  if (verdicts.size() == 1 && forced && verdicts.front().problem.code.empty())
    return {code.str(), "dispatch(\"" + *forced +
                            "\") does not fit: " + sayingOf(verdicts.front())};
  const Verdict *only = nullptr;
  int planned = 0;
  for (const Verdict &verdict : verdicts)
    if (verdict.predicate == "plan") {
      only = &verdict;
      ++planned;
    }
  if (planned == 1 && !only->problem.code.empty())
    return only->problem;
  std::string text = "no variant does it: ";
  llvm::ListSeparator line("\n  ");
  // 0: all its predicates hold; 1: it wants something of this one; 2: of another kind.
  auto rank = [](const Verdict &verdict) {
    return verdict.otherKind ? 2 : verdict.predicate != "plan";
  };
  for (int each : {0, 1, 2})
    for (const Verdict &verdict : verdicts)
      if (!verdict.fits() && !verdict.elsewhere && rank(verdict) == each)
        text +=
            (StringRef(line) + verdict.name + ": " + sayingOf(verdict)).str();
  return {code.str(), text};
}

std::vector<std::string> Decision::lines() const {
  size_t width = 0;
  std::string elsewhere;
  for (const Verdict &verdict : verdicts)
    if (verdict.elsewhere)
      elsewhere += (elsewhere.empty() ? "" : ", ") + verdict.name;
    else
      width = std::max(width, verdict.name.size());
  std::vector<std::string> list;
  for (auto [i, verdict] : llvm::enumerate(verdicts)) {
    if (verdict.elsewhere)
      continue;
    std::string line = verdict.name;
    line.append(width - line.size() + 2, ' ');
    line += verdict.fits() ? verdict.cost.str() + "; priority " +
                                 std::to_string(verdict.priority)
                           : "no: " + sayingOf(verdict);
    if (verdict.fallback && verdict.fits())
      line += ", where nothing else fits";
    if (static_cast<int>(i) == chosen)
      line += "  <- chosen";
    list.push_back(std::move(line));
  }
  if (!elsewhere.empty())
    list.push_back("between other memories: " + elsewhere);
  return list;
}
