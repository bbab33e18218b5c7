//===- Fixes.h - what the texts of fixes ask an operation -------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a finding at a barrier the run knows more than its code: names, numbers, who
// else arrives. The texts that say so, and the edits of titan check --fix that go with
// them, are members of Execution, in three files: CountFixes.cpp (what does not add
// up), SlotFixes.cpp (what falls into another slot or phase), Fixes.cpp (who has to
// signal, or to wait).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_FINDINGS_FIXES_H
#define TITAN_LIB_ANALYSIS_FINDINGS_FIXES_H

#include "../Search/Execution.h"

namespace titan::checker {

/// What an operation lists of one kind.
template <typename What>
llvm::SmallVector<What, 2> effectsOf(mlir::Operation *op) {
  llvm::SmallVector<What, 2> result;
  effect::EffectList effects;
  if (auto hardware = mlir::dyn_cast<HardwareEffectsInterface>(op))
    hardware.getHardwareEffects(effects);
  for (const effect::Effect &each : effects)
    if (auto *what = std::get_if<What>(&each.what))
      result.push_back(*what);
  return result;
}

/// Whether an operation lists such an effect.
template <typename What> bool does(mlir::Operation *op) {
  return !effectsOf<What>(op).empty();
}

/// By its name alone, where the place of the finding says which one it is.
inline std::string byName(mlir::Operation *op) {
  return "'" + op->getName().getStringRef().str() + "'";
}

} // namespace titan::checker

#endif
