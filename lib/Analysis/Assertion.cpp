//===- Assertion.cpp - why an assertion does not hold ---------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/Assertion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace titan;

std::string FalseCondition::fix() const {
  if (has.empty())
    return "compute other values, or mask what runs where they come up, or say "
           "in the launch region, by titan.require, under which sizes and "
           "arguments the condition holds";
  return "mask what runs where " + has +
         " does not hold; or say in the launch region, by titan.require, under "
         "which sizes and arguments it does; or, where the kernel itself "
         "computes it from none of them, correct the computation or the "
         "assertion";
}

/// "below", "at least", ...
static StringRef wordsOf(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return "equal to";
  case P::ne:
    return "other than";
  case P::slt:
  case P::ult:
    return "below";
  case P::sle:
  case P::ule:
    return "at most";
  case P::sgt:
  case P::ugt:
    return "above";
  case P::sge:
  case P::uge:
    return "at least";
  }
  llvm_unreachable("all predicates");
}

SmallVector<Value> titan::operandsOfCondition(Value condition) {
  SmallVector<Value> operands{condition};
  Operation *op = condition.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp>(op)) {
    for (Value side : op->getOperands())
      llvm::append_range(operands, operandsOfCondition(side));
  } else if (isa_and_nonnull<arith::CmpIOp>(op)) {
    llvm::append_range(operands, op->getOperands());
  }
  return operands;
}

FalseCondition titan::describeFalse(
    Value condition,
    llvm::function_ref<std::optional<int64_t>(Value)> numberOf) {
  // "%i, 5," and "%i"; constants "5" and "5".
  auto operand = [&](Value v) {
    auto known = numberOf(v);
    std::string number =
        known ? std::to_string(*known) : "a value that is not known";
    auto name = v.getLoc()->findInstanceOf<NameLoc>();
    if (!name || matchPattern(v, m_Constant()))
      return std::pair(number, number);
    std::string text = "%" + name.getName().str();
    return std::pair(text + ", " + number + ",", text);
  };
  Operation *op = condition.getDefiningOp();
  if (auto both = dyn_cast_or_null<arith::AndIOp>(op))
    for (Value side : both->getOperands())
      if (numberOf(side) == 0)
        return describeFalse(side, numberOf);
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare)
    return {operand(condition).first + " is false",
            matchPattern(condition, m_Constant()) ? ""
                                                  : operand(condition).second};
  auto left = operand(compare.getLhs()), right = operand(compare.getRhs());
  std::string how = (" " + wordsOf(compare.getPredicate()) + " ").str();
  StringRef last = right.first;
  last.consume_back(",");
  bool named = left.first != left.second || right.first != right.second;
  return {left.first + " is not" + how + last.str(),
          named ? left.second + " is" + how + right.second : ""};
}
