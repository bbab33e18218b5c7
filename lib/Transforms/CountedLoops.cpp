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
#include "titan/Target/LoopCounter.h"
#include "titan/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace titan {
#define GEN_PASS_DEF_COUNTEDLOOPS
#include "titan/Transforms/Passes.h.inc"
} // namespace titan

using namespace mlir;
using namespace titan;
using arith::CmpIPredicate;

namespace {
/// What ends a loop: counter < bound, where the counter, an argument of the
/// condition's block, comes first.
struct Counter {
  BlockArgument argument;
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
  auto compare = condition.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || compare->getBlock() != loop.getBeforeBody()) {
    why = "its condition is no arith.cmpi of a counter with a bound";
    return std::nullopt;
  }
  Value counter = compare.getLhs();
  result.bound = compare.getRhs();
  result.predicate = compare.getPredicate();
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
           arith::stringifyCmpIPredicate(compare.getPredicate()) +
           ", and not by slt or ult")
              .str();
    return std::nullopt;
  }
  unsigned n = carried.getArgNumber();
  result.argument = carried;
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
  // What no scf.for goes by, this loop may.
  if (APInt step; matchPattern(result.step, m_ConstantInt(&step)) &&
                  step.getBitWidth() <= 64 &&
                  !stepProblem(step.getSExtValue()).empty()) {
    why = "its counter goes by " + std::to_string(step.getSExtValue()) +
          ", as a signed number, and not by a positive one";
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

/// The scf.for that does what the scf.while does, and gives what it gives: what the
/// condition hands on, the counter among it where anybody asks for it (behind the
/// loop it is the first number that is not below the bound, or the first of all).
static void count(RewriterBase &rewriter, scf::WhileOp loop,
                  const Counter &counter) {
  auto handedOn = [](Value value) {
    return cast<BlockArgument>(value).getArgNumber();
  };
  SmallVector<unsigned> args =
      llvm::map_to_vector(loop.getConditionOp().getArgs(), handedOn);
  const unsigned n = handedOn(counter.argument);
  const bool asked =
      llvm::any_of(llvm::zip(args, loop.getResults()), [&](const auto &each) {
        return std::get<0>(each) == n && !std::get<1>(each).use_empty();
      });
  // Where what the while carries is among what the for carries.
  auto at = [&](unsigned i) { return i - (!asked && i > n); };
  SmallVector<Value> inits, next, inside, results;
  for (unsigned i = 0; i < loop.getInits().size(); ++i)
    if (asked || i != n) {
      inits.push_back(loop.getInits()[i]);
      next.push_back(loop.getYieldOp().getOperand(i));
    }
  auto counted = scf::ForOp::create(
      rewriter, loop.getLoc(), counter.init, counter.bound, counter.step, inits,
      [](OpBuilder &, Location, Value, ValueRange) {},
      counter.predicate == CmpIPredicate::ult);
  for (unsigned i : args) {
    const bool counts = i == n;
    inside.push_back(counts ? counted.getInductionVar()
                            : counted.getRegionIterArg(at(i)));
    results.push_back(counts && !asked ? counter.init
                                       : counted.getResult(at(i)));
  }
  rewriter.setInsertionPoint(loop.getYieldOp());
  rewriter.replaceOpWithNewOp<scf::YieldOp>(loop.getYieldOp(), next);
  rewriter.mergeBlocks(loop.getAfterBody(), counted.getBody(), inside);
  rewriter.replaceOp(loop, results);
}

void CountedLoopsPass::runOnOperation() {
  SmallVector<scf::WhileOp> loops;
  getOperation().walk([&](scf::WhileOp loop) { loops.push_back(loop); });
  if (loops.empty())
    return markAllAnalysesPreserved();
  IRRewriter rewriter(&getContext());
  for (scf::WhileOp loop : loops) {
    std::string why;
    rewriter.setInsertionPoint(loop);
    if (std::optional<Counter> counter = counterOf(loop, why))
      count(rewriter, loop, *counter);
    else
      loop->setAttr("titan.uncounted", rewriter.getStringAttr(why));
  }
}
