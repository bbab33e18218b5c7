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
// every launch. By slt and ult as they are; ne is ult where the counter goes by 1
// from at most the bound. What is none says why (titan.uncounted), for the checker.
//
//===----------------------------------------------------------------------===//
#include "titan/Transforms/Passes.h"

#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"

namespace titan {
#define GEN_PASS_DEF_COUNTEDLOOPS
#include "titan/Transforms/Passes.h.inc"
} // namespace titan

using namespace mlir;
using namespace titan;
using arith::CmpIPredicate;

namespace {
/// What ends a loop: counter < bound, where the counter comes first.
struct Counter {
  arith::CmpIOp compare;
  CmpIPredicate predicate;
  Value init, bound, step;
};

struct CountedLoopsPass : titan::impl::CountedLoopsBase<CountedLoopsPass> {
  void runOnOperation() override;
};
} // namespace

/// b > a says what a < b does; of those by which a counter ends.
static CmpIPredicate mirrored(CmpIPredicate predicate) {
  return predicate == CmpIPredicate::sgt   ? CmpIPredicate::slt
         : predicate == CmpIPredicate::ugt ? CmpIPredicate::ult
         : predicate == CmpIPredicate::ne  ? CmpIPredicate::ne
                                           : CmpIPredicate::eq;
}

/// The counter of a loop. None: `why` says what is missing.
static std::optional<Counter> counterOf(scf::WhileOp loop, std::string &why) {
  scf::ConditionOp condition = loop.getConditionOp();
  Counter result;
  result.compare = condition.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!result.compare || result.compare->getBlock() != loop.getBeforeBody()) {
    why = "its condition is no arith.cmpi of a counter with a bound";
    return std::nullopt;
  }
  Value counter = result.compare.getLhs();
  result.bound = result.compare.getRhs();
  result.predicate = result.compare.getPredicate();
  if (loop.isDefinedOutsideOfLoop(counter)) {
    std::swap(counter, result.bound);
    result.predicate = mirrored(result.predicate);
  }
  auto carried = dyn_cast<BlockArgument>(counter);
  if (!carried || carried.getOwner() != loop.getBeforeBody() ||
      !loop.isDefinedOutsideOfLoop(result.bound)) {
    why = "its condition does not compare a number that it carries with one "
          "that stays the same";
    return std::nullopt;
  }
  if (!llvm::is_contained(
          {CmpIPredicate::slt, CmpIPredicate::ult, CmpIPredicate::ne},
          result.predicate)) {
    why = ("its counter is compared by " +
           arith::stringifyCmpIPredicate(result.compare.getPredicate()) +
           ", and not by slt or ult")
              .str();
    return std::nullopt;
  }
  unsigned n = carried.getArgNumber();
  result.init = loop.getInits()[n];
  // What the body adds to: the counter, as the condition hands it on.
  auto next = loop.getYieldOp().getOperand(n).getDefiningOp<arith::AddIOp>();
  auto isCounter = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == loop.getAfterBody() &&
           condition.getArgs()[argument.getArgNumber()] == counter;
  };
  if (next)
    result.step = isCounter(next.getLhs())   ? next.getRhs()
                  : isCounter(next.getRhs()) ? next.getLhs()
                                             : Value();
  if (!result.step || !loop.isDefinedOutsideOfLoop(result.step)) {
    why = "its counter does not grow by the same step in each iteration "
          "(arith.addi)";
    return std::nullopt;
  }
  auto handedOn = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == loop.getBeforeBody();
  };
  if (loop.getBeforeBody()->getOperations().size() != 2 ||
      !llvm::all_of(condition.getArgs(), handedOn)) {
    why = "before its condition more is computed than the comparison of its "
          "counter";
    return std::nullopt;
  }
  // By 1 from at most the bound: it gets there, and not past it.
  if (result.predicate == CmpIPredicate::ne) {
    APInt init, bound, step;
    bool meets =
        matchPattern(result.step, m_ConstantInt(&step)) && step.isOne() &&
        matchPattern(result.init, m_ConstantInt(&init)) &&
        (init.isZero() || (matchPattern(result.bound, m_ConstantInt(&bound)) &&
                           init.ule(bound)));
    if (!meets) {
      why = "by ne it ends only where its counter meets the bound, which is "
            "known of one that goes by 1 from 0: compare by slt or ult";
      return std::nullopt;
    }
    result.predicate = CmpIPredicate::ult;
  }
  return result;
}

void CountedLoopsPass::runOnOperation() {
  SmallVector<scf::WhileOp> loops;
  getOperation().walk([&](scf::WhileOp loop) { loops.push_back(loop); });
  if (loops.empty())
    return markAllAnalysesPreserved();
  IRRewriter rewriter(&getContext());
  for (scf::WhileOp loop : loops) {
    std::string why;
    std::optional<Counter> counter = counterOf(loop, why);
    rewriter.setInsertionPoint(loop);
    // MLIR knows the signed comparison; an scf.for has both.
    bool isUnsigned = counter && counter->predicate == CmpIPredicate::ult;
    CmpIPredicate written{};
    if (isUnsigned) {
      written = counter->compare.getPredicate();
      counter->compare.setPredicate(counter->compare.getRhs() == counter->bound
                                        ? CmpIPredicate::slt
                                        : CmpIPredicate::sgt);
    }
    FailureOr<scf::ForOp> counted = scf::upliftWhileToForLoop(rewriter, loop);
    if (succeeded(counted)) {
      counted->setUnsignedCmp(counted->getUnsignedCmp() || isUnsigned);
      continue;
    }
    if (isUnsigned)
      counter->compare.setPredicate(written);
    loop->setAttr(
        "titan.uncounted",
        rewriter.getStringAttr(
            counter ? "what it carries is not what an scf.for carries" : why));
  }
}
