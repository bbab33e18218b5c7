//===- Unroll.cpp - loops over registers ----------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers have no addresses: which part of a register tile an iteration works
// on must be known when it is compiled. A loop over panels is therefore marked
// `titan.unroll`, and disappears here.
//
//===----------------------------------------------------------------------===//
#include "titan/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace titan {
#define GEN_PASS_DEF_UNROLL
#include "titan/Transforms/Passes.h.inc"
} // namespace titan

using namespace mlir;
using namespace titan;

namespace {
/// More iterations than this are a mistake, not a loop over registers.
constexpr uint64_t maxIterations = 256;

struct UnrollPass : titan::impl::UnrollBase<UnrollPass> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->hasAttr("titan.unroll"))
        loops.push_back(loop); // inner loops first
    });
    for (scf::ForOp loop : loops)
      if (failed(unroll(loop)))
        return signalPassFailure();
    bool indexed = getOperation()
                       .walk([](RegisterIndexOpInterface) {
                         return WalkResult::interrupt();
                       })
                       .wasInterrupted();
    if (!indexed && loops.empty())
      return markAllAnalysesPreserved();

    // Fold the iteration numbers into constants.
    GreedyRewriteConfig config;
    config.enableConstantCSE(true);
    (void)applyPatternsGreedily(getOperation(),
                                RewritePatternSet(&getContext()), config);
    auto result = getOperation().walk([&](RegisterIndexOpInterface op) {
      APInt index;
      if (!matchPattern(op.getRegisterIndex(), m_ConstantInt(&index))) {
        op->emitOpError("[tile-panel-index] the panel's number is not a "
                        "constant: mark the loop over the panels with "
                        "{titan.unroll}, and give it constant bounds");
        return WalkResult::interrupt();
      }
      OpBuilder b(op);
      op->getResult(0).replaceAllUsesWith(op.atIndex(b, index.getSExtValue()));
      op->erase();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult unroll(scf::ForOp loop) {
    std::optional<APInt> count = loop.getStaticTripCount();
    APInt at, upper, step;
    // Of constants the kernel's verifier has seen that the step is positive, and that
    // the counter fits.
    if (!count || !matchPattern(loop.getLowerBound(), m_ConstantInt(&at)) ||
        !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) ||
        !matchPattern(loop.getStep(), m_ConstantInt(&step)))
      return loop.emitOpError("[unroll-bounds] a loop marked titan.unroll has "
                              "constant bounds and step");
    const uint64_t iterations = count->getLimitedValue();
    if (iterations > maxIterations)
      return loop.emitOpError("[unroll-bounds] a loop marked titan.unroll has "
                              "at most ")
             << maxIterations << " iterations, not " << iterations;
    // (mlir::loopUnrollFull takes all bounds for signed numbers.)
    IRRewriter rewriter(loop);
    SmallVector<Value> carried(loop.getInitArgs());
    for (uint64_t i = 0; i < iterations; ++i, at += step) {
      IRMapping values;
      values.map(loop.getInductionVar(),
                 arith::ConstantOp::create(
                     rewriter, loop.getLoc(),
                     rewriter.getIntegerAttr(loop.getStep().getType(), at)));
      values.map(loop.getRegionIterArgs(), carried);
      for (Operation &op : loop.getBody()->without_terminator())
        rewriter.clone(op, values);
      for (auto [value, yielded] : llvm::zip(carried, loop.getYieldedValues()))
        value = values.lookupOrDefault(yielded);
    }
    rewriter.replaceOp(loop, carried);
    return success();
  }
};
} // namespace
