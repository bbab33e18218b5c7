//===- Report.h - collecting findings ---------------------------*- C++ -*-===//
#ifndef TITAN_LIB_ANALYSIS_REPORT_H
#define TITAN_LIB_ANALYSIS_REPORT_H

#include "titan/Analysis/Checker.h"
#include "titan/Analysis/Events.h"

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
};

class Report {
public:
  /// True the first time that a pair of operations shows this code.
  bool first(Code code, mlir::Operation *op, mlir::Operation *other = nullptr) {
    return seen.insert({code, op, other}).second;
  }
  bool known(Code code, mlir::Operation *op, mlir::Operation *other = nullptr) {
    return seen.contains({code, op, other});
  }
  /// Adds the finding unless this pair has shown this code before; null then.
  Finding *add(Code code, mlir::Operation *op, mlir::Operation *other,
               const llvm::Twine &message) {
    if (stopping)
      stops.insert({code, op, other});
    if (!first(code, op, other))
      return nullptr;
    Raw raw{
        code, op, other,
        Finding{.code = code, .message = message.str(), .loc = op->getLoc()}};
    list.push_back(std::make_unique<Raw>(std::move(raw)));
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

private:
  std::set<std::tuple<Code, mlir::Operation *, mlir::Operation *>> seen, stops;
  bool stopping = false;
};

} // namespace titan::checker

#endif
