//===- Prove.h - a kernel is right for every size ---------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An abstract interpretation in the size of the text: uses of barriers and
// groups are numbered by polynomials over sizes and iterations, and what the
// checker asks of each pair of accesses is asked of the pair of their texts, once
// for all iterations. docs/checker.md has the judgements and the theorem.
//
// It proves, or says where it stopped and why. It refuses nothing: that is the
// search's (Checker.h).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_ANALYSIS_TYPESTATE_PROVE_H
#define TITAN_ANALYSIS_TYPESTATE_PROVE_H

#include "titan/Dialect/Titan/Titan.h"

#include <limits>
#include <string>
#include <vector>

namespace titan {

struct ProofReport {
  bool proved = false;
  /// What the proof takes for granted, a line each.
  std::vector<std::string> assumptions;
  /// Where it stopped: the first place, why, and what would let it go on.
  mlir::Operation *stoppedAt = nullptr;
  std::string reason, goOn;
  /// Systems of facts that were looked at.
  uint64_t systems = 0;
  double seconds = 0;
};

/// Judgements that tests leave out, to see that each is needed.
enum class Judgement {
  None,
  Parity,  ///< a wait's parity is its use's
  Pinned,  ///< use n is signalled, and waited for, when n - D is over
  Alias,   ///< use n + D ends only behind the waits for n
  Rank,    ///< signals come before those who wait for them
  Order,   ///< accesses that conflict are in order
  Defined, ///< what is read has been written
};

/// Of a kernel without pipes and copies by schedule.
ProofReport
prove(KernelOp kernel, Judgement without = Judgement::None,
      double mostSeconds = std::numeric_limits<double>::infinity());

} // namespace titan

#endif
