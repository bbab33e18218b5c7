//===- Recurrences.h - after how many iterations a number can change ----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which slot, parity or side an iteration takes is computed from the loop's
// counter, and the constants in that computation say when it repeats:
// `counter mod 3` after 3 iterations, `counter / 4 mod 2` after 8, a counter
// cast to i8 after 256, and `counter < 5` is settled after 5. A run that is
// shorter than that shows a period which need not be the loop's own. So the
// runs that are looked at are compared with what is computed here.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_SEARCH_RECURRENCES_H
#define TITAN_LIB_ANALYSIS_SEARCH_RECURRENCES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace titan::checker {

/// What the slots, parities, sides and counts of one loop are known to do.
struct LoopRecurrence {
  /// They repeat after so many iterations (where carried numbers do, too) ...
  int64_t period = 1;
  /// ... from this one on.
  int64_t settled = 0;
  /// The operations that say so; null: the loop's counter comes into nothing.
  mlir::Operation *periodOp = nullptr, *settledOp = nullptr;
  /// A side or a number hangs on how far the counter is from a size: from the
  /// loop's end, say.
  bool compares = false;
  /// An operation whose recurrence is not known; null: there is none.
  mlir::Operation *unknown = nullptr;
  /// Carried numbers (by position) that are no counters, a slot that starts
  /// again at 0, say: that they repeat is seen in runs.
  llvm::SmallVector<unsigned> states;
};

LoopRecurrence recurrenceOf(mlir::scf::ForOp loop);

/// The positions of carried numbers that are no counters.
llvm::SmallVector<unsigned> statesOf(mlir::scf::ForOp loop);

} // namespace titan::checker

#endif
