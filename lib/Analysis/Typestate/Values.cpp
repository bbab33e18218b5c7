//===- Values.cpp - what the proof knows of a value -----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Values.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

#include <numeric>

using namespace mlir;
using namespace titan;
using namespace titan::typestate;
using checker::Arith;
using Kind = titan::typestate::Value::Kind;
using TValue = titan::typestate::Value;

std::vector<int64_t> typestate::rotated(const std::vector<int64_t> &table,
                                        int64_t shift) {
  int64_t size = table.size();
  std::vector<int64_t> result(size);
  for (int64_t i = 0; i < size; ++i)
    result[i] = table[((i + shift) % size + size) % size];
  return result;
}

TValue TValue::cycle(Polynomial at, std::vector<int64_t> table) {
  if (at.isLost())
    return TValue();
  // The shortest one, and no constant in its place: one form for one value.
  int64_t size = table.size();
  for (int64_t period = 1; period <= size; ++period)
    if (size % period == 0 &&
        std::equal(table.begin() + period, table.end(), table.begin())) {
      table.resize(period);
      break;
    }
  if (table.size() == 1)
    return of(table[0]);
  if (int64_t constant = at.constantTerm()) {
    table = rotated(table, constant % static_cast<int64_t>(table.size()));
    at = at - Polynomial(constant);
  }
  if (at.constant())
    return of(table[0]);
  TValue result;
  result.kind = Cycle;
  result.number = std::move(at);
  result.table = std::move(table);
  return result;
}

std::optional<TValue> TValue::overDividend(const Atoms &atoms,
                                           const Facts &facts) const {
  auto in = number.atoms();
  if (kind != Cycle || in.size() != 1 || number != Polynomial::atom(in[0]) ||
      atoms.kind(in[0]) != "quotient")
    return std::nullopt;
  const std::vector<Polynomial> &division = atoms.operands(in[0]);
  auto d = division[1].constant();
  int64_t size = table.size();
  if (!d || *d > 4096 / size || !facts.provesAtLeast(division[0], 0))
    return std::nullopt;
  std::vector<int64_t> longer(*d * size);
  for (int64_t i = 0; i < *d * size; ++i)
    longer[i] = table[i / *d];
  return cycle(division[0], std::move(longer));
}

TValue TValue::substitute(Atoms &atoms, Atom atom, const Polynomial &by,
                          Facts &facts) const {
  TValue result = *this;
  result.number = atoms.substitute(number, atom, by, &facts);
  if (result.number.isLost())
    return TValue();
  for (Comparison &comparison : result.all)
    comparison.polynomial =
        atoms.substitute(comparison.polynomial, atom, by, &facts);
  return kind == Cycle ? cycle(result.number, result.table) : result;
}

std::optional<bool> typestate::decide(const Facts &facts,
                                      const Comparison &comparison) {
  const Polynomial &p = comparison.polynomial;
  auto zero = [&]() -> std::optional<bool> {
    if (facts.provesEqual(p, 0))
      return true;
    if (facts.provesAtLeast(p, 1) || facts.provesAtLeast(-p, 1))
      return false;
    return std::nullopt;
  };
  switch (comparison.kind) {
  case Comparison::AtLeast:
    if (facts.provesAtLeast(p, 0))
      return true;
    if (facts.provesAtLeast(-1, p))
      return false;
    return std::nullopt;
  case Comparison::Equal:
    return zero();
  case Comparison::Differs:
    if (auto is = zero())
      return !*is;
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<bool> typestate::decide(const Facts &facts,
                                      const TValue &condition) {
  if (condition.kind == Kind::Number)
    if (auto constant = condition.constant())
      return *constant != 0;
  if (condition.kind != Kind::Condition)
    return std::nullopt;
  bool all = true;
  for (const Comparison &comparison : condition.all) {
    auto is = decide(facts, comparison);
    if (is == false)
      return false;
    all &= is == true;
  }
  return all ? std::optional(true) : std::nullopt;
}

void typestate::assume(Facts &facts, const Comparison &comparison) {
  if (comparison.kind == Comparison::AtLeast)
    facts.addNonnegative(comparison.polynomial);
  else if (comparison.kind == Comparison::Equal)
    facts.addZero(comparison.polynomial);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

std::optional<Polynomial> Arithmetic::polynomialOf(const TValue &value,
                                                   Facts &facts, bool place) {
  if (value.kind == Kind::Number)
    return value.number;
  if (value.kind != Kind::Cycle)
    return std::nullopt;
  int64_t size = value.table.size();
  bool ramp = true;
  for (int64_t i = 0; i < size; ++i)
    ramp &= value.table[i] == (value.table[0] + i) % size;
  if (ramp) {
    Polynomial x = value.number + Polynomial(value.table[0]);
    auto [q, r] = divide(x, size, facts);
    if (!place || !r.constant())
      return r;
    // Of what is added to a slot the place is to be seen (modulo).
    r = Polynomial::atom(
        atoms.atom("remainder", nullptr, {x, Polynomial(size)}));
    addDivision(facts, x, size, q, r);
    return r;
  }
  std::vector<Polynomial> operands = {value.number};
  for (int64_t number : value.table)
    operands.push_back(number);
  Polynomial atom = Polynomial::atom(atoms.atom("cycle", nullptr, operands));
  facts.atLeast(atom,
                *std::min_element(value.table.begin(), value.table.end()));
  facts.atLeast(*std::max_element(value.table.begin(), value.table.end()),
                atom);
  return atom;
}

TValue Arithmetic::conditionOf(const TValue &value, Facts &facts, bool fact) {
  if (value.kind == Kind::Cycle) {
    // One number of the table differs: that is where a remainder is 0.
    for (int64_t bit : {1, 0})
      if (llvm::count(value.table, bit) == 1 &&
          llvm::count(value.table, 1 - bit) + 1 ==
              static_cast<int64_t>(value.table.size())) {
        int64_t at = llvm::find(value.table, bit) - value.table.begin();
        Polynomial rest =
            divide(value.number - Polynomial(at), value.table.size(), facts)
                .second;
        return TValue::condition(
            {{Comparison::AtLeast, bit ? -rest : rest - 1}});
      }
    return value;
  }
  TValue result = value;
  if (!fact)
    for (Comparison &comparison : result.all) {
      if (comparison.kind == Comparison::AtLeast)
        continue;
      Polynomial p = comparison.polynomial;
      if (!facts.provesAtLeast(p, 0))
        p = -p;
      if (facts.provesAtLeast(p, 0))
        comparison = {Comparison::AtLeast,
                      comparison.kind == Comparison::Equal ? -p : p - 1};
    }
  return result;
}

/// All of them as tables of one length at one place, if they can be.
static std::optional<std::pair<Polynomial, std::vector<std::vector<int64_t>>>>
inStep(ArrayRef<TValue> operands) {
  std::optional<Polynomial> at;
  int64_t size = 1;
  for (const TValue &operand : operands) {
    if (operand.kind == Kind::Cycle) {
      if (at && !(operand.number - *at).constant())
        return std::nullopt;
      if (!at)
        at = operand.number;
      size = std::lcm<int64_t>(size, operand.table.size());
    } else if (!operand.constant())
      return std::nullopt;
  }
  if (!at || size > 4096)
    return std::nullopt;
  std::vector<std::vector<int64_t>> tables;
  for (const TValue &operand : operands) {
    std::vector<int64_t> &table = tables.emplace_back(size);
    for (int64_t i = 0; i < size; ++i)
      table[i] = operand.kind == Kind::Cycle
                     ? rotated(operand.table,
                               *(operand.number - *at)
                                    .constant())[i % operand.table.size()]
                     : *operand.constant();
  }
  return std::pair(*at, tables);
}

/// A number modulo c, c >= 1.
TValue Arithmetic::modulo(Polynomial x, int64_t c, Facts &facts) {
  // Of a remainder by c, or so many times c, its dividend will do.
  for (auto &[monomial, coefficient] : Polynomial(x).monomials()) {
    if (monomial.size() != 1 || atoms.kind(monomial[0]) != "remainder")
      continue;
    const std::vector<Polynomial> &division = atoms.operands(monomial[0]);
    auto d = division[1].constant();
    if (!d || *d % c * (coefficient % c) % c)
      continue;
    Polynomial without = x + (division[0] - Polynomial::atom(monomial[0])) *
                                 Polynomial(coefficient);
    if (!without.isLost())
      x = std::move(without);
  }
  std::vector<int64_t> ramp(c);
  std::iota(ramp.begin(), ramp.end(), 0);
  return TValue::cycle(x, std::move(ramp));
}

/// Of parities of rounds: that of y div d, and that of (y mod d + s) div d,
/// differ where y + s is of an odd round.
std::optional<TValue> Arithmetic::parityBehind(const TValue &of,
                                               const TValue &rounds,
                                               const Facts &facts) {
  const TValue steps = rounds.overDividend(atoms, facts).value_or(rounds);
  int64_t size = of.table.size();
  if (of.kind != Kind::Cycle || steps.kind != Kind::Cycle || size % 2 ||
      steps.table.size() != of.table.size())
    return std::nullopt;
  std::vector<int64_t> parities(size);
  for (int64_t i = size / 2; i < size; ++i)
    parities[i] = 1;
  // Which number it is the parity of.
  auto placeOf = [&](const TValue &value) -> std::optional<Polynomial> {
    for (int64_t shift = 0; shift < size; ++shift)
      if (rotated(parities, shift) == value.table)
        return value.number + Polynomial(shift);
    return std::nullopt;
  };
  auto y = placeOf(of), sum = placeOf(steps);
  if (!y || !sum)
    return std::nullopt;
  for (auto &[monomial, coefficient] : sum->monomials()) {
    if (monomial.size() != 1 || coefficient != 1 ||
        atoms.kind(monomial[0]) != "remainder")
      continue;
    const std::vector<Polynomial> &division = atoms.operands(monomial[0]);
    if (division[1].constant() == size / 2 &&
        (division[0] - *y).dividedBy(size / 2))
      return TValue::cycle(*y + *sum - Polynomial::atom(monomial[0]), parities);
  }
  return std::nullopt;
}

TValue Arithmetic::term(Operation *op, ArrayRef<TValue> operands,
                        Facts &facts) {
  // Uninterpreted: equal for equal operands. Operations are equal by name,
  // attributes and widths: of a negative number shrui has other bits in each.
  // (Those that take bit by bit have the sign's in all that are more.)
  if (op->getNumResults() != 1 ||
      !checker::bitsOf(getElementTypeOrSelf(op->getResult(0).getType())) ||
      getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1))
    return TValue();
  std::vector<Polynomial> polynomials;
  for (const TValue &operand : operands) {
    auto p = polynomialOf(operand, facts);
    if (!p)
      return TValue();
    polynomials.push_back(*p);
  }
  std::string kind = op->getName().getStringRef().str();
  const Arith code = checker::classify(op).first;
  if (code != Arith::And && code != Arith::Or && code != Arith::Xor)
    for (Type type : {op->getOperand(op->getNumOperands() - 1).getType(),
                      op->getResult(0).getType()})
      kind += "." + std::to_string(checker::bitsOf(getElementTypeOrSelf(type)));
  return TValue::of(Polynomial::atom(
      atoms.atom(kind, op->getAttrDictionary().getAsOpaquePointer(),
                 std::move(polynomials))));
}

void Arithmetic::assumeNoOverflow(Type type) {
  assumptions.insert(type.isIndex() ? "no index overflows 64 bits"
                                    : "no integer of 64 bits wraps round");
}

TValue Arithmetic::compute(Operation *op, ArrayRef<TValue> operands,
                           Facts &facts) {
  APInt constant;
  Type type = op->getResult(0).getType();
  if (matchPattern(op, m_ConstantInt(&constant)) &&
      constant.getBitWidth() <= 64)
    return TValue::of(constant.getBitWidth() == 1 ? constant.getZExtValue()
                                                  : constant.getSExtValue());
  auto [code, predicate] = checker::classify(op);
  unsigned bits = checker::bitsOf(getElementTypeOrSelf(type));
  if (code == Arith::None || !bits)
    return TValue();
  unsigned operandBits = checker::bitsOf(
      getElementTypeOrSelf(op->getOperand(op->getNumOperands() - 1).getType()));
  for (const TValue &operand : operands)
    if (operand.kind == Kind::Unknown || operand.kind == Kind::Token ||
        operand.kind == Kind::Flight)
      return TValue();
  return compute(op, code, predicate, operandBits, bits, operands, facts);
}

/// The number of this kind, of these, that facts speak of.
static std::optional<Atom> named(const Atoms &atoms, const Facts &facts,
                                 StringRef kind,
                                 const std::vector<Polynomial> &of) {
  for (auto list : {&Facts::nonnegative, &Facts::zero})
    for (const Polynomial &fact : facts.*list)
      for (Atom a : fact.atoms())
        if (atoms.kind(a) == kind && atoms.operands(a) == of)
          return a;
  return std::nullopt;
}

TValue Arithmetic::compute(Operation *op, Arith code, unsigned predicate,
                           unsigned operandBits, unsigned bits,
                           ArrayRef<TValue> operands, Facts &facts) {
  // Numbers.
  bool constants = llvm::all_of(
      operands, [](const TValue &v) { return v.constant().has_value(); });
  auto evaluate = [&](int64_t a, int64_t b, int64_t c) {
    return checker::evaluate(code, predicate, operandBits, bits, a, b, c);
  };
  auto at = [](ArrayRef<int64_t> list, size_t i) {
    return i < list.size() ? list[i] : 0;
  };
  if (constants) {
    SmallVector<int64_t, 3> in;
    for (const TValue &v : operands)
      in.push_back(*v.constant());
    auto result = evaluate(at(in, 0), at(in, 1), at(in, 2));
    return result ? TValue::of(*result) : TValue();
  }
  if (auto tables = inStep(operands)) {
    auto &[place, columns] = *tables;
    std::vector<int64_t> result(columns[0].size());
    for (size_t i = 0; i < result.size(); ++i) {
      SmallVector<int64_t, 3> in;
      for (auto &column : columns)
        in.push_back(column[i]);
      auto one = evaluate(at(in, 0), at(in, 1), at(in, 2));
      if (!one)
        return TValue();
      result[i] = *one;
    }
    return TValue::cycle(place, std::move(result));
  }
  if (code == Arith::Xor)
    for (unsigned i : {0, 1})
      if (auto parity = parityBehind(operands[i], operands[1 - i], facts))
        return *parity;
  // Conditions.
  if (code == Arith::And && bits == 1) {
    std::vector<Comparison> all;
    for (const TValue &v : operands) {
      if (auto c = v.constant()) {
        if (!*c)
          return TValue::of(0);
        continue;
      }
      if (v.kind != Kind::Condition)
        return TValue();
      all.insert(all.end(), v.all.begin(), v.all.end());
    }
    return TValue::condition(std::move(all));
  }
  if (code == Arith::Select) {
    auto side = decide(facts, operands[0]);
    if (side)
      return operands[*side ? 1 : 2];
    if (operands[1] == operands[2])
      return operands[1];
    // By a bit that goes round: the one, and so many times what the other is more.
    const TValue &bit = operands[0];
    if (bit.kind != Kind::Cycle ||
        llvm::any_of(bit.table, [](int64_t each) { return each >> 1; }))
      return TValue();
    auto which = polynomialOf(bit, facts),
         one = polynomialOf(operands[1], facts),
         other = polynomialOf(operands[2], facts);
    if (!which || !one || !other)
      return TValue();
    Polynomial result = *other + *which * (*one - *other);
    return result.isLost() ? TValue() : TValue::of(std::move(result));
  }
  SmallVector<Polynomial, 3> p;
  for (const TValue &v : operands) {
    auto polynomial = polynomialOf(v, facts, code == Arith::Add);
    if (!polynomial)
      return TValue();
    p.push_back(*polynomial);
  }
  if (operandBits == 1)
    return TValue();
  // Of unsigned operations: both are 0 or more, or nothing is known.
  auto unsignedNumbers = [&] {
    return facts.provesAtLeast(p[0], 0) && facts.provesAtLeast(p[1], 0);
  };
  // Exact unless it wraps round: shown, or, of 64 bits, an assumption.
  auto exact = [&](Polynomial result) {
    unsigned width = std::min(bits, operandBits);
    if (result.isLost())
      return TValue();
    if (width < 64 && !mayOverflow) {
      const int64_t limit = int64_t(1) << (width - 1);
      auto fits = [&] {
        return facts.provesAtLeast(limit - 1, result) &&
               facts.provesAtLeast(result, -limit);
      };
      if (!fits() && !(boundQuotients(result, facts) && fits())) {
        if (!overflow)
          overflow = op;
        return TValue();
      }
    } else
      assumeNoOverflow(getElementTypeOrSelf(op->getResult(0).getType()));
    return TValue::of(std::move(result));
  };
  using P = arith::CmpIPredicate;
  switch (code) {
  case Arith::Add:
    return exact(p[0] + p[1]);
  case Arith::Sub:
    return exact(p[0] - p[1]);
  case Arith::Mul:
    return exact(p[0] * p[1]);
  case Arith::Cast:
    return bits < operandBits ? exact(p[0]) : TValue::of(p[0]);
  case Arith::CastU:
    if (!facts.provesAtLeast(p[0], 0)) {
      if (operandBits >= 32 + (bits > 32) || bits < operandBits)
        return TValue();
      // As an unsigned number of so many bits.
      int64_t limit = int64_t(1) << operandBits;
      Polynomial number =
          Polynomial::atom(atoms.atom("unsigned", nullptr, {p[0], limit}));
      facts.atLeast(number, 0);
      facts.atLeast(limit - 1, number);
      return TValue::of(number);
    }
    return bits < operandBits ? exact(p[0]) : TValue::of(p[0]);
  case Arith::Shl:
    if (auto c = p[1].constant(); c && *c >= 0 && *c < 62)
      return exact(p[0] * Polynomial(int64_t(1) << *c));
    return TValue();
  case Arith::ShrU:
  case Arith::ShrS:
    // Of what is 0 or more a quotient.
    if (auto c = p[1].constant();
        c && *c >= 0 && *c < 62 && facts.provesAtLeast(p[0], 0))
      return TValue::of(divide(p[0], int64_t(1) << *c, facts).first);
    return term(op, operands, facts);
  case Arith::And:
    // The last bits.
    if (auto mask = p[1].constant(); mask && *mask > 0 && *mask < 64 &&
                                     !(*mask & (*mask + 1)) &&
                                     facts.provesAtLeast(p[0], 0))
      return modulo(p[0], *mask + 1, facts);
    return term(op, operands, facts);
  case Arith::DivU:
  case Arith::DivS:
  case Arith::FloorDivS:
  case Arith::RemU:
  case Arith::RemS:
  case Arith::CeilDivU:
  case Arith::CeilDivS: {
    if (!facts.provesAtLeast(p[1], 1) || !facts.provesAtLeast(p[0], 0))
      return TValue();
    bool up = code == Arith::CeilDivU || code == Arith::CeilDivS;
    bool rest = code == Arith::RemU || code == Arith::RemS;
    Polynomial x = up ? p[0] + p[1] - 1 : p[0];
    if (auto c = p[1].constant(); c && rest && *c <= 64)
      return modulo(x, *c, facts);
    auto [q, r] = divide(x, p[1], facts);
    return TValue::of(rest ? r : q);
  }
  case Arith::MinU:
  case Arith::MaxU:
    if (!unsignedNumbers())
      return TValue();
    [[fallthrough]];
  case Arith::MinS:
  case Arith::MaxS: {
    bool least = code == Arith::MinU || code == Arith::MinS;
    const char *kind = least ? "minimum" : "maximum";
    auto bound = [&](const Polynomial &atom) {
      for (const Polynomial &each : p)
        least ? facts.atLeast(each, atom) : facts.atLeast(atom, each);
    };
    for (bool one : {true, false})
      if (facts.provesAtLeast(p[!one], p[one])) {
        const Polynomial &chosen = p[least ? one : !one];
        // (Perhaps it is a number already by which of two cases this is.)
        if (auto known = named(atoms, facts, kind, {p[0], p[1]})) {
          bound(Polynomial::atom(*known));
          facts.equal(Polynomial::atom(*known), chosen);
        }
        return TValue::of(chosen);
      }
    const Polynomial atom =
        Polynomial::atom(atoms.atom(kind, nullptr, {p[0], p[1]}));
    bound(atom);
    for (int64_t bound : {0, 1})
      if (least && facts.provesAtLeast(p[0], bound) &&
          facts.provesAtLeast(p[1], bound))
        facts.atLeast(atom, bound);
    return TValue::of(atom);
  }
  case Arith::Cmp: {
    auto predicateOf = static_cast<P>(predicate);
    if ((predicateOf == P::ult || predicateOf == P::ule ||
         predicateOf == P::ugt || predicateOf == P::uge) &&
        !unsignedNumbers()) {
      // Below a number that is 0 or more: 0 or more, and below it.
      bool below = predicateOf == P::ult || predicateOf == P::ule,
           strictly = predicateOf == P::ult || predicateOf == P::ugt;
      const Polynomial &least = p[below ? 0 : 1], &most = p[below ? 1 : 0];
      if (!facts.provesAtLeast(most, 0))
        return TValue();
      return TValue::condition(
          {{Comparison::AtLeast, least},
           {Comparison::AtLeast, most - least - (strictly ? 1 : 0)}});
    }
    auto one = [&](Comparison::Kind kind, Polynomial polynomial) {
      Comparison comparison{kind, std::move(polynomial)};
      if (auto is = decide(facts, comparison))
        return TValue::of(*is);
      return TValue::condition({comparison});
    };
    switch (predicateOf) {
    case P::eq:
      return one(Comparison::Equal, p[0] - p[1]);
    case P::ne:
      return one(Comparison::Differs, p[0] - p[1]);
    case P::slt:
    case P::ult:
      return one(Comparison::AtLeast, p[1] - p[0] - 1);
    case P::sle:
    case P::ule:
      return one(Comparison::AtLeast, p[1] - p[0]);
    case P::sgt:
    case P::ugt:
      return one(Comparison::AtLeast, p[0] - p[1] - 1);
    case P::sge:
    case P::uge:
      return one(Comparison::AtLeast, p[0] - p[1]);
    }
    return TValue();
  }
  default:
    return term(op, operands, facts);
  }
}
