//===- CheckFences.cpp - titan check --insert-fences, --redundant ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Commands.h"
#include "TextEdits.h"

#include "titan/Driver/Verdict.h"
#include "titan/Runtime/File.h"
#include "titan/Transforms/InsertFences.h"
#include "titan/Transforms/Redundant.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;
using namespace titan;

static CheckOptions optionsOf(const CheckCommand &command) {
  CheckOptions options;
  options.strictness = command.strictness;
  options.undecided = command.strictness.severityOf(Code::Undecided);
  options.searchSteps = command.searchSteps;
  return options;
}

static std::string plural(size_t count, StringRef word) {
  return std::to_string(count) + " " + word.str() + (count == 1 ? "" : "s");
}

static std::string placeOf(Location loc) {
  if (auto at = loc->findInstanceOf<FileLineColLoc>())
    return "line " + std::to_string(at.getLine());
  return "an unknown place";
}

/// What titan check says of the kernel with the fences in it: its errors go into
/// the plan, as why they are not enough. Failure, with diagnostics: it cannot be
/// expanded.
static LogicalResult judgeWith(KernelOp kernel, FencePlan &plan,
                               const CheckCommand &command) {
  OwningOpRef<ModuleOp> fenced =
      expandedForCheck(kernel, [&](IRMapping &mapping) {
        for (FenceInsertion fence : plan.fences) {
          fence.before = mapping.lookup(fence.before);
          if (fence.map)
            fence.map = mapping.lookup(fence.map);
          fence.insert();
        }
      });
  if (!fenced)
    return failure();
  KernelVerdict verdict = judge(*fenced->getOps<KernelOp>().begin(),
                                {.strictness = command.strictness,
                                 .searchSteps = command.searchSteps,
                                 .proofSeconds = command.proofSeconds,
                                 .requireProof = command.require == "proved"});
  for (const Finding &finding : verdict.search.findings)
    if (finding.severity == Severity::Error && plan.refusal.empty()) {
      plan.refusal = plan.stillSays(finding);
      plan.refusedAt = finding.loc;
    }
  return success();
}

/// Whether a flag makes an error of it: what only a warning says keeps a kernel
/// from being proved.
static bool mayBeError(const Finding &finding) {
  return finding.severity == Severity::Warning &&
         finding.code != Code::Undecided &&
         !codeInfo(finding.code).flag.empty();
}

/// The fences that errors ask for; where a proof is required, those that warnings
/// ask for, too.
static FailureOr<FencePlan> planOf(KernelOp kernel,
                                   const CheckCommand &command) {
  CheckOptions options = optionsOf(command);
  const bool proof = command.require == "proved";
  FailureOr<FencePlan> plan = planFences(kernel, options);
  if (failed(plan) || !plan->refusal.empty())
    return plan;
  if (proof && llvm::any_of(plan->report.findings, mayBeError)) {
    for (const Finding &finding : plan->report.findings)
      if (mayBeError(finding))
        options.strictness.set(codeInfo(finding.code).flag, Severity::Error);
    plan = planFences(kernel, options);
    if (failed(plan) || !plan->refusal.empty())
      return plan;
  }
  // What the search has not decided may be proved.
  if ((proof || !plan->report.accepted()) &&
      failed(judgeWith(kernel, *plan, command)))
    return failure();
  return plan;
}

int titan::insertFences(Session &session, ModuleOp module, KernelOp only,
                        const CheckCommand &command) {
  std::string output = command.output.empty() ? "-" : command.output;
  if (!session.claimOutput("-o", output))
    return session.finish(BadInput, "");
  StringRef text = session.getSources().getMemoryBuffer(1)->getBuffer();
  std::vector<TextEdit> edits;
  std::string verdict;
  llvm::json::Array kernels;
  bool good = true;
  for (auto kernel : module.getOps<KernelOp>()) {
    if (only && kernel != only)
      continue;
    FailureOr<FencePlan> plan = planOf(kernel, command);
    if (failed(plan))
      return session.finish(Findings, "");
    if (!plan->refusal.empty()) {
      session.report({.code = Code::FencesNotEnough,
                      .message = plan->refusal,
                      .loc = plan->refusedAt});
      good = false;
      continue;
    }
    verdict += llvm::formatv(
        "{0}@{1}: {2} put in, cost {3}{4}; {5}, {6}{7}",
        verdict.empty() ? "" : "\n", kernel.getSymName(),
        plural(plan->fences.size(), "fence"), plan->cost,
        plan->exact ? "" : " (the search for less ended early)",
        plural(plan->needs, "need"), plural(plan->checks, "check"),
        llvm::any_of(plan->report.findings, mayBeError)
            ? "; warnings are left (--require=proved puts in what they ask for)"
            : "");
    llvm::json::Array fences;
    for (const FenceInsertion &fence : plan->fences) {
      auto edit = lineBefore(text, fence.before, fence.text());
      // A map without a name cannot be named.
      if (!edit ||
          (fence.map && fence.text().find(" %") == std::string::npos)) {
        session.report({.code = Code::FenceNoPlace,
                        .message = "'" + fence.text() +
                                   "' belongs before this operation, which "
                                   "does not begin a line, or whose map has no "
                                   "name",
                        .loc = fence.before->getLoc()});
        return session.finish(Findings, "");
      }
      std::string code(codeInfo(fence.why.code).code);
      verdict +=
          llvm::formatv("\n  before line {0}: {1} ({2}: {3}, then {4})",
                        edit->line, fence.text(), code,
                        placeOf(fence.why.first), placeOf(fence.why.second));
      fences.push_back(llvm::json::Object{{"line", edit->line},
                                          {"offset", edit->offset},
                                          {"text", jsonText(edit->text)},
                                          {"code", code}});
      edits.push_back(std::move(*edit));
    }
    // Another kernel may call the same function.
    for (const FenceInsertion &fence : plan->fences)
      fence.insert();
    kernels.push_back(
        llvm::json::Object{{"kernel", jsonText(kernel.getSymName())},
                           {"fences", std::move(fences)},
                           {"cost", static_cast<int64_t>(plan->cost)},
                           {"exact", plan->exact},
                           {"checks", plan->checks}});
  }
  session.result["kernels"] = std::move(kernels);
  if (!good)
    return session.finish(Findings, verdict);
  std::string mended = applied(text, std::move(edits));
  if (output == "-" && command.json) {
    session.result["text"] = jsonText(mended);
  } else if (output == "-") {
    llvm::outs() << mended;
    llvm::errs() << verdict << "\n";
    verdict.clear();
  } else if (auto written = runtime::writeFile(output, StringRef(mended));
             !written) {
    session.fail(written.error());
    return session.finish(BadInput, "");
  }
  return session.finish(Good, verdict);
}

namespace {
/// What each kernel has too much. Kernels share functions: of what stands in one
/// nothing is told that another kernel needs.
class RedundantOfAll {
public:
  RedundantOfAll(ModuleOp module, const CheckCommand &command)
      : module(module), command(command) {}

  /// Null: one of them cannot be expanded, with diagnostics.
  const RedundantReport *of(KernelOp kernel) {
    for (bool more = true; more;) {
      const RedundantReport *own = alone(kernel);
      if (!own)
        return nullptr;
      more = false;
      for (auto [ops, both] :
           {std::pair(&own->ops, false), std::pair(&own->proofNeeds, true)})
        for (const RedundantOp &each : *ops) {
          auto needed = isNeeded(each.op, kernel, both);
          if (failed(needed))
            return nullptr;
          if (*needed)
            more |= stay[kernel].insert(each.op).second;
        }
      if (more)
        reports.erase(kernel);
    }
    return &reports.at(kernel);
  }

private:
  /// What it has by itself, but for what stays.
  const RedundantReport *alone(KernelOp kernel) {
    auto [found, isNew] = reports.try_emplace(kernel);
    if (!isNew)
      return &found->second;
    auto proves = [&](KernelOp expanded) {
      return command.proofSeconds > 0 &&
             judge(expanded, {.strictness = command.strictness,
                              .searchSteps = command.searchSteps,
                              .proofSeconds = command.proofSeconds})
                     .verdict == Verdict::Proved;
    };
    FailureOr<RedundantReport> report =
        findRedundant(kernel, optionsOf(command), proves, stay[kernel]);
    if (failed(report))
      return nullptr;
    return &(found->second = std::move(*report));
  }

  /// Whether another kernel executes `op`, too, and does not do without it; `both`:
  /// nor without it but for its proof.
  FailureOr<bool> isNeeded(Operation *op, KernelOp kernel, bool both) {
    if (kernel->isAncestor(op))
      return false;
    for (auto other : module.getOps<KernelOp>()) {
      bool executes = false;
      if (other != kernel)
        eachTextOf(other, [&](Region &body) {
          executes |= body.isAncestor(op->getParentRegion());
        });
      if (!executes)
        continue;
      const RedundantReport *theirs = alone(other);
      if (!theirs)
        return failure();
      auto has = [&](const std::vector<RedundantOp> &ops) {
        return llvm::any_of(
            ops, [&](const RedundantOp &each) { return each.op == op; });
      };
      if (!has(theirs->ops) && !(both && has(theirs->proofNeeds)))
        return true;
    }
    return false;
  }

  ModuleOp module;
  const CheckCommand &command;
  std::map<Operation *, OperationSet> stay;
  std::map<Operation *, RedundantReport> reports;
};
} // namespace

int titan::reportRedundant(Session &session, ModuleOp module, KernelOp only,
                           const CheckCommand &command) {
  std::string verdict;
  llvm::json::Array kernels;
  bool good = true;
  RedundantOfAll all(module, command);
  for (auto kernel : module.getOps<KernelOp>()) {
    if (only && kernel != only)
      continue;
    const RedundantReport *found = all.of(kernel);
    if (!found)
      return session.finish(Findings, "");
    if (!verdict.empty())
      verdict += "\n";
    if (!found->refusal.empty()) {
      for (const Finding &finding : found->refusal)
        session.report(finding);
      verdict +=
          llvm::formatv("@{0}: not accepted as it is: what orders nothing "
                        "is not asked",
                        kernel.getSymName());
      good = false;
      continue;
    }
    const Severity severity =
        command.strictness.severityOf(Code::OrdersNothing);
    auto name = [&](const RedundantOp &each) {
      return "'" + each.op->getName().getStringRef().str() + "' of @" +
             kernel.getSymName().str();
    };
    for (const RedundantOp &each : found->ops)
      session.report({.code = Code::OrdersNothing,
                      .severity = severity,
                      .message = name(each) +
                                 " orders nothing: " + each.reason +
                                 (found->proved ? "; proved without it" : ""),
                      .loc = each.op->getLoc()});
    for (const RedundantOp &each : found->proofNeeds)
      session.report({.code = Code::OrdersNothing,
                      .severity = std::min(severity, Severity::Note),
                      .message = name(each) + ": " + each.reason,
                      .loc = each.op->getLoc(),
                      .fix = "leave it where it is, or do without the proof"});
    const size_t proofNeeds = found->proofNeeds.size();
    verdict += llvm::formatv(
        "@{0}: {1} of {2} fences and waits order nothing{3}; {4}, {5}",
        kernel.getSymName(), found->ops.size(), found->looked,
        proofNeeds ? "; the proof alone needs " + std::to_string(proofNeeds)
                   : "",
        plural(found->checks, "check"),
        found->proved ? "and what is left is proved as before"
                      : "by the search alone");
    kernels.push_back(llvm::json::Object{
        {"kernel", jsonText(kernel.getSymName())},
        {"redundant", static_cast<int64_t>(found->ops.size())},
        {"proof_needs", static_cast<int64_t>(proofNeeds)},
        {"looked", found->looked},
        {"proved", found->proved},
        {"checks", found->checks}});
  }
  session.result["kernels"] = std::move(kernels);
  return session.finish(good ? Good : Findings, verdict);
}
