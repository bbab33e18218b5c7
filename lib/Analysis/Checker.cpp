//===- Checker.cpp - titan check ------------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/Checker.h"

#include "Alignment.h"
#include "Findings/Telling.h"
#include "Resources.h"
#include "Search/Search.h"

#include <chrono>

using namespace mlir;
using namespace titan;
using namespace titan::checker;

bool CheckReport::accepted() const {
  return llvm::none_of(findings, [](const Finding &finding) {
    return finding.severity == Severity::Error;
  });
}

CheckReport titan::check(KernelOp kernel, const CheckOptions &options) {
  auto start = std::chrono::steady_clock::now();
  CheckReport result;
  Report report;
  report.fences = options.fences;
  std::vector<Trust> trusted = trusts(kernel, report);
  checkResources(kernel, report);
  bool misfit = llvm::any_of(report.list, [](const auto &raw) {
    return raw->code == Code::LayoutMismatch;
  });
  bool impossible = checkConstants(kernel, report);

  Search search(kernel, options, impossible, report, result);
  if (options.progress)
    search.progress = [&] {
      CheckReport far;
      tell(report, trusted, options, far);
      options.progress(far.findings);
    };
  if (misfit)
    result.skipped.push_back("what the kernel does, until its layouts fit");
  else if (search.followed())
    search.run();
  if (search.followed())
    for (auto [op, unit] : findUnprovedStarts(kernel))
      report.add(Code::Undecided, op, nullptr,
                 "that coordinate 0, the innermost, is a multiple of " +
                     Twine(unit) +
                     " elements, as the copy asks: multiply by a constant that "
                     "is, or titan.require that a remainder is 0");
  search.close();

  for (size_t i = 0; i < report.list.size(); ++i) {
    const Raw &raw = *report.list[i];
    Trust *trust = trustOf(trusted, raw);
    if (!trust)
      continue;
    trust->used = true;
    if (report.stopped(raw))
      report.add(Code::Undecided, raw.op, raw.other,
                 Twine("what comes after the trusted '") +
                     std::string(codeInfo(raw.code).code) +
                     "' is not checked: nothing is known of how the program "
                     "goes on");
  }
  tell(report, trusted, options, result);
  for (const Trust &trust : trusted)
    if (!trust.used) {
      Finding finding{.code = Code::TrustedUnused,
                      .message = "titan.trusted accepts '" +
                                 std::string(trust.code->code) +
                                 "' here, which is not found",
                      .loc = trust.op->getLoc()};
      finding.severity = options.strictness.severityOf(finding.code);
      if (finding.severity != Severity::Ignored)
        result.findings.push_back(std::move(finding));
    }
  llvm::stable_sort(result.findings, [](const Finding &a, const Finding &b) {
    return a.severity > b.severity;
  });
  result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return result;
}
