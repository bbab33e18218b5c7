//===- Ranges.cpp - what a number can and cannot be -----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ranges.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

static constexpr int64_t lowest = std::numeric_limits<int64_t>::min(),
                         highest = std::numeric_limits<int64_t>::max();

Bounds Bounds::ofBits(unsigned bits) {
  if (bits == 1)
    return {0, 1};
  if (bits == 0 || bits >= 64)
    return {lowest, highest};
  return {-(int64_t(1) << (bits - 1)), (int64_t(1) << (bits - 1)) - 1};
}

Bounds Ranges::of(Number number) {
  if (!number.symbol)
    return {number.value, number.value};
  if (auto found = known.find(number.symbol); found != known.end())
    return found->second;
  const Symbols::Node &node = symbols.node(number.symbol);
  Bounds range =
      node.code == Arith::None ? parameter(node.predicate) : compute(node);
  known.emplace(number.symbol, range);
  return range;
}

/// The corners of a monotone operation; none if one of them is too large. That
/// products of sizes fit into 64 bits is assumed: the tensors would not fit
/// into any memory.
template <typename Operation>
static std::optional<Bounds> corners(Bounds a, Bounds b, Operation operation) {
  std::optional<Bounds> result;
  for (int64_t x : {a.low, a.high})
    for (int64_t y : {b.low, b.high}) {
      int64_t value;
      if (operation(x, y, value)) {
        if (a.low < 0 || b.low < 0)
          return std::nullopt;
        value = highest;
      }
      result = result ? Bounds{std::min(result->low, value),
                               std::max(result->high, value)}
                      : Bounds{value, value};
    }
  return result;
}

Bounds Ranges::compute(const Symbols::Node &node) {
  Bounds all = Bounds::ofBits(node.bits);
  Bounds a = of(node.a), b = of(node.b), c = of(node.c);
  auto fits = [&](std::optional<Bounds> range) {
    return range && all.low <= range->low && range->high <= all.high ? *range
                                                                     : all;
  };
  bool small = node.operandBits == 1; // signs of i1 are not followed
  bool positive = a.low >= 0 && b.low >= 0;
  switch (node.code) {
  case Arith::None:
    return all;
  case Arith::Add:
    return fits(corners(a, b, llvm::AddOverflow<int64_t>));
  case Arith::Sub: {
    Bounds range = fits(corners(a, b, llvm::SubOverflow<int64_t>));
    if (range.low < 0 && range.low > all.low && atMost(node.b, node.a))
      range.low = 0;
    return range;
  }
  case Arith::Mul:
    return fits(corners(a, b, llvm::MulOverflow<int64_t>));
  case Arith::DivU:
  case Arith::DivS:
  case Arith::FloorDivS:
    if (!positive || small || b.high < 1)
      return all;
    b.low = std::max<int64_t>(b.low, 1); // by 0 there is no value
    return {a.low / b.high, a.high / b.low};
  case Arith::CeilDivU:
  case Arith::CeilDivS: {
    if (!positive || small || b.high < 1)
      return all;
    b.low = std::max<int64_t>(b.low, 1);
    auto up = [](int64_t x, int64_t y) { return x / y + (x % y != 0); };
    return {up(a.low, b.high), up(a.high, b.low)};
  }
  case Arith::RemU:
    if (b.low < 0 || b.high < 1 || small)
      return all;
    if (a.low >= 0 && a.high < b.low)
      return a;
    return {0, a.low >= 0 ? std::min(a.high, b.high - 1) : b.high - 1};
  case Arith::RemS:
    if (b.low < 0 || b.high < 1 || small)
      return all;
    if (a.low >= 0)
      return {a.high < b.low ? a.low : 0, std::min(a.high, b.high - 1)};
    return {-(b.high - 1), b.high - 1};
  case Arith::And:
    if (a.low < 0 && b.low < 0)
      return all;
    return {node.bits == 1 && a.low == 1 && b.low == 1 ? 1 : 0,
            a.low < 0   ? b.high
            : b.low < 0 ? a.high
                        : std::min(a.high, b.high)};
  case Arith::Or:
  case Arith::Xor: {
    if (a.single() && b.single())
      return fits(node.code == Arith::Or
                      ? Bounds{a.low | b.low, a.low | b.low}
                      : Bounds{a.low ^ b.low, a.low ^ b.low});
    if (!positive)
      return all;
    uint64_t bits = llvm::maskTrailingOnes<uint64_t>(
        llvm::bit_width<uint64_t>(std::max(a.high, b.high)));
    return fits(Bounds{node.code == Arith::Or ? std::max(a.low, b.low) : 0,
                       static_cast<int64_t>(bits)});
  }
  case Arith::Shl:
    if (!positive || b.high > 61)
      return all;
    return fits(corners({a.low, a.high},
                        {int64_t(1) << b.low, int64_t(1) << b.high},
                        llvm::MulOverflow<int64_t>));
  case Arith::ShrU:
  case Arith::ShrS:
    if (!positive || b.high > 62 || small)
      return all;
    return {a.low >> b.high, a.high >> b.low};
  case Arith::MinU:
    if (small)
      return all;
    if (positive)
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    // A negative number is a large one.
    if (a.low >= 0)
      return {0, a.high};
    return b.low >= 0 ? Bounds{0, b.high} : all;
  case Arith::MaxU:
    if (!positive || small)
      return all;
    return {std::max(a.low, b.low), std::max(a.high, b.high)};
  case Arith::MinS:
    if (small)
      return all;
    return {std::min(a.low, b.low), std::min(a.high, b.high)};
  case Arith::MaxS:
    if (small)
      return all;
    return {std::max(a.low, b.low), std::max(a.high, b.high)};
  case Arith::Select:
    if (a.single())
      return a.low ? b : c;
    return {std::min(b.low, c.low), std::max(b.high, c.high)};
  case Arith::Cast:
    if (small)
      return {-a.high, -a.low};
    return fits(a);
  case Arith::CastU:
    if (a.low >= 0)
      return fits(a);
    return node.operandBits < 63
               ? fits(Bounds{0, (int64_t(1) << node.operandBits) - 1})
               : all;
  case Arith::Cmp: {
    using P = arith::CmpIPredicate;
    auto predicate = static_cast<P>(node.predicate);
    if (small && predicate != P::eq && predicate != P::ne)
      return {0, 1};
    bool isUnsigned = predicate == P::ult || predicate == P::ule ||
                      predicate == P::ugt || predicate == P::uge;
    if (isUnsigned && !positive)
      return {0, 1};
    bool below = less(node.a, node.b), above = less(node.b, node.a);
    auto decided = [](bool yes, bool no) {
      return yes ? Bounds{1, 1} : no ? Bounds{0, 0} : Bounds{0, 1};
    };
    switch (predicate) {
    case P::eq:
    case P::ne: {
      bool equal = (a.single() && b.single() && a.low == b.low) ||
                   (node.a.symbol && node.a.symbol == node.b.symbol);
      return predicate == P::eq ? decided(equal, below || above)
                                : decided(below || above, equal);
    }
    case P::slt:
    case P::ult:
      return decided(below, atMost(node.b, node.a));
    case P::sle:
    case P::ule:
      return decided(atMost(node.a, node.b), above);
    case P::sgt:
    case P::ugt:
      return decided(above, atMost(node.a, node.b));
    case P::sge:
    case P::uge:
      return decided(atMost(node.b, node.a), below);
    }
    return {0, 1};
  }
  }
  return all;
}

bool Ranges::atMost(Number a, Number b, int depth) {
  if (a == b || (a.symbol && a.symbol == b.symbol) || of(a).high <= of(b).low)
    return true;
  if (!depth)
    return false;
  if (less(a, b, depth - 1))
    return true;
  if (a.symbol) {
    const Symbols::Node &node = symbols.node(a.symbol);
    bool positive =
        node.code != Arith::None && of(node.a).low >= 0 && of(node.b).low >= 0;
    switch (node.code) {
    case Arith::MinU:
      if (!positive)
        break;
      [[fallthrough]];
    case Arith::MinS:
      if (atMost(node.a, b, depth - 1) || atMost(node.b, b, depth - 1))
        return true;
      break;
    case Arith::Mul:
      // x / c * c <= x
      if (positive && node.a.symbol && !node.b.symbol) {
        const Symbols::Node &part = symbols.node(node.a.symbol);
        if (part.code == Arith::DivU && part.b == node.b &&
            atMost(part.a, b, depth - 1))
          return true;
      }
      break;
    case Arith::DivU:
    case Arith::DivS:
    case Arith::RemU:
    case Arith::RemS:
      // x / y, x % y <= x
      if (positive && atMost(node.a, b, depth - 1))
        return true;
      break;
    default:
      break;
    }
  }
  if (b.symbol) {
    const Symbols::Node &node = symbols.node(b.symbol);
    bool positive =
        node.code != Arith::None && of(node.a).low >= 0 && of(node.b).low >= 0;
    switch (node.code) {
    case Arith::MaxU:
      if (!positive)
        break;
      [[fallthrough]];
    case Arith::MaxS:
      return atMost(a, node.a, depth - 1) || atMost(a, node.b, depth - 1);
    case Arith::Mul: {
      // x <= x * y for y >= 1, where the product is not too large
      int64_t product;
      if (!positive ||
          (llvm::MulOverflow(of(node.a).high, of(node.b).high, product)
               ? node.bits < 64
               : product > Bounds::ofBits(node.bits).high))
        break;
      return (of(node.b).low >= 1 && atMost(a, node.a, depth - 1)) ||
             (of(node.a).low >= 1 && atMost(a, node.b, depth - 1));
    }
    default:
      break;
    }
  }
  return false;
}

Number Ranges::withoutNeutral(Number number) const {
  while (number.symbol) {
    const Symbols::Node &node = symbols.node(number.symbol);
    if (node.operandBits != node.bits || node.bits < 2)
      break;
    const bool sum = node.code == Arith::Add, product = node.code == Arith::Mul;
    auto is = [](Number of, int64_t value) {
      return !of.symbol && of.value == value;
    };
    if ((is(node.b, 0) && (sum || node.code == Arith::Sub)) ||
        (is(node.b, 1) &&
         (product || node.code == Arith::DivU || node.code == Arith::DivS)))
      number = node.a;
    else if ((is(node.a, 0) && sum) || (is(node.a, 1) && product))
      number = node.b;
    else
      break;
  }
  return number;
}

std::optional<int64_t> Ranges::mostBetween(Number a, Number b) {
  int64_t span;
  std::optional<int64_t> most;
  if (!llvm::SubOverflow(of(b).high, of(a).low, span))
    most = span;
  // Numbers of fewer bits, as index.
  auto isCast = [&](Number number) {
    const Symbols::Node &node = symbols.node(number.symbol);
    return number.symbol && node.code == Arith::Cast &&
           node.operandBits <= node.bits && node.a.symbol;
  };
  if (isCast(a) && isCast(b)) {
    a = symbols.node(a.symbol).a;
    b = symbols.node(b.symbol).a;
  }
  a = withoutNeutral(a);
  b = withoutNeutral(b);
  if (!a.symbol)
    return most;
  // b - b % c and b: what is left behind an unrolled loop.
  const Symbols::Node &node = symbols.node(a.symbol);
  if (node.code != Arith::Sub || withoutNeutral(node.a) != b || !node.b.symbol)
    return most;
  const Symbols::Node &rest = symbols.node(node.b.symbol);
  if ((rest.code != Arith::RemS && rest.code != Arith::RemU) ||
      withoutNeutral(rest.a) != b)
    return most;
  const int64_t high = of(node.b).high;
  return most ? std::min(*most, high) : high;
}

bool Ranges::less(Number a, Number b, int depth) {
  if (of(a).high < of(b).low)
    return true;
  if (!depth)
    return false;
  if (b.symbol) {
    const Symbols::Node &y = symbols.node(b.symbol);
    if (y.code == Arith::MinS)
      return less(a, y.a, depth - 1) && less(a, y.b, depth - 1);
    if (y.code == Arith::MaxS &&
        (less(a, y.a, depth - 1) || less(a, y.b, depth - 1)))
      return true;
    // a < a + c
    if (y.code == Arith::Add && y.a.symbol && y.a.symbol == a.symbol &&
        !y.b.symbol && y.b.value > 0 &&
        of(a).high <= Bounds::ofBits(y.bits).high - y.b.value)
      return true;
    // 0 < x - y
    if (y.code == Arith::Sub && a == Number{0, 0} && of(y.a).low >= 0 &&
        of(y.b).low >= 0)
      return less(y.b, y.a, depth - 1);
  }
  if (!a.symbol)
    return false;
  const Symbols::Node &x = symbols.node(a.symbol);
  // max(x, y) < b
  if (x.code == Arith::MaxS)
    return less(x.a, b, depth - 1) && less(x.b, b, depth - 1);
  if (of(a).high <= 0 && less(Number{0, 0}, b, depth - 1))
    return true;
  if (x.code == Arith::None) {
    auto limit = above(x.predicate);
    return limit && atMost(*limit, b, depth - 1);
  }
  if (of(x.a).low < 0 || of(x.b).low < 0)
    return false;
  if (x.code == Arith::DivU && x.b.symbol == 0) {
    // id / c < y where the id stays below y * c
    if (x.a.symbol)
      if (const Symbols::Node &id = symbols.node(x.a.symbol);
          id.code == Arith::None)
        if (auto limit = above(id.predicate); limit && limit->symbol) {
          const Symbols::Node &grid = symbols.node(limit->symbol);
          if (grid.code == Arith::Mul && grid.b == x.b && of(grid.a).low >= 0 &&
              atMost(grid.a, b, depth - 1))
            return true;
        }
  }
  if (x.code == Arith::Mul && x.a.symbol && !x.b.symbol) {
    // id * c < y where the id stays below ceil(y / c)
    const Symbols::Node &id = symbols.node(x.a.symbol);
    if (id.code == Arith::None)
      if (auto limit = above(id.predicate); limit && limit->symbol) {
        const Symbols::Node &grid = symbols.node(limit->symbol);
        if ((grid.code == Arith::CeilDivU || grid.code == Arith::CeilDivS) &&
            grid.b == x.b && of(grid.a).low >= 0 &&
            atMost(grid.a, b, depth - 1))
          return true;
      }
  }
  if (!b.symbol || x.code != Arith::DivU)
    return false;
  const Symbols::Node &y = symbols.node(b.symbol);
  if (y.code == Arith::None || of(y.a).low < 0 || of(y.b).low < 0)
    return false;
  // floor(x / s) < ceil(y / s) where x < y
  if (y.code == Arith::CeilDivU && x.b == y.b && less(x.a, y.a, depth - 1))
    return true;
  // Even shares of `all` among n <= all: i * all / n < (i + 1) * all / n.
  if (y.code == Arith::DivU && x.b == y.b && x.a.symbol && y.a.symbol) {
    const Symbols::Node &from = symbols.node(x.a.symbol),
                        &to = symbols.node(y.a.symbol);
    if (from.code == Arith::Mul && to.code == Arith::Mul && from.b == to.b &&
        to.a.symbol) {
      const Symbols::Node &next = symbols.node(to.a.symbol);
      if (next.code == Arith::Add && next.a == from.a &&
          next.b == Number{1, 0} && of(x.b).low >= 1 &&
          atMost(x.b, from.b, depth - 1))
        return true;
    }
  }
  return false;
}
