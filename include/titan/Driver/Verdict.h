//===- Verdict.h - proved, searched, undecided or refused -------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What titan check, titan compile and the language server say of a kernel
// (docs/checker.md):
//
//   proved     for every size that the launch admits
//   searched   some sizes and launches were looked at, and nothing was found
//   undecided  searched, but for what the search cannot decide, where that is no
//              error (--undecided=warning, which titan compile takes by itself)
//   refused    the search has found a mistake, or cannot decide
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DRIVER_VERDICT_H
#define TITAN_DRIVER_VERDICT_H

#include "titan/Analysis/Checker.h"
#include "titan/Analysis/Typestate/Prove.h"

#include "llvm/Support/JSON.h"

#include <functional>
#include <optional>
#include <string>

namespace titan {

enum class Verdict { Refused, Undecided, Searched, Proved };
/// "refused", "undecided", "searched", "proved": reports, manifests and bench say so.
llvm::StringRef toString(Verdict verdict);

/// How a kernel is judged.
struct JudgeOptions {
  Strictness strictness;
  /// As CheckOptions'.
  std::optional<uint64_t> searchSteps = std::nullopt;
  /// What the proof may take; 0: none is made.
  double proofSeconds = 30;
  /// Without a proof: one is made where the search does not come to counts, and
  /// may take as many systems as it may at most, whatever the time.
  bool proveCounts = false;
  /// "searched" is an error.
  bool requireProof = false;
  /// Told, of judge, what begins: "search", "proof", "search to its end".
  std::function<void(llvm::StringRef phase)> begins = nullptr;
  /// Of several kernels that with this line is looked at first; 0: the first.
  unsigned lineFirst = 0;
};

struct KernelVerdict {
  KernelOp kernel;
  Verdict verdict = Verdict::Refused;
  /// Findings: those of the search alone.
  CheckReport search;
  /// None: the search refuses.
  std::optional<ProofReport> proof;
  /// Where the search cannot decide: the proof that did not, either.
  std::optional<ProofReport> stopped;
  unsigned errors = 0, warnings = 0;

  /// Whether the search has executed anything, or nothing was left undecided.
  bool looked() const { return search.events || !search.undecided; }
  /// Where the proof stopped and why; none: it did not.
  std::optional<Finding> notProved(Severity severity) const;
  /// The kernel was a program of Triton's: all that is told is told in its words
  /// (TritonWords.cpp).
  void sayForTriton();
  /// Lines for people.
  std::string text() const;
  llvm::json::Object json() const;
};

/// Of a kernel that the passes of buildCheckPipeline have made.
KernelVerdict judge(KernelOp kernel, const JudgeOptions &options);

/// Who is told of a text, as JSON has it (Finding.h): one call at a time, of any
/// thread.
struct TextListener {
  /// All that is known so far.
  std::function<void(const llvm::json::Array &findings)> tell;
  /// Of a kernel, when nothing more will be said: what the search has found, and
  /// what the proof has come to. The digest is of all that this hangs on, lines
  /// included: in another text, too, it is said of no other kernel.
  std::function<void(llvm::StringRef digest, const llvm::json::Array &found,
                     const llvm::json::Array &concluded)>
      conclude;
  /// Fills in what was concluded of a kernel of an earlier text, which is not
  /// looked at again. False: nothing was.
  std::function<bool(llvm::StringRef digest, llvm::json::Array &found,
                     llvm::json::Array &concluded)>
      recall;
};

/// The same of a text, told again each time that more is known: what does not
/// parse or verify; what the searches find, while they run and at their end; at the
/// end of each proof, that or why not. Searches and proofs run side by side, on as
/// many threads as there are processors. Nothing is printed.
void judgeText(llvm::StringRef name, llvm::StringRef text,
               const JudgeOptions &options, const TextListener &listener);

} // namespace titan

#endif
