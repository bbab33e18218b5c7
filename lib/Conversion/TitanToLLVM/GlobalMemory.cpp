//===- GlobalMemory.cpp - how tiles are accessed in global memory ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GlobalMemory.h"

#include "titan/Layout/LaneTerms.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace titan;

namespace {

/// A tile of i32: constant + sum of factors * (scalars, coordinates, other tiles),
/// modulo 2^32.
struct AffineTile {
  int64_t constant = 0;
  SmallVector<int64_t> coordinates; // a factor for each dimension
  llvm::MapVector<Value, int64_t> scalars, others;

  bool isConstant() const {
    return scalars.empty() && others.empty() &&
           llvm::all_of(coordinates, [](int64_t x) { return x == 0; });
  }
};

/// What is known of the accesses of one tile.
class TileAccess {
public:
  TileAccess(KernelLowering &kl, const Layout &layout)
      : kl(kl), layout(layout) {}

  const AffineTile &read(Value tile);
  /// b(register `to`) - a(register `from`); none: it is not the same number in
  /// all threads.
  std::optional<int64_t> difference(const AffineTile &a, int64_t from,
                                    const AffineTile &b, int64_t to);
  /// Zeros that a register's values end in, at least.
  unsigned zerosOf(const AffineTile &tile, int64_t reg);
  /// Whether a mask is one value in each thread for the registers first ..
  /// first + count - 1; count is a power of two.
  bool isUniform(Value mask, int64_t first, int64_t count);
  /// What the threads do not agree on of a sum, as a number from 0 to 2^31 - 1,
  /// even with the sum's constant; null: it is not known to be one.
  Value threadPart(const AffineTile &tile, int64_t reg);

private:
  /// Whether two registers hold the same of a tile: it is computed from scalars
  /// and from coordinates that are the same in both.
  bool isSame(Value tile, int64_t from, int64_t to);
  /// The dimensions whose coordinates a tile is computed from, a bit each; none:
  /// it comes from something else.
  std::optional<uint64_t> dimensionsOf(Value tile);
  AffineTile compute(Value tile);
  bool computeUniform(Value mask, int64_t first, int64_t count);
  /// As zerosOf, of a tile that is no sum.
  unsigned zerosOfOther(Value tile, int64_t reg);
  static void add(AffineTile &sum, const AffineTile &tile, int64_t factor);
  const Layout *coordinate(int64_t reg, unsigned dim);

  KernelLowering &kl;
  const Layout &layout;
  std::map<std::pair<int64_t, unsigned>, std::optional<Layout>> coordinates;
  llvm::DenseMap<Value, std::optional<uint64_t>> dimensions;
  /// What has been found: a tile that is used twice is no work twice.
  std::map<const void *, AffineTile> sums;
  std::map<std::pair<const void *, int64_t>, unsigned> otherZeros;
  std::map<std::tuple<const void *, int64_t, int64_t>, bool> uniform;
};

} // namespace

void TileAccess::add(AffineTile &sum, const AffineTile &tile, int64_t factor) {
  sum.constant += factor * tile.constant;
  for (auto [d, x] : llvm::enumerate(tile.coordinates))
    sum.coordinates[d] += factor * x;
  for (auto &[value, x] : tile.scalars)
    sum.scalars[value] += factor * x;
  for (auto &[value, x] : tile.others)
    sum.others[value] += factor * x;
  auto isZero = [](const auto &entry) { return entry.second == 0; };
  sum.scalars.remove_if(isZero);
  sum.others.remove_if(isZero);
}

const AffineTile &TileAccess::read(Value tile) {
  const void *key = tile.getAsOpaquePointer();
  if (auto found = sums.find(key); found != sums.end())
    return found->second;
  AffineTile sum = compute(tile);
  return sums.emplace(key, std::move(sum)).first->second;
}

AffineTile TileAccess::compute(Value tile) {
  AffineTile result;
  result.coordinates.assign(layout.rank(), 0);
  APInt constant;
  if (matchPattern(tile, m_ConstantInt(&constant))) {
    result.constant = constant.getSExtValue();
    return result;
  }
  KernelLowering::TileOrigin origin = kl.origin(tile);
  if (origin.scalar) {
    if (matchPattern(origin.scalar, m_ConstantInt(&constant)))
      result.constant = constant.getSExtValue();
    else
      result.scalars[origin.scalar] = 1;
    return result;
  }
  if (origin.coordinate) {
    result.coordinates[*origin.coordinate] = 1;
    return result;
  }
  Operation *op = tile.getDefiningOp();
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op)) {
    add(result, read(op->getOperand(0)), 1);
    add(result, read(op->getOperand(1)), isa<arith::AddIOp>(op) ? 1 : -1);
    return result;
  }
  if (isa_and_nonnull<arith::MulIOp, arith::ShLIOp>(op)) {
    AffineTile left = read(op->getOperand(0)), right = read(op->getOperand(1));
    bool shift = isa<arith::ShLIOp>(op);
    if (!shift && left.isConstant())
      std::swap(left, right);
    if (right.isConstant() &&
        (!shift || (right.constant >= 0 && right.constant < 31))) {
      add(result, left,
          shift ? int64_t(1) << right.constant
                : static_cast<int32_t>(right.constant));
      return result;
    }
  }
  result.others[tile] = 1;
  return result;
}

const Layout *TileAccess::coordinate(int64_t reg, unsigned dim) {
  auto [place, made] = coordinates.try_emplace({reg, dim});
  if (made)
    if (Result<Layout> one = coordinateOf(layout, reg, static_cast<int>(dim)))
      place->second = *one;
  return place->second ? &*place->second : nullptr;
}

std::optional<uint64_t> TileAccess::dimensionsOf(Value tile) {
  if (auto found = dimensions.find(tile); found != dimensions.end())
    return found->second;
  std::optional<uint64_t> all;
  Attribute constant;
  KernelLowering::TileOrigin origin = kl.origin(tile);
  Operation *op = tile.getDefiningOp();
  if (!isa<RankedTensorType>(tile.getType()) || origin.scalar ||
      (matchPattern(tile, m_Constant(&constant)) &&
       isa<SplatElementsAttr>(constant))) {
    all = 0;
  } else if (origin.coordinate) {
    all = uint64_t(1) << *origin.coordinate;
  } else if (op && op->hasTrait<OpTrait::Elementwise>()) {
    all = 0;
    for (Value operand : op->getOperands()) {
      std::optional<uint64_t> its = dimensionsOf(operand);
      all = all && its ? std::optional(*all | *its) : std::nullopt;
    }
  }
  return dimensions[tile] = all;
}

bool TileAccess::isSame(Value tile, int64_t from, int64_t to) {
  if (from == to)
    return true;
  Values registers = kl.get(tile);
  if (registers[from] == registers[to])
    return true;
  std::optional<uint64_t> all = dimensionsOf(tile);
  if (!all)
    return false;
  for (unsigned d = 0; d < 64; ++d) {
    if (!(*all >> d & 1))
      continue;
    const Layout *first = coordinate(from, d), *next = coordinate(to, d);
    if (!first || !next)
      return false;
    auto step = laneStep(*first, *next, int64_t(1) << 40);
    if (!step || step->xors || step->adds)
      return false;
  }
  return true;
}

unsigned TileAccess::zerosOfOther(Value tile, int64_t reg) {
  Operation *op = tile.getDefiningOp();
  if (!op)
    return 0;
  std::pair key(tile.getAsOpaquePointer(), reg);
  if (auto found = otherZeros.find(key); found != otherZeros.end())
    return found->second;
  unsigned zeros = TrailingZeros::through(op, [&](unsigned i) {
                     return zerosOf(read(op->getOperand(i)), reg);
                   }).value_or(0);
  return otherZeros[key] = zeros;
}

std::optional<int64_t> TileAccess::difference(const AffineTile &a, int64_t from,
                                              const AffineTile &b, int64_t to) {
  // Of a scalar all registers have the same.
  auto sameTerms = [](const llvm::MapVector<Value, int64_t> &x,
                      const llvm::MapVector<Value, int64_t> &y) {
    return x.size() == y.size() && llvm::all_of(x, [&](const auto &entry) {
             return y.lookup(entry.first) == entry.second;
           });
  };
  if (!sameTerms(a.scalars, b.scalars) || !sameTerms(a.others, b.others) ||
      a.coordinates != b.coordinates)
    return std::nullopt;
  for (auto &[tile, factor] : a.others)
    if (!isSame(tile, from, to))
      return std::nullopt;
  int64_t distance = b.constant - a.constant;
  for (auto [d, factor] : llvm::enumerate(a.coordinates)) {
    if (!factor || from == to)
      continue;
    const Layout *first = coordinate(from, d), *next = coordinate(to, d);
    if (!first || !next)
      return std::nullopt;
    auto step = laneStep(*first, *next, int64_t(1) << 40);
    if (!step || step->xors)
      return std::nullopt;
    distance += factor * step->adds;
  }
  return static_cast<int32_t>(distance);
}

unsigned TileAccess::zerosOf(const AffineTile &tile, int64_t reg) {
  auto of = [](int64_t n) {
    return n ? static_cast<unsigned>(
                   llvm::countr_zero(static_cast<uint64_t>(n)))
             : TrailingZeros::all;
  };
  unsigned least = of(tile.constant);
  for (auto &[scalar, factor] : tile.scalars)
    least = std::min(least, kl.zeros.of(scalar) + of(factor));
  for (auto [d, factor] : llvm::enumerate(tile.coordinates)) {
    if (!factor)
      continue;
    const Layout *at = coordinate(reg, d);
    Result<LaneTerms> terms =
        at ? laneTerms(*at) : Result<LaneTerms>(Problem{});
    if (!terms)
      return 0;
    unsigned all = of(terms->origin);
    for (const LaneTerm &term : terms->terms)
      all = std::min(all, of(term.factor));
    for (const LaneFold &fold : terms->folds)
      all = std::min(all, of(fold.mask >> fold.down));
    least = std::min(least, all + of(factor));
  }
  for (auto &[other, factor] : tile.others)
    least = std::min(least, zerosOfOther(other, reg) + of(factor));
  return least;
}

bool TileAccess::isUniform(Value mask, int64_t first, int64_t count) {
  if (count == 1)
    return true;
  std::tuple key(mask.getAsOpaquePointer(), first, count);
  if (auto found = uniform.find(key); found != uniform.end())
    return found->second;
  bool is = computeUniform(mask, first, count);
  return uniform[key] = is;
}

bool TileAccess::computeUniform(Value mask, int64_t first, int64_t count) {
  Attribute constant;
  if (kl.origin(mask).scalar || (matchPattern(mask, m_Constant(&constant)) &&
                                 isa<SplatElementsAttr>(constant)))
    return true;
  Operation *op = mask.getDefiningOp();
  if (!op)
    return false;
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return isUniform(op->getOperand(0), first, count) &&
           isUniform(op->getOperand(1), first, count);
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare || !getElementTypeOrSelf(compare.getLhs()).isInteger(32))
    return false;
  AffineTile left = read(compare.getLhs()), right = read(compare.getRhs());
  auto walks = [&](const AffineTile &tile, int64_t by) {
    for (int64_t i = 1; i < count; ++i)
      if (difference(tile, first, tile, first + i) != i * by)
        return false;
    return true;
  };
  if (walks(left, 0) && walks(right, 0))
    return true;
  // Multiples of `count`, one of which walks on within its multiple.
  unsigned needed = llvm::Log2_64(count);
  if (zerosOf(left, first) < needed || zerosOf(right, first) < needed)
    return false;
  using Predicate = arith::CmpIPredicate;
  switch (compare.getPredicate()) {
  case Predicate::slt:
  case Predicate::sge:
  case Predicate::ult:
  case Predicate::uge:
    return walks(left, 1) && walks(right, 0);
  case Predicate::sgt:
  case Predicate::sle:
  case Predicate::ugt:
  case Predicate::ule:
    return walks(left, 0) && walks(right, 1);
  default:
    return false;
  }
}

Value TileAccess::threadPart(const AffineTile &tile, int64_t reg) {
  if (!tile.others.empty())
    return {};
  int64_t most = std::max<int64_t>(tile.constant, 0);
  Value sum = kl.i32(0);
  for (auto [d, factor] : llvm::enumerate(tile.coordinates)) {
    if (!factor)
      continue;
    if (factor < 0 || factor > INT32_MAX)
      return {};
    most += factor * (layout.shape()[d] - 1);
    const Layout *at = coordinate(reg, d);
    std::optional<Value> value = at ? kl.laneFunction(*at) : std::nullopt;
    if (most > INT32_MAX || !value)
      return {};
    sum = kl.add(sum, kl.mul(*value, factor));
  }
  return sum;
}

namespace {

/// The accesses of a tile, and their addresses.
class Plan {
public:
  Plan(KernelLowering &kl, TypedValue<GlobalType> tensor, ValueRange indexTiles,
       Value mask, const Layout &layout)
      : kl(kl), tensor(tensor), mask(mask), layout(layout), facts(kl, layout) {
    for (Value index : indexTiles) {
      affine.push_back(facts.read(index));
      scalars.push_back(kl.get(index));
    }
  }

  /// As planGlobalAccesses.
  SmallVector<GlobalAccess> make(llvm::function_ref<bool(int64_t)> mine,
                                 bool once);

private:
  bool fits(int64_t first, int64_t count);
  /// Whether registers first .. first + count are of one element, under one mask.
  bool isOne(int64_t first, int64_t count);
  Value address(int64_t reg);
  Value splitAddress(int64_t reg);

  KernelLowering &kl;
  TypedValue<GlobalType> tensor;
  Value mask;
  const Layout &layout;
  TileAccess facts;
  SmallVector<AffineTile> affine;
  SmallVector<Values> scalars;
  /// Registers whose addresses were computed, from which others are a distance
  /// away; with the distances of whole rows.
  struct Anchor {
    int64_t reg;
    Value address;
    std::map<std::vector<int64_t>, Value> rows;
  };
  SmallVector<Anchor> anchors;
};

} // namespace

bool Plan::fits(int64_t first, int64_t count) {
  unsigned bytes = llvm::Log2_64(
               getElementBytes(tensor.getType().getElementType())),
           needed = llvm::Log2_64(count);
  if (kl.zeros.ofAddress(tensor) < bytes + needed)
    return false;
  for (auto [d, index] : llvm::enumerate(affine)) {
    bool last = d + 1 == affine.size();
    for (int64_t i = 1; i < count; ++i)
      if (facts.difference(index, first, index, first + i) != (last ? i : 0))
        return false;
    unsigned stride = last ? 0 : kl.zeros.ofStride(tensor, d);
    if (stride < needed && facts.zerosOf(index, first) + stride < needed)
      return false;
  }
  return !mask || facts.isUniform(mask, first, count);
}

bool Plan::isOne(int64_t first, int64_t count) {
  for (const AffineTile &index : affine)
    if (facts.difference(index, first, index, first + count) != 0)
      return false;
  if (!mask)
    return true;
  Values masks = kl.get(mask);
  return masks[first] == masks[first + count];
}

Value Plan::address(int64_t reg) {
  int64_t bytes = getElementBytes(tensor.getType().getElementType());
  for (Anchor &anchor : anchors) {
    // Not back: behind the last index an i32 would end.
    std::vector<int64_t> steps;
    for (const AffineTile &index : affine) {
      std::optional<int64_t> step =
          facts.difference(index, anchor.reg, index, reg);
      if (!step || *step < 0)
        break;
      steps.push_back(*step);
    }
    if (steps.size() != affine.size())
      continue;
    int64_t along = steps.back() * bytes;
    steps.pop_back();
    Value &row = anchor.rows[steps];
    if (!row) {
      row = anchor.address;
      for (auto [d, step] : llvm::enumerate(steps))
        if (step)
          row = kl.add(row, kl.mul(kl.toI64(kl.global(tensor).strides[d]),
                                   step * bytes));
    }
    return along ? kl.add(row, kl.i64(along)) : row;
  }
  Value address = splitAddress(reg);
  if (!address) {
    Values at;
    for (Values &index : scalars)
      at.push_back(index[reg]);
    address = kl.elementAddress(tensor, at);
  }
  anchors.push_back({reg, address, {}});
  return address;
}

/// With what all threads agree on first, and the constant last, which is part of the
/// instruction; null: the index is no such sum. It may have wrapped round: an index
/// that is accessed is 0 to 2^31 - 1, and so is what is added to the agreed part, which
/// then lies between -2^31 and 2^31. What a constant of at least -2^16 takes away makes
/// that up to 2^31 + 2^16: the agreed part is extended 2^16 further down.
Value Plan::splitAddress(int64_t reg) {
  if (affine.size() != 1 || affine.front().scalars.empty())
    return {};
  constexpr int64_t below = 1 << 16;
  int64_t constant = affine.front().constant;
  Value thread = constant < -below || constant > INT32_MAX
                     ? Value()
                     : facts.threadPart(affine.front(), reg);
  if (!thread)
    return {};
  int64_t down = constant < 0 ? below : 0;
  Value agreed;
  for (auto &[scalar, factor] : affine.front().scalars) {
    Value part =
        kl.mul(kl.toI32(kl.get1(scalar)), static_cast<int32_t>(factor));
    agreed = agreed ? kl.add(agreed, part) : part;
  }
  int64_t bytes = getElementBytes(tensor.getType().getElementType());
  if (down)
    agreed = kl.add(agreed, kl.i32(-down));
  Value address = kl.add(kl.elementAddress(tensor, agreed),
                         kl.mul(kl.toI64(thread), bytes));
  int64_t along = (constant + down) * bytes;
  return along ? kl.add(address, kl.i64(along)) : address;
}

SmallVector<GlobalAccess> Plan::make(llvm::function_ref<bool(int64_t)> mine,
                                     bool once) {
  SmallVector<GlobalAccess> groups;
  int64_t registers = layout.registers(),
          most = 16 / getElementBytes(tensor.getType().getElementType());
  for (int64_t r = 0; r < registers;) {
    if (!mine(r)) {
      ++r;
      continue;
    }
    int64_t count = 1;
    for (int64_t wider = most; wider > 1; wider /= 2) {
      bool all = r + wider <= registers;
      for (int64_t i = 1; all && i < wider; ++i)
        all = mine(r + i);
      if (all && fits(r, wider)) {
        count = wider;
        break;
      }
    }
    int64_t same = 0;
    while (once && count == 1 && r + same + 1 < registers &&
           mine(r + same + 1) && isOne(r, same + 1))
      ++same;
    groups.push_back({r, count, address(r), same});
    r += count + same;
  }
  return groups;
}

SmallVector<GlobalAccess>
titan::planGlobalAccesses(KernelLowering &kl, TypedValue<GlobalType> tensor,
                          ValueRange indices, Value mask, const Layout &layout,
                          llvm::function_ref<bool(int64_t)> mine, bool once) {
  return Plan(kl, tensor, indices, mask, layout).make(mine, once);
}

SmallVector<int64_t> titan::sameComparisons(KernelLowering &kl,
                                            arith::CmpIOp compare,
                                            const Layout &layout) {
  // As many as the widest access of memory moves.
  constexpr int64_t most = 16;
  TileAccess facts(kl, layout);
  int64_t registers = layout.registers();
  SmallVector<int64_t> same;
  while (static_cast<int64_t>(same.size()) < registers) {
    auto first = static_cast<int64_t>(same.size());
    int64_t count = most;
    while (count > 1 && (first + count > registers ||
                         !facts.isUniform(compare.getResult(), first, count)))
      count /= 2;
    same.append(count, first);
  }
  return same;
}

std::optional<ComparedCoordinate>
titan::comparedCoordinate(KernelLowering &kl, arith::CmpIOp compare,
                          const Layout &layout) {
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  if (layout.registers() < 32 ||
      !getElementTypeOrSelf(compare.getLhs()).isInteger(32) ||
      !llvm::is_contained(
          {Predicate::slt, Predicate::sle, Predicate::sgt, Predicate::sge},
          predicate))
    return std::nullopt;
  TileAccess facts(kl, layout);
  for (unsigned i : {0, 1}) {
    auto dimension = kl.origin(compare->getOperand(i)).coordinate;
    if (!dimension)
      continue;
    const AffineTile &own = facts.read(compare->getOperand(i));
    const AffineTile &other = facts.read(compare->getOperand(1 - i));
    if (!other.others.empty() || other.coordinates[*dimension])
      return std::nullopt;
    ComparedCoordinate result{i, *dimension, {}};
    for (int64_t r = 0; r < layout.registers(); ++r) {
      std::optional<int64_t> above = facts.difference(own, 0, own, r);
      if (!above || *above < 0)
        return std::nullopt;
      result.above.push_back(*above);
    }
    return result;
  }
  return std::nullopt;
}
