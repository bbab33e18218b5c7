//===- Launch.cpp - what the launch region passes and admits --------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The launch region is evaluated once, with symbols: what it passes to the body
// is an expression over sizes, arguments and the number of multiprocessors, so
// that values which it relates stay related. What it asks for (titan.require, a
// size of at least 1 under a tensor map, a grid of whole clusters) bounds the
// launches that are looked at.
//
//===----------------------------------------------------------------------===//
#include "Interpreter.h"

#include "Bounds.h"

#include "titan/Dialect/Titan/KernelTarget.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

static const char ctaIdKey = 0, multiprocessorsKey = 0;

Number Instantiator::Impl::parameterNumber(const void *key, int dimension,
                                           Parameter parameter) {
  uint32_t symbol = symbols.parameter(key, dimension);
  uint32_t number = symbols.parameterOf(symbol);
  if (number == parameters.size()) {
    if (parameter.kind == Parameter::Size)
      parameter.initial =
          bound::firstSize + bound::sizeApart * static_cast<int64_t>(number);
    if (parameter.kind == Parameter::Scalar)
      parameter.initial = bound::firstScalar +
                          bound::scalarApart * static_cast<int64_t>(number);
    parameter.initial = std::clamp(parameter.initial, parameter.range.low,
                                   parameter.range.high);
    parameters.push_back(std::move(parameter));
    parameterValues.emplace_back(program ? program->ctas() : 1, 0);
    setParameter(number, parameters[number].initial);
    if (parameters[number].kind >= Parameter::Multiprocessors && number < 63)
      owned |= uint64_t(1) << number;
  }
  return unpinned({0, symbol});
}

Number Instantiator::Impl::unpinned(Number number) const {
  for (auto other = pinned.find(number.symbol); other != pinned.end();
       other = pinned.find(number.symbol))
    number = other->second;
  return number;
}

Number Instantiator::Impl::sizeNumber(unsigned tensor, int64_t dimension) {
  Value argument = kernel.getLaunch().getArgument(tensor);
  int64_t size = cast<GlobalType>(argument.getType()).getShape()[dimension];
  if (!ShapedType::isDynamic(size))
    return {size, 0};
  Parameter parameter{.kind = Parameter::Size,
                      .name = "size " + std::to_string(dimension),
                      .dimension = static_cast<int>(dimension),
                      .tensor = tensor,
                      // A map forbids a size of 0.
                      .range = {mapped[tensor], int64_t(1) << 32}};
  return parameterNumber(argument.getAsOpaquePointer(), 1 + dimension,
                         parameter);
}

int64_t Instantiator::Impl::mostCtas(int dimension) const {
  const TargetInfo &target = titan::targetOf(kernel);
  int64_t most = dimension ? target.maxGridYZ : target.maxGridX;
  return most == TargetInfo::absent ? (int64_t(1) << 31) - 1 : most;
}

Number Instantiator::Impl::ctaIdNumber(int dimension) {
  Bounds extent = ranges.of(grid[dimension]);
  return parameterNumber(
      &ctaIdKey, dimension,
      {.kind = Parameter::CtaId,
       .name = "cta_id " + std::to_string(dimension),
       .dimension = dimension,
       .range = {0, std::clamp<int64_t>(extent.high - 1, 0,
                                        mostCtas(dimension) - 1)}});
}

void Instantiator::Impl::readRegion() {
  launchNumbers.clear();
  requirements.clear();
  requireOps.clear();
  llvm::DenseSet<Value> undefined;
  Block &region = kernel.getLaunch().front();
  auto unknown = [&](Value value, StringRef name) {
    unsigned bits = bitsOf(value.getType());
    if (bits)
      launchNumbers[value] = parameterNumber(
          value.getAsOpaquePointer(), 0,
          {.kind = Parameter::Scalar,
           .name = name.str(),
           .range = value.getType().isIndex() ? Bounds{0, int64_t(1) << 32}
                                              : Bounds::ofBits(bits)});
  };
  for (BlockArgument argument : region.getArguments())
    unknown(argument,
            cast<StringAttr>(kernel.getArgNames()[argument.getArgNumber()])
                .getValue());
  for (Operation &op : region) {
    if (auto dim = dyn_cast<DimOp>(op)) {
      if (auto tensor = dyn_cast<BlockArgument>(dim.getTensor()))
        launchNumbers[dim.getResult()] =
            sizeNumber(tensor.getArgNumber(), dim.getDimension());
      continue;
    }
    if (auto stride = dyn_cast<StrideOp>(op)) {
      if (auto tensor = dyn_cast<BlockArgument>(stride.getTensor()))
        launchNumbers[stride.getResult()] =
            strideNumber(tensor.getArgNumber(), stride.getDimension());
      continue;
    }
    if (isa<DevicePropertyOp>(op)) {
      launchNumbers[op.getResult(0)] =
          parameterNumber(&multiprocessorsKey, 0,
                          {.kind = Parameter::Multiprocessors,
                           .name = "multiprocessors",
                           .range = {1, 1 << 16},
                           .initial = bound::multiprocessorsAtFirst *
                                      int64_t(kernel.getClusterSize())});
      continue;
    }
    if (auto require = dyn_cast<RequireOp>(op)) {
      if (undefined.contains(require.getCondition())) {
        requirements.push_back({0, 0});
        requireOps.push_back(require);
      }
      if (auto found = launchNumbers.find(require.getCondition());
          found != launchNumbers.end()) {
        requirements.push_back(found->second);
        requireOps.push_back(require);
      }
      continue;
    }
    if (op.getNumResults() != 1 || !bitsOf(op.getResult(0).getType()))
      continue;
    Value result = op.getResult(0);
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
        launchNumbers[result] = {integer.getType().isInteger(1)
                                     ? integer.getInt() & 1
                                     : integer.getInt(),
                                 0};
      continue;
    }
    // As in a run, what is computed from what has no result has none.
    if (llvm::any_of(op.getOperands(), [&](Value operand) {
          return undefined.contains(operand);
        })) {
      undefined.insert(result);
      continue;
    }
    auto [code, predicate] = classify(&op);
    Number in[3] = {};
    bool known = code != Arith::None;
    for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
      auto found = launchNumbers.find(operand);
      known &= found != launchNumbers.end() && i < 3;
      if (known)
        in[i] = found->second;
    }
    if (known) {
      unsigned from = bitsOf(op.getOperand(op.getNumOperands() - 1).getType()),
               to = bitsOf(result.getType());
      uint32_t symbol =
          symbols.apply(code, predicate, from, to, in[0], in[1], in[2]);
      auto constant = evaluate(code, predicate, from, to, in[0].value,
                               in[1].value, in[2].value);
      if (symbol || constant) {
        launchNumbers[result] = {symbol ? 0 : *constant, symbol};
        continue;
      }
      if (divides(code) || shifts(code)) {
        undefined.insert(result);
        continue;
      }
    }
    unknown(result, op.getName().getStringRef());
  }
  for (auto [d, extent] : llvm::enumerate(kernel.getLaunchOp().getGrid()))
    grid[d] = launchNumbers.lookup(extent); // (Undefined: 0, which is no grid.)
}

void Instantiator::Impl::narrow(Number condition, bool computed) {
  if (!condition.symbol)
    return;
  const Symbols::Node node = symbols.node(condition.symbol);
  if (node.code == Arith::And && node.bits == 1) {
    narrow(node.a, computed);
    narrow(node.b, computed);
    return;
  }
  if (node.code != Arith::Cmp)
    return;
  using P = arith::CmpIPredicate;
  auto predicate = static_cast<P>(node.predicate);
  Number a = node.a, b = node.b;
  auto isParameter = [&](Number n) {
    return n.symbol && symbols.node(n.symbol).code == Arith::None;
  };
  // (An i32 as an index is the same number.)
  auto narrower = [&](Number n) {
    if (predicate == P::eq || !n.symbol)
      return n;
    const Symbols::Node &cast = symbols.node(n.symbol);
    return cast.code == Arith::Cast && cast.operandBits > 1 &&
                   cast.operandBits <= cast.bits
               ? cast.a
               : n;
  };
  a = narrower(a), b = narrower(b);
  if (!isParameter(a)) {
    std::swap(a, b);
    predicate = predicate == P::slt   ? P::sgt
                : predicate == P::sle ? P::sge
                : predicate == P::sgt ? P::slt
                : predicate == P::sge ? P::sle
                : predicate == P::ult ? P::ugt
                : predicate == P::ule ? P::uge
                : predicate == P::ugt ? P::ult
                : predicate == P::uge ? P::ule
                                      : predicate;
  }
  a = unpinned(a), b = unpinned(b);
  if (computed && predicate == P::eq && isParameter(a) && b.symbol &&
      !isParameter(b)) {
    std::vector<uint32_t> inside;
    symbols.collect(b, inside);
    if (!llvm::is_contained(inside, symbols.parameterOf(a.symbol)))
      pinned.emplace(a.symbol, b);
    return;
  }
  if (computed || !isParameter(a) || (b.symbol && !isParameter(b)))
    return;
  Bounds &range = parameters[symbols.parameterOf(a.symbol)].range;
  if (predicate == P::eq && a.symbol != b.symbol) {
    if (b.symbol) {
      Bounds &other = parameters[symbols.parameterOf(b.symbol)].range;
      other = {std::max(range.low, other.low),
               std::min(range.high, other.high)};
    }
    pinned.emplace(a.symbol, b);
    return;
  }
  if (b.symbol || node.operandBits == 1)
    return;
  auto least = [&](int64_t value) { range.low = std::max(range.low, value); };
  auto most = [&](int64_t value) { range.high = std::min(range.high, value); };
  bool positive = range.low >= 0 && b.value >= 0;
  switch (predicate) {
  case P::ne:
    if (b.value == range.low)
      ++range.low;
    break;
  case P::uge:
  case P::sge:
    if (positive || predicate == P::sge)
      least(b.value);
    break;
  case P::ugt:
  case P::sgt:
    if ((positive || predicate == P::sgt) && b.value < (int64_t(1) << 62))
      least(b.value + 1);
    break;
  case P::ule:
  case P::ult:
    if (b.value < 0)
      break;
    least(0);
    [[fallthrough]];
  case P::sle:
  case P::slt:
    if (predicate == P::ule || predicate == P::sle)
      most(b.value);
    else if (b.value > -(int64_t(1) << 62))
      most(b.value - 1);
    break;
  case P::eq:
    break;
  }
  Parameter &parameter = parameters[symbols.parameterOf(a.symbol)];
  if (range.low <= range.high)
    parameter.initial = std::clamp(parameter.initial, range.low, range.high);
}

void Instantiator::Impl::readLaunch() {
  size_t known;
  do {
    known = pinned.size();
    readRegion();
    for (Number requirement : requirements)
      narrow(requirement);
    // Parameters first: what is computed is computed of those that are left, one at
    // a time.
    for (size_t i = 0; i < requirements.size() && pinned.size() == known; ++i)
      narrow(requirements[i], /*computed=*/true);
  } while (pinned.size() != known || findPacked());
  std::vector<uint32_t> ignored;
  for (auto &[value, number] : launchNumbers)
    symbols.collect(number, ignored, &constants);
  llvm::sort(constants);
  // What the body calls them.
  for (auto [position, value] :
       llvm::enumerate(kernel.getLaunchOp().getValues()))
    if (auto found = launchNumbers.find(value);
        found != launchNumbers.end() && found->second.symbol)
      names.try_emplace(
          found->second.symbol,
          cast<StringAttr>(kernel.getLaunchNames()[position]).getValue().str());
}

int64_t Instantiator::Impl::fitted(uint32_t parameter, int64_t value,
                                   bool next) const {
  Symbols::Values values = parameterValues;
  std::vector<int64_t> factors;
  auto meets = [&](int64_t tried, bool note) {
    values[parameter].assign(values[parameter].size(), tried);
    return llvm::all_of(requirements, [&](Number requirement) {
      std::vector<uint32_t> inside;
      std::vector<int64_t> constants;
      symbols.collect(requirement, inside, &constants);
      if (inside.size() != 1 || inside[0] != parameter ||
          symbols.value(requirement, values, 0) != 0)
        return true;
      if (note)
        factors = std::move(constants);
      return false;
    });
  };
  if (meets(value, true))
    return value;
  for (int64_t factor : factors) {
    int64_t times = value, product;
    if (next && factor > 0)
      times = llvm::divideCeilSigned(value, factor);
    if (!llvm::MulOverflow(times, factor, product) &&
        parameters[parameter].range.contains(product) && meets(product, false))
      return product;
  }
  return value;
}

bool Instantiator::Impl::allResident() {
  // All that are more than one, and how many those are whose number is known.
  int64_t ctas = 1;
  llvm::SmallVector<Number, 3> extents;
  bool few = true;
  for (Number extent : grid) {
    const Bounds range = ranges.of(extent);
    if (range.high > 1)
      extents.push_back(extent);
    few &= range.high <= bound::fewestMultiprocessors;
    if (few)
      ctas *= std::max<int64_t>(range.high, 1);
  }
  if (few && ctas <= bound::fewestMultiprocessors)
    return true;
  uint32_t device = symbols.find(&multiprocessorsKey, 0);
  if (!device)
    return false;
  if (extents.size() == 1 && ranges.atMost(extents[0], {0, device}))
    return true;
  // The product of them, in any order.
  auto isAll = [&](Number product) {
    llvm::SmallVector<Number> factors, rest = {product};
    while (!rest.empty()) {
      Number next = rest.pop_back_val();
      const Symbols::Node &node = symbols.node(next.symbol);
      const bool whole = llvm::is_contained(extents, next);
      if (!whole && next.symbol && node.code == Arith::Mul) {
        rest.push_back(node.a);
        rest.push_back(node.b);
      } else
        factors.push_back(next);
    }
    return factors.size() == extents.size() &&
           std::is_permutation(factors.begin(), factors.end(), extents.begin());
  };
  // Or so the launch requires.
  return llvm::any_of(requirements, [&](Number requirement) {
    const Symbols::Node &node = symbols.node(requirement.symbol);
    if (!requirement.symbol || node.code != Arith::Cmp)
      return false;
    using P = arith::CmpIPredicate;
    auto predicate = static_cast<P>(node.predicate);
    bool rising = predicate == P::ule || predicate == P::ult ||
                  predicate == P::sle || predicate == P::slt,
         falling = predicate == P::uge || predicate == P::ugt ||
                   predicate == P::sge || predicate == P::sgt;
    Number less = rising ? node.a : node.b, more = rising ? node.b : node.a;
    return (rising || falling) && isAll(less) &&
           ranges.atMost(more, {0, device});
  });
}

bool Instantiator::Impl::admitted() const {
  for (size_t i = 0; i < requirements.size(); ++i)
    if (!met({Goal::Require, i}))
      return false;
  for (size_t d = 0; d < 3; ++d)
    if (!met({Goal::Grid, d}))
      return false;
  return true;
}

std::pair<int64_t, int64_t> Instantiator::clustersAlong(int dimension) const {
  Bounds ctas = impl->ranges.of(impl->grid[dimension]);
  int64_t each = impl->kernel.getClusterShape()[dimension];
  return {ctas.low / each, ctas.high / each};
}

llvm::SmallVector<int> Instantiator::besides() const {
  llvm::SmallVector<int> result;
  for (int d = 0; d < 3; ++d)
    if (clustersAlong(d).second >= 2)
      result.push_back(d);
  return result;
}

bool Instantiator::Impl::anyParameter(
    Number number, llvm::function_ref<bool(const Parameter &)> is) const {
  uint64_t mask = symbols.parametersOf(number);
  for (uint64_t rest = mask & ~(uint64_t(1) << beyond); rest; rest &= rest - 1)
    if (is(parameters[llvm::countr_zero(rest)]))
      return true;
  if (!(mask >> beyond))
    return false;
  std::vector<uint32_t> inside;
  symbols.collect(number, inside);
  return llvm::any_of(
      inside, [&](uint32_t parameter) { return is(parameters[parameter]); });
}

bool Instantiator::Impl::ofCta(Number number) const {
  return kindsOf(number) & OfCta;
}

std::string
Instantiator::Impl::nameOfParameter(const Parameter &parameter) const {
  return parameter.kind == Parameter::Size
             ? cast<StringAttr>(kernel.getArgNames()[parameter.tensor])
                       .getValue()
                       .str() +
                   "[" + std::to_string(parameter.dimension) + "]"
             : parameter.name;
}

std::string Instantiator::Impl::describeLaunch() const {
  std::map<std::tuple<int, unsigned, int, size_t>, std::string> texts;
  for (auto [number, parameter] : llvm::enumerate(parameters)) {
    if (parameter.kind > Parameter::Multiprocessors)
      continue;
    int64_t value = parameterValues[number][0];
    // Those that titan.require makes equal to others have their numbers.
    for (auto &[symbol, other] : pinned)
      if (symbols.parameterOf(symbol) == number)
        value =
            symbols.value(unpinned(other), parameterValues, 0).value_or(value);
    texts[{parameter.kind, parameter.tensor, parameter.dimension, number}] =
        nameOfParameter(parameter) + " is " + std::to_string(value);
  }
  return llvm::join(llvm::make_second_range(texts), ", ");
}
