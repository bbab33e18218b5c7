//===- CopyUseValues.cpp - what holds holes, and what stands in them ------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CopyUses.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace titan;
using namespace titan::uses;

//===----------------------------------------------------------------------===//
// Values and memory
//===----------------------------------------------------------------------===//

/// -1: holds no tile.
int Uses::rankOf(Value value) {
  return llvm::TypeSwitch<Type, int>(value.getType())
      .Case<SharedType, TensorMemoryType>(
          [](auto type) { return static_cast<int>(type.getShape().size()); })
      .Case([](RankedTensorType type) { return int(type.getRank()); })
      .Case([](InFlightType type) { return int(type.getTensor().getRank()); })
      .Default(-1);
}

static Type elementOf(Value value) {
  return llvm::TypeSwitch<Type, Type>(value.getType())
      .Case<SharedType, TensorMemoryType, RankedTensorType>(
          [](auto type) { return type.getElementType(); })
      .Case([](InFlightType type) { return type.getTensor().getElementType(); })
      .Default([](Type type) { return type; });
}

TypedAttr titan::uses::zeroOf(Value value) {
  return Builder(value.getContext()).getZeroAttr(elementOf(value));
}

void Uses::set(Value value, Tracked next) {
  if (rankOf(value) < 0 || (!hasHoles(next) && !tracked.count(value)))
    return;
  auto [it, fresh] = tracked.try_emplace(value);
  Tracked &old = it->second;
  bool changed = fresh || old.origin != next.origin;
  if (fresh)
    old.lanes.resize(rankOf(value) + 1);
  old.origin = next.origin;
  changed |= next.depth < old.depth;
  old.depth = std::min(old.depth, next.depth);
  for (auto [lane, more] : llvm::zip(old.lanes, next.lanes)) {
    int source = joinSources(lane.source, more.source);
    changed |= source != lane.source;
    lane.source = source;
    if (step != Contents || more.source == none)
      continue;
    Content content = lane.content.join(more.content);
    changed |= !(content == lane.content);
    lane.content = content;
  }
  if (changed)
    for (Operation *user : value.getUsers())
      work.insert(user);
}

Tracked Uses::as(Value value, Tracked from) const {
  size_t size = rankOf(value) + 1;
  if (from.lanes.size() != size) {
    // The dimensions are others: holes may be anywhere.
    Lane all;
    for (const Lane &lane : ArrayRef(from.lanes).drop_back())
      if (lane.source != none)
        all = {any, all.content.join(lane.content)};
    Lane loops = from.lanes.back();
    from.lanes.assign(size - 1, all);
    from.lanes.push_back(loops);
  }
  // Zero has no bits in any type.
  TypedAttr zero = zeroOf(value);
  for (Lane &lane : from.lanes)
    if (Content &c = lane.content;
        c.value && (!zero || c.value.getType() != zero.getType()))
      c = zero && c.isZero() ? Content::of(zero)
                             : Content{Content::Any, {}, c.spoiler};
  return from;
}

void Uses::pass(Value from, Value to, bool newPlaces) {
  const Tracked *value = find(from);
  if (!value || rankOf(to) < 0)
    return;
  Tracked next = as(to, *value);
  if (newPlaces) {
    next.origin = to;
    next.depth = std::min(next.depth, placeIn(to.getDefiningOp()));
  }
  set(to, std::move(next));
}

/// Who hands its tile on to a value.
static SmallVector<Value> sourcesOf(Value value) {
  SmallVector<Value> sources;
  value.getDefiningOp()->getParentOfType<KernelOp>().getBody().walk(
      [&](TileFlowOpInterface op) {
        for (const flow::Step &step : stepsOf(op))
          if (auto *pass = std::get_if<flow::Pass>(&step);
              pass && pass->to == value)
            sources.push_back(pass->from);
      });
  return sources;
}

static bool findAllocations(Value memory, llvm::SetVector<Value> &found,
                            llvm::DenseSet<Value> &seen) {
  for (Value at = memory; at && at.getDefiningOp<ViewOpInterface>();) {
    effect::View view = at.getDefiningOp<ViewOpInterface>().getView();
    if (view.otherElements)
      return false;
    at = view.source;
  }
  memory = getRoot(memory);
  if (!seen.insert(memory).second)
    return true;
  Operation *op = memory.getDefiningOp();
  auto all = [&](auto &&values) {
    bool good = !values.empty();
    for (Value value : values)
      good &= findAllocations(value, found, seen);
    return good;
  };
  if (isa_and_nonnull<AllocOpInterface>(op))
    return found.insert(memory), true;
  if (isa_and_nonnull<ViewOpInterface>(op))
    return all(sourcesOf(memory));
  if (!op)
    op = cast<BlockArgument>(memory).getOwner()->getParentOp();
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
    RegionBranchInverseSuccessorMapping flow;
    branch.getSuccessorInputOperandMapping(flow);
    return all(llvm::map_to_vector(
        flow.lookup(memory), [](OpOperand *each) { return each->get(); }));
  }
  return false;
}

bool titan::uses::allocationsOf(Value memory, llvm::SetVector<Value> &found) {
  llvm::DenseSet<Value> seen;
  return findAllocations(memory, found, seen);
}

void Uses::store(Operation *op, const Tracked &from, Value to) {
  llvm::SetVector<Value> into;
  if (!allocationsOf(to, into))
    useAll(op, op->getName().getStringRef(), from, Other);
  for (Value each : into) {
    Tracked next = as(each, from);
    next.depth = 1;
    set(each, std::move(next));
  }
}

TypedAttr Uses::constantOf(Value value) {
  if (auto it = constants.find(value); it != constants.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  Attribute attribute;
  TypedAttr element;
  if (!op || op->getNumRegions()) {
  } else if (matchPattern(value, m_Constant(&attribute))) {
    auto splat = dyn_cast<SplatElementsAttr>(attribute);
    element = dyn_cast<TypedAttr>(splat ? splat.getSplatValue<Attribute>()
                                        : attribute);
    if (element && isa<ShapedType>(element.getType()))
      element = {};
  } else if (isa<NoneOpInterface>(op)) {
    element = zeroOf(value);
  } else if (auto tiles = dyn_cast<TileFlowOpInterface>(op)) {
    for (const flow::Step &step : stepsOf(tiles)) {
      if (auto *pass = std::get_if<flow::Pass>(&step);
          pass && pass->to == value)
        element = constantOf(pass->from);
      if (auto *broadcast = std::get_if<flow::Broadcast>(&step))
        element = constantOf(broadcast->from);
    }
  } else if (op->hasTrait<OpTrait::Elementwise>() && op->getNumOperands()) {
    auto of = [&](Value each) {
      TypedAttr constant = constantOf(each);
      return constant ? Content::of(constant) : Content{Content::Any};
    };
    element =
        evaluate(op, llvm::map_to_vector(op->getOperands(), of), of).value;
  }
  return constants[value] = element;
}

/// The lanes that a condition tells apart, where it is a predicate: made of
/// coordinates and of scalars, and of no data.
llvm::SmallSet<int, 4> Uses::placesOf(Value condition, int loops) {
  llvm::SmallSet<int, 4> places;
  llvm::SetVector<Value> values;
  values.insert(condition);
  for (size_t i = 0; i < values.size(); ++i) {
    Value value = values[i];
    Operation *op = value.getDefiningOp();
    if (tracked.count(value) || (!op && rankOf(value) >= 0) ||
        (op && (op->getNumRegions() || !isMemoryEffectFree(op))))
      return {};
    for (const flow::Step &step :
         stepsOf(dyn_cast_or_null<TileFlowOpInterface>(op)))
      if (auto *place = std::get_if<flow::Place>(&step)) {
        places.insert(place->dimension);
        places.insert(loops);
      }
    if (op)
      values.insert_range(op->getOperands());
  }
  return places;
}

//===----------------------------------------------------------------------===//
// Element-wise operations
//===----------------------------------------------------------------------===//

/// The operation folded with constants for some operands. Folders may change
/// the operation in place: that is undone.
OpFoldResult Uses::fold(Operation *op, ArrayRef<Attribute> operands) {
  SmallVector<Value> before(op->getOperands());
  DictionaryAttr attributes = op->getAttrDictionary();
  SmallVector<OpFoldResult> results;
  bool folded = succeeded(op->fold(operands, results));
  if (!llvm::equal(before, op->getOperands()))
    op->setOperands(before);
  if (op->getAttrDictionary() != attributes)
    op->setAttrs(attributes);
  return folded && results.size() == 1 ? results.front() : OpFoldResult();
}

/// One element of the result, of elements of the operands.
Content Uses::evaluate(Operation *op, ArrayRef<Content> operands,
                       function_ref<Content(Value)> of) {
  auto product = [&](const Content &a, const Content &b) {
    if ((a.isZero() && b.isFinite()) || (b.isZero() && a.isFinite()))
      return Content::of(zeroOf(op->getResult(0)));
    return Content::some(a.isFinite() && b.isFinite());
  };
  SmallVector<Attribute> constants;
  for (auto [value, content] : llvm::zip(op->getOperands(), operands)) {
    Attribute constant = content.value;
    // cmpf folds elements, the others splats.
    if (auto shaped = dyn_cast<ShapedType>(value.getType());
        shaped && constant && !isa<arith::CmpFOp>(op) &&
        content.value.getType() == elementOf(value))
      constant = DenseElementsAttr::get(shaped, constant);
    constants.push_back(constant);
  }
  OpFoldResult folded = fold(op, constants);
  if (auto attribute = dyn_cast_if_present<Attribute>(folded)) {
    auto splat = dyn_cast<SplatElementsAttr>(attribute);
    return Content::of(splat ? splat.getSplatValue<Attribute>() : attribute);
  }
  if (auto value = dyn_cast_if_present<Value>(folded))
    return of(value);
  if (isa<arith::MulFOp, arith::MulIOp, arith::AndIOp>(op))
    return product(operands[0], operands[1]);
  if (isa<math::FmaOp>(op)) {
    Content left = product(operands[0], operands[1]);
    if (left.isZero() && operands[2].isZero())
      return left;
    return Content::some(left.isFinite() && operands[2].isFinite());
  }
  if (isa<arith::SelectOp>(op))
    return operands[1].join(operands[2]);
  bool finite =
      isa<arith::AddFOp, arith::SubFOp, arith::AddIOp, arith::SubIOp,
          arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
          arith::MinNumFOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
          arith::MinUIOp, arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp,
          arith::TruncFOp, arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp,
          arith::CmpFOp, arith::CmpIOp, arith::OrIOp, arith::XOrIOp,
          math::AbsFOp, math::AbsIOp>(op);
  return Content::some(finite && llvm::all_of(operands, [](const Content &c) {
                         return c.isFinite();
                       }));
}

void Uses::visitElementwise(Operation *op) {
  Value result = op->getResult(0);
  int rank = rankOf(result);
  Value origin;
  bool mixed = false, carried = false;
  int depth = INT_MAX;
  for (Value operand : op->getOperands())
    if (const Tracked *value = find(operand)) {
      mixed |= origin && value->origin != origin;
      origin = value->origin;
      carried |= isa<BlockArgument>(origin);
      depth = std::min(depth, value->depth);
    }
  if (mixed)
    depth = std::min(depth, placeIn(op));
  bool sum =
      isa<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp>(op);
  bool product = isa<arith::MulFOp, arith::MulIOp, arith::AndIOp>(op);
  if (mixed)
    for (Value operand : op->getOperands())
      if (const Tracked *value = find(operand))
        useAll(op, op->getName().getStringRef(), *value,
               sum                   ? Sums
               : product && !carried ? Zero
                                     : Other,
               depth);
  Tracked next;
  next.origin = mixed ? result : origin;
  next.depth = depth;
  for (int lane = 0; lane <= rank; ++lane) {
    auto of = [&](Value each) {
      const Tracked *value = find(each);
      if (value && value->lanes[lane].source != none)
        return value->lanes[lane].content;
      TypedAttr constant = value ? TypedAttr() : constantOf(each);
      return constant ? Content::of(constant) : Content{Content::Finite};
    };
    Lane made;
    SmallVector<Content> operands;
    Operation *spoiler = nullptr;
    bool zeros = true, known = true;
    for (Value operand : op->getOperands()) {
      Content content = operands.emplace_back(of(operand));
      const Tracked *value = find(operand);
      if (!value || value->lanes[lane].source == none)
        continue;
      made.source = joinSources(made.source, value->lanes[lane].source);
      known &= content.kind != Content::Unknown;
      zeros &= content.isZero();
      if (!spoiler)
        spoiler = content.spoiler;
    }
    if (made.source != none && known && step != Sources) {
      made.content = mixed && !sum && !product ? Content{Content::Any}
                                               : evaluate(op, operands, of);
      if (!made.content.isZero())
        made.content.spoiler = zeros ? op : spoiler;
    }
    next.lanes.push_back(made);
  }
  set(result, std::move(next));
}

/// A predicate puts the program's own constant into holes.
void Uses::visitSelect(arith::SelectOp op) {
  for (auto [tile, other] :
       {std::pair(op.getTrueValue(), op.getFalseValue()),
        std::pair(op.getFalseValue(), op.getTrueValue())}) {
    const Tracked *value = find(tile);
    TypedAttr constant = find(other) ? TypedAttr() : constantOf(other);
    if (!value || !constant)
      continue;
    auto places = placesOf(op.getCondition(), rankOf(tile));
    if (places.empty())
      continue;
    Content content = Content::of(constant);
    Tracked next = *value;
    for (auto [i, lane] : llvm::enumerate(next.lanes)) {
      if (lane.source == none)
        continue;
      if (!places.contains(int(i)))
        lane.content = lane.content.join(content);
      else if (content.isZero())
        lane.content = content;
      else
        lane = Lane();
    }
    return set(op.getResult(), std::move(next));
  }
  visitElementwise(op);
}
