//===- Scalars.cpp - integers, and where they come from -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Scalars.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

std::pair<Arith, unsigned> checker::classify(Operation *op) {
  using R = std::pair<Arith, unsigned>;
  return llvm::TypeSwitch<Operation *, R>(op)
      .Case<arith::AddIOp>([](auto) { return R{Arith::Add, 0}; })
      .Case<arith::SubIOp>([](auto) { return R{Arith::Sub, 0}; })
      .Case<arith::MulIOp>([](auto) { return R{Arith::Mul, 0}; })
      .Case<arith::DivUIOp>([](auto) { return R{Arith::DivU, 0}; })
      .Case<arith::DivSIOp>([](auto) { return R{Arith::DivS, 0}; })
      .Case<arith::RemUIOp>([](auto) { return R{Arith::RemU, 0}; })
      .Case<arith::RemSIOp>([](auto) { return R{Arith::RemS, 0}; })
      .Case<arith::CeilDivUIOp>([](auto) { return R{Arith::CeilDivU, 0}; })
      .Case<arith::CeilDivSIOp>([](auto) { return R{Arith::CeilDivS, 0}; })
      .Case<arith::FloorDivSIOp>([](auto) { return R{Arith::FloorDivS, 0}; })
      .Case<arith::AndIOp>([](auto) { return R{Arith::And, 0}; })
      .Case<arith::OrIOp>([](auto) { return R{Arith::Or, 0}; })
      .Case<arith::XOrIOp>([](auto) { return R{Arith::Xor, 0}; })
      .Case<arith::ShLIOp>([](auto) { return R{Arith::Shl, 0}; })
      .Case<arith::ShRUIOp>([](auto) { return R{Arith::ShrU, 0}; })
      .Case<arith::ShRSIOp>([](auto) { return R{Arith::ShrS, 0}; })
      .Case<arith::MinUIOp>([](auto) { return R{Arith::MinU, 0}; })
      .Case<arith::MinSIOp>([](auto) { return R{Arith::MinS, 0}; })
      .Case<arith::MaxUIOp>([](auto) { return R{Arith::MaxU, 0}; })
      .Case<arith::MaxSIOp>([](auto) { return R{Arith::MaxS, 0}; })
      .Case<arith::SelectOp>([](auto) { return R{Arith::Select, 0}; })
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(
          [](auto) { return R{Arith::Cast, 0}; })
      .Case<arith::IndexCastUIOp, arith::ExtUIOp>(
          [](auto) { return R{Arith::CastU, 0}; })
      .Case<arith::CmpIOp>([](arith::CmpIOp cmp) {
        return R{Arith::Cmp, static_cast<unsigned>(cmp.getPredicate())};
      })
      .Default([](Operation *) { return R{Arith::None, 0}; });
}

bool checker::divides(Arith code) {
  return llvm::is_contained({Arith::DivU, Arith::DivS, Arith::RemU, Arith::RemS,
                             Arith::CeilDivU, Arith::CeilDivS,
                             Arith::FloorDivS},
                            code);
}

bool checker::shifts(Arith code) {
  return llvm::is_contained({Arith::Shl, Arith::ShrU, Arith::ShrS}, code);
}

unsigned checker::bitsOf(Type type) {
  if (type.isIndex())
    return 64;
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() <= 64 ? integer.getWidth() : 0;
  return 0;
}

static int64_t wrap(uint64_t value, unsigned bits) {
  if (bits == 1)
    return value & 1;
  return bits >= 64 ? static_cast<int64_t>(value)
                    : llvm::SignExtend64(value, bits);
}
static uint64_t plain(int64_t value, unsigned bits) {
  return bits >= 64 ? static_cast<uint64_t>(value)
                    : static_cast<uint64_t>(value) &
                          llvm::maskTrailingOnes<uint64_t>(bits);
}

std::optional<int64_t> checker::evaluate(Arith code, unsigned predicate,
                                         unsigned operandBits, unsigned bits,
                                         int64_t a, int64_t b, int64_t c) {
  uint64_t ua = plain(a, operandBits), ub = plain(b, operandBits);
  // i1 is kept as 0 or 1; as a signed number 1 is -1.
  if (operandBits == 1 && code != Arith::Select) {
    a = -(a & 1);
    b = -(b & 1);
  }
  auto floorDiv = [](int64_t x, int64_t y) {
    return x / y - (x % y && (x < 0) != (y < 0));
  };
  // Of the least number divided by -1 there is no quotient.
  bool overflow = b == -1 && a == llvm::minIntN(operandBits);
  uint64_t result = 0;
  switch (code) {
  case Arith::None:
    return std::nullopt;
  case Arith::Add:
    result = ua + ub;
    break;
  case Arith::Sub:
    result = ua - ub;
    break;
  case Arith::Mul:
    result = ua * ub;
    break;
  case Arith::DivU:
    if (!ub)
      return std::nullopt;
    result = ua / ub;
    break;
  case Arith::RemU:
    if (!ub)
      return std::nullopt;
    result = ua % ub;
    break;
  case Arith::CeilDivU:
    if (!ub)
      return std::nullopt;
    result = ua / ub + (ua % ub != 0);
    break;
  case Arith::DivS:
    if (!b || overflow)
      return std::nullopt;
    result = a / b;
    break;
  case Arith::RemS:
    if (!b || overflow)
      return std::nullopt;
    result = a % b;
    break;
  case Arith::CeilDivS:
    if (!b || overflow)
      return std::nullopt;
    result = a / b + (a % b && (a < 0) == (b < 0));
    break;
  case Arith::FloorDivS:
    if (!b || overflow)
      return std::nullopt;
    result = floorDiv(a, b);
    break;
  case Arith::And:
    result = ua & ub;
    break;
  case Arith::Or:
    result = ua | ub;
    break;
  case Arith::Xor:
    result = ua ^ ub;
    break;
  case Arith::Shl:
    if (ub >= bits)
      return std::nullopt;
    result = ua << ub;
    break;
  case Arith::ShrU:
    if (ub >= bits)
      return std::nullopt;
    result = ua >> ub;
    break;
  case Arith::ShrS:
    if (ub >= bits)
      return std::nullopt;
    result = a >> ub;
    break;
  case Arith::MinU:
    result = std::min(ua, ub);
    break;
  case Arith::MaxU:
    result = std::max(ua, ub);
    break;
  case Arith::MinS:
    result = std::min(a, b);
    break;
  case Arith::MaxS:
    result = std::max(a, b);
    break;
  case Arith::Select:
    result = a ? b : c;
    break;
  case Arith::Cast:
    result = a;
    break;
  case Arith::CastU:
    result = ua;
    break;
  case Arith::Cmp:
    switch (static_cast<arith::CmpIPredicate>(predicate)) {
    case arith::CmpIPredicate::eq:
      result = ua == ub;
      break;
    case arith::CmpIPredicate::ne:
      result = ua != ub;
      break;
    case arith::CmpIPredicate::slt:
      result = a < b;
      break;
    case arith::CmpIPredicate::sle:
      result = a <= b;
      break;
    case arith::CmpIPredicate::sgt:
      result = a > b;
      break;
    case arith::CmpIPredicate::sge:
      result = a >= b;
      break;
    case arith::CmpIPredicate::ult:
      result = ua < ub;
      break;
    case arith::CmpIPredicate::ule:
      result = ua <= ub;
      break;
    case arith::CmpIPredicate::ugt:
      result = ua > ub;
      break;
    case arith::CmpIPredicate::uge:
      result = ua >= ub;
      break;
    }
    return result;
  }
  return wrap(result, bits);
}

size_t Symbols::NodeHash::operator()(const Node &node) const {
  return llvm::hash_combine(
      node.code, node.predicate, node.operandBits, node.bits, node.a.value,
      node.a.symbol, node.b.value, node.b.symbol, node.c.value, node.c.symbol);
}

uint32_t Symbols::parameter(const void *key, int dimension) {
  auto [found, fresh] = parameterNames.try_emplace({key, dimension}, 0);
  if (fresh) {
    Node node;
    node.predicate = parameterNames.size() - 1;
    nodes.push_back(node);
    masks.push_back(uint64_t(1) << std::min(node.predicate, 63u));
    found->second = nodes.size() - 1;
  }
  return found->second;
}

uint32_t Symbols::apply(Arith code, unsigned predicate, unsigned operandBits,
                        unsigned bits, Number a, Number b, Number c) {
  if (!a.symbol && !b.symbol && !c.symbol)
    return 0;
  // The representative value of a symbol is no part of it.
  for (Number *number : {&a, &b, &c})
    if (number->symbol)
      number->value = 0;
  auto [found, fresh] =
      interned.try_emplace({code, predicate, operandBits, bits, a, b, c}, 0);
  if (fresh) {
    nodes.push_back(found->first);
    masks.push_back(parametersOf(a) | parametersOf(b) | parametersOf(c));
    found->second = nodes.size() - 1;
  }
  return found->second;
}

std::optional<int64_t> Symbols::value(Number number, const Values &parameters,
                                      int cta) const {
  if (!number.symbol)
    return number.value;
  ++now;
  memo.resize(nodes.size());
  stamps.resize(nodes.size());
  kept.resize(nodes.size());
  return walk(number, parameters, cta);
}

void Symbols::changesOnly(std::optional<uint32_t> parameter) const {
  ++span;
  changing.reset();
  if (parameter)
    changing = uint64_t(1) << std::min(*parameter, 63u);
}

std::optional<int64_t> Symbols::walk(Number number, const Values &parameters,
                                     int cta) const {
  if (!number.symbol)
    return number.value;
  const Node &node = nodes[number.symbol];
  if (node.code == Arith::None)
    return parameters[node.predicate][cta];
  std::optional<int64_t> &result = memo[number.symbol];
  if (stamps[number.symbol] == now)
    return result;
  const std::pair<uint32_t, int> found{span, cta};
  if (changing && !(masks[number.symbol] & *changing) &&
      kept[number.symbol] == found)
    return result;
  stamps[number.symbol] = now;
  kept[number.symbol] = found;
  ++evaluated;
  result = std::nullopt;
  auto a = walk(node.a, parameters, cta), b = walk(node.b, parameters, cta),
       c = walk(node.c, parameters, cta);
  if (a && b && c)
    result = evaluate(node.code, node.predicate, node.operandBits, node.bits,
                      *a, *b, *c);
  return result;
}

void Symbols::collect(Number number, std::vector<uint32_t> &parameters,
                      std::vector<int64_t> *constants) const {
  std::vector<Number> rest = {number};
  ++visit;
  visited.resize(nodes.size());
  while (!rest.empty()) {
    Number at = rest.back();
    rest.pop_back();
    if (!at.symbol) {
      if (constants && at.value && !llvm::is_contained(*constants, at.value))
        constants->push_back(at.value);
      continue;
    }
    if (std::exchange(visited[at.symbol], visit) == visit)
      continue;
    const Node &node = nodes[at.symbol];
    if (node.code == Arith::None) {
      if (!llvm::is_contained(parameters, node.predicate))
        parameters.push_back(node.predicate);
      continue;
    }
    for (Number operand : {node.c, node.b, node.a})
      rest.push_back(operand);
  }
}
