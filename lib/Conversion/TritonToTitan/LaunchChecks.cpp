//===- LaunchChecks.cpp - what a Triton program asks of its launch --------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program is right for some arguments alone: rows that a stride makes overlap are
// written by two programs. Which ones it says by tl.assume, as far as that is about
// arguments, or who compiles it does, in a text:
//
//   condition  = sum ("==" | "!=" | "<" | "<=" | ">" | ">=") sum
//   sum        = product (("+" | "-") product)*
//   product    = atom ("*" atom)*
//   atom       = number | argument
//
// A pointer's name is the number of elements of its tensor.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "titan/Dialect/Titan/Contents.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace titan;

namespace {
/// Reads a condition, and builds it in the launch region.
class ConditionReader {
public:
  ConditionReader(StringRef text, KernelOp kernel, ImplicitLocOpBuilder &b)
      : rest(text.trim()), kernel(kernel), b(b) {}

  /// Null: `problem` says what is wrong.
  Value read() {
    using Predicate = arith::CmpIPredicate;
    static constexpr std::pair<StringLiteral, Predicate> predicates[] = {
        {"==", Predicate::eq},  {"!=", Predicate::ne}, {"<=", Predicate::sle},
        {">=", Predicate::sge}, {"<", Predicate::slt}, {">", Predicate::sgt}};
    Value left = sum();
    if (!left)
      return {};
    for (auto [word, predicate] : predicates) {
      if (!take(word))
        continue;
      Value right = sum();
      if (right && !rest.empty())
        return fail("'" + rest + "' follows the condition");
      return right ? arith::CmpIOp::create(b, predicate, left, right) : Value();
    }
    return fail("a comparison is missing before '" + rest + "'");
  }
  std::string problem;

private:
  Value fail(const Twine &what) {
    problem = what.str();
    return {};
  }
  bool take(StringRef word) {
    if (!rest.consume_front(word))
      return false;
    rest = rest.ltrim();
    return true;
  }
  Value sum() {
    Value left = product();
    while (left) {
      bool add = take("+");
      if (!add && !take("-"))
        return left;
      Value right = product();
      if (!right)
        return {};
      left = add ? arith::AddIOp::create(b, left, right).getResult()
                 : arith::SubIOp::create(b, left, right).getResult();
    }
    return left;
  }
  Value product() {
    Value left = atom();
    while (left && take("*")) {
      Value right = atom();
      left = right ? arith::MulIOp::create(b, left, right).getResult() : right;
    }
    return left;
  }
  Value atom() {
    StringRef word =
        rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (word.empty())
      return fail("an argument or a number is missing before '" + rest + "'");
    rest = rest.drop_front(word.size()).ltrim();
    int64_t number;
    if (!word.getAsInteger(10, number))
      return arith::ConstantOp::create(b, b.getIndexAttr(number));
    auto names = kernel.getArgNames();
    auto found = llvm::find(names, Attribute(b.getStringAttr(word)));
    if (found == names.end()) {
      std::string all;
      for (Attribute name : names)
        all +=
            (all.empty() ? "" : ", ") + cast<StringAttr>(name).getValue().str();
      return fail("there is no argument '" + word + "'; there are " + all);
    }
    Value argument = kernel.getLaunch().getArgument(found - names.begin());
    if (isa<GlobalType>(argument.getType()))
      return DimOp::create(b, b.getIndexType(), argument,
                           b.getI64IntegerAttr(0));
    if (!argument.getType().isInteger())
      return fail("'" + word + "' is no integer");
    return arith::IndexCastOp::create(b, b.getIndexType(), argument);
  }

  StringRef rest;
  KernelOp kernel;
  ImplicitLocOpBuilder &b;
};
} // namespace

LogicalResult ProgramConversion::requireAtLaunch(StringRef text) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(kernel.getLaunchOp());
  ConditionReader reader(text, kernel, b);
  Value condition = reader.read();
  if (!condition)
    return emitError(kernel.getLoc(), "[bad-argument] --launch-check '")
           << text << "': " << reader.problem;
  RequireOp::create(b, condition, b.getStringAttr("launch-check"),
                    b.getStringAttr("the program is compiled for launches "
                                    "where " +
                                    text),
                    b.getStringAttr("compile it without this --launch-check, "
                                    "or pass such arguments"));
  return success();
}

/// How many programs there are along an axis: behind the function's own arguments,
/// of the axes that it asks for.
static Value gridArgument(KernelOp kernel, unsigned axis) {
  LaunchOp launch = kernel.getLaunchOp();
  return launch.getGrid()[axis].getDefiningOp()->getOperand(0);
}

/// `value` of the function, computed from arguments and the grid, in the launch region; null:
/// it is computed from something else, too.
static Value atLaunch(Value value, KernelOp kernel, IRMapping &known,
                      OpBuilder &b) {
  if (Value before = known.lookupOrNull(value))
    return before;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Value now;
    if (isa<tt::FuncOp>(argument.getOwner()->getParentOp()))
      now = kernel.getLaunch().getArgument(argument.getArgNumber());
    return now && now.getType().isIntOrFloat() ? now : Value();
  }
  Operation *op = value.getDefiningOp();
  if (auto count = dyn_cast<tt::GetNumProgramsOp>(op))
    return gridArgument(kernel, static_cast<unsigned>(count.getAxis()));
  if (!isa<arith::ArithDialect>(op->getDialect()) ||
      !value.getType().isIntOrIndex())
    return {};
  for (Value operand : op->getOperands()) {
    Value now = atLaunch(operand, kernel, known, b);
    if (!now)
      return {};
    known.map(operand, now);
  }
  b.clone(*op, known);
  return known.lookup(value);
}

/// What tl.assume says of arguments, the launch checks; of what the program
/// loads, titan.assume says it; of what else the program computes, it is a
/// promise that nobody needs.
LogicalResult titan::convertAssume(ProgramConversion &c, Operation *op) {
  KernelOp kernel = c.kernel;
  IRMapping known;
  OpBuilder launch(kernel.getLaunchOp());
  if (Value condition = atLaunch(op->getOperand(0), kernel, known, launch)) {
    std::string where;
    if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
      where = (" (" + place.getFilename().getValue() + ":" +
               Twine(place.getLine()) + ")")
                  .str();
    RequireOp::create(
        launch, op->getLoc(), condition, launch.getStringAttr("launch-check"),
        launch.getStringAttr("the program assumes " +
                             conditionText(op->getOperand(0)) + where),
        launch.getStringAttr("pass arguments for which the "
                             "program was written"));
    return success();
  }
  c.promise(c.scalar(op->getOperand(0)), op->getOperand(0));
  return success();
}

void ProgramConversion::promise(Value condition, Value old) {
  if (isOfContents(condition))
    AssumeOp::create(b, condition, conditionText(old));
}
