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

/// Whether an operation lists such an effect.
template <typename What> bool does(mlir::Operation *op) {
  effect::EffectList effects;
  cast<HardwareEffectsInterface>(op).getHardwareEffects(effects);
  return llvm::any_of(effects, [](const effect::Effect &effect) {
    return std::holds_alternative<What>(effect.what);
  });
}

/// By its name alone, where the place of the finding says which one it is.
inline std::string byName(mlir::Operation *op) {
  return "'" + op->getName().getStringRef().str() + "'";
}

} // namespace titan::checker

#endif
