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
// The region also says what belongs together: a few small launches, all of
// whose CTAs are looked at, show what CTAs share through global memory
// (Sharing.h).
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

Number Instantiator::Impl::leafNumber(const void *key, int dimension,
                                      Leaf leaf) {
  uint32_t symbol = symbols.leaf(key, dimension);
  uint32_t number = symbols.leafOf(symbol);
  if (number == leaves.size()) {
    if (leaf.kind == Leaf::Size)
      leaf.initial =
          bound::firstSize + bound::sizeApart * static_cast<int64_t>(number);
    if (leaf.kind == Leaf::Scalar)
      leaf.initial = bound::firstScalar +
                     bound::scalarApart * static_cast<int64_t>(number);
    leaf.initial = std::clamp(leaf.initial, leaf.range.low, leaf.range.high);
    leaves.push_back(std::move(leaf));
    leafValues.emplace_back(program ? program->ctas() : 1, 0);
    setLeaf(number, leaves[number].initial);
    if (leaves[number].kind >= Leaf::Multiprocessors && number < 63)
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
  Leaf leaf{.kind = Leaf::Size,
            .name = "size " + std::to_string(dimension),
            .dimension = static_cast<int>(dimension),
            .tensor = tensor,
            // A map forbids a size of 0.
            .range = {mapped[tensor], int64_t(1) << 32}};
  return leafNumber(argument.getAsOpaquePointer(), 1 + dimension, leaf);
}

int64_t Instantiator::Impl::mostCtas(int dimension) const {
  const TargetInfo &target = titan::targetOf(kernel);
  int64_t most = dimension ? target.maxGridYZ : target.maxGridX;
  return most == TargetInfo::absent ? (int64_t(1) << 31) - 1 : most;
}

Number Instantiator::Impl::ctaIdNumber(int dimension) {
  Bounds extent = ranges.of(grid[dimension]);
  return leafNumber(
      &ctaIdKey, dimension,
      {.kind = Leaf::CtaId,
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
      launchNumbers[value] = leafNumber(
          value.getAsOpaquePointer(), 0,
          {.kind = Leaf::Scalar,
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
          leafNumber(&multiprocessorsKey, 0,
                     {.kind = Leaf::Multiprocessors,
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
  auto isLeaf = [&](Number n) {
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
  if (!isLeaf(a)) {
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
  if (computed && predicate == P::eq && isLeaf(a) && b.symbol && !isLeaf(b)) {
    std::vector<uint32_t> inside;
    symbols.collect(b, inside);
    if (!llvm::is_contained(inside, symbols.leafOf(a.symbol)))
      pinned.emplace(a.symbol, b);
    return;
  }
  if (computed || !isLeaf(a) || (b.symbol && !isLeaf(b)))
    return;
  Bounds &range = leaves[symbols.leafOf(a.symbol)].range;
  if (predicate == P::eq && a.symbol != b.symbol) {
    if (b.symbol) {
      Bounds &other = leaves[symbols.leafOf(b.symbol)].range;
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
  Leaf &leaf = leaves[symbols.leafOf(a.symbol)];
  if (range.low <= range.high)
    leaf.initial = std::clamp(leaf.initial, range.low, range.high);
}

void Instantiator::Impl::readLaunch() {
  size_t known;
  do {
    known = pinned.size();
    readRegion();
    for (Number requirement : requirements)
      narrow(requirement);
    // Leaves first: what is computed is computed of those that are left, one at
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

int64_t Instantiator::Impl::fitted(uint32_t leaf, int64_t value) const {
  Symbols::Values values = leafValues;
  std::vector<int64_t> factors;
  auto meets = [&](int64_t tried, bool note) {
    values[leaf].assign(values[leaf].size(), tried);
    return llvm::all_of(requirements, [&](Number requirement) {
      std::vector<uint32_t> inside;
      std::vector<int64_t> constants;
      symbols.collect(requirement, inside, &constants);
      if (inside.size() != 1 || inside[0] != leaf ||
          symbols.value(requirement, values, 0) != 0)
        return true;
      if (note)
        factors = std::move(constants);
      return false;
    });
  };
  if (meets(value, true))
    return value;
  for (int64_t factor : factors)
    if (int64_t product; !llvm::MulOverflow(value, factor, product) &&
                         leaves[leaf].range.contains(product) &&
                         meets(product, false))
      return product;
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

//===----------------------------------------------------------------------===//
// Whole launches
//===----------------------------------------------------------------------===//

bool Instantiator::Impl::multipliesSizes(Number number) const {
  auto ofSize = [&](Number operand) {
    return operand.symbol && symbols.node(operand.symbol).code == Arith::None &&
           leaves[symbols.leafOf(operand.symbol)].kind == Leaf::Size;
  };
  SmallVector<Number> rest = {number};
  llvm::DenseSet<uint32_t> seen;
  while (!rest.empty()) {
    Number at = rest.pop_back_val();
    if (!at.symbol || !seen.insert(at.symbol).second)
      continue;
    const Symbols::Node &node = symbols.node(at.symbol);
    if (node.code == Arith::None)
      continue;
    if (node.code == Arith::Mul && ofSize(node.a) && ofSize(node.b))
      return true;
    rest.append({node.a, node.b, node.c});
  }
  return false;
}

bool Instantiator::Impl::anyLeaf(
    Number number, llvm::function_ref<bool(const Leaf &)> is) const {
  uint64_t mask = symbols.leavesOf(number);
  for (uint64_t rest = mask & ~(uint64_t(1) << beyond); rest; rest &= rest - 1)
    if (is(leaves[llvm::countr_zero(rest)]))
      return true;
  if (!(mask >> beyond))
    return false;
  std::vector<uint32_t> inside;
  symbols.collect(number, inside);
  return llvm::any_of(inside, [&](uint32_t leaf) { return is(leaves[leaf]); });
}

bool Instantiator::Impl::ofCta(Number number) const {
  return kindsOf(number) & OfCta;
}

/// Whether a place in global memory is computed from it.
static bool reachesGlobal(Value value) {
  SmallVector<Value> rest = {value};
  llvm::DenseSet<Value> seen;
  while (!rest.empty()) {
    Value at = rest.pop_back_val();
    if (!seen.insert(at).second)
      continue;
    for (OpOperand &use : at.getUses()) {
      Operation *op = use.getOwner();
      if (auto hardware = dyn_cast<HardwareEffectsInterface>(op)) {
        effect::EffectList effects;
        hardware.getHardwareEffects(effects);
        for (const effect::Effect &effect : effects)
          if (auto *access = std::get_if<effect::Access>(&effect.what);
              access && !isa<SharedType>(access->bytes.object.getType()) &&
              (llvm::is_contained(access->bytes.coords, at) ||
               llvm::is_contained(access->bytes.offsets, at)))
            return true;
        continue;
      }
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        if (BlockArgument carried = loop.getTiedLoopRegionIterArg(&use)) {
          rest.push_back(carried);
          rest.push_back(loop.getTiedLoopResult(&use));
        } else
          rest.push_back(loop.getInductionVar());
        continue;
      }
      if (op->hasTrait<OpTrait::IsTerminator>()) {
        Operation *parent = op->getParentOp();
        unsigned at = use.getOperandNumber();
        if (at < parent->getNumResults())
          rest.push_back(parent->getResult(at));
        if (auto loop = dyn_cast<scf::ForOp>(parent))
          rest.push_back(loop.getRegionIterArgs()[at]);
        continue;
      }
      rest.append(op->result_begin(), op->result_end());
    }
  }
  return false;
}

void Instantiator::Impl::notePiece(const CompiledOp &op, const Val &first,
                                   const Val &second) {
  Number a = first.number, b = second.number;
  if (!a.symbol && !b.symbol)
    return;
  if (!a.symbol)
    std::swap(a, b);
  bool constant = !b.symbol && b.value > 0;
  int64_t width = 0;
  std::optional<int64_t> piece;
  switch (op.code) {
  case Arith::DivU:
  case Arith::DivS:
  case Arith::FloorDivS:
  case Arith::CeilDivU:
  case Arith::CeilDivS:
  case Arith::RemU:
  case Arith::RemS:
    if (constant && first.number.symbol)
      width = b.value;
    break;
  case Arith::ShrU:
  case Arith::ShrS:
    if (constant && b.value < bound::factorBits && first.number.symbol)
      width = int64_t(1) << b.value;
    break;
  case Arith::And:
  case Arith::Or:
  case Arith::Xor:
    if (constant && op.bits > 1)
      width = int64_t(1) << std::min(llvm::bit_width<uint64_t>(b.value), 40);
    break;
  case Arith::MinU:
  case Arith::MinS:
  case Arith::MaxU:
  case Arith::MaxS:
    if (constant) {
      width = b.value + 1;
      piece = a.value > b.value;
    }
    break;
  case Arith::Add:
    // id * c + other: the next row begins where the other comes to c.
    for (auto [x, y] : {std::pair(a, b), std::pair(b, a)})
      if (x.symbol && y.symbol) {
        const Symbols::Node &product = symbols.node(x.symbol);
        if (product.code == Arith::Mul && !product.b.symbol &&
            product.b.value > 1 && ofCta(x) && ofCta(y) &&
            !(symbols.leavesOf(x) & symbols.leavesOf(y))) {
          width = product.b.value;
          a = y;
        }
      }
    break;
  default:
    break;
  }
  if (width < 2 || !ofCta(a))
    return;
  Bounds range = ranges.of({0, a.symbol});
  if (range.low >= 0 && range.low / width == range.high / width)
    return;
  auto [known, fresh] = pieces.try_emplace(op.op);
  if (fresh)
    known->second.places = reachesGlobal(op.op->getResult(0));
  // The rows of a sum meet only where there are two.
  bool plane = launch->grid[0] > 1 && launch->grid[1] * launch->grid[2] > 1;
  if (!known->second.places || (op.code == Arith::Add && !plane))
    return;
  known->second.seen.insert(piece.value_or(a.value / width));
}

void Instantiator::Impl::noteAmount(const CompiledOp &op, Number amount) {
  SmallVector<Number> rest = {amount};
  llvm::DenseSet<uint32_t> seen;
  while (!rest.empty()) {
    Number at = rest.pop_back_val();
    if (!at.symbol || !seen.insert(at.symbol).second)
      continue;
    const Symbols::Node node = symbols.node(at.symbol);
    if (node.code == Arith::None)
      continue;
    llvm::append_range(rest, ArrayRef<Number>{node.a, node.b, node.c});
    const Bounds range = ranges.of({0, node.a.symbol});
    std::optional<int64_t> piece;
    auto a = symbols.value(node.a, leafValues, cta()),
         b = symbols.value(node.b, leafValues, cta());
    if (!a || !b)
      continue;
    switch (node.code) {
    case Arith::DivU:
    case Arith::DivS:
    case Arith::FloorDivS:
    case Arith::CeilDivU:
    case Arith::CeilDivS:
    case Arith::RemU:
    case Arith::RemS:
      // All of the first piece, where the divisor is a constant.
      if (*b > 1 && (node.b.symbol || !node.a.symbol || range.low < 0 ||
                     range.low / *b != range.high / *b))
        piece = llvm::divideFloorSigned(*a, *b);
      break;
    case Arith::MinU:
    case Arith::MinS:
    case Arith::MaxU:
    case Arith::MaxS:
      if (node.b.symbol || range.low <= *b && *b < range.high)
        piece = *a > *b;
      break;
    default:
      break;
    }
    if (piece)
      amountPieces[{op.op, at.symbol}].insert(*piece);
  }
}

std::vector<Operation *> Instantiator::oneAmount() const {
  std::vector<Operation *> result;
  for (auto &[key, seen] : impl->amountPieces)
    if (seen.size() < 2 && !llvm::is_contained(result, key.first))
      result.push_back(key.first);
  return result;
}

size_t Instantiator::amountPieces() const {
  size_t all = 0;
  for (auto &[_, seen] : impl->amountPieces)
    all += seen.size();
  return all;
}

std::vector<Operation *> Instantiator::onePiece() const {
  std::vector<Operation *> result;
  for (auto &[op, pieces] : impl->pieces)
    if (pieces.places && pieces.seen.size() < 2)
      result.push_back(op);
  return result;
}

std::string Instantiator::Impl::nameOfLeaf(const Leaf &leaf) const {
  return leaf.kind == Leaf::Size
             ? cast<StringAttr>(kernel.getArgNames()[leaf.tensor])
                       .getValue()
                       .str() +
                   "[" + std::to_string(leaf.dimension) + "]"
             : leaf.name;
}

std::string Instantiator::Impl::describeLaunch() const {
  std::map<std::tuple<int, unsigned, int, size_t>, std::string> texts;
  for (auto [number, leaf] : llvm::enumerate(leaves)) {
    if (leaf.kind > Leaf::Multiprocessors)
      continue;
    int64_t value = leafValues[number][0];
    // Those that titan.require makes equal to others have their numbers.
    for (auto &[symbol, other] : pinned)
      if (symbols.leafOf(symbol) == number)
        value = symbols.value(unpinned(other), leafValues, 0).value_or(value);
    texts[{leaf.kind, leaf.tensor, leaf.dimension, number}] =
        nameOfLeaf(leaf) + " is " + std::to_string(value);
  }
  return llvm::join(llvm::make_second_range(texts), ", ");
}

Instantiator::Impl::Varied Instantiator::Impl::variedLeaves(int64_t most,
                                                            bool fit) const {
  std::vector<int64_t> sizes(std::begin(bound::triedExtents),
                             std::end(bound::triedExtents));
  if (most <= bound::largerLaunch &&
      llvm::count_if(leaves, [](const Leaf &leaf) {
        return leaf.kind == Leaf::Size;
      }) <= bound::fewSizes)
    llvm::append_range(sizes, bound::extentsOfFewSizes);
  if (most > bound::smallLaunch)
    llvm::append_range(sizes, bound::extentsOfLargerLaunches);
  // Rows and columns of CTAs, by sizes themselves, are few only by few of each.
  bool plane = llvm::count_if(grid, [&](Number n) {
                 return n.symbol && symbols.node(n.symbol).code == Arith::None;
               }) > 1;
  if (plane || llvm::any_of(grid, [&](Number n) { return multipliesSizes(n); }))
    sizes.insert(sizes.begin(), std::begin(bound::extentsOfProducts),
                 std::end(bound::extentsOfProducts));
  for (int64_t constant : constants)
    if (constant > bound::leastConstant && constant < bound::largestConstant &&
        sizes.size() < size_t(bound::mostExtents))
      sizes.insert(sizes.end(), {constant, constant + 1, 2 * constant + 1});
  auto scalars = [](const Leaf &leaf) {
    std::vector<int64_t> values = {leaf.initial};
    llvm::append_range(values, bound::triedScalars);
    return values;
  };
  // Sizes of promised tensors, and what they are computed from.
  auto isPromised = [&](uint32_t number) {
    const Leaf &leaf = leaves[number];
    return leaf.kind == Leaf::Size && promisedTensors.contains(leaf.tensor);
  };
  std::set<uint32_t> taken;
  std::vector<uint32_t> sizesPromised;
  for (auto &[symbol, value] : pinned) {
    taken.insert(symbols.leafOf(symbol));
    if (isPromised(symbols.leafOf(symbol)))
      symbols.collect(unpinned(value), sizesPromised);
  }
  Varied varied;
  for (auto [number, leaf] : llvm::enumerate(leaves)) {
    if (leaf.kind > Leaf::Scalar || taken.contains(number) ||
        pitches.contains(number))
      continue;
    std::vector<int64_t> values;
    std::vector<int64_t> tried =
        leaf.kind == Leaf::Size ? sizes : scalars(leaf);
    if (leaf.boundsData)
      llvm::append_range(tried, sizes);
    if (isPromised(number) || llvm::is_contained(sizesPromised, number))
      tried.insert(tried.begin(), std::begin(bound::promisedExtents),
                   std::end(bound::promisedExtents));
    for (int64_t value : tried)
      if (value = fit ? fitted(number, value) : value;
          leaf.range.contains(value) && !llvm::is_contained(values, value))
        values.push_back(value);
    if (values.empty())
      values.push_back(leaf.initial);
    varied.push_back({number, std::move(values)});
  }
  return varied;
}

bool Instantiator::Impl::tighten() {
  bool changed = false;
  for (auto [index, requirement] : llvm::enumerate(requirements)) {
    const Symbols::Node node = symbols.node(requirement.symbol);
    if (!requirement.symbol || node.code != Arith::Cmp)
      continue;
    for (auto [a, b] : {std::pair(node.a, node.b), std::pair(node.b, node.a)}) {
      while (a.symbol && symbols.node(a.symbol).code == Arith::Cast)
        a = symbols.node(a.symbol).a;
      if (!a.symbol || !b.symbol || symbols.node(a.symbol).code != Arith::None)
        continue;
      uint32_t leaf = symbols.leafOf(a.symbol);
      std::vector<uint32_t> inside;
      symbols.collect(b, inside);
      auto bound = symbols.value(b, leafValues, 0);
      if (leaves[leaf].kind != Leaf::Scalar || !bound ||
          llvm::is_contained(inside, leaf))
        continue;
      int64_t old = leafValues[leaf][0];
      bool found = false;
      for (int64_t offset : {0, 1, -1}) {
        int64_t value = *bound + offset;
        if (!leaves[leaf].range.contains(value))
          continue;
        setLeaf(leaf, value);
        if ((found = met({Goal::Require, index})))
          break;
      }
      if (!found)
        setLeaf(leaf, old);
      changed |= found && leafValues[leaf][0] != old;
    }
  }
  return changed;
}

void Instantiator::Impl::vary(const Varied &varied,
                              llvm::function_ref<void(bool tight)> look) {
  static constexpr size_t mostTried = bound::mostTried;
  double total = 1;
  for (auto &[leaf, values] : varied)
    total *= values.size();
  bool sampled = total > mostTried;
  uint64_t random = 1;
  program = emptyProgram(kernel, 1);
  whole = false;
  resetLeaves(false);
  for (size_t at = 0; at < (sampled ? mostTried : size_t(total)); ++at) {
    size_t rest = at;
    for (auto &[leaf, values] : varied) {
      if (sampled) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        rest = random >> 33;
      }
      setLeaf(leaf, values[rest % values.size()]);
      rest /= values.size();
    }
    look(/*tight=*/false);
    if (tighten())
      look(/*tight=*/true);
  }
}

std::optional<Refusal> Instantiator::refusal() const {
  std::vector<size_t> refused(impl->requirements.size(), 0);
  size_t tried = 0;
  impl->vary(impl->variedLeaves(bound::largerLaunch, /*fit=*/false), [&](bool) {
    ++tried;
    for (size_t i = 0; i < refused.size(); ++i)
      refused[i] += !impl->met({Impl::Goal::Require, i});
  });
  auto most = llvm::max_element(refused);
  if (most == refused.end() || *most == 0)
    return std::nullopt;
  return Refusal{impl->requireOps[most - refused.begin()], *most, tried};
}

std::vector<SmallLaunch> Instantiator::launches(int64_t least, int64_t most,
                                                bool fitted) const {
  static constexpr size_t mostKept = bound::mostKept;
  KernelOp kernel = impl->kernel;
  auto cluster = kernel.getClusterShape();
  bool fixed = llvm::none_of(impl->grid, [](Number n) { return n.symbol; });
  int64_t mostClusters =
      std::max<int64_t>(fixed ? bound::fixedClusters : 0, most);
  Impl::Varied varied = impl->variedLeaves(most, fitted);
  std::optional<uint32_t> multiprocessorsLeaf;
  for (auto [number, leaf] : llvm::enumerate(impl->leaves))
    if (leaf.kind == Impl::Leaf::Multiprocessors)
      multiprocessorsLeaf = number;

  // As many as there are clusters, if it is about more than a few: a grid is
  // often the lesser of the tiles and those.
  std::vector<int64_t> triedMultiprocessors(
      std::begin(bound::triedMultiprocessors),
      std::end(bound::triedMultiprocessors));
  if (most > bound::smallLaunch)
    triedMultiprocessors.push_back(most);

  struct Candidate {
    int64_t weight, sizes;
    std::vector<int64_t> key;
    SmallLaunch launch;
  };
  std::vector<Candidate> candidates;
  std::map<std::vector<int64_t>, size_t> seen; // Candidates.
  impl->vary(varied, [&](bool tight) {
    for (int64_t multiprocessors : triedMultiprocessors) {
      if (multiprocessorsLeaf)
        impl->setLeaf(*multiprocessorsLeaf,
                      multiprocessors * kernel.getClusterSize());
      else if (multiprocessors != triedMultiprocessors[0])
        break;
      if (!impl->admitted())
        continue;
      SmallLaunch launch;
      bool good = true;
      for (unsigned d = 0; d < 3; ++d) {
        launch.grid[d] =
            impl->symbols.value(impl->grid[d], impl->leafValues, 0).value_or(0);
        good &= launch.grid[d] > 0 && launch.grid[d] <= bound::gridExtent;
        if (good)
          launch.clusters *= launch.grid[d] / cluster[d];
      }
      if (!good || launch.clusters < least || launch.clusters > mostClusters)
        continue;
      for (auto &values : impl->leafValues)
        launch.leaves.push_back(values[0]);
      // What the body is told, but for sizes as such.
      std::vector<int64_t> key(launch.grid, launch.grid + 3);
      int64_t weight = launch.clusters, sizes = 0;
      for (Value value : kernel.getLaunchOp().getValues()) {
        auto number = impl->launchNumbers.find(value);
        if (number == impl->launchNumbers.end())
          continue;
        int64_t known = impl->symbols.value(number->second, impl->leafValues, 0)
                            .value_or(0);
        if (value.getDefiningOp<DimOp>()) {
          sizes += known;
          continue;
        }
        key.push_back(known);
        weight += std::abs(known);
      }
      for (BlockArgument argument : kernel.getLaunch().getArguments())
        if (auto number = impl->launchNumbers.find(argument);
            number != impl->launchNumbers.end())
          key.push_back(impl->symbols.value(number->second, impl->leafValues, 0)
                            .value_or(0));
      auto [same, fresh] = seen.try_emplace(key, candidates.size());
      Candidate candidate{weight, sizes, std::move(key), std::move(launch)};
      candidate.launch.tight = tight;
      if (fresh) {
        candidates.push_back(std::move(candidate));
        continue;
      }
      // (Many CTAs are looked at for whom they meet: the shortest launch will do.)
      Candidate &known = candidates[same->second];
      candidate.launch.tight |= known.launch.tight;
      if (most > bound::smallLaunch && sizes < known.sizes)
        known = std::move(candidate);
      else
        known.launch.tight = candidate.launch.tight;
    }
  });
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate &a, const Candidate &b) {
              return std::tie(a.weight, a.key) < std::tie(b.weight, b.key);
            });
  if (candidates.size() > mostKept)
    candidates.erase(candidates.begin() + mostKept, candidates.end());
  // First those that tell the body numbers which no earlier one has told it.
  std::vector<SmallLaunch> result;
  std::set<std::pair<size_t, int64_t>> told;
  while (!candidates.empty()) {
    auto best = candidates.begin();
    size_t most = 0;
    for (auto it = candidates.begin(); it != candidates.end(); ++it) {
      size_t fresh = 0;
      for (auto [position, value] : llvm::enumerate(it->key))
        fresh += !told.contains({position, value});
      if (fresh > most) {
        most = fresh;
        best = it;
      }
    }
    for (auto [position, value] : llvm::enumerate(best->key))
      told.insert({position, value});
    SmallLaunch launch = std::move(best->launch);
    candidates.erase(best);
    launch.name =
        std::to_string(launch.clusters * kernel.getClusterSize()) + " CTAs";
    const char *separator = ": ";
    for (auto &[number, values] : varied) {
      launch.name += separator + impl->nameOfLeaf(impl->leaves[number]);
      launch.name += " " + std::to_string(launch.leaves[number]);
      separator = ", ";
    }
    result.push_back(std::move(launch));
  }
  return result;
}
