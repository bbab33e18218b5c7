//===- Constants.cpp - what constants alone show to be impossible ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing can be said of what follows from x / 0: who follows it would call it
// unknown, and name the places that use it.
//
//===----------------------------------------------------------------------===//
#include "Resources.h"
#include "Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

static std::optional<APInt> constantOf(Value value) {
  APInt constant;
  if (!value.getType().isIntOrIndex() ||
      !matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return constant;
}

/// Why the operation has no result, whatever its first operand is.
static std::string whyImpossible(Operation *op) {
  Arith code = classify(op).first;
  if (!divides(code) && !shifts(code))
    return "";
  auto by = constantOf(op->getOperand(1));
  unsigned bits = bitsOf(op->getResult(0).getType());
  if (!by || !bits ||
      evaluate(code, 0, bits, bits, 1, by->getSExtValue(), 0).has_value())
    return "";
  return "'" + op->getName().getStringRef().str() + "' by " +
         toString(*by, 10, /*Signed=*/true) + " has no result";
}

bool titan::checker::checkConstants(KernelOp kernel, Report &report) {
  bool found = false;
  kernel->walk([&](Operation *op) {
    std::string why = whyImpossible(op);
    if (why.empty())
      return;
    bool launch = kernel.getLaunch().isAncestor(op->getParentRegion());
    report.add(launch ? Code::LaunchDivision : Code::InvalidOp, op, nullptr,
               why);
    found = true;
  });
  return found;
}
