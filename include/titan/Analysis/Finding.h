//===- Finding.h - what checker and simulator report ------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both report the same thing: a code of Target/Codes.def, a sentence with the
// numbers in it, the place, the other place involved, who was there (partition,
// warp, iteration), and the events that lead to it. `emit` turns a finding into
// an MLIR diagnostic with notes, so that every tool prints it alike:
//
//   gemm.mlir:88:9: error: [proxy-fence-missing] the TMA store reads bytes that
//       warp 3 wrote without fence.proxy.async
//   gemm.mlir:80:9: note: written here by partition multiply, warp 3, iteration
//   1 note: rule MM-31: ... note: fix: ...
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_ANALYSIS_FINDING_H
#define TITAN_ANALYSIS_FINDING_H

#include "titan/Target/Codes.h"

#include "mlir/IR/Location.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace titan {

/// One place of a finding.
struct FindingPlace {
  mlir::Location loc;
  /// What happened there, by whom: "written here by partition multiply, warp 3,
  /// iteration 1".
  std::string what;
};

/// A change of the file's text that is all that a fix takes (titan check --fix).
struct FindingEdit {
  /// Of the operation that is changed.
  mlir::Location loc;
  /// What stands in its text once, and what is to stand there.
  std::string from, to;
};

struct Finding {
  Code code;
  /// After flags (--strict, --war=error, titan.trusted) have been applied.
  Severity severity = Severity::Error;
  /// One sentence.
  std::string message;
  /// The operation that is refused.
  mlir::Location loc;
  /// The other places involved, most important first.
  std::vector<FindingPlace> others;
  /// The order of events that breaks the rule, oldest first, a line each.
  std::vector<std::string> events;
  /// The fix for this case; empty: the code's general one.
  std::string fix;
  /// The same as edits; empty: a person has to choose.
  std::vector<FindingEdit> edits;
  /// Of Undecided: what was looked at is right, but which counts, or which data,
  /// stand for all is not known. A proof for every size settles it.
  bool ofCounts = false;
};

/// Emits a diagnostic (error, warning, or remark for a note) at `finding.loc`.
void emit(const Finding &finding);

/// {"code": ..., "severity": ..., "message": ..., "file": ..., "line": ...,
///  "places": [...], "events": [...], "rule": ..., "fix": ...}
llvm::json::Value toJson(const Finding &finding);

} // namespace titan

#endif
