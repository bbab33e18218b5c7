//===- Choices.cpp - launches under which a loop runs n times -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A choice is something that sizes, arguments or CTA ids decide. To see it with
// a certain outcome, a launch is searched for: the parameters of its expression are
// given values that lead to the outcome, as long as those of the choices before
// it, and what the launch asks for, stay met. What the search does not find is
// not thereby impossible: `impossible` asks for a proof.
//
//===----------------------------------------------------------------------===//
#include "Interpreter.h"

#include "Bounds.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

//===----------------------------------------------------------------------===//
// Values of the parameters
//===----------------------------------------------------------------------===//

int64_t Instantiator::Impl::placeOf(int dimension, int cta) const {
  auto cluster = kernel.getClusterShape();
  int rank = cta % program->clusterSize, at = cta / program->clusterSize;
  int64_t place[3] = {rank % cluster[0], rank / cluster[0] % cluster[1],
                      rank / cluster[0] / cluster[1]};
  if (launch) {
    for (int d = 0; d < 3; ++d) {
      int64_t along = launch->grid[d] / cluster[d];
      place[d] += at % along * cluster[d];
      at /= along;
    }
    return place[dimension];
  }
  int64_t clusters = origin[dimension] + (beside == dimension ? at : 0);
  return place[dimension] + clusters * cluster[dimension];
}

void Instantiator::Impl::setParameter(uint32_t parameter, int64_t value) {
  const Parameter &what = parameters[parameter];
  std::vector<int64_t> &values = parameterValues[parameter];
  if (what.kind != Parameter::CtaId) {
    std::fill(values.begin(), values.end(), value);
    return;
  }
  // Value: which cluster is looked at.
  origin[what.dimension] = value;
  for (size_t cta = 0; cta < values.size(); ++cta)
    values[cta] = program ? placeOf(what.dimension, cta) : 0;
}

void Instantiator::Impl::resetParameters(bool small) {
  std::fill(origin, origin + 3, 0);
  for (auto [number, parameter] : llvm::enumerate(parameters)) {
    parameterValues[number].assign(program->ctas(), 0);
    int64_t value = parameter.initial;
    if (parameter.kind == Parameter::Data)
      value = dataAt(parameter.tensor, parameter.element, parameter.promised);
    else if (parameter.kind == Parameter::CtaId)
      value = 0;
    else if (launch && number < launch->parameters.size())
      value = launch->parameters[number];
    else if (whole && parameter.kind == Parameter::Multiprocessors)
      value = program->ctas(); // of a grid with one CTA on each
    else if (small && parameter.kind <= Parameter::Scalar &&
             parameter.range.low <= parameter.range.high)
      value = std::clamp<int64_t>(1, parameter.range.low, parameter.range.high);
    setParameter(number, value);
  }
}

//===----------------------------------------------------------------------===//
// Goals
//===----------------------------------------------------------------------===//

std::optional<int64_t> Instantiator::Impl::outcome(const Choice &choice,
                                                   int cta) const {
  auto upper = symbols.value(choice.upper, parameterValues, cta);
  if (!choice.loop())
    return upper;
  auto lower = symbols.value(choice.lower, parameterValues, cta),
       step = symbols.value(choice.step, parameterValues, cta);
  if (!lower || !upper || !step || *step <= 0)
    return std::nullopt;
  return *upper <= *lower ? 0 : (*upper - *lower + *step - 1) / *step;
}

bool Instantiator::Impl::met(const Goal &goal) const {
  switch (goal.kind) {
  case Goal::Choose: {
    const Choice &choice = choices[goal.index];
    // A branch may be taken by any CTA of the cluster.
    for (int cta = 0; cta < (choice.loop() ? 1 : program->clusterSize); ++cta)
      if (outcome(choice, cta) == goal.wanted)
        return true;
    return false;
  }
  case Goal::Require:
    return symbols.value(requirements[goal.index], parameterValues, 0) != 0;
  case Goal::Promise:
    return symbols.value(promises[goal.index], parameterValues, 0) != 0;
  case Goal::Grid: {
    auto extent = symbols.value(grid[goal.index], parameterValues, 0);
    if (!extent || *extent < 1 || *extent > mostCtas(goal.index) ||
        *extent % kernel.getClusterShape()[goal.index])
      return false;
    for (int cta = 0; cta < program->ctas(); ++cta)
      if (placeOf(goal.index, cta) >= *extent)
        return false;
    return !whole || *extent == kernel.getClusterShape()[goal.index] *
                                    (beside == static_cast<int>(goal.index)
                                         ? program->clusters
                                         : 1);
  }
  }
  return false;
}

/// Values of a parameter, all else as it is, under which the goal is met; a few, of
/// different kinds.
std::vector<int64_t> Instantiator::Impl::candidates(const Goal &goal,
                                                    uint32_t parameter) {
  std::vector<int64_t> result, old = parameterValues[parameter];
  int64_t oldOrigin[3] = {origin[0], origin[1], origin[2]};
  const Parameter &what = parameters[parameter];
  Bounds range = what.range;
  if (what.kind == Parameter::CtaId)
    range.high /= kernel.getClusterShape()[what.dimension];
  symbols.changesOnly(parameter);
  llvm::scope_exit changed([&] { symbols.changesOnly(std::nullopt); });
  // (The set has no place for the last two numbers.)
  llvm::DenseSet<int64_t> attempted;
  auto attempt = [&](int64_t value) {
    if (!range.contains(value) ||
        result.size() >= size_t(bound::mostCandidates) ||
        (value < std::numeric_limits<int64_t>::max() - 1 &&
         !attempted.insert(value).second))
      return;
    effort.spend(Work::Attempt);
    setParameter(parameter, value);
    if (met(goal))
      result.push_back(value);
  };
  if (goal.kind == Goal::Choose && choices[goal.index].loop()) {
    // Counts grow with sizes: the smallest and the largest value, and round
    // ones between them.
    const Choice &choice = choices[goal.index];
    auto least = [&](int64_t count) {
      int64_t low = std::max<int64_t>(range.low, 0),
              high = std::min(range.high, bound::largestForCount);
      while (low < high) {
        int64_t middle = low + (high - low) / 2;
        setParameter(parameter, middle);
        if (outcome(choice, 0).value_or(0) >= count)
          high = middle;
        else
          low = middle + 1;
      }
      return low;
    };
    int64_t low = least(goal.wanted), high = least(goal.wanted + 1) - 1;
    attempt(low);
    attempt(high);
    for (int shift = 30; shift > 0; --shift)
      if (int64_t round = high >> shift << shift; round > low) {
        attempt(round);
        break;
      }
    for (int64_t constant : constants)
      if (constant > 2 && low <= high)
        attempt(high / constant * constant);
    // A divisor, say: counts that fall as the size grows.
    for (int64_t value = 0; value <= bound::divisorCandidates &&
                            result.size() < size_t(bound::divisorsFound);
         ++value)
      attempt(value);
    // The number of tiles of as many elements wraps, say.
    if (result.empty()) {
      attempt(range.high);
      for (int64_t constant : constants)
        if (constant > 2)
          attempt(range.high / constant * constant);
    }
  } else {
    // Where the number grows with the parameter, or falls: the least that may do.
    auto isRemainder = [&] {
      Number at = choices[goal.index].upper;
      while (at.symbol && (symbols.node(at.symbol).code == Arith::MinS ||
                           symbols.node(at.symbol).code == Arith::MaxS))
        at = symbols.node(at.symbol).a;
      return at.symbol && symbols.node(at.symbol).code == Arith::RemU;
    };
    if (goal.kind == Goal::Choose &&
        choices[goal.index].kind == Choice::Value &&
        what.kind != Parameter::CtaId && !isRemainder())
      for (int64_t sign : {1, -1}) {
        int64_t low = std::max<int64_t>(range.low, 0),
                high = std::min(range.high, bound::largestForValue);
        while (low < high) {
          int64_t middle = low + (high - low) / 2;
          setParameter(parameter, middle);
          if (sign * outcome(choices[goal.index], 0).value_or(0) >=
              sign * goal.wanted)
            high = middle;
          else
            low = middle + 1;
        }
        attempt(low);
      }
    std::vector<int64_t> near = {what.initial, 0, 1, 2, 3, -1, goal.wanted};
    if (what.kind == Parameter::CtaId) {
      near[0] = 0;
      int64_t cluster = kernel.getClusterShape()[what.dimension];
      if (auto extent = symbols.value(grid[what.dimension], parameterValues, 0))
        near.push_back(*extent / cluster - 1);
      for (int64_t constant : constants)
        near.push_back(constant / cluster);
    }
    for (int64_t constant : constants) {
      int64_t scaled = 0;
      if (llvm::MulOverflow(constant, goal.wanted, scaled))
        scaled = 0;
      for (int64_t value : {constant, constant - 1, constant + 1, 2 * constant,
                            2 * constant + 1, constant + goal.wanted, scaled})
        near.push_back(value);
    }
    for (int64_t value : near)
      attempt(value);
    for (int64_t value = 4; value <= bound::smallCandidates; ++value)
      attempt(value);
    for (int64_t value = 2 * bound::smallCandidates;
         value <= bound::largestPower; value *= 2)
      for (int64_t offset : {-1, 0, 1})
        attempt(value + offset);
  }
  setParameter(parameter, 0);
  parameterValues[parameter] = std::move(old);
  std::copy(oldOrigin, oldOrigin + 3, origin);
  return result;
}

uint64_t Instantiator::Impl::parametersOf(const Goal &goal) const {
  switch (goal.kind) {
  case Goal::Choose: {
    const Choice &choice = choices[goal.index];
    return symbols.parametersOf(choice.upper) |
           symbols.parametersOf(choice.lower) |
           symbols.parametersOf(choice.step);
  }
  case Goal::Require:
    return symbols.parametersOf(requirements[goal.index]);
  case Goal::Promise:
    return symbols.parametersOf(promises[goal.index]);
  case Goal::Grid: {
    // Where the clusters lie that are looked at decides, too.
    uint64_t mask = symbols.parametersOf(grid[goal.index]);
    for (auto [number, parameter] : llvm::enumerate(parameters))
      if (parameter.kind == Parameter::CtaId)
        mask |= uint64_t(1) << std::min<size_t>(number, beyond);
    return mask;
  }
  }
  return ~uint64_t(0);
}

bool Instantiator::Impl::reach(ArrayRef<Goal> goals, size_t at, int &budget,
                               uint64_t &blame) {
  if (at == goals.size())
    return true;
  const Goal &goal = goals[at];
  const uint64_t own = parametersOf(goal);
  // False: what is not met behind it no other value of this one's parameters changes.
  auto helps = [&](uint64_t behind) {
    blame |= behind;
    return (own & behind) != 0;
  };
  if (met(goal)) {
    uint64_t behind = 0;
    if (reach(goals, at + 1, budget, behind))
      return true;
    if (!helps(behind))
      return false;
  }
  blame |= own;
  std::vector<uint32_t> inside;
  if (goal.kind == Goal::Choose) {
    const Choice &choice = choices[goal.index];
    for (Number number : {choice.upper, choice.lower, choice.step})
      symbols.collect(number, inside);
  } else {
    symbols.collect(goal.kind == Goal::Require   ? requirements[goal.index]
                    : goal.kind == Goal::Promise ? promises[goal.index]
                                                 : grid[goal.index],
                    inside);
  }
  llvm::erase_if(inside, [&](uint32_t number) {
    return parameters[number].kind == Parameter::Data
               ? !parameters[number].promised
               : launch != nullptr;
  });
  // Which CTA is looked at comes last.
  std::partition(inside.begin(), inside.end(), [&](uint32_t number) {
    return parameters[number].kind != Parameter::CtaId;
  });
  for (uint32_t parameter : inside) {
    std::vector<int64_t> old = parameterValues[parameter];
    int64_t oldOrigin[3] = {origin[0], origin[1], origin[2]};
    bool goesOn = true;
    if ((budget -= 5) < 0 || spent())
      return false;
    for (int64_t value : candidates(goal, parameter)) {
      if (--budget < 0)
        return false;
      setParameter(parameter, value);
      const auto *broken =
          llvm::find_if(goals.take_front(at),
                        [&](const Goal &earlier) { return !met(earlier); });
      if (broken != goals.begin() + at) {
        blame |= parametersOf(*broken);
        continue;
      }
      uint64_t behind = 0;
      if (reach(goals, at + 1, budget, behind))
        return true;
      if (!(goesOn = helps(behind)))
        break;
    }
    std::copy(oldOrigin, oldOrigin + 3, origin);
    parameterValues[parameter] = std::move(old);
    if (!goesOn)
      return false;
  }
  return false;
}

bool Instantiator::Impl::solve(ArrayRef<int64_t> wanted, bool chance) {
  std::vector<Goal> goals;
  for (auto [index, choice] : llvm::enumerate(choices)) {
    if (index < wanted.size() && wanted[index] != Instantiator::any)
      goals.push_back({Goal::Choose, index, wanted[index]});
    else
      chance |= choice.loop();
  }
  for (size_t i = 0; i < requirements.size(); ++i)
    goals.push_back({Goal::Require, i});
  for (size_t i = 0; i < promises.size(); ++i)
    goals.push_back({Goal::Promise, i});
  // A grid of exactly so many CTAs comes first: counts depend on it.
  for (size_t d = 0; d < 3; ++d)
    goals.insert(whole ? goals.begin() : goals.end(), {Goal::Grid, d});
  for (size_t i = 0; i < patterns; ++i) {
    pattern = (firstPattern + i) % patterns;
    for (bool small : {chance, !chance}) {
      int budget = bound::mostTrials;
      uint64_t blame = 0;
      resetParameters(small);
      if (reach(goals, 0, budget, blame) &&
          llvm::all_of(goals, [&](const Goal &goal) { return met(goal); }))
        return true;
    }
    if (promises.empty())
      break;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Making and covering choices
//===----------------------------------------------------------------------===//

std::string
Instantiator::Impl::nameOf(std::initializer_list<Number> numbers) const {
  for (Number number : numbers) {
    std::vector<uint32_t> rest = {number.symbol};
    std::set<uint32_t> seen;
    while (!rest.empty()) {
      uint32_t at = rest.front();
      rest.erase(rest.begin());
      if (!at || !seen.insert(at).second)
        continue;
      if (auto name = names.find(at); name != names.end())
        return name->second;
      const Symbols::Node &node = symbols.node(at);
      if (node.code == Arith::None)
        return parameters[node.predicate].name;
      for (Number operand : {node.a, node.b, node.c})
        rest.push_back(operand.symbol);
    }
  }
  return "?";
}

size_t Instantiator::Impl::registerChoice(Choice choice) {
  auto plain = [](Number number) {
    return number.symbol ? Number{0, number.symbol} : number;
  };
  choice.lower = plain(choice.lower);
  choice.upper = plain(choice.upper);
  choice.step = plain(choice.step);
  auto [found, fresh] = choiceNumbers.try_emplace(
      {choice.kind, choice.lower, choice.upper, choice.step}, choices.size());
  if (!fresh)
    return found->second;
  choice.name = nameOf({choice.upper, choice.lower, choice.step});
  if (choice.kind == Choice::Branch)
    choice.values =
        choice.error ? std::vector<int64_t>{1} : std::vector<int64_t>{1, 0};
  std::vector<uint32_t> ignored;
  for (Number number : {choice.upper, choice.lower, choice.step})
    symbols.collect(number, ignored, &constants);
  llvm::sort(constants);
  if (choice.loop())
    for (Number bound : {choice.lower, choice.upper, choice.step})
      owned |= ~(uint64_t(1) << 63) & symbols.parametersOf(bound);
  choices.push_back(std::move(choice));
  covered.emplace_back();
  loops.emplace_back();
  kinks.emplace_back();
  return found->second;
}

static void clampTo(Symbols &symbols, Number &number, int64_t low,
                    int64_t high) {
  number.symbol = symbols.apply(Arith::MaxS, 0, 64, 64, number, {low, 0}, {});
  number.symbol = symbols.apply(Arith::MinS, 0, 64, 64, number, {high, 0}, {});
  number.value = std::clamp(number.value, low, high);
}

/// Whether all of an expression are sums and products of parameters.
static bool isPlain(const Symbols &symbols, Number number) {
  if (!number.symbol)
    return true;
  const Symbols::Node &node = symbols.node(number.symbol);
  switch (node.code) {
  case Arith::None:
    return true;
  case Arith::Add:
  case Arith::Sub:
  case Arith::Mul:
  case Arith::Cast:
  case Arith::CastU:
    return isPlain(symbols, node.a) && isPlain(symbols, node.b);
  default:
    return false;
  }
}

void Instantiator::Impl::findKinks(size_t loop) {
  const Choice choice = choices[loop];
  // The outcomes of a number, where all below `low` and above `high` are alike.
  auto note = [&](Operation *op, Number number, int64_t low, int64_t high) {
    number.value = 0;
    Bounds range = ranges.of(number);
    if (range.single())
      return;
    low = std::max(low, range.low), high = std::min(high, range.high);
    if (low >= high)
      return;
    if (high - low > bound::mostValues) {
      self.gaps.push_back(
          {Code::Undecided, op,
           "the checker does not follow a remainder of '" + nameOf({number}) +
               "' that decides how often this loop runs: it has "
               "too many values to try them all",
           /*fix=*/{}, /*ofCounts=*/true});
      return;
    }
    Choice kink{.op = op, .kind = Choice::Value, .upper = number};
    clampTo(symbols, kink.upper, low, high);
    for (int64_t v = low; v <= high; ++v)
      kink.values.push_back(v);
    size_t which = registerChoice(std::move(kink));
    if (!llvm::is_contained(kinks[loop], which))
      kinks[loop].push_back(which);
  };
  auto apply = [&](Arith code, unsigned bits, Number a, Number b) {
    return Number{0, symbols.apply(code, 0, bits, bits, a, b, {})};
  };
  // Not of the device and the CTA's place alone, nor of data.
  auto ofSizes = [&](Number number) {
    std::vector<uint32_t> inside;
    symbols.collect(number, inside);
    return llvm::any_of(inside,
                        [&](uint32_t parameter) {
                          return parameters[parameter].kind <
                                 Parameter::Multiprocessors;
                        }) &&
           llvm::none_of(inside, [&](uint32_t parameter) {
             return parameters[parameter].kind == Parameter::Data;
           });
  };
  std::set<uint32_t> seen;
  std::vector<uint32_t> rest;
  for (Number bound : {choice.lower, choice.upper, choice.step})
    rest.push_back(bound.symbol);
  bool fromZero = choice.lower == Number{0, 0} && choice.step == Number{1, 0};
  // A loop that may begin below 0: before what another one, from 0 on, counts.
  if (choice.lower.symbol && ranges.of(choice.lower).low < 0 &&
      ofSizes(choice.lower))
    note(choice.op, choice.lower, -1, 1);
  while (!rest.empty()) {
    uint32_t at = rest.back();
    rest.pop_back();
    if (!at || !seen.insert(at).second)
      continue;
    const Symbols::Node node = symbols.node(at);
    if (node.code == Arith::None)
      continue;
    for (Number operand : {node.a, node.b, node.c})
      rest.push_back(operand.symbol);
    const Number a = node.a, b = node.b;
    switch (node.code) {
    case Arith::MinU:
    case Arith::MinS:
    case Arith::MaxU:
    case Arith::MaxS:
      if (node.predicate == Symbols::believed)
        break;
      [[fallthrough]];
    case Arith::Cmp:
      // Equal, one beside the other, and further apart, on either side.
      if (node.operandBits > 1)
        note(choice.op, apply(Arith::Sub, 64, a, b), -2, 2);
      break;
    case Arith::Select:
      if (a.symbol && symbols.node(a.symbol).code == Arith::None)
        note(choice.op, a, 0, 1);
      break;
    case Arith::DivU:
    case Arith::DivS:
    case Arith::FloorDivS:
    case Arith::CeilDivU:
    case Arith::CeilDivS:
    case Arith::ShrU:
    case Arith::ShrS: {
      if (b.symbol || !ofSizes(a) ||
          (fromZero && at == choice.upper.symbol && isPlain(symbols, a)))
        break; // the count itself
      if (a.symbol)
        if (const Symbols::Node &product = symbols.node(a.symbol);
            product.code == Arith::Mul && product.b == b)
          break; // x * c / c
      note(choice.op, {0, at}, -1, 2);
      bool shift = node.code == Arith::ShrU || node.code == Arith::ShrS;
      if (isPlain(symbols, a) || b.value < 1 ||
          (shift && b.value > bound::factorBits))
        break;
      int64_t n = shift ? int64_t(1) << b.value : b.value;
      note(choice.op, apply(Arith::RemU, node.bits, a, {n, 0}), 0, n - 1);
      break;
    }
    case Arith::RemU:
    case Arith::RemS:
      if (!b.symbol)
        note(choice.op, {0, at}, -std::abs(b.value), std::abs(b.value));
      break;
    case Arith::And:
    case Arith::Or:
    case Arith::Xor:
      if (node.bits > 1 && (!a.symbol || !b.symbol)) {
        int64_t mask = a.symbol ? b.value : a.value;
        unsigned width = llvm::bit_width<uint64_t>(mask < 0 ? ~mask : mask);
        int64_t n = int64_t(1) << std::min(width, 62u);
        note(choice.op, apply(Arith::RemU, node.bits, a.symbol ? a : b, {n, 0}),
             0, n - 1);
      }
      break;
    case Arith::Cast:
    case Arith::CastU:
      if (node.bits < 32 && node.bits < node.operandBits)
        note(choice.op,
             apply(Arith::Sub, 64, a, {int64_t(1) << (node.bits - 1), 0}), -1,
             1);
      break;
    default:
      break;
    }
  }
}

bool Instantiator::Impl::ownedByLoops(Number number) const {
  uint64_t others = symbols.parametersOf(number) & ~owned;
  if (others != uint64_t(1) << beyond)
    return !others;
  return !(kindsOf(number) & LaunchedBeyond);
}

unsigned Instantiator::Impl::kindsOf(Number number) const {
  for (uint32_t at = kinds.size(); at < symbols.size(); ++at) {
    const Symbols::Node &node = symbols.node(at);
    if (!at || node.code != Arith::None)
      kinds.push_back(at ? kinds[node.a.symbol] | kinds[node.b.symbol] |
                               kinds[node.c.symbol]
                         : 0);
    else if (parameters[node.predicate].kind == Parameter::CtaId)
      kinds.push_back(OfCta);
    else
      kinds.push_back(node.predicate >= beyond &&
                              parameters[node.predicate].kind <
                                  Parameter::Multiprocessors
                          ? LaunchedBeyond
                          : 0);
  }
  return kinds[number.symbol];
}

void Instantiator::Impl::cover(size_t choice, int64_t outcome) {
  reached.resize(choices.size());
  reached[choice].insert(outcome);
}

bool Instantiator::Impl::decides(const CompiledOp &op, const Val &val,
                                 int64_t low, int64_t high, StringRef what) {
  if (val.kind != Val::Int || !val.number.symbol)
    return true;
  if (val.iter && ownedByLoops(val.number))
    return true;
  Bounds range = ranges.of(val.number);
  if (range.single())
    return true;
  // One beyond each end stands for all that is wrong.
  low = std::max(low - 1, range.low), high = std::min(high + 1, range.high);
  if (high - low > bound::mostValues) {
    problem(Code::Undecided, op.op,
            what + " depends on '" + nameOf({val.number}) +
                "', and has too many values to try them all");
    return false;
  }
  Choice choice{.op = op.op, .kind = Choice::Value, .upper = val.number};
  clampTo(symbols, choice.upper, low, high);
  int64_t value = choice.upper.value;
  for (int64_t v = low; v <= high; ++v)
    choice.values.push_back(v);
  cover(registerChoice(std::move(choice)), value);
  return true;
}

//===----------------------------------------------------------------------===//
// What cannot be
//===----------------------------------------------------------------------===//

/// Whether a number never falls when its only parameter grows.
static bool grows(const Symbols &symbols, Ranges &ranges, Number number) {
  if (!number.symbol)
    return true;
  const Symbols::Node &node = symbols.node(number.symbol);
  auto constant = [&](Number n) { return !n.symbol; };
  auto rises = [&](Number n) { return grows(symbols, ranges, n); };
  bool positive = ranges.of(number).low >= 0;
  switch (node.code) {
  case Arith::None:
    return true;
  case Arith::Add:
    return rises(node.a) && rises(node.b);
  case Arith::Sub:
    return rises(node.a) && constant(node.b);
  case Arith::Mul:
    return (constant(node.b) && node.b.value >= 0 && rises(node.a)) ||
           (constant(node.a) && node.a.value >= 0 && rises(node.b));
  case Arith::DivU:
  case Arith::DivS:
  case Arith::FloorDivS:
  case Arith::CeilDivU:
  case Arith::CeilDivS:
    return positive && constant(node.b) && node.b.value > 0 &&
           ranges.of(node.a).low >= 0 && rises(node.a);
  case Arith::MinU:
  case Arith::MaxU:
    return positive && ranges.of(node.a).low >= 0 &&
           ranges.of(node.b).low >= 0 && rises(node.a) && rises(node.b);
  case Arith::MinS:
  case Arith::MaxS:
    return rises(node.a) && rises(node.b);
  default:
    return false;
  }
}

bool Instantiator::Impl::impossible(const Choice &choice,
                                    int64_t wanted) const {
  if (choice.loop()) {
    if (wanted == 0 && ranges.less(choice.lower, choice.upper))
      return true;
    Bounds step = ranges.of(choice.step);
    auto span = ranges.mostBetween(choice.lower, choice.upper);
    if (span && wanted > 0 &&
        (*span <= 0 ||
         (step.low >= 1 && (wanted - 1) > (*span - 1) / step.low)))
      return true;
  } else {
    if (!ranges.of(choice.upper).contains(wanted))
      return true;
    if (choice.kind == Choice::Branch && wanted == 0 && choice.upper.symbol &&
        llvm::any_of(requirements, [&](Number requirement) {
          return requirement.symbol == choice.upper.symbol;
        }))
      return true;
  }
  // One parameter alone decides: those of its values that lead there, as long as
  // they are few, may all be excluded.
  std::vector<uint32_t> inside;
  for (Number number : {choice.upper, choice.lower, choice.step})
    symbols.collect(number, inside);
  if (inside.size() != 1 || parameters[inside[0]].kind == Parameter::CtaId)
    return false;
  uint32_t parameter = inside[0];
  Symbols::Values values = parameterValues;
  auto outcomeAt = [&](int64_t value) -> std::optional<int64_t> {
    values[parameter].assign(values[parameter].size(), value);
    auto upper = symbols.value(choice.upper, values, 0);
    if (!choice.loop())
      return upper;
    auto lower = symbols.value(choice.lower, values, 0),
         step = symbols.value(choice.step, values, 0);
    if (!lower || !upper || !step || *step <= 0)
      return std::nullopt;
    return *upper <= *lower ? 0 : (*upper - *lower + *step - 1) / *step;
  };
  Bounds range = parameters[parameter].range;
  if (range.low < 0 || range.high - range.low >= bound::mostExcluded) {
    if (choice.kind == Choice::Branch || choice.lower.symbol ||
        choice.step.symbol || range.low < 0 ||
        !grows(symbols, ranges, choice.upper))
      return false;
    auto least = [&](int64_t count) {
      int64_t low = range.low, high = range.high;
      while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (outcomeAt(middle).value_or(0) >= count)
          high = middle;
        else
          low = middle + 1;
      }
      return low;
    };
    range = {least(wanted), least(wanted + 1)};
    if (range.high - range.low >= bound::mostExcluded)
      return false;
  }
  for (int64_t value = range.low; value <= range.high; ++value) {
    auto seen = outcomeAt(value);
    if (seen && *seen != wanted)
      continue;
    bool refused = llvm::any_of(requirements, [&](Number requirement) {
      std::vector<uint32_t> others;
      symbols.collect(requirement, others);
      return others.size() == 1 && others[0] == parameter &&
             symbols.value(requirement, values, 0) == 0;
    });
    if (!refused)
      return false;
  }
  return true;
}

bool Instantiator::impossible(size_t choice, int64_t outcome) const {
  return impl->impossible(impl->choices[choice], outcome);
}

int64_t Instantiator::mostIterations(size_t number) const {
  const Choice &choice = impl->choices[number];
  Bounds step = impl->ranges.of(choice.step);
  auto span = impl->ranges.mostBetween(choice.lower, choice.upper);
  if (!span || step.low < 1)
    return std::numeric_limits<int64_t>::max();
  return *span <= 0 ? 0 : (*span - 1) / step.low + 1;
}

uint64_t Instantiator::parametersOf(size_t number) const {
  const Choice &choice = impl->choices[number];
  return impl->symbols.parametersOf(choice.lower) |
         impl->symbols.parametersOf(choice.upper) |
         impl->symbols.parametersOf(choice.step);
}

ArrayRef<Operation *> Instantiator::loopsOf(size_t choice) const {
  return impl->loops[choice].getArrayRef();
}

const std::set<int64_t> &Instantiator::covered(size_t choice) const {
  return impl->covered[choice];
}

std::vector<Operation *> Instantiator::oneSided(size_t period) const {
  std::vector<Operation *> result;
  for (auto &[op, sides] : impl->sides)
    if (sides.taken != 3 && sides.differences.size() > period)
      result.push_back(op);
  return result;
}

bool Instantiator::isDead(Operation *op) const {
  for (Operation *at = op->getParentOp(); at && !isa<KernelOp>(at);
       at = at->getParentOp()) {
    if (impl->open.contains(at))
      return false;
    if (impl->settled.contains(at))
      return true;
  }
  return false;
}
