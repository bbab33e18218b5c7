//===- CutIndices.cpp - casts of indices that cut them --------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Transforms/CutIndices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace {
struct CutIndices : PassWrapper<CutIndices, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CutIndices)

  StringRef getName() const override { return "CutIndices"; }

  void runOnOperation() override {
    SmallVector<Operation *> casts;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op) && cuts(op))
        casts.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : casts)
      cut(rewriter, op);
  }

private:
  static bool cuts(Operation *op) {
    Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
    return getElementTypeOrSelf(from).isIndex() && !isa<BaseMemRefType>(from) &&
           getElementTypeOrSelf(to).getIntOrFloatBitWidth() < 64;
  }

  static void cut(IRRewriter &rewriter, Operation *op) {
    rewriter.setInsertionPoint(op);
    Value index = op->getOperand(0);
    Type to = op->getResult(0).getType(), i64 = rewriter.getI64Type();
    // From fewer bits, and back to them.
    if (Operation *wide = index.getDefiningOp();
        isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp>(wide) &&
        wide->getOperand(0).getType() == to)
      return rewriter.replaceOp(op, wide->getOperand(0));
    if (auto shaped = dyn_cast<ShapedType>(to))
      i64 = shaped.clone(i64);
    Value all = arith::IndexCastOp::create(rewriter, op->getLoc(), i64, index);
    rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, to, all);
  }
};
} // namespace

std::unique_ptr<Pass> titan::createCutIndices() {
  return std::make_unique<CutIndices>();
}
