//===- Promises.cpp - what titan.assume says of data ----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element that is loaded is a parameter, as a size is. What titan.assume says of
// it comes up where it is executed: a run in which it is false is of no launch,
// and is made again with data that keeps the promise.
//
//===----------------------------------------------------------------------===//
#include "Interpreter.h"

#include "Bounds.h"

#include "titan/Dialect/Titan/SharedMemory.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

void Instantiator::Impl::findPromised() {
  SmallVector<Value> rest;
  kernel.getBody().walk(
      [&](AssumeOp op) { rest.push_back(op.getCondition()); });
  llvm::DenseSet<Value> seen;
  while (!rest.empty()) {
    Value at = rest.pop_back_val();
    Operation *op = at.getDefiningOp();
    if (!op || !seen.insert(at).second)
      continue;
    if (auto hardware = dyn_cast<HardwareEffectsInterface>(op)) {
      promisedValues.insert(at);
      effect::EffectList effects;
      hardware.getHardwareEffects(effects);
      for (const effect::Effect &effect : effects)
        if (auto *access = std::get_if<effect::Access>(&effect.what))
          if (auto argument = globalArgument(access->bytes.object))
            promisedTensors.insert(*argument);
    } else if (!op->getNumRegions())
      llvm::append_range(rest, op->getOperands());
  }
}

bool Instantiator::Impl::believe(const CompiledOp &op) {
  const Val holds = values[op.in[0]];
  if (holds.kind != Val::Int)
    return true;
  // Each side of a conjunction by itself: one number alone may keep it.
  SmallVector<Number> rest = {holds.number};
  while (!rest.empty()) {
    const Number at = rest.pop_back_val();
    if (!at.symbol || !promised.insert(at.symbol).second)
      continue;
    const Symbols::Node &node = symbols.node(at.symbol);
    if (node.code == Arith::And && node.bits == 1) {
      rest.append({node.b, node.a});
      continue;
    }
    promises.push_back({0, at.symbol});
    std::vector<uint32_t> inside;
    symbols.collect(at, inside);
    for (uint32_t parameter : inside)
      parameters[parameter].boundsData |=
          parameters[parameter].kind == Parameter::Scalar;
  }
  if (!holds.number.value) {
    broken = true;
    return false;
  }
  believeTrue(op.op->getOperand(0));
  return true;
}

void Instantiator::Impl::believeTrue(Value condition) {
  Operation *op = condition.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp>(op)) {
    for (Value side : op->getOperands())
      believeTrue(side);
    return;
  }
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare)
    return;
  using P = arith::CmpIPredicate;
  P predicate = compare.getPredicate();
  Value less = compare.getLhs(), more = compare.getRhs();
  if (predicate == P::sgt || predicate == P::sge || predicate == P::ugt ||
      predicate == P::uge)
    std::swap(less, more);
  bool strictly = predicate == P::slt || predicate == P::sgt ||
                  predicate == P::ult || predicate == P::ugt,
       unsignedly = predicate == P::ult || predicate == P::ule ||
                    predicate == P::ugt || predicate == P::uge;
  Val &a = value(less), &b = value(more);
  if (predicate == P::ne || predicate == P::eq || a.kind != Val::Int ||
      b.kind != Val::Int || bitsOf(less.getType()) == 1 ||
      (unsignedly && ranges.of(b.number).low < 0))
    return;
  auto plain = [](Number n) { return n.symbol ? Number{0, n.symbol} : n; };
  auto apply = [&](Arith code, unsigned as, Number x, Number y) {
    return symbols.apply(code, as, 64, 64, plain(x), plain(y), {});
  };
  auto beside = [&](Number number, int64_t by) {
    if (!strictly)
      return number;
    return Number{number.value + by,
                  number.symbol ? apply(Arith::Add, 0, number, {by, 0}) : 0};
  };
  const Number low = a.number, high = b.number;
  if (ofPromised(high))
    b.number.symbol =
        apply(Arith::MaxS, Symbols::believed, high, beside(low, 1));
  else if (ofPromised(low))
    a.number.symbol =
        apply(Arith::MinS, Symbols::believed, low, beside(high, -1));
  if (unsignedly && ofPromised(low))
    a.number.symbol = apply(Arith::MaxS, Symbols::believed,
                            {a.number.value, a.number.symbol}, {0, 0});
}

bool Instantiator::Impl::ofPromised(Number number) const {
  return !promisedValues.empty() &&
         anyParameter(number, [](const Parameter &parameter) {
           return parameter.promised;
         });
}

void Instantiator::Impl::decidedByData(const CompiledOp &op) {
  if (!self.unseen.empty())
    return;
  auto list = [](ArrayRef<int64_t> numbers) {
    return llvm::join(
        llvm::map_range(numbers, [](int64_t n) { return std::to_string(n); }),
        ", ");
  };
  self.unseen.push_back(
      "data of which titan.assume says something, but for elements that are " +
      list(bound::promisedApart) + ", or in turn " +
      list(bound::promisedGroups) + " apart, or all " +
      std::to_string(bound::promisedAlike) +
      ", and others where those break a promise: it decides anew in each "
      "iteration of a loop how often this runs" +
      inLine(op.op->getLoc()));
}

bool Instantiator::Impl::keepPromises() {
  std::vector<Goal> goals;
  for (size_t i = 0; i < promises.size(); ++i)
    goals.push_back({Goal::Promise, i});
  int budget = bound::mostTrials;
  uint64_t blame = 0;
  return reach(goals, 0, budget, blame);
}

int64_t Instantiator::Impl::promisedData(int64_t element) const {
  if (apart)
    return *apart * element;
  if (pattern < std::size(bound::promisedApart))
    return bound::promisedApart[pattern] * element;
  if (pattern + 1 == patterns)
    return bound::promisedAlike;
  int64_t sum = 0, each = 0, groups = std::size(bound::promisedGroups);
  for (int64_t i = 0; i < groups; ++i) {
    each += bound::promisedGroups[i];
    if (i < element % groups)
      sum += bound::promisedGroups[i];
  }
  return element / groups * each + sum;
}

int64_t Instantiator::Impl::dataAt(unsigned tensor, int64_t element,
                                   bool promised) const {
  if (launch && launch->data)
    if (auto said = launch->data(tensor, element))
      return *said;
  return promised ? promisedData(element) : bound::dataApart * element;
}

std::unique_ptr<Program> Instantiator::Impl::runPromised(
    llvm::function_ref<bool()> set,
    llvm::function_ref<std::unique_ptr<Program>()> run, bool steady) {
  promises.clear();
  promised.clear();
  const size_t next = firstPattern, first = steady ? 0 : next;
  llvm::scope_exit turn([&] {
    firstPattern =
        steady || promisedValues.empty() ? next : (next + 1) % patterns;
  });
  for (int64_t round = 0; round < bound::mostPromises; ++round) {
    // Where sizes keep up with one pattern step by step, another one will do.
    firstPattern = (first + round / 2) % patterns;
    if (!set())
      break;
    broken = false;
    auto known = sides;
    if (auto result = run())
      return result;
    if (!broken)
      break;
    sides = std::move(known);
  }
  return nullptr;
}
