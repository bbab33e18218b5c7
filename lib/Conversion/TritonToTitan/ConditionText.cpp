//===- ConditionText.cpp - a condition as Python has it -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program assumes, and what the kernel asserts, is told to who reads a
// verdict: "index >= 0 and index < rows", by the names that the source gives.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "titan/Dialect/Titan/SharedMemory.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace titan;

/// Operations within each other that are told; deeper ones by their lines.
static constexpr unsigned mostDeep = 6;

static StringRef wordOf(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return "==";
  case P::ne:
    return "!=";
  case P::slt:
  case P::ult:
    return "<";
  case P::sle:
  case P::ule:
    return "<=";
  case P::sgt:
  case P::ugt:
    return ">";
  case P::sge:
  case P::uge:
    return ">=";
  }
  llvm_unreachable("all predicates");
}

/// `within`: a sum stands in brackets.
static std::string numberText(Value value, unsigned deep, bool within) {
  if (APInt number;
      matchPattern(value, m_ConstantInt(&number))) // Of a splat, too.
    return llvm::toString(number, 10, /*Signed=*/true);
  Operation *op = value.getDefiningOp();
  // (Named, if at all, after what is computed of it.)
  if (isa_and_nonnull<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp,
                      arith::ExtSIOp, arith::ExtUIOp>(op))
    return numberText(op->getOperand(0), deep, within);
  if (auto name = value.getLoc()->findInstanceOf<NameLoc>())
    return name.getName().str();
  if (!op)
    return "a number of a loop";
  if (auto id = dyn_cast<tt::GetProgramIdOp>(op))
    return "tl.program_id(" + std::to_string(int(id.getAxis())) + ")";
  if (auto count = dyn_cast<tt::GetNumProgramsOp>(op))
    return "tl.num_programs(" + std::to_string(int(count.getAxis())) + ")";
  StringRef word = isa<arith::AddIOp>(op)   ? " + "
                   : isa<arith::SubIOp>(op) ? " - "
                   : isa<arith::MulIOp>(op) ? " * "
                                            : "";
  if (word.empty() || deep >= mostDeep)
    return (isa<tt::LoadOp>(op) ? "what is loaded" : "a number") +
           inLine(op->getLoc());
  std::string text = numberText(op->getOperand(0), deep + 1, true) +
                     word.str() + numberText(op->getOperand(1), deep + 1, true);
  return within ? "(" + text + ")" : text;
}

static std::string conditionText(Value value, unsigned deep, bool within) {
  Operation *op = value.getDefiningOp();
  if (auto compare = dyn_cast_or_null<arith::CmpIOp>(op))
    return numberText(compare.getLhs(), deep, false) + " " +
           wordOf(compare.getPredicate()).str() + " " +
           numberText(compare.getRhs(), deep, false);
  if (isa_and_nonnull<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp>(op))
    return conditionText(op->getOperand(0), deep, within);
  if (isa_and_nonnull<arith::AndIOp, arith::OrIOp>(op) && deep < mostDeep) {
    std::string text = conditionText(op->getOperand(0), deep + 1, true) +
                       (isa<arith::AndIOp>(op) ? " and " : " or ") +
                       conditionText(op->getOperand(1), deep + 1, true);
    return within ? "(" + text + ")" : text;
  }
  if (isa_and_nonnull<arith::XOrIOp>(op) && deep < mostDeep &&
      matchPattern(op->getOperand(1), m_One()))
    return "not (" + conditionText(op->getOperand(0), deep + 1, false) + ")";
  return numberText(value, deep, within);
}

std::string titan::conditionText(Value condition) {
  return ::conditionText(condition, 0, /*within=*/false);
}
