//===- Telling.cpp - one finding a cause and place ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Telling.h"

#include "../Search/Bounds.h"
#include "Causes.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

//===----------------------------------------------------------------------===//
// titan.trusted
//===----------------------------------------------------------------------===//

std::vector<Trust> checker::trusts(KernelOp kernel, Report &report) {
  std::vector<Trust> result;
  kernel->walk([&](Operation *op) {
    Attribute attribute = op->getAttr("titan.trusted");
    if (!attribute)
      return;
    auto dictionary = dyn_cast<DictionaryAttr>(attribute);
    auto code =
        dictionary ? dictionary.getAs<StringAttr>("code") : StringAttr();
    auto reason =
        dictionary ? dictionary.getAs<StringAttr>("reason") : StringAttr();
    if (!code || !reason || reason.empty()) {
      report.add(Code::TrustedReason, op, nullptr,
                 "titan.trusted names a code and gives a reason");
      return;
    }
    const CodeInfo *info = lookupCode(
        std::string_view(code.getValue().data(), code.getValue().size()));
    if (!info) {
      report.add(Code::TrustedReason, op, nullptr,
                 Twine("there is no code '") + code.getValue() + "'");
      return;
    }
    result.push_back({op, info, reason.str()});
  });
  return result;
}

//===----------------------------------------------------------------------===//
// One finding a place
//===----------------------------------------------------------------------===//

namespace {
/// A finding that is told, and whose events show it.
struct Told {
  size_t index;
  std::set<std::pair<std::string, int>> warps;
};
} // namespace

/// "partition multiply, warps 0, 1, 2; warp 3".
static std::string
describeWarps(const std::set<std::pair<std::string, int>> &warps) {
  std::map<std::string, std::vector<int>> partitions;
  for (auto &[partition, warp] : warps)
    partitions[partition].push_back(warp);
  std::string text;
  for (auto &[partition, ranks] : partitions) {
    text += text.empty() ? "" : "; ";
    text += partition.empty() ? "" : "partition " + partition + ", ";
    text += ranks.size() > 1 ? "warps " : "warp ";
    for (auto [i, rank] : llvm::enumerate(ranks))
      text += (i ? ", " : "") + std::to_string(rank);
  }
  return text;
}

/// What a finding is told once for: its code, and the operation of the text (unrolled
/// loops have several at one place), or the words in which it is trusted.
using Telling = std::tuple<Code, Severity, const void *, const void *>;

static Telling tellingOf(const Finding &finding, Operation *op) {
  Location loc = op->getLoc();
  return {finding.code, finding.severity, op->getName().getAsOpaquePointer(),
          loc->findInstanceOf<FileLineColLoc>() ? loc.getAsOpaquePointer()
                                                : op};
}

/// Adds a finding, or its places to one that is told already.
static void merge(std::vector<Finding> &findings, Finding finding,
                  const Telling &telling,
                  const std::set<std::pair<std::string, int>> &warps,
                  std::map<Telling, Told> &told) {
  auto [found, fresh] = told.try_emplace(telling, Told{findings.size(), warps});
  if (fresh) {
    findings.push_back(std::move(finding));
    return;
  }
  found->second.warps.insert(warps.begin(), warps.end());
  Finding &into = findings[found->second.index];
  if (finding.loc != into.loc)
    finding.others.insert(finding.others.begin(),
                          {finding.loc, "so it is here"});
  for (FindingPlace &place : finding.others)
    if (into.others.size() < bound::placesTold &&
        llvm::none_of(into.others, [&](const FindingPlace &known) {
          return known.loc == place.loc;
        }))
      into.others.push_back(std::move(place));
}

Trust *checker::trustOf(std::vector<Trust> &trusted, const Raw &raw) {
  auto found = llvm::find_if(trusted, [&](const Trust &trust) {
    return trust.code->id == raw.code &&
           (trust.op == raw.op || trust.op == raw.other);
  });
  return found == trusted.end() ? nullptr : &*found;
}

void checker::tell(Report &report, std::vector<Trust> &trusted,
                   const CheckOptions &options, CheckReport &result) {
  auto severityOf = [&](const Raw &raw) {
    return raw.code == Code::Undecided
               ? options.undecided
               : options.strictness.severityOf(raw.code);
  };
  // An error hides what follows from it, and a trusted one does.
  for (auto &raw : report.list)
    raw->error = severityOf(*raw) == Severity::Error;
  std::map<Telling, Told> told;
  auto stands = [&](const Raw &raw) {
    return raw.error && !trustOf(trusted, raw);
  };
  for (const Raw *raw : findCauses(report, stands)) {
    // Bytes that somebody writes in no order with the read: that is the error.
    if (raw->code == Code::UndefinedRead && report.misled.contains(raw->op))
      continue;
    if (raw->code == Code::UndefinedRead &&
        llvm::any_of(report.list, [&](const auto &other) {
          return other->code != raw->code && other->error &&
                 (other->op == raw->op || other->other == raw->op);
        }))
      continue;
    Finding finding = raw->finding;
    finding.severity = severityOf(*raw);
    nameEarlySignal(*raw, finding);
    nameLooseLanes(*raw, finding);
    nameRelaxed(*raw, finding);
    if (raw->code == Code::Undecided && finding.fix.empty() &&
        isa<scf::ForOp, scf::WhileOp>(raw->op))
      finding.fix =
          "give the loop a known period, a static depth or stride; or "
          "accept with titan.trusted {code, reason}; or "
          "--undecided=warning";
    Telling telling = tellingOf(finding, raw->op);
    if (Trust *trust = trustOf(trusted, *raw)) {
      finding.severity = Severity::Note;
      finding.message += " (trusted: " + trust->reason + ")";
      telling = {finding.code, finding.severity,
                 trust->op->getAttr("titan.trusted").getAsOpaquePointer(),
                 nullptr};
    }
    result.undecided += raw->code == Code::Undecided;
    if (finding.severity == Severity::Ignored)
      // What only --strict tells is not silenced.
      result.silenced +=
          Strictness().severityOf(raw->code) != Severity::Ignored;
    else
      merge(result.findings, std::move(finding), telling, raw->warps, told);
  }
  for (auto &[key, one] : told)
    if (one.warps.size() > 1)
      result.findings[one.index].events.push_back("so it is for " +
                                                  describeWarps(one.warps));
}
