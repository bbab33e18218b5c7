//===- ReferenceLoops.cpp - loops of a reference, some sums at a time -----===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reference adds in the order that its text says, so a sum is a chain of
// additions that wait for each other. Sums of neighbours need not wait: the loop
// around the reductions is unrolled and jammed (four elements of D go down K
// together). As memory of arguments is apart
// (Reference.cpp), LLVM then keeps the sums in registers. No sum changes its order, hence no bit.
//
//===----------------------------------------------------------------------===//
#include "ReferenceLoops.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/LoopUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

// Of mlir/Dialect/Linalg/Transforms/Transforms.h, which with linalg's operations
// takes five seconds to compile.
namespace mlir::linalg {
using LinalgLoops = SmallVector<Operation *, 4>;
FailureOr<LinalgLoops> linalgOpToAffineLoops(RewriterBase &rewriter,
                                             LinalgOp linalgOp);
} // namespace mlir::linalg

namespace {

/// How many sums go on at once: two of each (a value, its bound) fill the
/// pipelines of two adders.
constexpr uint64_t sumsAtOnce = 4;

struct JamReductions : PassWrapper<JamReductions, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(JamReductions)

  StringRef getArgument() const override { return "titan-jam-reductions"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, memref::MemRefDialect>();
  }

  /// Parallel loops, then reductions, over arguments of the function (sizes are
  /// then symbols of affine maps); what is written is not read by another name.
  static bool isCandidate(linalg::LinalgOp op) {
    auto types = op.getIteratorTypesArray();
    auto isReduction = [](utils::IteratorType type) {
      return type == utils::IteratorType::reduction;
    };
    auto *first = llvm::find_if(types, isReduction);
    return op.hasPureBufferSemantics() && first != types.begin() &&
           first != types.end() &&
           std::all_of(first, types.end(), isReduction) &&
           llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
             auto argument = dyn_cast<BlockArgument>(operand.get());
             return argument &&
                    isa<func::FuncOp>(argument.getOwner()->getParentOp()) &&
                    (op.isDpsInput(&operand) ||
                     llvm::count(op->getOperands(), argument) == 1);
           });
  }

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> work;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (isCandidate(op))
        work.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : work) {
      unsigned parallel = op.getNumParallelLoops();
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::LinalgLoops> loops =
          linalg::linalgOpToAffineLoops(rewriter, op);
      if (failed(loops))
        continue;
      rewriter.eraseOp(op);
      // What it cannot jam it leaves.
      (void)affine::loopUnrollJamUpToFactor(
          cast<affine::AffineForOp>((*loops)[parallel - 1]), sumsAtOnce);
    }
  }
};

} // namespace

std::unique_ptr<Pass> titan::createJamReductionsPass() {
  return std::make_unique<JamReductions>();
}
