//===- Redundant.cpp - synchronisation that orders nothing ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Transforms/Redundant.h"

#include "titan/Transforms/HittingSet.h"
#include "titan/Transforms/InsertFences.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace titan;

namespace {

/// What a report says, whatever the order in which it says it.
using Verdict = std::vector<std::tuple<Code, Severity, const void *>>;

Verdict verdictOf(const CheckReport &report) {
  Verdict verdict;
  for (const Finding &finding : report.findings)
    verdict.emplace_back(finding.code, finding.severity,
                         finding.loc.getAsOpaquePointer());
  llvm::sort(verdict);
  return verdict;
}

/// What an operation does that does nothing but synchronise, and yields nothing but
/// a token: "wait", "arrival", "fence", "commit"; empty: it does something else.
StringRef synchronisation(Operation *op) {
  auto hardware = dyn_cast<HardwareEffectsInterface>(op);
  if (!hardware || op->getNumRegions() ||
      !llvm::all_of(op->getResultTypes(), llvm::IsaPred<TokenType>))
    return "";
  effect::EffectList effects;
  hardware.getHardwareEffects(effects);
  StringRef what;
  for (const effect::Effect &effect : effects) {
    if (std::holds_alternative<effect::WaitGroup>(effect.what) ||
        std::holds_alternative<effect::WaitFlag>(effect.what) ||
        std::holds_alternative<effect::WaitBarrier>(effect.what) ||
        std::holds_alternative<effect::ThreadBarrier>(effect.what))
      what = "wait";
    else if (std::holds_alternative<effect::Arrive>(effect.what))
      what = what.empty() ? "arrival" : what;
    else if (std::holds_alternative<effect::Fence>(effect.what))
      what = what.empty() ? "fence" : what;
    else if (std::holds_alternative<effect::CommitGroup>(effect.what))
      what = "commit";
    else
      return "";
  }
  return what;
}

std::string lineOf(Operation *op) {
  if (auto at = op->getLoc()->findInstanceOf<FileLineColLoc>())
    return "line " + std::to_string(at.getLine());
  return "another place";
}

class Finder {
public:
  Finder(KernelOp kernel, const CheckOptions &options,
         llvm::function_ref<bool(KernelOp)> proves, const OperationSet &stay)
      : kernel(kernel), options(options), proves(proves),
        fences(fencesOf(kernel)), strict(options.strictness) {
    eachTextOf(kernel, [&](Region &body) {
      body.walk([&](Operation *op) {
        if (!synchronisation(op).empty() && !llvm::is_contained(fences, op))
          others.push_back(op);
      });
    });
    result.looked = fences.size() + others.size();
    for (auto *list : {&fences, &others})
      llvm::erase_if(*list, [&](Operation *op) { return stay.contains(op); });
    // A fence that only spares a warning orders something.
    for (const CodeInfo &info : allCodes())
      if (!info.flag.empty() && strict.severityOf(info.id) == Severity::Warning)
        strict.set(std::string(info.flag), Severity::Error);
  }

  FailureOr<RedundantReport> run() {
    auto written = without({});
    if (!written)
      return failure();
    CheckReport now = check(kernelOf(*written), options);
    before = verdictOf(now);
    result.proved = proves(kernelOf(*written));
    if (!now.accepted() && !result.proved) {
      result.refusal = std::move(now.findings);
      return std::move(result);
    }
    if (failed(needless()))
      return failure();
    // Confirmed; else one after the other.
    if (!gone.empty() && compare() != Without::Same) {
      std::vector<Operation *> all = std::move(gone);
      gone.clear();
      for (Operation *op : llvm::reverse(all))
        tryWithout(op);
    }
    // The others are what needs ask for.
    for (Operation *fence : fences)
      stayedBy.try_emplace(fence, gone.size());
    // Without needs: waits, the halves of tcgen05.fence, fences of memory. What has
    // stayed is asked about again once more is out: an arrival whose wait is, and the
    // fence before it.
    for (size_t before = ~size_t(0); before != gone.size();) {
      before = gone.size();
      for (auto *list : {&others, &fences})
        for (Operation *op : llvm::reverse(*list))
          if (!isGone(op) && !isTaken(op))
            tryWithout(op);
    }
    result.looked -= llvm::count_if(
        others, [&](Operation *op) { return !isGone(op) && isTaken(op); });
    eachTextOf(kernel, [&](Region &body) {
      body.walk([&](Operation *op) {
        if (isGone(op))
          result.ops.push_back({op, reasons[op]});
        else if (proofNeeds.contains(op))
          result.proofNeeds.push_back(
              {op, "the proof needs it; without it the kernel is searched, and "
                   "nothing is found"});
      });
    });
    return std::move(result);
  }

private:
  static KernelOp kernelOf(ModuleOp module) {
    return *module.getOps<KernelOp>().begin();
  }

  /// Null, with diagnostics: it cannot be expanded.
  OwningOpRef<ModuleOp> without(ArrayRef<Operation *> out) {
    ++result.checks;
    return expandedForCheck(kernel, [&](IRMapping &to) {
      for (Operation *op : out)
        to.lookup(op)->erase();
    });
  }

  enum class Without { Differs, Unproved, Same };

  /// What the checker says without all that is gone. Unproved: it is accepted
  /// with the same findings, and the proof that there was is lost.
  Without compare() {
    // What cannot be expanded without it needs it.
    ScopedDiagnosticHandler quiet(kernel.getContext(),
                                  [](Diagnostic &) { return success(); });
    auto clone = without(gone);
    if (!clone)
      return Without::Differs;
    CheckReport found = check(kernelOf(*clone), options);
    if (verdictOf(found) != before)
      return Without::Differs;
    if (!result.proved || proves(kernelOf(*clone)))
      return Without::Same;
    // What the search alone does not decide is refused.
    return found.accepted() ? Without::Unproved : Without::Differs;
  }

  bool isGone(Operation *op) const { return llvm::is_contained(gone, op); }

  /// A commit that is needed by who waits for its token; one whose token nobody takes
  /// may be counted by a wait for all but so many groups.
  bool isTaken(Operation *op) const {
    return op->getNumResults() &&
           (op->use_empty() ||
            !llvm::all_of(op->getUsers(),
                          [&](Operation *user) { return isGone(user); }));
  }

  /// Not again with the same ones out.
  void tryWithout(Operation *op) {
    auto [stayed, fresh] = stayedBy.try_emplace(op, gone.size());
    if (!fresh && std::exchange(stayed->second, gone.size()) == gone.size())
      return;
    proofNeeds.erase(op);
    gone.push_back(op);
    Without then = compare();
    if (then == Without::Same) {
      reasons.try_emplace(op, "without this " + synchronisation(op).str() +
                                  " the checker finds the same");
      return;
    }
    gone.pop_back();
    if (then == Without::Unproved)
      proofNeeds.insert(op);
  }

  /// The fences that are not among the cheapest that meet all needs.
  LogicalResult needless() {
    std::vector<uint64_t> costs;
    for (Operation *fence : fences)
      costs.push_back(fenceCost(*fenceTypeOf(fence)) * executionsOf(fence));
    std::vector<std::vector<unsigned>> needs;
    std::vector<unsigned> chosen;
    static constexpr unsigned mostChecks = 64;
    for (unsigned round = 0; round < mostChecks; ++round) {
      FenceNeeds found(strict);
      ++result.checks;
      auto clone = expandedForCheck(kernel, [&](IRMapping &to) {
        for (auto [i, fence] : llvm::enumerate(fences))
          if (!llvm::is_contained(chosen, i))
            to.lookup(fence)->setAttr(FenceNeeds::placeName,
                                      OpBuilder(fence).getI64IntegerAttr(i));
      });
      if (!clone)
        return failure();
      CheckOptions asked = options;
      asked.fences = &found;
      check(*clone->getOps<KernelOp>().begin(), asked);
      size_t before = needs.size();
      for (const FenceNeed &need : found.all()) {
        std::vector<unsigned> list;
        for (const FenceOption &option : need.options)
          if (fenceTypeOf(fences[option.place]) == option.type)
            list.push_back(option.place);
        // Else none of them meets it: the kernel is refused as it stands.
        if (!list.empty())
          needs.push_back(std::move(list));
      }
      if (needs.size() == before)
        break;
      chosen = cheapestHittingSet(costs, needs)->chosen;
    }
    for (auto [i, fence] : llvm::enumerate(fences)) {
      if (llvm::is_contained(chosen, i))
        continue;
      gone.push_back(fence);
      reasons[fence] =
          "no access before it meets one behind it that asks for such a fence";
      for (const std::vector<unsigned> &need : needs)
        if (llvm::is_contained(need, i))
          for (unsigned other : need)
            if (llvm::is_contained(chosen, other))
              reasons[fence] =
                  "the accesses that it would order the fence of " +
                  lineOf(fences[other]) + " does";
    }
    return success();
  }

  KernelOp kernel;
  CheckOptions options;
  llvm::function_ref<bool(KernelOp)> proves;
  std::vector<Operation *> fences, others;
  Strictness strict;
  Verdict before;
  std::vector<Operation *> gone;
  std::map<Operation *, std::string> reasons;
  /// How many were out when it was last found to be needed.
  std::map<Operation *, size_t> stayedBy;
  OperationSet proofNeeds;
  RedundantReport result;
};
} // namespace

FailureOr<RedundantReport>
titan::findRedundant(KernelOp kernel, const CheckOptions &options,
                     llvm::function_ref<bool(KernelOp)> proves,
                     const OperationSet &stay) {
  return Finder(kernel, options, proves, stay).run();
}
