//===- CopyUseReductions.cpp - what reduces a copied tile -----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CopyUses.h"

#include "titan/Dialect/Titan/SharedMemory.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

#include <set>

using namespace mlir;
using namespace titan;
using namespace titan::uses;

//===----------------------------------------------------------------------===//
// Where the holes are, in loops
//===----------------------------------------------------------------------===//

int titan::uses::depthOf(Operation *op) {
  int depth = 0;
  for (op = op->getParentOp(); op; op = op->getParentOp())
    depth += isa<LoopLikeOpInterface>(op);
  return depth;
}

/// The depth of the innermost loop with which a value changes.
static int changeOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    op = cast<BlockArgument>(value).getOwner()->getParentOp();
    return depthOf(op) + isa<LoopLikeOpInterface>(op);
  }
  if (op->getNumRegions() || !isMemoryEffectFree(op))
    return depthOf(op);
  int depth = 0;
  for (Value operand : op->getOperands())
    depth = std::max(depth, changeOf(operand));
  return depth;
}

static bool meet(const Names &a, const Names &b) {
  return llvm::any_of(
      a, [&](const std::string &name) { return llvm::is_contained(b, name); });
}

/// Whether zeros stand in the holes along a lane, and in those of others that
/// come from the same dimensions of the tensor: such holes are no whole lines.
bool Uses::isZero(const Tracked &value, int lane) const {
  int source = value.lanes[lane].source, loops = roots.size();
  for (auto [i, other] : llvm::enumerate(value.lanes)) {
    if (other.source == none)
      continue;
    bool same = int(i) == lane || source == any || other.source == any ||
                (source != loops && other.source != loops &&
                 meet(roots[source], roots[other.source]));
    if (same && !other.content.isZero())
      return false;
  }
  return true;
}

/// The depth of the innermost loop with which the places of holes change: that
/// of the indices which the copy gives its schedule's loops over the same
/// dimensions. INT_MAX where another copy to the same memory gives others.
/// Loops of partitions correspond by depth.
int Uses::changesAt(int source) {
  auto [it, fresh] = changes.try_emplace(source, 0);
  if (!fresh)
    return it->second;
  Names tile;
  for (const Names &names : roots)
    llvm::append_range(tile, names);
  auto moves = [&](StringRef name) {
    for (const TmaLoop &loop : low.loops)
      if (name == StringRef(low.graph[loop.domain].name))
        return source == any ||
               (source == int(roots.size())
                    ? llvm::any_of(loop.roots,
                                   [&](const std::string &root) {
                                     return !llvm::is_contained(tile, root);
                                   })
                    : meet(loop.roots, roots[source]));
    return true;
  };
  auto indexOf = [](CopyAsyncOp each, Attribute loop) -> Value {
    for (auto [name, index] : llvm::zip(each.getLoops(), each.getIndices()))
      if (name == loop)
        return index;
    return {};
  };
  int depth = 0;
  for (auto [name, index] : llvm::zip(copy.getLoops(), copy.getIndices()))
    if (moves(cast<StringAttr>(name).getValue()))
      depth = std::max(depth, changeOf(index));
  for (auto &[other, to, known] : copies.loads) {
    if (depth == INT_MAX)
      break;
    if (other == copy || (known && llvm::none_of(to, [&](Value each) {
                            return memory.contains(each);
                          })))
      continue;
    if (other.getSchedule() != copy.getSchedule())
      depth = INT_MAX;
    for (auto [name, index] : llvm::zip(copy.getLoops(), copy.getIndices())) {
      if (!moves(cast<StringAttr>(name).getValue()))
        continue;
      Value there = indexOf(other, name);
      auto a = getConstant(index), b = getConstant(there);
      if (index != there && (!a || a != b))
        depth = INT_MAX;
    }
  }
  return changes[source] = depth;
}

static std::string placeOf(Operation *op) {
  return op->getName().getStringRef().str() + inLine(op->getLoc());
}

void Uses::use(Operation *op, StringRef name, const Tracked &value,
               ArrayRef<int> lanes, Neutral neutral) {
  if (step != Report)
    return;
  TileUse use{name.str(), {}};
  std::set<int> reduced;
  Operation *spoiler = nullptr;
  bool good = neutral != Other;
  int loops = static_cast<int>(roots.size());
  for (int lane : lanes) {
    const auto &[source, content] = value.lanes[lane];
    if (source == none)
      continue;
    for (int d = 0; d <= loops; ++d)
      if (source == any || source == d)
        reduced.insert(d);
    if (isZero(value, lane) ||
        (neutral == Sums && content.isFinite() && !content.spoiler))
      continue;
    good = false;
    for (const Lane &each : value.lanes)
      if (!spoiler)
        spoiler = each.content.spoiler;
  }
  if (reduced.empty())
    return;
  use.reduced.assign(reduced.begin(), reduced.end());
  if (!good) {
    use.neutral = TileFill::Other;
    use.otherwise =
        ": zero changes the result, as " +
        (neutral == Other ? placeOf(op) + " is no sum"
         : spoiler        ? placeOf(spoiler) + " makes something else of it"
                          : "other values stand in the same places") +
        "; put the neutral value into the holes (arith.select by "
        "titan.coordinate), or write `weak`";
  }
  if (!llvm::any_of(uses, [&](const TileUse &other) {
        return other.name == use.name && other.reduced == use.reduced &&
               other.otherwise == use.otherwise;
      }))
    uses.push_back(std::move(use));
}

//===----------------------------------------------------------------------===//
// Reductions and products
//===----------------------------------------------------------------------===//

void Uses::visit(Operation *op, const flow::Reduce &reduce) {
  const Tracked *tile = find(reduce.from);
  if (!tile)
    return;
  Tracked next = *tile;
  int last = static_cast<int>(next.lanes.size()) - 2;
  use(op, (op->getName().getStringRef() + " " + reduce.by).str(), next, {last},
      reduce.zeroIsNeutral ? Zero : Other);
  next.lanes[last] = Lane();
  if (rankOf(reduce.to) == last)
    next.lanes.erase(next.lanes.begin() + last);
  for (Lane &lane : next.lanes)
    if (Content &c = lane.content;
        reduce.zeroIsNeutral && c.value && !c.isZero())
      c = Content::some(c.isFinite(), c.spoiler);
  set(reduce.to, std::move(next));
}

void Uses::visit(Operation *op, const flow::Combine &combine) {
  if (const Tracked *tile = find(combine.tile))
    useAll(op, (op->getName().getStringRef() + " " + combine.by).str(), *tile,
           combine.zeroIsNeutral ? Zero : Other);
}

void Uses::visit(Operation *op, const flow::Product &product) {
  if (!isa<TensorMemoryType>(product.d.getType()))
    return visitSums(op, product, product.d, product.result);
  llvm::SetVector<Value> memory;
  bool known = allocationsOf(product.d, memory);
  // Sums that begin with what somebody stored have no zeros in them.
  kernel.getBody().walk([&](TileFlowOpInterface other) {
    for (const flow::Step &step : stepsOf(other)) {
      auto *put = std::get_if<flow::Store>(&step);
      if (!put || !isa<TensorMemoryType>(put->memory.getType()))
        continue;
      llvm::SetVector<Value> to;
      known &= allocationsOf(put->memory, to) &&
               llvm::none_of(to, [&](Value v) { return memory.contains(v); });
    }
  });
  for (Value each : memory)
    visitSums(op, product, each, each);
  if (known || !product.accumulates)
    return;
  for (Value each : memory)
    if (const Tracked *sums = find(each)) {
      Tracked next = *sums;
      for (Lane &lane : next.lanes)
        lane.content = {Content::Finite, {}, op};
      set(each, std::move(next));
    }
}

/// Of products D = A * B^T: A is used along K; what its rows hold, and those of
/// B, D holds along its rows and columns. One that accumulates adds up tiles.
void Uses::visitSums(Operation *op, const flow::Product &product, Value d,
                     Value result) {
  bool accumulates = product.accumulates;
  StringRef name = op->getName().getStringRef();
  Tracked next;
  next.lanes.resize(3);
  next.origin = result;
  const Tracked *sums = accumulates ? find(d) : nullptr;
  next.depth = placeIn(op);
  for (Value each : {product.a, product.b, d})
    if (const Tracked *value = find(each))
      next.depth = std::min(next.depth, value->depth);
  TypedAttr constant = accumulates && !sums ? constantOf(d) : zeroOf(d);
  Content before = constant ? Content::of(constant) : Content{Content::Finite};
  auto sum = [&](const Content &a, const Content &b) {
    if (b.kind == Content::Unknown ||
        (a.kind == Content::Unknown && d != result))
      return Content();
    if (a.kind == Content::Unknown || (a.isZero() && b.isZero()))
      return b; // In memory the first product finds nothing.
    return Content::some(a.isFinite() && b.isFinite(),
                         a.spoiler ? a.spoiler : b.spoiler);
  };
  // What the product adds at each lane, where it is tracked.
  std::array<Lane, 3> added;
  auto operand = [&](Value from, bool transposed, int to) {
    const Tracked *value = find(from);
    if (!value)
      return;
    use(op, name, *value, {transposed ? 0 : 1}, Zero);
    if (accumulates)
      useAll(op, name, *value, Zero, next.depth);
    for (auto [lane, at] : {std::pair(transposed ? 1 : 0, to), {2, 2}}) {
      const auto &[source, content] = value->lanes[lane];
      if (source == none)
        continue;
      Content more = content;
      if (more.isZero())
        more = Content::of(zeroOf(d));
      else if (more.kind != Content::Unknown)
        more = Content::some(more.isFinite(), more.spoiler ? more.spoiler : op);
      added[at].source = joinSources(added[at].source, source);
      added[at].content = added[at].content.join(more);
    }
  };
  operand(product.a, product.transposedA, 0);
  operand(product.b, product.transposedB, 1);
  if (sums)
    useAll(op, name, *sums, Sums, next.depth);
  for (int at = 0; at < 3; ++at) {
    Lane old = sums ? sums->lanes[at] : Lane();
    const Lane &more = added[at];
    if (old.source == none && more.source == none)
      continue;
    Lane &out = next.lanes[at];
    out.source = joinSources(old.source, more.source);
    out.content =
        sum(old.source == none ? before : old.content,
            more.source == none ? Content{Content::Finite} : more.content);
  }
  set(result, as(result, std::move(next)));
}
