//===- Outcomes.h - what became of the mutants ------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who noticed a bug, mutant by mutant and added up by class: the checker, the
// simulator, the proof.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TOOLS_TITAN_MUTATE_OUTCOMES_H
#define TITAN_TOOLS_TITAN_MUTATE_OUTCOMES_H

#include "titan/Transforms/Mutate.h"

#include <mutex>

namespace titan {

/// What became of one mutant.
struct Outcome {
  bool valid = true;
  bool refused = false;
  /// Where the kernel as it is is not; where both are, unless that is a warning.
  bool undecided = false;
  bool proved = false;
  std::string code; ///< the checker's first error
  bool failed = false;
  std::string failure; ///< how it showed: a code or "wrong data", and when
};

/// FILE:LINE, or "unknown".
std::string place(mlir::Location loc);

class OutcomeTable {
public:
  /// As titan-mutate's flags of these names.
  struct Options {
    bool verbose = false, searchOnly = false, proofs = false;
    unsigned schedules = 0, seed = 0;
  };
  explicit OutcomeTable(const Options &options) : options(options) {}
  /// Takes a mutant of a kernel in; prints a line where it shows a mistake of the
  /// checker or the proof, or if `verbose`. Threads may call it side by side.
  void add(KernelOp kernel, size_t number, const Mutation &mutation,
           const Outcome &outcome);
  /// Prints the table; true where it shows what must be shown.
  bool print();
  /// Whether the checker accepted, or proved, a bug.
  bool acceptedBug() const;

private:
  /// What a class of mutants adds up to.
  struct Row {
    int total = 0, invalid = 0, refused = 0, refusedAndFails = 0, accepted = 0,
        acceptedAndFails = 0, undecided = 0;
  };
  void line(llvm::StringRef label, const Row &row);

  Options options;
  std::mutex mutex;
  Row rows[mutationClasses];
  int provedOnes = 0, unsoundOnes = 0;
};

} // namespace titan

#endif
