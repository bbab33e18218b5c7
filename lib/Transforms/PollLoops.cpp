//===- PollLoops.cpp - loops that ask a barrier ---------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   scf.while : () -> () {                          titan.mbarrier.wait %bar parity(%p)
//     %done = titan.mbarrier.test_wait %bar parity(%p)
//     %not = arith.xori %done, %true            ->
//     scf.condition(%not)
//   } do { scf.yield }
//
// The loop ends when the phase has completed, and so does the wait; how often it has
// asked, nobody can tell.
//
//===----------------------------------------------------------------------===//
#include "titan/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"

namespace titan {
#define GEN_PASS_DEF_POLLLOOPS
#include "titan/Transforms/Passes.h.inc"
} // namespace titan

using namespace mlir;
using namespace titan;

/// `not` of what, by one of the ways to write it; null: it is none.
static Value negated(Value condition) {
  Operation *op = condition.getDefiningOp();
  if (!op || op->getNumOperands() != 2)
    return {};
  APInt constant;
  if (!matchPattern(op->getOperand(1), m_ConstantInt(&constant)))
    return {};
  if (isa<arith::XOrIOp>(op) && constant.isOne())
    return op->getOperand(0);
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    if (compare.getPredicate() == (constant.isZero()
                                       ? arith::CmpIPredicate::eq
                                       : arith::CmpIPredicate::ne))
      return compare.getLhs();
  return {};
}

/// The question that the loop asks, and nothing else; null: it does more.
static MBarrierTestWaitOp questionOf(scf::WhileOp loop) {
  if (loop.getNumResults() || loop.getNumOperands() ||
      !llvm::hasSingleElement(*loop.getAfterBody()))
    return {};
  Value asked = negated(loop.getConditionOp().getCondition());
  auto test =
      asked ? asked.getDefiningOp<MBarrierTestWaitOp>() : MBarrierTestWaitOp();
  if (!test || test->getBlock() != loop.getBeforeBody())
    return {};
  for (Operation &op : loop.getBeforeBody()->without_terminator())
    if (&op != test && !isPure(&op))
      return {};
  return test;
}

namespace {
struct PollLoopsPass : titan::impl::PollLoopsBase<PollLoopsPass> {
  void runOnOperation() override {
    SmallVector<scf::WhileOp> loops;
    getOperation().walk([&](scf::WhileOp loop) { loops.push_back(loop); });
    if (loops.empty())
      return markAllAnalysesPreserved();
    for (scf::WhileOp loop : loops) {
      MBarrierTestWaitOp test = questionOf(loop);
      if (!test)
        continue;
      // What the question is computed from is the same in each iteration.
      OpBuilder b(loop);
      IRMapping map;
      for (Operation &op : loop.getBeforeBody()->without_terminator()) {
        if (&op == test)
          break;
        b.clone(op, map);
      }
      auto same = [&](Value value) { return map.lookupOrDefault(value); };
      MBarrierWaitOp::create(b, test.getLoc(), same(test.getBarrier()),
                             test.getIndex() ? same(test.getIndex()) : Value(),
                             same(test.getParity()), test.getSem(),
                             test.getScope());
      loop.erase();
    }
  }
};
} // namespace
