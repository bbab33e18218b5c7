//===- Report.h - collecting findings ---------------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_FINDINGS_REPORT_H
#define TITAN_LIB_ANALYSIS_FINDINGS_REPORT_H

#include "titan/Analysis/Checker.h"
#include "titan/Analysis/Events.h"

#include <map>
#include <set>
#include <tuple>

namespace titan::checker {

/// A finding with the operations it is about, so that it is told once however
/// many iterations and trip counts show it.
struct Raw {
  Code code;
  mlir::Operation *op;
  mlir::Operation *other = nullptr;
  Finding finding;
  bool error = false; ///< before what is trusted
  /// The warps that have shown it: partition (or none), and rank there.
  std::set<std::pair<std::string, int>> warps;
};

class Report {
public:
  /// Whose events are being looked at; null: nobody's.
  const AgentInfo *acting = nullptr;
  /// Who collects fences that are missing; null: nobody.
  FenceNeeds *fences = nullptr;

  /// True if the pair of operations has shown this code. Whoever acts now is
  /// one more who does.
  bool known(Code code, mlir::Operation *op, mlir::Operation *other = nullptr) {
    auto found = seen.find({code, op, other});
    if (found == seen.end())
      return false;
    addWarp(*found->second);
    return true;
  }
  /// Adds the finding unless this pair has shown this code before; null then.
  Finding *add(Code code, mlir::Operation *op, mlir::Operation *other,
               const llvm::Twine &message) {
    if (stopping)
      stops.insert({code, op, other});
    if (known(code, op, other))
      return nullptr;
    Raw raw{
        code, op, other,
        Finding{.code = code, .message = message.str(), .loc = op->getLoc()}};
    list.push_back(std::make_unique<Raw>(std::move(raw)));
    seen[{code, op, other}] = list.back().get();
    addWarp(*list.back());
    return &list.back()->finding;
  }
  /// After these findings the run does not go on: if one is trusted, what would
  /// have come next is not known to be good.
  class Stop {
  public:
    explicit Stop(Report &report) : report(report) { report.stopping = true; }
    ~Stop() { report.stopping = false; }

  private:
    Report &report;
  };
  bool stopped(const Raw &raw) const {
    return stops.contains({raw.code, raw.op, raw.other});
  }
  std::vector<std::unique_ptr<Raw>> list;
  /// Operations behind a wait that has returned too early: what they read
  /// before it is written is that wait's fault.
  std::set<mlir::Operation *> misled;

private:
  void addWarp(Raw &raw) {
    if (acting)
      raw.warps.insert({acting->partition, acting->partition.empty()
                                               ? acting->warp
                                               : acting->warpInPartition});
  }
  std::map<std::tuple<Code, mlir::Operation *, mlir::Operation *>, Raw *> seen;
  std::set<std::tuple<Code, mlir::Operation *, mlir::Operation *>> stops;
  bool stopping = false;
};

} // namespace titan::checker

#endif
