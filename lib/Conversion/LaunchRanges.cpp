//===- LaunchRanges.cpp - ranges of what a launch passes ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Conversion/LaunchRanges.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/Utils/InferIntRangeCommon.h"
#include "llvm/IR/ConstantRange.h"

using namespace mlir;
using namespace titan;

static ConstantIntRanges rangesOf(const llvm::ConstantRange &range) {
  return {range.getUnsignedMin(), range.getUnsignedMax(), range.getSignedMin(),
          range.getSignedMax()};
}

static ConstantIntRanges between(int64_t low, int64_t high) {
  return ConstantIntRanges::fromSigned(APInt(64, low, true),
                                       APInt(64, high, true));
}

/// What both allow; of contradictions, which no launch satisfies, `x`: MLIR infers
/// from no empty range.
static ConstantIntRanges intersect(const ConstantIntRanges &x,
                                   const ConstantIntRanges &y) {
  ConstantIntRanges both = x.intersection(y);
  APInt low = both.smin(), high = both.smax();
  // Where no number is negative, signed and unsigned bounds are the same.
  if (low.isNonNegative() || both.umax().isNonNegative()) {
    low = llvm::APIntOps::smax(low, both.umin());
    if (both.umax().isNonNegative())
      high = llvm::APIntOps::smin(high, both.umax());
    both = ConstantIntRanges::fromSigned(low, high);
  }
  return low.sgt(high) || both.umin().ugt(both.umax()) ? x : both;
}

using Limits = llvm::DenseMap<Value, ConstantIntRanges>;

/// What a condition that holds says of a value.
static void addLimits(Value condition, Limits &limits) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    addLimits(both.getLhs(), limits);
    addLimits(both.getRhs(), limits);
    return;
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return;
  using Predicate = llvm::CmpInst::Predicate;
  Predicate predicate;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::eq:
    predicate = Predicate::ICMP_EQ;
    break;
  case arith::CmpIPredicate::slt:
    predicate = Predicate::ICMP_SLT;
    break;
  case arith::CmpIPredicate::ult:
    predicate = Predicate::ICMP_ULT;
    break;
  case arith::CmpIPredicate::sle:
    predicate = Predicate::ICMP_SLE;
    break;
  case arith::CmpIPredicate::ule:
    predicate = Predicate::ICMP_ULE;
    break;
  case arith::CmpIPredicate::sgt:
    predicate = Predicate::ICMP_SGT;
    break;
  case arith::CmpIPredicate::ugt:
    predicate = Predicate::ICMP_UGT;
    break;
  case arith::CmpIPredicate::sge:
    predicate = Predicate::ICMP_SGE;
    break;
  case arith::CmpIPredicate::uge:
    predicate = Predicate::ICMP_UGE;
    break;
  case arith::CmpIPredicate::ne:
    return;
  }
  APInt constant;
  Value value = compare.getLhs();
  if (!matchPattern(compare.getRhs(), m_ConstantInt(&constant))) {
    if (!matchPattern(compare.getLhs(), m_ConstantInt(&constant)))
      return;
    value = compare.getRhs();
    predicate = llvm::CmpInst::getSwappedPredicate(predicate);
  }
  ConstantIntRanges range =
      rangesOf(llvm::ConstantRange::makeExactICmpRegion(predicate, constant));
  auto [found, fresh] = limits.try_emplace(value, range);
  if (!fresh)
    found->second = intersect(found->second, range);
}

/// The types that ranges are looked for in.
static bool isExact(Type type) {
  return type.isIndex() || type.isInteger(64) || type.isInteger(1);
}

LaunchRanges::LaunchRanges(KernelOp kernel) {
  Block &launch = kernel.getLaunch().front();
  for (auto map : launch.getOps<TensorMapOp>()) {
    // The map's sizes are the tensor's own, and the engine's counts have 32 bits.
    GlobalType type = map.getTensor().getType();
    if (!map.getDims().empty() || map.getType().getInterleave())
      continue;
    for (unsigned d = 0; d < type.getRank(); ++d)
      sizes.try_emplace({map.getTensor(), d}, between(0, int64_t(1) << 32));
  }
  Limits limits;
  for (auto require : launch.getOps<RequireOp>())
    addLimits(require.getCondition(), limits);
  // A limit on one read of a size is one on every read of it.
  for (auto dim : launch.getOps<DimOp>())
    if (auto limit = limits.find(dim.getResult()); limit != limits.end()) {
      auto [found, fresh] = sizes.try_emplace(
          {dim.getTensor(), dim.getDimension()}, between(0, INT64_MAX));
      found->second = intersect(found->second, limit->second);
    }
  for (Operation &op : launch)
    if (auto dim = dyn_cast<DimOp>(op)) {
      ranges.try_emplace(dim.getResult(),
                         ofSize(dim.getTensor(), dim.getDimension()));
    } else if (auto infer = dyn_cast<InferIntRangeInterface>(op);
               infer && llvm::all_of(op.getOperandTypes(), isExact) &&
               llvm::all_of(op.getResultTypes(), isExact)) {
      SmallVector<ConstantIntRanges> operands;
      for (Value operand : op.getOperands()) {
        auto known = ranges.find(operand);
        operands.push_back(known != ranges.end()
                               ? known->second
                               : ConstantIntRanges::maxRange(
                                     ConstantIntRanges::getStorageBitwidth(
                                         operand.getType())));
      }
      auto set = [&](Value result, const ConstantIntRanges &range) {
        // Of sums that overflow in each launch MLIR infers an empty one.
        auto all = ConstantIntRanges::maxRange(range.smin().getBitWidth());
        ConstantIntRanges known = intersect(all, range);
        auto limit = limits.find(result);
        ranges.try_emplace(result, limit == limits.end()
                                       ? known
                                       : intersect(known, limit->second));
      };
      // MLIR 22 rounds the least number's quotient up by one too many.
      if (isa<arith::CeilDivSIOp>(op) && operands[0].smin().isMinSignedValue())
        continue;
      // A launch whose numbers overflow is refused (launch-overflow).
      auto flags = intrange::OverflowFlags::Nsw;
      if (isa<arith::AddIOp>(op))
        set(op.getResult(0), intrange::inferAdd(operands, flags));
      else if (isa<arith::SubIOp>(op))
        set(op.getResult(0), intrange::inferSub(operands, flags));
      else if (isa<arith::MulIOp>(op))
        set(op.getResult(0), intrange::inferMul(operands, flags));
      else
        infer.inferResultRanges(operands, set);
    }
}

std::optional<ConstantIntRanges> LaunchRanges::of(Value value) const {
  auto found = ranges.find(value);
  if (found == ranges.end())
    return std::nullopt;
  return found->second;
}

ConstantIntRanges LaunchRanges::ofSize(Value tensor, unsigned dimension) const {
  auto found = sizes.find({tensor, dimension});
  return found == sizes.end() ? between(0, INT64_MAX) : found->second;
}
