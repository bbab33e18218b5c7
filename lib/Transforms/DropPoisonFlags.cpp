//===- DropPoisonFlags.cpp - promises that nobody checks are not relied on ===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     %twice = arith.muli %x, %c2 overflow<nsw> : i32
//     %same  = arith.divsi %twice, %c2 : i32         // LLVM: %x
//
// The simulator computes modulo 2^32; with the flag LLVM may compute anything
// where that is another number.
//
//===----------------------------------------------------------------------===//
#include "titan/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace titan {
#define GEN_PASS_DEF_DROPPOISONFLAGS
#include "titan/Transforms/Passes.h.inc"
} // namespace titan

using namespace mlir;

namespace {
struct DropPoisonFlagsPass
    : titan::impl::DropPoisonFlagsBase<DropPoisonFlagsPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    auto none = arith::IntegerOverflowFlagsAttr::get(
        context, arith::IntegerOverflowFlags::none);
    getOperation().walk([&](Operation *op) {
      if (auto wraps = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
        op->setAttr(wraps.getIntegerOverflowAttrName(), none);
      auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
      if (arith::FastMathFlagsAttr flags =
              fast ? fast.getFastMathFlagsAttr() : nullptr)
        op->setAttr(
            fast.getFastMathAttrName(),
            arith::FastMathFlagsAttr::get(
                context, flags.getValue() & ~(arith::FastMathFlags::nnan |
                                              arith::FastMathFlags::ninf)));
      if (op->getName().getDialectNamespace() ==
          arith::ArithDialect::getDialectNamespace())
        for (const char *promise : {"isExact"})
          op->removeAttr(promise);
    });
  }
};
} // namespace
