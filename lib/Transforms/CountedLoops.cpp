//===- CountedLoops.cpp - loops that count --------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An scf.while whose condition compares a number that each iteration raises by a
// step is an scf.for, and becomes one: the checker knows how often it runs, for
// every launch.
//
//===----------------------------------------------------------------------===//
#include "titan/Transforms/Passes.h"

#include "mlir/Dialect/SCF/Transforms/Transforms.h"

namespace titan {
#define GEN_PASS_DEF_COUNTEDLOOPS
#include "titan/Transforms/Passes.h.inc"
} // namespace titan

using namespace mlir;
using namespace titan;

namespace {
struct CountedLoopsPass : titan::impl::CountedLoopsBase<CountedLoopsPass> {
  void runOnOperation() override {
    SmallVector<scf::WhileOp> loops;
    getOperation().walk([&](scf::WhileOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (scf::WhileOp loop : loops) {
      rewriter.setInsertionPoint(loop);
      (void)scf::upliftWhileToForLoop(rewriter, loop);
    }
  }
};
} // namespace
