//===- Assertion.h - why an assertion does not hold -------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checker and simulator find assertions (titan.assert) that do not hold, and
// say which comparison it is, with its numbers:
//
//   %ok = arith.andi %a, %b        %b is false:  "%i, 5, is not below %n, 4"
//   %b = arith.cmpi slt, %i, %n
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_ANALYSIS_ASSERTION_H
#define TITAN_ANALYSIS_ASSERTION_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace titan {

struct FalseCondition {
  std::string is;  ///< "%i, 5, is not below %n, 4"
  std::string has; ///< "%i is below %n"; empty where nothing has a name

  /// The fix of assert-failed for this case.
  std::string fix() const;
};

/// The values whose numbers `describeFalse` asks for.
llvm::SmallVector<mlir::Value> operandsOfCondition(mlir::Value condition);

/// Why the condition, an i1, is false. `numberOf`: the value of a scalar, as a
/// signed number; nothing where it is not known.
FalseCondition
describeFalse(mlir::Value condition,
              llvm::function_ref<std::optional<int64_t>(mlir::Value)> numberOf);

} // namespace titan

#endif // TITAN_ANALYSIS_ASSERTION_H
