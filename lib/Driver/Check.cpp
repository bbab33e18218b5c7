//===- Check.cpp - titan check --------------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Commands.h"

#include "titan/Analysis/Checker.h"
#include "titan/Analysis/Typestate/Prove.h"
#include "titan/Driver/Pipelines.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace titan;

/// Whether the kernel is proved, in lines of a verdict and as JSON.
static std::string describe(const ProofReport &proof,
                            llvm::json::Object &json) {
  std::string text;
  llvm::raw_string_ostream os(text);
  json["systems"] = static_cast<int64_t>(proof.systems);
  json["verdict"] = proof.proved ? "proved" : "searched";
  json["seconds"] = proof.seconds;
  if (proof.proved) {
    json["assumptions"] = jsonTexts(proof.assumptions);
    os << "\n  proved, for every size that the launch admits";
    if (!proof.assumptions.empty())
      os << "; assumed: " << llvm::join(proof.assumptions, "; ");
    return text;
  }
  json["reason"] = jsonText(proof.reason);
  os << "\n  searched, not proved: ";
  if (proof.stoppedAt)
    if (auto at = proof.stoppedAt->getLoc()->findInstanceOf<FileLineColLoc>()) {
      json["line"] = static_cast<int64_t>(at.getLine());
      json["column"] = static_cast<int64_t>(at.getColumn());
      os << "line " << at.getLine() << ": ";
    }
  os << proof.reason;
  if (!proof.goOn.empty()) {
    json["fix"] = jsonText(proof.goOn);
    os << " (" << proof.goOn << ")";
  }
  return text;
}

int titan::runCheck(const CheckCommand &options) {
  Session session("check", options.json);
  OwningOpRef<ModuleOp> module = session.parse(options.file);
  if (!module)
    return session.finish(BadInput, "");
  // Without --kernel, all of them.
  KernelOp only;
  if (!options.kernel.empty() || module->getOps<KernelOp>().empty()) {
    only = session.findKernel(*module, options.kernel);
    if (!only)
      return session.finish(BadInput, "");
  }

  session.setDefaultCode(Code::InternalError);
  if (options.insertFences)
    return insertFences(session, *module, only, options);
  if (options.redundant)
    return reportRedundant(session, *module, only, options);
  PassManager passes(&session.getContext());
  passes.enableVerifier(true);
  buildCheckPipeline(passes);
  if (failed(passes.run(*module)))
    return session.finish(Findings, "");

  CheckOptions checkOptions;
  checkOptions.strictness = options.strictness;
  checkOptions.undecided = options.strictness.severityOf(Code::Undecided);
  std::string verdicts;
  bool accepted = true;
  llvm::json::Array kernels;
  for (auto kernel : module->getOps<KernelOp>()) {
    if (only && kernel != only)
      continue;
#ifdef TITAN_HAS_CHECKER
    CheckReport report = check(kernel, checkOptions);
#else
    CheckReport report;
    report.findings.push_back({.code = Code::NotSupportedYet,
                               .message = "this build has no checker",
                               .loc = kernel.getLoc()});
#endif
    // What the search does not refuse may be right for every size.
    std::optional<ProofReport> proof;
#ifdef TITAN_HAS_CHECKER
    if (!options.require.empty() && report.accepted())
      proof = prove(kernel);
    // A finding that is none by --FLAG=..., or trusted, is no part of a proof.
    if (proof && proof->proved &&
        (!report.findings.empty() || report.silenced)) {
      proof->proved = false;
      proof->reason = "what is told above is accepted, not proved";
      proof->stoppedAt = kernel;
    }
    if (options.require == "proved" && proof && !proof->proved)
      report.findings.push_back({.code = Code::Undecided,
                                 .severity = Severity::Error,
                                 .message = "not proved: " + proof->reason,
                                 .loc = proof->stoppedAt
                                            ? proof->stoppedAt->getLoc()
                                            : kernel.getLoc(),
                                 .fix = proof->goOn});
#endif
    unsigned errors = 0, warnings = 0;
    for (const Finding &finding : report.findings) {
      session.report(finding);
      errors += finding.severity == Severity::Error;
      warnings += finding.severity == Severity::Warning;
    }
    bool good = errors == 0;
    bool onlyUndecided =
        llvm::all_of(report.findings, [](const Finding &finding) {
          return finding.severity != Severity::Error ||
                 finding.code == Code::Undecided;
        });
    accepted &= good;
    StringRef verdict =
        good ? (report.undecided ? "accepted but for what is undecided"
                                 : "accepted")
        : onlyUndecided ? "cannot decide"
                        : "refused";
    // All of them are in the JSON.
    std::string counts;
    for (const std::string &each : llvm::ArrayRef(report.counts).take_front(4))
      counts += (counts.empty() ? "" : "; ") + each;
    if (report.counts.size() > 4)
      counts += "; ... (" + std::to_string(report.counts.size()) + " in all)";
    verdicts += llvm::formatv(
        "{0}@{1}: {2}: {3} error{4}, {5} warning{6}; {7} events in {8:F1} ms",
        verdicts.empty() ? "" : "\n", kernel.getSymName(), verdict, errors,
        errors == 1 ? "" : "s", warnings, warnings == 1 ? "" : "s",
        report.events, report.seconds * 1e3);
    if (report.undecided && !report.events)
      verdicts += "\n  nothing was executed: the kernel was not checked";
    if (!counts.empty())
      verdicts += "\n  trip counts checked: " + counts;
    if (!report.launches.empty())
      verdicts +=
          "\n  whole launches checked: " + llvm::join(report.launches, "; ");
    llvm::json::Object of;
    if (proof)
      verdicts += describe(*proof, of);
    kernels.push_back(
        llvm::json::Object{{"kernel", jsonText(kernel.getSymName())},
                           {"verdict", verdict.str()},
                           {"errors", errors},
                           {"warnings", warnings},
                           {"counts", jsonTexts(report.counts)},
                           {"periods", jsonTexts(report.periods)},
                           {"launches", jsonTexts(report.launches)},
                           {"events", static_cast<int64_t>(report.events)},
                           {"seconds", report.seconds}});
    if (proof)
      kernels.back().getAsObject()->try_emplace("proof", std::move(of));
  }
  session.result["kernels"] = std::move(kernels);
  return session.finish(accepted ? Good : Findings, verdicts);
}
